"""What does a page need on paper? A note that its views stand still, and the answers, away from questions.

Both are in the page, and only print.css shows them. Where the book's address is known, the note says where
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
from sphinx.application import Sphinx
from term_cards import coded

REPORT = re.compile(re.escape(PREDICTION) + r'><script type="application/json">(.*?)</script>', re.DOTALL)
STILL = "On paper, what plays or can be pressed stands still."
ANSWERED = "The answers to its questions are at the end."


def asked(doctree: nodes.document) -> Iterator[tuple[str, str, str]]:
    """Question, answer and reason of a page's predictions, in its order."""
    for raw in doctree.findall(nodes.raw):
        for report in map(json.loads, REPORT.findall(raw.astext())):
            yield report["title"], report.get("solution", ""), report.get("why", "")


def answers(doctree: nodes.document) -> str:
    """A list with each question, its answer and the reason. What a live page alone knows has none."""
    listed = "".join(
        f"<li value={number}>{coded(title)} <b>{coded(solution)}.</b> {coded(why)}</li>"
        for number, (title, solution, why) in enumerate(asked(doctree), 1)
        if solution
    )
    return f'<section class="answers on-paper"><h2>Answers</h2><ol>{listed}</ol></section>' if listed else ""


def prepare(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add both to the page."""
    body = context.get("body", "")
    if doctree is None or "data-gpusim-view" not in body:
        return
    listed = answers(doctree)
    address = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    plays = f" It plays at {escape(address)}/{app.builder.get_target_uri(page)}." if address else ""
    note = f'<p class="on-paper">{STILL}{plays} {ANSWERED if listed else ""}</p>'
    head, heading, rest = body.partition("</h1>")
    context["body"] = f"{head}{heading}{note}{rest}{listed}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("revealed")
    app.connect("html-page-context", prepare, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
