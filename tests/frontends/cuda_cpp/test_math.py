"""Does each mathematical function give what it should, in float and in double, by every name it has?

What it should give a C++ compiler's library works out in `long double`, rounded once. A function may be as
far off as NVIDIA allows a GPU to be, in units in the last place (ulps): the CUDA C++ Programming Guide lists
them under "Mathematical Functions". It may be off by 2 in any case, for NumPy's own functions may be; and
lgamma, which is Python's, by 16 in double.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import gpusim
from tests.frontends.cuda_cpp import c_reference
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.c_types import DOUBLE, FLOAT, CType
from tests.frontends.cuda_cpp.programs import same

TYPES = {"float": FLOAT, "double": DOUBLE}
ROWS, BLOCK = 512, 64
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 1e-40, 1e-310, np.inf, -np.inf, np.nan]


def numbers(seed: int, low: float, high: float, special: Sequence[float] = SPECIAL) -> np.ndarray:
    """Special numbers first, then random ones between the limits."""
    return np.concatenate((special, np.random.default_rng(seed).uniform(low, high, ROWS)))[:ROWS]


ANY = numbers(0, -1, 1) * 10.0 ** np.random.default_rng(1).integers(-12, 12, ROWS)
MODERATE, FEW, UNIT, HALF = (
    numbers(2, -20, 20),
    numbers(3, -4, 4),
    numbers(4, -1, 1),
    numbers(5, -0.4, 0.4, []),
)
POSITIVE = numbers(6, 1e-3, 20, [0.0, 1.0, 2.0, 0.5, np.inf, np.nan, 1e-310])
SECOND = np.random.default_rng(7).permutation(MODERATE)

EXACT = (0, 0)
# function of x -> (most ulps of float and of double, what x is)
ONE = {
    "sin": ((2, 2), MODERATE), "cos": ((2, 2), MODERATE), "tan": ((4, 2), MODERATE), "asin": ((2, 2), UNIT),
    "acos": ((2, 2), UNIT), "atan": ((2, 2), ANY), "sinh": ((3, 2), MODERATE), "cosh": ((2, 2), MODERATE),
    "tanh": ((2, 2), MODERATE), "asinh": ((3, 3), ANY), "acosh": ((4, 3), ANY), "atanh": ((3, 2), UNIT),
    "exp": ((2, 2), MODERATE), "exp2": ((2, 2), MODERATE), "exp10": ((2, 2), MODERATE),
    "expm1": ((2, 2), MODERATE), "log": ((2, 2), ANY), "log2": ((2, 2), ANY), "log10": ((2, 2), ANY),
    "log1p": ((2, 2), ANY), "cbrt": ((2, 2), ANY), "erf": ((2, 2), FEW), "erfc": ((4, 5), FEW),
    "tgamma": ((5, 10), POSITIVE), "lgamma": ((6, 16), POSITIVE), "rsqrt": ((2, 2), POSITIVE),
    "rcbrt": ((2, 2), ANY), "sinpi": ((2, 2), HALF), "cospi": ((2, 2), HALF), "normcdf": ((5, 5), FEW),
    "erfcx": ((4, 4), FEW), "sqrt": (EXACT, ANY), "fabs": (EXACT, ANY), "floor": (EXACT, FEW),
    "ceil": (EXACT, FEW), "trunc": (EXACT, FEW), "round": (EXACT, FEW), "rint": (EXACT, FEW),
    "nearbyint": (EXACT, FEW), "logb": (EXACT, ANY),
}  # fmt: skip
# function of x and y
TWO = {
    "atan2": ((3, 2), MODERATE), "pow": ((4, 2), FEW), "hypot": ((3, 2), MODERATE),
    "rhypot": ((2, 2), MODERATE), "fmod": (EXACT, ANY), "remainder": (EXACT, ANY), "fdim": (EXACT, ANY),
    "fmin": (EXACT, MODERATE), "fmax": (EXACT, MODERATE), "copysign": (EXACT, ANY),
    "nextafter": (EXACT, MODERATE),
}  # fmt: skip
FUNCTIONS = ONE | TWO
# what C++ has not -> what it stands for
OWN = {
    "exp10": "exp10l(x)", "rsqrt": "1 / std::sqrt(x)", "rcbrt": "1 / std::cbrt(x)",
    "rhypot": "1 / std::hypot(x, y)", "sinpi": "std::sin(M_PIl * x)", "cospi": "std::cos(M_PIl * x)",
    "normcdf": "std::erfc(-x / std::sqrt(2.0L)) / 2",
    "erfcx": "std::isinf(x) ? x < 0 ? x * x : 0 : std::exp(x * x) * std::erfc(x)",
}  # fmt: skip
# whole numbers, several results, a scale, three operands: exact. T is the type, F an f or nothing
STATEMENTS = {
    "fma": "one = fmaF(x, y, z); other = fmaF(z, z, -x);",
    "ldexp": "one = ldexpF(x, n); other = ldexp(z, -n);",
    "scalbn": "one = scalbnF(x, n); other = scalblnF(z, (long)n);",
    "modf": "one = modfF(x, &other);",
    "frexp": "int exponent = 0; one = frexpF(z, &exponent); other = exponent;",
    "remquo": "int quotient = 0; one = remquoF(z, 2.5F, &quotient); other = quotient & 7;",
    "ilogb": "one = ilogbF(z); other = ilogb(z);",
    "lround": "one = lroundF(z); other = llroundF(z);",
    "lrint": "one = lrintF(z); other = llrintF(z);",
    "isnan": "one = isnan(x) ? 1 : 0; other = isfinite(x) ? 1 : 0;",
    "isinf": "one = isinf(x) ? 1 : 0; other = signbit(x) ? 1 : 0;",
    "abs": "one = abs(x); other = abs((int)z);",
}
STATEMENT = """\
    const T x = xs[row], y = ys[row], z = x > -1e5F && x < 1e5F ? x : 7;
    const int n = row % 80 - 40;
    T one = 0, other = 0;
    {}
    ones[row] = one, others[row] = other;"""


def parameters(type_: CType, *results: str) -> list[str]:
    """Two arrays to read, and one for each result."""
    return [
        f"const {type_.name}* xs",
        f"const {type_.name}* ys",
        *(f"{type_.name}* {name}" for name in results),
    ]


def statement(name: str, type_: CType) -> str:
    """What a kernel and a C function have in common."""
    text = STATEMENT.format(STATEMENTS[name])
    for letter, word in (("F", "f" if type_ is FLOAT else ""), ("T", type_.name)):
        text = text.replace(letter, word)
    return text


def reference_text() -> str:
    """All functions as C++: `sin_float`, `sin_double`, …"""
    texts = ["using std::abs, std::isnan, std::isinf, std::isfinite, std::signbit, std::ldexp, std::ilogb;\n"]
    for type_ in TYPES.values():
        for name, (bound, _) in FUNCTIONS.items():
            wide = type_.name if bound is EXACT else "long double"
            value = OWN.get(name, f"std::{name}(x, y)" if name in TWO else f"std::{name}(x)")
            body = f"const {wide} x = xs[row], y = ys[row]; out[row] = {value};"
            texts.append(c_reference.function(f"{name}_{type_.name}", parameters(type_, "out"), body))
        for name in STATEMENTS:
            results = parameters(type_, "ones", "others")
            texts.append(c_reference.function(f"{name}_{type_.name}", results, statement(name, type_)))
    return "".join(texts)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return Reference(reference_text(), tmp_path_factory.mktemp("mathematics"))


def both(name: str, type_: CType, x: np.ndarray, body: str, reference: Reference) -> list[list[np.ndarray]]:
    """Two results of the kernel, and those of the C function."""
    with np.errstate(over="ignore"):
        given = [x.astype(type_.dtype), SECOND.astype(type_.dtype)]
    found, expected = ([np.zeros(ROWS, type_.dtype) for _ in range(2)] for _ in range(2))
    text = c_reference.kernel("apply", parameters(type_, "ones", "others"), body)
    gpusim.RawKernel(text, "apply")((ROWS // BLOCK,), (BLOCK,), (*given, *found))
    results = expected if name in STATEMENTS else expected[:1]
    reference.call(f"{name}_{type_.name}", ROWS, [*given, *results])
    return [found, expected]


def ulps(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How many steps from one representable number to the next lie between two? None between two NaNs."""
    signed = np.dtype(f"i{found.itemsize}")
    # read as integers the positive numbers are in order, and the negative ones in reverse
    lowest = int(np.iinfo(signed).min)
    places = [
        [bits if bits >= 0 else lowest - bits for bits in x.view(signed).tolist()] for x in (found, expected)
    ]
    steps = np.array([float(abs(one - other)) for one, other in zip(*places, strict=True)])
    nans = np.isnan(found).astype(int) + np.isnan(expected)
    return np.where(nans == 2, 0, np.where(nans == 1, np.inf, steps))


