"""Where does a chapter explain a term? The glossary links each to that section, found when the book is built.

A term is explained where a chapter sets it in bold, else where it stands in italics, in code or in a heading,
else where it is first named. Nothing is written down, so a section may move or change its title.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

GLOSSARY = "book/glossary"
MARKS = (nodes.strong, nodes.emphasis, nodes.literal, nodes.title)  # the strongest first
CHAPTER = re.compile(r"\d+ · ")
TAIL = ("You now can", "Common mistakes", "On real hardware", "Exercises", "Puzzle")  # explain nothing new
KEPT = "sections"


def plain(text: str) -> str:
    """A term as it is looked for: in lower case, and in the singular."""
    return re.sub(r"(?<=[a-z]{3})s$", "", re.sub(r"[\W_]+", " ", text).strip().lower())


def collect(app: Sphinx, document: nodes.document) -> None:
    """Keep the sections of a chapter, and what each of them marks and says, with the page's metadata."""
    title = next(document.findall(nodes.title), None)
    if title is None or not CHAPTER.match(title.astext()):
        return
    found = []
    for section in document.findall(nodes.section):
        if section[0].astext().startswith(TAIL):
            continue
        own = [child for child in section if not isinstance(child, nodes.section)]
        texts = [node.astext() for child in own for node in child.findall(nodes.paragraph)]
        marked = [{plain(node.astext()) for child in own for node in child.findall(mark)} for mark in MARKS]
        found.append((section["ids"][0], section[0].astext(), marked, f" {plain(' '.join(texts))}"))
    app.env.metadata[app.env.docname][KEPT] = found


def where(env: BuildEnvironment, term: str) -> tuple[str, str, str] | None:
    """Page, anchor and title of the section that explains a term; the book's first one counts."""
    wanted = plain(term)
    parts = [(page, *part) for page in env.collect_relations() for part in env.metadata[page].get(KEPT, [])]
    for mark in range(len(MARKS)):
        for page, anchor, title, marked, _ in parts:
            if wanted in marked[mark]:
                return page, anchor, title
    return next(
        ((page, anchor, title) for page, anchor, title, _, text in parts if f" {wanted}" in text), None
    )


def link_terms(app: Sphinx, document: nodes.document, page: str) -> None:
    """Say behind each definition of the glossary where the book explains it: the first of its terms."""
    if page != GLOSSARY:
        return
    for item in document.findall(nodes.definition_list_item):
        terms = [node.astext() for node in item.findall(nodes.term)]
        found = next(filter(None, (where(app.env, term) for term in terms)), None)
        if found is None or not isinstance(item.parent.parent, addnodes.glossary):
            continue
        chapter, anchor, title = found
        address = f"{app.builder.get_relative_uri(page, chapter)}#{anchor}"
        link = nodes.reference("", "", nodes.Text(CHAPTER.sub("", title)), internal=True, refuri=address)
        item[-1][-1].extend([nodes.Text(" → "), link])


def outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the glossary again whenever a chapter has changed."""
    return [GLOSSARY] if GLOSSARY in env.all_docs else []


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", collect)
    app.connect("doctree-resolved", link_terms)
    app.connect("env-updated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
