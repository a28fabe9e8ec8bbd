"""Does each function of `math`, and each intrinsic on numbers, give a lane what Python gives on its own?"""

from __future__ import annotations

import inspect
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
        ("float2int_rd(-2.5)", -3),
        ("float2int_ru(-2.5)", -2),
        ("float2int_rn(2.5)", 2),
        ("double2uint_ru(3e9 + 0.5)", 3000000001 - 2**32),
        ("float2ull_rd(1.5e19)", float(np.float32(1.5e19)) - 2**64),
        ("llrint(2.5)", 2),
        ("llround(2.5)", 3),
        ("llroundf(-2.5)", -3),
        ("roundf(-0.5)", -1),
        ("byte_perm(0x11223344, 0x55667788, 0x0426)", 0x44882266),
        ("hadd(-3, 0)", -2),
        ("rhadd(-3, 0)", -1),
        ("uhadd(-1, 1)", -(2**31)),
        ("urhadd(-1, 0)", -(2**31)),
        ("sad(-5, 7, 100)", 112),
        ("usad(-1, 0, 1)", 0),
        ("mul24(-1, 5)", -5),
        ("umul24(2**24 + 3, 5)", 15),
        ("double2hiint(1.0)", 0x3FF00000),
        ("double2loint(0.1)", -0x66666666),
        ("hiloint2double(double2hiint(0.1), double2loint(0.1))", 0.1),
        ("saturatef(1.5)", 1),
        ("saturatef(x[0])", 0),
        ("signbitd(-0.0)", 1),
        ("signbitf(2)", 0),
        ("ilogb(8.5)", 3),
        ("logbf(0.3)", -2),
        ("scalbn(0.75, 4)", 12),
        ("fdim(5.0, 3.0)", 2),
        ("cospi(0.5)", 0),
        ("sinpif(0.5)", 1),
        ("rcbrt(8.0)", 0.5),
        ("nextafterf(1, 2)", 1 + 2.0**-23),
        ("jn(0, 0.0)", 1),
        ("erfinv(0.0)", 0),
        ("normcdf(0.0)", 0.5),
        ("j0(0.0)", 1),
    ],
)
def test_functions_of_libdevice(call, expected):
    call = re.sub(r"([a-z]\w+)\(", r"cuda.libdevice.\1(", call)
    out = np.zeros(1)
    define(f"@cuda.jit\ndef kernel(x, out):\n    out[0] = {call}\n")[1, 1](np.array([math.nan]), out)
    assert out[0] == expected


# exactly, of fractions; a root is compared by its square
EXACT = {
    "add": lambda a, b, c: a + b, "sub": lambda a, b, c: a - b, "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b, "rcp": lambda a, b, c: 1 / a, "fma": lambda a, b, c: a * b + c,
    "sqrt": lambda a, b, c: a, "float": lambda a, b, c: a, "double": lambda a, b, c: a,
}  # fmt: skip
ROUNDED = [
    name
    for name in vars(cuda.libdevice)
    if re.search("_r[duzn]$", name) and not re.match("float2|double2[ilu]", name)
]


@pytest.mark.parametrize("name", [name for name in ROUNDED if not name.startswith("frsqrt")])
def test_what_is_rounded_to_a_side_is_next_to_the_exact_number(name):
    """Of 200 numbers of all sizes: the nearest, the nearest below, above, or toward zero."""
    (operation,) = [each for each in EXACT if re.search(rf"(^[fd]|^|2){each}f?_r", name)]
    dtype = np.float32 if re.match("f(?!ma_)|.*2float", name) else np.float64
    chance = np.random.default_rng(8)
    given = chance.normal(size=(3, 200)) * 2.0 ** chance.integers(-30, 30, (3, 200))
    given = given if name.startswith("double2") else given.astype(dtype).astype(np.float64)
    kind = re.match("(u?int|u?ll)2", name)
    if kind:
        bits = 64 if "ll" in kind[1] else 32
        given = chance.integers(0 if name[0] == "u" else -(2 ** (bits - 1)), 2 ** (bits - 1), (3, 200))
    given = np.abs(given) if operation == "sqrt" else given
    count = len(inspect.signature(EXACT[operation]).parameters) if operation == "fma" else 1 if kind else 2
    count = {"rcp": 1, "sqrt": 1, "double": 1, "float": 1}.get(operation, count)
    arguments, out = ", ".join(f"x[{place}, i]" for place in range(count)), np.zeros(200, dtype)
    call = f"cuda.libdevice.{name}({arguments})"
    define(f"@cuda.jit\ndef kernel(x, out):\n    i = cuda.grid(1)\n    out[i] = {call}\n")[1, 200](given, out)
    for found, *numbers in zip(out, *given.tolist(), strict=True):
        exact = EXACT[operation](*map(Fraction, numbers))
        value = (lambda one: one * one) if operation == "sqrt" else (lambda one: one)
        below, here, above = (
            value(Fraction(float(one)))
            for one in (np.nextafter(found, dtype(-np.inf)), found, np.nextafter(found, dtype(np.inf)))
        )
        side = name[-1]
        if side == "z":
            side = "d" if exact > 0 else "u"
        if side == "d":
            assert here <= exact < above
        elif side == "u":
            assert below < exact <= here
        else:
            assert abs(exact - here) <= min(abs(exact - below), abs(above - exact))


def test_numbers_that_are_none_and_powers_of_two():
    out = np.zeros(4)
    text = "    i = cuda.grid(1)\n    out[i] = 7 if np.isnan(x[i]) or np.isnan(i) else math.exp2(x[i])\n"
    define(f"@cuda.jit\ndef kernel(x, out):\n{text}")[1, 4](np.array([0.5, -2, math.nan, math.inf]), out)
    assert out.tolist() == [2**0.5, 0.25, 7, math.inf]


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
