"""What a kernel raises is caught by its own class, too; with debug=True, divisions are checked."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import AssertionFailed, GpuSimError, KernelRaised
from tests.from_text import define


class Wrong(Exception):
    """One of the program, which wants two numbers."""

    def __init__(self, code, other):
        super().__init__(code)


@cuda.jit
def raising(kind, x):
    i = cuda.threadIdx.x
    if kind == 1 and i == 2:
        raise ValueError("two")
    if kind == 2:
        raise KeyError("a key")
    if kind == 3:
        raise Wrong(1, 2)
    if kind == 4:
        raise SystemExit
    assert kind != 5, "five"
    x[i] = 1


@pytest.mark.parametrize(
    ("kind", "caught", "said"),
    [
        (1, ValueError, r"thread \(2, 0, 0\) of block \(0, 0, 0\): ValueError: two\n"),
        (2, KeyError, r"test_raised.py:\d+: thread \(0, 0, 0\) .*: KeyError: a key\n"),
        (3, Wrong, "Wrong: 1, 2"),
        (4, KernelRaised, "SystemExit"),
        (5, AssertionError, "five"),
    ],
)
def test_its_own_class_and_ours_catch_it(kind, caught, said):
    x = np.zeros(4)
    with pytest.raises(caught, match=said) as raised:
        raising[1, 4](kind, x)
    error = raised.value
    assert isinstance(error, KernelRaised)
    assert isinstance(error, GpuSimError)
    assert isinstance(error, AssertionFailed) is (kind == 5)
    assert error.thread == ((2, 0, 0) if kind == 1 else (0, 0, 0))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def quotients(x, y, out):
    i = cuda.grid(1)
    if i == 0:
        out[0] = x[0] // y[0]
    if i == 1:
        out[1] = x[0] / y[1]
    if i == 2:
        out[2] = x[0] % y[2]
    if i == 3:
        out[3] = divmod(x[0], y[3])[0]


@pytest.mark.parametrize("zero", range(4))
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32])
def test_a_division_by_zero_ends_the_launch_with_debug_only(zero, dtype):
    x, y, out = np.full(1, 7, dtype), np.ones(4, dtype), np.zeros(4)
    y[zero] = 0
    cuda.jit(quotients)[1, 4](x, y, out)
    with pytest.raises(ZeroDivisionError, match=rf"thread \({zero}, 0, 0\) .* division by zero") as caught:
        cuda.jit(quotients, debug=True)[1, 4](x, y, out)
    assert isinstance(caught.value, KernelRaised)
    y[zero] = 1
    cuda.jit(quotients, debug=True)[1, 4](x, y, out)


def rounds_of(n, out):
    for i in range(n[0], n[1], n[2]):
        out[0] += i


def pairs_of(n, out):
    for _, i in enumerate(range(n[0], n[1], n[2])):
        out[0] += i


@pytest.mark.parametrize("kernel", [rounds_of, pairs_of])
def test_a_range_with_a_step_of_0_ends_the_launch(kernel):
    out = np.zeros(9)
    cuda.jit(kernel)[1, 1](np.array([5, 0, -2]), out)
    assert out[0] == 5 + 3 + 1
    with pytest.raises(
        ValueError, match=r"thread \(0, 0, 0\) .*: ValueError: range\(\) with step 0"
    ) as caught:
        cuda.jit(kernel)[1, 1](np.array([5, 0, 0]), out)
    assert isinstance(caught.value, KernelRaised)


@pytest.mark.parametrize(
    ("before", "step", "asked"),
    [
        ("", "cuda.gridsize(1)", 0),
        ("t, s = 0, cuda.blockDim.x", "s", 0),
        ("_, s = cuda.gridsize(2)", "s", 0),
        ("s = cuda.blockDim.x\n    s = n", "s", 1),
        ("", "n", 1),
    ],
)
def test_a_step_that_counts_threads_is_not_asked_whether_it_is_0(before, step, asked):
    """A comparison and a branch for each warp."""
    text = "@cuda.jit\ndef kernel(x, n):\n    {}\n    for i in range(1, 1, {}):\n        x[i] = 1\n"
    issued = {}
    for given in (step, "8"):
        with gpusim.profile() as run:
            define(text.format(before or "pass", given))[1, 32](np.zeros(4), 5)
        issued[given] = run.branches
    assert issued[step] - issued["8"] == asked


def test_a_guard_decides_before_the_division():
    @cuda.jit(debug=True)
    def guarded(x, y, out):
        if y[0] != 0 and x[0] // y[0] > 1:
            out[0] = 1
        out[1] = x[0] / y[0] if y[0] else 5

    out = np.zeros(2)
    guarded[1, 1](np.array([4]), np.array([0]), out)
    assert out.tolist() == [0, 5]
    guarded[1, 1](np.array([4]), np.array([2]), out)
    assert out.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("quotient", "branches"),
    [("x / y", 0), ("x // y", 0), ("x % n", 0), ("n / m", 0), ("(n + 1) // (y - 1)", 0), ("n // 2", 0),
     ("n // m", 1), ("(n + 1) % -m", 1), ("n // int(y)", 1)],
)  # fmt: skip
def test_when_sanitized_a_guard_is_a_branch_only_where_a_division_is_one_of_integers(quotient, branches):
    text = f"@cuda.jit\ndef kernel(x, y, n, m, out):\n    out[0] = {quotient} if m != 0 else 5\n"
    out, kernel = np.zeros(1), define(text)
    for m, left in ((0, 5), (3, eval(quotient, {"x": 7.0, "y": 2.0, "n": 8, "m": 3}))):
        with gpusim.sanitize() as report, gpusim.profile() as run:
            kernel[1, 1](7.0, 2.0, 8, m, out)
        assert report.clean
        assert out[0] == left
        assert (run.branches > 0) == branches
