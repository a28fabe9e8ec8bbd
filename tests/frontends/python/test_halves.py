"""Does float16 round as a half does, after every operation? NumPy's float16 answers lane by lane."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from gpusim import cuda
from tests.from_text import define

half = np.float16
A = np.array([0.1, -2.5, 1000, 65504, 3e-7, 1 / 3, 7], half)
B = np.array([0.7, 1.5, 0.333, 2, 5e-7, 3, -0.0625], half)


def threads(expression, dtype=half, *arrays):
    """What each thread computes of a[i] and b[i]."""
    text = f"@cuda.jit\ndef kernel(a, b, out):\n    i = cuda.grid(1)\n    out[i] = {expression}\n"
    a, b = arrays or (A, B)
    out = np.zeros(a.size, dtype)
    define(text)[1, a.size](a, b, out)
    return out


@pytest.mark.parametrize(
    ("name", "operator", "expected"),
    [("hadd", "+", np.add), ("hsub", "-", np.subtract), ("hmul", "*", np.multiply), ("hdiv", "/", np.divide)],
)
def test_operators_and_their_functions_round_to_half(machine, name, operator, expected):
    with np.errstate(over="ignore"):
        answers = expected(A, B)
    assert answers.dtype == half
    assert threads(f"a[i] {operator} b[i]").tolist() == answers.tolist()
    assert threads(f"cuda.fp16.{name}(a[i], b[i])").tolist() == answers.tolist()


def test_each_operation_rounds_before_the_next():
    # 2048 + 1 is 2048 in half, whose numbers from 2048 on are 2 apart; in float32 this would be 2050
    a, b = np.array([2048], half), np.array([1], half)
    assert threads("a[i] + b[i] + b[i]", np.float64, a, b).tolist() == [2048.0]


def test_fma_rounds_once():
    # a * a = 1 + 2**-9 + 2**-20 does not fit a half; taking 1 + 2**-9 away leaves what rounding would lose
    a, b = np.array([1 + 2**-10], half), np.array([-(1 + 2**-9)], half)
    fused = threads("cuda.fp16.hfma(a[i], a[i], b[i])", half, a, b)
    assert fused.tolist() == [2.0**-20]
    assert threads("a[i] * a[i] + b[i]", half, a, b).tolist() == [0.0]


def test_fma_of_random_halves_is_exact_to_the_last_bit():
    random = np.random.default_rng(1)
    a, b = random.standard_normal((2, 256)).astype(half)
    fused = threads("cuda.fp16.hfma(a[i], b[i], a[i])", half, a, b)
    exact = [Fraction(float(x)) * Fraction(float(y)) + Fraction(float(x)) for x, y in zip(a, b, strict=True)]
    for found, wanted in zip(fused, exact, strict=True):
        spacing = Fraction(float(np.spacing(np.abs(found))))
        assert abs(Fraction(float(found)) - wanted) <= spacing / 2


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("hsin", math.sin),
        ("hcos", math.cos),
        ("hlog", math.log),
        ("hlog2", math.log2),
        ("hlog10", math.log10),
        ("hexp", math.exp),
        ("hexp2", math.exp2),
        ("hexp10", lambda x: 10.0**x),
        ("hsqrt", math.sqrt),
        ("hrsqrt", lambda x: 1 / math.sqrt(x)),
        ("hrcp", lambda x: 1 / x),
        ("hfloor", math.floor),
        ("hceil", math.ceil),
        ("hrint", round),
        ("htrunc", math.trunc),
        ("hneg", lambda x: -x),
        ("habs", abs),
    ],
)
def test_functions_of_a_half(name, function):
    a = np.array([0.1, 1, 2.5, 0.75, 4.2, 1.5], half)
    expected = np.array([function(float(x)) for x in a], half)
    assert threads(f"cuda.fp16.{name}(a[i])", half, a, a).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(name):
    a, b = np.array([1, 2, 3, math.nan], half), np.array([2, 2, 2, 2], half)
    expected = getattr(np, {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
                            "gt": "greater", "ge": "greater_equal"}[name])(a, b)  # fmt: skip
    assert threads(f"cuda.fp16.h{name}(a[i], b[i])", bool, a, b).tolist() == expected.tolist()


def test_of_a_nan_and_a_number_the_number_is_least_and_greatest():
    a, b = np.array([1, math.nan, -3], half), np.array([2, 5, -4], half)
    assert threads("cuda.fp16.hmax(a[i], b[i])", half, a, b).tolist() == [2, 5, -3]
    assert threads("cuda.fp16.hmin(a[i], b[i])", half, a, b).tolist() == [1, 5, -4]


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("math.sqrt(a[i])", "f16"),
        ("math.floor(a[i])", "f16"),
        ("math.tanh(a[i])", "f32"),
        ("a[i] * b[i]", "f16"),
        ("a[i] * np.int8(2)", "f16"),
        ("a[i] * np.float32(2)", "f32"),
        ("a[i] * 2", "f64"),
        ("a[i] // b[i]", "f32"),
        ("-a[i]", "f16"),
        ("+a[i]", "f32"),
        ("float(a[i])", "f16"),
    ],
)
def test_the_type_that_numba_computes_it_in(expression, type_):
    text = f"@cuda.jit\ndef kernel(a, b, out):\n    i = cuda.grid(1)\n    y = {expression}\n    out[i] = y\n"
    listing = define(text).inspect_ir(A, B, np.zeros(7))
    assert re.search(rf"\.{type_}(\.f16)? %y,", listing)


def test_a_half_takes_two_bytes_and_one_register():
    @cuda.jit
    def copy(a, out):
        i = cuda.grid(1)
        x = a[i]
        out[i] = x

    out = np.zeros_like(A)
    copy[1, 7](A, out)
    assert out.tolist() == A.tolist()
    assert copy.compiled(A, A).registers_per_thread == copy.compiled(A.astype("f4"), A).registers_per_thread
