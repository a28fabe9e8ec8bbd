"""Which results of a check are points? None for all, or quarters of a point; all else is looked at."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode, v4

import classroom
from classroom.course import Course
from classroom.grading import job_of, with_submission
from classroom.mending import is_answer, is_check, nbgrader_of
from classroom.twice import Job, _untouched, score_of, twice
from tests.classroom.conftest import hand_in
from tests.classroom.small_lab import ANSWERS, LAB, STARTERS, answered, instructors


def check(*results: str) -> NotebookNode:
    outputs = [
        v4.new_output("execute_result", {"text/plain": each}, execution_count=1, metadata={})
        for each in results
    ]
    return v4.new_code_cell("# Check", outputs=outputs)


@pytest.mark.parametrize(
    ("results", "score"),
    [
        pytest.param((), 4, id="none: all"),
        *[(("2.25",), 2.25), (("4",), 4), (("0.0",), 0)],
        *[
            ((told,), None)
            for told in ("0.1", "1.0000000001", "-0.25", "4.25", "1e9", "nan", "inf", "'x'", "")
        ],
        pytest.param(("1", "2"), None, id="two"),
    ],
)
def test_a_result_is_a_quarter_of_a_point_or_is_looked_at(
    results: tuple[str, ...], score: float | None
) -> None:
    got, why = score_of(check(*results), "ok", 4)
    assert (got, bool(why)) == (score, score is None)


def test_an_answer_that_is_as_it_was_released_is_known() -> None:
    """One is answered, the other two are not, though a cell of the student's own stands before one."""
    released = answered(instructors(), STARTERS)
    same = STARTERS["triple"].replace("    i =", "    # my own\n    i  =")
    handed = answered(released, {"double": ANSWERS["double"], "triple": same})
    own = v4.new_code_cell("mine = 1", metadata={"classroom": {"own": True}})
    handed.cells.insert([each.id for each in handed.cells].index("triple"), own)
    assert _untouched(handed, released) == {"check-predictions", "check-triple"}


@pytest.mark.usefixtures("isolated")
def test_who_takes_a_name_of_a_locked_cell_is_told_of(made: Course) -> None:
    """Their function calls the course's in place of their own: a person sees why it got no points."""
    own = """
import numpy as np


def check_tripled(x):
    return 2 * x


def double(x):
    return check_tripled(x)
"""
    notebook = answered(nbformat.read(made.released(LAB), 4), {**ANSWERS, "double": own})
    hand_in(made, "ada", {f"{LAB}.ipynb": nbformat.writes(notebook).encode()})
    page = nbformat.reads(twice(with_submission(job_of(made, LAB, isolated=True), made, "ada")), 4)
    told = [each for each in page.metadata["classroom"]["look"] if "stays what locked cells define" in each]
    assert [each.partition(" stays")[0] for each in told] == ["cell `double`: `check_tripled`"]


@pytest.mark.usefixtures("isolated")
@pytest.mark.parametrize(
    ("source", "unread"), [("x = " + "1 + " * 1500 + "1", True), ("x = " + "-" * 5000 + "1", False)]
)
def test_what_is_nested_too_deeply_is_a_page_to_mark(made: Course, source: str, unread: bool) -> None:
    """What was written is there, and why it has no points. What is no Python is a wrong answer."""
    notebook = answered(nbformat.read(made.released(LAB), 4), {**ANSWERS, "triple": source})
    hand_in(made, "ada", {f"{LAB}.ipynb": nbformat.writes(notebook).encode()})
    page = nbformat.reads(twice(with_submission(job_of(made, LAB, isolated=True), made, "ada")), 4)
    known = page.metadata["classroom"]
    assert any(each.source == source for each in page.cells)
    assert known.get("unread", False) == unread
    assert any("nested too deeply" in each for each in known["look"]) == unread


@pytest.mark.usefixtures("isolated")
def test_what_cells_show_is_cleaned_where_its_time_is_bounded(made: Course) -> None:
    """In the process of the submission: the one that grades the class gets nothing that has to be."""
    source = (
        f"{ANSWERS['double']}\nfrom IPython.display import HTML, display\ndisplay(HTML('<b onclick=x>a</b>'))"
    )
    notebook = answered(nbformat.read(made.released(LAB), 4), {**ANSWERS, "double": source})
    hand_in(made, "ada", {f"{LAB}.ipynb": nbformat.writes(notebook).encode()})
    ran = twice(with_submission(job_of(made, LAB, isolated=True), made, "ada"))
    assert "<b>a</b>" in ran
    shown = [each for cell in nbformat.reads(ran, 4).cells for each in cell.get("outputs", ())]
    assert not any("onclick" in str(each.get("data")) for each in shown)


LABS = Path(classroom.__file__).parents[1]
ABOVE = {
    "coalescing": ("from operator import is_ as getattr", {}),
    "divergence-and-masks": (
        "from numpy import spacing as abs",
        {"efficiency": "def efficiency(*counts):\n    return 0.5"},
    ),
}


@pytest.mark.usefixtures("isolated")
@pytest.mark.parametrize("lab", ABOVE)
def test_a_cell_above_all_others_gives_no_points(made: Course, lab: str) -> None:
    """It binds a name of Python's that the checks call: they call Python's, and a person is told."""
    cell, answers = ABOVE[lab]
    source = nbformat.read(LABS / "instructor" / lab / f"{lab}.ipynb", 4)
    released = nbformat.read(LABS / lab / f"{lab}.ipynb", 4)
    locked = {each.id: each.source for each in source.cells if nbgrader_of(each) and not is_answer(each)}
    handed = answered(released, answers)
    handed.cells.insert(0, v4.new_code_cell(cell))
    files = {f"{lab}.ipynb": nbformat.writes(handed).encode()}
    job = Job(lab, nbformat.writes(released), locked, files, made.limits, made.isolation)
    page = nbformat.reads(twice(job), 4)
    scores = [each.metadata["classroom"]["score"] for each in page.cells if is_check(each)]
    assert sum(scores) == 0
    assert "is bound, which is Python's own" in page.metadata["classroom"]["look"][0]


HELPERS = {
    "mine.py": b"FACTOR = 2",
    "numpy.py": b"raise SystemExit",
    "gpusim.py": b"raise SystemExit",
    "sitecustomize.py": b"raise SystemExit",
    "plain_values.py": b"raise SystemExit",
}


@pytest.mark.usefixtures("isolated")
def test_a_helper_is_imported_where_nothing_else_has_its_name(made: Course) -> None:
    """In the student's own run; and what an answer in another language gives is looked at."""
    double = "import mine\nimport numpy\nK = mine.FACTOR * numpy.arange(3)[1]\nprint(K)"
    answers = {**ANSWERS, "double": f"{double}\ndef double(x):\n    return 2 * x", "triple": "%%bash\nls"}
    notebook = answered(nbformat.read(made.released(LAB), 4), answers)
    hand_in(made, "ada", {f"{LAB}.ipynb": nbformat.writes(notebook).encode(), **HELPERS})
    page = nbformat.reads(twice(with_submission(job_of(made, LAB, isolated=True), made, "ada")), 4)
    shown = {each.id: each.get("outputs") for each in page.cells}
    assert shown["double"][0]["text"] == "2\n"
    scores = {each.id: each.metadata["classroom"]["score"] for each in page.cells if is_check(each)}
    assert scores == {"check-predictions": 4, "check-double": 4, "check-triple": 0}
    assert page.metadata["classroom"]["look"] == [
        "cell `triple` begins with `%%bash`: none of it is checked",
    ]
