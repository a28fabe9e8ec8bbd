"""How does an object begin and end? Constructors, the members that they start, and destructors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from clang.cindex import Cursor, CursorKind, TypeKind

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import clang, conditions, conversions, dispatch, initializers, type_reader
from gpusim.frontends.cuda_cpp.inlining import body_of, inline, results_of
from gpusim.frontends.cuda_cpp.lowering import Lowering, Scope
from gpusim.frontends.cuda_cpp.memory import has_array
from gpusim.frontends.cuda_cpp.types import Array, Bits, CType, Struct, bare, struct_of
from gpusim.frontends.cuda_cpp.values import Parts, Place, Result, Results, StructValue, Value
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import S64

K = CursorKind
FEW = 4  # so many objects are started one by one, more in a loop
Start = Callable[[Place], None]
Manner = tuple[bool, bool]  # is an object assigned to another, and is it moved?


def given(cursor: Cursor) -> list[Cursor]:
    """The arguments that are given; a default shows nothing, and stands nowhere (as does the 0 of `x++`)."""

    def is_given(one: Cursor) -> bool:
        return bool(one.kind is not K.UNEXPOSED_EXPR or clang.children(one) or clang.end(one))

    return list(takewhile(is_given, cursor.get_arguments()))


def is_copy(constructor: Cursor) -> bool:
    """Does it copy or move a whole object of its own struct?"""
    return bool(constructor.is_copy_constructor() or constructor.is_move_constructor())


def constructed(low: Lowering, cursor: Cursor, constructor: Cursor) -> Result:
    struct, implicit = struct_of(low.type(cursor)), low.unit.classes.is_implicit(constructor)
    if implicit and is_copy(constructor) and not low.unit.classes.copies(struct):
        value = conversions.converted(low, low.value(given(cursor)[0]), struct)
        return dispatch.as_class(low, value, struct)  # type: ignore[arg-type]
    if implicit and not is_copy(constructor) and not low.unit.classes.begins(struct):
        return initializers.aggregate(low, struct, [])
    place = low.variable(struct.name, struct, (low.frame.path, clang.begin(cursor), "new", struct))
    construct(low, place, cursor, constructor)
    whole = has_array(struct) and not low.unit.classes.ends(struct)
    return place if whole else low.read(place)  # what ends is put where it ends


def construct(low: Lowering, place: Place, cursor: Cursor, constructor: Cursor) -> None:
    arguments = given(cursor)
    written = clang.text(cursor).rstrip()
    if not low.unit.classes.is_implicit(constructor):
        results = results_of(low, constructor, arguments, in_order=written.endswith("}"))
        _construct(low, constructor, results, cursor, place)
    elif is_copy(constructor):
        copy(low, place, conditions.place_of(low, arguments[0]), manner(constructor))
    else:
        if written.endswith((")", "}")):
            clear_all(low, place)
        start_members(low, place, {}, {})


def _construct(low: Lowering, constructor: Cursor, results: Results, cursor: Cursor, place: Place) -> None:
    if (inherited := low.unit.classes.inherited(struct_of(place.type), constructor)) is None:
        _run(low, constructor, results, cursor, place)
        return
    base, own = inherited
    start_base = partial(_run, low, own) if own is not None else partial(_construct, low, constructor)
    start_members(low, place, {}, {base: partial(start_base, results, cursor)})


def _run(low: Lowering, constructor: Cursor, results: Results, cursor: Cursor, place: Place) -> None:
    inline(low, constructor, results, place, cursor, first=partial(_written_members, low))


# copies -----------------------------------------------------------------------------------------------------


def manner(function: Cursor) -> Manner:
    """How does this constructor or assignment take over an object?"""
    moving = any(one.kind is TypeKind.RVALUEREFERENCE for one in function.type.argument_types())
    return function.kind is not K.CONSTRUCTOR, moving


def copy(low: Lowering, place: Place, source: Result, how: Manner) -> None:
    """Copy or move an object as C++ does where the text does not say how: part by part."""
    struct, (assigning, _moving) = struct_of(place.type), how
    if not low.unit.classes.copies(struct, assigning) or not isinstance(source, Place):
        value = conversions.converted(low, low.read(source), struct)
        own = low.read(place) if assigning and type_reader.has_table(struct) else None
        low.write(place, dispatch.as_class(low, value, struct, own))  # type: ignore[arg-type]
        return
    for offset, type_, _field in low.unit.types.parts(struct):
        copy_object(low, place.part(offset, type_), source.part(offset, type_), how)
    if not assigning:
        dispatch.marked(low, place)  # and no longer of a base's class


def copy_object(low: Lowering, place: Place, source: Place, how: Manner = (False, False)) -> None:
    """Copy one object to another of its type, elements of arrays one by one."""
    inner, (assigning, moving) = bare(place.type), how
    if isinstance(inner, Array):
        for one, other in zip(elements(place), elements(source), strict=True):
            copy_object(low, one, other, how)
    elif not isinstance(inner, Struct) or not low.unit.classes.copies(inner, assigning):
        low.write(place, low.read(source))
    else:
        own = low.unit.classes.copier(inner, assigning, moving)
        if own is None:
            copy(low, place, source, how)
        elif assigning:
            inline(low, own, (source,), place, own)
        else:
            _run(low, own, (source,), own, place)


# first values -----------------------------------------------------------------------------------------------


def item(low: Lowering, type_: CType, cursor: Cursor) -> Value | None:
    """An item of `{…}` that a constructor turns into an object, unseen by clang; None where none does."""
    struct, inner = bare(type_), initializers.stripped(cursor)
    if not isinstance(struct, Struct):
        return None
    arguments = clang.children(inner) if inner.kind is K.INIT_LIST_EXPR else (cursor,)
    types_ = [low.type(one) for one in arguments]
    key = low.frame.path, clang.begin(cursor), "item", struct
    given = bare(types_[0]) if len(arguments) == 1 else None
    if isinstance(given, Struct) and (given is struct or low.unit.types.derives(given, struct)):
        result = low.evaluate(arguments[0])
        if not isinstance(result, Place) or not low.unit.classes.copies(struct) or is_new(arguments[0]):
            value = conversions.converted(low, low.read(result), struct)
            return dispatch.as_class(low, value, struct) if isinstance(value, StructValue) else value
        place = low.variable(struct.name, struct, key)
        copy_object(low, place, conversions.based(low, result, struct), (False, _is_moved(arguments[0])))
        return low.read(place)
    wanted = [one.type.get_canonical().spelling for one in arguments]
    constructor = low.unit.classes.constructor(struct, wanted)
    if constructor is None:
        return None
    results = results_of(low, constructor, arguments, in_order=True)
    place = low.variable(struct.name, struct, key)
    _run(low, constructor, results, cursor, place)
    return low.read(place)


def is_new(cursor: Cursor) -> bool:
    """Is it an object without a name: of a constructor, or of a function that returns no reference?"""
    inner = clang.inner(cursor)
    function = inner.referenced if inner.kind is K.CALL_EXPR else None
    if function is None or function.kind is K.CONSTRUCTOR:
        return function is not None or inner.kind is K.CXX_FUNCTIONAL_CAST_EXPR
    return function.result_type.kind not in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)


def _is_moved(cursor: Cursor) -> bool:
    """Is it `static_cast<T&&>(x)`, or a call of a function such as std::move?"""
    if cursor.kind is K.CALL_EXPR and cursor.referenced is not None:
        return bool(cursor.referenced.result_type.kind is TypeKind.RVALUEREFERENCE)
    return cursor.kind is K.CXX_STATIC_CAST_EXPR and "&&>" in clang.text(cursor).partition("(")[0]


def _written_members(low: Lowering, constructor: Cursor) -> None:
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
            if base is bare(this.type):  # another constructor does it
                start(low, this, child)
                return
            bases[base] = partial(start, low, cursor=child)
    start_members(low, this, members, bases)


def start_members(
    low: Lowering, this: Place, members: Mapping[str, Cursor], bases: Mapping[CType, Start]
) -> None:
    """Bases and members of a new object get what they are given, or what stands with them."""
    with low.of(this):
        for offset, type_, field in low.unit.types.parts(struct_of(this.type)):
            if field is None and (type_ in bases or low.unit.classes.begins(type_)):
                bases.get(type_, partial(default, low))(this.part(offset, type_))
        dispatch.marked(low, this)
        _start_parts(low, this, members)


def _start_parts(low: Lowering, whole: Place, members: Mapping[str, Cursor]) -> None:
    """Members, and those of unions and structs without a name. Of a union, one is started at most."""
    struct = struct_of(whole.type)
    parts = low.unit.types.parts(struct)
    initializers.clear(low, whole)
    if struct.is_union:
        named = [part for part in parts if members.keys() & low.unit.types.names(part[1], part[2])]
        parts = named or [part for part in parts if low.unit.types.default(part[2]) is not None]
    for offset, type_, field in parts:
        if field is None:
            continue
        part, given = whole.part(offset, type_), members.get(field.spelling)
        given = given or low.unit.types.default(field)
        if given is not None and (refers := initializers.reference(low, field)) is not None:
            low.write(part, initializers.referring(low, refers, given))
        elif given is not None:
            start(low, part, given)
        elif isinstance(type_, Struct) and not type_reader.name_of(field):
            _start_parts(low, part, members)
        else:
            default(low, part)


def clear_all(low: Lowering, place: Place) -> None:
    """`T()` of what has no constructor of its own: zero, where nothing stands with a member."""
    inner = bare(place.type)
    if isinstance(inner, Array):
        each(low, place, partial(clear_all, low))
    elif not isinstance(inner, Struct) or inner.is_union:
        low.write(place, initializers.zero(inner))
    elif low.unit.classes.default_constructor(inner) is None:
        for offset, type_, field in low.unit.types.parts(inner):
            if not isinstance(type_, Bits) and low.unit.types.default(field) is None:
                clear_all(low, place.part(offset, type_))


def default(low: Lowering, place: Place) -> None:
    """Start an object that is given no value; numbers in it that nobody names hold nothing yet."""
    inner = bare(place.type)
    if not low.unit.classes.begins(inner):
        return
    if isinstance(inner, Array):
        each(low, place, partial(default, low))
    elif (constructor := low.unit.classes.default_constructor(struct_of(inner))) is not None:
        _run(low, constructor, (), constructor, place)
    else:
        start_members(low, place, {}, {})


def start(low: Lowering, place: Place, cursor: Cursor) -> None:
    """Give a new object the value that stands here."""
    type_, inner = bare(place.type), initializers.stripped(cursor)
    called = clang.inner(inner, (K.UNEXPOSED_EXPR,)) if isinstance(type_, Struct) else inner
    constructor = called.referenced if called.kind is K.CALL_EXPR else None
    in_place = not isinstance(place.address.region, Parts)  # which has no address for a constructor
    if in_place and constructor is not None and constructor.kind is K.CONSTRUCTOR:
        if isinstance(type_, Array):
            default(low, place)
            return
        if bare(low.type(called)) is type_:
            construct(low, place, called, constructor)
            return
    is_text = isinstance(type_, Array) and inner.kind is K.STRING_LITERAL
    listed = inner.kind is K.INIT_LIST_EXPR or (inner.kind is K.UNEXPOSED_EXPR and not clang.children(inner))
    part_by_part = is_text or (listed and has_array(type_))
    value = item(low, type_, cursor) if part_by_part else initializers.initial(low, type_, cursor)
    if value is None:
        initializers.fill(low, place, [inner] if is_text else list(clang.children(inner)))
    else:
        low.go_to(cursor)
        low.write(place, value)


# many objects, and their ends -------------------------------------------------------------------------------


def elements(array: Place) -> list[Place]:
    inner = bare(array.type)
    assert isinstance(inner, Array)
    size = inner.element.size
    return [array.part(position * size, inner.element) for position in range(inner.length or 0)]


def each(low: Lowering, array: Place, run: Start, backwards: bool = False) -> None:
    places = elements(array)
    if len(places) > FEW:
        each_of(low, places[0], Constant(len(places), S64), run, backwards)
        return
    for place in reversed(places) if backwards else places:
        run(place)


def each_of(low: Lowering, first: Place, length: Operand, run: Start, backwards: bool = False) -> None:
    """Do something with each of so many objects in memory, in a loop."""
    counter, size = low.builder.temporary(S64), first.type.size
    low.builder.hold(counter, length)
    at, start = low.at, low.frozen(first.address)

    def body() -> None:
        index: Operand = counter
        if backwards:
            low.at = at
            rest = low.emit(Opcode.SUB, S64, length, counter)
            index = low.emit(Opcode.SUB, S64, rest, Constant(1, S64))
        low.builder.hold(index)
        run(Place(first.type, replace(start, terms=(*start.terms, (index, size)))))

    flow.counted(low.site, counter, length, body)


def destroy(low: Lowering, scopes: Sequence[Scope]) -> None:
    """Run the destructors of the objects of these blocks, the youngest first."""
    for scope in reversed(scopes):
        for _begin, place in reversed(scope.objects):
            end(low, place)


def end(low: Lowering, place: Place) -> None:
    """Run the destructor of an object that is known to be of this class, and those of its parts."""
    struct = bare(place.type)
    if not low.unit.classes.ends(struct):
        return
    if isinstance(struct, Array):
        each(low, place, partial(end, low), backwards=True)
        return
    destructor = low.unit.classes.destructor(struct_of(struct))
    if destructor is not None and body_of(low.unit.definition(destructor)) is not None:
        dispatch.marked(low, place)
        inline(low, destructor, (), place, destructor)
    for offset, type_, _field in reversed(low.unit.types.parts(struct_of(struct))):
        end(low, place.part(offset, type_))
