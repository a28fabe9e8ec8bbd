"""One class, graded once for all tests: each odd submission and each cheat is a student of it."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from classroom import class_run, course, grades, places, setting_up
from classroom.bubblewrap import Bubblewrap
from classroom.course import Course
from tests.classroom.small_lab import LAB, answered, write_instructors

MARK = "gpusim-left-behind"
SCRIPT = "<img src=x onerror=alert(1)>[here](javascript:alert(1)) <a href='javascript:alert(1)'>or here</a>"
REFUSED = Bubblewrap().why_not()
COURSE = """
name = "tests"
[limits]
seconds_per_cell = 15
seconds = 150
[labs]
small = 2027-01-11T23:59:00Z
"""


@dataclass(frozen=True)
class Graded:
    """A class that is graded: records and rows by student."""

    course: Course
    records: dict[str, Any]
    rows: dict[str, grades.Row]

    def notebook(self, student: str) -> NotebookNode:
        return nbformat.read(self.course.autograded(LAB, student), 4)

    def scores(self, student: str) -> dict[str, float | None]:
        with Gradebook(self.course.database, self.course.name) as gradebook:
            (notebook,) = gradebook.find_submission(LAB, student).notebooks
            return {each.name: each.auto_score for each in notebook.grades}


def new_course(root: Path, students: list[str]) -> Course:
    """A course with the small lab, set up for these students."""
    write_instructors(root / "labs")
    place = root / "class"
    place.mkdir()
    (place / "course.toml").write_text(COURSE)
    (place / "roster.csv").write_text("id,first_name\n" + "".join(f"{each},\n" for each in students))
    made = course.read(place, root / "labs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's are not ours
        setting_up.set_up(made)
    return made


def hand_in(made: Course, student: str, files: dict[str, bytes]) -> None:
    folder = made.handed_in(LAB, student)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def grade(made: Course, lab: str, student: str, *, isolated: bool = True) -> dict[str, Any]:
    """Grade this submission here, and its record."""
    with places.here(1) as here:
        ((_, _, record),) = class_run.grade_all(made, [(lab, student)], here, isolated=isolated)
    return record


@pytest.fixture(scope="session")
def set_up_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a course with three students."""
    root = tmp_path_factory.mktemp("set-up")
    new_course(root, ["ada", "adam", "Zoë O'Neil"])
    return root


@pytest.fixture
def made(set_up_once: Path, tmp_path: Path) -> Course:
    """A course of three students, to do with as one likes."""
    shutil.copytree(set_up_once, tmp_path / "made")
    return course.read(tmp_path / "made" / "class", tmp_path / "made" / "labs")


@pytest.fixture(scope="session")
def isolated() -> None:
    """Skips where bubblewrap cannot be used, and says why."""
    if REFUSED:
        pytest.skip(f"nothing is graded here without bubblewrap: {REFUSED}")


@pytest.fixture(scope="session")
def graded(isolated: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """The class of all cases, graded in several processes."""
    from tests.classroom.cases import CHEATS_HERE, ODD_HERE  # they ask for the profile, which is known by now

    made = new_course(tmp_path_factory.mktemp("course"), [*ODD_HERE, *CHEATS_HERE])
    released = nbformat.read(made.released(LAB), 4)
    for student, case in ODD_HERE.items():
        hand_in(made, student, case.files(released))
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        known = {
            "place": str(made.root),
            "mark": MARK,
            "port": str(server.getsockname()[1]),
            "grader": str(os.getpid()),
        }
        for student, cheat in CHEATS_HERE.items():
            source = cheat.source
            for name, value in known.items():
                source = source.replace(f"{{{name}}}", value)
            notebook = answered(released, {"double": source, "explain": SCRIPT})
            hand_in(made, student, {f"{LAB}.ipynb": nbformat.writes(notebook).encode(), **cheat.files})
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        work = class_run.to_do(made, [LAB], again=False)
        with places.here(2) as here, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's are not ours
            graded_all = class_run.grade_all(made, work, here, isolated=True)
            records = {student: record for _, student, record in graded_all}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, rows = grades.export(made)
        yield Graded(made, records, {row.student: row for row in rows})
