"""How does a run's advice link to a chapter? `<span data-chapter="coalescing">` becomes a link to its page.

A notebook that is open in JupyterLab does not know where the book is, so there the name stands alone.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

NAMED = re.compile(r'<span data-chapter="([\w-]+)">(.*?)</span>')


def link_chapters(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Link every other chapter that is in the book, from wherever the page lies."""

    def linked(named: re.Match[str]) -> str:
        document = f"book/{named[1]}"
        if document == page or document not in app.env.found_docs:
            return named[2]
        return f'<a href="{app.builder.get_relative_uri(page, document)}">{named[2]}</a>'

    if "body" in context:
        context["body"] = NAMED.sub(linked, context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", link_chapters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
