"""What does each opcode compute? One NumPy function a row, on arrays (n, L), (n, 1) or scalars.

Lanes that are off compute too; what they get is never written.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from gpusim.ir.instructions import Opcode


def integer_power(base: Any, exponent: Any) -> Any:
    """Base ** exponent in the integers; a negative exponent gives 0, except for 1 and -1."""
    power = np.power(base, np.maximum(exponent, 0))
    return np.where(exponent < 0, np.where(np.abs(base) == 1, np.where(exponent % 2 == 0, 1, base), 0), power)


def power(base: Any, exponent: Any) -> Any:
    """Base ** exponent in the operands' type."""
    return (integer_power if np.asarray(base).dtype.kind in "iu" else np.power)(base, exponent)


def unsigned(number: Any) -> Any:
    """The bits of an integer as a number that is not negative."""
    return np.asarray(number).view(f"u{np.asarray(number).itemsize}")


def population_count(number: Any) -> Any:
    """How many bits are 1? -1 has all of them."""
    return np.bitwise_count(unsigned(number)).astype(np.asarray(number).dtype)


def reversed_bits(number: Any) -> Any:
    """Bit 0 becomes the highest bit, and so on."""
    bits = unsigned(number)
    width = bits.itemsize * 8
    step = 1
    while step < width:
        # swap neighbouring groups of `step` bits
        mask = bits.dtype.type(sum(((1 << step) - 1) << low for low in range(0, width, 2 * step)))
        bits = ((bits & mask) << step) | ((bits >> step) & mask)
        step *= 2
    return bits.view(np.asarray(number).dtype)


def leading_zeros(number: Any) -> Any:
    """How many zeros stand before the highest 1? All bits of 0 count."""
    bits = unsigned(number)
    width = bits.itemsize * 8
    step = 1
    while step < width:
        bits = bits | (bits >> step)
        step *= 2
    return (width - np.bitwise_count(bits)).astype(np.asarray(number).dtype)


def first_set(number: Any) -> Any:
    """The place of the lowest 1, counted from 1; 0 where there is none."""
    bits = unsigned(number)
    return np.where(bits == 0, 0, np.bitwise_count(bits ^ (bits - 1))).astype(np.asarray(number).dtype)


def fused_multiply_add(one: Any, other: Any, addend: Any) -> Any:
    """one * other + addend with one rounding: through float64 if narrower, else by exact fractions."""
    dtype = np.asarray(one).dtype
    if dtype != np.float64:
        return _rounded_once(np.float64(one) * np.float64(other), np.float64(addend)).astype(dtype)
    return np.asarray(_EXACT_FMA(one, other, addend)).astype(np.float64)


def _rounded_once(product: Any, addend: Any) -> Any:
    """The sum in float64, its last bit made odd where it is not exact: then rounding it again is right."""
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    bits = np.asarray(total).view(np.int64)
    inexact = (error != 0) & (bits & 1 == 0) & np.isfinite(total)
    toward = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, (bits + toward).view(np.float64), total)


def _exact_fma(one: float, other: float, addend: float) -> float:
    if not (math.isfinite(one) and math.isfinite(other) and math.isfinite(addend)):
        return one * other + addend
    return float(Fraction(one) * Fraction(other) + Fraction(addend))


_EXACT_FMA = np.frompyfunc(_exact_fma, 3, 1)


def elementwise(function: Callable[..., float], arity: int = 1) -> Callable[..., Any]:
    """A function of `math` on arrays, where NumPy has none; NaN where it is undefined."""

    def guarded(*numbers: float) -> float:
        try:
            return function(*numbers)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    lifted = np.frompyfunc(guarded, arity, 1)
    return lambda *numbers: np.asarray(lifted(*numbers)).astype(np.asarray(numbers[0]).dtype)


def high_half(one: Any, other: Any) -> Any:
    """The upper half of the product of two integers: of two 32-bit numbers, bits 32 to 63."""
    bits = np.asarray(one).itemsize * 8
    product = np.asarray(one).astype(object) * np.asarray(other).astype(object)
    return np.asarray(product >> bits).astype(np.asarray(one).dtype)


def rounded_to(number: Any, digits: Any) -> Any:
    """Python's round(number, digits), by the steps that Numba's device code takes."""
    kind = np.asarray(number).dtype.type
    first = np.power(10.0, np.where(digits > 22, digits - 22, np.abs(digits)))
    second = np.where(digits > 22, 1e22, 1.0)
    scaled = np.where(digits >= 0, np.float64(number) * first * second, np.float64(number) / first)
    whole = np.rint(scaled)
    rounded = np.where(digits >= 0, whole / second / first, whole * first)
    return np.where(np.isfinite(scaled), rounded, number).astype(kind)


