"""Do the labs grade what they should? Starters and wrong answers fail with a sentence, right ones pass."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import os
import re
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
import numpy as np
import pytest
from nbgrader.apps.api import NbGraderAPI

from classroom.names import bound
from gpusim import grading
from gpusim.grading.side_by_side import FIRST
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.launching import Launchable
from tests.hunting import ALL, some
from tests.labs.answers.predictions import PREDICTIONS
from tests.labs.answers.tampering import TAMPERING
from tests.labs.apart import Student, earned
from tests.labs.shell import (
    HIDDEN,
    LABS,
    NAMES,
    SOLUTION,
    Lab,
    checks_of,
    instructors,
    nbgrader_of,
    read,
    says_why,
)

POINTS = 20
NARROW, WIDE = ("G80", "GT200", "P100", "T4", "V100", "A100", "H200"), ("MetaX C500",)
TABLE_ROW = re.compile(r"^\|(?P<what>[^|]+)\|(?P<done>[^|]+)\|(?P<gate>[^|]+)\|$", re.MULTILINE)
NUMBER = re.compile(r"[\d,.]+$")
LAUNCH = Launchable._launch
OF_KERNELS = re.compile(r"@cuda\.jit|__global__")
AT_LEAST = {"wrong": 5, "cheats": 12, "right": 10}
GRADED_BY_NBGRADER, LEFT_TO_THE_STARTER = "divergence-and-masks", "work-order"


def answers(kind: str, lab: str) -> dict[str, Any]:
    """What students may write into a cell: {cell, or "cell: what is done": source}."""
    name = f"tests.labs.answers.{kind}.{lab.replace('-', '_')}"
    if importlib.util.find_spec(name) is None:
        return {}
    found: dict[str, Any] = importlib.import_module(name).ANSWERS
    return found


TRIED = some(NAMES, 4)
ANSWERS = [
    (lab, kind, name)
    for lab in TRIED
    for kind in (*AT_LEAST, "partly")
    for name in some([*answers(kind, lab)], 3)
]


def wiping(kernel: Launchable, *configuration: Any) -> None:
    """A launch, after which all of its arrays are zero."""
    LAUNCH(kernel, *configuration)
    for each in configuration[-1]:
        if isinstance(each, np.ndarray | DeviceNDArray):
            elements = np.asarray(getattr(each, "_elements", each))
            elements[...] = np.zeros((), elements.dtype)


@functools.cache
def solved(lab: str) -> Lab:
    """A lab with the instructor's answers."""
    made = Lab(instructors(lab), PREDICTIONS[lab])
    made.run()
    return made


@functools.cache
def untouched(lab: str) -> tuple[Lab, set[str]]:
    """The students' copy, answered when all cells have run, and what its measuring cells say before that."""
    made = Lab(read(LABS / lab / f"{lab}.ipynb"), {})
    made.run()
    said = {repr(result.result) for name, result in made.results.items() if name.startswith("measure-")}
    for name, box in made.boxes.items():
        box.value = PREDICTIONS[lab][name]
    return made, said


@pytest.mark.parametrize("lab", NAMES)
def test_what_students_cannot_see_takes_none_of_their_names(lab: str) -> None:
    """A name that only hidden tests bind begins with `_`: a student's `known` stays the student's."""
    sources = [each.source for each in instructors(lab).cells if each.cell_type == "code"]
    seen = set[str]().union(*(bound(HIDDEN.sub("", each)) for each in sources))
    hidden = {name for each in sources for name in bound(each)} - seen
    assert {each for each in hidden if not each.startswith("_")} == set()


def constants(right: dict[Any, dict[Any, Any]]) -> Iterator[dict[Any, dict[Any, Any]]]:
    """Tables without an idea: the same answer in all places; where columns ask for words and for numbers, one
    answer in each column.
    """
    every = [each for columns in right.values() for each in columns.values()]
    for one in dict.fromkeys(every):
        yield {row: dict.fromkeys(columns, one) for row, columns in right.items()}
    if len({*map(type, every)}) > 1:
        by_column: dict[Any, list[Any]] = {}
        for columns in right.values():
            for column, each in columns.items():
                by_column.setdefault(column, []).append(each)
        usual = {column: max(found, key=found.count) for column, found in by_column.items()}
        yield {row: {each: usual[each] for each in columns} for row, columns in right.items()}


