"""Does a mark by hand hold for what it was given for, and is nothing decided that a machine leaves open?"""

from __future__ import annotations

import dataclasses
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from classroom import grades
from classroom.course import LABS, NAMES, Course, Late
from classroom.feedback import feedback, moved, moved_by
from classroom.grading import Saving, digest, record, typed_again
from classroom.pages import markdown_of
from classroom.rubric import with_rubrics
from classroom.twice import note_on
from tests.classroom.conftest import hand_in
from tests.classroom.small_lab import LAB
from tests.classroom.test_marking_server import saved, unread

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's and SQLAlchemy's are not ours


def type_points(made: Course, name: str, points: float, comment: str = "") -> None:
    """As the marking page saves them."""
    with Gradebook(made.database, made.name) as gradebook:
        grade = gradebook.find_grade(name, LAB, LAB, "ada")
        grade.manual_score, grade.needs_manual_grade = points, False
        if comment:
            gradebook.find_comment(name, LAB, LAB, "ada").manual_comment = comment
        gradebook.db.commit()


def row(made: Course) -> grades.Row:
    return next(each for each in grades.export(made)[1] if each.student == "ada")


def page(made: Course) -> str:
    return made.autograded(LAB, "ada").read_text()


def test_a_mark_stays_with_its_answer_and_not_with_another(made: Course) -> None:
    saved(made, "ada")
    type_points(made, "explain", 2.5)
    saved(made, "ada", double="def double(x):\n    return x + x")
    assert (row(made).state, row(made).score) == ("graded", 14.5)
    saved(made, "ada", explain="Another reason.")
    assert (row(made).state, row(made).score) == ("to be marked", None)
    assert "`explain`: 2.5 points. Type them again" in page(made)
    saved(made, "ada", explain="Another reason.")
    assert row(made).state == "to be marked"
    type_points(made, "explain", 1)
    saved(made, "ada", explain="Another reason.")
    assert row(made).score == 13
    assert "Type them again" not in page(made)


def test_old_points_count_nowhere_until_they_are_typed_again(made: Course) -> None:
    """3 of a written answer and 4 of a check, both for a text that is gone; 12 of the checks are left."""
    late = dataclasses.replace(
        made, late=Late(percent_per_day=10), due={LAB: datetime(2027, 1, 11, tzinfo=UTC)}
    )
    stamp = {"timestamp.txt": b"2027-01-11 06:00:00 UTC"}
    hand_in(late, "ada", stamp)
    saved(late, "ada")
    type_points(late, "explain", 3)
    type_points(late, "check-double", 1)
    assert (row(late).checks, row(late).written, row(late).late_penalty) == (9, 3, 1.2)
    saved(late, "ada", explain="Another reason.", double="def double(x):\n    return x + x")
    found = row(late)
    assert (found.checks, found.written, found.late_penalty, found.score) == (12, None, 1.2, None)
    asked = "`{}`: marked before, and changed since: type its points again"
    assert sorted(found.look.split("; ")) == [asked.format("check-double"), asked.format("explain")]
    assert sorted(record(late, LAB, "ada")["again"]) == ["check-double", "explain"]
    for name, points, left in (("explain", 2, 1), ("check-double", 4, 0)):
        type_points(late, name, points)
        typed_again(late.autograded(LAB, "ada"), name)
        assert page(late).count("Type them again") == left
    assert (row(late).state, row(late).score, row(late).look) == ("graded", 12.6, "")
    assert "marked-before" not in page(late)


def test_the_notebook_of_another_lab_has_one_reason(made: Course, tmp_path: Path) -> None:
    other = LABS / "instructor" / "occupancy" / "occupancy.ipynb"
    shutil.copytree(made.labs / "instructor", tmp_path / "labs" / "instructor")
    shutil.copytree(other.parent, tmp_path / "labs" / "instructor" / "occupancy")
    two = dataclasses.replace(made, labs=tmp_path / "labs")
    hand_in(two, "ada", {f"{LAB}.ipynb": other.read_bytes()})
    notebook = nbformat.read(two.released(LAB), 4)
    reasons = [f"the answer `{name}` is not in the notebook" for name in ("double", "triple", "explain")]
    notebook.metadata["classroom"] = {"look": reasons, "notes": []}
    notebook.cells.insert(0, note_on(reasons, []))
    told = Saving(two).save(
        LAB, "ada", digest(two, LAB, "ada"), nbformat.writes(notebook), isolated=True, seconds=0.0
    )
    assert told["look"] == ["this is the notebook of `occupancy`"]
    assert row(two).look == "this is the notebook of `occupancy`"
    assert (row(two).state, row(two).checks) == ("look by hand", None)
    assert "is not in the notebook" not in page(two)


