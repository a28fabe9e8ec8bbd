"""How is each family of built-in functions lowered? Those of numbers here, of threads elsewhere.

A family gets the function and its arguments, which have the types of its parameters already. It adds
instructions, and gives the value or the operand of one.
"""

from __future__ import annotations

import math

import numpy as np

from gpusim.frontends.cuda_cpp.functions import families_of_threads, printing
from gpusim.frontends.cuda_cpp.functions.lowered import (
    Family,
    computed,
    emit,
    operand_of,
    operands_of,
    vector,
)
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.layout import register_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import BOOL, FLOAT, Number, Struct
from gpusim.frontends.cuda_cpp.values import NumberValue, PointerValue, StructValue, Value, VoidValue
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import B32, F16, F32, F64, PRED, S32, U32, Scalar

MASKS = (0x0000FFFF, 0xFFFF0000)  # of the halves in a word


def lowered(low: Lowering, builtin: Builtin, values: list[Value]) -> Value:
    """A call of a built-in function."""
    found = FAMILIES[builtin.family](low, builtin, values)
    if isinstance(found, Register | Constant):
        return NumberValue(builtin.result, found)
    return VoidValue(builtin.result) if found is None else found


def opcode(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """One instruction, in the type that `detail` names, else in that of the result."""
    what, scalar = builtin.detail if isinstance(builtin.detail, tuple) else (builtin.detail, builtin.scalar)
    given = [low.cast(operand, scalar, low.at) for operand in operands_of(values)]
    return computed(low, what, scalar, given, builtin.scalar)


def _reals(low: Lowering, builtin: Builtin, values: list[Value]) -> tuple[Scalar, list[Operand]]:
    """All numbers in the type that <cmath> computes in: float where all are, else double."""
    numbers = [type_ for type_ in builtin.parameters if isinstance(type_, Number)]
    scalar = F32 if all(type_ == FLOAT for type_ in numbers) else F64
    return scalar, [low.cast(operand, scalar, low.at) for operand in operands_of(values[: len(numbers)])]


def real(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """A function of real numbers."""
    return computed(low, builtin.detail, *_reals(low, builtin, values), builtin.scalar)


def parts(low: Lowering, builtin: Builtin, values: list[Value]) -> Value | None:
    """Two results: the last goes where the last argument points to; the first, too, if none is returned."""
    scalar, given = _reals(low, builtin, values)
    pointers = [value for value in values if isinstance(value, PointerValue)]
    targets = [pointer.type.target for pointer in pointers]
    types = targets if len(targets) == len(builtin.detail) else [builtin.result, *targets]
    found = [
        NumberValue(type_, computed(low, what, scalar, given, register_of(type_)))
        for what, type_ in zip(builtin.detail, types, strict=True)
    ]
    for pointer, value in zip(reversed(pointers), reversed(found), strict=False):
        low.store(pointer.address, value, low.at)
    return found[0] if len(pointers) < len(found) else None


def call(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """A function of the library, of operands as they are."""
    return computed(low, builtin.detail, builtin.scalar, operands_of(values), builtin.scalar)


def call_packed(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """The same with the elements of vectors packed into words."""
    words = list[Operand]()
    for value in values:
        if isinstance(value, StructValue):
            word = low.builder.value(Opcode.PACK, B32, tuple(operands_of([value])), low.at)
            words.append(low.builder.value(Opcode.REINTERPRET, builtin.scalar, (word,), low.at))
        else:
            words.append(operand_of(value))
    return computed(low, builtin.detail, builtin.scalar, words, builtin.scalar)


def scale(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """A power of two times a number; an exponent beyond int's range would give 0 or infinity anyway."""
    number, exponent = operands_of(values)
    return emit(low, Opcode.SCALE, low.cast(number, builtin.scalar, low.at), exponent)


def to_integer(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """Rounded by an opcode, then converted."""
    operand, scalar = operand_of(values[0]), builtin.scalar
    if builtin.detail is not None:
        operand = emit(low, builtin.detail, operand)
    if scalar.bits < S32.bits:  # narrow integers take the nearest that they have
        limits = np.iinfo(scalar.dtype)
        operand = emit(low, Opcode.MAX, low.cast(operand, S32, low.at), int(limits.min))
        operand = emit(low, Opcode.MIN, operand, int(limits.max))
    return low.cast(operand, scalar, low.at)


def convert(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """C's conversion."""
    return low.cast(operand_of(values[0]), builtin.scalar, low.at)


def bits(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """The same bits as another type."""
    return low.builder.value(Opcode.REINTERPRET, builtin.scalar, (operand_of(values[0]),), low.at)


def nan(_low: Lowering, builtin: Builtin, _values: list[Value]) -> Operand:
    """A NaN; what its text asks for is not kept."""
    return Constant(math.nan, builtin.scalar)


def refused(low: Lowering, builtin: Builtin, _values: list[Value]) -> None:
    """CUDA has it, this machine has not."""
    raise low.refused(f"`{builtin.name}`", builtin.detail)


def nothing(_low: Lowering, _builtin: Builtin, _values: list[Value]) -> None:
    """A promise to the compiler, which nobody uses here."""


def first(_low: Lowering, _builtin: Builtin, values: list[Value]) -> Value:
    """The first argument; the others are advice to the compiler."""
    return values[0]


# halves: each of a pair by itself, and what is made of the two --------------------------------------------


def make(low: Lowering, builtin: Builtin, values: list[Value]) -> Value | Operand:
    """A vector or number of the numbers of the arguments: of those that `detail` counts out, else of all."""
    given, result = operands_of(values), builtin.result
    chosen = [given[place] for place in builtin.detail or range(len(given))]
    if not isinstance(result, Struct):
        return low.cast(chosen[0], builtin.scalar, low.at)
    assert result.vector_of
    scalar = result.vector_of.scalar
    return vector(result, [low.cast(operand, scalar, low.at) for operand in chosen])


def columns(values: list[Value]) -> list[list[Operand]]:
    """The operands of each half: one list for numbers, two for pairs."""
    given = (operands_of([value]) for value in values)
    return [list(column) for column in zip(*given, strict=True)]


def half(low: Lowering, builtin: Builtin, values: list[Value]) -> Value | Operand:
    """What `detail` says, one step after the other."""
    made = list[Operand]()
    for given in columns(values):
        for what in builtin.detail:
            given = [computed(low, what, F16, given, F16)]
        made += given
    return vector(builtin.result, made) if isinstance(builtin.result, Struct) else made[0]


def half_test(low: Lowering, builtin: Builtin, values: list[Value]) -> Value | Operand:
    """A comparison: of pairs it gives two halves (1 or 0), a mask of 16 bits each, or whether both hold."""
    holds = [computed(low, builtin.detail, F16, given, PRED) for given in columns(values)]
    if len(holds) == 1:
        return holds[0]
    if builtin.result == BOOL:
        return emit(low, Opcode.AND, *holds)
    if isinstance(builtin.result, Struct):
        return vector(builtin.result, [low.cast(operand, F16, low.at) for operand in holds])
    words = [
        low.builder.value(Opcode.SELECT, U32, (operand, Constant(mask, U32), Constant(0, U32)), low.at)
        for operand, mask in zip(holds, MASKS, strict=True)
    ]
    return emit(low, Opcode.OR, *words)


OWN: tuple[Family, ...] = (
    opcode, real, parts, call, call_packed, scale, to_integer, convert, bits, nan, refused, nothing, first,
    make, half, half_test, printing.printf,
)  # fmt: skip
FAMILIES: dict[str, Family] = {family.__name__: family for family in (*OWN, *families_of_threads.FAMILIES)}
