"""How is each family of built-in functions lowered? Those of numbers, then those of threads and of memory.

A family gets a call. It adds instructions, and gives the value or the operand of one.
"""

from __future__ import annotations

import numpy as np

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import collectives, flow
from gpusim.frontends.cuda_cpp import launches, layout, lowering, memory
from gpusim.frontends.cuda_cpp.functions import printing
from gpusim.frontends.cuda_cpp.functions.lowered import Call, Family, vector
from gpusim.frontends.cuda_cpp.functions.prototypes import REFUSED, Builtin
from gpusim.frontends.cuda_cpp.types import FLOAT, INT, Number, Struct, bare
from gpusim.frontends.cuda_cpp.values import Address, NumberValue, StructValue, Value, VoidValue
from gpusim.ir.details import Part, Received, Texel
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import B32, F16, F32, F64, S32, S64, U8, U16, U32, Scalar, Space

# an atomic of these types, or seen by more or fewer than the grid, needs this compute capability
SINCE = {F64: (6, 0), F16: (7, 0), U16: (7, 0)}
SCOPES_SINCE = (6, 0)
VECTORS_SINCE = {F16: (6, 0), F32: (9, 0)}


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


# threads and memory ----------------------------------------------------------------------------------------


def shuffle(call: Call) -> Value | Operand:
    """Each lane reads another's value, within its segment of `width` lanes."""
    (mask, *brought, place, width), opcode = call.given, call.detail
    if not _is_warp(call, width):
        width, last = call.low.cast(width, S32), call.low.device.warp_size - 1
        place, opcode = collectives.within_segment(call.site, opcode, place, width, last), Opcode.SHFL_IDX
    if not isinstance(call.values[1], StructValue):
        return collectives.shuffle(call.site, opcode, mask, brought[0], place)
    # two halves travel as one word
    place = call.low.cast(place, S64)
    word = collectives.shuffle(call.site, opcode, mask, call.low.emit(Opcode.PACK, B32, *brought), place)
    halves = [call.low.emit(Opcode.PART, F16, word, detail=Part(first)) for first in (0, 2)]
    return vector(call.builtin.result, halves)


def _is_warp(call: Call, width: Operand) -> bool:
    """Does a shuffle run over the whole warp? A constant width must be a power of two."""
    lanes = call.low.device.warp_size
    if not isinstance(width, Constant):
        return False
    if width.value not in [1 << power for power in range(lanes.bit_length())]:
        hint = f"a segment has 1, 2, 4, … or {lanes} lanes"
        raise KernelTypeError(f"a shuffle of width {width.value}", call.low.at, hint)
    return bool(width.value == lanes)


def answer(call: Call) -> Operand:
    """What a vote, a match or a reduction says to a lane that brings one number."""
    mask, brought = call.given
    return collectives.answer(call.site, call.detail, mask, brought, call.scalar)


def match_all(call: Call) -> Operand:
    """Have all lanes the same value? `*pred` says so, and then the result is the mask, else 0."""
    lanes = answer(call)
    call.low.store(call.address, NumberValue(INT, collectives.received(call.site, S32, Received.AGREED)))
    return lanes


def reduce(call: Call) -> Operand:
    """All lanes get the sum, or another combination, of their values."""
    call.require(f"{call.builtin.name}()", (8, 0), "; exchange with __shfl_down_sync instead")
    return answer(call)


def atomic(call: Call) -> Operand:
    """Read, change and write as one; the result is what was there before."""
    scope, scalar = call.builtin.scope, call.scalar
    call.require(str(call.builtin), max(SINCE.get(scalar, (0, 0)), SCOPES_SINCE if scope else (0, 0)))
    call.low.check_writable(call.address)
    place = call.low.access(call.address, scalar)
    return collectives.atomic(call.site, call.detail, place, tuple(call.given), scope)


def vector_atomic(call: Call) -> Value:
    """One atomic an element: CUDA, too, promises no more."""
    struct, old = call.builtin.result, list[Operand]()
    assert isinstance(struct, Struct)
    assert struct.vector_of
    scalar = struct.vector_of.scalar
    call.require(str(call.builtin), VECTORS_SINCE[scalar])
    for member, operand in zip(struct.fields or (), call.given, strict=True):
        place = call.low.access(call.address.moved(member.offset), scalar)
        old.append(collectives.atomic(call.site, call.detail, place, (operand,), call.builtin.scope))
    return vector(struct, old)


