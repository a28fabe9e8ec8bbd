"""What does an `assert` or a `raise` in a kernel do? It ends the launch, and says in whose thread."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import KernelRaised


@cuda.jit(device=True)
def root(n):
    for k in range(n + 1):
        if k * k == n:
            return k
    raise ValueError("not a square", 4)


@cuda.jit
def halve(x):
    i = cuda.grid(1)
    assert x[i] % 2 == 0, "x holds even numbers"
    x[i] //= 2


def test_the_error_names_the_thread_the_line_and_the_reason(machine):
    x = np.full(200, 4)
    x[[70, 71]] = 5
    with pytest.raises(KernelRaised) as caught:
        halve[2, 100](x)
    assert (caught.value.thread, caught.value.block) == ((70, 0, 0), (0, 0, 0))
    assert "AssertionError: x holds even numbers; `x[i] % 2 == 0` does not hold" in str(caught.value)
    assert "(and 1 other lanes in this step)" in str(caught.value)
    assert str(caught.value).splitlines()[1].strip().startswith("assert x[i]")


def test_nothing_happens_where_it_holds(machine):
    x = np.arange(0, 200, 2)
    halve[1, 100](x)
    assert x.tolist() == list(range(100))


def test_a_raise_in_a_device_function(machine):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        x[i] = root(x[i])

    x = np.arange(40) ** 2
    kernel[1, 40](x)
    assert x.tolist() == list(range(40))
    x = np.array([4, 9, 12, 16])
    with pytest.raises(KernelRaised, match="ValueError: not a square, 4") as caught:
        kernel[1, 4](x)
    assert caught.value.thread == (2, 0, 0)
    assert caught.value.span.outermost.line != caught.value.span.line


def test_what_is_known_to_hold_costs_nothing():
    @cuda.jit
    def kernel(x):
        assert x.ndim == 1
        x[0] = 1

    assert "trap" not in kernel.inspect_ir(np.zeros(3))
    assert "trap" in halve.inspect_ir(np.zeros(3, np.int64))
    with pytest.raises(KernelRaised, match=r"`x\.ndim == 1` does not hold"):
        kernel[1, 1](np.zeros((2, 2)))


def test_lanes_that_pass_stay_together():
    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        assert x[i] > 0
        out[i] = cuda.activemask()

    out = np.zeros(32, np.uint32)
    kernel[1, 32](np.ones(32), out)
    assert out.tolist() == [2**32 - 1] * 32
