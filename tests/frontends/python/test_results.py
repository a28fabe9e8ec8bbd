"""What does each construct compute? The same as the Python function does on the host, for every thread."""

from __future__ import annotations

import math
from enum import IntEnum
from types import FunctionType

import numpy as np
import pytest

from gpusim import cuda
from tests.from_text import define


class Stage(IntEnum):
    """An enumeration, whose members are whole numbers to a kernel."""

    WARM = 2
    HOT = 7


NUMBERS = range(-6, 40)
LIMIT = 5
NOTHING = None
WEIGHTS = (3, (5, 7))
SCALE = 0.1


def if_elif_else(i):
    if i < 0:
        result = -1
    elif i % 2 == 0:
        result = 10
    else:
        result = 20
    return result


def nested_ifs(i):
    result = 0
    if i > 3:
        if i > 10:
            result = 1
            if i > 20:
                result += 100
        else:
            result = 2
        result *= 3
    return result


def while_loop(i):
    steps = 0
    n = i + 7
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def while_else(i):
    k = 0
    while k < 5:
        if k == i:
            break
        k += 1
    else:
        k = 100
    return k


def for_else(i):
    for k in range(2, 10):
        if i % k == 0:
            result = k
            break
    else:
        result = -1
    return result


def for_continue(i):
    total = 0
    for k in range(i):
        if k % 3 == 0:
            continue
        total += k
    return total


def for_bounds(i):
    total = 0
    for k in range(10, i, -3):
        total = total * 3 + k
    for k in range(i, 9, 2):
        total = total * 5 - k
    return total


def for_step_of_a_variable(i):
    total = 0
    step = i % 5 - 2
    if step != 0:
        for k in range(0, 6 * step, step):
            total += k + 1
        for k in range(10, 0, step):
            total -= k
            if k > 100:
                break
    return total


def for_variable_after_the_loop(i):
    k = -5
    for k in range(i):  # noqa: B007
        pass
    return k


def for_variable_changed_in_the_loop(i):
    total = 0
    for k in range(4):
        total = total * 10 + k
        k += i
        total += k
    return total


def for_variable_used_twice(i):
    total = 0
    for k in range(3):
        for k in range(i % 4):
            total += k
        total += 10 * k
    return total


def for_bounds_are_taken_once(i):
    total, n = 0, i
    for k in range(n):
        n += 1
        total += k
    return total + n


def return_from_inside(i):
    for k in range(10):
        for m in range(10):
            if k * m > i:
                return 100 * k + m
    return -1


def return_at_once(i):
    if i < 10:
        return 1
    return 2


def conditional_expression(i):
    return (i if i > 3 else -i) + (1 if i % 2 else 2 if i % 3 else 3)


def and_or_not(i):
    return 1 if (i > 3 and not i > 20) or i == -2 else 0


def and_or_give_operands(i):
    return (i % 3 or 7) + (i % 2 and 30) + (i and i % 5 or 1000)  # noqa: RUF021 - that is what is tried


def chained_comparison(i):
    return 1 if -2 <= i < 7 != 3 else 0


def truth_of_numbers(i):
    result = 0
    if i:
        result = 1
    if i * 0.5:
        result += 2
    if not i % 4:
        result += 4
    return result


def comparisons_are_numbers(i):
    return (i > 3) + 10 * (i == 5) + 100 * (not i) + (True + 1)


def swap(i):
    a, b = i, 3
    a, b = b, a + b
    b, a = a - b, b
    return 100 * a + b


def several_targets(i):
    a = b = i
    b += 1
    return 100 * a + b


def tuples(i):
    pair = (i, 2 * i)
    a, (b, c) = 1, pair
    pair = (7, 8)
    return a + b + 10 * c + pair[0] + pair[-1] + len(pair)


