"""Where is a line of the package's source? The pages that `sphinx.ext.viewcode` makes have it at `#L57`."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

NUMBER = re.compile(r'<span class="linenos">( *)(\d+)</span>')


def name_lines(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if page.startswith("_modules/"):
        context["body"] = NUMBER.sub(r'<span class="linenos" id="L\2">\1\2</span>', context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", name_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
