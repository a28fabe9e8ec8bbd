"""How is each family of built-in functions lowered? Those of numbers here, of threads elsewhere.

A family gets a call. It adds instructions, and gives the value or the operand of one.
"""

from __future__ import annotations

import numpy as np

from gpusim.frontends.cuda_cpp import lowering
from gpusim.frontends.cuda_cpp.functions import families_of_threads, printing
from gpusim.frontends.cuda_cpp.functions.lowered import Call, Family, vector
from gpusim.frontends.cuda_cpp.functions.prototypes import REFUSED, Builtin
from gpusim.frontends.cuda_cpp.types import FLOAT, Number, Struct
from gpusim.frontends.cuda_cpp.values import NumberValue, StructValue, Value, VoidValue
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import B32, F16, F32, F64, S32, Scalar


def lowered(low: lowering.Lowering, builtin: Builtin, values: list[Value]) -> Value:
    found = FAMILIES[builtin.family](Call(low, builtin, values))
    if isinstance(found, Register | Constant):
        return NumberValue(builtin.result, found)
    return VoidValue(builtin.result) if found is None else found


def opcode(call: Call) -> Operand:
    """One instruction, in the type that `detail` names, else in that of the result."""
    what, scalar = call.detail if isinstance(call.detail, tuple) else (call.detail, call.scalar)
    given = [call.low.cast(operand, scalar) for operand in call.given]
    return call.computed(what, scalar, given, call.scalar)


def _reals(call: Call) -> tuple[Scalar, list[Operand]]:
    """All numbers in the type that <cmath> computes in: float where all are, else double."""
    numbers = [type_ for type_ in call.builtin.parameters if isinstance(type_, Number)]
    scalar = F32 if all(type_ == FLOAT for type_ in numbers) else F64
    return scalar, [call.low.cast(operand, scalar) for operand in call.given]


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
    raise call.low.refused(f"`{call.builtin.name}`", REFUSED[call.builtin.name])


def make(call: Call) -> Value:
    """A vector of the numbers of the arguments."""
    result = call.builtin.result
    assert isinstance(result, Struct)
    assert result.vector_of
    return vector(result, [call.low.cast(operand, result.vector_of.scalar) for operand in call.given])


def half(call: Call) -> Operand:
    """What `detail` says, one step after the other."""
    given = call.given
    for what in call.detail:
        given = [call.computed(what, F16, given, call.scalar)]
    return given[0]


FAMILIES: dict[str, Family] = families_of_threads.FAMILIES | {
    "opcode": opcode,
    "real": lambda call: call.computed(call.detail, *_reals(call), call.scalar),
    "call": library,
    "scale": scale,
    "to_integer": to_integer,
    "bits": lambda call: call.low.emit(Opcode.REINTERPRET, call.scalar, *call.given),
    "refused": refused,
    "make": make,
    "half": half,
    "printf": printing.printf,
}
