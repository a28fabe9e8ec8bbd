"""Which zero do the least, the greatest and a fused sum give? -0 is less than 0 there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpusim.ir.instructions import Opcode
from gpusim.machine.functions.arithmetic import ARITHMETIC

FLOATS = (np.float16, np.float32, np.float64)


def computed(opcode, dtype, *numbers):
    return ARITHMETIC[opcode](*(np.array([number], dtype) for number in numbers))[0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("numbers", [(0.0, -0.0), (-0.0, 0.0)])
def test_the_least_of_two_zeros_is_negative_and_the_greatest_is_not(dtype, numbers):
    assert np.signbit(computed(Opcode.MIN, dtype, *numbers))
    assert not np.signbit(computed(Opcode.MAX, dtype, *numbers))


@pytest.mark.parametrize("dtype", FLOATS)
def test_equal_zeros_keep_their_sign(dtype):
    for opcode in (Opcode.MIN, Opcode.MAX):
        assert not np.signbit(computed(opcode, dtype, 0.0, 0.0))
        assert np.signbit(computed(opcode, dtype, -0.0, -0.0))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_nan_gives_way_to_a_zero(dtype):
    assert computed(Opcode.MIN, dtype, math.nan, 0.0) == 0
    assert np.signbit(computed(Opcode.MAX, dtype, -0.0, math.nan))
    assert np.isnan(computed(Opcode.MAX, dtype, math.nan, math.nan))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("numbers", "negative"),
    [
        ((-0.0, 1.0, -0.0), True),
        ((-0.0, 1.0, 0.0), False),
        ((2.0, 3.0, -6.0), False),
        ((-2.0, 3.0, 6.0), False),
    ],
)
def test_a_fused_sum_that_is_zero_is_negative_only_if_both_its_parts_are(dtype, numbers, negative):
    total = computed(Opcode.FMA, dtype, *numbers)
    assert total == 0
    assert np.signbit(total) == negative


@pytest.mark.parametrize("sign", [1, -1])
def test_a_fused_sum_of_doubles_may_overflow(sign):
    assert computed(Opcode.FMA, np.float64, 1e300, sign * 1e300, 1.0) == sign * math.inf
