"""Does each function of `math`, and each intrinsic on numbers, give a lane what Python gives on its own?"""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import GpuSimError
from gpusim.frontends.python.builtins import functions
from tests.from_text import define

ARGUMENTS = np.array([0.0, 0.25, 0.5, 0.75, 0.999, -0.5, 1.0, 1.5, 3.0, -2.5, math.inf, -math.inf, math.nan])
WHOLE = (math.floor, math.ceil, math.trunc)
SMOOTH = [f for f in functions.UNARY | functions.HALF_UNARY if f not in WHOLE]
TWO_NUMBERS = [*functions.BINARY, *functions.FLOATING_BINARY, math.pow]


def alone(function, *arguments):
    """What Python's function gives, with a GPU's answer where Python raises."""
    try:
        return function(*arguments)
    except OverflowError:
        return math.inf
    except ValueError:
        return None


@pytest.mark.parametrize("function", SMOOTH, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_function_of_one_number(function, dtype):
    @cuda.jit
    def apply(x, out):
        i = cuda.grid(1)
        out[i] = function(x[i])

    x, out = ARGUMENTS.astype(dtype), np.zeros(ARGUMENTS.size, dtype)
    apply[1, ARGUMENTS.size](x, out)
    for argument, found in zip(x, out, strict=True):
        expected = alone(function, float(argument))
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype is np.float32 else 1e-13)


@pytest.mark.parametrize("function", TWO_NUMBERS, ids=lambda function: function.__name__)
def test_a_function_of_two_numbers(function):
    @cuda.jit
    def apply(x, y, out):
        i = cuda.grid(1)
        out[i] = function(x[i], y[i])

    x, y = (grid.ravel().copy() for grid in np.meshgrid(ARGUMENTS[:10], ARGUMENTS[:10]))
    out = np.zeros(x.size)
    apply[1, x.size](x, y, out)
    for one, other, found in zip(x, y, out, strict=True):
        expected = alone(function, float(one), float(other))
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("function", functions.TESTS, ids=lambda function: function.__name__)
def test_a_question_about_a_number(function):
    @cuda.jit
    def ask(x, out):
        i = cuda.grid(1)
        out[i] = function(x[i])

    out = np.zeros(ARGUMENTS.size, bool)
    ask[1, ARGUMENTS.size](ARGUMENTS, out)
    assert out.tolist() == [function(x) for x in ARGUMENTS]


def test_angles_and_whole_parts():
    @cuda.jit
    def convert(x, out):
        out[0] = math.degrees(x[0])
        out[1] = math.radians(x[1])
        out[2] = math.trunc(x[2])

    out = np.zeros(3)
    convert[1, 1](np.array([math.pi, 180.0, -2.7]), out)
    assert out.tolist() == [180.0, math.pi, -2.0]


ORDERS = [
    "min(x[0], n)", "min(n, x[0])", "max(x[0], 1.0, 2.0)", "max(1.0, x[0], 2.0)", "max((x[0], 3))",
    "min((n, x[0]))", "max(x[1], 0)", "max(n - n, x[1])", "min(x[1], 0)", "max(x[1], n - n, -0.0)",
]  # fmt: skip


@pytest.mark.parametrize("expression", ORDERS)
def test_the_least_and_greatest_are_chosen_as_python_does(expression):
    """A NaN that comes first stays, and of -0.0 and 0 the first one."""
    text = f"@cuda.jit\ndef kernel(x, n, out):\n    out[0] = {expression}\n"
    x, out = np.array([math.nan, -0.0]), np.ones(1)
    define(text)[1, 1](x, 1, out)
    assert str(out[0]) == str(float(eval(expression, {"x": x.tolist(), "n": 1})))


def test_of_two_floats_a_number_wins_over_a_nan():
    @cuda.jit
    def both(x, out):
        out[0], out[1] = min(x[0], 2.0), max(1.0, x[0])

    out = np.zeros(2)
    both[1, 1](np.array([math.nan]), out)
    assert out.tolist() == [2, 1]


def test_fma_rounds_once():
    # 0.1 * 10 is rounded to 1 before 1 is taken away; what was rounded off is about 5.55e-17
    @cuda.jit
    def residue(a, b, out):
        out[0] = cuda.fma(a[0], b[0], -1.0)
        out[1] = a[0] * b[0] - 1.0

    out = np.zeros(2)
    residue[1, 1](np.array([0.1]), np.array([10.0]), out)
    assert out.tolist() == [float(Fraction(0.1) * 10 - 1), 0.0]


def test_fma_of_float32_is_right_to_the_last_bit():
    @cuda.jit
    def fused(a, b, c, out):
        i = cuda.grid(1)
        out[i] = cuda.fma(a[i], b[i], c[i])

    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 512)).astype(np.float32)
    c = (-a * b * (1 + random.integers(-3, 4, 512) * 2.0**-24)).astype(np.float32)
    out = np.zeros(512, np.float32)
    fused[1, 512](a, b, c, out)
    exact = [
        float(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)))
        for x, y, z in zip(a, b, c, strict=True)
    ]
    assert out.tolist() == np.array(exact, np.float32).tolist()


def test_selp_chooses_without_a_branch():
    @cuda.jit
    def choose(x, out):
        i = cuda.grid(1)
        out[i] = cuda.selp(x[i] > 1, x[i], -1)

    out = np.zeros(4, np.int64)
    choose[1, 4](np.arange(4, dtype=np.int64), out)
    assert out.tolist() == [-1, -1, 2, 3]
    assert "bra" not in choose.inspect_ir()