def floor_division_and_remainder(i):
    return 1000 * (i // 7) + 100 * (i // -7) + 10 * (i % 7) + i % -7


def true_division(i):
    return i / 8 + (i * 0.5) // 3 + (i * 0.5) % 3


def powers(i):
    return i**2 + i**3 - (i * 1.5) ** 2 + 2.0 ** (i % 5)


def bits(i):
    return (i & 12) + (i | 3) * 7 + (i ^ 5) * 11 + ~i + (i << 3) + (i >> 1) + (-i >> 2)


def unary(i):
    return -i + +i - ~i + -(i * 0.5)


def integers_wrap_never_below_64_bits(i):
    return i * 2_000_000_000 * 3


def casts(i):
    return int(i * 0.3) + float(i) + bool(i) + int(-2.7) + np.int64(i) + np.float64(i)


def narrow_casts(i):
    return np.int64(np.int8(i)) + np.int64(np.uint8(i + 6)) + np.float64(np.float32(i) * np.float32(0.5))


def least_and_most(i):
    return min(i, 5) + 10 * max(i, 2, 11) + abs(i) + min(i * 0.5, 3)


def least_of_a_tuple(i):
    row = (i, 7, 3 * i)
    return min(row) + 10 * max((i, 2)) + 100 * max((i,))


def mathematics(i):
    return math.floor(i * 0.3) + math.ceil(i * 0.3) + math.sqrt(i + 6) + math.fabs(i) + math.pi + abs(i * 0.5)


def names_from_outside(i):
    return i * LIMIT + WEIGHTS[0] * WEIGHTS[1][1] + SCALE


def types_widen(i):
    total = 0
    for k in range(3):  # noqa: B007
        total += 0.5 * i
    return total


def a_docstring_and_pass(i):
    """Neither does anything."""
    pass  # noqa: PIE790
    return i


def tuples_compare(i):
    here, there = (i % 3, i), (1, 10)
    order = (here < there) + 2 * (here <= there) + 4 * (here > there) + 8 * (here >= there)
    prefix = 64 * ((i,) < (i, 1)) + 128 * ((1, 2) != (1, 2))
    return order + 16 * (here == there) + 32 * (here != there) + prefix


def membership(i):
    return (i in (1, 5, 7)) + 2 * (i not in (2, i % 4)) + 4 * (3 in (1, 2)) + 8 * (i * 0.5 in (2.5, 3))


def tuples_are_joined_and_cut(i):
    start, end = (i, 2 * i, 3), (4, i + 5)
    row = start + end
    middle = row[1:4]
    return middle[0] + 10 * middle[-1] + 100 * row[::2][1] + 1000 * len(row[:-1])


def loop_over_a_tuple(i):
    total = 0
    for k in (i, 7, 2 * i):
        if k > 50:
            break
        if k % 2:
            continue
        total = 3 * total + k
    else:
        total += 1000
    for a, (b, c) in ((1, (i, 2)), (i, (3, 4))):
        total += a * b - c
    return total


def nested_tuples(i):
    tree = ((i, (i + 1, 2)), 3)
    (a, (b, _)), c = tree
    return a + 10 * b + 100 * c + 1000 * tree[0][1][0]


def an_assignment_is_an_expression(i):
    total = (step := i + 2)
    return 100 * total + step


def quotient_and_remainder(i):
    q, r = divmod(i, 7)
    x, y = divmod(i * 0.75, -2)
    return 1000 * q + 100 * r + 10 * x + y


def rounding(i):
    return round(i * 0.5) + 100 * round(i * 0.3 + 0.02, 1) + round(i * 37.0, -2) + round(i, 2)


def taking_floats_apart(i):
    mantissa, exponent = math.frexp(i * 0.3)
    fraction, whole = math.modf(i * 0.7)
    return mantissa + 10 * exponent + 1000 * fraction + whole + math.ldexp(mantissa, exponent)


def remainders(i):
    return math.remainder(i * 1.5, 4.0) + 100 * math.fmod(i * 1.5, 4.0)


def stages_and_none(i):
    stage = Stage.WARM
    result = NOTHING
    total = Stage.HOT * 10 + (i if i == Stage.WARM else 0)
    if stage == Stage.WARM and stage != Stage.HOT:
        total += 1
    if result is None or result[0] > 3:
        total += 100
    return total + (1000 if LIMIT > 4 and NOTHING is None else undefined_elsewhere)  # noqa: F821


def annotated(i):
    result: int = i
    result += 1
    return result


def value_of_the_round_before(i):
    total = 0
    for k in range(i % 4 + 2):
        if k == 0:
            before = 1
            continue
        total += before
        before = k * i
    return total


FUNCTIONS = [f for f in list(globals().values()) if isinstance(f, FunctionType) and f.__module__ == __name__]


def threads(function, numbers):
    """The results of a device function, one number a thread."""
    device_function = cuda.jit(device=True)(function)

    @cuda.jit
    def apply(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = device_function(x[i])

    numbers = np.array(numbers)
    x = numbers.astype(np.int64) if numbers.dtype.kind == "i" else numbers  # int32 in a browser
    out = np.zeros(len(x))
    apply[2, 32](x, out)
    return out.tolist()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_thread_computes_what_python_computes(machine, function):
    assert threads(function, NUMBERS) == [pytest.approx(float(function(i)), rel=1e-15) for i in NUMBERS]


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "fabs"])
def test_functions_of_math(machine, name):
    function = define(f"def of_math(i):\n    return math.{name}(i * 0.25 + 2)\n", "of_math")
    assert threads(function, NUMBERS) == pytest.approx([function(i) for i in NUMBERS], rel=1e-14)


