"""When are a Python kernel and a C++ kernel the same, and what is said when they are not?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from course.pairs import Pairs
from gpusim import cuda
from gpusim.errors import ReportError

CPP = gpusim.RawModule(
    code=r"""
__global__ void halves(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        x[i] = i;
}

__global__ void other_half(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2)
        x[i] = i;
}

__global__ void twice(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        x[i] = i;
    x[i] += 0;
}

__global__ void beyond(int* x, int n) { x[n + threadIdx.x] = 1; }
"""
)


@cuda.jit
def halves(x):
    i = cuda.grid(1)
    if i < x.size // 2:
        x[i] = i


@pytest.fixture
def both() -> Pairs:
    return Pairs()


def check(both, name, **settings):
    x = np.zeros(64, np.int32)
    both.check(halves[1, 64], CPP.get_function(name)[1, 64], x, sizes=(x.size,), **settings)
    assert not x.any(), "copies are launched, not the array"


def test_one_kernel_in_two_languages(both):
    check(both, "halves")
    pair = both["halves"]
    assert repr(pair) == "halves: the same in Python and in CUDA C++"
    # three lines: warp 0 runs all, and warp 1, whose threads 32 to 63 are the other half, runs two
    assert [mask for _, mask, _ in pair.python.steps()] == ["ffffffff"] * 5
    assert pair.python.registers > pair.cpp.registers, "an int has 32 bits"
    instructions = f"{pair.python.run.instructions} · {pair.cpp.run.instructions}"
    registers = f"{pair.python.registers} · {pair.cpp.registers}"
    assert both.table().rows == [["halves", "1 → 4", 0, 5, instructions, registers]]


def test_another_result_is_told(both):
    message = r"halves is not the same in both languages on H200; array 1 afterwards: \[0, 1, .*in C\+\+"
    with pytest.raises(ReportError, match=message):
        check(both, "other_half")


def test_more_memory_is_told(both):
    with pytest.raises(ReportError, match=r"global_load_requests: 0 in Python, 2 in C\+\+"):
        check(both, "twice")
    with pytest.raises(ReportError, match=r"the mask at step 6: no step in Python \(line 0\), ffffffff in C"):
        check(both, "twice")


def test_an_error_in_one_language_is_told(both):
    with pytest.raises(ReportError, match=r"the error: none in Python, OutOfBounds in C\+\+"):
        check(both, "beyond")


def test_the_same_error_in_both_is_no_difference_and_no_row(both):
    @cuda.jit
    def beyond(x):
        x[x.size + cuda.threadIdx.x] = 1

    both.check(beyond[1, 4], CPP.get_function("beyond")[1, 4], np.zeros(4, np.int32), sizes=(4,), masks=False)
    assert both["beyond"].python.error == "OutOfBounds"
    assert both.table().rows == []
