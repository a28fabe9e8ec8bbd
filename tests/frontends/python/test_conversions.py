"""What becomes of a number that its new type cannot hold? What a GPU makes of it, in every lane."""

from __future__ import annotations

import json
import math
from pathlib import Path

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


CASTS = json.loads((Path(__file__).parents[2] / "hardware" / "conversions.json").read_text())["casts"]
NAMES = {str(scalar): scalar.dtype for scalar in SCALARS}


def alone(number: float, source: np.dtype, dtype: np.dtype) -> int:
    """One float as an integer: toward zero, clamped to 32 or 64 bits, of which the lower ones are kept."""
    bits = max(32, 8 * dtype.itemsize)
    lowest, highest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "i" else (0, 2**bits - 1)
    if math.isnan(number):
        whole = 2 ** (bits - 1) if 64 in (8 * source.itemsize, bits) else 0
    elif math.isinf(number):
        whole = highest if number > 0 else lowest
    else:
        whole = max(lowest, min(highest, math.trunc(number)))
    kept = whole % 2 ** (8 * dtype.itemsize)
    negative = dtype.kind == "i" and kept >= 2 ** (8 * dtype.itemsize - 1)
    return kept - 2 ** (8 * dtype.itemsize) if negative else kept


@pytest.mark.parametrize("types", CASTS)
def test_casts_as_an_h200_does_them(types):
    source, dtype = (NAMES[name] for name in types.split())
    numbers = np.array([float(number) for number, _ in CASTS[types]], source)
    expected = [answer for _, answer in CASTS[types]]
    assert converted(numbers, dtype).tolist() == expected
    assert [alone(float(number), source, dtype) for number in numbers] == expected


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
        (300.0, "u1", 44),
        (-129.0, "i1", 127),
        (1e30, "i1", -1),
        (math.nan, "i4", -(2**31)),
        (math.nan, "i2", 0),
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
    expected = [alone(float(n), source, dtype) for n in numbers]
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
    assert out.tolist() == [2**63 - 1, -(2**63), 2_500_000_000, -7, -(2**63)]


def test_integers_still_wrap_around():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = np.int8(x[i])

    out = np.zeros(3, np.int64)
    kernel[1, 3](np.array([255, 128, -129]), out)
    assert out.tolist() == [-1, -128, 127]
