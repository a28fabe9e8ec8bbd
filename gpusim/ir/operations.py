"""What does each opcode compute? In the plainest way, from single numbers: NumPy scalars of one type.

`ir/reference.py` executes with these tables; the machine has its own, for thousands of numbers at once.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from gpusim.ir.instructions import Opcode

Lane = int
Table = dict[Opcode, Callable[..., Any]]
Brought = dict[Lane, list[Any]]  # what each lane brings to an exchange: a mask, and what goes with it


def called_alike(module: Any, names: str, opcodes: str = "*", functions: str = "*") -> Table:
    """Opcodes and functions of the same names, each name within its pattern: NumPy's arcsin is ASIN."""
    return {
        Opcode[opcodes.replace("*", name.upper())]: getattr(module, functions.replace("*", name))
        for name in names.split()
    }


# what Python's operators compute, of its own numbers, too
OPERATORS: Table = {
    **called_alike(operator, "add sub mul neg and or xor eq ne lt le gt ge", functions="__*__"),
    Opcode.DIV: operator.truediv,
    Opcode.FLOOR_DIV: operator.floordiv,
    Opcode.FLOOR_MOD: operator.mod,
    Opcode.POW: operator.pow,
    Opcode.SHL: operator.lshift,
    Opcode.SHR: operator.rshift,
    Opcode.NOT: operator.invert,
    Opcode.MOVE: operator.pos,
}


def least(number: Any) -> Any:
    """The order in which NaN comes last, and of two zeros the negative one first."""
    return number != number, number, not np.signbit(number)


def greatest(number: Any) -> Any:
    """The order in which NaN comes first."""
    return number == number, number, not np.signbit(number)


def bits_of(number: Any) -> str:
    """An integer's binary digits, the highest first, as many as its type has."""
    width = number.itemsize * 8
    return f"{int(number) % (1 << width):0{width}b}"


def truncated_quotient(dividend: Any, divisor: Any) -> int:
    """C's division, toward zero. By zero, all bits are 1: 32 of them where 64 bits hold a number of 32."""
    a, b = int(dividend), int(divisor)
    if b:
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return 0xFFFF_FFFF if dividend.itemsize == 8 and a >> 32 == 0 else -1


def truncated_remainder(dividend: Any, divisor: Any) -> int:
    """What C's division leaves, with the sign of the dividend; by zero, the dividend."""
    return int(dividend) - int(divisor) * (truncated_quotient(dividend, divisor) if divisor else 0)


def power(base: Any, exponent: Any) -> Any:
    """Of integers, one: with a negative exponent 0, unless the base is 1, -1 or 0."""
    if not isinstance(base, np.integer):
        return np.power(base, np.full(2, exponent))[0]  # for a single 0.5, NumPy takes a root
    if exponent >= 0:
        return pow(int(base), int(exponent), 1 << 64)
    return int(base) ** int(exponent % 2) if abs(base) == 1 else 0 if base else int(np.iinfo(base.dtype).min)


def quotient(dividend: Any, divisor: Any) -> Any:
    """Of complex numbers Python's, in their own precision: by the larger part of the divisor."""
    if not isinstance(dividend, np.complexfloating):
        return dividend / divisor
    a, b, c, d = dividend.real, dividend.imag, divisor.real, divisor.imag
    if abs(c) < abs(d):
        a, b, c, d = b, -a, d, -c
    ratio = d / c
    return type(dividend)(complex((a + b * ratio) / (c + d * ratio), (b - a * ratio) / (c + d * ratio)))


def fused(one: Any, other: Any, addend: Any) -> Any:
    """one * other + addend, rounded once: the nearest number, of two the one whose last bit is 0."""
    if not (np.isfinite(one) and np.isfinite(other)):
        return one * other + addend
    if not np.isfinite(addend):
        return addend
    exact = Fraction(float(one)) * Fraction(float(other)) + Fraction(float(addend))
    if not exact:
        return one * other + addend if not (one and other) else 0.0  # zeros have signs
    try:
        near = type(one)(float(exact))
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    if np.isinf(near):
        return near
    around = (near, np.nextafter(near, -np.inf), np.nextafter(near, np.inf))
    finite = [number for number in around if np.isfinite(number)]
    return min(finite, key=lambda n: (abs(Fraction(float(n)) - exact), bits_of(n.view(f"i{n.itemsize}"))[-1]))


