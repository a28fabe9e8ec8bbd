"""Where is a word introduced, and where used? A page has a row for each term, counter and name in code.

The terms are those of the glossary, the names are what chapters set as code. Nothing is written down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

from docutils import nodes
from explained import GLOSSARY, Explained, Place
from sections import MARKS
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from term_cards import coded, spaced
from terms import Term, of_glossary

from gpusim.reports import topics

PAGE, COUNTERS = "book/index-of-terms", "book/counters"
CODE = MARKS.index(nodes.literal)
NAME = re.compile(
    r"(cuda|gpusim|cooperative_groups|cg)(\.|::)[a-zA-Z_.]+|__[a-z]\w+|(atomic|cuda|cooperative)[A-Z]\w+|float[24]|dim3"
)
# a row of the page of counters, whose last cell leads to where it is taught
TAUGHT = re.compile(r'<tr id="counter-(\w+)">(?:(?!</tr>).)*<a href="([\w-]+)\.html#([\w-]+)">', re.DOTALL)
SHOWN = 3  # sections that use a word most; other chapters are numbers
HEADINGS = "Term", "Introduced in", "Used most in"
FIND = "Find a term, a counter, a name, 中文"


class Row(NamedTuple):
    """`title` is HTML; `words` are what a reader types to find the row.

    used: the sections that use it most, and one of each other chapter, all in the book's order.
    """

    group: str
    anchor: str
    title: str
    words: str
    introduced: Place | None
    used: tuple[list[Place], list[Place]]


def using(explained: Explained, names: tuple[str, ...], but: Place | None) -> tuple[list[Place], list[Place]]:
    """The other sections that name it most often, and of each other chapter the one that does so.

    Both are in the book's order; code counts for names of code.
    """
    code = "_" in names[0] or bool(NAME.fullmatch(names[0]))
    words = re.compile(
        rf"(?<![\w-])(?:{'|'.join(map(spaced, names))})(?:s|es)?(?![\w-])", 0 if code else re.IGNORECASE
    )
    times = {}
    for at, place in enumerate(explained.parts):
        section = place[1]
        often = len(words.findall(f"{section.prose} {section.other}" if code else section.prose))
        if often and place != but:
            times[at] = often
    ranked = sorted(times, key=lambda at: -times[at])
    most, others = ranked[:SHOWN], dict[str, int]()
    for at in ranked[SHOWN:]:
        others.setdefault(explained.parts[at][0], at)
    shown = {explained.parts[at][0] for at in most}
    rest = [at for page, at in others.items() if page not in shown]
    return [explained.parts[at] for at in sorted(most)], [explained.parts[at] for at in sorted(rest)]


def of_terms(app: Sphinx, explained: Explained, terms: list[Term]) -> Iterator[Row]:
    """The glossary, by letters."""
    uri = app.builder.get_relative_uri(PAGE, GLOSSARY)
    for term in sorted(terms, key=lambda term: term.names[0].lower()):
        others = [f'<span lang="zh">{escape(term.chinese)}</span>' if term.chinese else ""]
        others += [coded(name) for name in dict.fromkeys((term.cuda, term.maca)) if name not in term.names]
        title = f'<a href="{uri}#{term.anchor}">{escape(", ".join(term.names))}</a>'
        also = f'<div class="rule">{" · ".join(filter(None, others))}</div>' if any(others) else ""
        words = " ".join((*term.names, term.chinese, term.cuda, term.maca, *term.everyday))
        used = using(explained, term.names, term.place)
        group = term.names[0][0].upper()
        yield Row(group, term.anchor.replace("term", "index"), title + also, words, term.place, used)


def taught(app: Sphinx, explained: Explained) -> dict[str, Place]:
    """Where the page of counters says that each is taught."""
    parts = {(page.rpartition("/")[2], section.anchor): (page, section) for page, section in explained.parts}
    raw = app.env.get_doctree(COUNTERS).findall(nodes.raw)
    rows = (found for node in raw for found in TAUGHT.findall(node.astext()))
    return {name: parts[page, anchor] for name, page, anchor in rows if (page, anchor) in parts}


def of_code(app: Sphinx, explained: Explained) -> Iterator[Row]:
    """Counters, then the names that chapters set as code."""
    uri = app.builder.get_relative_uri(PAGE, COUNTERS)
    counters = sorted({*topics.in_order(caches=True), *topics.RESOURCES})
    named = {
        found[0]
        for _, section in explained.parts
        for text in section.marked[CODE]
        if (found := NAME.match(text))
    }
    at = taught(app, explained)
    names = sorted(named, key=lambda name: (name.strip("_").lower(), name))
    for group, each in (("Counters", counters), ("Names in code", names)):
        for name in each:
            code = f"<code>{escape(name)}</code>"
            title = f'<a href="{uri}#counter-{name}">{code}</a>' if group == "Counters" else code
            place = explained.by(name) or at.get(name)
            yield Row(group, f"index-{name}", title, name, place, using(explained, (name,), place))


def linked(app: Sphinx, place: Place | None, *, by_number: bool = False) -> str:
    """A link to a section: its title behind the chapter's number, or that number alone."""
    if place is None:
        return ""
    page, section = place
    chapter = app.env.titles[page].astext().partition(" ")[0]
    title = section.title if section.title.startswith(f"{chapter} ") else f"{chapter} · {section.title}"
    address = f"{app.builder.get_relative_uri(PAGE, page)}#{section.anchor}"
    if by_number:
        return f'<a href="{address}" aria-label="{escape(title)}" title="{escape(title)}">{chapter}</a>'
    return f'<a href="{address}">{escape(title)}</a>'


