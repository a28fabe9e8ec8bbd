"""Are predictions looked at where the simulator told them, and nowhere else?"""

from __future__ import annotations

import dataclasses
import linecache
import multiprocessing
from contextlib import suppress

import nbformat
import pytest
from nbformat import v4

from classroom.alone import alone, begins, passing
from classroom.box import box
from classroom.bubblewrap import PACKAGE, Bubblewrap
from classroom.carrying import Names, Value
from classroom.course import Course, Limits
from classroom.grading import job_of, with_submission
from classroom.inside.plain_values import plain
from classroom.names import bound, held, python_of
from classroom.predicted import Cell, found, questions
from classroom.running import run
from classroom.twice import twice
from tests.classroom.conftest import hand_in
from tests.classroom.small_lab import ANSWERS, LAB, answered
from tests.labs.shell import NAMES, instructors, is_check, nbgrader_of

SETUP = """
import numpy as np
import gpusim
from gpusim import cuda, grading

DEVICES = ("H200", "MetaX C500")

@cuda.jit
def patterns(x, out):
    out[cuda.threadIdx.x] = 4 + x[0]

def lanes_of(device):
    return gpusim.devices.get(device).warp_size
"""
STARTERS = ["predicted = {'A': None, 'B': None}", "def rule(n):\n    return 0"]
EMPTY = "predicted = {p: {d: None for d in DEVICES} for p in 'AB'}\n"
RUN = "with gpusim.profile() as run:\n    patterns[1, 32](np.zeros(1), np.zeros(32))\n"
MEASURED = """\
def measured():
    with gpusim.profile() as run:
        patterns[1, 32](np.zeros(1), np.zeros(32))
    return run.global_store_sectors
"""
TOLD = {
    "a loop of runs": f"{MEASURED}{EMPTY}for p in predicted:\n    predicted[p]['H200'] = measured()",
    "rows of the table": f"{EMPTY}{RUN}for row in predicted.values():\n"
    "    row['H200'] = run.global_store_sectors",
    "by another name": f"{EMPTY}{RUN}t = predicted\nt['A']['H200'] = run.global_store_sectors",
    "what a kernel wrote": "out = np.zeros(32)\npatterns[1, 32](np.zeros(1), out)\n"
    "predicted = {'A': int(out[0])}",
    "through a call's result": f"{MEASURED}store = {{}}\ndef box():\n    return store\n"
    "box()['m'] = measured()\npredicted = {'A': store['m']}",
    "a container that a call gets": f"{MEASURED}store = {{}}\ndef put(where, what):\n    where.update(what)\n"
    "put(store, {'m': measured()})\npredicted = {'A': store['m']}",
    "a module that keeps it": f"{MEASURED}import math\nmath.answer = measured()\n"
    "predicted = {'A': math.answer}",
    "a seed": f"{MEASURED}import random\nrandom.seed(measured())\nnumber = random.random()\n"
    "predicted = {'A': next(n for n in range(99) if random.seed(n) or random.random() == number)}",
    "decimals": f"{MEASURED}import decimal\ndecimal.getcontext().prec = measured()\n"
    "predicted = {'A': len(str(decimal.Decimal(1) / 3)) - 2}",
    "a default": f"{MEASURED}store = {{}}\nput = lambda what, where=store: where.update(what)\n"
    "put({'m': measured()})\npredicted = {'A': store['m']}",
    "a generator": f"{MEASURED}def keeps(where):\n    while True:\n        where.append((yield))\n"
    "store = []\ng = keeps(store)\nnext(g)\ng.send(measured())\npredicted = {'A': store[0]}",
    "an object of Python's own": f"{MEASURED}len.__self__.answer = measured()\n"
    "predicted = {'A': abs.__self__.answer}",
    "time": f"{MEASURED}import time\nt = time.perf_counter()\ntime.sleep(measured() / 100)\n"
    "predicted = {'A': round(100 * (time.perf_counter() - t))}",
    "an error that keeps a write away": f"{MEASURED}predicted = {{'A': 8}}\nassert measured() != 8\n"
    "predicted['A'] = 16",
    "typed anew behind a probe": f"{MEASURED}predicted = {{'A': 8}}\nassert measured() != 8\n"
    "predicted = {'A': 16}",
    "what a run of the course has left": "predicted = {'A': left}",
}
OWN = {
    "typed": "predicted = {'A': {'H200': 4}}",
    "typed and compared": f"predicted = {{'A': {{'H200': 4}}}}\n{RUN}for p in predicted:\n"
    "    print(run.atomics, predicted[p])",
    "computed and compared, row by row": f"{MEASURED}{EMPTY}for p in predicted:\n"
    "    predicted[p]['H200'] = 2 * 4\n    print(measured())\n    predicted[p]['MetaX C500'] = 16",
    "within a run": f"{RUN}    predicted = {{'A': 2 * 4}}",
    "NumPy's numbers": "rows = np.array([[1, 2], [3, 4]])\n"
    "predicted = {p: dict(zip(DEVICES, row)) for p, row in zip('AB', rows)}",
    "a rule": "def by_rule(p, d):\n    return lanes_of(d) * 4\n"
    "predicted = {p: {d: by_rule(p, d) for d in DEVICES} for p in 'AB'}",
    "figures of a device": "from gpusim import cuda, devices\n"
    "predicted = {'A': devices.get('H200').warp_size, 'B': len(gpusim.devices.names())}",
    "a dataclass": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Row:\n    n: int\n"
    "    def bytes(self):\n        return 4 * self.n\npredicted = {'A': round(Row(8).bytes() / 3)}",
    "a set": "predicted = {'A': {x for x in ('one', 'two', 'three')}}",
    "a function that uses a run elsewhere": f"{MEASURED}predicted = {{'A': 8}}\n"
    "print(predicted['A'] == measured())",
}
READ = {
    "a table that a cell has filled": f"{MEASURED}TABLE = {{}}\nfor n in (8, 32):\n"
    "    TABLE[n] = measured()\ndef rule(n):\n    return TABLE[n]",
    "by a function of its own": f"{MEASURED}told = measured()\ndef known(n):\n    return told\n"
    "def rule(n):\n    return known(n)",
    "a default": f"{MEASURED}told = measured()\ndef rule(n, told=told):\n    return told",
    "what is made of it": f"{MEASURED}import functools\nT = {{8: measured()}}\n"
    "look = functools.partial(dict.get, T)\ndef rule(n):\n    return look(n)",
    "by a name of Python's": f"{MEASURED}copyright = {{8: measured()}}\n"
    "def rule(n):\n    return copyright[n]",
    "of a function that takes it from a call": f"{MEASURED}TABLE = {{}}\ndef put(where, what):\n"
    "    where.update(what)\nput(TABLE, {8: measured()})\nrule = TABLE.get",
}
UNREAD = {
    "a table that is typed": "TABLE = {8: 1, 32: 4}\ndef rule(n):\n    return TABLE[n]",
    "a table that is computed": f"{RUN}TABLE = {{}}\nfor n in (8, 32):\n    TABLE[n] = n // 8\n"
    "def rule(n):\n    return TABLE[n]",
    "figures of a device": "gpu = gpusim.devices.get('H200')\ndef rule(n):\n    return n // gpu.warp_size",
    "who measures what the rule says": f"{MEASURED}def rule(n):\n    return n // 8\n"
    "n = measured()\nprint(rule(n))",
    "a name of its own": f"{MEASURED}told = measured()\ndef rule(n):\n    told = n // 8\n    return told",
}


