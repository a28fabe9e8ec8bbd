"""What becomes of a table of sentences on a phone? Rows are blocks, whose cells say their headings.

Tables of numbers stay tables. The headings are in the page, and only a narrow screen shows them (course.css).
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

WIDE = 60  # a row of more characters has lines within its cells, or scrolls


def stack(app: Sphinx, document: nodes.document, page: str) -> None:
    """Give the cells of the tables written in Markdown their headings, where a row is longer than a line."""
    for table in document.findall(nodes.table):
        heads = [entry.astext() for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)]
        rows = [row for body in table.findall(nodes.tbody) for row in body.findall(nodes.row)]
        if not heads or max(sum(len(cell.astext()) for cell in row) for row in rows) <= WIDE:
            continue
        table["classes"].append("stacked")
        for row in rows:
            for head, cell in list(zip(heads, row, strict=True))[1:]:
                if cell.astext():
                    cell[0].insert(0, nodes.inline("", f"{head}: ", classes=["of-column"]))
                else:
                    cell["classes"].append("nothing")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", stack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
