"""How is each family of built-in functions lowered? Those of numbers here, the others in rooms of their own.

A family gets the function, its arguments, which have the types of its parameters already, and the place of
the call. It adds instructions and gives the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.cuda_cpp.functions import (
    families_of_halves,
    families_of_memory,
    families_of_warps,
    printing,
)
from gpusim.frontends.cuda_cpp.functions.lowered import (
    Lowering,
    binary,
    computed,
    number,
    operand_of,
    scalar_of,
    store_through,
)
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.types import FLOAT, Number
from gpusim.frontends.cuda_cpp.values import (
    PointerValue,
    StructValue,
    Value,
    VoidValue,
)
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import B32, F32, F64, S32, Scalar
from gpusim.source import Span

Family = Callable[[Lowering, Builtin, list[Value], Span], Value]


def opcode(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """One instruction, in the type that `detail` names, else in that of the result."""
    result = scalar_of(builtin.result)
    what, scalar = builtin.detail if isinstance(builtin.detail, tuple) else (builtin.detail, result)
    given = [lowering.cast(operand_of(value), scalar, span) for value in values]
    return number(builtin.result, computed(lowering, what, scalar, given, result, span))


def reals(
    lowering: Lowering, builtin: Builtin, values: list[Value], span: Span
) -> tuple[Scalar, list[Operand]]:
    """All numbers in the type that <cmath> computes in: float where all are, else double."""
    numbers = [
        (of, value) for of, value in zip(builtin.parameters, values, strict=True) if isinstance(of, Number)
    ]
    scalar = F32 if all(of == FLOAT for of, _value in numbers) else F64
    return scalar, [lowering.cast(operand_of(value), scalar, span) for _of, value in numbers]


def real(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """A function of real numbers."""
    scalar, given = reals(lowering, builtin, values, span)
    result = scalar_of(builtin.result)
    return number(builtin.result, computed(lowering, builtin.detail, scalar, given, result, span))


def parts(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Two results: the last goes where the last argument points to; the first, too, if none is returned."""
    scalar, given = reals(lowering, builtin, values, span)
    pointers = [value for value in values if isinstance(value, PointerValue)]
    found: list[Value] = []
    for what, type_ in zip(builtin.detail, _types_of_parts(builtin, pointers), strict=True):
        operand = computed(lowering, what, scalar, given, scalar_of(type_), span)
        found.append(number(type_, operand))
    for pointer, value in zip(reversed(pointers), reversed(found), strict=False):
        store_through(lowering, pointer, value, span)
    return found[0] if len(pointers) < len(found) else VoidValue(builtin.result)


def _types_of_parts(builtin: Builtin, pointers: list[PointerValue]) -> list[Any]:
    targets = [pointer.type.target for pointer in pointers]
    return targets if len(targets) == len(builtin.detail) else [builtin.result, *targets]


def call(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """A function of the library, of operands as they are."""
    result, given = scalar_of(builtin.result), [operand_of(value) for value in values]
    return number(builtin.result, computed(lowering, builtin.detail, result, given, result, span))


def call_packed(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """The same with the elements of vectors packed into words."""
    result, words = scalar_of(builtin.result), list[Operand]()
    for value in values:
        if not isinstance(value, StructValue):
            words.append(operand_of(value))
            continue
        parts = tuple(operand_of(leaf) for leaf in value.leaves)
        word = lowering.builder.value(Opcode.PACK, B32, parts, span)
        words.append(lowering.builder.value(Opcode.REINTERPRET, result, (word,), span))
    return number(builtin.result, computed(lowering, builtin.detail, result, words, result, span))


def scale(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """A power of two times a number; an exponent beyond int's range would give 0 or infinity anyway."""
    scalar = scalar_of(builtin.result)
    given = lowering.cast(operand_of(values[0]), scalar, span), operand_of(values[1])
    return number(builtin.result, lowering.builder.value(Opcode.SCALE, scalar, given, span))


def to_integer(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Rounded by an opcode, then converted."""
    operand = operand_of(values[0])
    if builtin.detail is not None:
        operand = lowering.builder.value(builtin.detail, operand.type, (operand,), span)
    scalar = scalar_of(builtin.result)
    if scalar.bits < S32.bits:  # narrow integers take the nearest that they have
        limits = np.iinfo(scalar.dtype)
        operand = lowering.cast(operand, S32, span)
        operand = binary(lowering, Opcode.MAX, operand, int(limits.min), span)
        operand = binary(lowering, Opcode.MIN, operand, int(limits.max), span)
    return number(builtin.result, lowering.cast(operand, scalar, span))


def convert(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """C's conversion."""
    return number(builtin.result, lowering.cast(operand_of(values[0]), scalar_of(builtin.result), span))


def bits(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """The same bits as another type."""
    scalar = scalar_of(builtin.result)
    operand = lowering.builder.value(Opcode.REINTERPRET, scalar, (operand_of(values[0]),), span)
    return number(builtin.result, operand)


def nan(_lowering: Lowering, builtin: Builtin, _values: list[Value], _span: Span) -> Value:
    """A NaN; what its text asks for is not kept."""
    return number(builtin.result, Constant(math.nan, scalar_of(builtin.result)))


def refused(_lowering: Lowering, builtin: Builtin, _values: list[Value], span: Span) -> Value:
    """CUDA has it, this machine has not."""
    raise UnsupportedConstruct(f"`{builtin.name}` is not supported in a kernel", span, builtin.detail)


def nothing(_lowering: Lowering, builtin: Builtin, _values: list[Value], _span: Span) -> Value:
    """A promise to the compiler, which nobody uses here."""
    return VoidValue(builtin.result)


def first(_lowering: Lowering, _builtin: Builtin, values: list[Value], _span: Span) -> Value:
    """The first argument; the others are advice to the compiler."""
    return values[0]


FAMILIES: dict[str, Family] = {
    "opcode": opcode,
    "real": real,
    "parts": parts,
    "call": call,
    "call_packed": call_packed,
    "scale": scale,
    "to_integer": to_integer,
    "convert": convert,
    "bits": bits,
    "nan": nan,
    "refused": refused,
    "nothing": nothing,
    "first": first,
    **families_of_halves.FAMILIES,
    **families_of_warps.FAMILIES,
    **families_of_memory.FAMILIES,
    **printing.FAMILIES,
}
