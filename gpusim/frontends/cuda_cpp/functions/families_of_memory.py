"""What do built-in functions do to memory? Atomics, accesses with a cache operator; and how lanes stop."""

from __future__ import annotations

from gpusim.errors import UnsupportedConstruct
from gpusim.frontends import collectives, flow
from gpusim.frontends.cuda_cpp.functions.lowered import Lowering, address_of, number, operand_of, scalar_of
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.types import Struct
from gpusim.frontends.cuda_cpp.values import (
    LeafValue,
    NumberValue,
    StructValue,
    Value,
    VoidValue,
)
from gpusim.ir.instructions import Constant
from gpusim.ir.types import F16, F32, F64, U8, U16, U32, Space
from gpusim.source import Span

# an atomic of these types, or seen by more or fewer than the grid, needs this compute capability
SINCE = {F64: (6, 0), F16: (7, 0), U16: (7, 0)}
SCOPES_SINCE = (6, 0)
VECTORS_SINCE = {F16: (6, 0), F32: (9, 0)}


def require(lowering: Lowering, what: str, since: tuple[int, int], span: Span) -> None:
    """Refuse what the device is too old for."""
    capability = lowering.device.compute_capability
    if capability is not None and capability < since:
        hint = f"it needs compute capability {since[0]}.{since[1]}"
        raise UnsupportedConstruct(f"{what} on {lowering.device.name}", span, hint)


def atomic(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Read, change and write as one; the result is what was there before."""
    scalar = scalar_of(builtin.result)
    since = max(SINCE.get(scalar, (0, 0)), SCOPES_SINCE if builtin.scope else (0, 0))
    require(lowering, str(builtin), since, span)
    given = tuple(operand_of(value) for value in values[1:])
    lowering.check_writable(address_of(values[0]), span)
    place = lowering.access(address_of(values[0]), scalar, span)
    old = collectives.atomic(lowering.site(span), builtin.detail, place, given, builtin.scope)
    return number(builtin.result, old)


def vector_atomic(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """One atomic an element: CUDA, too, promises no more."""
    vector, (pointer, value) = builtin.result, values
    assert isinstance(vector, Struct)
    assert isinstance(value, StructValue)
    old: list[LeafValue] = []
    for member, leaf in zip(vector.fields or (), value.leaves, strict=True):
        scalar = scalar_of(member.type)
        require(lowering, str(builtin), VECTORS_SINCE[scalar], span)
        place = lowering.access(address_of(pointer).moved(member.offset), scalar, span)
        given = (operand_of(leaf),)
        found = collectives.atomic(lowering.site(span), builtin.detail, place, given, builtin.scope)
        old.append(NumberValue(member.type, found))
    return StructValue(vector, tuple(old))


def load(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Read with a cache operator."""
    return lowering.load(address_of(values[0]), builtin.result, span, builtin.detail)


def store(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Write with a cache operator."""
    lowering.store(address_of(values[0]), values[1], span, builtin.detail)
    return VoidValue(builtin.result)


def nanosleep(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Stand back for a while."""
    collectives.sleep(lowering.site(span), operand_of(values[0]))
    return VoidValue(builtin.result)


def trap(lowering: Lowering, builtin: Builtin, _values: list[Value], span: Span) -> Value:
    """End the launch with an error."""
    flow.trapped(lowering.site(span), "__trap()")
    return VoidValue(builtin.result)


def lies_in(lowering: Lowering, builtin: Builtin, values: list[Value], span: Span) -> Value:
    """Is this memory of that space? Known as soon as the array is that a pointer is into."""
    array = lowering.access(address_of(values[0]), U8, span).array
    if array.space is Space.GENERIC:
        hint = "this pointer may point into several arrays: ask before it is chosen"
        raise UnsupportedConstruct(f"`{builtin.name}` of a generic address", span, hint)
    return number(builtin.result, Constant(int(array.space is builtin.detail), U32))


FAMILIES = {
    "atomic": atomic,
    "vector_atomic": vector_atomic,
    "lies_in": lies_in,
    "load": load,
    "store": store,
    "nanosleep": nanosleep,
    "trap": trap,
}