def test_math_of_a_float32_stays_float32():
    @cuda.jit
    def roots(x, out):
        i = cuda.grid(1)
        out[i] = math.sqrt(x[i])

    x, out = np.arange(10, dtype=np.float32), np.zeros(10)
    roots[1, 10](x, out)
    assert (out == np.sqrt(x)).all()
    assert "sqrt.f32" in roots.inspect_ir()


def test_nested_tuples_change_places():
    @cuda.jit
    def kernel(x):
        p, q = ((x[0], 1), (x[1], 2))
        p, q = q, p
        x[0], x[1] = p[0], q[0]

    x = np.array([3, 4])
    kernel[1, 1](x)
    assert x.tolist() == [4, 3]


# Device functions.


@cuda.jit(device=True)
def pair(low, high):
    return low + 100 * high


@cuda.jit(device=True)
def clamp(v, low, high):
    if v < low:
        return low
    if v > high:
        return high
    return v


@cuda.jit(device=True)
def both(v):
    return clamp(v, 0, 9), clamp(high=5, v=v, low=-5)


@cuda.jit(device=True)
def bump(x, i):
    x[i] += 1


@cuda.jit(device=True)
def reassigns(v):
    v = v + 1
    v *= 2
    return v


@cuda.jit(device=True)
def keeps(v):
    q = v
    q += 1
    return 100 * q + v


def test_device_functions_call_each_other_and_return_tuples(machine):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        a, b = both(x[i])
        x[i] = 100 * a + b

    x = np.arange(-20, 30)
    kernel[1, 50](x)
    assert x.tolist() == [100 * min(max(v, 0), 9) + min(max(v, -5), 5) for v in range(-20, 30)]


def test_a_device_function_writes_to_arrays(machine):
    @cuda.jit
    def kernel(x):
        bump(x, cuda.grid(1))
        bump(x, cuda.grid(1))

    x = np.arange(5)
    kernel[1, 5](x)
    assert x.tolist() == [2, 3, 4, 5, 6]


def test_a_device_functions_variables_are_its_own(machine):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        v = x[i]
        q = 7
        out[i] = reassigns(v) + 1000 * keeps(v * 2) + 1_000_000 * v + q

    out = np.zeros(4, np.int64)
    kernel[1, 4](np.arange(4), out)
    assert out.tolist() == [
        (v + 1) * 2 + 1000 * (100 * (2 * v + 1) + 2 * v) + 1_000_000 * v + 7 for v in range(4)
    ]


def test_on_the_host_a_device_function_is_a_python_function():
    assert [clamp(v, 0, 9) for v in (-1, 4, 12)] == [0, 4, 9]


# Names from outside.


def test_what_a_closure_holds_is_a_constant_when_the_kernel_is_compiled(machine):
    def make(factor):
        @cuda.jit
        def times(x):
            x[cuda.grid(1)] *= factor

        return times

    two, three = make(2), make(3)
    x = np.ones(4, np.int64)
    two[1, 4](x)
    three[1, 4](x)
    assert x.tolist() == [6] * 4


@pytest.mark.parametrize(
    ("constant", "expression", "value"),
    [
        (np.int32(2**31 - 1), "c + 1", 2**31),
        (np.float32(1), "c / 3", 1 / 3),
        (3_000_000_000, "c * c * 10 + i", (3_000_000_000**2 * 10 + 2**63) % 2**64 - 2**63),
        (np.uint8(200), "c + c", 400),
        (True, "c + c", 2),
        ((4, 5), "c[0] * c[1]", 20),
        (np.bool_(True), "10 if c else 20", 10),
    ],
)
def test_constants_are_computed_in_the_type_of_the_result(constant, expression, value):
    text = f"@cuda.jit\ndef kernel(out):\n    i = cuda.grid(1)\n    out[i] = {expression}\n"
    out = np.zeros(1, np.float64 if isinstance(value, float) else np.int64)
    define(text, c=constant)[1, 1](out)
    assert out[0] == value


@pytest.mark.parametrize("expression", ["a**b", "a ** (1 / 3)", "pow(a, b)", "np.float32(a) ** b"])
def test_a_root_of_a_negative_constant_is_no_number_as_on_the_machine(expression):
    out = np.zeros(1)
    define(f"@cuda.jit\ndef kernel(out):\n    out[0] = {expression}\n", a=-8.0, b=1 / 3)[1, 1](out)
    assert np.isnan(out[0])


