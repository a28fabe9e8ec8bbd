"""What does each section of a page say? Kept with the page, for the glossary, the index and the search.

A section is what has a heading, a function of the package, or an entry of the glossary; what lies in a
section within it is not its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

MARKS = (nodes.strong, nodes.emphasis, nodes.literal, nodes.title)  # the strongest first
CHAPTER = re.compile(r"\d+ · ")
KEPT = "sections"
# a view's report, its still with the answer, and drawings are nothing to read; of a figure, the caption is
DRAWN = re.compile(
    r'<div data-gpusim-view.*|<(script|style|svg)\b.*?</\1>|<span class="linenos">.*?</span>', re.DOTALL
)
ATTRIBUTES = r"""(?:[^<>"']|"[^"]*"|'[^']*')*"""  # a value may hold a sign that ends a tag
TAG = re.compile(
    rf"<(?:/?(?:code|em|strong|sub|sup|b|i|a|span|wbr)\b{ATTRIBUTES}|!--.*?--)>|(</?[a-z]{ATTRIBUTES}>)",
    re.DOTALL | re.IGNORECASE,
)
CELL = re.compile(r"</t[dh]>\s*(?=<t[dh]\b)")
ROW = re.compile(rf"</(?:tr|caption)>|<(?:br|p|li|table)\b{ATTRIBUTES}>")
PREFERRED = ("text/html", "text/markdown", "text/plain")


class Section(NamedTuple):
    """Its paragraphs and rows of tables are its prose, code and prints the other; `marked` is by `MARKS`.

    A line is a paragraph, or a row: " · " between its cells.
    """

    anchor: str
    title: str
    prose: str
    other: str
    marked: tuple[frozenset[str], ...]


def plain(text: str) -> str:
    """A term as it is looked for: in lower case, and in the singular."""
    return re.sub(r"(?<=[a-z]{3})s$", "", re.sub(r"[\W_]+", " ", text).strip().lower())


def joined(text: str) -> str:
    """In one line."""
    return " ".join(text.split())


def lines(texts: Iterable[str]) -> str:
    """Each text in one line; those that say nothing are left out."""
    return "\n".join(filter(None, map(joined, texts)))


def read(html: str) -> str:
    """What a reader sees of HTML, without pictures: a line for each row of a table, or piece of text."""
    rows = ROW.sub("\n", CELL.sub(" · ", DRAWN.sub(" ", html)))
    return lines(unescape(TAG.sub(lambda tag: " " if tag[1] else "", rows)).split("\n"))


def heading(node: nodes.Node) -> tuple[str, str] | None:
    """Anchor and title, if a section begins here."""
    if isinstance(node, nodes.section):
        return node["ids"][0], joined(node[0].astext())
    if isinstance(node, addnodes.desc) and node[0]["ids"]:
        return node[0]["ids"][0], joined(node[0]["module"] + "." + node[0]["fullname"])
    if isinstance(node, nodes.definition_list_item) and isinstance(node.parent.parent, addnodes.glossary):
        return node[0]["ids"][0], ", ".join(
            joined(term.astext()) for term in node.children if isinstance(term, nodes.term)
        )
    return None


def own(node: nodes.Element) -> Iterator[nodes.Node]:
    """The texts of a section: paragraphs, code, what a cell shows in the form that the page has."""
    for child in node.children:
        if heading(child) or isinstance(child, nodes.title | nodes.term):
            continue
        if isinstance(child, nodes.row):
            yield nodes.paragraph("", " · ".join(joined(cell.astext()) for cell in child.children))
        elif isinstance(child, nodes.paragraph | nodes.literal_block | nodes.raw | addnodes.desc_signature):
            yield child
        elif isinstance(child, nodes.Element):
            forms = {
                form.get("mime_type"): form for form in child.children if isinstance(form, nodes.Element)
            }
            shown = next((forms[form] for form in PREFERRED if form in forms), child)
            yield from own(shown)


def of_section(node: nodes.Element, anchor: str, title: str) -> Section:
    texts = [*own(node)]
    parts = [child for child in node.children if not heading(child)]
    marked = (
        frozenset(joined(each.astext()) for part in parts for each in part.findall(mark)) for mark in MARKS
    )
    prose = lines(text.astext() for text in texts if isinstance(text, nodes.paragraph))
    other = "\n".join(
        read(text.astext()) if isinstance(text, nodes.raw) else lines(text.astext().split("\n"))
        for text in texts
        if not isinstance(text, nodes.paragraph)
    )
    return Section(anchor, title, prose, other.strip(), tuple(marked))


def collect(app: Sphinx, document: nodes.document) -> None:
    """Keep the sections of a page with its metadata."""
    found = ((node, heading(node)) for node in document.findall(nodes.Element))
    app.env.metadata[app.env.docname][KEPT] = [of_section(node, *begins) for node, begins in found if begins]


def in_order(env: BuildEnvironment) -> Iterator[tuple[str, list[Section]]]:
    """All pages with their sections, as the table of contents has them."""
    for page in env.collect_relations():
        yield page, env.metadata[page].get(KEPT, [])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", collect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
