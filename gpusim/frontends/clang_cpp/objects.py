"""How does an object begin and end? Constructors, the members that they start, and destructors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends.clang_cpp import clang
from gpusim.frontends.clang_cpp.conditions import place_of
from gpusim.frontends.clang_cpp.conversions import converted
from gpusim.frontends.clang_cpp.frame import Scope
from gpusim.frontends.clang_cpp.initializers import Items, aggregate, begin, clear, initial, stripped, zero
from gpusim.frontends.clang_cpp.inlining import body_of, inline, materialized, parameters_of
from gpusim.frontends.clang_cpp.lowering import Lowering
from gpusim.frontends.clang_cpp.memory import has_array
from gpusim.frontends.clang_cpp.names import part_of
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.types import Array, Bits, CType, Reference, Struct, bare
from gpusim.frontends.cuda_cpp.values import MemoryPlace, Place, Result, StructValue, is_place

K = CursorKind


def given(cursor: Cursor) -> list[Cursor]:
    """The arguments that are written out."""
    found = []
    for argument in cursor.get_arguments():
        if argument.kind is K.UNEXPOSED_EXPR and not clang.children(argument):
            break
        found.append(argument)
    return found


def is_copy(function: Cursor) -> bool:
    """Does it copy or move a whole object of its own struct?"""
    if function.kind is K.CONSTRUCTOR:
        return bool(function.is_copy_constructor() or function.is_move_constructor())
    return function.spelling == "operator="


def constructed(low: Lowering, cursor: Cursor, constructor: Cursor) -> Result:
    """A new object, as a value."""
    struct = bare(low.type(cursor))
    arguments = given(cursor)
    if isinstance(struct, Array):
        return zero(struct.element)
    assert isinstance(struct, Struct)
    if low.unit.is_implicit(constructor):
        if is_copy(constructor):
            result = low.evaluate(arguments[0])
            if isinstance(result, StructValue) or is_place(result):
                return converted(low, low.read(result, low.at) if is_place(result) else result, struct)  # type: ignore[arg-type]
            return result
        return zero(struct) if struct.vector_of is not None else aggregate(low, struct, Items(()))
    key = low.frame.path, clang.begin(cursor), "new", struct
    place = low.variable(struct.name, struct, key)
    construct(low, place, cursor, constructor)
    return low.read(place, low.at) if not has_array(struct) else place


def construct(low: Lowering, place: Place, cursor: Cursor, constructor: Cursor) -> None:
    """Run a constructor on a new object."""
    struct = bare(place.type)
    assert isinstance(struct, Struct)
    arguments = given(cursor)
    if low.unit.is_implicit(constructor):
        if is_copy(constructor):
            low.write(place, converted(low, low.value(arguments[0]), struct), low.span(cursor))
        else:
            start_members(low, struct, place, {}, {})
        return
    parameters = parameters_of(low.unit.definition(constructor))
    results: list[Result] = []
    for position, argument in enumerate(arguments):
        wanted = low.type(parameters[position])
        results.append(place_of(low, argument) if isinstance(wanted, Reference) else low.evaluate(argument))
    inline(low, constructor, results, place, cursor, first=partial(_written_members, low, struct))


def _written_members(low: Lowering, struct: Struct, constructor: Cursor) -> None:
    """`: x(a), y{b}`, and the initializers that stand with the members."""
    members: dict[str, Cursor] = {}
    bases: dict[Struct, Cursor] = {}
    below = [child for child in clang.children(constructor) if child.kind is not K.PARM_DECL]
    named: Cursor | None = None
    this = low.frame.this
    for child in below:
        if child.kind is K.MEMBER_REF:
            named = child
        elif child.kind in (K.TYPE_REF, K.TEMPLATE_REF):
            continue
        elif child.kind.is_expression():
            if named is not None:
                members[named.spelling] = child
                named = None
            else:
                base = bare(low.type(child))
                if base is struct:  # another constructor does it
                    start(low, this, child)
                    return
                bases[base] = child  # type: ignore[index]
    start_members(low, struct, this, members, bases)


def start_members(
    low: Lowering, struct: Struct, this: Place, members: dict[str, Cursor], bases: dict[Struct, Cursor]
) -> None:
    """Bases and members of a new object get what they are given, or what stands with them."""
    clear(low, struct, this)
    for offset, type_, field in low.unit.types.parts(struct):
        if field is None:
            given = bases.get(bare(type_))  # type: ignore[arg-type]
        else:
            given = members.get(field.spelling) or low.unit.types.default(field)
            declared = low.unit.types.read(field.type)
            if isinstance(declared, Reference):
                _refer(low, this, offset, declared, given)
                continue
        if given is None and not begins(low, type_):
            continue
        part = part_of(low, this, offset, type_)
        assert is_place(part)
        if given is None:
            default(low, part)  # type: ignore[arg-type]
        else:
            start(low, part, given)  # type: ignore[arg-type]


def _refer(low: Lowering, this: Place, offset: int, declared: Reference, given: Cursor | None) -> None:
    from gpusim.frontends.clang_cpp.operators import address_of

    assert given is not None
    inner = stripped(given)
    if inner.kind is K.INIT_LIST_EXPR:
        inner = clang.children(inner)[0]
    target = place_of(low, inner)
    part = part_of(low, this, offset, types.Pointer(declared.target))
    if not is_place(target):
        target = materialized(low, target, "referred", (low.frame.path, clang.begin(given)))  # type: ignore[arg-type]
    low.write(part, converted(low, address_of(low, target), part.type), low.at)  # type: ignore[arg-type]


def begins(low: Lowering, type_: CType) -> bool:
    """Does an object that is given no value get one, from a constructor or with its members?"""
    inner = bare(type_)
    if isinstance(inner, Array):
        return begins(low, inner.element)
    if not isinstance(inner, Struct) or inner.is_union:
        return False
    if low.unit.default_constructor(inner) is not None:
        return True
    return any(
        low.unit.types.default(field) is not None or isinstance(part, Bits) or begins(low, part)
        for _offset, part, field in low.unit.types.parts(inner)
    )


def default(low: Lowering, place: Place) -> None:
    """Start an object that is given no value; numbers in it that nobody names hold nothing yet."""
    inner = bare(place.type)
    if isinstance(inner, Array):
        assert isinstance(place, MemoryPlace)
        for position in range(inner.length or 0):
            address = place.address.moved(position * inner.element.size)
            default(low, MemoryPlace(inner.element, address))
    elif isinstance(inner, Struct) and begins(low, inner):
        constructor = low.unit.default_constructor(inner)
        if constructor is not None:
            inline(low, constructor, (), place, constructor, first=partial(_written_members, low, inner))
        else:
            start_members(low, inner, place, {}, {})


def start(low: Lowering, place: Place, cursor: Cursor) -> None:
    """Give an object its first value."""
    inner, type_ = stripped(cursor), bare(place.type)
    while (
        inner.kind is K.UNEXPOSED_EXPR
        and len(clang.children(inner)) == 1
        and clang.children(inner)[0].kind is K.CALL_EXPR
        and isinstance(type_, Struct)
    ):
        inner = clang.children(inner)[0]
    if inner.kind is K.CALL_EXPR and inner.referenced is not None and inner.referenced.kind is K.CONSTRUCTOR:
        if isinstance(type_, Array):
            default(low, place)
            return
        if bare(low.type(inner)) is type_:
            construct(low, place, inner, inner.referenced)
            return
    if isinstance(type_, Array) or (isinstance(type_, Struct) and has_array(type_)):
        assert isinstance(place, MemoryPlace)
        begin(low, place, cursor)
    else:
        low.write(place, initial(low, place.type, cursor), low.span(cursor))


def destroy(low: Lowering, scopes: Sequence[Scope]) -> None:
    """Run the destructors of the objects of these blocks, the youngest first."""
    for scope in reversed(scopes):
        for _begin, place in reversed(scope.objects):
            _destroy(low, place)


def _destroy(low: Lowering, place: Place) -> None:
    struct = bare(place.type)
    if isinstance(struct, Array):
        assert isinstance(place, MemoryPlace)
        for position in reversed(range(struct.length or 0)):
            address = place.address.moved(position * struct.element.size)
            _destroy(low, MemoryPlace(struct.element, address))
        return
    assert isinstance(struct, Struct)
    destructor = low.unit.destructor(struct)
    if destructor is not None and body_of(low.unit.definition(destructor)) is not None:
        inline(low, destructor, (), place, destructor)
    for offset, type_, _field in reversed(low.unit.types.parts(struct)):
        if ends(low, type_):
            _destroy(low, part_of(low, place, offset, type_))  # type: ignore[arg-type]


def ends(low: Lowering, type_: CType) -> bool:
    """Has an object a destructor, or a member that has one?"""
    inner = bare(type_)
    if isinstance(inner, Array):
        return ends(low, inner.element)
    if not isinstance(inner, Struct) or inner.is_union or inner.vector_of is not None:
        return False
    own = low.unit.destructor(inner)
    return own is not None or any(ends(low, part) for _offset, part, _field in low.unit.types.parts(inner))
