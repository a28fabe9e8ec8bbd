"""Where am I, and what comes next? Above a chapter stand its part and the chapters beside it.

Below it stands, with the titles of the pages before and after, what these ask.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def part_of(app: Sphinx, document: str) -> tuple[str, list[str]]:
    """The caption of a page's part in the table of contents, and the pages of the part."""
    for part in app.env.external_site_map.root.subtrees:
        pages = [str(page) for page in part.items]
        if document in pages:
            return part.caption or "", pages
    return "", []


def note_question(app: Sphinx, doctree: nodes.document) -> None:
    """Keep what a page asks in its first lines, for the pages beside it."""
    asked = next((box for box in doctree.findall(nodes.container) if "question" in box["classes"]), None)
    if asked is not None:
        app.env.metadata[app.env.docname]["question"] = " ".join(asked.astext().split())


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
        if question := app.env.metadata.get(links.get(known.get("link"), ""), {}).get("question"):
            context[f"{side}_title"] = f'{known["title"]}<span class="asked">{escape(question)}</span>'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", note_question)
    app.connect("html-page-context", place)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
