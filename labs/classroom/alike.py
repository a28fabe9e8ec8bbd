"""Which answers of a class are equal? A list to look at, never a grade: who wrote them, people find out.

What is as it was released, as the course's own solution, short, or usual in the class is left out.
"""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from classroom.course import Course
from classroom.courses_own import own_forms, without_marks
from classroom.grading import record
from classroom.likeness import BUT_LAYOUT, BUT_NAMES, LETTERS, forms
from classroom.mending import is_answer, is_students, nbgrader_of
from classroom.names import parsed, python_of

LEAST = {True: 40, False: 8}  # parts of code, words of a text: shorter answers are equal by chance
USUAL = 10  # students of whom one in so many has the same answer: it is what people write
OWN = "a cell of their own"
FILE = "alike.csv"


@dataclass(frozen=True)
class Alike:
    """These students have this answer in common; `size`: parts of its code, or words."""

    lab: str
    answer: str
    how: str
    size: int
    students: tuple[str, ...]


def alike(course: Course) -> list[Alike]:
    """All that is equal, the longest first. Of what is graded only: there it is known which cell is which."""
    found = [each for lab in course.due for each in _of_lab(course, lab)]
    return sorted(found, key=lambda each: (-each.size, each.lab, each.answer))


def _of_lab(course: Course, lab: str) -> list[Alike]:
    answered = {
        student: _answers(course.autograded(lab, student))
        for student in sorted(course.students)
        if record(course, lab, student) and course.autograded(lab, student).exists()
    }
    usual = {
        name: [_answers(file).get(name, ("", True)) for file in (course.released(lab), course.source(lab))]
        for name in {name for each in answered.values() for name in each}
    }
    usual[OWN] = [
        (each.source, True) for file in (course.released(lab), course.source(lab)) for each in _code(file)
    ]
    given = {
        student: {name: [each] for name, each in answers.items()}
        | {OWN: _own(course.autograded(lab, student))}
        for student, answers in answered.items()
    }
    found = []
    for name, released in usual.items():
        answers = {student: each[name] for student, each in given.items() if name in each}
        known = {form for text, code in released for form in forms(without_marks(text), code=code).values()}
        found += [Alike(lab, name, how, size, students) for how, size, students in _equal(answers, known)]
    return found


def _answers(file: Path) -> dict[str, tuple[str, bool]]:
    """By name: its text, and whether it is code."""
    cells = [each for each in nbformat.read(file, 4).cells if is_answer(each)]
    return {nbgrader_of(each)["grade_id"]: (each.source, each.cell_type == "code") for each in cells}


def published(course: Course) -> list[tuple[str, str, int, int]]:
    """Who has how many of the course's own answers, but for comments, layout and names?

    (student, lab, how many, of how many): all of them are published.
    """
    found = []
    for lab in course.due:
        cells = [each for each in nbformat.read(course.source(lab), 4).cells if is_answer(each)]
        own = {
            nbgrader_of(each)["grade_id"]: _every_form(own_forms(each.source), code=each.cell_type == "code")
            for each in cells
        }
        for student in sorted(course.students):
            if record(course, lab, student) and course.autograded(lab, student).exists():
                answers = _answers(course.autograded(lab, student)).items()
                same = [
                    name
                    for name, (text, code) in answers
                    if not own.get(name, set()).isdisjoint(_every_form([text], code=code))
                ]
                found += [(student, lab, len(same), len(own))] if same else []
    return sorted(found, key=lambda each: (-each[2] / each[3], each))


def _every_form(texts: Iterable[str], *, code: bool) -> set[str]:
    return {form for text in texts for form in forms(text, code=code).values()}


def _code(file: Path) -> list[NotebookNode]:
    return [each for each in nbformat.read(file, 4).cells if each.cell_type == "code"]


def _own(file: Path) -> list[tuple[str, bool]]:
    """The code of cells that the student added."""
    return [(each.source, True) for each in _code(file) if is_students(each) and not is_answer(each)]


def _equal(
    answers: Mapping[str, Sequence[tuple[str, bool]]], known: set[str]
) -> list[tuple[str, int, tuple[str, ...]]]:
    by_form: dict[tuple[str, str], dict[str, int]] = {}  # students, and the size of what is equal
    for student, texts in answers.items():
        for text, code in texts:
            found, size = forms(text, code=code), _size(text, code=code)
            if known.isdisjoint(found.values()) and size >= LEAST[code]:
                for how, form in found.items():
                    by_form.setdefault((how, form), {}).setdefault(student, size)
    said = dict[tuple[str, ...], tuple[str, int, tuple[str, ...]]]()
    order = (LETTERS, BUT_LAYOUT, BUT_NAMES)
    strictest = sorted(by_form.items(), key=lambda each: (order.index(each[0][0]), -max(each[1].values())))
    for (how, _), students in strictest:
        if 2 <= len(students) <= max(3, len(answers) // USUAL):
            said.setdefault(tuple(students), (how, max(students.values()), tuple(students)))
    return [*said.values()]


def _size(text: str, *, code: bool) -> int:
    if not code:
        return len(re.findall(r"\w+", text))
    return sum(1 for _ in ast.walk(parsed(python_of(text)) or ast.Module([], [])))


def pairs(found: list[Alike]) -> list[tuple[tuple[str, str], int]]:
    """Which two students have how many answers in common? The most first."""
    counted = Counter(
        two
        for two, *_ in {
            (two, each.lab, each.answer) for each in found for two in combinations(each.students, 2)
        }
    )
    return sorted(counted.items(), key=lambda each: (-each[1], each[0]))


def export(course: Course) -> tuple[Path, list[Alike]]:
    """Write the list as a table."""
    found, file = alike(course), course.root / FILE
    with file.open("w", encoding="utf-8-sig", newline="") as opened:
        table = csv.DictWriter(opened, [each.name for each in fields(Alike)])
        table.writeheader()
        table.writerows(asdict(each) | {"students": " ".join(each.students)} for each in found)
    return file, found
