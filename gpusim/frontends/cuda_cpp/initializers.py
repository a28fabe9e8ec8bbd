"""What does an object hold first? `{…}` item by item, zero where nothing is given."""

from __future__ import annotations

from collections.abc import Sequence

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import clang, types, values
from gpusim.frontends.cuda_cpp.bit_fields import put
from gpusim.frontends.cuda_cpp.changed import assigns
from gpusim.frontends.cuda_cpp.conditions import place_of
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.inlining import materialized
from gpusim.frontends.cuda_cpp.layout import leaves, register_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import has_array, is_address
from gpusim.frontends.cuda_cpp.names import part_of
from gpusim.frontends.cuda_cpp.operators import address_of
from gpusim.frontends.cuda_cpp.types import CHAR, Array, Bits, CType, Pointer, Reference, Struct, bare

K = CursorKind


class Items:
    """The items of `{…}` that are still to be used."""

    def __init__(self, items: Sequence[Cursor]) -> None:
        self.rest = list(items)

    def take(self) -> Cursor:
        """The next one."""
        return self.rest.pop(0)

    def take_text(self, type_: Array) -> Cursor | None:
        """The text, if that is all there is for an array of characters."""
        first = stripped(self.rest[0]) if len(self.rest) == 1 and type_.element.size == 1 else None
        return first if first is not None and first.kind is K.STRING_LITERAL else None


def stripped(cursor: Cursor) -> Cursor:
    """Without what clang wraps around `{…}` and texts."""
    while cursor.kind is K.UNEXPOSED_EXPR and len(clang.children(cursor)) == 1:
        inner = clang.children(cursor)[0]
        if inner.kind not in (K.UNEXPOSED_EXPR, K.INIT_LIST_EXPR, K.STRING_LITERAL):
            return cursor
        cursor = inner
    return cursor


def zero(type_: CType) -> values.Value:
    """The value of an object that nobody gave one: zero."""
    inner = bare(type_)
    if isinstance(inner, Struct):
        return values.StructValue(inner, tuple(zero(leaf.type) for leaf in leaves(inner)))  # type: ignore[misc]
    if is_address(inner):
        return values.PointerValue(inner, values.NULL)
    return values.NumberValue(inner, fold.constant(0, register_of(inner)))


def initial(low: Lowering, type_: CType, cursor: Cursor) -> values.Value:
    """The first value of an object that is no array."""
    inner = stripped(cursor)
    made = low.unit.item(low, type_, cursor)
    if made is not None:
        return made
    if inner.kind is not K.INIT_LIST_EXPR:
        return converted(low, low.value(cursor), type_)
    items = Items(clang.children(inner))
    if isinstance(bare(type_), Struct):
        return aggregate(low, bare(type_), items)  # type: ignore[arg-type]
    return initial(low, type_, items.take()) if items.rest else zero(type_)


def aggregate(low: Lowering, struct: Struct, items: Items) -> values.Value:
    """A struct without constructors from the values of its members, in order or by name."""
    if len(items.rest) == 1 and bare(low.type(items.rest[0])) is struct:
        return converted(low, low.value(items.take()), struct)
    if has_array(struct):
        place = values.MemoryPlace(struct, low.local(struct.name, struct))
        fill(low, place, items)
        return low.read(place, low.at)
    found: dict[int, values.Value] = {}
    for offset, type_, field in low.unit.types.parts(struct):
        given, bits, refers = _designated(items, field), type_, reference(low, field)
        type_ = bits.type if isinstance(bits, Bits) else type_
        following = given is None and bool(items.rest) and not _is_designated(items.rest[0])
        if refers is not None and (given is not None or following):
            value: values.Value = referring(low, refers, given or items.take())
        elif following:
            value = _taken(low, type_, items)
        elif given is not None:
            value = initial(low, type_, given)
        else:
            known = tuple(found.get(leaf.offset) or zero(leaf.type) for leaf in leaves(struct))
            with low.of(values.StructValue(struct, known)):  # type: ignore[arg-type]
                value = empty(low, type_, low.unit.types.default(field))
        if any(map(assigns, items.rest)):  # they are carried out in order
            value = low.kept(value)
        if isinstance(bits, Bits):
            units = [found.get(piece.offset) or zero(piece.unit) for piece in bits.pieces]
            before = [low.operand(unit, low.at) for unit in units]
            after = put(low.site(low.at), bits, before, low.operand(value, low.at))
            for piece, number in zip(bits.pieces, after, strict=True):
                found[piece.offset] = values.NumberValue(piece.unit, number)
            continue
        for leaf, part in zip(leaves(type_), getattr(value, "leaves", (value,)), strict=True):
            found[offset + leaf.offset] = part
    return values.StructValue(struct, tuple(found[leaf.offset] for leaf in leaves(struct)))  # type: ignore[misc]


