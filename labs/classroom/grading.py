"""What becomes of one submission? A job that runs anywhere, then marks in the gradebook, here only.

A record says how it went. It is written last, so what was killed half-way is done again; what is done stays
until the submission, the lab or the limits change.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, MissingEntry
from nbgrader.apps.api import NbGraderAPI
from nbgrader.preprocessors import CheckCellMetadata, OverwriteCells, SaveAutoGrades
from nbgrader.utils import determine_grade

from classroom.course import Course
from classroom.courses_own import note_on_own, written_as_published
from classroom.given_for import given_for
from classroom.mending import KEY, is_answer, is_check, nbgrader_of
from classroom.pages import Harmless
from classroom.reading import files_in, is_notebook
from classroom.rubric import with_rubrics
from classroom.rules import rules
from classroom.settings import config_of
from classroom.twice import Job, is_of_nothing, note_on
from classroom.which_lab import lab_of

AGAIN = "`{name}`: {points:g} points. Type them again, or others: until then they do not count"
EMPTIED = "; an empty field takes the machine's {points:g}"


class SaveScores(SaveAutoGrades):
    """Saves the points that the fresh run gave. A mark by hand stays with what it was given for."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        self._known, self._again = nb.metadata.get(KEY, {}), list[str]()
        self._first = next(each.id for each in nb.cells if is_check(each))
        self._marked = given_for(nb)
        saved: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        if self._again:
            note = note_on(self._again, [], "Marked before, and changed since")
            note.id = "marked-before"
            nb.cells = [note, *(each for each in nb.cells if not is_of_nothing(each))]
        return saved

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        name = cell.metadata["nbgrader"]["grade_id"]
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        if is_check(cell):
            score = cell.metadata.get(KEY, {}).get("score")
        else:
            score = None if self._known.get("unread") else determine_grade(cell, self.log)[0]
        look = score is None or (cell.id == self._first and bool(self._known.get("look")))
        if grade.manual_score == 0 and self._known.get("was_unread") and not self._known.get("unread"):
            grade.manual_score = None  # a zero for a file that nobody could read says nothing of this one
        if grade.manual_score is None:
            grade.needs_manual_grade = look
        elif grade.auto_score != score or self._known.get("marked", {}).get(name) != self._marked[name]:
            grade.needs_manual_grade = True
        if grade.manual_score is not None and grade.needs_manual_grade:
            emptied = "" if score is None else EMPTIED.format(points=score)
            self._again.append(AGAIN.format(name=name, points=grade.manual_score) + emptied)
        grade.auto_score = score
        self.gradebook.db.commit()


def is_of_another(grade: Grade) -> bool:
    """Were these points typed for another text than the one that is there now?"""
    return grade.manual_score is not None and bool(grade.needs_manual_grade)


def typed_again(file: Path, name: str) -> None:
    """Points for this answer were typed, or taken away: the note above the notebook asks no longer."""
    nb = nbformat.read(file, 4)
    for note in [each for each in nb.cells if each.id == "marked-before"]:
        lines = [each for each in note.source.split("\n") if not each.startswith(f"    `{name}`:")]
        note.source = "\n".join(lines)
        if not any(each.startswith("    `") for each in lines):
            nb.cells.remove(note)
    new = file.with_suffix(".new")
    nbformat.write(nb, new)
    new.replace(file)


