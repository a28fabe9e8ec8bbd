"""Do students on a hub get a lab, run it and hand it in, and does it come to the instructor's grades?"""

from __future__ import annotations

import csv
import io
import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hub.conftest import ACCOUNTS, Hub
from tests.labs.shell import instructors

LAB = "coalescing"
STUDENTS = ("ada", "grace", "alan")
COURSE = 'name = "gpus"\n[labs]\ncoalescing = 2099-01-25T23:59:00+01:00\n'


def solved(notebook: dict[str, Any]) -> dict[str, Any]:
    answers = {
        each.id: each.source
        for each in instructors(LAB).cells
        if each.metadata.get("nbgrader", {}).get("solution")
    }
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    return notebook


class Class:
    """The steps of a class, each by the account whose step it is."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.course = hub.folder / "home" / "teacher" / "gpus"
        self.tokens = {each: hub.start(each) for each in STUDENTS}

    def teach(self, command: str, *more: str) -> str:
        line = [sys.executable, "-m", "classroom", command, "--course", str(self.course), *more]
        done = self.hub.as_user("teacher", *line)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def nbgrader(self, *words: str) -> str:
        done = self.hub.as_user("teacher", "nbgrader", *words, place=self.course)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stderr

    def assignments(self, student: str, action: str = "", **what: str) -> Any:
        method, path = ("POST", f"/assignments/{action}") if action else ("GET", "/assignments")
        asked = {"course_id": "gpus", **what}
        how = {"data": asked} if action else {"params": asked}
        answer = self.hub.ask(method, f"/user/{student}{path}", self.tokens[student], **how)
        answer.raise_for_status()
        told = answer.json()
        assert told["success"], told
        return told["value"]

    def notebook(self, student: str, whose: str = "", **how: Any) -> Any:
        path = f"/user/{whose or student}/api/contents/gpus/{LAB}/{LAB}.ipynb"
        return self.hub.ask("PUT" if how else "GET", path, self.tokens[student], **how)


@pytest.fixture(scope="module")
def taught(hub: Hub) -> Class:
    """Released by the teacher; fetched and handed in by three, of whom one solved it, and one twice."""
    made = Class(hub)
    hub.as_user("teacher", "mkdir", str(made.course))
    (made.course / "course.toml").write_text(COURSE)
    (made.course / "roster.csv").write_text("id\n" + "\n".join(STUDENTS) + "\n")
    made.teach("course")
    made.nbgrader("release_assignment", LAB)
    for student in STUDENTS:
        (listed,) = made.assignments(student)
        assert (listed["assignment_id"], listed["status"]) == (LAB, "released")
        made.assignments(student, "fetch", assignment_id=LAB)
    made.assignments("ada", "submit", assignment_id=LAB)
    answer = made.notebook("ada")
    assert answer.ok, answer.text
    model = answer.json()
    body = json.dumps({"type": "notebook", "format": "json", "content": solved(model["content"])})
    made.notebook("ada", data=body).raise_for_status()
    for student in STUDENTS:
        made.assignments(student, "submit", assignment_id=LAB)
    return made


def test_a_lab_runs_in_a_students_server(taught: Class) -> None:
    """nbgrader's own button `Validate` runs the notebook there: all checks of the solved one pass."""
    for student, fails in (("ada", False), ("grace", True)):
        answer = taught.hub.ask(
            "POST",
            f"/user/{student}/assignments/validate",
            taught.tokens[student],
            data={"path": f"gpus/{LAB}/{LAB}.ipynb"},
        )
        told = answer.json()
        assert told["success"], told
        failed = told["value"].get("failed")
        assert bool(failed) == fails, told


def test_no_student_reads_anothers_work(taught: Class) -> None:
    assert taught.notebook("grace", whose="ada").status_code in (403, 404)
    inbound = Path("/srv/exchange/gpus/inbound")
    seen = taught.hub.as_user("teacher", "ls", str(inbound)).stdout.splitlines()
    assert len(seen) == 4
    assert all(len(each.split("+")[-1]) >= 12 for each in seen)  # a key that nobody guesses, so nobody enters
    for place in (inbound, taught.hub.folder / "home" / "ada"):
        refused = taught.hub.as_user("grace", "ls", str(place))
        assert "Permission denied" in refused.stderr, place
    assert not stat.S_IMODE((taught.hub.folder / "home" / "ada").stat().st_mode) & 0o077


def test_what_is_handed_in_comes_to_the_grades(taught: Class) -> None:
    """Of two submissions the last; one in another's name is left out."""
    forged = f"/srv/exchange/gpus/inbound/grace+{LAB}+2099-01-01 00:00:00 UTC+forged"
    taught.hub.as_user("alan", "cp", "-r", f"{taught.hub.folder}/home/alan/gpus/{LAB}", forged)
    said = taught.teach("collect", "--from", "/srv/exchange/gpus/inbound")
    assert "it belongs to alan, who is not grace" in said
    assert said.count("handed in again later") == 1
    for student in STUDENTS:
        assert f"{student}, {LAB}: taken" in said
    said = taught.teach("grade", "--jobs", "1", "--lab", LAB)
    assert "3 graded now, 0 of them to be looked at by hand" in said
    taught.teach("grades")
    rows = csv.DictReader(io.StringIO((taught.course / "grades.csv").read_text(encoding="utf-8-sig")))
    points = {row["student"]: float(row["checks"]) for row in rows}
    most = sum(
        each.metadata.nbgrader.points
        for each in instructors(LAB).cells
        if each.cell_type == "code" and each.metadata.get("nbgrader", {}).get("grade")
    )
    assert points == {"ada": most, "grace": 0, "alan": 0}


def test_idle_servers_are_looked_for(hub: Hub) -> None:
    log = (hub.folder / "log").read_text()
    assert "Starting service 'cull-idle'" in log
    assert hub.ask("GET", "/hub/api/services").json()["cull-idle"]["pid"] > 0
    assert ACCOUNTS.keys() >= {*STUDENTS}
