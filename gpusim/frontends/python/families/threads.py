"""Where is a thread, and what do threads do together? `cuda.grid`, barriers, votes, shuffles, matches."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import SimpleNamespace

from gpusim.frontends import collectives
from gpusim.frontends.python.builtins import intrinsics
from gpusim.frontends.python.families.call import Call
from gpusim.frontends.python.operators import binary
from gpusim.frontends.python.types import SHUFFLED
from gpusim.frontends.python.values import Static, Value, known_integer
from gpusim.ir.details import Received
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED, S32, S64, U32, U64, Scalar

AXES = ("x", "y", "z")
RANKS = (1, 2, 3)


def _per_axis(call: Call, number: Callable[[str], Value]) -> Value:
    """A number along one axis, or those along several."""
    rank = known_integer(call.lowering.literal(call.arguments[0]))
    if rank not in RANKS:
        raise call.wrong("the number of dimensions is the constant 1, 2 or 3", "")
    numbers = tuple(number(axis) for axis in AXES[:rank])
    return numbers[0] if len(numbers) == 1 else numbers


def _special(call: Call, vector: SimpleNamespace, axis: str) -> Register:
    return collectives.special(call.site, getattr(vector, axis), S64)


def grid(call: Call) -> Value:
    """The thread's place in the grid, along one axis or several."""

    def place(axis: str) -> Value:
        vectors = (intrinsics.threadIdx, intrinsics.blockDim, intrinsics.blockIdx)
        thread, extent, block = (_special(call, vector, axis) for vector in vectors)
        first = binary(call.lowering, ast.Mult(), extent, block, call.node)
        return binary(call.lowering, ast.Add(), thread, first, call.node)

    return _per_axis(call, place)


def gridsize(call: Call) -> Value:
    """How many threads the grid has, along one axis or several."""

    def size(axis: str) -> Value:
        threads, blocks = (_special(call, v, axis) for v in (intrinsics.blockDim, intrinsics.gridDim))
        return binary(call.lowering, ast.Mult(), threads, blocks, call.node)

    return _per_axis(call, size)


def barrier(call: Call) -> Value:
    """All threads of the block meet, or of the grid, or so many at a barrier of this number."""
    operands = tuple(map(call.convert, call.arguments, (U64, U32)))
    call.site.builder.barrier(call.site.span, call.called.detail, operands)
    variables = call.lowering.variables
    if call.called.detail is Opcode.GRID_BARRIER and not variables.cooperative:
        variables.cooperative = variables.learned = True
    return Static(None)


def cooperative(call: Call) -> Value:
    """Is the kernel launched cooperatively?"""
    return Constant(call.lowering.variables.cooperative, PRED)


def block_vote(call: Call) -> Value:
    """They meet and count their predicates."""
    (predicate,) = call.numbers()
    flag = call.lowering.truth(predicate, call.node)
    return collectives.block_vote(call.site, call.called.detail, flag)


def fence(call: Call) -> Value:
    """Order a thread's own writes, for those within the scope."""
    collectives.fence(call.site, call.called.detail)
    return Static(None)


def nanosleep(call: Call) -> Value:
    """Stand back for a while."""
    collectives.sleep(call.site, call.convert(call.arguments[0], U32))
    return Static(None)


# the lanes of a warp ----------------------------------------------------------------------------------------


def _mask_type(call: Call) -> Scalar:
    """Masks that lanes find are int32 in Numba; those of 64 lanes need an int64."""
    return S32 if call.lowering.warp_size == S32.bits else S64


def _mask(call: Call, value: Operand) -> Operand:
    if not value.type.is_integer:
        raise call.wrong(f"a mask of type {value.type.dtype}", "a mask is an integer, one bit a lane")
    return value


def _brought(call: Call, value: Operand) -> Operand:
    """What a lane brings, in one of the four types that lanes exchange in Numba."""
    type_ = SHUFFLED.get(value.type)
    if type_ is None:
        raise call.wrong(f"lanes do not exchange {value.type.dtype}", "exchange .real and .imag")
    return call.convert(value, type_)


def shuffle(call: Call) -> Value:
    """What another lane brings."""
    mask, value, lane = call.numbers()
    value, lane = _brought(call, value), call.convert(lane, S64)
    return collectives.shuffle(call.site, call.called.detail, _mask(call, mask), value, lane)


def exchange(call: Call) -> Value:
    """The same within a segment of so many lanes, for groups: unsigned numbers stay what they are."""
    mask, value, lane, width = call.numbers()
    segment, opcode = known_integer(width) or call.lowering.warp_size, call.called.detail
    if segment < call.lowering.warp_size:
        width, last = Constant(segment, S32), call.lowering.warp_size - 1
        lane, opcode = collectives.within_segment(call.site, opcode, lane, width, last), Opcode.SHFL_IDX
    value = value if value.type is U32 else _brought(call, value)
    return collectives.shuffle(call.site, opcode, mask, value, lane)


def operation(call: Call) -> Value:
    """A function of two values."""
    return Static(call.called.detail)


def vote(call: Call) -> Value:
    """All lanes get one answer about their predicates."""
    (mask, value), opcode = call.numbers(), call.called.detail
    flag = call.lowering.truth(value, call.node)
    type_ = _mask_type(call) if opcode is Opcode.BALLOT else PRED
    return collectives.answer(call.site, opcode, _mask(call, mask), flag, type_)


def match(call: Call) -> Value:
    """Which lanes have the value that I have? And have all of them?"""
    (mask, value), opcode = call.numbers(), call.called.detail
    value, type_ = _brought(call, value), _mask_type(call)
    lanes = collectives.answer(call.site, opcode, _mask(call, mask), value, type_)
    if opcode is Opcode.MATCH_ANY:
        return lanes
    return lanes, collectives.received(call.site, PRED, Received.AGREED)


def syncwarp(call: Call) -> Value:
    """The lanes of a mask meet."""
    (mask,) = call.numbers()
    collectives.meet(call.site, call.called.detail, _mask(call, mask))
    return Static(None)


def lane_mask(call: Call) -> Value:
    """The lanes that execute together now, or those before this one."""
    type_ = U32 if call.lowering.warp_size == U32.bits else U64
    return collectives.special(call.site, call.called.detail, type_)


FAMILIES = {
    "barrier": barrier, "block_vote": block_vote, "cooperative": cooperative, "exchange": exchange,
    "fence": fence, "grid": grid, "gridsize": gridsize, "lane_mask": lane_mask, "match": match,
    "nanosleep": nanosleep, "operation": operation, "shuffle": shuffle, "syncwarp": syncwarp, "vote": vote,
}  # fmt: skip
