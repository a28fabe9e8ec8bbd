"""What do threads do together? Barriers, shuffles, votes, reductions; atomics, and accesses of memory."""

from __future__ import annotations

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import collectives, flow
from gpusim.frontends.cuda_cpp.functions.lowered import (
    Family,
    address_of,
    emit,
    operand_of,
    operands_of,
    require,
    vector,
)
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import INT, Struct
from gpusim.frontends.cuda_cpp.values import NumberValue, StructValue, Value
from gpusim.ir.details import Part, Received, SpecialRegister
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import B32, F16, F32, F64, S32, S64, U8, U16, U32, Space

# an atomic of these types, or seen by more or fewer than the grid, needs this compute capability
SINCE = {F64: (6, 0), F16: (7, 0), U16: (7, 0)}
SCOPES_SINCE = (6, 0)
VECTORS_SINCE = {F16: (6, 0), F32: (9, 0)}


def barrier(low: Lowering, _builtin: Builtin, _values: list[Value]) -> None:
    """All threads of the block meet."""
    low.builder.barrier(low.at)


def block_vote(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """They meet and count their predicates."""
    return collectives.block_vote(low.site(low.at), builtin.detail, operand_of(values[0]))


def fence(low: Lowering, builtin: Builtin, _values: list[Value]) -> None:
    """What a thread wrote before, those within the scope see before what it writes after."""
    collectives.fence(low.site(low.at), builtin.detail)


def syncwarp(low: Lowering, _builtin: Builtin, values: list[Value]) -> None:
    """The lanes of a mask meet."""
    collectives.meet(low.site(low.at), Opcode.SYNC_WARP, operand_of(values[0]))


def special(low: Lowering, builtin: Builtin, _values: list[Value]) -> Operand:
    """A register that nobody writes: the lanes that execute together now, the lane's own number."""
    return collectives.special(low.site(low.at), builtin.detail, builtin.scalar)


def clock(low: Lowering, builtin: Builtin, _values: list[Value]) -> Operand:
    """How many steps has the machine made? Instructions, not cycles."""
    return collectives.clock(low.site(low.at), builtin.scalar)


def shuffle(low: Lowering, builtin: Builtin, values: list[Value]) -> Value | Operand:
    """Each lane reads another's value, within its segment of `width` lanes."""
    mask, (place, width), site = operand_of(values[0]), operands_of(values[2:]), low.site(low.at)
    opcode: Opcode = builtin.detail
    if not _is_warp(low, width):
        place, opcode = _within_segment(low, opcode, place, width), Opcode.SHFL_IDX
    if not isinstance(values[1], StructValue):
        return collectives.shuffle(site, opcode, mask, operand_of(values[1]), place)
    # two halves travel as one word
    place = low.cast(place, S64, low.at)
    word = low.builder.value(Opcode.PACK, B32, tuple(operands_of(values[1:2])), low.at)
    word = collectives.shuffle(site, opcode, mask, word, place)
    halves = [low.builder.value(Opcode.PART, F16, (word,), low.at, detail=Part(first)) for first in (0, 2)]
    return vector(builtin.result, halves)


def _is_warp(low: Lowering, width: Operand) -> bool:
    """Does a shuffle run over the whole warp? A constant width must be a power of two."""
    if not isinstance(width, Constant):
        return False
    if width.value not in [1 << power for power in range(low.warp_size.bit_length())]:
        hint = f"a segment has 1, 2, 4, … or {low.warp_size} lanes"
        raise KernelTypeError(f"a shuffle of width {width.value}", low.at, hint)
    return bool(width.value == low.warp_size)


def _within_segment(low: Lowering, opcode: Opcode, argument: Operand, width: Operand) -> Operand:
    """The lane that a lane reads: itself where the other is beyond its segment (PTX ISA, "shfl.sync")."""
    last = low.warp_size - 1
    lane: Operand = collectives.special(low.site(low.at), SpecialRegister.LANEID, S32)
    argument, width = (low.cast(operand, S32, low.at) for operand in (argument, width))
    # lanes of a segment differ in these bits
    if isinstance(width, Constant):
        inside: Operand = Constant(width.value - 1, S32)
        outside: Operand = Constant(last & ~(width.value - 1), S32)
    else:
        inside = emit(low, Opcode.SUB, width, 1)
        outside = emit(low, Opcode.XOR, inside, last)
    if opcode is Opcode.SHFL_IDX:
        first = emit(low, Opcode.AND, lane, outside)
        return emit(low, Opcode.OR, first, emit(low, Opcode.AND, argument, inside))
    argument = emit(low, Opcode.AND, argument, last)
    if opcode is Opcode.SHFL_UP:
        source = emit(low, Opcode.SUB, lane, argument)
        within = emit(low, Opcode.GE, source, emit(low, Opcode.AND, lane, outside))
    else:
        source = emit(low, Opcode.ADD if opcode is Opcode.SHFL_DOWN else Opcode.XOR, lane, argument)
        within = emit(low, Opcode.LE, source, emit(low, Opcode.OR, lane, inside))
    return low.builder.value(Opcode.SELECT, S32, (within, source, lane), low.at)


def answer(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """What a vote, a match or a reduction says to a lane that brings one number."""
    mask, brought = operands_of(values[:2])
    return collectives.answer(low.site(low.at), builtin.detail, mask, brought, builtin.scalar)


def match_all(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """Have all lanes the same value? `*pred` says so, and then the result is the mask, else 0."""
    lanes = answer(low, builtin, values)
    same = collectives.received(low.site(low.at), S32, Received.AGREED)
    low.store(address_of(values[2]), NumberValue(INT, same), low.at)
    return lanes


def reduce(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """All lanes get the sum, or another combination, of their values."""
    require(low, f"{builtin.name}()", (8, 0), "; exchange with __shfl_down_sync instead")
    return answer(low, builtin, values)


# memory ----------------------------------------------------------------------------------------------------


def atomic(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """Read, change and write as one; the result is what was there before."""
    address, scalar = address_of(values[0]), builtin.scalar
    require(low, str(builtin), max(SINCE.get(scalar, (0, 0)), SCOPES_SINCE if builtin.scope else (0, 0)))
    low.check_writable(address, low.at)
    place = low.access(address, scalar, low.at)
    given = tuple(operands_of(values[1:]))
    return collectives.atomic(low.site(low.at), builtin.detail, place, given, builtin.scope)


def vector_atomic(low: Lowering, builtin: Builtin, values: list[Value]) -> Value:
    """One atomic an element: CUDA, too, promises no more."""
    assert isinstance(builtin.result, Struct)
    assert builtin.result.vector_of
    scalar, old = builtin.result.vector_of.scalar, list[Operand]()
    require(low, str(builtin), VECTORS_SINCE[scalar])
    for member, operand in zip(builtin.result.fields or (), operands_of(values[1:]), strict=True):
        place = low.access(address_of(values[0]).moved(member.offset), scalar, low.at)
        old.append(collectives.atomic(low.site(low.at), builtin.detail, place, (operand,), builtin.scope))
    return vector(builtin.result, old)


def load(low: Lowering, builtin: Builtin, values: list[Value]) -> Value:
    """Read with a cache operator."""
    return low.load(address_of(values[0]), builtin.result, low.at, builtin.detail)


def store(low: Lowering, builtin: Builtin, values: list[Value]) -> None:
    """Write with a cache operator."""
    low.store(address_of(values[0]), values[1], low.at, builtin.detail)


def nanosleep(low: Lowering, _builtin: Builtin, values: list[Value]) -> None:
    """Stand back for a while."""
    collectives.sleep(low.site(low.at), operand_of(values[0]))


def trap(low: Lowering, _builtin: Builtin, _values: list[Value]) -> None:
    """End the launch with an error."""
    flow.trapped(low.site(low.at), "__trap()")


def lies_in(low: Lowering, builtin: Builtin, values: list[Value]) -> Operand:
    """Is this memory of that space? Known as soon as the array is that a pointer is into."""
    array = low.access(address_of(values[0]), U8, low.at).array
    if array.space is Space.GENERIC:
        hint = "this pointer may point into several arrays: ask before it is chosen"
        raise UnsupportedConstruct(f"`{builtin.name}` of a generic address", low.at, hint)
    return Constant(int(array.space is builtin.detail), U32)


FAMILIES: tuple[Family, ...] = (
    barrier, block_vote, fence, syncwarp, special, clock, shuffle, answer, match_all, reduce,
    atomic, vector_atomic, lies_in, load, store, nanosleep, trap,
)  # fmt: skip
