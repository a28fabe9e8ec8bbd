"""What can decide where a kernel goes? Conditions, places of accesses, and what these are computed from."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from gpusim.ir.deciding import deciding
from gpusim.ir.types import Space


def named(kernel, *arguments):
    """The names of a kernel's variables that decide, and the kinds of memory."""
    registers, spaces = deciding(kernel.compiled(*arguments).blocks)
    return {register.name for register in registers if not register.is_temporary}, spaces


def test_a_counter_that_no_condition_looks_at_decides_nothing():
    @cuda.jit
    def kernel(x, n):
        i, j = 0, 0
        while i < n:
            j += 1
        x[0] = j

    assert named(kernel, np.zeros(1), 5) == ({"i", "n"}, set())


def test_what_a_condition_is_computed_from_decides():
    @cuda.jit
    def kernel(n):
        i, step, other = 0, 1, 0
        while i * 2 < n:
            step += n
            i += step
            other += i

    assert named(kernel, 5) == ({"i", "step", "n"}, set())


def test_places_decide_for_they_may_lie_outside():
    @cuda.jit
    def kernel(x):
        i, value = 0, 0
        while True:
            x[i] = value
            i += 1
            value += 2

    assert named(kernel, np.zeros(3)) == ({"i"}, set())


@pytest.mark.parametrize("shared", [False, True])
def test_memory_decides_if_a_condition_reads_it_and_so_does_what_is_stored_there(shared):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(4, np.int64)
        seen, hidden = 0, 0
        while (s[0] if shared else x[0]) == 0:
            hidden += 1
            seen += 1
            s[1] = hidden if not shared else seen
            y[1] = seen if not shared else hidden  # x and y may be one array

    names, spaces = named(kernel, np.zeros(4, np.int64), np.zeros(4, np.int64))
    assert "seen" in names
    assert "hidden" not in names
    assert spaces == {Space.SHARED if shared else Space.GLOBAL}
