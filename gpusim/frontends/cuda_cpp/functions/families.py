"""How is each family of built-in functions lowered? Those of numbers here, of threads elsewhere.

A family gets a call. It adds instructions, and gives the value or the operand of one.
"""

from __future__ import annotations

import math

import numpy as np

from gpusim.frontends.cuda_cpp import layout, lowering
from gpusim.frontends.cuda_cpp.functions import families_of_threads, printing
from gpusim.frontends.cuda_cpp.functions.lowered import Call, Family, vector
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.types import BOOL, FLOAT, Number, Struct
from gpusim.frontends.cuda_cpp.values import NumberValue, PointerValue, StructValue, Value, VoidValue
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import B32, F16, F32, F64, PRED, S32, U32, Scalar

MASKS = (0x0000FFFF, 0xFFFF0000)  # of the halves in a word


def lowered(low: lowering.Lowering, builtin: Builtin, values: list[Value]) -> Value:
    found = FAMILIES[builtin.family](Call(low, builtin, values))
    if isinstance(found, Register | Constant):
        return NumberValue(builtin.result, found)
    return VoidValue(builtin.result) if found is None else found


def opcode(call: Call) -> Operand:
    """One instruction, in the type that `detail` names, else in that of the result."""
    what, scalar = call.detail if isinstance(call.detail, tuple) else (call.detail, call.scalar)
    return call.computed(
        what, scalar, [call.low.cast(operand, scalar) for operand in call.given], call.scalar
    )


def _reals(call: Call) -> tuple[Scalar, list[Operand]]:
    """All numbers in the type that <cmath> computes in: float where all are, else double."""
    numbers = [type_ for type_ in call.builtin.parameters if isinstance(type_, Number)]
    scalar = F32 if all(type_ == FLOAT for type_ in numbers) else F64
    return scalar, [call.low.cast(operand, scalar) for operand in call.given]


def parts(call: Call) -> Value | None:
    """Two results: the last goes where the last argument points to; the first, too, if none is returned."""
    scalar, given = _reals(call)
    pointers = [value for value in call.values if isinstance(value, PointerValue)]
    targets = [pointer.type.target for pointer in pointers]
    types = targets if len(targets) == len(call.detail) else [call.builtin.result, *targets]
    found = [
        NumberValue(type_, call.computed(what, scalar, given, layout.register_of(type_)))
        for what, type_ in zip(call.detail, types, strict=True)
    ]
    for pointer, value in zip(reversed(pointers), reversed(found), strict=False):
        call.low.store(pointer.address, value)
    return found[0] if len(pointers) < len(found) else None


def library(call: Call) -> Operand:
    """A function of the library, of operands as they are; vectors are words there."""
    given = list[Operand]()
    for value in call.values:
        if isinstance(value, StructValue):
            word = call.low.emit(Opcode.PACK, B32, *call._replace(values=[value]).given)
            given.append(call.low.emit(Opcode.REINTERPRET, call.scalar, word))
        else:
            given.append(call.low.operand(value))
    return call.computed(call.detail, call.scalar, given, call.scalar)


def to_integer(call: Call) -> Operand:
    """Rounded by an opcode, then converted."""
    (operand,), scalar = call.given, call.scalar
    if call.detail is not None:
        operand = call.emit(call.detail, operand)
    if scalar.bits < S32.bits:  # narrow integers take the nearest that they have
        limits = np.iinfo(scalar.dtype)
        operand = call.emit(Opcode.MAX, call.low.cast(operand, S32), int(limits.min))
        operand = call.emit(Opcode.MIN, operand, int(limits.max))
    return call.low.cast(operand, scalar)


def scale(call: Call) -> Operand:
    """A power of two times a number; an exponent beyond int's range would give 0 or infinity anyway."""
    number, exponent = call.given
    return call.emit(Opcode.SCALE, call.low.cast(number, call.scalar), exponent)


def refused(call: Call) -> None:
    raise call.low.refused(f"`{call.builtin.name}`", call.detail)


def make(call: Call) -> Value | Operand:
    """A vector or number of the numbers of the arguments: of those that `detail` counts out, else of all."""
    given, result = call.given, call.builtin.result
    chosen = [given[place] for place in call.detail or range(len(given))]
    if not isinstance(result, Struct):
        return call.low.cast(chosen[0], call.scalar)
    assert result.vector_of
    scalar = result.vector_of.scalar
    return vector(result, [call.low.cast(operand, scalar) for operand in chosen])


def columns(call: Call) -> list[list[Operand]]:
    """The operands of each half: one list for numbers, two for pairs."""
    given = (call._replace(values=[value]).given for value in call.values)
    return [list(column) for column in zip(*given, strict=True)]


def half(call: Call) -> Value | Operand:
    """What `detail` says, one step after the other."""
    made = list[Operand]()
    for given in columns(call):
        for what in call.detail:
            given = [call.computed(what, F16, given, F16)]
        made += given
    return vector(call.builtin.result, made) if isinstance(call.builtin.result, Struct) else made[0]


def half_test(call: Call) -> Value | Operand:
    """A comparison: of pairs it gives two halves (1 or 0), a mask of 16 bits each, or whether both hold."""
    holds = [call.computed(call.detail, F16, given, PRED) for given in columns(call)]
    if len(holds) == 1:
        return holds[0]
    if call.builtin.result == BOOL:
        return call.emit(Opcode.AND, *holds)
    if isinstance(call.builtin.result, Struct):
        return vector(call.builtin.result, [call.low.cast(operand, F16) for operand in holds])
    words = [
        call.low.emit(Opcode.SELECT, U32, operand, Constant(mask, U32), Constant(0, U32))
        for operand, mask in zip(holds, MASKS, strict=True)
    ]
    return call.emit(Opcode.OR, *words)


FAMILIES: dict[str, Family] = families_of_threads.FAMILIES | {
    "opcode": opcode,
    "real": lambda call: call.computed(call.detail, *_reals(call), call.scalar),
    "parts": parts,
    **dict.fromkeys(("call", "call_packed"), library),
    "scale": scale,
    "to_integer": to_integer,
    "convert": lambda call: call.low.cast(call.given[0], call.scalar),
    "bits": lambda call: call.low.emit(Opcode.REINTERPRET, call.scalar, *call.given),
    "nan": lambda call: Constant(math.nan, call.scalar),  # what its text asks for is not kept
    "refused": refused,
    "nothing": lambda _call: None,  # a promise to the compiler, which nobody uses here
    "first": lambda call: call.values[0],  # the others are advice to the compiler
    "make": make,
    "half": half,
    "half_test": half_test,
    "printf": printing.printf,
}
