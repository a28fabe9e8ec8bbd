"""What do built-in functions do to memory? Atomics, accesses with a cache operator; and how lanes stop."""

from __future__ import annotations

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends import collectives, flow
from gpusim.frontends.cuda_cpp.functions.lowered import address_of, operand_of, operands_of, require, vector
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import Struct
from gpusim.frontends.cuda_cpp.values import Value
from gpusim.ir.instructions import Constant, Operand
from gpusim.ir.types import F16, F32, F64, U8, U16, U32, Space

# an atomic of these types, or seen by more or fewer than the grid, needs this compute capability
SINCE = {F64: (6, 0), F16: (7, 0), U16: (7, 0)}
SCOPES_SINCE = (6, 0)
VECTORS_SINCE = {F16: (6, 0), F32: (9, 0)}


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


FAMILIES = atomic, vector_atomic, lies_in, load, store, nanosleep, trap
