"""What becomes of a number that its new type cannot hold? What `cvt.rzi` makes of it, in every lane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim import cuda
from gpusim.ir.conversion import converted
from gpusim.ir.types import SCALARS
from tests.from_text import define

INTEGERS = [scalar.dtype for scalar in SCALARS if scalar.is_integer]
FLOATS = [np.dtype("f2"), np.dtype("f4"), np.dtype("f8")]


def alone(number: float, dtype: np.dtype) -> int:
    """One float as an integer: toward zero, to the nearest limit, NaN to 0."""
    if math.isnan(number):
        return 0
    limits = np.iinfo(dtype)
    return int(
        limits.max if number > limits.max else limits.min if number < limits.min else math.trunc(number)
    )


@pytest.mark.parametrize(
    ("number", "dtype", "expected"),
    [
        (1e30, "i4", 2**31 - 1),
        (-1e30, "i4", -(2**31)),
        (1e30, "i8", 2**63 - 1),
        (-1.5, "u4", 0),
        (-0.75, "u4", 0),
        (3e9, "u4", 3_000_000_000),
        (1e30, "u8", 2**64 - 1),
        (2.0**63, "i8", 2**63 - 1),
        (2147483647.5, "i4", 2**31 - 1),
        (-2147483648.5, "i4", -(2**31)),
        (-2.9, "i4", -2),
        (300.0, "u1", 255),
        (-129.0, "i1", -128),
        (math.nan, "i4", 0),
        (math.inf, "u8", 2**64 - 1),
        (-math.inf, "i8", -(2**63)),
    ],
)
def test_by_hand_in_a_kernel_and_while_compiling(machine, number, dtype, expected):
    text = (
        "@cuda.jit\ndef kernel(x, cast, folded, stored):\n    i = cuda.grid(1)\n"
        f"    cast[i] = np.dtype({dtype!r}).type(x[i])\n"
    )
    name = np.dtype(dtype).name
    text = text.replace(f"np.dtype({dtype!r}).type", f"np.{name}")
    text += f"    folded[i] = np.{name}(NUMBER)\n    stored[i] = x[i]\n"
    x, found = np.array([number, 1.0, number]), [np.zeros(3, dtype) for _ in range(3)]
    with np.errstate(all="raise"):
        define(text, NUMBER=number)[1, 3](x, *found)
    assert found[0].tolist() == found[2].tolist() == [expected, 1, expected]
    assert found[1].tolist() == [expected] * 3


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
@given(data=st.data())
def test_any_float_as_any_integer(source, dtype, data):
    near = [
        float(limit) + step for limit in (np.iinfo(dtype).min, np.iinfo(dtype).max) for step in (-1, 0, 1)
    ]
    number = st.floats(width=8 * source.itemsize) | st.sampled_from(near)
    with np.errstate(over="ignore"):
        numbers = np.array(data.draw(st.lists(number, min_size=1, max_size=8)), source)
    expected = [alone(float(n), dtype) for n in numbers]
    assert converted(numbers, dtype).tolist() == expected
    assert int(converted(numbers[0], dtype)) == expected[0]


def test_int_of_a_float_is_64_bits_wide(machine):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = int(x[i])

    x = np.array([1e30, -1e30, 2.5e9, -7.9, math.nan], np.float32)
    out = np.zeros(5, np.int64)
    kernel[1, 5](x, out)
    assert out.tolist() == [2**63 - 1, -(2**63), 2_500_000_000, -7, 0]


def test_integers_still_wrap_around():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = np.int8(x[i])

    out = np.zeros(3, np.int64)
    kernel[1, 3](np.array([255, 128, -129]), out)
    assert out.tolist() == [-1, -128, 127]