def test_five_reasons_stand_in_the_table_and_all_on_the_page(made: Course) -> None:
    reasons = tuple(f"reason {number}" for number in range(8))
    saved(made, "ada", look=reasons)
    assert row(made).look == "; ".join([*reasons[:5], "and 3 more on the marking page"])
    assert "reason 7" in page(made)


def test_points_for_a_check_are_given_for_its_code_and_its_reason(made: Course) -> None:
    saved(made, "ada", look=("`open`",))
    type_points(made, "explain", 3)
    assert row(made).state == "look by hand"
    type_points(made, "check-predictions", 4)
    assert row(made).state == "graded"
    saved(made, "ada", look=("`open`", "`eval`"))
    assert row(made).state == "look by hand"
    type_points(made, "check-predictions", 4)
    saved(made, "ada", look=("`open`", "`eval`"), double="def double(x):\n    return open(x)")
    assert row(made).state == "look by hand"


def test_points_for_a_check_stay_with_the_answer_that_it_is_for(made: Course) -> None:
    """Another answer of the notebook may change; the one that is checked may not, nor what it calls."""
    calls = "def double(x):\n    return times(2, x)"
    helper = "def times(a, b):\n    return {}"
    other = "@cuda.jit\ndef triple(x, out):\n    out[0] = 0"
    answers = {"predictions": helper.format("a * b"), "double": calls}
    saved(made, "ada", **answers)
    type_points(made, "check-double", 3)
    type_points(made, "explain", 3)
    saved(made, "ada", **answers, triple=other)
    assert (row(made).state, row(made).checks) == ("graded", 11)
    saved(made, "ada", **{**answers, "predictions": helper.format("b * a")}, triple=other)
    assert (row(made).state, row(made).checks) == ("look by hand", 12)
    type_points(made, "check-double", 3)
    saved(made, "ada", predictions=helper.format("b * a"), triple=other)
    assert row(made).state == "look by hand"


def test_what_cannot_be_read_is_never_a_true_zero(made: Course) -> None:
    """Not even when something else has written points for all of it."""
    unread(made)
    assert "What was handed in: handed-in/ada/small/small.ipynb" in page(made)
    assert "Nothing below is the student's" in page(made)
    with Gradebook(made.database, made.name) as gradebook:
        for each in gradebook.find_submission(LAB, "ada").notebooks[0].grades:
            each.auto_score, each.needs_manual_grade = 0, False
        gradebook.db.commit()
    assert (row(made).state, row(made).score) == ("look by hand", None)
    for name in ("predictions", "double", "triple"):
        assert row(made).state == "look by hand"
        type_points(made, f"check-{name}", 0)
    assert (row(made).state, row(made).score) == ("graded", 0)


def test_zeros_of_a_file_that_could_not_be_read_lapse(made: Course) -> None:
    """What else was typed for it is asked for again, and the page does not say that nothing is to do."""
    unread(made)
    for name, points in (("check-predictions", 0), ("check-double", 0), ("check-triple", 2), ("explain", 0)):
        type_points(made, name, points)
    assert (row(made).state, row(made).score) == ("graded", 2)
    saved(made, "ada")
    assert (row(made).state, row(made).checks, row(made).written) == ("look by hand", 12, None)
    assert record(made, LAB, "ada")["again"] == ["check-triple"]
    assert "`check-triple`: 2 points. Type them again" in page(made)
    assert "an empty field takes the machine's 4" in page(made)
    assert "Nothing to look at" not in page(made)
    type_points(made, "check-triple", 4)
    type_points(made, "explain", 3)
    saved(made, "ada")
    assert (row(made).state, row(made).score) == ("graded", 15)