def test_ulps_are_counted():
    one = np.array([1, 1, 0, np.nan, np.nan, -5e-324, 5e-324])
    other = np.array([1, 1 + 2.0**-52, -0.0, np.nan, 1, 5e-324, 15e-324])
    assert ulps(one, other).tolist() == [0, 1, 0, 0, np.inf, 2, 2]


@pytest.mark.parametrize("type_", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_as_exact_as_a_gpu_must_be(name, type_, reference):
    bounds, x = FUNCTIONS[name]
    arguments = "(xs[row], ys[row])" if name in TWO else "(xs[row])"
    letter = "f" if type_ is FLOAT else ""
    # C++ overloads the plain name: sin of a float is sinf
    body = f"  ones[row] = {name}{letter}{arguments};\n  others[row] = {name}{arguments};"
    (found, overloaded), (expected, _) = both(name, type_, x, body, reference)
    assert same(found, overloaded).all()
    errors = ulps(found, expected)
    worst = int(np.argmax(errors))
    assert errors[worst] <= bounds[type_ is DOUBLE], (x[worst], SECOND[worst], found[worst], expected[worst])


@pytest.mark.parametrize("type_", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_function_that_is_exact(name, type_, reference):
    found, expected = both(name, type_, FEW if name == "lround" else ANY, statement(name, type_), reference)
    for ours, theirs in zip(found, expected, strict=True):
        differing = np.flatnonzero(~same(ours, theirs))
        assert differing.size == 0, (ANY[differing[0]], ours[differing[0]], theirs[differing[0]])
