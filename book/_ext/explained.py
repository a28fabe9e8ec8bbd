"""Where does a chapter explain a term? The glossary links each to that section, found when the book is built.

A term is explained where a chapter sets it in bold, else where it stands in italics, in code or in a heading,
else where it is first named. Nothing is written down, so a section may move or change its title.
"""

from __future__ import annotations

from docutils import nodes
from sections import CHAPTER, MARKS, Section, in_order, plain
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

Place = tuple[str, Section]  # and its page
GLOSSARY = "book/glossary"
TAIL = ("You now can", "Common mistakes", "On real hardware", "Exercises", "Puzzle")  # explain nothing new


def of_chapters(env: BuildEnvironment) -> list[Place]:
    """The sections that explain something, each with its page."""
    return [
        (page, section)
        for page, sections in in_order(env)
        if sections and CHAPTER.match(sections[0].title)
        for section in sections
        if not section.title.startswith(TAIL)
    ]


class Explained:
    """Page and section that explain a term; the book's first one counts."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.parts = of_chapters(env)
        self.marked: dict[str, Place] = {}
        for mark in range(len(MARKS)):
            for place in self.parts:
                for text in place[1].marked[mark]:
                    self.marked.setdefault(plain(text), place)

    def by(self, *terms: str) -> Place | None:
        """Where the first of these terms that is explained is."""
        return next(
            filter(None, (self.marked.get(plain(term)) or self.named(plain(term)) for term in terms)), None
        )

    def named(self, wanted: str) -> Place | None:
        return next((place for place in self.parts if f" {wanted}" in f" {plain(place[1].prose)}"), None)


def link_terms(app: Sphinx, document: nodes.document, page: str) -> None:
    """Say behind each definition of the glossary where the book explains it: the first of its terms."""
    if page != GLOSSARY:
        return
    for glossary in document.findall(addnodes.glossary):
        add_letters(glossary)
    explained = Explained(app.env)
    for item in document.findall(nodes.definition_list_item):
        found = explained.by(*(node.astext() for node in item.findall(nodes.term)))
        if found is None or not isinstance(item.parent.parent, addnodes.glossary):
            continue
        chapter, section = found
        address = f"{app.builder.get_relative_uri(page, chapter)}#{section.anchor}"
        title = nodes.Text(CHAPTER.sub("", section.title))
        link = nodes.reference("", "", title, internal=True, refuri=address)
        item[-1][-1].extend([nodes.Text(" → "), link])


def add_letters(glossary: addnodes.glossary) -> None:
    """Above the entries, a link to the first one of each letter; `filter.js` adds a field."""
    first: dict[str, str] = {}
    for item in glossary.findall(nodes.definition_list_item):
        first.setdefault(item[0].astext()[0].upper(), item[0]["ids"][0])
    jumps = " ".join(f'<a href="#{first[letter]}">{letter}</a>' for letter in sorted(first))
    glossary.insert(0, nodes.raw("", f'<nav class="jumps" aria-label="Letters">{jumps}</nav>', format="html"))


def outdated(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the glossary again whenever a chapter has changed."""
    return [GLOSSARY] if GLOSSARY in env.all_docs else []


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sections")
    app.connect("doctree-resolved", link_terms)
    app.connect("env-updated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
