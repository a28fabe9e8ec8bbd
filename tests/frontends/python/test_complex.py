"""Do complex numbers in a kernel behave as Python's, at the width that Numba gives them?"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends.python.builtins import functions
from tests.from_text import define

POINTS = np.array([0.5 + 1.5j, -2 + 0.25j, 0.5j, -3.0, 0.75 - 0.5j, 2 + 2j])
OTHERS = np.array([2 - 1j, 0.5j, 1.5, -1 - 1j, 3 + 0.125j, -0.5])
# each with z, w complex, x a float, n an integer
EXPRESSIONS = (
    "z + w", "z - w", "z * w", "z / w", "-z", "+z", "z + x", "x * z", "z * n", "n - z", "z / (n + 3)",
    "z + 1j", "1j * z", "2 * z - 0.5", "z ** 2", "z ** n", "z ** w", "z.conjugate()", "z.conjugate() * w",
    "complex(x, n)", "complex(n)", "complex(x) + z", "np.complex128(z)", "np.complex128(x)",
    "w if x > 0 else z", "(1 + 2j) * (3 - 1j) + z", "-(1 + 2j) + z",
)  # fmt: skip
REAL_EXPRESSIONS = (
    "z.real", "z.imag", "abs(z)", "z == w", "z != w", "z == z", "z == x", "n == z", "bool(z)", "not z",
    "z.real * w.imag", "x.real + x.imag", "n.conjugate()", "(2 + 3j).imag", "1 if z else 0",
)  # fmt: skip


def computed(expression, dtype, out_dtype):
    """What each thread computes, and what Python does; z and w of `dtype`."""
    text = (
        "@cuda.jit\ndef kernel(zs, ws, xs, ns, out):\n    i = cuda.grid(1)\n"
        f"    z, w, x, n = zs[i], ws[i], xs[i], ns[i]\n    out[i] = {expression}\n"
    )
    zs, ws = POINTS.astype(dtype), OTHERS.astype(dtype)
    xs, ns = np.linspace(-1, 1.5, 6).astype(zs.real.dtype), np.arange(6) - 2
    out = np.zeros(6, out_dtype)
    define(text)[2, 3](zs, ws, xs, ns, out)
    names = {"np": np, "complex": complex, "abs": abs, "bool": bool}
    expected = [
        eval(expression, {**names, "z": complex(z), "w": complex(w), "x": float(x), "n": int(n)})
        for z, w, x, n in zip(zs, ws, xs, ns, strict=True)
    ]
    return out, np.array(expected)


@pytest.mark.parametrize(("dtype", "precision"), [(np.complex64, 1e-5), (np.complex128, 1e-14)])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_thread_computes_what_python_computes(machine, expression, dtype, precision):
    out, expected = computed(expression, dtype, dtype)
    np.testing.assert_allclose(out, expected, rtol=precision, atol=precision)


def test_a_square_is_a_power_as_any_other():
    """`cpow_implement` in numba-cuda's mathimpl.py: by distance and angle, whatever the power."""
    (known, _), (told, _) = (
        computed(power, np.complex128, np.complex128) for power in ("z ** 2", "z ** (n * 0 + 2)")
    )
    length, angle = np.hypot(POINTS.real, POINTS.imag) ** 2.0, 2.0 * np.arctan2(POINTS.imag, POINTS.real)
    by_hand = length * np.cos(angle) + 1j * (length * np.sin(angle))
    assert known.tolist() == told.tolist() == by_hand.tolist()
    assert known[3] == 9 - 2.2043642384652358e-15j  # of -3, where a product is exact


@pytest.mark.parametrize("statement", ["x[i] = x[i] / x[0]", "x[i] /= 0", "x[i] = (1 + 2j) / 0j"])
def test_a_division_by_zero_raises_also_without_debug(statement):
    """Numba computes it as CPython does; only a division of other numbers gives inf or nan."""
    kernel = cuda.jit(define(f"def kernel(x):\n    i = cuda.grid(1)\n    {statement}\n"))
    with pytest.raises(ZeroDivisionError, match=r"thread \(0, 0, 0\) .* complex division by zero"):
        kernel[1, 4](np.zeros(4, complex))


