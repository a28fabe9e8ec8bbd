"""How does search work without a server? All sections lie in one script, which the search page loads.

A page opened from `file://` may read no other page, but it may load a script. `search.js` looks through the
sections. Each says which terms of the glossary it explains, also by their names in Chinese and in CUDA and by
everyday words, and comes first for them. What is for instructors comes last.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

from explained import GLOSSARY, TAIL
from sections import CHAPTER, Section, in_order
from sphinx.application import Sphinx
from terms import of_glossary
from whereabouts import part_of

SCRIPT = "search-sections.js"
# what a page counts beside a chapter, by its part
WEIGHTS = {"The package": 0.3, "For instructors": 0}  # 0: after all others
REPEATED = 0.6  # what a section counts that asks for what others teach, or lists words that others explain


def explaining(app: Sphinx) -> dict[tuple[str, str], list[list[str]]]:
    """Page and anchor -> the names of each term that is explained there."""
    found: dict[tuple[str, str], list[list[str]]] = defaultdict(list)
    for term in of_glossary(app):
        if term.place:
            page, section = term.place
            parts = f"{term.chinese}, {term.cuda}".split(", ")
            others = [name for part in parts for name in re.findall("`([^`]+)`", part) or [part]]
            names = dict.fromkeys(filter(None, [*term.names, *others, *term.everyday]))
            found[page, section.anchor].append([*names])
    return found


def repeats(page: str, section: Section) -> bool:
    """Exercises and their like, and the glossary's tables, which lead to its entries."""
    return section.title.startswith(TAIL) or (page == GLOSSARY and not section.anchor.startswith("term-"))


def write(app: Sphinx, exception: Exception | None) -> None:
    """A line for each page: its address, title and weight, and its sections."""
    if exception or app.builder.format != "html":
        return
    terms = explaining(app)
    pages = [
        [
            app.builder.get_target_uri(page),
            sections[0].title,
            1 if CHAPTER.match(sections[0].title) else WEIGHTS.get(part_of(app, page)[0], 0.5),
            [
                [
                    "" if section is sections[0] else section.anchor,
                    section.title,
                    section.prose,
                    section.other,
                    terms.get((page, section.anchor), []),
                    REPEATED if repeats(page, section) else 1,
                ]
                for section in sections
            ],
        ]
        for page, sections in in_order(app.env)
        if sections
    ]
    lines = ",\n".join(json.dumps(page, ensure_ascii=False, separators=(",", ":")) for page in pages)
    (Path(app.outdir) / SCRIPT).write_text(f"const PAGES = [\n{lines}\n];\n", encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sections")
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