@pytest.mark.parametrize(
    "lab",
    [each for each in TRIED if any(cell.id == "check-predictions" for cell in checks_of(instructors(each)))],
)
def test_a_prediction_without_an_idea_earns_nothing(lab: str) -> None:
    """128 bytes everywhere are right in 9 places of 24."""
    made, asked = solved(lab), list[Any]()
    predictions = grading.predictions

    def noted(predicted: Any, right: Any, *most: Any, **how: Any) -> Any:
        asked.append(right)
        return predictions(predicted, right, *most, **how)

    with patch.object(grading, "predictions", noted):
        made.run(["check-predictions"])
    (right,) = asked
    for table in constants(right):
        assert made.answered("predictions", f"predicted = {table!r}") == 0, table
    made.run(["check-predictions"])


@pytest.mark.parametrize("lab", TRIED)
class TestLab:
    """The solution, the starter, and what the text says of both."""

    def test_the_solution_gets_all_points_of_the_checks(self, lab: str) -> None:
        made = solved(lab)
        assert {name: result.success for name, result in made.results.items() if not result.success} == {}
        for cell in checks_of(instructors(lab)):
            assert made.points(cell.id) == nbgrader_of(cell)["points"]
        assert made.results["points-so-far"].result.reached == POINTS - 3

    def test_the_starter_runs_and_each_check_says_why_it_fails(self, lab: str) -> None:
        made, _ = untouched(lab)
        assert set(made.boxes) == set(PREDICTIONS[lab])
        points = made.results["points-so-far"].result
        failed = {name for name, result in made.results.items() if not result.success}
        assert failed == {cell.id for cell in checks_of(instructors(lab))}
        checks = [(f"# Check: {title} ({most} points)", most) for title, _, most in points.rows]
        assert checks == [
            (cell.source.partition("\n")[0], nbgrader_of(cell)["points"])
            for cell in checks_of(instructors(lab))
        ]
        assert {reached for _, reached, _ in points.rows} == {0}
        for check in failed:
            says_why(made, check)

    def test_who_wipes_out_the_arguments_earns_nothing(self, lab: str) -> None:
        """The solution does its work, then all that it was given is zero: what does a check compare?"""
        made = solved(lab)
        with patch.object(Launchable, "_launch", wiping):
            made.run(cell.id for cell in checks_of(instructors(lab)))
        launching = {name for name, cell in made.cells.items() if OF_KERNELS.search(cell.source)}
        checks = [check for name in launching for check in made.checks(name)]
        passing = [check for check in checks if made.results[check].success]
        made.run(cell.id for cell in checks_of(instructors(lab)))
        assert passing == []

    def test_without_a_prediction_nothing_is_told(self, lab: str) -> None:
        assert untouched(lab)[1] == {FIRST}

    def test_figures_are_those_of_runs(self, lab: str) -> None:
        """A task's table says "When done" as the solution has it; the starter's figures are the starter's."""
        told: dict[str, tuple[str, str]] = {}
        for cell in instructors(lab).cells:
            if cell.cell_type == "markdown":
                assert told == {}, "no run has these figures"
                rows = (row.groups() for row in TABLE_ROW.finditer(cell.source))
                told = {what.strip(): (after.strip(), gate.strip()) for what, after, gate in rows}
                told = {what: figures for what, figures in told.items() if NUMBER.match(figures[0])}
            elif cell.id.startswith("measure-"):
                starter = untouched(lab)[0].results[cell.id].result.shown.rows
                assert [before for _, before, _, _ in starter] == [now for _, _, now, _ in starter], cell.id
                done = {row[0]: row[2:] for row in solved(lab).results[cell.id].result.shown._cells()}
                assert {what: done[what] for what in told} == told
                told = {}

    @pytest.mark.parametrize("kind", AT_LEAST)
    def test_enough_is_tried(self, lab: str, kind: str) -> None:
        assert len(answers(kind, lab)) >= AT_LEAST[kind]


