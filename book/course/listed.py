"""How does a reference page list many things? In rows that share what is equal, and folded.

listed.folded("14 atomic operations", gpusim.table(rows, headings))
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

from IPython.display import HTML

LINES = "display:block;white-space:pre-wrap;overflow-wrap:anywhere;background:none;border:0;padding:0"


class Lines:
    """Code of several lines in a cell of a table."""

    def __init__(self, text: str) -> None:
        self.text = text.strip("\n")

    def __str__(self) -> str:
        return " ".join(self.text.split())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def _repr_html_(self) -> str:
        return f'<code style="{LINES}">{escape(self.text)}</code>'


def folded(summary: str, inside: Any) -> HTML:
    """What is inside, below a line that opens it."""
    text = inside._repr_html_()
    return HTML(f"<details><summary>{escape(summary)}</summary>{text}</details>")  # type: ignore[no-untyped-call]


def code(names: Iterable[str]) -> str:
    """Names as a list of code: "`a`, `b`"."""
    return ", ".join(f"`{name}`" for name in names)


def coded(text: str) -> str:
    """A sentence as HTML: what stands between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