def reference(low: Lowering, field: Cursor | None) -> Reference | None:
    """The type of a member that is a reference."""
    type_ = None if field is None else low.unit.types.read(field.type)
    return type_ if isinstance(type_, Reference) else None


def referring(low: Lowering, type_: Reference, cursor: Cursor) -> values.Value:
    """What a member that is a reference holds: where the object is."""
    inner = stripped(cursor)
    if inner.kind is K.INIT_LIST_EXPR:
        inner = clang.children(inner)[0]
    target = place_of(low, inner)
    if not isinstance(target, values.Place):
        target = materialized(low, target, "referred", (low.frame.path, clang.begin(cursor)))
    return converted(low, address_of(low, target), Pointer(type_.target))


def empty(low: Lowering, type_: CType, default: Cursor | None) -> values.Value:
    """What nobody gave: the initializer that stands with the member, else those of its members, else zero."""
    if default is not None:
        return initial(low, type_, default)
    inner = bare(type_)
    if isinstance(inner, Struct) and low.unit.default_constructor(inner) is not None:
        place = low.variable(inner.name, inner, (low.frame.path, "default", low.at, type_))
        low.unit.default(low, place)
        return low.read(place, low.at)
    if isinstance(inner, Struct) and inner.vector_of is None and not inner.is_union:
        return aggregate(low, inner, Items(()))
    return zero(type_)


def _taken(low: Lowering, type_: CType, items: Items) -> values.Value:
    """The next item; of a struct whose braces were left out, as many as it has members."""
    inner = bare(type_)
    if isinstance(inner, Struct) and _in_flat_list(low, inner, items):
        return aggregate(low, inner, items)
    return initial(low, type_, items.take())


def _in_flat_list(low: Lowering, type_: CType, items: Items) -> bool:
    following = stripped(items.rest[0])
    if following.kind is K.INIT_LIST_EXPR:
        return False
    given = bare(low.type(following))
    if isinstance(type_, Array):
        return not (following.kind is K.STRING_LITERAL and type_.element.size == 1)
    assert isinstance(type_, Struct)
    if low.unit.constructor(type_, [following.type.get_canonical().spelling]) is not None:
        return False
    return not isinstance(given, Struct) or (given is not type_ and not low.unit.types.derives(given, type_))


def _is_designated(cursor: Cursor) -> bool:
    below = clang.children(cursor)
    return cursor.kind is K.UNEXPOSED_EXPR and len(below) > 1 and below[0].kind is K.MEMBER_REF


def _designated(items: Items, field: Cursor | None) -> Cursor | None:
    for item in items.rest:
        if field is not None and _is_designated(item) and clang.children(item)[0].spelling == field.spelling:
            items.rest.remove(item)
            return clang.children(item)[-1]
    return None


def listing(low: Lowering, struct: Struct, array: Array, cursor: Cursor) -> values.StructValue:
    """`std::initializer_list<int>`: where the items lie, and how many they are."""
    place = _begun(low, "list", array, cursor, cursor)
    count = values.NumberValue(types.ULONG, fold.constant(array.length or 0, types.ULONG.scalar))
    return values.StructValue(struct, (values.PointerValue(Pointer(array.element), place.address), count))


def literal(low: Lowering, cursor: Cursor) -> values.Result:
    """`(P){1, 2}`, and `(int[]){1, 2}`: an object without a name."""
    type_, inner = low.type(cursor), clang.children(cursor)[-1]
    return _begun(low, "literal", type_, cursor, inner) if has_array(type_) else initial(low, type_, inner)


