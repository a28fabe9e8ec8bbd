"""What did this word mean again? A card says it, where a page to learn from first uses a term.

The word is a link to the glossary, also where there is no style sheet; on a screen its card appears under the
pointer, or when the link has the focus. A card has the definition, and the names in Chinese, in CUDA and in
MXMACA, from the table on the glossary's page. Everyday words are taken only where the chapter marks them.
"""

from __future__ import annotations

import hashlib
import re
from html import escape
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from explained import GLOSSARY
from sections import plain
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from terms import other_names

from gpusim.views.code import coded

EVERYDAY = frozenset(
    """aligned child device efficiency event group guard host idle parent phase pop priority push rank request
    serialised side symbol tail ticket tile token uniform""".split()  # noqa: SIM905
)
LANGUAGES = {"中文": ' lang="zh"', "CUDA": "", "MXMACA": ""}
TAGS = {nodes.literal: "code", nodes.emphasis: "em", nodes.strong: "strong"}
# where a word is no use of the term, or has no room for a card
ELSEWHERE = (
    nodes.reference,
    nodes.table,
    nodes.title,
    nodes.caption,
    nodes.literal,
    nodes.raw,
    addnodes.glossary,
)
NO_PROSE = {"question", "facts", "cell", "cell_output", "cell_input"}


class Card(NamedTuple):
    """Of one entry of the glossary: its terms, the anchor there, and what the card says, as HTML."""

    terms: tuple[str, ...]
    anchor: str
    html: str


def spelled(node: nodes.Node) -> str:
    """A definition as HTML; what is neither code nor emphasis is its text."""
    if isinstance(node, nodes.Text):
        return escape(node.astext())
    inside = "".join(map(spelled, node.children))
    tag = TAGS.get(type(node))
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def cards(app: Sphinx) -> list[Card]:
    """All entries of the glossary; read once for a build."""
    made: list[Card] | None = getattr(app, "term_cards", None)
    if made is not None:
        return made
    made, names = [], other_names(app)
    for glossary in app.env.get_doctree(GLOSSARY).findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            terms = [node for node in item.children if isinstance(node, nodes.term)]
            texts = tuple(node.astext() for node in terms)
            called = next((names[plain(text)] for text in texts if plain(text) in names), ["", "", ""])
            lines = "".join(
                f"<span><b>{language}</b> <span{tagged}>{coded(name)}</span></span>"
                for (language, tagged), name in zip(LANGUAGES.items(), called, strict=True)
                if name
            )
            made.append(Card(texts, terms[0]["ids"][0], f"{spelled(item[-1][0])}{lines}"))
    app.term_cards = made  # type: ignore[attr-defined]
    return made


def pattern(found: list[Card]) -> re.Pattern[str]:
    """All terms, the longest first, in the singular or plural; what is written in capitals stays so."""
    terms = sorted({term for card in found for term in card.terms}, key=len, reverse=True)
    each = (
        f"{spaced(term)}s?" if term.upper() == term else f"(?i:{spaced(term)}(?:s|es)?)" for term in terms
    )
    return re.compile(rf"(?<![\w-])(?:{'|'.join(each)})(?![\w-])")


def spaced(term: str) -> str:
    """A term as a pattern, where a line may end between its words."""
    return r"\s+".join(map(re.escape, term.split()))


def join_lines(node: nodes.Element) -> None:
    """The lines of a text are nodes of their own, with the ends of lines between them: make them one."""
    joined: list[nodes.Node] = []
    for child in node.children:
        if joined and isinstance(child, nodes.Text) and isinstance(joined[-1], nodes.Text):
            child = nodes.Text(joined.pop() + child)
        joined.append(child)
    if len(joined) < len(node.children):
        node.children = joined
        for child in joined:
            child.parent = node


def link_first_uses(app: Sphinx, document: nodes.document, page: str) -> None:
    """Make the first use of each term a link with a card, on a page that says how many minutes it takes."""
    facts = (part.astext() for part in document.findall(nodes.container) if "facts" in part["classes"])
    if not any("minutes" in each for each in facts) or GLOSSARY not in app.env.all_docs:
        return
    found = cards(app)
    by_term = {term.lower(): card for card in found for term in card.terms}
    words, seen = pattern(found), set[str]()
    glossary = app.builder.get_relative_uri(page, GLOSSARY)
    for paragraph in document.findall(lambda node: isinstance(node, nodes.paragraph | nodes.Inline)):
        join_lines(paragraph)
    for text in [*document.findall(nodes.Text)]:
        if not in_prose(text):
            continue
        marked = isinstance(text.parent, nodes.strong | nodes.emphasis)
        parts: list[nodes.Node] = []
        rest = 0
        for match in words.finditer(text):
            card = by_term[next(form for form in forms(match[0]) if form in by_term)]
            if card.anchor in seen or (not marked and EVERYDAY.intersection(map(plain, card.terms))):
                continue
            seen.add(card.anchor)
            name = card.anchor.replace("term-", "card-", 1)
            html = (
                f'<span class="term"><a href="{glossary}#{card.anchor}" aria-describedby="{name}">'
                f'{escape(match[0])}</a><span class="term-card" role="tooltip" id="{name}">{card.html}</span>'
                "</span>"
            )
            parts += [nodes.Text(text[rest : match.start()]), nodes.raw("", html, format="html")]
            rest = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[rest:])])


def forms(word: str) -> tuple[str, ...]:
    """How a word is looked up: as it is, and without the ending of a plural; a line may end within it."""
    word = " ".join(word.lower().split())
    return word, word.removesuffix("s"), word.removesuffix("es")


def in_prose(text: nodes.Text) -> bool:
    """Is this in a paragraph of the text, and not within a link, a table, code or what a cell shows?"""
    node, paragraph = text.parent, False
    while node is not None:
        if isinstance(node, ELSEWHERE) or NO_PROSE.intersection(
            getattr(node, "attributes", {}).get("classes", ())
        ):
            return False
        paragraph = paragraph or isinstance(node, nodes.paragraph)
        node = node.parent
    return paragraph


def watch_glossary(app: Sphinx, config: Config) -> None:
    """Chapters are written again when the glossary has changed."""
    path = Path(app.srcdir) / f"{GLOSSARY}.md"
    config.glossary_says = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("glossary_says", "", "html")
    app.connect("config-inited", watch_glossary)
    app.connect("doctree-resolved", link_first_uses)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
