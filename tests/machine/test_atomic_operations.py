"""What does each atomic leave, and what does each lane find? As in Python, one lane after the other."""

from __future__ import annotations

import math

import numba
import numba.cuda
import numpy as np
import pytest
from numba.cuda import cudadecl

import gpusim
from gpusim import cuda
from gpusim.errors import GpuSimError
from tests.from_text import define

# name -> the new value, from the old one and the lane's
RULES = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "and_": lambda old, value: old & value,
    "or_": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "inc": lambda old, value: 0 if old >= value else old + 1,
    "dec": lambda old, value: value if old == 0 or old > value else old - 1,
    "exch": lambda _old, value: value,
    "max": max,
    "min": min,
    "nanmax": max,
    "nanmin": min,
}
# what Numba's templates are of
KEYS = {template.key: template for template in vars(cudadecl).values() if hasattr(template, "key")}
UNSIGNED = ("inc", "dec")


def wide_integer(name):
    """The widest type of integers that the operation works on."""
    return np.uint64 if name in UNSIGNED else np.int64


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("elements", [1, 3, 40])
@pytest.mark.parametrize("device", ["H200", "MetaX C500"])
def test_lanes_take_their_turns(name, elements, device):
    operation = getattr(cuda.atomic, name)

    @cuda.jit
    def change(memory, values, found):
        i = cuda.grid(1)
        found[i] = operation(memory, i % memory.size, values[i])

    random = np.random.default_rng(1)
    dtype = wide_integer(name)
    memory, values = random.integers(0, 50, elements, dtype), random.integers(0, 50, 100, dtype)
    expected, before = memory.tolist(), []
    for i, value in enumerate(values.tolist()):
        before.append(expected[i % elements])
        expected[i % elements] = RULES[name](expected[i % elements], value)
    found = np.zeros(100, dtype)
    with gpusim.use(device):
        change[1, 100](memory, values, found)
    assert memory.tolist() == expected
    assert found.tolist() == before


@pytest.mark.parametrize("name", RULES)
def test_nobody_need_ask_for_the_old_value(name):
    operation = getattr(cuda.atomic, name)

    @cuda.jit
    def change(memory, values):
        operation(memory, 0, values[cuda.grid(1)])

    dtype = wide_integer(name)
    values, memory = np.arange(7, 71, dtype=dtype), np.array([20], dtype)
    change[1, 64](memory, values)
    expected = 20
    for value in values.tolist():
        expected = RULES[name](expected, value)
    assert memory.tolist() == [expected]


def test_compare_and_swap_lets_one_lane_win():
    @cuda.jit
    def race(owner, found):
        i = cuda.grid(1)
        found[i] = cuda.atomic.compare_and_swap(owner, -1, i)

    owner, found = np.array([-1]), np.zeros(64, np.int64)
    race[1, 64](owner, found)
    assert owner.tolist() == [0]
    assert found.tolist() == [-1] + 63 * [0]


def test_cas_at_an_index_chains():
    @cuda.jit
    def chain(memory):
        i = cuda.grid(1)
        cuda.atomic.cas(memory, (0, 1), i, i + 1)

    memory = np.zeros((1, 2), np.int32)
    chain[1, 32](memory)
    assert memory.tolist() == [[0, 32]]


# name -> is the lane's value stored? As in Numba's templates; to nanmax, any number exceeds NaN
STORED = {
    "max": lambda old, value: old < value,
    "min": lambda old, value: old > value,
    "nanmax": lambda old, value: old < value or (math.isnan(old) and not math.isnan(value)),
    "nanmin": lambda old, value: old > value or (math.isnan(old) and not math.isnan(value)),
}


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("first", [math.nan, 2.0, -math.inf, math.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("elements", [1, 20, 64])
def test_what_is_not_a_number_changes_nothing_and_stays(name, first, dtype, elements):
    operation = getattr(cuda.atomic, name)

    @cuda.jit
    def change(memory, unasked, values, found):
        i = cuda.grid(1)
        found[i] = operation(memory, i % memory.size, values[i])
        operation(unasked, i % memory.size, values[i])

    random = np.random.default_rng(2)
    values = random.choice([math.nan, 1.0, 2.0, 3.0, -math.inf, math.inf], 64).astype(dtype)
    memory, unasked = np.full(elements, first, dtype), np.full(elements, first, dtype)
    found, expected, before = np.zeros(64, dtype), memory.copy(), np.zeros(64, dtype)
    for i, value in enumerate(values):
        before[i] = expected[i % elements]
        if STORED[name](before[i], value):
            expected[i % elements] = value
    change[1, 64](memory, unasked, values, found)
    for one, other in ((memory, expected), (unasked, expected), (found, before)):
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8", "i2"])
@pytest.mark.parametrize("name", [*RULES, "cas", "compare_and_swap"])
def test_atomics_work_on_the_types_that_numba_lets_them_work_on(name, dtype):
    operation = getattr(cuda.atomic, name)
    values = {"cas": "0, 1, 2", "compare_and_swap": "1, 2"}.get(name, "0, 1")
    change = cuda.jit(define(f"def kernel(x): operation(x, {values})", operation=operation))
    theirs = KEYS[getattr(numba.cuda.atomic, name)](None)
    given = [numba.typeof(np.zeros(1, dtype)), *[numba.int64] * len(values.split(","))]
    if theirs.generic(given, {}):
        change[1, 1](np.zeros(1, dtype))
    else:
        with pytest.raises(GpuSimError, match=r"does not take \w+\n.*\n.*use an array of .*uint32, uint64"):
            change[1, 1](np.zeros(1, dtype))


def test_a_lock_with_compare_and_swap():
    @cuda.jit
    def counted(lock, count):
        done = False
        while not done:
            if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                count[0] += 1
                cuda.atomic.exch(lock, 0, 0)
                done = True

    for schedule in (None, "serial", 1):
        lock, count = np.zeros(1, np.int32), np.zeros(1, np.int32)
        with gpusim.use(schedule=schedule):
            counted[2, 40](lock, count)
        assert count.tolist() == [80]
