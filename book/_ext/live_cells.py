"""Which cell of the notebook is this? A class on each cell of code, by which a live page finds it."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class NumberCells(SphinxTransform):
    """`live-cell-7`: the place among all cells of the page, of text and of code, from 0."""

    default_priority = 890  # before cells move into tabs

    def apply(self) -> None:
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code":
                cell["classes"].append(f"live-cell-{cell['cell_index']}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(NumberCells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
