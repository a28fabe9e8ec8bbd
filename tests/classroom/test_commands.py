"""Does each command say what it did, and what is meant where it cannot?"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from classroom import __main__ as commands
from classroom import class_run, collecting, course, isolation, setting_up, trying
from classroom.course import Course, read
from tests.classroom.test_course import RIGHT, folder

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's and SQLAlchemy's are not ours


@pytest.fixture
def tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs a command on a course of ada and grace; what it says."""
    folder(tmp_path, RIGHT, "id\nada\ngrace\n")
    monkeypatch.setattr(Course, "released", lambda course, lab: course.root)
    monkeypatch.setattr(isolation, "working", lambda told: told)

    def told(*arguments: str, course: Path = tmp_path) -> str:
        commands.main([*arguments, "--course", str(course)])
        said = capsys.readouterr()
        return said.out + said.err

    return told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--lab", "coalesing"), "LAB=coalesing: the course knows no `coalesing`. Is `coalescing` meant?"),
        (("--student", "adda"), "STUDENT=adda: the course knows no `adda`. Is `ada` meant?"),
        (("--student", "zzz"), "There are 2 students."),
        (("--student", "ada"), "STUDENT=ada: nothing is handed in."),
    ],
)
def test_grade_asks_what_is_meant(tell, arguments: tuple[str, ...], told: str) -> None:
    assert told in tell("grade", *arguments)


def test_one_student_is_graded_again(tmp_path: Path) -> None:
    made = read(folder(tmp_path, RIGHT, "id\nada\ngrace\n"))
    for student in made.students:
        made.handed_in("coalescing", student).mkdir(parents=True)
    assert class_run.to_do(made, ["coalescing"], ["ada"], again=True) == [("coalescing", "ada")]
    assert len(class_run.to_do(made, ["coalescing"], again=True)) == 2


def test_jobs_are_a_number(tell) -> None:
    assert "JOBS=two: a number from 1 on is asked for" in tell("grade", "--jobs", "two")


def test_what_is_late_is_counted(tell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = ["ada, x: taken, handed in 2027-01-12 08:00 UTC, late", "grace, x: as before", "left out: y"]
    monkeypatch.setattr(collecting, "collect", lambda *_, **__: said)
    assert "2 submissions (1 late), 1 file left out." in tell("collect", "--from", str(tmp_path))


def test_try_wants_a_lab(tell) -> None:
    assert "say which lab: make try LAB=coalescing" in tell("try")
    assert "labs/instructor has no `coalesing`. Is `coalescing` meant?" in tell("try", "--lab", "coalesing")


def test_try_takes_one_notebook(tell) -> None:
    """That of FROM, or the untouched one: which of them is meant where both are named?"""
    told = tell("try", "--lab", "coalescing", "--from", "mine.ipynb", "--starter")
    assert "say one of them" in told


@pytest.mark.usefixtures("isolated")
def test_the_starter_is_tried_as_students_get_it(made: Course) -> None:
    said = trying.tried("small", None, made.isolation, made.labs, starter=True)
    assert "check-double: 0 of 4" in said
    assert "0 of 12 points by checks" in said
    assert not any("look by hand" in each for each in said)


def test_the_copy_of_one_lab_is_written_alone(made: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a name that no lab has writes none."""
    found = importlib.util.spec_from_file_location("release", course.LABS / "release.py")
    assert found is not None
    assert found.loader is not None
    release = importlib.util.module_from_spec(found)
    found.loader.exec_module(release)
    monkeypatch.setenv("PATH", os.environ["PATH"])  # `release` extends it
    shutil.copytree(made.labs / "instructor" / "small", made.labs / "instructor" / "other")
    (made.labs / "instructor" / "other" / "small.ipynb").rename(made.labs / "instructor/other/other.ipynb")
    shutil.copy(course.LABS / "nbgrader_config.py", made.labs)
    assert release.release(made.labs, "other") == [made.labs / "other" / "other.ipynb"]
    assert not (made.labs / "small").exists()
    with pytest.raises(FileNotFoundError, match="no notebook of a lab `mirrror`"):
        release.release(made.labs, "mirrror")


def test_try_knows_the_notebook_of_another_lab(tell) -> None:
    other = course.LABS / "instructor" / "occupancy" / "occupancy.ipynb"
    told = tell("try", "--lab", "coalescing", "--from", str(other))
    assert "this is the notebook of `occupancy`: make try LAB=occupancy" in told


def test_collect_wants_a_folder_or_a_zip(tell, tmp_path: Path) -> None:
    (tmp_path / "one.ipynb").write_text("{}")
    assert "neither a folder nor a zip file" in tell("collect", "--from", str(tmp_path / "one.ipynb"))


def test_root_does_not_mark(tell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds a way out of the page would be root."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    said = tell("mark")
    assert "does not run as root" in said
    assert "`sudo chown -R USER " in said


def test_on_windows_it_is_said_where_to_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit):
        commands.main(["grades", "--course", str(tmp_path)])
    assert "on Windows, run this in WSL" in capsys.readouterr().err


def test_a_course_elsewhere_is_named(tell, tmp_path: Path) -> None:
    said = tell("course", course=tmp_path / "our spring")
    assert f"run `make course COURSE='{tmp_path}/our spring'` again." in said
    shutil.rmtree(tmp_path / "our spring")


def test_a_new_lab_that_was_due_is_asked_about(
    made: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A year that is missing or wrong makes everybody late; that the lab is over is no news next time."""
    past = dataclasses.replace(made, due={"small": datetime(2026, 1, 11, tzinfo=UTC)})
    monkeypatch.setattr(course, "read", lambda root: past)
    for new in (["small"], []):
        said = {"labs": new, "new": new, "gone": [], "unassigned": ["old"]}
        monkeypatch.setattr(setting_up, "set_up", lambda _, said=said: said)
        commands.main(["course", "--course", str(made.root)])
        told = capsys.readouterr().out
        assert ("Is it meant? `small` is new, and was due already." in told) == bool(new)
        assert "No longer assigned, and still in" in told
        assert "release: old." in told
        assert "To give them out no more: rm -r" in told