def digest(course: Course, lab: str, student: str) -> str:
    """It changes with the submission, its time, the lab, the limits, the seed, and how the kit grades."""
    told = hashlib.sha256(repr((rules(), course.limits, course.drawn)).encode())
    for file in (course.source(lab), *files_in(course.handed_in(lab, student))):
        told.update(os.fsencode(file.name) + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return told.hexdigest()


def record(course: Course, lab: str, student: str) -> dict[str, Any]:
    """How was it graded? {} if it was not, or if something has changed since."""
    if not course.handed_in(lab, student).exists() or not (found := last_record(course, lab, student)):
        return {}
    gone = found.get("saved", False) and not course.autograded(lab, student).exists()
    return found if found["digest"] == digest(course, lab, student) and not gone else {}


def last_record(course: Course, lab: str, student: str) -> dict[str, Any]:
    """How it was graded last, whatever has changed since; {} if it never was."""
    file = course.record(lab, student)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def job_of(course: Course, lab: str, *, isolated: bool) -> Job:
    """What a worker gets for this lab, yet without a submission: no solution, nothing of the gradebook."""
    source = nbformat.read(course.source(lab), 4)
    locked = {each.id: each.source for each in source.cells if nbgrader_of(each) and not is_answer(each)}
    released = course.released(lab).read_text(encoding="utf-8")
    isolation = course.isolation if isolated else None
    return Job(lab, released, locked, {}, course.limits, isolation, course.drawn)


def with_submission(job: Job, course: Course, student: str) -> Job:
    """The same with what this student has handed in."""
    files = {each.name: each.read_bytes() for each in files_in(course.handed_in(job.lab, student))}
    return replace(job, files=files)


class Saving:
    """Puts what has run into the gradebook. nbgrader is started once for all submissions."""

    def __init__(self, course: Course) -> None:
        config = config_of(course)
        config.Harmless.most_characters = course.limits.output_kb * 1024
        config.Autograde.sanitize_preprocessors = [OverwriteCells]
        config.Autograde.autograde_preprocessors = [Harmless, SaveScores, CheckCellMetadata]
        self._course, self._api = course, NbGraderAPI(config=config)
        self._api.log.setLevel(logging.CRITICAL)
        logging.getLogger("traitlets").setLevel(logging.CRITICAL)

    def save(self, lab: str, student: str, mark: str, notebook: str, **about: Any) -> dict[str, Any]:
        """Its marks, the notebook for the marking page, and its record."""
        course = self._course
        with _alone(course.record(lab, student).with_suffix(".lock")):
            place, handed_in = course.submitted(lab, student), course.handed_in(lab, student)
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            nb = nbformat.reads(notebook, 4)
            if other := self._other(lab, student):
                _looked_at_for(nb, f"this is the notebook of `{other}`")
            known = nb.metadata[KEY]
            if known.get("unread"):
                self._say_where(nb, lab, student)
            last = last_record(course, lab, student)
            known["marked"], known["was_unread"] = last.get("marked", {}), bool(last.get("unread"))
            source = nbformat.read(course.source(lab), 4)
            if not known.get("unread"):
                known["notes"] = [*known["notes"], *note_on_own(nb, source)]
                known["look"] = [*known["look"], *written_as_published(nb, source)]
                _noted(nb)
            with_rubrics(nb, lab, source)
            nbformat.write(nb, place / f"{lab}.ipynb")
            if (handed_in / "timestamp.txt").exists():
                shutil.copy(handed_in / "timestamp.txt", place)
            result = self._api.autograde(lab, student, force=True, create=False)
            known |= {"marked": given_for(nb), "saved": True, "again": self._again(lab, student)}
            if not result["success"]:
                error = str(result.get("error") or result.get("log")).strip().splitlines()
                known = {"look": [f"nbgrader could not grade it: {error[-1] if error else ''}"]}
            return write(course, lab, student, mark, known, **about)

    def _say_where(self, nb: NotebookNode, lab: str, student: str) -> None:
        """Below the reason: which files a person can look at instead."""
        known, root = nb.metadata[KEY], self._course.root
        files = [str(each.relative_to(root)) for each in files_in(self._course.handed_in(lab, student))]
        notes = [f"What was handed in: {', '.join(files)}"]
        notes += (
            ["Nothing below is the student's: it is the lab as it was released"]
            if known.get("nothing")
            else []
        )
        note = note_on(known["look"], notes)
        nb.cells = [note, *(each for each in nb.cells if each.id != note.id)]

    def _again(self, lab: str, student: str) -> list[str]:
        """The answers whose points by hand are to be typed again."""
        with Gradebook(self._course.database, self._course.name) as gradebook:
            try:
                (notebook,) = gradebook.find_submission(lab, student).notebooks
            except MissingEntry:
                return []
            return [each.name for each in notebook.grades if is_of_another(each)]

    def _other(self, lab: str, student: str) -> str:
        """The lab that was handed in as this one, or ""."""
        files = files_in(self._course.handed_in(lab, student))
        found = {lab_of(each.read_bytes(), self._course.labs) for each in files if is_notebook(each.name)}
        return "" if lab in found else max(found, default="")


def _looked_at_for(nb: NotebookNode, why: str) -> None:
    """Give a person this one reason; no point follows from what has run."""
    nb.metadata[KEY] |= {"look": [why], "notes": [], "unread": True}
    for cell in filter(is_check, nb.cells):
        cell.metadata.pop(KEY, None)
    _noted(nb)


def _noted(nb: NotebookNode) -> None:
    """The note above the notebook says what is known now."""
    note = note_on(nb.metadata[KEY]["look"], nb.metadata[KEY]["notes"])
    nb.cells = [note, *(each for each in nb.cells if each.id != note.id)]


def write(
    course: Course,
    lab: str,
    student: str,
    mark: str,
    known: dict[str, Any],
    *,
    isolated: bool,
    seconds: float,
) -> dict[str, Any]:
    """The record of a graded submission, in one step."""
    made = {
        "digest": mark,
        "look": list(known.get("look", ())),
        "notes": list(known.get("notes", ())),
        "again": list(known.get("again", ())),
        "unread": bool(known.get("unread")),
        "saved": bool(known.get("saved")),
        "marked": known.get("marked") or last_record(course, lab, student).get("marked", {}),
        "isolated": isolated,
        "drawn": course.drawn,
        "seconds": round(seconds, 1),
    }
    file = course.record(lab, student)
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(json.dumps(made, indent=1, ensure_ascii=False), encoding="utf-8")
    new.replace(file)
    return made


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """One process at a time saves a submission; a lock ends with its process."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
