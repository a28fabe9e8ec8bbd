"""What crosses to the checks? All of every right answer of the course, and nothing that runs by itself."""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import importlib.util
from types import ModuleType

import pytest

from classroom import audit, carrying, names
from classroom.audit import findings
from classroom.carrying import carried
from classroom.mending import is_answer
from classroom.names import bound, defined, needed
from tests.classroom.cheats import CHEATS
from tests.classroom.small_lab import SETUP
from tests.labs.shell import NAMES, instructors

RUNS = (
    "print(1)",
    "np.array_equal = lambda *a: True",
    "import os",
    "from os import *",
    "x = __import__('os')",
    "x = (lambda: setattr(grading, 'require', None))()",
    "x = [grading.__dict__.clear() for _ in range(1)]",
    "x = sorted([1], key=evil)",
    "x = min(map(evil, [1]))",
    "x = np.vectorize(evil)([1])",
    "x = gpusim.use('T4')",
    "x = (y := 1)",
    "@evil\ndef f():\n    pass",
    "def f(x=evil()):\n    pass",
    "@cuda.jit(evil())\ndef f():\n    pass",
    "class A(metaclass=Evil):\n    pass",
    "class A:\n    evil()",
    "class A:\n    def __set_name__(self, owner, name):\n        pass",
    "class A:\n    def __eq__(self, other):\n        return True",
    "with open('x') as f:\n    pass",
    "for x in evil():\n    pass",
    "del grading",
    "def lanes_of(device):\n    return 1",
    "lanes_of = 1",
)


@pytest.mark.parametrize("source", RUNS)
def test_what_runs_by_itself_stays_behind(source: str) -> None:
    crossed = carried(f"def evil(*x):\n    pass\n{source}", {}, frozenset({"lanes_of", "grading"}))
    names = [each.name for each in ast.walk(ast.parse(crossed.source)) if isinstance(each, ast.FunctionDef)]
    assert names == ["evil"]
    assert ast.unparse(ast.parse(crossed.source)).splitlines()[2:] in ([], ["pass"])


@pytest.mark.parametrize("module", [audit, carrying, names])
def test_examples_in_docstrings(module: ModuleType) -> None:
    failed, attempted = doctest.testmod(module)
    assert (failed, attempted > 0) == (0, True)


def test_lines_keep_their_numbers() -> None:
    source = "print(\n    1\n)\n\n\n@cuda.jit\ndef f(x):  # mine\n    x[0] = 1; print(2)\nK = 4; print(3)\n"
    crossed = carried(source, {}, frozenset()).source.splitlines()
    assert crossed[6:9] == ["def f(x):  # mine", "    x[0] = 1; print(2)", "K = 4; pass"]


def test_values_cross_as_literals_only() -> None:
    values = {"a": ("", "[1, 2]"), "b": ("", "__import__('os')"), "c": ("<i8", "[1, 2]"), "np": ("", "3")}
    crossed = carried("a = f()", values, frozenset({"np"}))
    assert crossed.source.splitlines() == [
        "pass",
        "a = [1, 2]",
        "c = __import__('numpy').array([1, 2], '<i8')",
    ]
    assert crossed.left == set()


def test_what_is_not_plain_is_told() -> None:
    assert carried("made = f()\nwith open('x') as file:\n    pass", {}, frozenset()).left == {"made", "file"}


@functools.cache
def locked(lab: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What the locked cells of a lab define, bind and need."""
    cells = [
        cell.source for cell in instructors(lab).cells if cell.cell_type == "code" and not is_answer(cell)
    ]
    return tuple(frozenset[str]().union(*map(each, cells)) for each in (defined, bound, needed))  # type: ignore[return-value]


def answers(kind: str) -> list[tuple[str, str]]:
    """All answers of this kind that the labs are tested with: (lab, its name)."""
    found = []
    for lab in NAMES:
        name = f"tests.labs.answers.{kind}.{lab.replace('-', '_')}"
        if importlib.util.find_spec(name):
            found += [(lab, each) for each in importlib.import_module(name).ANSWERS]
    return found


@pytest.mark.parametrize(("lab", "name"), answers("right"))
def test_every_right_answer_crosses_and_none_is_flagged(lab: str, name: str) -> None:
    """A table of predictions comes as its value; all else as its source."""
    source = importlib.import_module(f"tests.labs.answers.right.{lab.replace('-', '_')}").ANSWERS[name]
    kept, binds, needs = locked(lab)
    crossed = carried(source, {"predicted": ("", "{}")} if "predicted" in bound(source) else {}, kept)
    assert crossed.left & (needs | needed(crossed.source)) - binds == set()
    assert findings(source, kept) == []


@pytest.mark.parametrize("cheat", [name for name, cheat in CHEATS.items() if cheat.note.startswith("`")])
def test_what_a_cell_reaches_for_is_found(cheat: str) -> None:
    kept = defined(SETUP) | {"np", "grading"}
    assert any(CHEATS[cheat].note in each.what for each in findings(CHEATS[cheat].source, kept))


@pytest.mark.parametrize(
    "body",
    [
        "ip = get_ipython()",
        "from IPython import get_ipython as g",
        "getattr(np, name)",
        "grading.kept._notebooks",
        "grading.require = print",
        "().__class__",
        "import sys",
        "open('x')",
    ],
)
def test_what_a_function_reaches_for_is_to_be_looked_at(body: str) -> None:
    (found, *_) = findings(f"def f(x):\n    {body}", frozenset({"grading", "np"}))
    assert (found.line, found.inside) == (2, True)


@pytest.mark.parametrize(
    "cell", ["%time f()", "%matplotlib inline", "%%time\nf()", "import matplotlib.pyplot as plt"]
)
def test_what_students_usually_do_is_not(cell: str) -> None:
    assert findings(cell, frozenset()) == []


def test_a_shell_is_found() -> None:
    assert len(findings("!ls", frozenset())) == 2  # the call and its name


def test_no_wrong_answer_is_flagged() -> None:
    """A flag is for what reaches beyond its task, and a mistake does not."""
    flagged = []
    for lab, name in answers("wrong"):
        source = importlib.import_module(f"tests.labs.answers.wrong.{lab.replace('-', '_')}").ANSWERS[name]
        flagged += [name] if findings(source, locked(lab)[0]) else []
    assert flagged == []