@functools.lru_cache(maxsize=4)
def student(lab: str) -> Student:
    """Who has solved the lab, but for the cell that is tried."""
    return Student(solved(lab))


@pytest.mark.parametrize(("lab", "kind", "name"), ANSWERS)
def test_an_answer_gets_what_it_deserves(lab: str, kind: str, name: str) -> None:
    """Wrong answers and cheats get nothing and a sentence, right ones everything, whatever their form.

    A cheat that earns points is to be looked at by hand; one that is looked at needs no sentence.
    """
    made, cell = solved(lab), name.partition(":")[0]
    assert nbgrader_of(made.cells[cell])["solution"], f"{cell} is not a cell for answers"
    given = answers(kind, lab)[name]
    deserved, source = given if isinstance(given, tuple) else (0.0, given)
    points, look = earned(student(lab), cell, source)
    checks = made.checks(cell)
    if kind == "right":
        told = [made.results[check].error_in_exec for check in checks]
        assert points == sum(nbgrader_of(made.cells[check])["points"] for check in checks), told
        assert look == []
        return
    assert points == deserved
    assert (look or not points) if kind == "cheats" else look == []
    for check in checks:
        if not (made.results[check].success or look):
            says_why(made, check)


@pytest.mark.parametrize("what", TAMPERING)
@pytest.mark.parametrize("lab", TRIED)
def test_who_tampers_with_the_checks_earns_nothing(lab: str, what: str) -> None:
    """In each lab each way is tried in one cell, in turn; in a hunt in all of them."""
    made, starter = solved(lab), read(LABS / lab / f"{lab}.ipynb").cells
    code = [cell for cell in starter if cell.cell_type == "code" and nbgrader_of(cell).get("solution")]
    answered = [cell for cell in code if made.checks(cell.id)]
    turn = [*TAMPERING].index(what) % len(answered)
    for cell in answered if ALL else [answered[turn]]:
        points, _ = earned(student(lab), cell.id, f"{cell.source}\n{TAMPERING[what]}")
        assert points == 0, cell.id


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, NbGraderAPI]:
    """A course of its own, with fresh students' copies."""
    root = tmp_path_factory.mktemp("course") / "labs"
    shutil.copytree(LABS / "instructor", root / "instructor")
    shutil.copy(LABS / "nbgrader_config.py", root)
    description = importlib.util.spec_from_file_location("release", LABS / "release.py")
    assert description is not None
    assert description.loader is not None
    release = importlib.util.module_from_spec(description)
    description.loader.exec_module(release)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("PATH", os.environ["PATH"])  # `release` extends it
        warnings.simplefilter("ignore")  # nbgrader's and SQLAlchemy's are not ours
        assert [copy.stem for copy in release.release(root)] == NAMES
        return root, release.grader(root)


class TestCourse:
    """What nbgrader makes of the labs."""

    @pytest.mark.parametrize("lab", NAMES)
    def test_the_committed_copy_is_up_to_date(self, course: tuple[Path, NbGraderAPI], lab: str) -> None:
        committed, fresh = (read(root / lab / f"{lab}.ipynb") for root in (LABS, course[0]))
        assert committed == fresh, "run `python labs/release.py`"

    def test_a_lab_is_graded(self, course: tuple[Path, NbGraderAPI]) -> None:
        """Nothing for a starter, a part for some predictions, all for the rest; emptied checks come back."""
        name, (deserved, some) = next(iter(answers("partly", GRADED_BY_NBGRADER).items()))
        cell, left = name.partition(":")[0], LEFT_TO_THE_STARTER
        notebook = instructors(GRADED_BY_NBGRADER)
        filled = {c.id: c.source for c in notebook.cells if nbgrader_of(c).get("solution")}
        del filled[left]
        full = {c.id: float(nbgrader_of(c)["points"]) for c in checks_of(notebook)}
        given = self.grade(course, "ada", {**filled, cell: some})
        assert given == {**full, f"check-{cell}": deserved, f"check-{left}": 0.0}

    def grade(
        self, course: tuple[Path, NbGraderAPI], student: str, filled: dict[str, str]
    ) -> dict[str, float]:
        """Hand in a copy with these cells filled in and all checks emptied, and let nbgrader grade it."""
        lab, (root, nbgrader) = GRADED_BY_NBGRADER, course
        notebook = read(root / lab / f"{lab}.ipynb")
        for cell in notebook.cells:
            cell.source = filled.get(cell.id, cell.source).strip()
        for cell in checks_of(notebook):
            cell.source = "pass"
        folder = root / "grading" / "submitted" / student / lab
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{lab}.ipynb")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = nbgrader.autograde(lab, student)
            assert outcome["success"], outcome["log"]
            with nbgrader.gradebook as gradebook:
                (submitted,) = gradebook.find_submission(lab, student).notebooks
                return {
                    grade.name: grade.auto_score
                    for grade in submitted.grades
                    if grade.name.startswith("check-")
                }


