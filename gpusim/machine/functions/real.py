"""What do the functions of the CUDA math API compute that NumPy has not? On arrays of float32 or float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from gpusim.machine.functions import special as special_functions
from gpusim.machine.functions.arithmetic import elementwise

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
FACTORS = 0x10000  # Numba multiplies for no greater exponent


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """Computed in double, whatever the operands are."""
    return lambda *numbers: function(*(np.asarray(number, np.float64) for number in numbers))


def sine_of_turns(number: Any, quarters: int = 0) -> Any:
    """sin(π·number), exact at multiples of 1/2; the cosine is a quarter turn ahead."""
    turns = np.asarray(number, np.float64)
    turns = turns - 2 * np.rint(turns / 2)
    nearest = np.rint(2 * turns)
    angle = np.pi * (turns - nearest / 2)
    which = np.where(np.isfinite(nearest), nearest + quarters, 0).astype(np.intp) % 4
    found = np.choose(which, [np.sin(angle), np.cos(angle), -np.sin(angle), -np.cos(angle)])
    return np.where(found == 0, 0.0 if quarters else np.copysign(0.0, number), found)


def rounded(number: Any) -> Any:
    """To the nearest integer; halves away from zero, where `rint` takes the even one."""
    whole = np.trunc(number)
    return whole + np.copysign(np.abs(number - whole) >= 0.5, number).astype(np.asarray(number).dtype)


def exponent(number: Any) -> Any:
    """The binary exponent, as a real number: of 8.5, 3."""
    size = np.abs(np.asarray(number, np.float64))
    return np.where(size == 0, -np.inf, np.where(np.isfinite(size), np.frexp(size)[1] - 1.0, size))


def integer_exponent(number: Any) -> Any:
    """The same as an integer; the limits of int stand for those that have none."""
    found = exponent(number)
    ends = np.where(np.isposinf(found), INT_MAX, INT_MIN)
    return np.where(np.isfinite(found), found, ends).astype(np.int64)


def quotient(dividend: float, divisor: float) -> int:
    """The low three bits of dividend / divisor, rounded to nearest, with its sign."""
    if not math.isfinite(dividend) or math.isnan(divisor) or divisor == 0:
        return 0
    whole = 0 if math.isinf(divisor) else round(Fraction(dividend) / Fraction(divisor))
    return (abs(whole) & 7) * (1 if whole >= 0 else -1)


def length(*sides: Any) -> Any:
    """The square root of the sum of squares, without overflow on the way."""
    total = np.abs(sides[0])
    for side in sides[1:]:
        total = np.hypot(total, side)
    return total


def reciprocal_cube_root(number: float) -> float:
    """1 / ∛number; NumPy's cube root is some units off in the last place."""
    root = math.copysign(abs(number) ** (1 / 3), number) if number else number
    if not root or math.isinf(root) or math.isnan(root):
        return 1 / root if root else math.copysign(math.inf, number)
    error = Fraction(number) - Fraction(root) ** 3
    return 1 / (root + float(error / (3 * Fraction(root) ** 2)))


def whole_power(base: Any, exponent: Any) -> Any:
    """A float to a whole power, multiplied as Numba does it: x**5 is x * ((x * x) * (x * x))."""
    count = np.where(exponent < 0, -exponent, exponent)
    squared = (count >= 0) & (count <= FACTORS)  # -(2**63) has no positive one
    left = np.where(squared, count, 0)
    result, factor = np.ones_like(base), base
    while left.any():
        result = np.where(left & 1, result * factor, result)
        factor, left = factor * factor, left >> 1
    result = np.where(exponent < 0, 1 / result, result)
    if squared.all():
        return result
    return np.where(squared, result, np.power(np.asarray(base, np.float64), np.asarray(exponent, np.float64)))


def difference(one: Any, other: Any) -> Any:
    """one - other, where that is positive, else 0."""
    return np.where(np.isnan(one) | np.isnan(other), np.nan, np.where(one > other, one - other, 0))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sinpi": sine_of_turns,
    "cospi": lambda number: sine_of_turns(number, 1),
    "rcbrt": in_double(elementwise(reciprocal_cube_root)),
    "round": rounded,
    "logb": exponent,
    "ilogb": integer_exponent,
    "fdim": difference,
    "powi": whole_power,
    "nextafter": np.nextafter,
    "rhypot": in_double(lambda *sides: 1 / length(*sides)),
    "norm3d": in_double(length),
    "norm4d": in_double(length),
    "rnorm3d": in_double(lambda *sides: 1 / length(*sides)),
    "rnorm4d": in_double(lambda *sides: 1 / length(*sides)),
    "remquo.quotient": lambda *numbers: np.asarray(np.frompyfunc(quotient, 2, 1)(*numbers)).astype(np.int64),
    "signbit": np.signbit,
    "saturate": lambda number: np.where(np.isnan(number), 0, np.clip(number, 0, 1)) + 0,  # no -0
    "fast_pow": lambda base, power: np.exp2(power * np.log2(base)),  # NaN for a negative base
    "relu": lambda number: np.where(number < 0, 0, number),
    "isinf.sign": lambda number: np.isposinf(number).astype(np.int8) - np.isneginf(number),
    # unordered: true with a NaN
    "equ": lambda one, other: ~((one < other) | (one > other)),
    "ltu": lambda one, other: ~(one >= other),
    "leu": lambda one, other: ~(one > other),
    "gtu": lambda one, other: ~(one <= other),
    "geu": lambda one, other: ~(one < other),
    "islessgreater": lambda one, other: (one < other) | (one > other),
    **{
        name: in_double(elementwise(function, arity))
        for name, (function, arity) in special_functions.FUNCTIONS.items()
    },
}
