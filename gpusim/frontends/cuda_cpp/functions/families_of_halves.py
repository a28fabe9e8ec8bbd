"""How are functions of halves lowered? Each half of a pair by itself, and what is made of the two."""

from __future__ import annotations

from gpusim.frontends.cuda_cpp.functions.lowered import computed, emit, operands_of, vector
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import BOOL, Struct
from gpusim.frontends.cuda_cpp.values import Value
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import F16, PRED, U32

MASKS = (0x0000FFFF, 0xFFFF0000)


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


FAMILIES = make, half, half_test
