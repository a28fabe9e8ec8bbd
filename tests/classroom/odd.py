"""What do students hand in by mistake, and which points does it deserve? 12 are from checks.

Each case: what is handed in, the points of its checks (None: left to a person), and a part of the reason why
somebody has to look at it ("": nobody has to).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import nbformat
from nbformat import NotebookNode, v3, v4

from tests.classroom.small_lab import ANSWERS, LAB, STARTERS, answered

Files = dict[str, bytes]


class Case(NamedTuple):
    files: Callable[[NotebookNode], Files]
    points: float | None
    look: str = ""


def as_file(notebook: Any) -> bytes:
    return json.dumps(notebook, ensure_ascii=False).encode()


def right(released: NotebookNode, **others: str) -> NotebookNode:
    return answered(released, {**ANSWERS, **others})


def handed(change: Callable[[NotebookNode], Any] = lambda notebook: None, **answers: str) -> Any:
    """The right notebook with these other answers, changed in place."""

    def files(released: NotebookNode) -> Files:
        notebook = right(released, **answers)
        change(notebook)
        return {f"{LAB}.ipynb": as_file(notebook)}

    return files


def content(change: Callable[[bytes], bytes], name: str = f"{LAB}.ipynb") -> Any:
    """The right notebook, with its bytes changed."""
    return lambda released: {name: change(as_file(right(released)))}


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(each for each in notebook.cells if each.id == name)


def kernel(name: str | None) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.metadata = {} if name is None else {"kernelspec": {"name": name, "display_name": name}}

    return change


def without_ids(notebook: NotebookNode) -> None:
    for each in notebook.cells:
        del each["id"]
    notebook.nbformat_minor = 4


def stripped(notebook: NotebookNode) -> None:
    without_ids(notebook)
    for each in notebook.cells:
        each.metadata = {}


def of_another_kind(name: str, kind: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        each = cell(notebook, name)
        each.cell_type = kind
        if kind == "code":
            each.update(outputs=[], execution_count=None)
        else:
            each.pop("outputs", None)
            each.pop("execution_count", None)

    return change


def deleted(notebook: NotebookNode) -> None:
    notebook.cells = [each for each in notebook.cells if each.id not in ("double", "check-double")]


def nbgrader(name: str, **what: object) -> Callable[[NotebookNode], None]:
    return lambda notebook: cell(notebook, name).metadata["nbgrader"].update(what)


def copied(name: str, source: str = "") -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        twin = copy.deepcopy(cell(notebook, name))
        twin.id, twin.source = "twin", source or twin.source
        notebook.cells.insert(2, twin)

    return change


def extra_graded(notebook: NotebookNode) -> None:
    marks = {"grade": True, "grade_id": "more", "points": 9, "locked": False, "solution": False}
    notebook.cells.append(v4.new_code_cell("9.0", metadata={"nbgrader": {**marks, "schema_version": 3}}))


def old_format(released: NotebookNode) -> Files:
    old = nbformat.convert(right(released), 3)
    return {f"{LAB}.ipynb": v3.writes_json(old).encode()}


def stored_output(notebook: NotebookNode) -> None:
    cell(notebook, "double").outputs = [v4.new_output("stream", text="x" * 40_000_000)]


def copies(released: NotebookNode) -> Files:
    return {f"{LAB}.ipynb": as_file(right(released)), f"{LAB}-Copy1.ipynb": as_file(released)}


def helper(released: NotebookNode) -> Files:
    notebook = right(released, double="from mine import double")
    return {f"{LAB}.ipynb": as_file(notebook), "mine.py": b"def double(x):\n    return 2 * x\n"}


def long_cells(notebook: NotebookNode) -> None:
    notebook.cells += [v4.new_markdown_cell("x" * 150_000) for _ in range(7)]


LATIN = "def double(x):\n    return 2 * x  # für alle"
STDERR = "import sys\n\n\ndef double(x):\n    sys.stderr.write('thinking')\n    return 2 * x"
WARNS = "def double(x):\n    np.float32(1) / np.float32(0)\n    return 2 * x"
SLEEPS = "import time\n\nwhile True:\n    time.sleep(0.05)"
SWALLOWS = """
import time

while True:
    try:
        while True:
            time.sleep(0.05)
    except KeyboardInterrupt:
        pass