def _ran(sources: list[str], names: list[list[str]]) -> list[dict[str, Value]]:
    """What these names hold after each cell. In a process of its own."""
    space: dict[str, object] = {"__name__": "__main__"}
    values = []
    for n, (source, wanted) in enumerate(zip(sources, names, strict=True)):
        name = f"<cell {n}>"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        with suppress(Exception):
            exec(compile(source, name, "exec"), space)
        values.append(plain(space, wanted))
    return values


def looked_at(*sources: str, course: str = SETUP) -> list[str]:
    """What is said of these cells of a student, behind the course's first one."""
    own = [Cell(f"own-{n}", source, "own") for n, source in enumerate(sources, 1)]
    check = Cell("check", "grading.predictions(predicted, {}, 4)\nrule(8)", "check")
    cells = [Cell("setup", course, "course"), *own, check]
    asked = questions(
        cells, STARTERS, Names.of([each.source for each in cells], held([course, check.source]))
    )
    if not asked:
        return []
    wanted = [[], *([*asked.get(each.id, ())] for each in own)]
    texts = [course, *(python_of(each.source) for each in own)]
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        seen, without = pool.starmap(
            _ran, [(texts, wanted), ([begins(), *map(passing, texts)], [[], *wanted])], chunksize=1
        )
    ids = ["setup", *(each.id for each in own)]
    return found(asked, dict(zip(ids, seen, strict=True)), dict(zip(ids, without[1:], strict=True)))


