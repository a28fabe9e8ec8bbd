"""Is a table of predictions looked at where a run may have filled it in, and nowhere else?"""

from __future__ import annotations

import nbformat
import pytest

from classroom.carrying import Names
from classroom.course import Course
from classroom.grading import job_of, with_submission
from classroom.predicted import Cell, read_from_runs, told_by_runs
from classroom.twice import twice
from tests.classroom.conftest import hand_in
from tests.classroom.small_lab import ANSWERS, LAB, answered

SETUP = """
import numpy as np
import gpusim
from gpusim import cuda, grading

DEVICES = ("H200", "MetaX C500")

@cuda.jit
def patterns(x, out):
    out[0] = x[0]

def lanes_of(device):
    return gpusim.devices.get(device).warp_size
"""
EMPTY = "predicted = {p: {d: None for d in DEVICES} for p in 'AB'}\n"
RUN = "with gpusim.profile() as run:\n    patterns[1, 32](np.ones(1), np.ones(1))\n"
TOLD = {
    "a loop of runs": f"""\
{EMPTY}for p in predicted:
    with gpusim.profile() as run:
        patterns[1, 32](np.ones(1), np.ones(1))
    predicted[p]['H200'] = run.atomics""",
    "rows of the table": f"{EMPTY}{RUN}for row in predicted.values():\n    row['H200'] = run.atomics",
    "by another name": f"{EMPTY}{RUN}t = predicted\nt['A']['H200'] = run.atomics",
    "of a list": f"{RUN}found = []\nfound.append(run.atomics)\npredicted = dict(A=found[0])",
    "by a function": f"""\
def counted():
    with gpusim.profile() as run:
        pass
    return run.atomics
{EMPTY}predicted['A']['H200'] = counted()""",
    "into a function's argument": f"""\
def fill(t):
    t['A'] = {{'H200': gpusim.profile().__enter__().atomics}}
{EMPTY}fill(predicted)""",
    "what a kernel wrote": """\
out = np.zeros(1)
patterns[1, 32](np.ones(1), out)
predicted = {'A': {'H200': out[0]}}""",
    "an import within a function": """\
def counted():
    import gpusim as g
    return g.profile()
predicted = {'A': counted()}""",
    "another module": "import json\npredicted = json.loads('{}')",
    "a shell": "from IPython import get_ipython as shell\npredicted = shell().user_ns['x']",
    "an output of before": "predicted = Out[3]",
    "a text that is run": 'exec("predicted = 1")',
    "a row that is a run's": "predicted = {'A': {'H200': 4}} | {'B': gpusim.profile()}",
    "where nothing names it": "x = 1",
}
OWN = {
    "typed": "predicted = {'A': {'H200': 4}}",
    "typed and compared": f"""\
predicted = {{'A': {{'H200': 4}}}}
{RUN}for p in predicted:
    print(run.atomics, predicted[p])""",
    "NumPy's numbers": """\
rows = np.array([[1, 2], [3, 4]])
predicted = {p: dict(zip(DEVICES, row)) for p, row in zip('AB', rows)}""",
    "a rule": """\
def rule(p, d):
    return lanes_of(d) * 4
predicted = {p: {d: rule(p, d) for d in DEVICES} for p in 'AB'}""",
    "a loop": f"{EMPTY}for d in DEVICES:\n    predicted['A'][d] = 4 * gpusim.devices.get(d).warp_size",
    "row by row": f"""\
{EMPTY}predicted['A'].update(H200=4)
for row in predicted.values():
    row['H200'] = 4""",
    "a name that a function has, too": """\
def measured():
    total = gpusim.profile()
    return total
total = int(4)
predicted = {'A': {'H200': total}}""",
}


def looked_at(source: str, value: str = "{'A': {'H200': 4}}") -> list[str]:
    cells = [Cell("setup", SETUP, own=False), Cell("mine", source, own=True)]
    names = Names.of([each.source for each in cells], frozenset())
    return told_by_runs(cells, names, {"mine": {"predicted": value}})


