"""initcheck of variables: a thread that took the other branch reads what nobody promises."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda


@cuda.jit
def one_branch(x, n):
    i = cuda.grid(1)
    if i < n:
        value = 5
    x[i] = value


@cuda.jit(device=True)
def picked(a):
    if a > 0:
        found = a
    return found


@cuda.jit
def in_a_function(x, n):
    i = cuda.grid(1)
    x[i] = picked(n - i)


@cuda.jit
def carried(x, n):
    i = cuda.grid(1)
    for k in range(3):
        if k < n:
            last = k
            continue
        if k > n:
            x[i] += last
        last = k


@cuda.jit
def same_condition(x, n):
    i = cuda.grid(1)
    if i < n:
        value = 5
    if i < n:
        x[i] = value


def findings(kernel, n, threads=40, **choice):
    with gpusim.sanitize("initcheck", **choice) as report:
        kernel[2, threads](np.zeros(2 * threads), n)
    return list(report)


@pytest.mark.parametrize("device", ["H200", "P100", "MetaX C500"])
def test_threads_that_skip_the_branch_are_found(device):
    (found,) = findings(one_branch, 33, device=device)
    assert (found.hazard, found.place, found.count) == ("uninitialized read", "variable value", 47)
    assert found.lines == (17,)
    assert "thread (33, 0, 0) of block (0, 0, 0) reads 'value'" in found.message
    assert "on every path" in found.hint
    assert findings(one_branch, 80, device=device) == []


def test_each_inlined_function_has_its_own_variables():
    (found,) = findings(in_a_function, 10)
    assert (found.place, found.count) == ("variable found", 70)
    assert "reads 'found'" in found.message


@pytest.mark.parametrize(("n", "count"), [(-1, 80), (0, 0)])
def test_what_an_earlier_round_gave_counts(n, count):
    assert sum(found.count for found in findings(carried, n)) == count


@cuda.jit
def an_array_in_one_branch(x, n):
    i = cuda.grid(1)
    if i < n:
        row, pair = x, (x, 3)
    x[i] = 1 + 0 * row.size
    if i < 1:
        x[0] = pair[1]


@cuda.jit
def an_array_in_a_loop(x, n):
    for k in range(n):
        part = x[k:]
    x[1] = part.size


@cuda.jit
def an_array_on_every_path(x, n):
    if n > 5:
        row = x
    elif n > 3:
        return
    else:
        row = x
    row[0] = 1


def test_an_array_that_only_one_branch_gives_is_found_by_its_name():
    (found,) = findings(an_array_in_one_branch, 33)
    assert (found.place, found.count) == ("variable row", 47)
    assert "reads 'row', to which it has given no value" in found.message
    assert [found.place for found in findings(an_array_in_a_loop, 0)] == ["variable part"]
    assert findings(an_array_in_a_loop, 1) == findings(an_array_in_one_branch, 80) == []


def test_an_array_that_every_path_gives_needs_no_register():
    compiled = an_array_on_every_path.compiled(np.zeros(4), 1)
    assert not {"row.0"} & {one.destination.name for one in compiled.instructions if one.destination}
    assert findings(an_array_on_every_path, 6) == findings(an_array_on_every_path, 1) == []


def test_a_value_that_is_read_where_it_was_given_is_no_finding():
    assert findings(same_condition, 7) == []


def test_in_cuda_cpp():
    text = "__global__ void k(int* x, int n) { int v; while (n > 5) { v = n--; } x[threadIdx.x] = v; }"
    kernel = gpusim.RawKernel(text, "k")
    with gpusim.sanitize("initcheck") as report:
        kernel[1, 4](np.zeros(4, np.int32), 7)
        kernel[1, 4](np.zeros(4, np.int32), 5)
    assert [(found.place, found.count) for found in report] == [("variable v", 4)]