@pytest.mark.parametrize("name", TOLD)
def test_a_table_that_the_simulator_told_is_looked_at(name: str) -> None:
    left = f"{SETUP}{RUN}left = run.global_store_sectors\n"
    assert [each[:25] for each in looked_at(TOLD[name], course=left)] == ["cell `own-1`: `predicted`"]


@pytest.mark.parametrize("name", OWN)
def test_a_table_of_the_students_own_is_not(name: str) -> None:
    assert looked_at(OWN[name]) == []


@pytest.mark.parametrize("name", READ)
def test_a_function_that_reads_what_a_run_left_is_looked_at(name: str) -> None:
    (said,) = looked_at(READ[name])
    assert "reads" in said


@pytest.mark.parametrize("name", UNREAD)
def test_a_function_with_a_rule_is_not(name: str) -> None:
    assert looked_at(UNREAD[name]) == []


def test_a_cell_that_keeps_the_right_value_by_an_error_is_looked_at() -> None:
    """In cells of their own, the one behind the right value does not come to its write."""
    probes = [f"{MEASURED}assert measured() != {n}\npredicted['A'] = {2 * n}" for n in (2, 4, 8, 16)]
    assert [each[:12] for each in looked_at("predicted = {'A': 2}", *probes)] == ["cell `own-4`"]


def test_what_stands_behind_the_check_is_not_asked_for() -> None:
    """Who predicts and writes what was measured into the table afterwards is no case for a person."""
    cells = [
        Cell("mine", "predicted = {'A': 3}", "own"),
        Cell("check", "predicted", "check"),
        Cell("later", f"{MEASURED}predicted['A'] = measured()", "own"),
    ]
    assert questions(cells, STARTERS, Names.of([each.source for each in cells], frozenset())) == {}


@pytest.mark.parametrize("lab", NAMES)
def test_a_labs_own_predictions_need_no_run_without_the_simulator(lab: str) -> None:
    """Typed tables come before all that runs. Later cells may print, and their constants are compared."""
    notebook = instructors(lab)
    code = [each for each in notebook.cells if each.cell_type == "code"]
    answers = {each.id for each in code if nbgrader_of(each).get("solution")}
    cells = [
        Cell(each.id, each.source, "own" if each.id in answers else "check" if is_check(each) else "course")
        for each in code
    ]
    starters = [each.source.partition("### BEGIN SOLUTION")[0] for each in code if each.id in answers]
    kept = held([each.source for each in cells if each.kind != "own"])
    asked = questions(cells, starters, Names.of([each.source for each in cells], kept))
    assert not any("predicted" in names for names in asked.values())


