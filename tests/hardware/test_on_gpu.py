"""How are launches compared with a GPU's? One is pretended: the simulator, under another schedule."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.runtime.launching import Launchable
from tests.hardware import on_gpu
from tests.hardware.compared import (
    ENDLESS,
    NOT_FOR_IT,
    ORDER,
    OTHER,
    REFUSED,
    ROUNDED,
    SAME,
    STOPPED,
    UNWRITTEN,
    Watch,
)
from tests.hardware.real_gpu import Endless, NotForIt, Refused, Translated

LAUNCH = Launchable._launch


@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2


@cuda.jit
def who_is_last(x):
    x[0] = cuda.blockIdx.x


@cuda.jit
def forgets(x):
    box = cuda.shared.array(1, np.float32)
    x[0] = box[0]


def simulated(kernel, shape, arguments):
    grid, block, shared = shape
    with gpusim.use(schedule=5):
        LAUNCH(kernel, grid, block, 0, shared, tuple(arguments))


def with_first(change):
    def repeat(kernel, shape, arguments):
        simulated(kernel, shape, arguments)
        arguments[0][0] = change(arguments[0][0])

    return repeat


def raising(error):
    def repeat(kernel, shape, arguments):
        raise error

    return repeat


def outcomes(kernel, repeat, x, gives_up=None, endless=()):
    watch = Watch(repeat, gives_up, endless)
    with watch():
        kernel[4, 8](x)
    return [comparison.outcome for comparison in watch.found]


@pytest.mark.parametrize(
    ("kernel", "repeat", "outcome"),
    [
        (double, simulated, SAME),
        (double, with_first(lambda x: x * (1 + 1e-6)), ROUNDED),
        (double, with_first(lambda x: x + 1), OTHER),
        (who_is_last, simulated, ORDER),
        (forgets, with_first(lambda _: 42), UNWRITTEN),
        (double, raising(NotForIt("a name of ours")), NOT_FOR_IT),
        (double, raising(Refused("TypingError")), REFUSED),
    ],
)
def test_a_launch_and_its_repetition_are_compared(kernel, repeat, outcome):
    x = np.arange(1, 33, dtype=np.float32)
    assert outcomes(kernel, repeat, x) == [outcome]


def test_the_program_sees_its_own_results_only():
    x = np.arange(1, 33, dtype=np.float32)
    outcomes(double, with_first(lambda x: x + 1), x)
    assert x.tolist() == list(range(2, 66, 2))


def test_a_launch_that_stops_here_is_told_and_not_repeated():
    watch = Watch(raising(AssertionError), None)
    with watch(), pytest.raises(gpusim.GpuSimError):
        double[4, 8](np.ones(3, np.float32))
    assert [comparison.outcome for comparison in watch.found] == [STOPPED]


def test_a_kernel_that_does_not_end_there_ends_the_program_and_is_left_out_the_next_time():
    told = []
    x = np.ones(32, np.float32)
    assert outcomes(double, raising(Endless("within 10 s")), x, told.append) == [ENDLESS]
    assert [[comparison.why for comparison in found] for found in told] == [["within 10 s"]]
    assert outcomes(double, raising(AssertionError), x, None, ["double"]) == [ENDLESS]


@pytest.mark.filterwarnings("ignore")
def test_arrays_that_share_memory_and_wide_warps_are_not_for_it():
    @cuda.jit
    def add(x, y):
        x[cuda.grid(1)] += y[0]

    x, watch = np.ones(32), Watch(simulated, None)
    with watch():
        add[4, 8](x, x[:1])
        with gpusim.use("MetaX C500"):
            double[4, 8](x)
    assert [comparison.outcome for comparison in watch.found] == [NOT_FOR_IT, NOT_FOR_IT]


def test_names_mean_numbas():
    pytest.importorskip("numba")
    theirs = Translated().kernel(who_is_last)
    assert theirs.py_func.__globals__["cuda"].__name__ == "numba.cuda"
    assert theirs.py_func.__code__ is who_is_last.py_func.__code__


@pytest.mark.parametrize("name", ["coalescing", "introduction"])
def test_the_cells_of_pages_and_labs_are_programs(name):
    for path in on_gpu.programs([name]):
        assert on_gpu.cells(path)
        assert not any(cell.startswith((":tags:", "---")) for cell in on_gpu.cells(path))


def test_a_table_sums_up():
    rows = [{"outcome": SAME}, {"outcome": OTHER}]
    assert on_gpu.table({"page": rows, "lab": rows}).splitlines()[-1] == "| all | 2 | 2 |"


def test_the_record_has_every_page_and_lab_that_launches_kernels():
    _, found = on_gpu.recorded()
    labs = {f"lab {path.stem}" for path in on_gpu.programs([]) if path.suffix == ".ipynb"}
    assert labs <= found.keys()
    assert not [row for rows in found.values() for row in rows if row["outcome"] in (OTHER, REFUSED)]


def test_a_row_for_each_kernel_tells_how_its_launches_ended():
    launch = {"kernel": "double", "shape": "(1, 1, 1) × (32, 1, 1)"}
    given = [(SAME, ""), (SAME, ""), (REFUSED, "a"), (REFUSED, "b"), (REFUSED, "c"), (REFUSED, "a")]
    found = {"page": [{**launch, "outcome": outcome, "why": why} for outcome, why in given]}
    assert on_gpu.kernels(found) == [("page", "double", "2 × same bits, 4 × refused there", "a; b; 1 more")]


def test_every_launch_on_record_is_told_of_some_kernel():
    _, found = on_gpu.recorded()
    told = on_gpu.kernels(found)
    counts = [int(part.split(" × ")[0]) for *_, how, _ in told for part in how.split(", ")]
    assert sum(counts) == sum(map(len, found.values()))