@pytest.mark.parametrize("lab", NAMES)
class TestStudentCopies:
    """What students get."""

    def test_it_has_no_solution_no_hidden_test_no_output(self, lab: str) -> None:
        copy = read(LABS / lab / f"{lab}.ipynb")
        text = "\n".join(cell.source for cell in copy.cells)
        assert not re.search("SOLUTION|HIDDEN", text)
        for cell in instructors(lab).cells:
            for secret in HIDDEN.findall(cell.source) + SOLUTION.findall(cell.source):
                assert secret not in text
        assert [cell.id for cell in copy.cells if cell.get("outputs")] == []

    def test_what_grades_is_locked_and_the_points_add_up(self, lab: str) -> None:
        copy = read(LABS / lab / f"{lab}.ipynb")
        cells = [cell for cell in copy.cells if nbgrader_of(cell)]
        assert [c.id for c in checks_of(copy) if not nbgrader_of(c)["locked"]] == []
        assert sum(nbgrader_of(cell).get("points", 0) for cell in cells) == POINTS
        identifiers = [nbgrader_of(cell)["grade_id"] for cell in cells]
        assert len(set(identifiers)) == len(identifiers)
        assert {nbgrader_of(cell)["schema_version"] for cell in cells} == {3}

    def test_one_question_is_marked_by_hand(self, lab: str) -> None:
        written = [
            c for c in read(LABS / lab / f"{lab}.ipynb").cells if c.cell_type == "markdown" and nbgrader_of(c)
        ]
        assert [nbgrader_of(cell)["points"] for cell in written] == [3]


@pytest.mark.parametrize("lab", NAMES)
class TestInstructorNotebooks:
    """What instructors keep."""

    def test_hidden_tests_use_both_widths(self, lab: str) -> None:
        for cell in checks_of(instructors(lab)):
            for hidden in HIDDEN.findall(cell.source):
                for devices in (NARROW, WIDE):
                    assert any(f'"{device}"' in hidden for device in devices), f"{cell.id}: none of {devices}"

    def test_no_check_uses_time(self, lab: str) -> None:
        code = "\n".join(cell.source for cell in instructors(lab).cells if cell.cell_type == "code")
        assert not re.search(r"perf_counter|import time|%time", code)

    def test_shapes_are_what_numba_takes(self, lab: str) -> None:
        """On a GPU Numba takes numbers and names as the shape of an array, and refuses `3 * THREADS`."""
        code = "\n\n".join(cell.source for cell in instructors(lab).cells if cell.cell_type == "code")
        for call in (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) in ("cuda.shared.array", "cuda.local.array"):
                sums = [node for node in ast.walk(call.args[0]) if isinstance(node, ast.BinOp)]
                names = [one for node in sums for one in ast.walk(node) if isinstance(one, ast.Name)]
                assert names == [], ast.unparse(call)

    def test_it_stores_no_live_widget(self, lab: str) -> None:
        notebook = instructors(lab)
        assert "widgets" not in notebook.metadata
        kinds = {kind for c in notebook.cells for o in c.get("outputs", []) for kind in o.get("data", {})}
        assert "application/vnd.jupyter.widget-view+json" not in kinds
