"""What do `memcpy`, `memmove` and `memset` do? They move bytes, as wide as the types allow.

`memcpy(&bits, &number, 4)` of two variables in registers is one move; what may lie anywhere goes by bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import gcd

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, types
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.operators import advanced, compared_pointers, pointee
from gpusim.frontends.cuda_cpp.types import UCHAR, UINT, ULONG, USHORT, CType, Number, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    MemoryPlace,
    NumberValue,
    PointerValue,
    RegisterPlace,
    StructPlace,
    Value,
)
from gpusim.ir.details import Part
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import B16, B32, B64, PRED, S64, U64

K = CursorKind
UNITS = {8: ULONG, 4: UINT, 2: USHORT, 1: UCHAR}
PACKED = {2: B16, 4: B32, 8: B64}
WRAPPERS = (
    K.UNEXPOSED_EXPR,
    K.PAREN_EXPR,
    K.CSTYLE_CAST_EXPR,
    K.CXX_REINTERPRET_CAST_EXPR,
    K.CXX_STATIC_CAST_EXPR,
)
AT_ONCE = 16  # more accesses than these become a loop


def moved(low: Lowering, chosen: Builtin, arguments: Sequence[Cursor], cursor: Cursor) -> Value:
    """A call of one of the three; its value is where the bytes went."""
    into = _pointer(low, arguments[0])
    second = low.value(arguments[1]) if chosen.family == "memset" else _pointer(low, arguments[1])
    count = converted(low, low.value(arguments[2]), ULONG)
    assert isinstance(count, NumberValue)
    low.at = low.span(cursor)
    known = int(count.operand.value) if isinstance(count.operand, Constant) else None
    factor = known or _factor(arguments[2])
    result = converted(low, into, chosen.result)
    if isinstance(second, NumberValue):
        unit = _unit(factor, into)
        if known is None or known > AT_ONCE * unit.size or not _held_set(low, into, second, known):
            pattern = NumberValue(unit, _pattern(low, second.operand, unit))
            _each(
                low, unit, count.operand, known, [into], lambda places: low.write(places[0], pattern, low.at)
            )
    elif known is None or not _whole(low, into, second, known):  # type: ignore[arg-type]
        _copy(low, chosen.name == "memmove", into, second, count.operand, known, factor)  # type: ignore[arg-type]
    return result


def _pointer(low: Lowering, cursor: Cursor) -> PointerValue:
    """A pointer as it was before it became one to `void`: what it points to says how it is aligned."""
    while cursor.kind in WRAPPERS and isinstance(bare(low.type(cursor)), Pointer):
        inner = clang.children(cursor)[-1]
        if not isinstance(bare(low.type(inner)), Pointer | types.Array):
            break
        cursor = inner
    value = low.pointed(low.value(cursor))
    if not isinstance(value, PointerValue):
        value = converted(low, value, Pointer(types.VOID))
    assert isinstance(value, PointerValue)
    return low.kept(value)  # type: ignore[return-value]


def _factor(cursor: Cursor) -> int:
    """A number that divides this one: `n * sizeof(float)` is a multiple of 4."""
    known = clang.constant(cursor)
    if isinstance(known, int):
        return known
    below = clang.children(cursor)
    if cursor.kind in WRAPPERS and below:
        return _factor(below[-1])
    if cursor.kind is K.BINARY_OPERATOR and clang.sign(cursor) in ("*", "+", "-"):
        one, other = map(_factor, below)
        return one * other if clang.sign(cursor) == "*" else gcd(one, other)
    return 1


def _unit(factor: int, *pointers: PointerValue) -> Number:
    """The widest number in which the bytes may be moved."""
    widths = [factor]
    for pointer in pointers:
        target = bare(pointer.type.target)
        aligned = 1 if isinstance(target, types.Void | types.FunctionType) else target.alignment
        widths += [
            aligned,
            pointer.address.shift,
            *(stride for _, stride in pointer.address.terms if pointer.address.region),
        ]
    return UNITS[gcd(8, *widths)]


def _held(pointer: PointerValue) -> bool:
    return isinstance(pointer.address.region, RegisterPlace | StructPlace)


def _whole(low: Lowering, into: PointerValue, source: PointerValue, size: int) -> bool:
    """Objects of one type, and numbers in registers, are moved as a whole, where that is possible."""
    one, other = bare(into.type.target), bare(source.type.target)
    alike = types.same_apart_from_const(one, other) and one.size == size and (_held(into) or _held(source))
    if alike and not (isinstance(one, Struct) and one.is_union) and not isinstance(one, types.Array):
        low.write(pointee(low, into), low.read(pointee(low, source), low.at), low.at)
        return True
    for number, rest in ((into, source), (source, into)):
        scalar, type_ = scalar_of(number.type.target), bare(number.type.target)
        wide = PACKED.get(size)
        if not _held(number) or _held(rest) or scalar is None or wide is None or scalar.bytes != size:
            continue
        unit = _unit(size, rest)
        if isinstance(type_, Pointer) or unit.size == size:
            continue
        places = [_at(rest, unit, position) for position in range(0, size, unit.size)]
        if number is into:
            packed = tuple(low.operand(low.read(place, low.at), low.at) for place in places)
            bits = low.builder.value(Opcode.PACK, wide, packed, low.at)
            found = low.builder.value(Opcode.PART, scalar, (bits,), low.at, detail=Part(0))
            low.write(pointee(low, number), NumberValue(type_, found), low.at)
            return True
        given = low.operand(low.read(pointee(low, number), low.at), low.at)
        bits = low.builder.value(Opcode.PACK, wide, (given,), low.at)
        low.builder.hold(bits)
        for position, place in enumerate(places):
            part = Part(position * unit.size)
            found = low.builder.value(Opcode.PART, unit.scalar, (bits,), low.at, detail=part)
            low.write(place, NumberValue(unit, found), low.at)
        return True
    return False


def _copy(
    low: Lowering,
    may_overlap: bool,
    into: PointerValue,
    source: PointerValue,
    count: Operand,
    known: int | None,
    factor: int,
) -> None:
    unit = _unit(factor, into, source)
    if known is not None and known <= AT_ONCE * unit.size:
        steps = range(0, known, unit.size)
        values = [low.read(_place(low, source, unit, position), low.at) for position in steps]
        low.builder.hold(*(value.operand for value in values if isinstance(value, NumberValue)))
        for position, value in zip(steps, values, strict=True):
            low.write(_place(low, into, unit, position), value, low.at)
        return

    def one(places: list[MemoryPlace]) -> None:
        low.write(places[0], low.read(places[1], low.at), low.at)

    forward = partial(_each, low, unit, count, known, [into, source], one)
    if not may_overlap:
        forward()
        return

    def test(then: int, otherwise: int) -> None:
        flow.branch(low.site(low.at), compared_pointers(low, "<=", into, source).operand, then, otherwise)

    backward = partial(_each, low, unit, count, known, [into, source], one, True)
    flow.choose(low.site(low.at), test, [flow.Side(forward, low.at), flow.Side(backward, low.at)])


def _each(
    low: Lowering,
    unit: Number,
    count: Operand,
    known: int | None,
    pointers: list[PointerValue],
    body: Callable[[list[MemoryPlace]], None],
    backward: bool = False,
) -> None:
    """Every `unit` of so many bytes, in a loop unless they are few."""
    if known is not None and known <= AT_ONCE * unit.size:
        for position in range(0, known, unit.size):
            body([_place(low, pointer, unit, position) for pointer in pointers])
        return
    site = low.site(low.at)
    total = low.cast(count, S64, low.at)
    if isinstance(total, Constant):
        total = Constant(total.value // unit.size, S64)
    elif unit.size > 1:
        total = low.builder.value(Opcode.SHR, S64, (total, Constant(unit.size.bit_length() - 1, S64)), low.at)
    counter = low.builder.temporary(S64)
    low.builder.hold(counter, total)
    for pointer in pointers:
        low.builder.hold(*(operand for operand, _ in pointer.address.terms))

    def run() -> None:
        index: Operand = counter
        if backward:
            index = low.builder.value(Opcode.SUB, S64, (total, counter), low.at)
            index = low.builder.value(Opcode.SUB, S64, (index, Constant(1, S64)), low.at)
        places = []
        for pointer in pointers:
            address = advanced(low, PointerValue(Pointer(unit), pointer.address), index)
            places.append(MemoryPlace(unit, address))
        body(places)

    flow.counted(site, counter, total, run)


def _at(pointer: PointerValue, unit: CType, position: int) -> MemoryPlace:
    return MemoryPlace(unit, pointer.address.moved(position))


def _place(low: Lowering, pointer: PointerValue, unit: Number, position: int) -> MemoryPlace:
    """Some bytes of an object; of one in registers, a number that is no pointer and no truth value."""
    place = _at(pointer, unit, position)
    if _held(pointer):
        found = low.spot(place.address, unit)
        scalar = None if found is None else scalar_of(found.type)
        if not isinstance(found, RegisterPlace) or scalar is PRED or isinstance(bare(found.type), Pointer):
            low.into_memory(pointer.address.region)  # type: ignore[arg-type]
    return place


def _held_set(low: Lowering, into: PointerValue, byte: NumberValue, size: int) -> bool:
    """A whole object in registers, member by member."""
    type_ = bare(into.type.target)
    if not _held(into) or type_.size != size or isinstance(type_, types.Array):
        return False
    zero = byte.operand == Constant(0, byte.operand.type)
    members = list(leaves(type_))
    if (
        any(scalar_of(leaf.type) is PRED or isinstance(bare(leaf.type), Pointer) for leaf in members)
        and not zero
    ):
        return False
    for leaf in members:
        scalar = scalar_of(leaf.type)
        assert scalar is not None
        unit = UNITS[leaf.type.size]
        value: Value = NumberValue(unit, _pattern(low, byte.operand, unit))
        if zero:
            value = converted(low, NumberValue(types.INT, fold.constant(0, types.INT.scalar)), leaf.type)
        low.store(into.address.moved(leaf.offset), value, low.at)
    return True


def _pattern(low: Lowering, byte: Operand, unit: Number) -> Operand:
    """The byte in every byte of a number."""
    ones = int.from_bytes(b"\1" * unit.size, "little")
    if isinstance(byte, Constant):
        return fold.constant((int(byte.value) & 255) * ones, unit.scalar)
    part = low.cast(low.cast(byte, UCHAR.scalar, low.at), U64, low.at)
    if unit.size > 1:
        part = low.builder.value(Opcode.MUL, U64, (part, Constant(ones, U64)), low.at)
    return low.cast(part, unit.scalar, low.at)