@pytest.mark.parametrize("sign", ["~", "-", "+"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_a_sign_or_an_inversion_comes_before_the_widening(sign, dtype):
    """~uint8(200) is 55 and -uint8(200) is 56, as uint64, in Numba and here: 8 bits are inverted, not 64."""
    limits = np.iinfo(dtype)
    x = np.array([0, 1, 5, 100, limits.max - 1, limits.max, limits.min], dtype)
    expected = {"~": ~x, "-": 0 - x, "+": x}[sign]
    out, named = np.zeros(len(x), f"{x.dtype.kind}8"), np.zeros(len(x), f"{x.dtype.kind}8")
    kernel = define(f"@cuda.jit\ndef kernel(x, out):\n    i = cuda.grid(1)\n    out[i] = {sign}x[i]\n")
    kernel[1, len(x)](x, out)
    for i, constant in enumerate(x):
        define(f"@cuda.jit\ndef kernel(out):\n    out[{i}] = {sign}c\n", c=constant)[1, 1](named)
    assert out.tolist() == named.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("10**-3", 0.001),
        ("3**-1", 1 / 3),
        ("-(2**-2)", -0.25),
        ("2**63", 2**63),
        ("2**64 - 1", 2**64 - 1),
        ("-(2**63)", -(2**63)),
        ("1 << 63", 2**63),
        ("1.5**-2", 1.5**-2),
        ("abs((-4) ** 0.5)", 2.0),
        ("10**3 // 7 % 5", 2),
    ],
)
def test_numbers_that_are_written_out_are_computed_by_python(expression, value):
    out = np.zeros(1, np.float64 if isinstance(value, float) else np.uint64 if value > 0 else np.int64)
    define(f"@cuda.jit\ndef kernel(out):\n    out[0] = {expression}\n")[1, 1](out)
    assert out[0] == value


# Special registers are values like others.


def test_a_variable_that_starts_as_a_special_register_may_change(machine):
    @cuda.jit
    def kernel(out):
        t = cuda.threadIdx.x
        rounds = 0
        while t < 4:
            t += 1
            rounds += 1
        if rounds > 2:
            rounds = cuda.blockDim.x
        out[cuda.threadIdx.x] = rounds

    out = np.zeros(6, np.int64)
    kernel[1, 6](out)
    assert out.tolist() == [6, 6, 2, 1, 0, 0]


def test_a_change_of_such_a_variable_leaves_the_register_as_it_was(machine):
    @cuda.jit
    def kernel(out):
        t = cuda.threadIdx.x
        if t > 2:
            t = cuda.blockDim.x
        out[cuda.threadIdx.x] = t + 100 * cuda.threadIdx.x

    out = np.zeros(5, np.int64)
    kernel[1, 5](out)
    assert out.tolist() == [0, 101, 202, 305, 405]


def test_cuda_grid_and_gridsize():
    @cuda.jit
    def kernel(out):
        x, y, z = cuda.grid(3)
        sizes = cuda.gridsize(3)
        out[x, y, z] = x + 10 * y + 100 * z + 1000 * (sizes[0] + 10 * sizes[1] + 100 * sizes[2])

    out = np.zeros((2, 4, 6), np.int64)
    kernel[(1, 2, 3), (2, 2, 2)](out)
    x, y, z = np.indices(out.shape)
    assert (out == x + 10 * y + 100 * z + 1000 * (2 + 40 + 600)).all()


# Numbers that the types decide.


@pytest.mark.parametrize(("left", "right"), [(2**53 + 1, 2**53), (2**63, -1), (2**63, 2**63 - 1), (5, 5)])
def test_unsigned_and_signed_integers_compare_as_float64(left, right):
    """What numba-cuda 0.30 and Numba 0.68 compile: `cvt.rn.f64.s64`, `cvt.rn.f64.u64`, `setp.lt.f64`."""

    @cuda.jit
    def compare(a, b, out):
        out[0], out[1], out[2] = a[0] == b[0], a[0] < b[0], a[0] >= b[0]
        out[3], out[4], out[5] = b[0] == a[0], b[0] < a[0], b[0] >= a[0]

    out = np.zeros(6, np.int64)
    compare[1, 1](np.array([left], np.uint64), np.array([right], np.int64), out)
    left, right = float(left), float(right)
    forward, backward = (
        [left == right, left < right, left >= right],
        [right == left, right < left, right >= left],
    )
    assert out.tolist() == forward + backward


def test_a_float32_and_an_integer_of_32_bits_make_a_float64():
    @cuda.jit
    def kernel(x, n, out):
        out[0] = x[0] + n[0]

    out = np.zeros(1)
    kernel[1, 1](np.array([0.1], np.float32), np.array([16_777_217], np.int32), out)
    assert out[0] == float(np.float32(0.1)) + 16_777_217


def test_a_store_converts_to_the_type_of_the_array():
    @cuda.jit
    def kernel(x, bytes_):
        i = cuda.grid(1)
        bytes_[i] = x[i]

    bytes_ = np.zeros(3, np.uint8)
    kernel[1, 3](np.array([255, 256, -1]), bytes_)
    assert bytes_.tolist() == [255, 0, 255]
