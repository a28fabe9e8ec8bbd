"""Does a launch bound make a compiler use registers? Loads move up, loops unroll, results stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import cuda
from gpusim.ir import reference
from gpusim.ir.instructions import Opcode
from gpusim.ir.scheduling import filled, waits
from gpusim.ir.terminators import Branch
from gpusim.ir.unrolling import unrolled
from tests.from_text import define
from tests.properties.kernels import Kernel, kernels

X = np.zeros(64)
SUM = """
@cuda.jit
def kernel(x, y):
    total = 0.0
    for k in range(8):
        total += x[k]
    y[0] = total
"""


def compiled(text, *arguments):
    return define(text).compiled(*arguments)


def order(function):
    """Loads, additions and stores, in the order in which they stand."""
    return " ".join(i.opcode.mnemonic for i in function.instructions if i.opcode is not Opcode.MOVE)


def test_a_counted_loop_is_written_out():
    function = unrolled(compiled(SUM, X, X))
    assert order(function) == "ld add " * 8 + "st"
    assert [str(i.place.indices[0]) for i in function.instructions if i.opcode is Opcode.LOAD] == [
        *"01234567"
    ]
    assert len(function.blocks) == 1


@pytest.mark.parametrize(
    ("loop", "numbers"),
    [
        ("range(3, 9, 2)", "3 5 7"),
        ("range(5, 0, -2)", "5 3 1"),
        ("range(0)", None),
        ("range(5000)", None),
        ("range(n)", None),
    ],
)
def test_which_loops_are_counted(loop, numbers):
    text = f"@cuda.jit\ndef kernel(x, n):\n    for k in {loop}:\n        x[k] = k\n"
    function = unrolled(compiled(text, X, 4))
    if numbers is None:
        assert any(isinstance(block.terminator, Branch) for block in function.blocks)
        return
    assert " ".join(str(i.place.indices[0]) for i in function.instructions if i.place) == numbers


def test_loops_in_loops_and_what_follows_from_the_counter():
    text = """
@cuda.jit
def kernel(x):
    for j in range(2):
        for k in range(3):
            x[10 * j + k] = 1.0
    x[40] = j + k
"""
    function = unrolled(compiled(text, X))
    places = [str(i.place.indices[0]) for i in function.instructions if i.opcode is Opcode.STORE]
    assert places == ["0", "1", "2", "10", "11", "12", "40"]
    x = np.zeros(64)
    reference.run(function, (1, 1, 1), (1, 1, 1), (x,), 32)
    assert x[40] == 3


@pytest.mark.parametrize("rest", ["if x[k] > 0:\n            x[k] = 0", "cuda.syncthreads()"])
def test_a_loop_with_a_branch_or_a_barrier_stays(rest):
    function = compiled(f"@cuda.jit\ndef kernel(x):\n    for k in range(4):\n        {rest}\n", X)
    assert unrolled(function).blocks is function.blocks


def test_loads_come_as_early_as_registers_allow():
    """Eight values of two registers each, a sum of two, and none for the index."""
    function = compiled(SUM, X, X)
    written = order(function)
    assert order(filled(function, 64)) == "ld " * 8 + "add " * 8 + "st"
    assert filled(function, 64).registers_per_thread == 18
    assert order(filled(function, 8)) == "ld ld ld " + "add ld " * 5 + "add add add st"
    assert filled(function, 8).registers_per_thread == 8
    assert order(filled(function, function.registers_per_thread - 1)) == written, "it will spill as it is"


@pytest.mark.parametrize(("registers", "expected"), [(6, 4), (8, 3), (10, 2), (18, 1)])
def test_more_registers_wait_less_often(registers, expected):
    (block,) = filled(compiled(SUM, X, X), registers).blocks
    assert waits(block) == expected


def test_nothing_passes_a_store_or_an_atomic():
    text = """
@cuda.jit
def kernel(x, y):
    a = x[0]
    y[0] = a + 1
    b = x[1]
    cuda.atomic.add(y, 1, b)
    y[2] = x[2]
"""
    function = compiled(text, X, X)
    assert order(filled(function, 64)) == order(function)


def test_a_launch_bound_fills_registers_in_both_languages():
    text = """
    extern "C" __global__ void BOUND sum(const double* x, double* y) {
        double total = 0;
        for (int k = 0; k < 8; ++k) total += x[k];
        y[0] = total;
    }"""
    found = {}
    for bound in (None, (1024, 2), (1024, 1)):
        written = "" if bound is None else f"__launch_bounds__({bound[0]}, {bound[1]})"
        python = cuda.jit(define(SUM).py_func, **({} if bound is None else {"launch_bounds": bound}))
        with gpusim.use("H200"):
            cpp = gpusim.RawKernel(text.replace("BOUND", written), "sum")
            found[bound] = (python.compiled(X, X).registers_per_thread, cpp.compiled().registers_per_thread)
            y = np.zeros(1)
            python[1, 1](np.arange(8.0), y)
            assert y[0] == 28
    assert found == {None: (6, 5), (1024, 2): (18, 18), (1024, 1): (18, 18)}


def test_a_bound_on_registers_alone_moves_nothing():
    with gpusim.use("H200"):
        kernel = cuda.jit(max_registers=64)(define(SUM).py_func)
        assert kernel.compiled(X, X).registers_per_thread == define(SUM).compiled(X, X).registers_per_thread


@given(kernel=kernels(), most=st.integers(12, 96), seed=st.integers(0, 2**31))
def test_random_kernels_leave_the_same(kernel: Kernel, most: int, seed: int) -> None:
    written, moved = kernel.arguments(40), kernel.arguments(40)
    with gpusim.use("H200"):
        function = kernel.function.compiled(*written)
        early = filled(function, most)
        reference.run(function, (1, 1, 1), (40, 1, 1), written, 32)
        reference.run(early, (1, 1, 1), (40, 1, 1), moved, 32)
        on_the_machine = kernel.arguments(40)
        with gpusim.use(schedule=seed):
            cuda.jit(launch_bounds=(64, 1))(kernel.function.py_func)[1, 40](*on_the_machine)
    assert early.registers_per_thread <= max(most, function.registers_per_thread)
    for first, second, third in zip(written, moved, on_the_machine, strict=True):
        assert np.asarray(first).tobytes() == np.asarray(second).tobytes() == np.asarray(third).tobytes()
