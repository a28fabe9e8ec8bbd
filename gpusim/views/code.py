"""How does a sentence with code in it look on a page? "`n % 2` is 0" has `n % 2` as code."""

from __future__ import annotations

import re
from html import escape

CODE = re.compile(r"`([^`]+)`")


def coded(text: str) -> str:
    """The text as HTML, in which what stands between backticks is code.

    >>> coded("`a < b` holds")
    '<code>a &lt; b</code> holds'
    """
    return CODE.sub(r"<code>\1</code>", escape(text))
