"""What becomes of a table of sentences on a phone? Rows are blocks, whose cells say their headings.

Tables of numbers stay tables. The headings are in the page, and only a narrow screen shows them (course.css).
"""

from __future__ import annotations

import re

from docutils import nodes
from sections import read
from sphinx.application import Sphinx

WIDE = 60  # a row of more characters has lines within its cells, or scrolls
MADE = re.compile(  # by gpusim.table, whose cells hold no table
    r"<table (style=[^>]*>(?:(?!<table).)*?<thead><tr>((?:(?!<table).)*?)</tr></thead>)"
    r"<tbody>((?:(?!<table).)*?)</tbody>",
    re.DOTALL,
)
NAME = re.compile(r"<code>(\w*_\w*)</code>")
HEAD, ROW, CELL = (re.compile(rf"(<{name}\b[^>]*>)(.*?)</{name}>", re.DOTALL) for name in ("th", "tr", "td"))


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

    for raw in document.findall(nodes.raw):
        if raw.get("format") == "html" and "<thead>" in raw.astext():
            raw.children[:] = [nodes.Text(MADE.sub(stacked, raw.astext()))]
            raw.rawsource = raw.astext()


def stacked(made: re.Match[str]) -> str:
    """A table that a cell made, with its headings in the cells if it is one of sentences."""
    start, head, body = made.groups()
    heads = [inside for _, inside in HEAD.findall(head)]
    rows = [CELL.findall(row) for _, row in ROW.findall(body)]
    if max((len(read("".join(inside for _, inside in row))) for row in rows), default=0) <= WIDE:
        return made[0]
    cells = "".join(f"<tr>{''.join(map(cell, ['', *heads[1:]], row))}</tr>" for row in rows)
    return f'<table class="stacked" {start}<tbody>{cells}</tbody>'


def cell(head: str, found: tuple[str, str]) -> str:
    """A cell with its heading, in which long names may go on below."""
    start, inside = found
    inside = NAME.sub(lambda name: f'<code class="name">{name[1].replace("_", "_<wbr>")}</code>', inside)
    if not inside:
        return f'{start[:-1]} class="nothing"></td>'
    named = f'<span class="of-column">{head}: </span>' if head else ""
    return f"{start}{named}{inside}</td>"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", stack)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