@pytest.mark.parametrize(
    "guarded", ["1j / z if z else 0j", "complex(1) / z if z else 0j", "z and n / z", "z != 0 and 1 / z == 1"]
)
def test_a_division_runs_only_where_its_guard_says(guarded):
    text = f"def kernel(x, n, out):\n    i = cuda.grid(1)\n    z = x[i]\n    out[i] = {guarded}\n"
    x, out = np.array([0, 1, 2, 0], complex), np.zeros(4, complex)
    cuda.jit(define(text))[1, 4](x, 1, out)
    assert (out[x == 0] == 0).all()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("expression", REAL_EXPRESSIONS)
def test_parts_sizes_and_comparisons(expression, dtype):
    out, expected = computed(expression, dtype, float)
    np.testing.assert_allclose(out, expected.astype(float), rtol=1e-6)


@pytest.mark.parametrize("function", functions.COMPLEX, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("dtype", "precision"), [(np.complex64, 2e-6), (np.complex128, 1e-13)])
def test_functions_of_cmath(function, dtype, precision):
    @cuda.jit
    def apply(z, out):
        i = cuda.grid(1)
        out[i] = function(z[i])

    z = POINTS.astype(dtype)
    out = np.zeros_like(z)
    apply[1, z.size](z, out)
    np.testing.assert_allclose(out, [function(complex(point)) for point in z], rtol=precision)


def test_polar_and_rectangular():
    @cuda.jit
    def there_and_back(z, angles, out):
        i = cuda.grid(1)
        r, phi = cmath.polar(z[i])
        angles[i] = cmath.phase(z[i])
        out[i] = cmath.rect(r, phi)

    angles, out = np.zeros(6), np.zeros(6, complex)
    there_and_back[1, 6](POINTS, angles, out)
    assert angles.tolist() == [cmath.phase(point) for point in POINTS]
    np.testing.assert_allclose(out, POINTS, rtol=1e-15, atol=1e-15)


def test_questions_about_complex_numbers():
    @cuda.jit
    def ask(z, out):
        i = cuda.grid(1)
        out[i, 0], out[i, 1], out[i, 2] = cmath.isnan(z[i]), cmath.isinf(z[i]), cmath.isfinite(z[i])

    z = np.array([1j, complex(math.nan, 1), complex(0, math.inf)])
    out = np.zeros((3, 3), bool)
    ask[1, 3](z, out)
    assert out.tolist() == [[f(p) for f in (cmath.isnan, cmath.isinf, cmath.isfinite)] for p in z.tolist()]


def test_mandelbrot_with_complex_numbers(machine):
    @cuda.jit
    def escape(c, steps):
        i = cuda.grid(1)
        z, n = 0j, 0
        while n < 20 and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c[i]
            n += 1
        steps[i] = n

    def alone(c):
        z, n = 0j, 0
        while n < 20 and abs(z) < 2:
            z, n = z * z + c, n + 1
        return n

    c = np.array([complex(x, y) for x in np.linspace(-2, 1, 9) for y in np.linspace(-1, 1, 7)])
    steps = np.zeros(c.size, np.int64)
    escape[1, c.size](c, steps)
    assert steps.tolist() == [alone(point) for point in c.tolist()]


def test_complex_shared_and_local_arrays(machine):
    @cuda.jit
    def rotate(z, out):
        i = cuda.threadIdx.x
        s = cuda.shared.array(64, np.complex64)
        own = cuda.local.array(2, np.complex128)
        s[i] = z[i]
        cuda.syncthreads()
        own[0], own[1] = s[(i + 1) % 64], 1j
        out[i] = own[0] * own[1]

    z = (np.arange(64) + 1j).astype(np.complex64)
    out = np.zeros(64, np.complex64)
    rotate[1, 64](z, out)
    assert out.tolist() == (np.roll(z, -1) * 1j).tolist()