REACHES = {
    "imports": "import gpusim.profile",
    "a new import": "import sys\nfor n in [n for n in sys.modules if n[:6] == 'gpusim']: del sys.modules[n]\n"
    "import gpusim\ngpusim.profile",
    "importlib": "import importlib, sys\nimportlib.reload(sys.modules['gpusim']).profile",
    "its path": "import gpusim\ngpusim.__path__ = [PACKAGE]\nimport gpusim.profile",
    "another Python": "import subprocess, sys\n"
    "subprocess.run([sys.executable, '-c', 'import gpusim.profile'], check=True)",
    "its files": "assert list(pathlib.Path(PACKAGE).rglob('*.py*'))",
    "other files": "import sysconfig\nhere = pathlib.Path(sysconfig.get_paths()['purelib'])\n"
    "assert list(here.glob('gpusim/*.py'))",
    "a helper": "import helper",
    "a process that is there": "places = pathlib.Path('/proc').glob('[0-9]*/root' + PACKAGE)\n"
    "assert any(list(place.iterdir()) for place in places)",
}


@pytest.mark.usefixtures("isolated")
def test_nothing_leads_to_the_simulator_in_a_box_without_it() -> None:
    sources = [f"import pathlib\nPACKAGE = {str(PACKAGE)!r}\n{each}\n'reached'" for each in REACHES.values()]
    cells = [v4.new_code_cell(each, id=f"way-{n}") for n, each in enumerate(sources)]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(begins(), id="begins"), *cells])
    with box(Limits(), Bubblewrap(), simulator=False) as made:
        ran = run(notebook, made)
    reached = [name for n, name in enumerate(REACHES) if ran.status[f"way-{n}"] == "ok"]
    assert (ran.ended, ran.status["begins"], reached) == ("", "ok", [])


def test_a_notebook_without_the_simulator_has_its_cells_but_for_checks() -> None:
    check = {"nbgrader": {"grade": True, "grade_id": "check", "points": 1}}
    cells = [v4.new_code_cell("n = 1", id="a"), v4.new_code_cell("n", id="b", metadata=check)]
    made = alone(v4.new_notebook(cells=cells)).cells
    assert [each.id for each in made[1:]] == ["a", "b"]
    assert (bound(made[1].source), made[2].source) == ({"n"}, "")


def graded(made: Course, source: str, *, seconds_per_cell: int = 15) -> list[str]:
    """What is to be looked at, where this is the answer in the cell `predictions`."""
    notebook = answered(nbformat.read(made.released(LAB), 4), {**ANSWERS, "predictions": source})
    hand_in(made, "ada", {f"{LAB}.ipynb": nbformat.writes(notebook).encode()})
    job = with_submission(job_of(made, LAB, isolated=True), made, "ada")
    job = dataclasses.replace(job, limits=dataclasses.replace(job.limits, seconds_per_cell=seconds_per_cell))
    page = nbformat.reads(twice(job), 4)
    look: list[str] = page.metadata["classroom"]["look"]
    return look


ASKS = """\
out = np.zeros(2)
@cuda.jit
def ask(out):
    out[0], out[1] = 3, 4
"""


@pytest.mark.usefixtures("isolated")
@pytest.mark.parametrize(
    ("source", "look"),
    [
        (
            f"{ASKS}ask[1, 1](out)\npredicted = {{'a': dict(zip('xy', map(int, out)))}}",
            ["cell `predictions`: `predicted` is not what its statements give without the simulator"],
        ),
        (f"{ASKS}predicted = {{'a': {{name: 3 + n for n, name in enumerate('xy')}}}}\nask[1, 1](out)", []),
    ],
)
def test_a_graded_submission_says_so(made: Course, source: str, look: list[str]) -> None:
    assert graded(made, source) == look


@pytest.mark.usefixtures("isolated")
def test_a_cell_that_does_not_end_without_the_simulator_says_so(made: Course) -> None:
    source = f"""\
{ASKS}while not out[1]:
    try:
        ask[1, 1](out)
    except Exception:
        pass
predicted = {{"a": {{"x": int(out[0]), "y": int(out[1])}}}}
"""
    (look,) = graded(made, source, seconds_per_cell=8)
    assert look.endswith("simulator (without it the cell `predictions` did not end in its time)")
