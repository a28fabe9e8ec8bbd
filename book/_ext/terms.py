"""Which terms does the glossary have, what are they called elsewhere, and which section explains each?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from explained import GLOSSARY, Explained, Place
from sections import KEPT, plain
from sphinx.application import Sphinx

TABLE = re.compile(r'^NAMES = """\n(.*?)^"""', re.MULTILINE | re.DOTALL)


class Term(NamedTuple):
    """An entry of the glossary: its names and anchor there, those of others, the section that explains it."""

    names: tuple[str, ...]
    anchor: str
    chinese: str
    cuda: str
    maca: str
    place: Place | None


def other_names(app: Sphinx) -> dict[str, list[str]]:
    """Of each term in the table on the glossary's page: its names in Chinese, in CUDA and in MXMACA."""
    found: dict[str, list[str]] = {}
    for table in TABLE.findall(Path(app.env.doc2path(GLOSSARY)).read_text(encoding="utf-8")):
        for line in table.strip().splitlines():
            term, chinese, cuda, maca = (cell.strip() for cell in line.split("|"))
            found[plain(term)] = [chinese, cuda, cuda if maca == "=" else maca]
    return found


def of_glossary(app: Sphinx) -> list[Term]:
    """All entries."""
    if GLOSSARY not in app.env.all_docs:
        return []
    others, explained = other_names(app), Explained(app.env)
    made = []
    for section in app.env.metadata[GLOSSARY][KEPT]:
        if not section.anchor.startswith("term-"):
            continue
        names = tuple(section.title.split(", "))
        called = next((others[plain(name)] for name in names if plain(name) in others), ["", "", ""])
        made.append(Term(names, section.anchor, *called, explained.by(*names)))
    return made