@pytest.mark.parametrize("width", [32, 64])
def test_bits_by_hand(width):
    @cuda.jit
    def look(x, count, mirrored, zeros, first):
        i = cuda.grid(1)
        count[i] = cuda.popc(x[i])
        mirrored[i] = cuda.brev(x[i])
        zeros[i] = cuda.clz(x[i])
        first[i] = cuda.ffs(x[i])

    x = np.array([0, 1, 6, 1 << (width - 1), (1 << width) - 1], f"u{width // 8}")
    found = [np.zeros_like(x) for _ in range(4)]
    look[1, 5](x, *found)
    mirrored = [int(f"{number:0{width}b}"[::-1], 2) for number in x.tolist()]
    assert [column.tolist() for column in found] == [
        [0, 1, 2, 1, width],
        mirrored,
        [width, width - 1, width - 3, 0, 0],
        [0, 1, 2, width, 1],
    ]


def test_bits_of_a_float_are_refused():
    @cuda.jit
    def wrong(x):
        x[0] = cuda.popc(x[0])

    with pytest.raises(GpuSimError, match=r"cuda.popc\(\) does not take float64"):
        wrong[1, 1](np.zeros(1))


# libdevice: one signature each.


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("rsqrt(4.0)", 0.5),
        ("rsqrtf(0.1)", float(np.float32(1 / math.sqrt(np.float32(0.1))))),
        ("fast_sinf(0.5)", float(np.sin(np.float32(0.5)))),
        ("fast_fdividef(1, 3)", float(np.float32(1) / np.float32(3))),
        ("powf(2, 0.5)", float(np.float32(2) ** np.float32(0.5))),
        ("fma_rn(0.1, 10.0, -1.0)", float(Fraction(0.1) * 10 - 1)),
        ("fmaxf(x[0], 2)", 2.0),
        ("ldexp(0.75, 4)", 12.0),
        ("mulhi(-2, 3)", -1),
        ("mulhi(2**30, 2**30)", 2**28),
        ("umulhi(2**31, 2**31)", 2**30),
        ("mul64hi(2**62, -(2**62))", -(2**60)),
        ("umul64hi(2**63, 2**63)", 2**62),
        ("popcll(-1)", 64),
        ("clz(1)", 31),
        ("ffs(8)", 4),
        ("brev(1)", -(2**31)),
        ("llmin(-5, 3)", -5),
        ("isnanf(x[0])", 1),
        ("finitef(x[0])", 0),
        ("float2int_rz(-2.9)", -2),
        ("float2uint_rz(-2.9)", 0),
        ("int2float_rn(2**24 + 1)", 2**24),
        ("float_as_int(1.0)", 0x3F800000),
        ("int_as_float(0x40490FDB)", float(np.float32(math.pi))),
        ("longlong_as_double(double_as_longlong(-0.1))", -0.1),
    ],
)
def test_functions_of_libdevice(call, expected):
    call = re.sub(r"([a-z]\w+)\(", r"cuda.libdevice.\1(", call)
    out = np.zeros(1)
    define(f"@cuda.jit\ndef kernel(x, out):\n    out[0] = {call}\n")[1, 1](np.array([math.nan]), out)
    assert out[0] == expected


@pytest.mark.parametrize("function", functions.ELEMENT, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int16])
def test_functions_of_numpy_on_numbers(function, dtype):
    @cuda.jit
    def apply(x, out):
        i = cuda.grid(1)
        out[i] = function(x[i])

    x = np.array([0.25, 0.5, 0.75, 1]).astype(dtype)
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.float32) if dtype is np.int16 else x)
    out = np.zeros_like(expected)
    apply[1, 4](x, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "function", [*functions.ELEMENT_BINARY, *functions.ORDERED], ids=lambda f: f.__name__
)
def test_functions_of_numpy_on_two_numbers(function):
    @cuda.jit
    def apply(x, y, out):
        i = cuda.grid(1)
        out[i] = function(x[i], y[i])

    x, y = (axis.ravel().copy() for axis in np.meshgrid(ARGUMENTS, ARGUMENTS))
    out = np.zeros(x.size)
    apply[1, x.size](x, y, out)
    np.testing.assert_array_equal(out, function(x, y))


def test_angles_of_numpy():
    @cuda.jit
    def convert(x, out):
        out[0], out[1] = np.degrees(x[0]), np.rad2deg(x[0])
        out[2], out[3] = np.radians(x[1]), np.deg2rad(x[1])

    out = np.zeros(4)
    convert[1, 1](np.array([math.pi, 180.0]), out)
    assert out.tolist() == [180.0, 180.0, math.pi, math.pi]


@pytest.mark.parametrize("ndigits", [-3, -1, 0, 1, 5, 23, 300])
def test_round_to_digits_as_python_nearly_always_does(ndigits):
    @cuda.jit
    def apply(x, n, out):
        i = cuda.grid(1)
        out[i] = round(x[i], n)

    x = np.array([1234.5678, -0.5, 2.5, 1e300, math.inf, 0.1, -77.77])
    out = np.zeros_like(x)
    apply[1, x.size](x, ndigits, out)
    np.testing.assert_allclose(out, [round(float(number), ndigits) for number in x], rtol=1e-15)
