"""How does a card know what its chapter asks? The predictions are named on its link, for `progress.js`."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from revealed import prediction_in
from sphinx.application import Sphinx

CARD = re.compile(r'(<a class="sd-stretched-link[^"]*" href="([^"]+)")')
SCRIPT = "progress.js"


def asked_in(app: Sphinx, document: str) -> list[str]:
    """The names of the predictions of a page."""
    cells = app.env.get_doctree(document).findall(nodes.container)
    return [name for cell in cells if (name := prediction_in(cell))]


def name_predictions(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Name on each card what its chapter asks."""
    documents = {app.builder.get_relative_uri(page, each): each for each in app.env.found_docs}

    def named(card: re.Match[str]) -> str:
        names = asked_in(app, documents[card[2]]) if card[2] in documents else []
        return f'{card[1]} data-predictions="{" ".join(names)}"' if names else card[1]

    context["body"] = CARD.sub(named, context.get("body", ""))
    if "data-predictions" in context["body"]:
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", name_predictions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
