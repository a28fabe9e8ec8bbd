"""Which lane accessed which byte? What is kept of a launch, and what counts as the same."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ReportError
from gpusim.ir.types import Space
from gpusim.measurements.accesses import MOST_ACCESSES, MOST_WARPS, drawn


@cuda.jit
def rows(x):
    tile = cuda.shared.array((8, 33), np.float32)
    lane, warp = cuda.threadIdx.x, cuda.threadIdx.y
    for _ in range(5):
        tile[warp, lane] = 1.0
    cuda.syncthreads()
    if lane < 8:
        x[lane] = tile[lane, 0]


def accesses(kernel, grid, block, *arguments, device="H200"):
    with gpusim.profile(device) as run:
        kernel[grid, block](*arguments)
    return run.kernels[0].accesses


def floats(n=64):
    return np.zeros(n, np.float32)


def test_a_loop_is_one_access_made_several_times():
    (store, load) = accesses(rows, 1, (32, 1), floats()).of("rows", Space.SHARED, None)
    assert (store.kind, store.array, store.width, store.times, store.warps) == ("store", "tile", 4, 5, [0])
    assert store.addresses.tolist() == [4 * lane for lane in range(32)]
    assert store.active.all()
    assert (load.kind, load.times) == ("load", 1)
    assert load.addresses[:8].tolist() == [132 * lane for lane in range(8)]
    assert load.active.tolist() == [True] * 8 + [False] * 24


def test_rows_of_33_floats_lie_differently_and_whole_lines_further_on_is_the_same():
    """Row w begins at 132·w bytes: no two begin at the same place of a line. All warps load one column."""
    store, *others, load = accesses(rows, 1, (32, 8), floats()).of("rows", Space.SHARED, None)
    assert [access.warps for access in (store, *others)] == [[warp] for warp in range(8)]
    assert {access.times for access in (store, *others)} == {5}
    assert (load.warps, load.times) == ([*range(8)], 8)


@cuda.jit
def double(x):
    i = cuda.grid(1)
    x[i] *= 2


def test_warps_that_read_the_next_line_do_the_same():
    load, store = accesses(double, 2, 128, floats(256)).of("double", Space.GLOBAL, None)
    assert load.warps == store.warps == [*range(8)]
    assert (load.times, store.times) == (8, 8)


@pytest.mark.parametrize("line_of", ["outermost", "inner"])
def test_an_access_of_a_device_function_is_found_by_either_line(line_of):
    @cuda.jit(device=True)
    def first_of(pair):
        return pair[0]

    @cuda.jit
    def kernel(x):
        x[cuda.threadIdx.x] = first_of(x[2:4])

    found = accesses(kernel, 1, 32, floats())
    load, _store = found.of("kernel", Space.GLOBAL, None)
    span = load.span.outermost if line_of == "outermost" else load.span
    assert load in found.of("kernel", Space.GLOBAL, span.line)
    assert load.made().source == "x[cuda.threadIdx.x] = first_of(x[2:4])"


@cuda.jit
def two_loads(x, y):
    t = cuda.threadIdx.x
    y[t] = x[t + x[0]] + x[2 * (t % 4)] + y[x[t] + 1]


def test_an_access_is_quoted_as_it_is_written():
    found = accesses(two_loads, 1, 32, np.zeros(64, np.int32), np.zeros(64, np.int32))
    written = [access.made().expression for access in found.of("two_loads", Space.GLOBAL, None)]
    assert written == ["x[0]", "x[t + x[0]]", "x[2 * (t % 4)]", "x[t]", "y[x[t] + 1]", "y[t]"]


CPP = r"""
extern "C" __global__ void k(const float* p, float* q) {
    __shared__ float a[32], b[32];
    float* either = threadIdx.x % 2 ? a : b;
    either[threadIdx.x] = p[2 * threadIdx.x];
    __syncthreads();
    q[threadIdx.x] = *(a + 3);
}
"""


def test_cuda_cpp_is_quoted_too_and_a_pointer_names_what_it_reaches():
    with gpusim.profile() as run:
        gpusim.RawModule(code=CPP).get_function("k")((1,), (32,), (floats(), floats()))
    found = run.kernels[0].accesses
    load, store = found.of("k", Space.GLOBAL, None)
    assert (load.made().expression, store.made().expression) == (
        "p[2 * threadIdx.x]",
        "q[threadIdx.x]",
    )
    mixed, last = found.of("k", Space.SHARED, None)
    assert mixed.made().array == "a, b"
    assert last.made().array == "a"


def test_a_line_without_such_an_access_says_which_have_one():
    found = accesses(double, 1, 32, floats())
    load, _ = found.of("double", Space.GLOBAL, None)
    with pytest.raises(
        ReportError,
        match=f"no load or store or atomic of global memory in line 1; lines that do: {load.span.line}$",
    ):
        found.of("double", Space.GLOBAL, 1)
    with pytest.raises(ReportError, match="double makes no load or store or atomic of shared memory"):
        found.of("double", Space.SHARED, None)


def test_a_large_grid_is_not_recorded():
    found = accesses(double, MOST_WARPS + 1, 32, floats(32 * MOST_WARPS + 32))
    with pytest.raises(ReportError, match="its grid has 65 warps, more than 64; launch a smaller grid"):
        found.of("double", Space.GLOBAL, None)


@cuda.jit
def wander(x, n):
    for k in range(n):
        x[(cuda.threadIdx.x * k) % x.size] = k


def test_too_many_different_accesses_are_not_recorded():
    found = accesses(wander, 1, 32, floats(4099), MOST_ACCESSES + 1)
    with pytest.raises(ReportError, match=f"more than {MOST_ACCESSES} different accesses"):
        found.of("wander", Space.GLOBAL, None)


@cuda.jit
def stay(x, n):
    for _ in range(n):
        x[0] = 1.0


def test_a_long_loop_is_not_recorded(monkeypatch):
    monkeypatch.setattr("gpusim.measurements.accesses.MOST_TIMES", 100)
    assert accesses(stay, 1, 32, floats(), 100).of("stay", Space.GLOBAL, None)[0].times == 100
    found = accesses(stay, 1, 32, floats(), 101)
    with pytest.raises(ReportError, match="makes more than 100 accesses"):
        found.of("stay", Space.GLOBAL, None)


@cuda.jit
def column(x):
    tile = cuda.shared.array((32, 32), np.float32)
    x[cuda.threadIdx.x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


def test_of_many_pictures_of_one_instruction_four_are_drawn():
    """32 warps read 32 columns: each another bank, 32 wavefronts each."""
    found = accesses(column, 1, (32, 32), floats()).of("column", Space.SHARED, None)
    assert len(found) == 32
    assert drawn(found) == [0, 1, 2, 3]