def _begun(low: Lowering, name: str, type_: CType, cursor: Cursor, inner: Cursor) -> values.MemoryPlace:
    place = low.variable(name, type_, (low.frame.path, clang.begin(cursor), name))
    assert isinstance(place, values.MemoryPlace)
    begin(low, place, inner)
    return place


def begin(low: Lowering, place: values.MemoryPlace, cursor: Cursor) -> None:
    """Initialize an array, or a struct with one, in memory."""
    inner, made = stripped(cursor), low.unit.item(low, place.type, cursor)
    if made is not None:
        low.write(place, made, low.at)
    elif inner.kind is K.INIT_LIST_EXPR or (inner.kind is K.UNEXPOSED_EXPR and not clang.children(inner)):
        fill(low, place, Items(clang.children(inner)))
    elif inner.kind is K.STRING_LITERAL and isinstance(bare(place.type), Array):
        _fill_text(low, place, inner)
    else:
        low.write(place, converted(low, low.value(cursor), place.type), low.at)


def fill(low: Lowering, place: values.MemoryPlace, items: Items) -> None:
    """Initialize an object in memory, part by part; what is not given becomes zero."""
    inner = bare(place.type)
    if isinstance(inner, Array):
        text, element = items.take_text(inner), inner.element
        if text is not None:
            _fill_text(low, place, text)
            return
        for position in range(inner.length or 0):
            part = values.MemoryPlace(element, place.address.moved(position * element.size))
            _fill_part(low, part, items, None, place)
    elif isinstance(inner, Struct):
        if inner.is_union:
            low.store(place.address, zero(inner), low.at)
            own = [(0, type_, field) for _, type_, field in low.unit.types.parts(inner)[:1] if items.rest]
        else:
            own = low.unit.types.parts(inner)
        clear(low, inner, place)
        for offset, type_, field in own:
            given = _designated(items, field)
            part = values.MemoryPlace(type_, place.address.moved(offset))
            if isinstance(type_, Bits):
                one = given or (items.take() if items.rest else low.unit.types.default(field))
                if one is not None:
                    low.write(part_of(low, place, offset, type_), initial(low, type_.type, one), low.at)  # type: ignore[arg-type]
                continue
            refers = reference(low, field)
            if refers is not None and (given is not None or items.rest):
                low.write(part, referring(low, refers, given or items.take()), low.at)
            else:
                _fill_part(low, part, Items((given,)) if given is not None else items, field, place)
    else:
        value = initial(low, inner, items.take()) if items.rest else zero(inner)
        low.store(place.address, value, low.at)


def clear(low: Lowering, struct: Struct, place: values.Place) -> None:
    """The units of bit-fields begin as zero: each field is put into what is there."""
    fields = [bits for _, bits, _ in low.unit.types.parts(struct) if isinstance(bits, Bits)]
    units = {piece.offset: piece.unit for bits in fields for piece in bits.pieces}
    for offset, unit in units.items():
        low.write(part_of(low, place, offset, unit), zero(unit), low.at)  # type: ignore[arg-type]


def _fill_part(
    low: Lowering, place: values.MemoryPlace, items: Items, field: Cursor | None, whole: values.Place
) -> None:
    inner = bare(place.type)
    if not items.rest or _is_designated(items.rest[0]):
        default = low.unit.types.default(field)
        if default is not None:
            with low.of(whole):
                begin(low, place, default)
        elif has_array(inner):
            fill(low, place, Items(()))
        else:
            low.store(place.address, empty(low, inner, None), low.at)
    elif isinstance(inner, Array) and _in_flat_list(low, inner, items):
        fill(low, place, items)
    elif has_array(inner):
        begin(low, place, items.take())
    else:
        low.store(place.address, _taken(low, inner, items), low.at)


def _fill_text(low: Lowering, place: values.MemoryPlace, cursor: Cursor) -> None:
    value, type_ = low.evaluate(cursor), bare(place.type)
    assert isinstance(value, values.TextValue)
    assert isinstance(type_, Array)
    for position, letter in enumerate(value.text.ljust(type_.length or 0, "\0")[: type_.length]):
        number = values.NumberValue(CHAR, fold.constant(ord(letter), CHAR.scalar))
        low.store(place.address.moved(position), number, low.at)
