"""What happens to one submission? It is read, mended, run twice and saved; a record says how it went.

The record is written last, so what was killed half-way is done again; what is done stays until the
submission, the lab or the limits change.
"""

from __future__ import annotations

import copy
import fcntl
import hashlib
import json
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.apps.api import NbGraderAPI
from nbgrader.preprocessors import CheckCellMetadata, SaveAutoGrades
from nbgrader.utils import determine_grade
from traitlets.config import Config

from classroom.course import Course
from classroom.mending import KEY, is_check, mend
from classroom.pages import Harmless
from classroom.reading import Unreadable, cells_of, files_in, notebook_in
from classroom.settings import config_of
from classroom.twice import Twice, note_on

VERSION = 1  # of how submissions are graded; a new one grades all again


class SaveScores(SaveAutoGrades):
    """Saves the points that the fresh run gave. A mark by hand stays, resolved if nothing changed."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        self._known = nb.metadata.get(KEY, {})
        self._first = next(each.id for each in nb.cells if is_check(each))
        saved: tuple[NotebookNode, Any] = super().preprocess(nb, resources)
        return saved

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        name = cell.metadata["nbgrader"]["grade_id"]
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        if is_check(cell):
            score = cell.metadata.get(KEY, {}).get("score")
        else:
            score = None if self._known.get("unread") else determine_grade(cell, self.log)[0]
        look = score is None or (cell.id == self._first and bool(self._known.get("look")))
        if grade.manual_score is None:
            grade.needs_manual_grade = look
        elif grade.auto_score != score:
            grade.needs_manual_grade = True
        grade.auto_score = score
        self.gradebook.db.commit()


def digest(course: Course, lab: str, student: str) -> str:
    """It changes with the submission, its time, the lab, the limits, and how the kit grades."""
    told = hashlib.sha256(repr((VERSION, course.limits)).encode())
    for file in (course.source(lab), *files_in(course.handed_in(lab, student))):
        told.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return told.hexdigest()


def record(course: Course, lab: str, student: str) -> dict[str, Any]:
    """How was it graded? {} if it was not, or if something has changed since."""
    file = course.record(lab, student)
    if not file.exists() or not course.handed_in(lab, student).exists():
        return {}
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found if found["digest"] == digest(course, lab, student) else {}


def grade(course: Course, lab: str, student: str, *, isolated: bool) -> dict[str, Any]:
    """Grade this submission and write its record."""
    began = time.monotonic()
    with _alone(course.record(lab, student).with_suffix(".lock")):
        mark = digest(course, lab, student)
        _prepare(course, lab, student)
        api = NbGraderAPI(config=_config(course, isolated=isolated))
        api.log.setLevel(logging.CRITICAL)
        logging.getLogger("traitlets").setLevel(logging.CRITICAL)
        result = api.autograde(lab, student, force=True, create=False)
        known: dict[str, Any] = {}
        if result["success"]:
            known = nbformat.read(course.autograded(lab, student), 4).metadata.get(KEY, {})
        else:
            error = str(result.get("error") or result.get("log")).strip().splitlines()
            known["look"] = [f"nbgrader could not grade it: {error[-1] if error else ''}"]
        return write(course, lab, student, mark, known, isolated=isolated, seconds=time.monotonic() - began)


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
        "isolated": isolated,
        "seconds": round(seconds, 1),
    }
    file = course.record(lab, student)
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(json.dumps(made, indent=1, ensure_ascii=False), encoding="utf-8")
    new.replace(file)
    return made


def _prepare(course: Course, lab: str, student: str) -> None:
    """Write the notebook that nbgrader reads, with what is known about it in its metadata."""
    released = nbformat.read(course.released(lab), 4)
    folder, place = course.handed_in(lab, student), course.submitted(lab, student)
    try:
        cells, done = cells_of(notebook_in(folder, lab))
        mended = mend(cells, released)
        notebook, known = mended.notebook, {"look": mended.look, "repaired": [*done, *mended.repaired]}
    except Unreadable as error:
        notebook, known = copy.deepcopy(released), {"look": [str(error)], "unread": True}
        notebook.cells.insert(0, note_on(known["look"], []))
    notebook.metadata[KEY] = known
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    nbformat.write(notebook, place / f"{lab}.ipynb")
    if (folder / "timestamp.txt").exists():
        shutil.copy(folder / "timestamp.txt", place)


def _config(course: Course, *, isolated: bool) -> Config:
    config = config_of(course)
    config.Twice.course, config.Twice.isolated = course, isolated
    config.Harmless.most_characters = course.limits.output_kb * 1024
    config.Autograde.autograde_preprocessors = [Twice, Harmless, SaveScores, CheckCellMetadata]
    return config


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """One process at a time grades a submission; a lock ends with its process."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