def test_feedback_tells_a_mark_that_is_not_given_from_a_zero(made: Course) -> None:
    """12 of 12 so far; an old mark and its comment are not shown beside another text."""
    saved(made, "ada")
    ((written,), _) = feedback(made, unmarked=True)
    assert "The written answer</a> (Score: not marked yet / 3.0)" in written.read_text()
    assert "small (Score: 12.0 / 12.0)</h4><p>ada</p>" in written.read_text()
    assert '<a href="#check-double">double</a> (Score: 4.0 / 4.0)' in written.read_text()
    assert '</code></span> <span class="pull-right">' in written.read_text()
    type_points(made, "explain", 0, "Well tried.")
    ((written,), _) = feedback(made)
    assert "The written answer</a> (Score: 0.0 / 3.0)" in written.read_text()
    assert "small (Score: 12.0 / 15.0)" in written.read_text()
    assert "Well tried." in written.read_text()
    type_points(made, "explain", 2.5)
    saved(made, "ada", explain="Another reason.")
    ((written,), _) = feedback(made, unmarked=True)
    assert "small (Score: 12.0 / 12.0)" in written.read_text()
    assert "Well tried." not in written.read_text()


def test_whose_score_moves_after_pages_have_gone_out_is_named(made: Course) -> None:
    """15 points, then a late rule that takes 10 %; what has no score yet has none that moves."""
    late = dataclasses.replace(made, due={LAB: datetime(2027, 1, 11, tzinfo=UTC)})
    hand_in(late, "ada", {"timestamp.txt": b"2027-01-11 06:00:00 UTC"})
    saved(late, "ada")
    feedback(late, unmarked=True)
    type_points(late, "explain", 3)
    pages, _ = feedback(late)
    assert (moved(late, [row(late)]), moved_by(late, pages)) == ([], [])
    ruled = dataclasses.replace(late, late=Late(percent_per_day=10))
    assert moved(ruled, [row(ruled)]) == ["ada, small: 15, now 13.5"]
    pages, _ = feedback(ruled)
    assert moved_by(ruled, pages) == ["ada, small: 15, now 13.5"]
    assert moved(ruled, [row(ruled)]) == []


def test_feedback_says_why_a_file_was_not_graded(made: Course) -> None:
    """And nothing of answers that nobody has looked for."""
    unread(made)
    for name in ("check-predictions", "check-double", "check-triple", "explain"):
        type_points(made, name, 0)
    ((written,), _) = feedback(made)
    assert "This file was not graded by the machine: a part of a notebook. Below is" in written.read_text()
    assert "No response" not in written.read_text()


def test_feedback_follows_what_was_decided(made: Course) -> None:
    saved(made, "ada", look=("check-double: it gives less here",))
    notebook = nbformat.read(made.autograded(LAB, "ada"), 4)
    for cell in notebook.cells:
        if cell.id == "check-double":
            cell.metadata["classroom"].update(apart=True, score=3.0)
    nbformat.write(notebook, made.autograded(LAB, "ada"))
    assert feedback(made, unmarked=True)[0] == []
    type_points(made, "check-predictions", 4)
    type_points(made, "explain", 3)
    ((written,), _) = feedback(made)
    assert "Your instructor has looked at it." in written.read_text()
    assert "Your instructor looks at it." not in written.read_text()


def test_an_extension_takes_lateness_away(made: Course) -> None:
    """Six hours late cost a day, and nothing who has until tomorrow; what is not graded is not late yet."""
    due = datetime.now(UTC) - timedelta(hours=6)
    late = dataclasses.replace(made, due={LAB: due}, late=Late(percent_per_day=10))
    hand_in(late, "ada", {"timestamp.txt": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC".encode()})
    assert row(late).hours_late is None
    saved(late, "ada")
    type_points(late, "explain", 3)
    assert (row(late).hours_late, row(late).score, row(late).isolated) == (6.0, 13.5, True)
    longer = dataclasses.replace(late, extensions={(LAB, "ada"): due + timedelta(days=1)})
    assert (row(longer).hours_late, row(longer).score) == (0.0, 15)


@pytest.mark.parametrize("lab", NAMES)
def test_the_marker_reads_what_earns_the_points(lab: str) -> None:
    """Above each written answer: the full one, and for each part another, with what to say."""
    source = nbformat.read(LABS / "instructor" / lab / f"{lab}.ipynb", 4)
    notebook = nbformat.read(LABS / "instructor" / lab / f"{lab}.ipynb", 4)
    with_rubrics(notebook, lab, source)
    (place,) = [number for number, each in enumerate(notebook.cells) if each.id.startswith("rubric-")]
    assert notebook.cells[place + 1].metadata["nbgrader"]["points"] == 3
    assert notebook.cells[place].source.count("*To say at ½:*") == 3
    table = markdown_of({"cell": {}}, notebook.cells[place].source)
    assert [table.count(f"<td>{points}</td>") for points in ("1", "½", "0")] == [3, 3, 3]
