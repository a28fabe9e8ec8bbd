"""What does a page show only once a prediction is answered? All that follows it, up to the next heading.

A line `<!-- revealed -->` ends it before. A prediction within what another one hides hides the rest in its
turn; predictions side by side are asked together, and what follows waits for all of them. Without a script,
and on paper, nothing is hidden.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

PREDICTION = 'data-gpusim-view="prediction"'
NAMED = re.compile(r'"id":"([\w-]+)"')
END = "<!-- revealed -->"
log = logging.getLogger(__name__)


class Revealed(nodes.General, nodes.Element):
    """Nodes that wait for the predictions in its `by`."""


def prediction_in(node: nodes.Node) -> str | None:
    """Which prediction is this the cell of?"""
    if not (isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"):
        return None
    asked = (raw.astext() for raw in node.findall(nodes.raw) if PREDICTION in raw.astext())
    return next((named[1] for html in asked if (named := NAMED.search(html))), None)


def is_end(node: nodes.Node) -> bool:
    return isinstance(node, nodes.raw) and node.astext().strip() == END


def gated(children: list[nodes.Node]) -> list[nodes.Node]:
    """These nodes, with what follows a prediction inside a `Revealed`."""
    for place, child in enumerate(children):
        if not prediction_in(child):
            continue
        together = place + 1
        while together < len(children) and prediction_in(children[together]):
            together += 1
        rest = children[together:]
        stop = next(
            (at for at, node in enumerate(rest) if is_end(node) or isinstance(node, nodes.section)), len(rest)
        )
        by = " ".join(str(prediction_in(cell)) for cell in children[place:together])
        hidden = [Revealed("", *gated(rest[:stop]), by=by)] if stop else []
        return [*children[:together], *hidden, *gated(rest[stop:])]
    return children


class WaitForPredictions(SphinxTransform):
    """After the cells have become tabs: these move as one."""

    default_priority = 950

    def apply(self) -> None:
        asked = [name for cell in self.document.findall(nodes.container) if (name := prediction_in(cell))]
        for name in sorted({name for name in asked if asked.count(name) > 1}):
            log.warning("two predictions are remembered as %r: give one an id=", name, location=self.document)
        for section in [self.document, *self.document.findall(nodes.section)]:
            if any(map(prediction_in, section.children)):
                section.children = gated(section.children)
                for child in section.children:
                    child.parent = section
        for end in [*self.document.findall(is_end)]:
            end.parent.remove(end)


def visit_revealed(self: HTML5Translator, node: Revealed) -> None:
    self.body.append(f'<div class="revealed" data-revealed-by="{node["by"]}">\n')


def depart_revealed(self: HTML5Translator, node: Revealed) -> None:
    self.body.append("</div>\n")


def pass_by(self: object, node: Revealed) -> None:
    """Where nothing can be answered, nothing is hidden."""


def setup(app: Sphinx) -> dict[str, bool]:
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (pass_by, pass_by))
    app.add_node(Revealed, html=(visit_revealed, depart_revealed), **others)
    app.add_transform(WaitForPredictions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
