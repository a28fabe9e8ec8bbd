"""How do lanes meet and exchange values? Barriers, shuffles, votes, matches and reductions of CUDA C++."""

from __future__ import annotations

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import collectives
from gpusim.frontends.cuda_cpp.functions.lowered import (
    Lowering,
    binary,
    number,
    operand_of,
    scalar_of,
    store_through,
)
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.types import HALF, INT, Struct
from gpusim.frontends.cuda_cpp.values import NumberValue, StructValue, Value, VoidValue
from gpusim.ir.details import Part, Received, SpecialRegister
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import B32, F16, PRED, S32, S64
from gpusim.source import Span

WARP_REDUCTIONS_SINCE = (8, 0)


def barrier(lowering: Lowering, builtin: Builtin, _values: list[Value], span: Span) -> Value:
    """All threads of the block meet."""
    lowering.builder.barrier(span)
    return VoidValue(builtin.result)


def block_vote(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """They meet and count their predicates."""
    flag = operand_of(values[0])
    return number(builtin.result, collectives.block_vote(lowering.site(span), builtin.detail, flag))


def fence(lowering: Lowering, builtin: Builtin, _values: list[Value], span: Span) -> Value:
    """What a thread wrote before, those within the scope see before what it writes after."""
    collectives.fence(lowering.site(span), builtin.detail)
    return VoidValue(builtin.result)


def syncwarp(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """The lanes of a mask meet."""
    collectives.meet(lowering.site(span), Opcode.SYNC_WARP, operand_of(values[0]))
    return VoidValue(builtin.result)


def special(lowering: Lowering, builtin: Builtin, _values: list[Value], span: Span) -> Value:
    """A register that nobody writes: the lanes that execute together now, the lane's own number."""
    found = collectives.special(lowering.site(span), builtin.detail, scalar_of(builtin.result))
    return number(builtin.result, found)


def clock(lowering: Lowering, builtin: Builtin, _values: list[Value], span: Span) -> Value:
    """How many steps has the machine made? Instructions, not cycles."""
    return number(builtin.result, collectives.clock(lowering.site(span), scalar_of(builtin.result)))


def shuffle(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Each lane reads another's value, within its segment of `width` lanes."""
    mask, value, argument, width = values
    opcode: Opcode = builtin.detail
    place = operand_of(argument)
    if not _is_warp(lowering, width, span):
        place, opcode = _within_segment(lowering, opcode, place, operand_of(width), span), Opcode.SHFL_IDX
    if not isinstance(value, StructValue):
        found = collectives.shuffle(lowering.site(span), opcode, operand_of(mask), operand_of(value), place)
        return number(builtin.result, found)
    # two halves travel as one word
    place, halves = lowering.cast(place, S64, span), tuple(operand_of(leaf) for leaf in value.leaves)
    word = lowering.builder.value(Opcode.PACK, B32, halves, span)
    word = collectives.shuffle(lowering.site(span), opcode, operand_of(mask), word, place)
    assert isinstance(builtin.result, Struct)
    parts = (lowering.builder.value(Opcode.PART, F16, (word,), span, detail=Part(first)) for first in (0, 2))
    return StructValue(builtin.result, tuple(NumberValue(HALF, part) for part in parts))


def _is_warp(lowering: Lowering, width: Value, span: Span) -> bool:
    """Does a shuffle run over the whole warp? A constant width must be a power of two."""
    operand = operand_of(width)
    if not isinstance(operand, Constant):
        return False
    if operand.value not in [1 << power for power in range(lowering.warp_size.bit_length())]:
        hint = f"a segment has 1, 2, 4, … or {lowering.warp_size} lanes"
        raise KernelTypeError(f"a shuffle of width {operand.value}", span, hint)
    return bool(operand.value == lowering.warp_size)


def _within_segment(
    lowering: Lowering, opcode: Opcode, argument: Operand, width: Operand, span: Span
) -> Operand:
    """The lane that a lane reads: itself where the other is beyond its segment (PTX ISA, "shfl.sync")."""
    builder, last = lowering.builder, lowering.warp_size - 1
    lane: Operand = collectives.special(lowering.site(span), SpecialRegister.LANEID, S32)
    argument, width = (lowering.cast(operand, S32, span) for operand in (argument, width))
    # lanes of a segment differ in these bits
    if isinstance(width, Constant):
        inside: Operand = Constant(width.value - 1, S32)
        outside: Operand = Constant(last & ~(width.value - 1), S32)
    else:
        inside = binary(lowering, Opcode.SUB, width, 1, span)
        outside = binary(lowering, Opcode.XOR, inside, last, span)
    if opcode is Opcode.SHFL_IDX:
        first = binary(lowering, Opcode.AND, lane, outside, span)
        return binary(lowering, Opcode.OR, first, binary(lowering, Opcode.AND, argument, inside, span), span)
    argument = binary(lowering, Opcode.AND, argument, last, span)
    if opcode is Opcode.SHFL_UP:
        source = binary(lowering, Opcode.SUB, lane, argument, span)
        first = binary(lowering, Opcode.AND, lane, outside, span)
        within = builder.value(Opcode.GE, S32, (source, first), span, result=PRED)
    else:
        combine = Opcode.ADD if opcode is Opcode.SHFL_DOWN else Opcode.XOR
        source = binary(lowering, combine, lane, argument, span)
        final = binary(lowering, Opcode.OR, lane, inside, span)
        within = builder.value(Opcode.LE, S32, (source, final), span, result=PRED)
    return builder.value(Opcode.SELECT, S32, (within, source, lane), span)


def answer(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """What a vote, a match or a reduction says to a lane that brings one number."""
    mask, brought = (operand_of(value) for value in values[:2])
    type_ = scalar_of(builtin.result)
    found = collectives.answer(lowering.site(span), builtin.detail, mask, brought, type_)
    return number(builtin.result, found)


def match_all(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Have all lanes the same value? `*pred` says so, and then the result is the mask, else 0."""
    lanes = answer(lowering, builtin, values, span)
    same = collectives.received(lowering.site(span), S32, Received.AGREED)
    store_through(lowering, values[2], number(INT, same), span)
    return lanes


def reduce(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """All lanes get the sum, or another combination, of their values."""
    capability = lowering.device.compute_capability
    if capability is not None and capability < WARP_REDUCTIONS_SINCE:
        hint = "it needs compute capability 8.0; exchange with __shfl_down_sync instead"
        raise UnsupportedConstruct(f"{builtin.name}() on {lowering.device.name}", span, hint)
    return answer(lowering, builtin, values, span)


FAMILIES = {
    "barrier": barrier,
    "block_vote": block_vote,
    "fence": fence,
    "syncwarp": syncwarp,
    "special": special,
    "clock": clock,
    "shuffle": shuffle,
    "answer": answer,
    "match_all": match_all,
    "reduce": reduce,
}