@pytest.mark.parametrize("name", TOLD)
def test_what_a_run_may_have_filled_in_is_looked_at(name: str) -> None:
    assert looked_at(TOLD[name]) != []


@pytest.mark.parametrize("name", OWN)
def test_what_a_student_may_write_is_not(name: str) -> None:
    assert looked_at(OWN[name]) == []


def test_another_cell_is_looked_at_where_it_changes_the_table() -> None:
    """Who predicts and measures afterwards, in a cell of their own, is no case for a person."""
    cells = [
        Cell("setup", SETUP, own=False),
        Cell("predictions", "predicted = {'A': {'H200': 3}}", own=True),
        Cell("own-1", f"{RUN}print(predicted, run.atomics)", own=True),
        Cell("own-2", "predicted['A']['H200'] = run.atomics", own=True),
    ]
    names = Names.of([each.source for each in cells], frozenset())
    filled = {
        "predictions": {"predicted": "{'A': {'H200': 3}}"},
        "own-2": {"predicted": "{'A': {'H200': 4}}"},
    }
    assert [each[:23] for each in told_by_runs(cells, names, filled)] == ["cell `own-2`, line 1: `"]


PROBE = """\
def probe(value):
    out = np.zeros(1)
    patterns[1, 32](np.ones(1), out)
    assert out[0] != value
"""
TRIED = {
    "probed between writes": f"{PROBE}{EMPTY}predicted['A']['T4'] = 3\nprobe(3)\npredicted['A']['T4'] = 4",
    "typed anew behind a probe": f"{PROBE}predicted = {{'A': 3}}\nprobe(3)\npredicted = {{'A': {{'T4': 4}}}}",
    "what a run has left": f"{EMPTY}predicted['A']['H200'] = 3\n{RUN}assert run.atomics != 3\n"
    "predicted['A']['H200'] = 4",
    "by another name": f"{EMPTY}row = predicted['A']\nrow['T4'] = 3\n{RUN}assert run.atomics\nrow['T4'] = 4",
}


@pytest.mark.parametrize("name", TRIED)
def test_a_table_that_is_tried_out_is_looked_at(name: str) -> None:
    assert looked_at(TRIED[name]) != []


def test_a_table_whose_cell_ended_in_an_error_is_looked_at_where_it_asks_a_run() -> None:
    """In cells of their own, the one behind the right value does not come to its write."""
    cells = [
        Cell("setup", SETUP, own=False),
        Cell("predictions", "predicted = {'A': {'H200': 4}}", own=True),
        Cell("own-1", f"{RUN}print(run.atomics)", own=True),
        Cell("own-2", "assert run.atomics != 4\npredicted['A']['H200'] = 8", own=True),
    ]
    names = Names.of([each.source for each in cells], frozenset())
    filled = {"predictions": {"predicted": "{'A': {'H200': 4}}"}}
    assert told_by_runs(cells, names, filled, {"predictions", "own-1"}) == []
    (told,) = told_by_runs(cells, names, filled, {"own-2"})
    assert told.startswith("cell `own-2` writes `predicted` beside what asks a run, and ended in an error")


LOOP = f"""{RUN}for p in 'AB':
    {{}}[p]['H200'] = run.atomics
"""


@pytest.mark.parametrize(
    ("before", "change"),
    [
        ("kept = [predicted]", "predicted\n" + LOOP.format("kept[0]")),
        ("rows = predicted['A']", "predicted['A']['H200'] = 4\n" + LOOP.format("{'A': rows, 'B': rows}")),
        ("def table():\n    return predicted", "predicted['A']['H200'] = 4\n" + LOOP.format("table()")),
        ("class Kept:\n    rows = predicted", "print(predicted)\n" + LOOP.format("Kept.rows")),
        ("import json\nlater = json.loads('{}')", "predicted\nprint(predicted)\nx = 3"),
    ],
)
def test_a_table_has_its_other_names_in_all_cells(before: str, change: str) -> None:
    """A list that holds it, a row, a function that has it; and what only shows it changes nothing."""
    cells = [
        Cell("setup", SETUP, own=False),
        Cell("predictions", "predicted = {'A': {'H200': 0}}", own=True),
        Cell("own-1", before, own=True),
        Cell("own-2", change, own=True),
    ]
    names = Names.of([each.source for each in cells], frozenset())
    filled = {
        "predictions": {"predicted": "{'A': {'H200': 0}}"},
        "own-2": {"predicted": "{'A': {'H200': 4}}"},
    }
    assert [each[:12] for each in told_by_runs(cells, names, filled)] == ["cell `own-2`"]