def lies_in(call: Call) -> Operand:
    """Is this memory of that space? Known as soon as the array is that a pointer is into."""
    array = call.low.access(call.address, U8).array
    if array.space is Space.GENERIC:
        hint = "this pointer may point into several arrays: ask before it is chosen"
        raise UnsupportedConstruct(f"`{call.builtin.name}` of a generic address", call.low.at, hint)
    return Constant(int(array.space is call.detail), U32)


def barrier(call: Call) -> None:
    """A barrier; number 0 for all threads is the block's own, `__syncthreads()`."""
    given, opcode = tuple(call.given), call.detail
    if opcode is Opcode.NAMED_SYNC and all(isinstance(one, Constant) and one.value == 0 for one in given):
        given, opcode = (), Opcode.BARRIER
    call.site.builder.barrier(call.site.span, opcode, given)


def tiles(call: Call) -> None:
    """The thread block is cut into tiles of so many threads, where that is known before the kernel runs."""
    (size,) = call.given
    if isinstance(size, Constant):
        call.site.builder.tiles[call.site.span.outermost, int(size.value)] = None


def by_object(call: Call) -> Value | Operand | None:
    """An access by the handle of a texture or surface object; the first argument is of the type it brings."""
    opcode, function = call.detail
    brought, type_ = call._replace(values=call.values[:1]).given, bare(call.builtin.parameters[0])
    call.require(f"`{function}` of an object", (3, 0))
    handle, *operands = call.given[len(brought) :]
    vector_of = type_.vector_of if isinstance(type_, Struct) else None
    element = layout.register_of(vector_of or type_)
    texel = Texel(function, element, len(brought))
    whole = memory.WIDE[type_.size] if vector_of else element
    place = call.low.access(Address(None, ((handle, 1),)), whole)
    if opcode is Opcode.SUST:
        value = call.low.emit(Opcode.PACK, whole, *brought) if vector_of else brought[0]
        call.site.builder.effect(opcode, whole, (*operands, value), call.low.at, texel, place)
        return None
    found = call.low.emit(opcode, whole, *operands, place=place, detail=texel)
    if not vector_of:
        return found
    call.site.builder.hold(found)
    places = range(0, type_.size, element.bytes)
    return vector(type_, [call.low.emit(Opcode.PART, element, found, detail=Part(at)) for at in places])


FAMILIES: dict[str, Family] = {
    "opcode": opcode,
    "real": lambda call: call.computed(call.detail, *_reals(call), call.scalar),
    **dict.fromkeys(("call", "call_packed"), library),
    "scale": scale,
    "to_integer": to_integer,
    "bits": lambda call: call.low.emit(Opcode.REINTERPRET, call.scalar, *call.given),
    "refused": refused,
    "make": make,
    "half": half,
    "printf": printing.printf,
    "barrier": barrier,
    "block_vote": lambda call: collectives.block_vote(call.site, call.detail, *call.given),
    "tiles": tiles,
    "effect": lambda call: call.site.builder.effect(call.detail, U32, tuple(call.given), call.site.span),
    "fence": lambda call: collectives.fence(call.site, call.detail),
    "syncwarp": lambda call: collectives.meet(call.site, Opcode.SYNC_WARP, *call.given),
    "special": lambda call: collectives.special(call.site, call.detail, call.scalar),
    "clock": lambda call: collectives.clock(call.site, call.scalar),  # steps of the machine, not cycles
    "shuffle": shuffle,
    "answer": answer,
    "match_all": match_all,
    "reduce": reduce,
    "by_object": by_object,
    "atomic": atomic,
    "vector_atomic": vector_atomic,
    "lies_in": lies_in,
    # with a cache operator
    "load": lambda call: call.low.load(call.address, call.builtin.result, call.detail),
    "store": lambda call: call.low.store(call.address, call.values[1], call.detail),
    "nanosleep": lambda call: collectives.sleep(call.site, *call.given),
    "runtime": lambda call: collectives.ask(call.site, call.detail, *call.given, type_=call.scalar),
    "launch": launches.from_buffer,
    "parameter_bytes": launches.parameter_bytes,
    "children": lambda call: collectives.await_children(call.site),
    "trap": lambda call: flow.trapped(call.site, "__trap()"),
}
