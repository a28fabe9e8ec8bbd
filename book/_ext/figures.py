"""Which figure is it? "Figure 4.2": the chapter's number, with which its title begins, and a count.

Captions are written by `course.figures.show`; a page without a number counts 1, 2, 3.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

CAPTION = re.compile(r'(<figure class="course-figure".*?<figcaption>)', re.DOTALL)
CHAPTER = re.compile(r"(\w+) · ")


def number_figures(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    title = next(doctree.findall(nodes.title), None) if doctree is not None else None
    if "body" not in context or title is None:
        return
    found = CHAPTER.match(title.astext())
    chapter, numbers = f"{found[1]}." if found else "", count(1)

    def numbered(caption: re.Match[str]) -> str:
        return f'{caption[1]}<span class="caption-number">Figure {chapter}{next(numbers)}</span> '

    context["body"] = CAPTION.sub(numbered, context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", number_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
