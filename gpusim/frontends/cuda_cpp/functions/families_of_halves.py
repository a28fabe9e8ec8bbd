"""How are functions of halves lowered? Each half of a pair by itself, and what is made of the two."""

from __future__ import annotations

from gpusim.frontends.cuda_cpp.functions.lowered import Lowering, computed, number, operand_of, scalar_of
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.types import BOOL, HALF, Struct
from gpusim.frontends.cuda_cpp.values import LeafValue, NumberValue, StructValue, Value
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import F16, PRED, U32
from gpusim.source import Span

MASKS = (0x0000FFFF, 0xFFFF0000)


def make(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """A vector or number of the numbers of the arguments: of those that `detail` counts out, else of all."""
    given = list[Value]()
    for value in values:
        given += value.leaves if isinstance(value, StructValue) else (value,)
    chosen = [operand_of(given[place]) for place in builtin.detail or range(len(given))]
    if not isinstance(builtin.result, Struct):
        return number(builtin.result, lowering.cast(chosen[0], scalar_of(builtin.result), span))
    element = builtin.result.vector_of
    assert element is not None
    made: list[LeafValue] = [number(element, lowering.cast(of, element.scalar, span)) for of in chosen]
    return StructValue(builtin.result, tuple(made))


def columns(values: list[Value]) -> list[list[Operand]]:
    """The operands of each half: one list for numbers, two for pairs."""
    count = max(len(value.leaves) if isinstance(value, StructValue) else 1 for value in values)
    return [
        [operand_of(v.leaves[place] if isinstance(v, StructValue) else v) for v in values]
        for place in range(count)
    ]


def half(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """What `detail` says, one step after the other."""
    made: list[LeafValue] = []
    for given in columns(values):
        for what in builtin.detail:
            given = [computed(lowering, what, F16, given, F16, span)]
        made.append(NumberValue(HALF, given[0]))
    return StructValue(builtin.result, tuple(made)) if isinstance(builtin.result, Struct) else made[0]


def half_test(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """A comparison: of pairs it gives two halves (1 or 0), a mask of 16 bits each, or whether both hold."""
    builder = lowering.builder
    holds = [computed(lowering, builtin.detail, F16, given, PRED, span) for given in columns(values)]
    if len(holds) == 1:
        return number(builtin.result, holds[0])
    if builtin.result == BOOL:
        return number(BOOL, builder.value(Opcode.AND, PRED, tuple(holds), span))
    if isinstance(builtin.result, Struct):
        made = tuple(NumberValue(HALF, lowering.cast(of, F16, span)) for of in holds)
        return StructValue(builtin.result, made)
    words = tuple(
        builder.value(Opcode.SELECT, U32, (of, Constant(mask, U32), Constant(0, U32)), span)
        for of, mask in zip(holds, MASKS, strict=True)
    )
    return number(builtin.result, builder.value(Opcode.OR, U32, words, span))


FAMILIES = {"make": make, "half": half, "half_test": half_test}