def rounded_to(number: Any, digits: Any) -> Any:
    """Python's round(number, digits), by the steps that Numba's device code takes."""
    digits = int(digits)
    first, second = (10.0 ** (digits - 22), 1e22) if digits > 22 else (10.0 ** abs(digits), 1.0)
    scaled = np.float64(number) * first * second if digits >= 0 else np.float64(number) / first
    if not np.isfinite(scaled):
        return number
    return np.rint(scaled) / second / first if digits >= 0 else np.rint(scaled) * first


def of_math(function: Callable[..., float], undefined: float = math.nan) -> Callable[..., float]:
    """A function of Python's `math`, which raises where a GPU gives NaN or an infinity."""

    def guarded(*numbers: Any) -> float:
        try:
            return function(*map(float, numbers))
        except ValueError:
            return undefined
        except OverflowError:
            return math.inf

    return guarded


def converted(number: Any, dtype: np.dtype[Any]) -> Any:
    """A float as an integer: toward zero, clamped to 32 or 64 bits, of which the lower ones are kept."""
    if dtype.kind in "iu" and isinstance(number, np.floating):
        wide = np.iinfo(f"{dtype.kind}{max(4, dtype.itemsize)}")
        if math.isnan(number):
            whole = 2 ** (wide.bits - 1) if 8 in (number.itemsize, dtype.itemsize) else 0
        else:
            whole = wide.max if number > wide.max else wide.min if number < wide.min else int(number)
        return whole
    return np.asarray(number).astype(dtype)[()]


COMPUTE: Table = {
    **OPERATORS,
    **called_alike(np, "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt"),
    **called_alike(np, "floor ceil trunc rint hypot copysign fmod isnan isinf isfinite real imag"),
    **called_alike(np, "sin cos tan sinh cosh tanh tan2", "A*", "arc*"),
    Opcode.DIV: quotient,
    Opcode.DIV_TRUNC: truncated_quotient,
    Opcode.MOD_TRUNC: truncated_remainder,
    Opcode.POW: power,
    Opcode.MIN: lambda *numbers: min(numbers, key=least),
    Opcode.MAX: lambda *numbers: max(numbers, key=greatest),
    Opcode.MIN_NAN: np.minimum,
    Opcode.MAX_NAN: np.maximum,
    Opcode.REMAINDER: of_math(math.remainder),
    Opcode.MUL_HI: lambda a, b: int(a) * int(b) >> a.itemsize * 8,
    Opcode.FMA: fused,
    Opcode.ABS: abs,
    Opcode.RCP: lambda a: type(a)(1) / a,
    Opcode.RSQRT: lambda a: 1 / np.sqrt(np.float64(a)),
    Opcode.EXP10: lambda a: np.power(type(a)(10), a),
    Opcode.ERF: of_math(math.erf),
    Opcode.ERFC: of_math(math.erfc),
    Opcode.GAMMA: lambda a: of_math(math.gamma)(a) if a else np.copysign(np.inf, a),
    Opcode.LGAMMA: of_math(math.lgamma, undefined=math.inf),
    Opcode.FRACTION: lambda a: np.modf(a)[0],
    Opcode.MANTISSA: lambda a: np.frexp(a)[0],
    Opcode.EXPONENT: lambda a: np.frexp(a)[1],
    Opcode.SCALE: np.ldexp,
    Opcode.ROUND_TO: rounded_to,
    Opcode.COMPLEX: lambda real, imaginary: np.array([real, imaginary]).view(f"c{2 * real.itemsize}")[0],
    Opcode.MOVE: lambda a: a,
    Opcode.SELECT: lambda flag, a, b: a if flag else b,
    Opcode.POPC: lambda a: bits_of(a).count("1"),
    Opcode.BREV: lambda a: int(bits_of(a)[::-1], 2),
    Opcode.CLZ: lambda a: (bits_of(a) + "1").index("1"),
    Opcode.FFS: lambda a: ("0" + bits_of(a)[::-1]).find("1") if a else 0,
}
# from the old value and what the thread gives to the new one
ATOMIC: Table = {
    **called_alike(operator, "add sub and or xor", "ATOMIC_*", "__*__"),
    Opcode.ATOMIC_MIN: lambda old, new: new if new < old else old,  # a NaN is passed over, and stays
    Opcode.ATOMIC_MAX: lambda old, new: new if new > old else old,
    **called_alike(np, "min max", "ATOMIC_NAN*", "f*"),
    Opcode.ATOMIC_INC: lambda old, limit: 0 if old >= limit else old + 1,
    Opcode.ATOMIC_DEC: lambda old, limit: limit if old == 0 or old > limit else old - 1,
    Opcode.ATOMIC_EXCHANGE: lambda _old, new: new,
    Opcode.ATOMIC_CAS: lambda old, compare, new: new if old == compare else old,
}
# what each thread gets at a barrier, from the flags that all bring
BARRIER: Table = {Opcode.BARRIER_COUNT: sum, Opcode.BARRIER_AND: all, Opcode.BARRIER_OR: any}