def reciprocal_root(number: Any) -> Any:
    """1 / sqrt(number), rounded once."""
    return (1 / np.sqrt(np.asarray(number, np.float64))).astype(np.asarray(number).dtype)


def pair(real: Any, imaginary: Any) -> Any:
    """Complex numbers of two parts."""
    real, imaginary = np.broadcast_arrays(real, imaginary)
    result = np.empty(real.shape, f"c{2 * real.itemsize}")
    result.real, result.imag = real, imaginary
    return result


ARITHMETIC: dict[Opcode, Callable[..., Any]] = {
    Opcode.ADD: np.add,
    Opcode.SUB: np.subtract,
    Opcode.MUL: np.multiply,
    Opcode.DIV: np.divide,
    Opcode.FLOOR_DIV: np.floor_divide,
    Opcode.FLOOR_MOD: np.remainder,
    Opcode.POW: power,
    Opcode.MIN: np.fmin,
    Opcode.MAX: np.fmax,
    Opcode.MIN_NAN: np.minimum,
    Opcode.MAX_NAN: np.maximum,
    Opcode.AND: np.bitwise_and,
    Opcode.OR: np.bitwise_or,
    Opcode.XOR: np.bitwise_xor,
    Opcode.SHL: np.left_shift,
    Opcode.SHR: np.right_shift,
    Opcode.ATAN2: np.arctan2,
    Opcode.HYPOT: np.hypot,
    Opcode.COPYSIGN: np.copysign,
    Opcode.FMOD: np.fmod,
    Opcode.REMAINDER: elementwise(math.remainder, 2),
    Opcode.MUL_HI: high_half,
    Opcode.FMA: fused_multiply_add,
    Opcode.NEG: np.negative,
    Opcode.NOT: np.invert,
    Opcode.ABS: np.abs,
    Opcode.SQRT: np.sqrt,
    Opcode.RCP: lambda number: np.asarray(number).dtype.type(1) / number,
    Opcode.RSQRT: reciprocal_root,
    Opcode.EXP: np.exp,
    Opcode.EXP2: np.exp2,
    Opcode.EXP10: lambda number: np.power(np.asarray(number).dtype.type(10), number),
    Opcode.LOG: np.log,
    Opcode.SIN: np.sin,
    Opcode.COS: np.cos,
    Opcode.TAN: np.tan,
    Opcode.ASIN: np.arcsin,
    Opcode.ACOS: np.arccos,
    Opcode.ATAN: np.arctan,
    Opcode.SINH: np.sinh,
    Opcode.COSH: np.cosh,
    Opcode.TANH: np.tanh,
    Opcode.ASINH: np.arcsinh,
    Opcode.ACOSH: np.arccosh,
    Opcode.ATANH: np.arctanh,
    Opcode.EXPM1: np.expm1,
    Opcode.LOG1P: np.log1p,
    Opcode.LOG2: np.log2,
    Opcode.LOG10: np.log10,
    Opcode.CBRT: np.cbrt,
    Opcode.ERF: elementwise(math.erf),
    Opcode.ERFC: elementwise(math.erfc),
    Opcode.GAMMA: elementwise(math.gamma),
    Opcode.LGAMMA: elementwise(math.lgamma),
    Opcode.TRUNC: np.trunc,
    Opcode.RINT: np.rint,
    Opcode.FRACTION: lambda number: np.modf(number)[0],
    Opcode.MANTISSA: lambda number: np.frexp(number)[0],
    Opcode.EXPONENT: lambda number: np.frexp(number)[1],
    Opcode.SCALE: np.ldexp,
    Opcode.ROUND_TO: rounded_to,
    Opcode.COMPLEX: pair,
    Opcode.REAL: lambda number: np.real(number).copy(),
    Opcode.IMAG: lambda number: np.imag(number).copy(),
    Opcode.POPC: population_count,
    Opcode.BREV: reversed_bits,
    Opcode.CLZ: leading_zeros,
    Opcode.FFS: first_set,
    Opcode.ISNAN: np.isnan,
    Opcode.ISINF: np.isinf,
    Opcode.ISFINITE: np.isfinite,
    Opcode.FLOOR: np.floor,
    Opcode.CEIL: np.ceil,
    Opcode.EQ: np.equal,
    Opcode.NE: np.not_equal,
    Opcode.LT: np.less,
    Opcode.LE: np.less_equal,
    Opcode.GT: np.greater,
    Opcode.GE: np.greater_equal,
    Opcode.SELECT: np.where,
}
