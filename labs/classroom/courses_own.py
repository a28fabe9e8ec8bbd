r"""Which answers are the course's own, letter for letter? Its solutions are public: a note, and no reason.

>>> in_instructors = "k = None\n### BEGIN SOLUTION\nk = 4\n### END SOLUTION"
>>> [lines(each) in own_forms(in_instructors) for each in ("k = 4", "k = None\nk = 4  ", "k=4")]
[True, True, False]
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

from classroom.mending import is_answer, nbgrader_of

MARKS = re.compile(r"^ *### (?:BEGIN|END) SOLUTION\n?", re.MULTILINE)
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.+?)\n### END SOLUTION", re.DOTALL)
WRITTEN = "the written answer `{name}` is the course's own: it is published"
NOTE = "{n} of {m} answers are the course's own, letter for letter: {names}"


def lines(text: str) -> str:
    """The text as it is compared: without blanks at the ends of lines, and around it."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def without_marks(source: str) -> str:
    """Without the marks that nbgrader reads in an instructor's notebook."""
    return MARKS.sub("", source)


def own_forms(source: str) -> set[str]:
    """The course's answer, with and without what surrounds it: marks, and what students find there."""
    return {lines(each) for each in (source, without_marks(source), *SOLUTION.findall(source))}


def note_on_own(nb: NotebookNode, source: NotebookNode) -> list[str]:
    """What to say of a submission with answers of the instructor's notebook; [] where it has none."""
    given = {nbgrader_of(each)["grade_id"]: each.source for each in nb.cells if is_answer(each)}
    own = {nbgrader_of(each)["grade_id"]: each.source for each in source.cells if is_answer(each)}
    same = [name for name, text in given.items() if name in own and lines(text) in own_forms(own[name])]
    return [NOTE.format(n=len(same), m=len(own), names=", ".join(same))] if same else []


def written_as_published(nb: NotebookNode, source: NotebookNode) -> list[str]:
    """What to look at: the written answers whose words are those of the course's published one."""
    published = {
        nbgrader_of(each)["grade_id"]: {words(found) for found in SOLUTION.findall(each.source)}
        for each in source.cells
        if is_answer(each) and each.cell_type == "markdown"
    }
    given = {nbgrader_of(each)["grade_id"]: words(each.source) for each in nb.cells if is_answer(each)}
    return [WRITTEN.format(name=name) for name, text in given.items() if text in published.get(name, ())]


def words(text: str) -> str:
    r"""A text without its marks and layout.

    >>> words("It is **twice**\nas much.")
    'it is twice as much'
    """
    return " ".join(re.findall(r"\w+", text.lower()))