Rule = Callable[[Brought, Lane, int], tuple[Any, ...]]


def read_from(source: Callable[[Lane, int], int]) -> Rule:
    """A shuffle: the value of the source lane, 0 if it takes no part, one's own if there is no such lane."""

    def rule(brought: Brought, lane: Lane, lanes: int) -> tuple[Any, ...]:
        _mask, own, argument = brought[lane]
        other = source(lane, int(argument) % lanes)
        if not 0 <= other < lanes:
            return (own,)
        return (brought[other][1] if other in brought else own.dtype.type(0),)

    return rule


def vote(decide: Callable[[dict[Lane, bool]], int]) -> Rule:
    """One answer about the predicates of all."""
    return lambda brought, _lane, _lanes: (decide({lane: bool(v[1]) for lane, v in brought.items()}),)


def combined(operation: Callable[[int, int], int], signed: bool = False) -> Rule:
    """One number that combines those of all, of 32 bits."""
    kind = np.int32 if signed else np.uint32
    return lambda brought, _lane, _lanes: (
        reduce(operation, (int(values[1].view(kind)) for values in brought.values())) & 0xFFFF_FFFF,
    )


def equal_to(lane: Lane, brought: Brought) -> int:
    """The mask of the lanes that bring the same bits."""
    own = brought[lane][1].tobytes()
    return sum(1 << other for other, values in brought.items() if values[1].tobytes() == own)


# what a lane gets of an exchange, from what all bring, its own number, and how many lanes a warp has
EXCHANGE: dict[Opcode, Rule] = {
    Opcode.SHFL_IDX: read_from(lambda _lane, argument: argument),
    Opcode.SHFL_UP: read_from(lambda lane, argument: lane - argument),
    Opcode.SHFL_DOWN: read_from(lambda lane, argument: lane + argument),
    Opcode.SHFL_XOR: read_from(lambda lane, argument: lane ^ argument),
    Opcode.BALLOT: vote(lambda flags: sum(1 << lane for lane, flag in flags.items() if flag)),
    Opcode.VOTE_ALL: vote(lambda flags: all(flags.values())),
    Opcode.VOTE_ANY: vote(lambda flags: any(flags.values())),
    Opcode.VOTE_EQ: vote(lambda flags: len(set(flags.values())) == 1),
    Opcode.MATCH_ANY: lambda brought, lane, _lanes: (equal_to(lane, brought),),
    Opcode.MATCH_ALL: lambda brought, lane, _lanes: (
        (members, True)
        if (members := equal_to(lane, brought)) == sum(1 << other for other in brought)
        else (0, False)
    ),
    Opcode.REDUCE_ADD: combined(operator.add),
    Opcode.REDUCE_MIN: combined(min, signed=True),
    Opcode.REDUCE_MAX: combined(max, signed=True),
    Opcode.REDUCE_MIN_UNSIGNED: combined(min),
    Opcode.REDUCE_MAX_UNSIGNED: combined(max),
    Opcode.REDUCE_AND: combined(operator.and_),
    Opcode.REDUCE_OR: combined(operator.or_),
    Opcode.REDUCE_XOR: combined(operator.xor),
    Opcode.SYNC_WARP: lambda _brought, _lane, _lanes: (),
}
