"""A lab of three tasks that takes a second: 4 points each from checks, and 3 for a written answer."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

LAB = "small"
SECRET = "double-of-seven"  # stands in a hidden test, and in what it says
SETUP = """
import numpy as np

from gpusim import cuda, grading


def check_tripled(kernel, device):
    x, out = np.arange(64.0), np.zeros(64)
    grading.launched(grading.launch(kernel, 2, 32), x, out, device=device, where=device)
    grading.same(out, 3 * np.arange(64.0), device)


grading.keep(globals())
"""
ANSWERS = {
    "predictions": 'predicted = {"a": {"x": 3, "y": 4}}',
    "double": "def double(x):\n    return 2 * x",
    "triple": "@cuda.jit\ndef triple(x, out):\n    i = cuda.grid(1)\n    out[i] = 3 * x[i]",
    "explain": "It is **twice** as much.",
}
STARTERS = {
    "predictions": 'predicted = {"a": {"x": None, "y": None}}',
    "double": "def double(x):\n    return 0",
    "triple": "@cuda.jit\ndef triple(x, out):\n    i = cuda.grid(1)\n    out[i] = x[i]",
}
CHECKS = {
    "check-predictions": """
right = {"a": {"x": 3, "y": 4}}
grading.predictions(predicted, right, 4, why=lambda *what: f"{what} is not right, look again please.")
""",
    "check-double": f"""
grading.require(grading.answered(double, 4) == 8, "double(4) is 8, and your function says something else.")
### BEGIN HIDDEN TESTS
grading.require(grading.answered(double, 7) == 14, "{SECRET}: double(7) is not 14, as it should be.")
### END HIDDEN TESTS
""",
    "check-triple": """
check_tripled(triple, "H200")
### BEGIN HIDDEN TESTS
check_tripled(triple, "MetaX C500")
### END HIDDEN TESTS
""",
}


def _nbgrader(name: str, **what: object) -> dict[str, object]:
    usual = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    return {"nbgrader": {**usual, "grade_id": name, **what}}


def instructors() -> NotebookNode:
    """The instructor's notebook, with solutions and hidden tests."""
    cells = [
        v4.new_markdown_cell("# A small lab", id="title"),
        v4.new_code_cell(SETUP.strip(), id="setup", metadata=_nbgrader("setup")),
    ]
    for name, starter in STARTERS.items():
        solution = f"### BEGIN SOLUTION\n{ANSWERS[name]}\n### END SOLUTION"
        source = f"{starter}\n{solution}"
        answer = _nbgrader(name, solution=True, locked=False)
        cells.append(v4.new_code_cell(source, id=name, metadata=answer))
        check = _nbgrader(f"check-{name}", grade=True, points=4)
        source = f"# Check: {name} (4 points)\n{CHECKS[f'check-{name}'].strip()}"
        passed = [v4.new_output("stream", text="fine")]
        cells.append(v4.new_code_cell(source, id=f"check-{name}", metadata=check, outputs=passed))
    cells.append(v4.new_markdown_cell("Why is it so?", id="task-explain"))
    written = _nbgrader("explain", grade=True, solution=True, locked=False, points=3)
    cells.append(v4.new_markdown_cell("*Your answer here.*", id="explain", metadata=written))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return v4.new_notebook(cells=cells, metadata=kernel)


def write_instructors(labs: Path) -> None:
    folder = labs / "instructor" / LAB
    folder.mkdir(parents=True)
    nbformat.write(instructors(), folder / f"{LAB}.ipynb")


def answered(released: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """The released notebook with these answers in it."""
    notebook = nbformat.from_dict(released)
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    return notebook
