"""What is each mark by hand given for? As long as that stays as it is, the mark holds.

A written answer's is its text. A check's is the code that the check is for: the answers before it, and each
cell of the student's that binds a name which these or the check need. Where a person had to look, it is all
code and the reasons.
"""

from __future__ import annotations

import hashlib

from nbformat import NotebookNode

from classroom.mending import KEY, is_answer, is_check, is_students, nbgrader_of
from classroom.names import bound, needed, python_of


def given_for(nb: NotebookNode) -> dict[str, str]:
    """By the name of each graded cell, what changes with all that its points are given for."""
    told = dict[str, str]()
    code = [each.source for each in nb.cells if is_students(each)]
    look = [*nb.metadata.get(KEY, {}).get("look", ())]
    before = list[NotebookNode]()
    for cell in nb.cells:
        if is_check(cell):
            of = code if look else _needed_by(cell, before, nb)
            told[nbgrader_of(cell)["grade_id"]] = repr((of, look))
            before = []
        elif is_students(cell) and is_answer(cell):
            before.append(cell)
        elif nbgrader_of(cell).get("grade"):
            told[nbgrader_of(cell)["grade_id"]] = cell.source
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in told.items()}


def _needed_by(check: NotebookNode, answers: list[NotebookNode], nb: NotebookNode) -> list[str]:
    """The sources of these answers, and of the student's cells that they and the check take names from."""
    students = [each for each in nb.cells if is_students(each)]
    binds = {each.id: bound(python_of(each.source)) for each in students}
    found, rest = {each.id for each in answers}, [check, *answers]
    while rest:
        names = needed(python_of(rest.pop().source))
        new = [each for each in students if each.id not in found and names & binds[each.id]]
        found |= {each.id for each in new}
        rest += new
    return [each.source for each in students if each.id in found]