"""

ODD: dict[str, Case] = {
    "right": Case(handed(), 12),
    "Zoë O'Neil_7": Case(handed(), 12),
    "kernel julia": Case(handed(kernel("julia-1.9")), 12),
    "kernel of another name": Case(handed(kernel("gpu-course")), 12),
    "no kernel": Case(handed(kernel(None)), 12),
    "no cell ids": Case(handed(without_ids), 12),
    "check turned into Markdown": Case(handed(of_another_kind("check-double", "markdown")), 12),
    "answer turned into code": Case(handed(of_another_kind("explain", "code")), 12),
    "a copy beside it": Case(copies, 12),
    "helper file": Case(helper, 8, "`double` cannot be handed to the checks"),
    "partly right": Case(
        handed(predictions='predicted = {"a": {"x": 3, "y": 5}}', double=STARTERS["double"]), 6
    ),
    "starter untouched": Case(lambda released: {f"{LAB}.ipynb": as_file(released)}, 0),
    "infinite loop": Case(handed(double=SLEEPS), 8),
    "loop behind an answer": Case(handed(double=f"{ANSWERS['double']}\n{SLEEPS}"), 12),
    "loop in a function": Case(handed(double="def double(x):\n    while True:\n        pass"), 8),
    "loop that swallows the interrupt": Case(handed(double=SWALLOWS), 8),
    "syntax error": Case(handed(double="def double(x)\n    return 2 * x"), 8),
    "input()": Case(handed(double=f"n = input()\n{ANSWERS['double']}"), 12),
    "input() in a function": Case(handed(double="def double(x):\n    return int(input())"), 8, "`input`"),
    "prints 32 MB": Case(handed(double=f"{ANSWERS['double']}\nprint(('x' * 1000 + '\\n') * 32_000)"), 12),
    "prints 100 MB in long lines": Case(handed(double=f"{ANSWERS['double']}\nprint('x' * 100_000_000)"), 12),
    "40 MB of stored output": Case(handed(stored_output), 12),
    "NumPy warning in a check": Case(handed(double=WARNS), 12),
    "writes to stderr": Case(handed(double=f"import sys\n\nsys.stderr.write('x')\n{ANSWERS['double']}"), 12),
    "deleted answer and check": Case(handed(deleted), 8, "the answer `double` is not in the notebook"),
    "reversed cells": Case(handed(lambda notebook: notebook.cells.reverse()), 12),
    "metadata stripped": Case(handed(stripped), 12),
    "format 3": Case(old_format, 12),
    "grade_id renamed": Case(handed(nbgrader("check-double", grade_id="other")), 12),
    "answer's grade_id renamed": Case(handed(nbgrader("double", grade_id="other")), 12),
    "points forged": Case(handed(nbgrader("check-double", points=400), double="double = None"), 8),
    "solution forged in a check": Case(handed(nbgrader("check-double", solution=True, locked=False)), 12),
    "extra graded cell": Case(handed(extra_graded), 12),
    "copied check": Case(handed(copied("check-double")), 12),
    "copied answer": Case(handed(copied("double")), 12),
    "copied starter": Case(handed(copied("double", STARTERS["double"] + "\n# YOUR CODE HERE")), 12),
    "two different answers": Case(
        handed(copied("double", "def double(x):\n    return 3 * x")), 12, "2 times"
    ),
    "0 bytes": Case(content(lambda told: b""), None, "the file is empty"),
    "cut": Case(content(lambda told: told[: len(told) // 2]), None, "no notebook, or a part of one"),
    "byte order mark": Case(content(lambda told: b"\xef\xbb\xbf" + told), 12),
    "UTF-16": Case(content(lambda told: told.decode().encode("utf-16")), 12),
    "Latin-1": Case(
        lambda released: {f"{LAB}.ipynb": as_file(right(released, double=LATIN)).decode().encode("latin-1")},
        12,
    ),
    "a JSON list": Case(content(lambda told: b"[" + told + b"]"), None, "JSON, but no notebook"),
    "small (1).ipynb": Case(content(lambda told: told, "small (1).ipynb"), 12),
    "two other names": Case(
        lambda released: {name: as_file(right(released)) for name in ("a.ipynb", "b.ipynb")},
        None,
        "a.ipynb, b.ipynb",
    ),
    "os._exit": Case(handed(double=f"import os\n\nos._exit(1)\n{ANSWERS['double']}"), 12, "`import os`"),
    "half of a character": Case(
        content(lambda told: told.replace(b"return 2 * x", b"return 2 * x  # \\ud83d")),
        12,
        "half of a character",
    ),
    "a million characters": Case(handed(double="#" * 10**6), None, "1,000,0"),
    "many long cells": Case(handed(long_cells), None, "1,051,"),
    "sys.stderr in a function": Case(handed(double=STDERR), 8, "`sys` cannot be handed to the checks"),
}
