"""What does a page need on paper? A note that its views stand still, and answers and solutions at its end.

All are in the page, and only print.css shows them. Where the book's address is known, the note says where
views play.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from revealed import PREDICTION
from sections import joined, read
from sphinx.application import Sphinx

from gpusim.views.code import coded

REPORT = re.compile(re.escape(PREDICTION) + r'><script type="application/json">(.*?)</script>', re.DOTALL)
STILL = "On paper, what plays or can be pressed stands still."


def asked(doctree: nodes.document) -> Iterator[tuple[str, str, str]]:
    """Question, answer and reason of a page's predictions, in its order."""
    for raw in doctree.findall(nodes.raw):
        for report in map(json.loads, REPORT.findall(raw.astext())):
            yield report["title"], report.get("solution", ""), report.get("why", "")


def solved(app: Sphinx, doctree: nodes.document) -> Iterator[str]:
    """Of each puzzle its title, a solution, and the first line of what the puzzle says to it."""
    for cell in doctree.findall(
        lambda node: "tag_puzzle-answer" in getattr(node, "attributes", {}).get("classes", ())
    ):
        section = cell
        while not isinstance(section, nodes.section):
            section = section.parent
        (code, *_), replies = cell.findall(nodes.literal_block), cell.findall(nodes.raw)
        said = next(filter(None, (read(raw.astext()).partition("\n")[0] for raw in replies)), "")
        listing = app.builder.highlighter.highlight_block(code.astext(), "python")
        yield f"<h3>{escape(joined(section[0].astext()))}</h3>{listing}<p>{coded(said)}</p>"


def answers(doctree: nodes.document) -> str:
    """A list with each question, its answer and the reason. What a live page alone knows has none."""
    listed = "".join(
        f"<li value={number}>{coded(title)} <b>{coded(solution)}.</b> {coded(why)}</li>"
        for number, (title, solution, why) in enumerate(asked(doctree), 1)
        if solution
    )
    return f"<h2>Answers</h2><ol>{listed}</ol>" if listed else ""


def at_end(app: Sphinx, doctree: nodes.document) -> tuple[str, str]:
    """What the note says of the page's end, and what is there."""
    parts = {
        "answers to its questions": answers(doctree),
        "solutions of its puzzles": "".join(solved(app, doctree)),
    }
    named = " and the ".join(name for name, part in parts.items() if part)
    if not named:
        return "", ""
    return (
        f"The {named} are at the end.",
        f'<section class="answers on-paper">{"".join(parts.values())}</section>',
    )


def prepare(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add them to the page."""
    body = context.get("body", "")
    if doctree is None or "data-gpusim-view" not in body:
        return
    said, listed = at_end(app, doctree)
    address = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    plays = f" It plays at {escape(address)}/{app.builder.get_target_uri(page)}." if address else ""
    note = f'<p class="on-paper">{STILL}{plays} {said}</p>'
    head, heading, rest = body.partition("</h1>")
    context["body"] = f"{head}{heading}{note}{rest}{listed}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("revealed")
    app.connect("html-page-context", prepare, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
