"""What does a lab do with an answer? Its cells run in an IPython shell of this process, without a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from nbformat import NotebookNode
from traitlets.config import Config

from gpusim.grading import CheckFailed

LABS = Path(__file__).resolve().parents[2] / "labs"
SOURCES = sorted((LABS / "instructor").glob("*/*.ipynb"))
NAMES = [source.stem for source in SOURCES]
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS", re.DOTALL)
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def instructors(lab: str) -> NotebookNode:
    return read(LABS / "instructor" / lab / f"{lab}.ipynb")


def nbgrader_of(cell: NotebookNode) -> dict[str, Any]:
    return cell.metadata.get("nbgrader", {})


def is_check(cell: NotebookNode) -> bool:
    """Does a machine grade it?"""
    return bool(nbgrader_of(cell).get("grade")) and not nbgrader_of(cell)["solution"]


def checks_of(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if is_check(cell)]


class Lab:
    """A lab that runs here: all cells once, then one answer after the other.

    Its boxes get these predictions as soon as they are there: {"predict-efficiency": value}.
    """

    def __init__(self, notebook: NotebookNode, predictions: Mapping[str, Any]) -> None:
        self._predictions = predictions
        self.boxes: dict[str, Any] = {}
        self.cells = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
        config = Config()
        config.HistoryManager.enabled = False
        self._shell = InteractiveShell(config=config)
        self._shell.display_formatter.active_types = ["text/plain"]
        self.results: dict[str, ExecutionResult] = {}

    def run(self, cells: Iterable[str] | None = None) -> dict[str, ExecutionResult]:
        """Run these cells, or all; the results of the newest runs."""
        for name in self.cells if cells is None else cells:
            self.results[name] = self._shell.run_cell(self.cells[name].source)
            if name.startswith("predict-"):
                self.boxes[name] = self._shell.user_ns["prediction"]
                self.boxes[name].value = self._predictions.get(name)
        return self.results

    def checks(self, answer: str) -> list[str]:
        """The checks of an answer: their names begin with its name."""
        return [name for name in self.cells if name.startswith(f"check-{answer}")]

    def points(self, check: str) -> float:
        """What nbgrader gives for the newest run: 0 for an error, a last value as it is, or all."""
        result = self.results[check]
        if not result.success:
            return 0.0
        most = nbgrader_of(self.cells[check])["points"]
        return float(most if result.result is None else result.result)

    def answered(self, answer: str, source: str, without: Iterable[str] = ()) -> float:
        """The points for another answer in this cell; the answer that was there comes back afterwards.

        `without`: names that there were not, where only that answer ran.
        """
        before = self._shell.user_ns.copy()
        for name in without:
            self._shell.user_ns.pop(name, None)
        self.results["answer"] = self._shell.run_cell(source)
        self.run(self.checks(answer))
        points = sum(self.points(check) for check in self.checks(answer))
        self._shell.user_ns.clear()
        self._shell.user_ns.update(before)
        return points


def says_why(lab: Lab, check: str) -> None:
    """Is what a failed check shows a sentence, and no traceback?"""
    error = lab.results[check].error_in_exec
    assert isinstance(error, CheckFailed), f"{check}: {error!r}"
    assert len(error.sentence.split()) > 8, f"{check} says only {error.sentence!r}"
    assert len(error._render_traceback_()) < 14, "\n".join(error._render_traceback_())
