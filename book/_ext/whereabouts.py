"""Where am I, and what comes next? Above a chapter stand its part and the chapters beside it.

Below it stands, with the titles of the pages before and after, what these ask.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_external_toc.parsing import parse_toc_yaml


def part_of(app: Sphinx, document: str) -> tuple[str, list[str]]:
    """The caption of a page's part in the table of contents, and the pages of the part."""
    for part in parse_toc_yaml(Path(app.srcdir) / app.config.external_toc_path).root.subtrees:
        pages = [str(page) for page in part.items]
        if document in pages:
            return part.caption or "", pages
    return "", []


def question_of(app: Sphinx, document: str) -> str:
    """What a page asks in its first lines; empty if it asks nothing."""
    boxes = app.env.get_doctree(document).findall(nodes.container)
    asked = next((box for box in boxes if "question" in box["classes"]), None)
    return " ".join(asked.astext().split()) if asked is not None else ""


def line_of_part(app: Sphinx, document: str, caption: str, pages: list[str]) -> str:
    """The chapters of a part in one line, this one without a link."""
    each = []
    for page in pages:
        title = escape(app.env.titles[page].astext())
        link = escape(app.builder.get_relative_uri(document, page))
        each.append(
            f'<span aria-current="page">{title}</span>'
            if page == document
            else f'<a href="{link}">{title}</a>'
        )
    caption = escape(caption)
    listed = "".join(f"<li>{one}</li>" for one in each)
    return f'<nav class="whereabouts" aria-label="Part {caption}"><p>{caption}</p><ul>{listed}</ul></nav>'


def place(app: Sphinx, document: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add both to a page."""
    caption, pages = part_of(app, document)
    if " · " in caption:  # a part of chapters has a number
        context["body"] = line_of_part(app, document, caption, pages) + context.get("body", "")
    links = {app.builder.get_relative_uri(document, each): each for each in app.env.found_docs}
    for side in ("prev", "next"):
        known = context.get(side) or {}
        question = question_of(app, links[known["link"]]) if known.get("link") in links else ""
        if question:
            context[f"{side}_title"] = f'{known["title"]}<span class="asked">{escape(question)}</span>'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", place)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
