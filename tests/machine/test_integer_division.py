"""C's / and % of integers: toward zero, and defined for a GPU even where C leaves them undefined."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.ir.instructions import Opcode
from gpusim.ir.types import S8, S16, S32, S64, U8, U16, U32, U64
from gpusim.machine.functions.arithmetic import ARITHMETIC
from tests.machine.by_hand import DefinedKernel

INTEGERS = (S8, S16, S32, S64, U8, U16, U32, U64)


def both(dividend, divisor, type):
    """(dividend / divisor, dividend % divisor) as one thread computes them."""
    kernel = DefinedKernel()
    x, y = kernel.pointer("x", type), kernel.pointer("y", type)
    operands = kernel.load(x, 0), kernel.load(x, 1)
    kernel.store(y, 0, kernel.do(Opcode.DIV_TRUNC, type, *operands))
    kernel.store(y, 1, kernel.do(Opcode.MOD_TRUNC, type, *operands))
    y = np.zeros(2, type.dtype)
    kernel.run(1, np.array([dividend, divisor], type.dtype), y)
    return tuple(y.tolist())


@pytest.mark.parametrize(
    ("dividend", "divisor", "quotient", "remainder"),
    [
        (7, 2, 3, 1),
        (-7, 2, -3, -1),
        (7, -2, -3, 1),
        (-7, -2, 3, -1),
        (-8, 2, -4, 0),
        (0, -5, 0, 0),
        (-1, 5, 0, -1),
    ],
)
@pytest.mark.parametrize("type", [S8, S16, S32, S64], ids=str)
def test_toward_zero(type, dividend, divisor, quotient, remainder):
    assert both(dividend, divisor, type) == (quotient, remainder)


@pytest.mark.parametrize("type", INTEGERS, ids=str)
def test_by_zero_all_bits_of_the_quotient_are_one(type):
    all_ones = np.iinfo(type.dtype).max if type.kind == "u" else -1
    highest = np.iinfo(type.dtype).max
    assert both(highest, 0, type) == (all_ones, highest)


@pytest.mark.parametrize("type", [S64, U64], ids=str)
@pytest.mark.parametrize(
    ("dividend", "quotient"), [(0, 2**32 - 1), (42, 2**32 - 1), (2**32 - 1, 2**32 - 1), (2**32, -1), (-1, -1)]
)
def test_by_zero_a_short_dividend_of_64_bits_gives_the_lower_ones(type, dividend, quotient):
    """An H200 divides it as a number of 32 bits (language/integers.cu: division<long long>)."""
    bits = 2**64 if type == U64 else 0
    dividend, quotient = (number % bits if bits else number for number in (dividend, quotient))
    assert both(dividend, 0, type) == (quotient, dividend)


@pytest.mark.parametrize("type", [S8, S16, S32, S64], ids=str)
def test_the_lowest_number_by_minus_one_wraps(type):
    lowest = np.iinfo(type.dtype).min
    assert both(lowest, -1, type) == (lowest, 0)


@pytest.mark.parametrize("type", INTEGERS, ids=str)
def test_many_numbers_as_python_divides_them(type):
    limits, rng = np.iinfo(type.dtype), np.random.default_rng(7)
    edges = np.array([limits.min, limits.min + 1, limits.max, limits.max - 1, 1, 2, 3], type.dtype)
    numbers = np.concatenate([rng.integers(limits.min, limits.max, 200, type.dtype, endpoint=True), edges])
    dividend, divisor = (a.ravel() for a in np.meshgrid(numbers, numbers[numbers != 0]))
    with np.errstate(all="ignore"):
        quotient = ARITHMETIC[Opcode.DIV_TRUNC](dividend, divisor)
        remainder = ARITHMETIC[Opcode.MOD_TRUNC](dividend, divisor)
    assert quotient.dtype == remainder.dtype == type.dtype
    for a, b, q, r in zip(*(x.tolist() for x in (dividend, divisor, quotient, remainder)), strict=True):
        whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        assert r == a - whole * b
        assert q == (whole if whole <= limits.max else limits.min)