def test_a_complex_number_takes_two_or_four_registers_and_one_access():
    # a complex64 is 8 bytes: 32 of them are 256 bytes, 8 sectors, one request
    @cuda.jit
    def copy(z, out):
        i = cuda.threadIdx.x
        out[i] = z[i]

    registers = {}
    for dtype, sectors in ((np.complex64, 8), (np.complex128, 16)):
        z = np.zeros(32, dtype)
        with gpusim.profile() as run:
            copy[1, 32](z, np.zeros_like(z))
        counters = run.counters()
        assert (counters["global_load_requests"], counters["global_load_sectors"]) == (1, sectors)
        registers[dtype] = copy.compiled(z, z).registers_per_thread
    assert registers[np.complex128] - registers[np.complex64] == 2


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("x[0] = z[0]", "complex128 where float64 is needed"),
        ("x[0] = int(z[0])", "complex128 where int64 is needed"),
        ("x[0] = z[0] < z[1]", "setp.lt does not take complex128 and complex128"),
        ("x[0] = math.sqrt(z[0])", r"math.sqrt\(\) does not take complex128"),
        ("z[0] = z[0] // 2", "div.floor does not take complex128 and int64"),
        ("z[0] = max(z[0], z[1])", r"max\(\) does not take complex128 and complex128"),
        ("cuda.atomic.add(z, 0, 1j)", "atom.add does not take complex128"),
        ("z[0] = cuda.shfl_sync(-1, z[0], 0)", "lanes do not exchange complex128"),
        ("z[0] = cuda.match_any_sync(-1, z[0])", "lanes do not exchange complex128"),
        ("z[0] = ~z[0]", "~ does not take complex128"),
        ("z[int(x[0]) + z[0]] = 1", "an index of type complex128"),
        ("print(z[0])", r"print\(\) does not take complex128"),
    ],
)
def test_what_has_no_meaning_is_refused(statement, message):
    kernel = define(f"@cuda.jit\ndef kernel(z, x):\n    {statement}\n")
    with pytest.raises(KernelTypeError, match=message):
        kernel[1, 1](np.ones(2, complex), np.ones(2))


@pytest.mark.parametrize("name", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
def test_numpys_functions_order_complex_numbers(name):
    numbers = [1 + 2j, 1 + 3j, 2 + 0j, 2, complex(1, math.nan), complex(math.nan, 1)]
    pairs = np.array([(one, other) for one in numbers for other in numbers], np.complex64)
    ones, others, out = pairs[:, 0].copy(), pairs[:, 1].copy(), np.zeros(len(pairs), bool)
    text = f"@cuda.jit\ndef kernel(z, w, out):\n    i = cuda.grid(1)\n    out[i] = np.{name}(z[i], w[i])\n"
    define(text)[1, len(pairs)](ones, others, out)
    with np.errstate(invalid="ignore"):
        assert out.tolist() == getattr(np, name)(ones, others).tolist()


def test_the_parts_of_an_array_are_where_they_lie():
    @cuda.jit
    def kernel(z, x):
        cuda.atomic.add(z.real, 1, x[0])
        cuda.atomic.add(z.imag, 0, 2 * x.real[0])

    z, x = np.zeros(3, np.complex64), np.ones(1)
    kernel[1, 32](z, x)
    assert z.tolist() == [64j, 32, 0]
    with pytest.raises(UnsupportedConstruct, match="`imag` of an array"):
        define("@cuda.jit\ndef kernel(x):\n    x.imag[0] = 1\n")[1, 1](x)


SUMS = {
    "s = 0\nfor k in range(2):\n    s += z[k]": 4 + 1j,
    "s = 0.0\nfor k in range(2):\n    s = s + z[k]": 4 + 1j,
    "s = n\nif n > 0:\n    s = z[1] * 2": 6 - 2j,
    "n += z[0]\ns = n": 2 + 2j,
    "for s in range(3):\n    s = s * z[0]": 2 + 4j,
}


@pytest.mark.parametrize("statements", SUMS)
def test_a_variable_that_begins_as_a_number_takes_complex_ones(statements):
    body = f"{statements}\nout[0] = s".replace("\n", "\n    ")
    z, out = np.array([1 + 2j, 3 - 1j]), np.zeros(1, complex)
    define(f"@cuda.jit\ndef kernel(z, n, out):\n    {body}\n")[1, 1](z, 1, out)
    assert out[0] == SUMS[statements]