def row(app: Sphinx, row: Row) -> str:
    most, others = row.used
    also = ", ".join(linked(app, place, by_number=True) for place in others)
    used = f"<ul>{''.join(f'<li>{linked(app, place)}</li>' for place in most)}</ul>"
    used += f'<div class="rule">also in {also}</div>' if also else ""
    return (
        f'<tr id="{row.anchor}" data-words="{escape(row.words)}"><td>{row.title}</td>'
        f"<td><strong>{linked(app, row.introduced)}</strong></td><td>{used}</td></tr>"
    )


def by_chinese(terms: list[Term]) -> str:
    """The Chinese names, in the order of their signs; each leads to its row."""
    each = sorted((name, term) for term in terms for name in term.chinese.split(", ") if name)
    lines = (
        f'<tr><td lang="zh">{name}</td><td colspan="2"><a href="#{term.anchor.replace("term", "index")}">'
        f"{escape(term.names[0])}</a></td></tr>"
        for name, term in each
    )
    heading = '<tr><th colspan="3" scope="rowgroup">中文</th></tr>'
    return f'<tbody id="index-chinese">{heading}{"".join(lines)}</tbody>'


def table(app: Sphinx) -> str:
    """All rows in groups, with a field that finds rows where scripts run (filter.js)."""
    explained, terms = Explained(app.env), of_glossary(app)
    rows = [*of_terms(app, explained, terms), *of_code(app, explained)]
    groups = [(group, [*each]) for group, each in groupby(rows, lambda row: row.group)]
    ids = {group: f"index-of-{group.split()[0].lower()}" for group, _ in groups}
    jumps = "".join(f'<a href="#{ids[group]}">{group}</a> ' for group, _ in groups)
    bodies = "".join(
        f'<tbody id="{ids[group]}"><tr><th colspan="3" scope="rowgroup">{group}</th></tr>'
        f"{''.join(row(app, one) for one in each)}</tbody>"
        for group, each in groups
    )
    head = "".join(f'<th scope="col">{heading}</th>' for heading in HEADINGS)
    return (
        f'<div class="listing index" data-filter="{FIND}">'
        f'<nav class="jumps" aria-label="Letters">{jumps}<a href="#index-chinese" lang="zh">中文</a></nav>'
        f"<table><thead><tr>{head}</tr></thead>{bodies}"
        f"{by_chinese(terms)}</table></div>"
    )


def fill(app: Sphinx, document: nodes.document, page: str) -> None:
    if page == PAGE:
        document[0] += nodes.raw("", table(app), format="html")


def outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the page again whenever a chapter has changed."""
    return [PAGE] if PAGE in env.all_docs else []


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sections")
    app.connect("doctree-resolved", fill)
    app.connect("env-updated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