PROFILED = "    with gpusim.profile() as run:\n        patterns[1, n](np.ones(n), np.ones(n))\n"
READ = {
    "a table that a cell has filled": f"TABLE = {{}}\nfor n in (8, 32):\n{PROFILED}"
    "    TABLE[n] = run.atomics\ndef rule(n):\n    return TABLE[n]",
    "a table that it fills when it is asked first": f"TABLE = {{}}\ndef rule(n):\n{PROFILED}"
    "    TABLE[n] = run.atomics\n    return TABLE[n]",
    "by a function of its own": f"n = 32\nif n:\n{PROFILED}"
    "told = run.atomics\ndef known(n):\n    return told\ndef rule(n):\n    return known(n)",
    "of what a kernel wrote": "out = np.zeros(1)\npatterns[1, 32](np.ones(1), out)\n"
    "def rule(n):\n    return out[0]",
    "a default": f"n = 32\nif n:\n{PROFILED}def rule(n, told=run):\n    return told.atomics",
    "of a function that counts": f"def count(n):\n{PROFILED}    return run.atomics\n"
    "TABLE = {n: count(n) for n in (8, 32)}\ndef rule(n):\n    return TABLE[n]",
}
UNREAD = {
    "a table that is typed": "TABLE = {8: 1, 32: 4}\ndef rule(n):\n    return TABLE[n]",
    "a table that its rule fills": "TABLE = {}\ndef rule(n):\n    TABLE[n] = n // 8\n    return TABLE[n]",
    "figures of a device": "gpu = gpusim.devices.get('H200')\ndef rule(n):\n    return n // gpu.warp_size",
    "who measures what the rule says": f"def rule(n):\n    return n // 8\nn = 32\nif n:\n{PROFILED}"
    "print(rule(32), run.atomics)",
    "a name of its own": f"n = 32\nif n:\n{PROFILED}def rule(n):\n    run = n // 8\n    return run",
}


def reads(source: str) -> list[str]:
    cells = [Cell("setup", SETUP, own=False), Cell("mine", source, own=True)]
    return read_from_runs(cells, Names.of([each.source for each in cells], frozenset()), ["rule"])


@pytest.mark.parametrize("name", READ)
def test_a_function_that_reads_what_a_run_left_is_looked_at(name: str) -> None:
    assert reads(READ[name]) != []


@pytest.mark.parametrize("name", UNREAD)
def test_a_function_with_a_rule_is_not(name: str) -> None:
    assert reads(UNREAD[name]) == []


@pytest.mark.usefixtures("isolated")
def test_a_graded_submission_says_so(made: Course) -> None:
    source = """\
predicted = {"a": {"x": None, "y": None}}
out = np.zeros(2)
@cuda.jit
def ask(out):
    out[0], out[1] = 3, 4
ask[1, 1](out)
for number, name in enumerate("xy"):
    predicted["a"][name] = int(out[number])
"""
    notebook = answered(nbformat.read(made.released(LAB), 4), {**ANSWERS, "predictions": source})
    hand_in(made, "ada", {f"{LAB}.ipynb": nbformat.writes(notebook).encode()})
    page = nbformat.reads(twice(with_submission(job_of(made, LAB, isolated=True), made, "ada")), 4)
    (look,) = page.metadata["classroom"]["look"]
    assert look.startswith("cell `predictions`, line 7: `predicted` is filled in with `out`")
