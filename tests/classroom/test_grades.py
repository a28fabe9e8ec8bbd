"""Are missing, unmarked, failed, late and zero told apart, and does a kill lose nothing?"""

from __future__ import annotations

import csv
import dataclasses
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from classroom import course, grades, setting_up
from classroom.class_run import to_do
from classroom.grading import record
from tests.classroom.conftest import Graded, grade, hand_in
from tests.classroom.odd import ODD, as_file, right
from tests.classroom.small_lab import LAB
from tests.hunting import some
from tests.labs.shell import LABS, NAMES, instructors

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's and SQLAlchemy's are not ours


def test_a_table_has_every_student(graded: Graded) -> None:
    with (graded.course.root / "grades.csv").open(encoding="utf-8-sig", newline="") as opened:
        rows = {row["student"]: row for row in csv.DictReader(opened)}
    assert rows.keys() == graded.course.students.keys()
    assert (rows["starter untouched"]["state"], rows["starter untouched"]["score"]) == ("graded", "0.0")
    assert (rows["right"]["state"], rows["right"]["score"]) == ("to be marked", "")


def test_tables_are_as_table_programs_and_platforms_read_them(made: course.Course) -> None:
    """Excel knows UTF-8 by its mark; an import has a row for each student, and nothing where no score is."""
    about = {"first_name": "José", "last_name": "García", "email": "jg@example.edu"}
    made = dataclasses.replace(made, students={"jg": about, "ada": about | {"email": "=1"}})
    with Gradebook(made.database, made.name) as gradebook:
        for student in made.students:
            gradebook.update_or_create_student(student)
    file, _ = grades.export(made)
    wide = file.with_name(grades.IMPORT)
    for each in (file, wide):
        assert each.read_bytes().startswith(b"\xef\xbb\xbf")
    assert wide.read_text(encoding="utf-8-sig").splitlines() == [
        "id,first_name,last_name,email,small",
        "ada,José,García,'=1,",
        "jg,José,García,jg@example.edu,",
    ]


@pytest.mark.parametrize("lab", some(NAMES, len(NAMES), NAMES.index("divergence-and-masks")))
def test_isolated_or_not_the_points_are_the_same(isolated: None, tmp_path: Path, lab: str) -> None:
    """For a lab of the course, solved; once a week for all of them."""
    place = tmp_path / "class"
    place.mkdir()
    (place / "course.toml").write_text(f'name = "tests"\n[labs]\n{lab} = 2027-01-11T23:59:00Z\n')
    (place / "roster.csv").write_text("id\nada\n")
    made = course.read(place)
    setting_up.set_up(made)
    notebook = nbformat.read(LABS / lab / f"{lab}.ipynb", 4)
    solved = {
        cell.id: cell.source
        for cell in instructors(lab).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    for cell in notebook.cells:
        cell.source = solved.get(cell.id, cell.source)
    hand_in_as(made, lab, notebook)
    found = {}
    for apart in (True, False):
        assert grade(made, lab, "ada", isolated=apart)["look"] == []
        with Gradebook(made.database, made.name) as gradebook:
            (submitted,) = gradebook.find_submission(lab, "ada").notebooks
            found[apart] = {each.name: each.auto_score for each in submitted.grades}
    assert found[True] == found[False]
    assert sum(score or 0 for score in found[True].values()) == 17


def hand_in_as(made: course.Course, lab: str, notebook: nbformat.NotebookNode) -> None:
    folder = made.handed_in(lab, "ada")
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{lab}.ipynb")


def test_late_marked_and_graded_again(isolated: None, made: course.Course) -> None:
    """A mark by hand stays, a day costs its percent, and who hands nothing in has no score."""
    due, late = (
        {LAB: datetime.now(UTC) - timedelta(hours=30)},
        course.Late(percent_per_day=10, most_percent=50),
    )
    made = dataclasses.replace(made, due=due, late=late)
    with Gradebook(made.database, made.name) as gradebook:
        gradebook.update_or_create_assignment(LAB, duedate=made.due[LAB].replace(tzinfo=None))
    hand_in(made, "ada", ODD["right"].files(nbformat.read(made.released(LAB), 4)))
    (made.handed_in(LAB, "ada") / "timestamp.txt").write_text(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    assert to_do(made, [LAB], again=False) == [(LAB, "ada")]
    grade(made, LAB, "ada", isolated=True)
    assert to_do(made, [LAB], again=False) == []
    _, (_, ada, adam) = grades.export(made)
    assert (adam.state, adam.score) == ("missing", None)
    assert (ada.state, ada.score, ada.checks, ada.written) == ("to be marked", None, 12, None)
    with Gradebook(made.database, made.name) as gradebook:
        written = gradebook.find_grade("explain", LAB, LAB, "ada")
        written.manual_score, written.needs_manual_grade = 2.0, False
        gradebook.db.commit()
    grade(made, LAB, "ada", isolated=True)
    file, (_, ada, _) = grades.export(made)
    assert file.with_name(grades.IMPORT).read_text(encoding="utf-8-sig").splitlines()[2] == "ada,,,,11.2"
    assert (ada.state, ada.written, ada.late_penalty, ada.score) == ("graded", 2, 2.8, 11.2)


def test_a_kill_loses_nothing(isolated: None, made: course.Course) -> None:
    """Grading is killed when a submission is done; the next run does the others, and only these."""
    students = [*made.students]
    released = nbformat.read(made.released(LAB), 4)
    for student in students:
        hand_in(made, student, {f"{LAB}.ipynb": as_file(right(released))})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = f"""
from pathlib import Path
from classroom import class_run, course, places
made = course.read(Path({str(made.root)!r}), Path({str(made.labs)!r}))
with places.here(1) as here:
    list(class_run.grade_all(made, class_run.to_do(made, [{LAB!r}], again=False), here, isolated=True))
"""
    run = [sys.executable, "-W", "ignore", "-c", script]
    with subprocess.Popen(run, env=environment, start_new_session=True) as process:
        while not any(record(made, LAB, student) for student in students):
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    left = to_do(made, [LAB], again=False)
    assert left
    assert len(left) < len(students)
    for each in left:
        grade(made, *each, isolated=True)
    _, rows = grades.export(made)
    assert [row.checks for row in rows] == [12, 12, 12]
