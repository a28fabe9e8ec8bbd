"""Which terms does the glossary have, what are they called elsewhere, and which section explains each?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from explained import GLOSSARY, Explained, Place
from sections import KEPT, plain
from sphinx.application import Sphinx

TABLES = r'^{} = """\n(.*?)^"""'  # on the glossary's page


class Term(NamedTuple):
    """An entry of the glossary: its names and anchor there, those of others, the section that explains it.

    everyday: what a reader may ask for who knows none of them.
    """

    names: tuple[str, ...]
    anchor: str
    chinese: str
    cuda: str
    maca: str
    everyday: tuple[str, ...]
    place: Place | None


def rows(app: Sphinx, name: str) -> Iterator[list[str]]:
    """The rows of a table on the glossary's page."""
    text = Path(app.env.doc2path(GLOSSARY)).read_text(encoding="utf-8")
    for table in re.findall(TABLES.format(name), text, re.MULTILINE | re.DOTALL):
        for line in table.strip().splitlines():
            yield [cell.strip() for cell in line.split("|")]


def other_names(app: Sphinx) -> dict[str, list[str]]:
    """Of each term in the table of names: its names in Chinese, in CUDA and in MXMACA."""
    return {
        plain(term): [chinese, cuda, cuda if maca == "=" else maca]
        for term, chinese, cuda, maca in rows(app, "NAMES")
    }


def everyday_words(app: Sphinx) -> dict[str, list[str]]:
    """Of each term that everyday words lead to: these words."""
    found = defaultdict[str, list[str]](list)
    for words, terms in rows(app, "EVERYDAY"):
        for term in terms.split(", "):
            found[plain(term)] += words.split(", ")
    return found


def of_glossary(app: Sphinx) -> list[Term]:
    """All entries."""
    if GLOSSARY not in app.env.all_docs:
        return []
    others, everyday, explained = other_names(app), everyday_words(app), Explained(app.env)
    made: list[Term] = []
    for section in app.env.metadata[GLOSSARY][KEPT]:
        if not section.anchor.startswith("term-"):
            continue
        names = tuple(section.title.split(", "))
        called = next((others[plain(name)] for name in names if plain(name) in others), ["", "", ""])
        words = tuple(word for name in names for word in everyday.get(plain(name), ()))
        made.append(Term(names, section.anchor, *called, words, explained.by(*names)))
    if unknown := everyday.keys() - {plain(name) for term in made for name in term.names}:
        raise LookupError(f"{GLOSSARY}: EVERYDAY leads to {', '.join(sorted(unknown))}: no such term")
    return made
