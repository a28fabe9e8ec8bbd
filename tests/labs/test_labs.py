"""Do the labs grade what they should? A class of four hands in each lab, and nbgrader grades it.

"starter" hands in the untouched copy, "solution" the instructor's answers, the other two wrong answers.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from tests.labs.wrong_answers import STILL_RIGHT, WRONG_ANSWERS

LABS = Path(__file__).resolve().parents[2] / "labs"
SOURCES = sorted((LABS / "instructor").glob("*/*.ipynb"))
NAMES = [source.stem for source in SOURCES]
POINTS = 20
STUDENTS = ("starter", "solution", "careless", "cunning")
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS", re.DOTALL)
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)
NARROW, WIDE = ("G80", "P100", "V100", "A100", "H200"), ("MetaX C500",)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
TABLE_ROW = re.compile(r"^\|(?P<what>.+)\|(?P<now>.+)\|(?P<done>.+)\|(?P<gate>.+)\|$", re.MULTILINE)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def nbgrader_of(cell: NotebookNode) -> dict[str, object]:
    return cell.metadata.get("nbgrader", {})


def graded_by_machine(notebook: NotebookNode) -> list[NotebookNode]:
    return [c for c in notebook.cells if nbgrader_of(c).get("grade") and not nbgrader_of(c)["solution"]]


def printed(cell: NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


@dataclass
class GradedLab:
    """What came back of a lab: the students' copy, scores by cell, and the notebooks as nbgrader ran them."""

    copy: NotebookNode
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    notebooks: dict[str, NotebookNode] = field(default_factory=dict)


def answer(copy: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """A student's notebook: the copy with these cells filled in."""
    notebook = nbformat.from_dict(copy)
    for cell in notebook.cells:
        if cell.id in answers:
            assert nbgrader_of(cell)["solution"], f"{cell.id} is not a cell for answers"
            cell.source = answers[cell.id].strip()
    return notebook


@pytest.fixture(scope="session")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], GradedLab]:
    """Each lab is graded once, when its first test asks: a process grades only the labs that it tests."""

    @functools.cache
    def graded(lab: str) -> GradedLab:
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            patch.setenv("PATH", os.environ["PATH"])  # `release` extends it
            warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's are not ours
            return grade(tmp_path_factory.mktemp("course") / "labs", lab)

    return graded


@pytest.fixture
def graded(grades: Callable[[str], GradedLab], lab: str) -> GradedLab:
    return grades(lab)


def grade(course: Path, lab: str) -> GradedLab:
    """Release a lab, hand in everybody's answers, and let nbgrader grade them."""
    source = LABS / "instructor" / lab / f"{lab}.ipynb"
    shutil.copytree(source.parent, course / "instructor" / lab)
    shutil.copy(LABS / "nbgrader_config.py", course)
    description = importlib.util.spec_from_file_location("release", LABS / "release.py")
    assert description is not None
    assert description.loader is not None
    release = importlib.util.module_from_spec(description)
    description.loader.exec_module(release)
    (copy,) = release.release(course)
    result = GradedLab(read(copy))
    nbgrader = release.grader(course)
    solved = {c.id: c.source for c in read(source).cells if nbgrader_of(c).get("solution")}
    answers = {"starter": {}, "solution": solved, **WRONG_ANSWERS[lab]}
    for student in STUDENTS:
        notebook = answer(result.copy, answers[student])
        if student == "cunning":
            for cell in graded_by_machine(notebook):
                cell.source = "pass"  # nbgrader puts the checks back
        folder = course / "grading" / "submitted" / student / lab
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / source.name)
        outcome = nbgrader.autograde(lab, student)
        assert outcome["success"], outcome["log"]
        result.notebooks[student] = read(course / "grading" / "autograded" / student / lab / source.name)
        with nbgrader.gradebook as gradebook:
            (submitted,) = gradebook.find_submission(lab, student).notebooks
            result.scores[student] = {grade.name: grade.auto_score for grade in submitted.grades}
    return result


