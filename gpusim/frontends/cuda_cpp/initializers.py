"""What does an object hold first? `{…}` item by item, zero where nothing is given."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import clang, types, values
from gpusim.frontends.cuda_cpp.changed import assigns
from gpusim.frontends.cuda_cpp.conditions import place_of
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.inlining import materialized
from gpusim.frontends.cuda_cpp.layout import leaves, register_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import has_array, is_address
from gpusim.frontends.cuda_cpp.operators import address_of
from gpusim.frontends.cuda_cpp.types import CHAR, Array, Bits, CType, Pointer, Reference, Struct, Void, bare

K = CursorKind


def stripped(cursor: Cursor) -> Cursor:
    """Without what clang wraps around `{…}` and texts."""
    while cursor.kind is K.UNEXPOSED_EXPR and len(clang.children(cursor)) == 1:
        inner, wrapped = clang.children(cursor)[0], (K.UNEXPOSED_EXPR, K.INIT_LIST_EXPR, K.STRING_LITERAL)
        if inner.kind not in wrapped or clang.is_listing(cursor.type):
            return cursor
        cursor = inner
    return cursor


def zero(type_: CType) -> values.Value:
    """The value of an object that nobody gave one: zero, and nothing of `void()`."""
    inner = bare(type_)
    if isinstance(inner, Void):
        return values.VoidValue()
    if isinstance(inner, Struct):
        return values.StructValue(inner, tuple(zero(leaf.type) for leaf in leaves(inner)))  # type: ignore[misc]
    if is_address(inner):
        return values.PointerValue(inner, values.NULL)
    return values.NumberValue(inner, fold.constant(0, register_of(inner)))


def initial(low: Lowering, type_: CType, cursor: Cursor) -> values.Value:
    inner = stripped(cursor)
    made = low.unit.item(low, type_, cursor)
    if made is not None:
        return made
    if inner.kind is not K.INIT_LIST_EXPR:
        function = low.unit.overload(inner, bare(type_))
        value = low.value(cursor) if function is None else values.FunctionValue(function)
        return converted(low, value, type_)
    items = list(clang.children(inner))
    if isinstance(bare(type_), Struct):
        return aggregate(low, bare(type_), items)  # type: ignore[arg-type]
    return initial(low, type_, items.pop(0)) if items else zero(type_)


def aggregate(low: Lowering, struct: Struct, items: list[Cursor]) -> values.Value:
    """A struct without constructors from the values of its members, in order or by name."""
    place = values.Place(struct, low.local(struct.name, struct)) if has_array(struct) else assembled(struct)
    fill(low, place, items)
    return low.read(place)


def assembled(struct: Struct) -> values.Place:
    """A struct that is to be put together; so far it is zero."""
    parts = {leaf.offset: zero(leaf.type) for leaf in leaves(struct)}
    return values.Place(struct, values.Address(values.Parts(parts)))  # type: ignore[arg-type]


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


def _in_flat_list(low: Lowering, type_: CType, items: list[Cursor]) -> bool:
    """Were the braces left out of an array, or a struct, so that the items are its own?"""
    if not isinstance(type_, Array | Struct):
        return False
    following = stripped(items[0])
    if following.kind is K.INIT_LIST_EXPR:
        return False
    given = bare(low.type(following))
    if isinstance(type_, Array):
        return not (following.kind is K.STRING_LITERAL and type_.element.size == 1)
    if low.unit.classes.constructor(type_, [following.type.get_canonical().spelling]) is not None:
        return False
    return not isinstance(given, Struct) or (given is not type_ and not low.unit.types.derives(given, type_))


def _is_designated(cursor: Cursor) -> bool:
    below = clang.children(cursor)
    return cursor.kind is K.UNEXPOSED_EXPR and len(below) > 1 and below[0].kind is K.MEMBER_REF


def _path(item: Cursor) -> list[str]:
    """The names before the value in `.x = 1`; those of members without a name are not written."""
    named = (one.spelling for one in clang.children(item) if one.kind is K.MEMBER_REF)
    return [name for name in named if name and "(" not in name]


def _designated(items: list[Cursor], names: set[str]) -> list[Cursor]:
    """What is given by one of these names, taken out of the items; with its name where that is of several."""
    own = [one for one in items if _is_designated(one) and _path(one)[0] in names]
    items[:] = [one for one in items if one not in own]
    return [clang.children(one)[-1] for one in own] if len(names) == 1 else own


def listing(low: Lowering, struct: Struct, array: Array, cursor: Cursor) -> values.StructValue:
    """`std::initializer_list<int>`: where the items lie, and how many they are."""
    items = _begun(low, "list", array, cursor, cursor).address
    count = values.NumberValue(types.ULONG, fold.constant(array.length or 0, types.ULONG.scalar))
    return values.StructValue(struct, (values.PointerValue(Pointer(array.element), items), count))


def literal(low: Lowering, cursor: Cursor) -> values.Result:
    """`(P){1, 2}`, and `(int[]){1, 2}`: an object without a name."""
    type_, inner = low.type(cursor), clang.children(cursor)[-1]
    return _begun(low, "literal", type_, cursor, inner) if has_array(type_) else initial(low, type_, inner)


def _begun(low: Lowering, name: str, type_: CType, cursor: Cursor, inner: Cursor) -> values.Place:
    place = low.variable(name, type_, (low.frame.path, clang.begin(cursor), name))
    low.unit.start(low, place, inner)
    return place


def fill(low: Lowering, place: values.Place, items: list[Cursor]) -> None:
    """Initialize an object part by part; what is not given becomes zero."""
    inner = bare(place.type)
    if isinstance(inner, Array):
        first = stripped(items[0]) if len(items) == 1 and inner.element.size == 1 else None
        if first is not None and first.kind is K.STRING_LITERAL:
            value = low.evaluate(first)
            assert isinstance(value, values.TextValue)
            for position, letter in enumerate(value.text.ljust(inner.length or 0, "\0")[: inner.length]):
                number = fold.constant(ord(letter), CHAR.scalar)
                low.write(place.part(position, CHAR), values.NumberValue(CHAR, number))
            return
        for position in range(inner.length or 0):
            _fill_part(low, place.part(position * inner.element.size, inner.element), items, None, place)
    elif isinstance(inner, Struct) and not items and low.unit.classes.default_constructor(inner) is not None:
        made = low.variable(inner.name, inner, (low.frame.path, "default", low.at, place))
        low.unit.default(low, made)
        low.write(place, low.read(made))
    elif isinstance(inner, Struct):
        parts = low.unit.types.parts(inner)
        if any(_is_designated(one) and len(_path(one)) > 1 for one in items):
            raise low.refused("a value for a member of a member", "write braces: .a = {.b = 1}")
        if inner.is_union:
            low.write(place, zero(inner))
            if items and _is_designated(items[0]):
                (given, *_) = _path(items[0])
                parts = [part for part in parts if given in low.unit.types.names(part[1], part[2])]
            elif not items:
                parts = [part for part in parts if low.unit.types.default(part[2]) is not None]
            parts = parts[:1]
        clear(low, place)
        for offset, type_, field in parts:
            named = _designated(items, low.unit.types.names(type_, field))
            if named and _is_designated(named[0]):  # members of a member without a name
                fill(low, place.part(offset, type_), named)
            else:
                _fill_part(low, place.part(offset, type_), named or items, field, place)
    else:
        low.write(place, initial(low, inner, items.pop(0)) if items else zero(inner))


def clear(low: Lowering, place: values.Place) -> None:
    """The units of bit-fields begin as zero: each field is put into what is there."""
    parts = low.unit.types.parts(types.struct_of(place.type))
    pieces = [piece for _, bits, _ in parts if isinstance(bits, Bits) for piece in bits.pieces]
    for offset, unit in {piece.offset: piece.unit for piece in pieces}.items():
        low.write(place.part(offset, unit), zero(unit))


def _fill_part(
    low: Lowering, part: values.Place, items: list[Cursor], field: Cursor | None, whole: values.Place
) -> None:
    inner = bare(part.type)
    if not items or _is_designated(items[0]):
        with low.of(low.read(whole) if isinstance(whole.address.region, values.Parts) else whole):
            if (default := low.unit.types.default(field)) is not None:
                low.unit.start(low, part, default)
            elif not isinstance(part.type, Bits):
                fill(low, part, [])
    elif (refers := reference(low, field)) is None and _in_flat_list(low, inner, items):
        fill(low, part, items)
    elif has_array(inner):
        low.unit.start(low, part, items.pop(0))
    else:
        item = items.pop(0)
        value = initial(low, inner, item) if refers is None else referring(low, refers, item)
        later = isinstance(part.address.region, values.Parts) and any(map(assigns, items))
        low.write(part, low.kept(value) if later else value)  # they are carried out in order
