"""What do `new` and `delete` do? They take memory of the device's heap, start objects in it, and end them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, shapes, types
from gpusim.frontends.cuda_cpp.conversions import truth
from gpusim.frontends.cuda_cpp.initializers import Items, fill, stripped, zero
from gpusim.frontends.cuda_cpp.inlining import inline
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.memory import has_array
from gpusim.frontends.cuda_cpp.objects import begins, default, each_of, end, ends, start
from gpusim.frontends.cuda_cpp.operators import pointee
from gpusim.frontends.cuda_cpp.type_reader import has_table
from gpusim.frontends.cuda_cpp.types import Array, CType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    Address,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    Result,
    Value,
    VoidValue,
    is_place,
)
from gpusim.frontends.cuda_cpp.virtual import dispatch
from gpusim.ir.instructions import Constant, Operand
from gpusim.ir.types import S64, U64

K = CursorKind


def made(low: Lowering, cursor: Cursor) -> Value:
    """`new T(…)`, `new T{…}`, `new T[n]`, `new (place) T(…)`."""
    type_ = bare(low.type(cursor))
    assert isinstance(type_, Pointer)
    element = type_.target
    where, count, first = _parts(low, cursor)
    _check_own(low, element, "new")
    length: Operand = Constant(1, S64)
    if count is not None:
        number = low.value(count)
        assert isinstance(number, NumberValue)
        length = low.copied(low.cast(number.operand, S64, low.at))
        low.builder.hold(length)
    place = low.value(where[0]) if where else None
    low.at = low.span(cursor)
    if not isinstance(place, PointerValue):
        place = _call(
            low, "gpusim_new", [fold.constant(element.size, U64), low.cast(length, U64, low.at)], cursor
        )
    assert isinstance(place, PointerValue)
    low.builder.hold(*(operand for operand, _ in place.address.terms))
    pointer = PointerValue(type_, low.frozen(place.address))
    if count is not None:
        _start_array(low, pointer.address, element, length, first, cursor)
    elif first is not None:
        _start(low, MemoryPlace(element, pointer.address), first, cursor)
    else:
        default(low, MemoryPlace(element, pointer.address))
    low.at = low.span(cursor)
    return pointer


def _parts(low: Lowering, cursor: Cursor) -> tuple[list[Cursor], Cursor | None, Cursor | None]:
    """Where to, how many, and the first value: only their places in the text say which is which."""
    text, begin = shapes.plain(clang.text(cursor)), clang.begin(cursor)
    head = re.match(r"(::\s*)?new\b\s*", text)
    if head is None:
        raise low.refused("`new` in a macro", "write it out")
    after = head.end()
    if text[after:].startswith("("):
        after = _closing(text, after)
    bracket = re.match(r"[^({\[]*\[", text[after:])
    size = (after + bracket.end() - 1, _closing(text, after + bracket.end() - 1)) if bracket else None
    where, count, first = [], None, None
    for child in clang.children(cursor):
        if not child.kind.is_expression():
            continue
        at = clang.begin(child) - begin
        if head.end() < at < after:
            where.append(child)
        elif size is not None and size[0] < at < size[1]:
            count = child
        elif not size or not head.end() < at or at >= size[1] or child.kind is K.CALL_EXPR:
            first = child
    return where, count, first


def _closing(text: str, at: int) -> int:
    """Behind the bracket that closes the one that stands there."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if not depth:
            return place + 1
    raise AssertionError(text)


def _start(low: Lowering, place: Place, first: Cursor, cursor: Cursor) -> None:
    """One object. `T()` of a class that has no constructor of its own is zero at first."""
    struct = bare(place.type)
    own = isinstance(struct, Struct) and low.unit.default_constructor(struct) is not None
    if (
        isinstance(struct, Struct)
        and not own
        and clang.text(cursor).endswith(("()", "{}"))
        and not has_array(struct)
    ):
        low.write(place, zero(struct), low.at)
    start(low, place, first)


def _start_array(
    low: Lowering, address: Address, element: CType, length: Operand, first: Cursor | None, cursor: Cursor
) -> None:
    inner = stripped(first) if first is not None else None
    if inner is not None and inner.kind is K.INIT_LIST_EXPR and clang.children(inner):
        if not isinstance(length, Constant):
            raise low.refused(
                "first values for a number of objects that is not constant", "assign them in a loop"
            )
        fill(low, MemoryPlace(Array(element, int(length.value)), address), Items(clang.children(inner)))
    elif begins(low, element):
        each_of(low, address, element, length, partial(default, low))
    elif inner is not None and clang.text(cursor).endswith(("()", "{}")):
        each_of(low, address, element, length, lambda place: low.write(place, zero(element), low.at))


def deleted(low: Lowering, cursor: Cursor) -> Value:
    """`delete p` and `delete[] p`; of null they do nothing."""
    several = re.match(r"(::\s*)?delete\s*\[", shapes.plain(clang.text(cursor))) is not None
    given = low.value(clang.children(cursor)[-1])
    low.at = low.span(cursor)
    if not isinstance(given, PointerValue):
        raise low.refused(f"`{low.text(cursor)}`")
    pointer = PointerValue(given.type, low.frozen(given.address))
    low.builder.hold(*(operand for operand, _ in pointer.address.terms))
    element = bare(pointer.type.target)
    _check_own(low, element, "delete")
    if not ends(low, element):
        _free(low, pointer.address, cursor)
        return VoidValue(types.VOID)

    def run() -> None:
        if several:
            count = _call(low, "gpusim_count", [pointer], cursor)
            assert isinstance(count, NumberValue)
            length = low.copied(low.cast(count.operand, S64, low.at))
            each_of(low, pointer.address, element, length, partial(end, low), backwards=True)
            _free(low, pointer.address, cursor)
            return
        place = pointee(low, pointer)
        destructor = (
            low.unit.destructor(element) if isinstance(element, Struct) and has_table(element) else None
        )
        if destructor is not None and destructor.is_virtual_method():
            dispatch(low, place, destructor, lambda _found, whole: _end_one(low, whole, cursor))
        else:
            _end_one(low, place, cursor)

    site = low.site(low.at)
    flow.choose(
        site,
        lambda then, otherwise: flow.branch(site, truth(low, pointer), then, otherwise),
        [flow.Side(run, low.at)],
    )
    return VoidValue(types.VOID)


def _end_one(low: Lowering, place: Place, cursor: Cursor) -> None:
    end(low, place)
    assert isinstance(place, MemoryPlace)
    _free(low, place.address, cursor)


def _free(low: Lowering, address: Address, cursor: Cursor) -> None:
    _call(low, "gpusim_delete", [PointerValue(Pointer(types.VOID), address)], cursor)


def _call(low: Lowering, name: str, given: Sequence[Operand | PointerValue], cursor: Cursor) -> Value:
    """Call a function of the prelude."""
    results: list[Result] = [
        one if isinstance(one, PointerValue) else NumberValue(types.ULONG, one) for one in given
    ]
    found = inline(low, low.unit.function(name), results, None, cursor)
    low.at = low.span(cursor)
    return low.read(found, low.at) if is_place(found) else found  # type: ignore[return-value]


def _check_own(low: Lowering, type_: CType, word: str) -> None:
    struct, names = bare(type_), (f"operator {word}", f"operator {word}[]")
    declaration = low.unit.types.declarations.get(struct) if isinstance(struct, Struct) else None
    if declaration is not None and any(one.spelling in names for one in clang.children(declaration)):
        raise low.refused(f"`operator {word}` of a class", "use malloc and placement new")
