"""What do `new` and `delete` do? They take memory of the device's heap, start objects in it, and end them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, objects, shapes, types
from gpusim.frontends.cuda_cpp.conversions import truth
from gpusim.frontends.cuda_cpp.initializers import Items, fill, stripped, zero
from gpusim.frontends.cuda_cpp.inlining import inline
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.operators import pointee
from gpusim.frontends.cuda_cpp.type_reader import has_table
from gpusim.frontends.cuda_cpp.types import Array, CType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import NumberValue, Place, PointerValue, Value, VoidValue
from gpusim.frontends.cuda_cpp.virtual import dispatch
from gpusim.ir.instructions import Constant, Operand
from gpusim.ir.types import S64, U64

K = CursorKind
DELETE = re.compile(r"(::\s*)?delete\s*(\[)?")


def made(low: Lowering, cursor: Cursor) -> Value:
    """`new T(…)`, `new T{…}`, `new T[n]`, `new (place) T(…)`."""
    type_ = bare(low.type(cursor))
    assert isinstance(type_, Pointer)
    element = type_.target
    where, count, first = _parts(low, cursor)
    _check_own(low, element, "new")
    length: Operand = Constant(1, S64)
    if count is not None:
        length = low.copied(low.cast(low.operand(low.value(count)), S64))
        low.builder.hold(length)
    address = low.value(where[0]) if where else None
    low.go_to(cursor)
    if not isinstance(address, PointerValue):
        sizes = [fold.constant(element.size, U64), low.cast(length, U64)]
        address = _call(low, "gpusim_new", [NumberValue(types.ULONG, size) for size in sizes], cursor)
    pointer = _steady(low, type_, address)
    place = Place(element, pointer.address)
    if count is not None:
        _start_array(low, place, length, first, cursor)
    elif first is None:
        objects.default(low, place)
    else:
        objects.start(low, place, first)
    low.go_to(cursor)
    return pointer


def _is_empty(cursor: Cursor) -> bool:
    return clang.text(cursor).endswith(("()", "{}"))


def _steady(low: Lowering, type_: CType | None, given: Value) -> PointerValue:
    """The pointer, which is needed more than once."""
    if not isinstance(given, PointerValue) or not isinstance(type_, Pointer):
        raise low.refused(f"`{low.text(low.cursor)}`")
    low.builder.hold(*(operand for operand, _ in given.address.terms))
    return PointerValue(type_, low.frozen(given.address))


def _parts(low: Lowering, cursor: Cursor) -> tuple[list[Cursor], Cursor | None, Cursor | None]:
    """Where to, how many, and the first value: only their places in the text say which is which."""
    text, begin = shapes.plain(clang.text(cursor)), clang.begin(cursor)
    head = re.match(r"(::\s*)?new\b\s*", text)
    if head is None:
        raise low.refused("`new` in a macro", "write it out")
    after = shapes.closing(text, head.end()) if text[head.end() :].startswith("(") else head.end()
    bracket = re.match(r"[^({\[]*\[", text[after:])
    opened = after + bracket.end() - 1 if bracket else 0
    closed = shapes.closing(text, opened) if bracket else 0
    where, count, first = [], None, None
    for child in (one for one in clang.children(cursor) if one.kind.is_expression()):
        at = clang.begin(child) - begin
        if head.end() < at < after:
            where.append(child)
        elif opened < at < closed:
            count = child
        elif not bracket or not head.end() < at < closed or child.kind is K.CALL_EXPR:
            first = child
    return where, count, first


def _start_array(low: Lowering, place: Place, length: Operand, first: Cursor | None, cursor: Cursor) -> None:
    inner, element = stripped(first) if first is not None else None, place.type
    if inner is not None and inner.kind is K.INIT_LIST_EXPR and clang.children(inner):
        if not isinstance(length, Constant):
            what = "first values for a number of objects that is not constant"
            raise low.refused(what, "assign them in a loop")
        array = Place(Array(element, int(length.value)), place.address)
        fill(low, array, Items(clang.children(inner)))
    elif objects.begins(low, element):
        objects.each_of(low, place, length, partial(objects.default, low))
    elif inner is not None and _is_empty(cursor):
        objects.each_of(low, place, length, lambda one: low.write(one, zero(element)))


def deleted(low: Lowering, cursor: Cursor) -> Value:
    """`delete p` and `delete[] p`; of null they do nothing."""
    word, given = DELETE.match(shapes.plain(clang.text(cursor))), low.value(clang.children(cursor)[-1])
    low.go_to(cursor)
    pointer = _steady(low, given.type, given)
    element = bare(pointer.type.target)
    _check_own(low, element, "delete")

    def free(whole: Place) -> None:
        _call(low, "gpusim_delete", [PointerValue(Pointer(types.VOID), whole.address)], cursor)

    def end(_method: Cursor | None, whole: Place) -> None:
        objects.end(low, whole)
        free(whole)

    def run() -> None:
        if word and word[2]:
            count = low.operand(_call(low, "gpusim_count", [pointer], cursor))
            length = low.copied(low.cast(count, S64))
            place = Place(element, pointer.address)
            objects.each_of(low, place, length, partial(objects.end, low), backwards=True)
            free(place)
            return
        one, destructor = pointee(pointer), None
        if isinstance(element, Struct) and has_table(element):
            destructor = low.unit.classes.destructor(element)
        if destructor is not None and destructor.is_virtual_method():
            dispatch(low, one, destructor, end)
        else:
            end(None, one)

    if not objects.ends(low, element):
        free(Place(element, pointer.address))
        return VoidValue(types.VOID)
    site = low.site
    test = partial(flow.branch, site, truth(low, pointer))
    flow.choose(site, test, [flow.Side(run, low.at)])
    return VoidValue(types.VOID)


def _call(low: Lowering, name: str, given: Sequence[Value], cursor: Cursor) -> Value:
    """Call a function of the prelude."""
    found = inline(low, low.unit.function(name), given, None, cursor)
    low.go_to(cursor)
    return low.read(found)


def _check_own(low: Lowering, type_: CType, word: str) -> None:
    struct, names = bare(type_), (f"operator {word}", f"operator {word}[]")
    declaration = low.unit.types.declarations.get(struct) if isinstance(struct, Struct) else None
    if declaration is not None and any(one.spelling in names for one in clang.children(declaration)):
        raise low.refused(f"`operator {word}` of a class", "use malloc and placement new")
