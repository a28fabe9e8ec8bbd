"""How does an object begin and end? Constructors, the members that they start, and destructors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import clang, initializers
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.frame import Scope
from gpusim.frontends.cuda_cpp.inlining import body_of, inline, results_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import has_array
from gpusim.frontends.cuda_cpp.names import part_of
from gpusim.frontends.cuda_cpp.type_reader import has_table
from gpusim.frontends.cuda_cpp.types import Array, Bits, CType, Struct, bare
from gpusim.frontends.cuda_cpp.values import MemoryPlace, Place, Result, StructValue, Value, is_place
from gpusim.frontends.cuda_cpp.virtual import as_class, marked
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import S64

K = CursorKind
FEW = 4  # so many objects are started one by one, more in a loop
Start = Callable[[Place], None]


def given(cursor: Cursor) -> list[Cursor]:
    """The arguments that are written out."""
    arguments = cursor.get_arguments()
    return list(takewhile(lambda one: one.kind is not K.UNEXPOSED_EXPR or clang.children(one), arguments))


def is_copy(function: Cursor) -> bool:
    """Does it copy or move a whole object of its own struct?"""
    if function.kind is K.CONSTRUCTOR:
        return bool(function.is_copy_constructor() or function.is_move_constructor())
    return bool(function.spelling == "operator=")


def constructed(low: Lowering, cursor: Cursor, constructor: Cursor) -> Result:
    """A new object, as a value."""
    struct = bare(low.type(cursor))
    if isinstance(struct, Array):
        return initializers.zero(struct.element)
    assert isinstance(struct, Struct)
    implicit = low.unit.is_implicit(constructor)
    if implicit and is_copy(constructor) and not copies(low, struct):
        result = low.evaluate(given(cursor)[0])
        if isinstance(result, StructValue) or is_place(result):
            value = converted(low, low.read(result, low.at), struct)
            return as_class(low, value, struct)  # type: ignore[arg-type]
        return result
    if implicit and not is_copy(constructor) and not begins(low, struct):
        return (
            initializers.zero(struct)
            if struct.vector_of is not None
            else initializers.aggregate(low, struct, initializers.Items(()))
        )
    key = low.frame.path, clang.begin(cursor), "new", struct
    place = low.variable(struct.name, struct, key)
    construct(low, place, cursor, constructor)
    return low.read(place, low.at) if not has_array(struct) else place


def construct(low: Lowering, place: Place, cursor: Cursor, constructor: Cursor) -> None:
    """Run a constructor on a new object."""
    arguments = given(cursor)
    written = clang.text(cursor).rstrip()
    if not low.unit.is_implicit(constructor):
        results = results_of(low, constructor, arguments, in_order=written.endswith("}"))
        _construct(low, constructor, results, cursor, place)
    elif is_copy(constructor):
        copy(low, place, low.evaluate(arguments[0]), constructor)
    else:
        if written.endswith((")", "}")):
            clear_all(low, place)
        start_members(low, _struct(place), place, {}, {})


def _struct(place: Place) -> Struct:
    struct = bare(place.type)
    assert isinstance(struct, Struct)
    return struct


def _construct(
    low: Lowering, constructor: Cursor, results: Sequence[Result], cursor: Cursor, place: Place
) -> None:
    struct = _struct(place)
    if (inherited := low.unit.inherited(struct, constructor)) is None:
        _run(low, constructor, results, cursor, place)
        return
    base, own = inherited
    start_base = partial(_run, low, own) if own is not None else partial(_construct, low, constructor)
    start_members(low, struct, place, {}, {base: partial(start_base, results, cursor)})


def _run(low: Lowering, constructor: Cursor, results: Sequence[Result], cursor: Cursor, place: Place) -> None:
    first = partial(_written_members, low, _struct(place))
    inline(low, constructor, results, place, cursor, first=first)


# copies -----------------------------------------------------------------------------------------------------


def copies(low: Lowering, type_: CType, assigning: bool = False) -> bool:
    """Does the text say how an object is copied, or a part of it? Else its bytes are."""
    inner = bare(type_)
    if isinstance(inner, Array):
        return copies(low, inner.element, assigning)
    if not isinstance(inner, Struct) or inner.is_union or inner.vector_of is not None:
        return False
    parts = low.unit.types.parts(inner)
    own = low.unit.copier(inner, assigning) or low.unit.copier(inner, assigning, moving=True)
    return own is not None or any(copies(low, one, assigning) for _, one, _ in parts)


def copy(low: Lowering, place: Place, source: Result, function: Cursor) -> None:
    """Copy or move an object as C++ does where the text does not say how: part by part.

    `function` is the constructor or assignment that does so.
    """
    struct, assigning = _struct(place), function.kind is not K.CONSTRUCTOR
    if not copies(low, struct, assigning) or not is_place(source):
        value = converted(low, low.read(source, low.at), struct)
        own = low.read(place, low.at) if assigning and has_table(struct) else None
        low.write(place, as_class(low, value, struct, own), low.at)  # type: ignore[arg-type]
        return
    for of_base in (True, False):
        for offset, type_, field in low.unit.types.parts(struct):
            if (field is None) is of_base:
                one, other = (part_of(low, whole, offset, type_) for whole in (place, source))
                _copy_object(low, one, other, function)  # type: ignore[arg-type]
        if of_base and not assigning:
            marked(low, place)


def _copy_object(low: Lowering, place: Place, source: Place, function: Cursor) -> None:
    """Copy one object to another of its type, elements of arrays one by one."""
    inner, assigning = bare(place.type), function.kind is not K.CONSTRUCTOR
    if isinstance(inner, Array):
        element = inner.element
        for at in range(inner.length or 0):
            one, other = (part_of(low, whole, at * element.size, element) for whole in (place, source))
            _copy_object(low, one, other, function)  # type: ignore[arg-type]
    elif not isinstance(inner, Struct) or not copies(low, inner, assigning):
        low.write(place, low.read(source, low.at), low.at)
    else:
        rvalue = any(one.kind is TypeKind.RVALUEREFERENCE for one in function.type.argument_types())
        own = low.unit.copier(inner, assigning, rvalue if assigning else function.is_move_constructor())
        if own is None:
            copy(low, place, source, function)
        elif assigning:
            inline(low, own, (source,), place, own)
        else:
            _run(low, own, (source,), own, place)


def item(low: Lowering, type_: CType, cursor: Cursor) -> Value | None:
    """An item of `{…}` that a constructor turns into an object, unseen by clang; None where none does."""
    struct, inner = bare(type_), initializers.stripped(cursor)
    if not isinstance(struct, Struct):
        return None
    arguments = clang.children(inner) if inner.kind is K.INIT_LIST_EXPR else (cursor,)
    types_ = [low.type(one) for one in arguments]
    if len(arguments) == 1 and bare(types_[0]) is struct:
        result = low.evaluate(arguments[0])
        if not is_place(result) or not copies(low, struct):
            return converted(low, low.read(result, low.at), struct)
        constructor = low.unit.copier(struct)
        results: Sequence[Result] = (result,)
    else:
        constructor = low.unit.constructor(struct, [one.type.get_canonical().spelling for one in arguments])
        if constructor is None:
            return None
        results = results_of(low, constructor, arguments, in_order=True)
    place = low.variable(struct.name, struct, (low.frame.path, clang.begin(cursor), "item", struct))
    _run(low, constructor, results, cursor, place)
    return low.read(place, low.at)


def _written_members(low: Lowering, struct: Struct, constructor: Cursor) -> None:
    """`: x(a), y{b}`, and the initializers that stand with the members."""
    members, bases, this = dict[str, Cursor](), dict[CType, Start](), low.frame.this
    named: Cursor | None = None
    for child in clang.children(constructor):
        if child.kind is K.MEMBER_REF:
            named = child
        elif child.kind.is_expression() and named is not None:
            members[named.spelling] = child
            named = None
        elif child.kind.is_expression():
            base = bare(low.type(child))
            if base is struct:  # another constructor does it
                start(low, this, child)
                return
            bases[base] = partial(start, low, cursor=child)
    start_members(low, struct, this, members, bases)


def start_members(
    low: Lowering, struct: Struct, this: Place, members: Mapping[str, Cursor], bases: Mapping[CType, Start]
) -> None:
    """Bases and members of a new object get what they are given, or what stands with them."""
    with low.of(this):
        _start_members(low, struct, this, members, bases)


def _start_members(
    low: Lowering, struct: Struct, this: Place, members: Mapping[str, Cursor], bases: Mapping[CType, Start]
) -> None:
    parts = low.unit.types.parts(struct)
    for offset, type_, field in parts:
        if field is None and (type_ in bases or begins(low, type_)):
            bases.get(bare(type_), partial(default, low))(part_of(low, this, offset, type_))  # type: ignore[arg-type]
    marked(low, this)
    initializers.clear(low, struct, this)
    for offset, type_, field in parts:
        if field is None:
            continue
        given = members.get(field.spelling) or low.unit.types.default(field)
        if (refers := initializers.reference(low, field)) is not None and given is not None:
            low.write(part_of(low, this, offset, type_), initializers.referring(low, refers, given), low.at)  # type: ignore[arg-type]
        elif given is not None:
            start(low, part_of(low, this, offset, type_), given)  # type: ignore[arg-type]
        elif begins(low, type_):
            default(low, part_of(low, this, offset, type_))  # type: ignore[arg-type]


def clear_all(low: Lowering, place: Place) -> None:
    """`T()` of what has no constructor of its own: zero, where nothing stands with a member."""
    inner = bare(place.type)
    if isinstance(inner, Array):
        each(low, place, partial(clear_all, low))
    elif not isinstance(inner, Struct) or inner.is_union:
        low.write(place, initializers.zero(inner), low.at)
    elif low.unit.default_constructor(inner) is None:
        for offset, type_, field in low.unit.types.parts(inner):
            if not isinstance(type_, Bits) and low.unit.types.default(field) is None:
                clear_all(low, part_of(low, place, offset, type_))  # type: ignore[arg-type]


def begins(low: Lowering, type_: CType) -> bool:
    """Does an object that is given no value get one, from a constructor or with its members?"""
    inner = bare(type_)
    if isinstance(inner, Array):
        return begins(low, inner.element)
    if not isinstance(inner, Struct) or inner.is_union:
        return False
    if has_table(inner) or low.unit.default_constructor(inner) is not None:
        return True
    return any(
        low.unit.types.default(field) is not None or isinstance(part, Bits) or begins(low, part)
        for _offset, part, field in low.unit.types.parts(inner)
    )


def default(low: Lowering, place: Place) -> None:
    """Start an object that is given no value; numbers in it that nobody names hold nothing yet."""
    inner = bare(place.type)
    if isinstance(inner, Array):
        if begins(low, inner.element):
            each(low, place, partial(default, low))
    elif isinstance(inner, Struct) and begins(low, inner):
        constructor = low.unit.default_constructor(inner)
        if constructor is not None:
            inline(low, constructor, (), place, constructor, first=partial(_written_members, low, inner))
        else:
            start_members(low, inner, place, {}, {})


def start(low: Lowering, place: Place, cursor: Cursor) -> None:
    """Give an object its first value."""
    inner, type_ = initializers.stripped(cursor), bare(place.type)
    if isinstance(type_, Struct):
        inner = clang.inner(inner, (K.UNEXPOSED_EXPR,))
    if inner.kind is K.CALL_EXPR and inner.referenced is not None and inner.referenced.kind is K.CONSTRUCTOR:
        if isinstance(type_, Array):
            default(low, place)
            return
        if bare(low.type(inner)) is type_:
            construct(low, place, inner, inner.referenced)
            return
    if isinstance(type_, Array) or (isinstance(type_, Struct) and has_array(type_)):
        assert isinstance(place, MemoryPlace)
        initializers.begin(low, place, cursor)
    else:
        low.write(place, initializers.initial(low, place.type, cursor), low.span(cursor))


def each(low: Lowering, array: Place, run: Start, backwards: bool = False) -> None:
    """Do something with each element of an array."""
    inner = bare(array.type)
    assert isinstance(array, MemoryPlace)
    assert isinstance(inner, Array)
    element, length = inner.element, inner.length or 0
    if length > FEW:
        each_of(low, MemoryPlace(element, array.address), Constant(length, S64), run, backwards)
        return
    for position in sorted(range(length), reverse=backwards):
        run(MemoryPlace(element, array.address.moved(position * element.size)))


def each_of(low: Lowering, first: MemoryPlace, length: Operand, run: Start, backwards: bool = False) -> None:
    """Do something with each of so many objects in memory, in a loop."""
    counter, size = low.builder.temporary(S64), first.type.size
    low.builder.hold(counter, length)
    site, start = low.site(low.at), low.frozen(first.address)

    def body() -> None:
        index: Operand = counter
        if backwards:
            rest = low.builder.value(Opcode.SUB, S64, (length, counter), site.span)
            index = low.builder.value(Opcode.SUB, S64, (rest, Constant(1, S64)), site.span)
        low.builder.hold(index)
        run(MemoryPlace(first.type, replace(start, terms=(*start.terms, (index, size)))))

    flow.counted(site, counter, length, body)


def destroy(low: Lowering, scopes: Sequence[Scope]) -> None:
    """Run the destructors of the objects of these blocks, the youngest first."""
    for scope in reversed(scopes):
        for _begin, place in reversed(scope.objects):
            end(low, place)


def end(low: Lowering, place: Place) -> None:
    """Run the destructor of an object that is known to be of this class, and those of its parts."""
    struct = bare(place.type)
    if isinstance(struct, Array):
        if ends(low, struct):
            each(low, place, partial(end, low), backwards=True)
        return
    if not isinstance(struct, Struct):
        return
    destructor = low.unit.destructor(struct)
    if destructor is not None and body_of(low.unit.definition(destructor)) is not None:
        marked(low, place)
        inline(low, destructor, (), place, destructor)
    for offset, type_, _field in reversed(low.unit.types.parts(struct)):
        if ends(low, type_):
            end(low, part_of(low, place, offset, type_))  # type: ignore[arg-type]


def ends(low: Lowering, type_: CType) -> bool:
    """Has an object a destructor, or a member that has one?"""
    inner = bare(type_)
    if isinstance(inner, Array):
        return ends(low, inner.element)
    if not isinstance(inner, Struct) or inner.is_union or inner.vector_of is not None:
        return False
    own = low.unit.destructor(inner)
    return own is not None or any(ends(low, part) for _offset, part, _field in low.unit.types.parts(inner))
