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
from gpusim.machine.functions import special as special_functions


def integer_power(base: Any, exponent: Any) -> Any:
    """Base ** exponent in the integers. With a negative exponent 1 and -1 are what they are in the rationals,
    0 gives Numba's smallest number, and all others 0.
    """
    power = np.power(base, np.maximum(exponent, 0))
    own = np.asarray(power).dtype
    of_zero = np.where(base == 0, own.type(np.iinfo(own).min), own.type(0))
    below = np.where(np.abs(base) == 1, np.where(exponent % 2 == 0, 1, base), of_zero).astype(own)
    return np.where(exponent < 0, below, power)


def power(base: Any, exponent: Any) -> Any:
    """Base ** exponent in the operands' type."""
    if np.asarray(base).dtype.kind in "iu":
        return integer_power(base, exponent)
    if np.size(exponent) == 1 and np.all(exponent == 0.5):
        exponent = np.full_like(base, 0.5)  # NumPy takes a root for a single 0.5: of -inf, NaN instead of inf
    return np.power(base, exponent)


def truncated_quotient(dividend: Any, divisor: Any) -> Any:
    """C's integer division: -7 / 2 is -3. A GPU divides by zero too: all bits of the quotient are 1.

    Of 64 bits, the lower 32 only where the dividend has no more: it is divided as a number of 32 bits.
    """
    dividend, divisor = np.asarray(dividend), np.asarray(divisor)
    if dividend.dtype.kind == "i" and dividend.min() >= 0 and divisor.min() > 0:
        return np.floor_divide(dividend, divisor)
    by_zero = divisor == 0
    if dividend.dtype.kind == "u":
        quotient = np.floor_divide(dividend, divisor)
    else:
        quotient = np.floor_divide(dividend, np.where(by_zero, 1, divisor))  # rounds -3.5 down to -4
        inexact = quotient * divisor != dividend
        quotient = quotient + (inexact & ((dividend < 0) != (divisor < 0)))
    if by_zero.any():
        ones = ~np.zeros_like(divisor)
        if dividend.itemsize == 8:
            ones = np.where(dividend >> 32 == 0, ones & 0xFFFF_FFFF, ones)
        quotient = np.where(by_zero, ones, quotient)
    return quotient.astype(dividend.dtype, copy=False)


def truncated_remainder(dividend: Any, divisor: Any) -> Any:
    """C's %, with the sign of the dividend: -7 % 2 is -1. By zero, a GPU gives the dividend back."""
    dividend, divisor = np.asarray(dividend), np.asarray(divisor)
    remainder = np.fmod(dividend, divisor)
    by_zero = divisor == 0
    return np.where(by_zero, dividend, remainder) if by_zero.any() else remainder


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


def least(one: Any, other: Any) -> Any:
    """The smaller number, and not NaN if the other is none. Of two zeros the negative one."""
    smaller = np.fmin(one, other)
    if smaller.dtype.kind != "f" or np.all(smaller):
        return smaller
    return np.where((one == 0) & (other == 0), -(-one - other), smaller)


def greatest(one: Any, other: Any) -> Any:
    """The greater number, and not NaN if the other is none. Of two zeros the positive one."""
    greater = np.fmax(one, other)
    if greater.dtype.kind != "f" or np.all(greater):
        return greater
    return np.where((one == 0) & (other == 0), one + other, greater)


def fused_multiply_add(one: Any, other: Any, addend: Any) -> Any:
    """one * other + addend with one rounding: through float64 if narrower, else by exact fractions."""
    dtype = np.asarray(one).dtype
    if dtype != np.float64:
        # np.float64(array) is a number before NumPy 2.3, where the array has one element
        one, other, addend = (np.asarray(each, np.float64) for each in (one, other, addend))
        return _rounded_once(one * other, addend).astype(dtype)
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
    if not (math.isfinite(one) and math.isfinite(other)):
        return one * other + addend
    if not math.isfinite(addend):
        return addend  # whatever the product is, of two finite numbers it is not infinite
    exact = Fraction(one) * Fraction(other) + Fraction(addend)
    if not exact:
        return 0.0 if one and other else one * other + addend  # zeros have signs
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


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


def gamma(number: float) -> float:
    """The gamma function, infinite at 0."""
    return math.copysign(math.inf, number) if number == 0 else math.gamma(number)


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
    wide = np.asarray(number, np.float64)
    scaled = np.where(digits >= 0, wide * first * second, wide / first)
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


def packed(dtype: np.dtype[Any], *numbers: Any) -> Any:
    """The bytes of numbers one behind the other, as one value of type `dtype`."""
    numbers = np.broadcast_arrays(*numbers)
    fields = np.empty(
        numbers[0].shape, [(f"at {place}", number.dtype) for place, number in enumerate(numbers)]
    )
    for name, number in zip(fields.dtype.names or (), numbers, strict=True):
        fields[name] = number
    return fields.view(dtype)


def unpacked(dtype: np.dtype[Any], first: int, bits: Any) -> Any:
    """The number of type `dtype` that begins at byte `first` of such a value."""
    bits = np.asarray(bits)
    field = {"names": ["number"], "formats": [dtype], "offsets": [first], "itemsize": bits.itemsize}
    return bits.view(field)["number"].copy()


ARITHMETIC: dict[Opcode, Callable[..., Any]] = {
    Opcode.ADD: np.add,
    Opcode.SUB: np.subtract,
    Opcode.MUL: np.multiply,
    Opcode.DIV: np.divide,
    Opcode.FLOOR_DIV: np.floor_divide,
    Opcode.FLOOR_MOD: np.remainder,
    Opcode.DIV_TRUNC: truncated_quotient,
    Opcode.MOD_TRUNC: truncated_remainder,
    Opcode.POW: power,
    Opcode.MIN: least,
    Opcode.MAX: greatest,
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
    Opcode.GAMMA: elementwise(gamma),
    Opcode.LGAMMA: elementwise(special_functions.log_gamma),
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