@pytest.mark.parametrize("lab", NAMES)
class TestGrades:
    """What the gradebook says."""

    def test_the_solution_gets_all_points_of_the_checks(self, graded: GradedLab, lab: str) -> None:
        checks = graded_by_machine(graded.copy)
        scores = graded.scores["solution"]
        assert {c.id: scores[c.id] for c in checks} == {c.id: nbgrader_of(c)["points"] for c in checks}

    @pytest.mark.parametrize("student", ["starter", "careless", "cunning"])
    def test_no_check_passes_a_starter_or_a_wrong_answer(
        self, graded: GradedLab, lab: str, student: str
    ) -> None:
        checks = graded_by_machine(graded.copy)
        expected = {c.id: 0.0 for c in checks} | STILL_RIGHT.get((lab, student), {})
        scores = graded.scores[student]
        assert {c.id: scores[c.id] for c in checks} == expected

    @pytest.mark.parametrize("student", ["starter", "careless", "cunning"])
    def test_a_failed_check_explains_itself(self, graded: GradedLab, lab: str, student: str) -> None:
        notebook = graded.notebooks[student]
        for cell in graded_by_machine(notebook):
            for error in (output for output in cell.outputs if output.output_type == "error"):
                assert error.ename == "AssertionError", f"{cell.id}: {error.ename}: {error.evalue}"
                assert len(error.evalue.split()) > 8, f"{cell.id} says only {error.evalue!r}"
        others = [c for c in notebook.cells if c.cell_type == "code" and not nbgrader_of(c).get("grade")]
        assert [c.id for c in others if any(o.output_type == "error" for o in c.outputs)] == []

    def test_figures_in_the_text_are_those_of_runs(self, graded: GradedLab, lab: str) -> None:
        """Each task's table of figures: "Now" as the starter prints it, "When done" as the solution does."""
        cells = {who: graded.notebooks[who].cells for who in ("starter", "solution")}
        tables = 0
        for index, cell in enumerate(cells["starter"]):
            rows = [row for row in TABLE_ROW.finditer(cell.source) if NUMBER.search(row["now"])]
            if cell.cell_type != "markdown" or not rows:
                continue
            tables += 1
            look = next(k for k in range(index, index + 6) if cells["starter"][k].id.startswith("measure-"))
            for row in rows:
                for column, who in (("now", "starter"), ("done", "solution")):
                    runs = NUMBER.findall(printed(cells[who][look]))
                    assert row[column].strip() in runs, f"{cell.id}, {row['what'].strip()}, {who}: {runs}"
        assert tables == 3


@pytest.mark.parametrize("lab", NAMES)
class TestStudentCopies:
    """What students get."""

    def test_the_committed_copy_is_up_to_date(self, graded: GradedLab, lab: str) -> None:
        committed = read(LABS / lab / f"{lab}.ipynb")
        assert committed == graded.copy, "run `python labs/release.py`"

    def test_it_has_no_solution_no_hidden_test_no_output(self, graded: GradedLab, lab: str) -> None:
        copy = graded.copy
        text = "\n".join(cell.source for cell in copy.cells)
        assert not re.search("SOLUTION|HIDDEN", text)
        for cell in read(LABS / "instructor" / lab / f"{lab}.ipynb").cells:
            for secret in HIDDEN.findall(cell.source) + SOLUTION.findall(cell.source):
                assert secret not in text
        assert [cell.id for cell in copy.cells if cell.get("outputs")] == []

    def test_what_grades_is_locked_and_the_points_add_up(self, graded: GradedLab, lab: str) -> None:
        cells = [cell for cell in graded.copy.cells if nbgrader_of(cell)]
        checks = graded_by_machine(graded.copy)
        assert checks
        assert [c.id for c in checks if not nbgrader_of(c)["locked"]] == []
        assert sum(nbgrader_of(cell).get("points", 0) for cell in cells) == POINTS
        identifiers = [nbgrader_of(cell)["grade_id"] for cell in cells]
        assert len(set(identifiers)) == len(identifiers)
        assert {nbgrader_of(cell)["schema_version"] for cell in cells} == {3}

    def test_one_question_is_marked_by_hand(self, graded: GradedLab, lab: str) -> None:
        written = [c for c in graded.copy.cells if c.cell_type == "markdown" and nbgrader_of(c)]
        assert [nbgrader_of(cell)["points"] for cell in written] == [3]


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
class TestInstructorNotebooks:
    """What instructors keep."""

    def test_hidden_tests_use_both_widths(self, source: Path) -> None:
        for cell in graded_by_machine(read(source)):
            (hidden,) = HIDDEN.findall(cell.source)
            for devices in (NARROW, WIDE):
                assert any(f'"{device}"' in hidden for device in devices), f"{cell.id}: none of {devices}"

    def test_no_check_uses_time(self, source: Path) -> None:
        code = "\n".join(cell.source for cell in read(source).cells if cell.cell_type == "code")
        assert not re.search(r"perf_counter|import time|%time", code)

    def test_it_stores_no_live_widget(self, source: Path) -> None:
        notebook = read(source)
        assert "widgets" not in notebook.metadata
        kinds = {kind for c in notebook.cells for o in c.get("outputs", []) for kind in o.get("data", {})}
        assert "application/vnd.jupyter.widget-view+json" not in kinds
