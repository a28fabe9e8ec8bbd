"""Does every submission get the points that it deserves, and does nothing get out of its box?"""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from classroom.twice import APART
from tests.classroom.cases import CHEATS_HERE, ODD_HERE
from tests.classroom.conftest import MARK, Graded
from tests.classroom.odd import ODD


def checks(graded: Graded, student: str) -> float | None:
    """The points of the checks; None where one has none yet."""
    scores = [score for name, score in graded.scores(student).items() if name.startswith("check-")]
    return None if None in scores else sum(scores)


def is_told(part: str, lines: list[str]) -> bool:
    return not lines if not part else any(part in line for line in lines)


@pytest.mark.parametrize("student", ODD_HERE)
def test_an_odd_submission_gets_what_it_deserves(graded: Graded, student: str) -> None:
    case, record = ODD[student], graded.records[student]
    assert checks(graded, student) == case.points, record
    assert is_told(case.look, record["look"]), record
    unmarked = "graded" if student == "starter untouched" else "to be marked"
    assert graded.rows[student].state == ("look by hand" if case.look else unmarked)


@pytest.mark.parametrize("student", CHEATS_HERE)
def test_a_cheat_gets_nothing(graded: Graded, student: str) -> None:
    cheat, record = CHEATS_HERE[student], graded.records[student]
    assert checks(graded, student) == cheat.points, record
    own = [each for each in record["look"] if APART not in each]  # some make their own run pass
    assert is_told(cheat.look, own), record
    assert not cheat.note or is_told(cheat.note, record["notes"]), record


def test_a_check_that_only_the_student_sees_pass_is_looked_at(graded: Graded) -> None:
    found = [
        student for student in CHEATS_HERE if f"check-double: {APART}" in graded.records[student]["look"]
    ]
    assert {"patched run_code", "callbacks taken away"} <= set(found)
    assert not any(APART in each for each in graded.records["right"]["look"])


def test_nothing_is_left_outside(graded: Graded) -> None:
    places = (graded.course.root, Path("/var/tmp"), Path("~/.ipython").expanduser())
    assert [place for place in places if (place / MARK).exists()] == []
    assert [
        each for each in psutil.process_iter(["cmdline"]) if MARK in " ".join(each.info["cmdline"] or ())
    ] == []


def test_nothing_outside_is_seen(graded: Graded) -> None:
    for student in CHEATS_HERE:
        shown = str([each.get("outputs") for each in graded.notebook(student).cells])
        assert "SEEN" not in shown, student
        assert "CONNECTED" not in shown, student


def test_every_submission_has_a_record(graded: Graded) -> None:
    assert graded.records.keys() == graded.course.students.keys()
