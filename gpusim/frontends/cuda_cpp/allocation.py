"""What do `new`, `delete`, `memcpy` and their kin do with memory?

`new` takes memory of the device's heap and starts objects in it, `delete` ends them. `memcpy` and `memset`
move one object as a whole, all else in a loop of `prelude/copying.h`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, dispatch, memory, objects, operators, shapes, type_reader, types
from gpusim.frontends.cuda_cpp.conversions import converted, truth
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.initializers import fill, stripped, zero
from gpusim.frontends.cuda_cpp.inlining import inline
from gpusim.frontends.cuda_cpp.layout import UNITS, scalar_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.types import ULONG, Array, CType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import NumberValue, Place, PointerValue, Value, VoidValue
from gpusim.ir.instructions import Constant, Operand
from gpusim.ir.types import PRED, S64, U64

K = CursorKind
ARRAY = re.compile(r"(?:\w|::|[\s*]|<[^<>]*(?:<[^<>]*>[^<>]*)*>)*\[")  # the type of `new T[n]`
WRAPPERS = K.UNEXPOSED_EXPR, K.PAREN_EXPR, *clang.CASTS


def made(low: Lowering, cursor: Cursor) -> Value:
    """`new T(…)`, `new T{…}`, `new T[n]`, `new (place) T(…)`."""
    type_ = bare(low.type(cursor))
    assert isinstance(type_, Pointer)
    element = type_.target
    where, count, first, empty = _parts(low, cursor)
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
        _start_array(low, place, length, first, empty)
    elif first is None:
        objects.default(low, place)
    else:
        objects.start(low, place, first)
    low.go_to(cursor)
    return pointer


def _steady(low: Lowering, type_: CType | None, given: Value) -> PointerValue:
    """The pointer, which is needed more than once."""
    if not isinstance(given, PointerValue) or not isinstance(type_, Pointer):
        raise low.refused(f"`{low.text(low.cursor)}`")
    low.builder.hold(*(operand for operand, _ in given.address.terms))
    return PointerValue(type_, low.frozen(given.address))


def _parts(low: Lowering, cursor: Cursor) -> tuple[list[Cursor], Cursor | None, Cursor | None, bool]:
    """Where to, how many, the first value, and whether `()` or `{}` ends it: their places in the text tell.

    In an instance of a template Clang lets all of it end behind the word `new`.
    """
    text, begin = shapes.plain(clang.text(cursor, onward=True)).partition(";")[0], clang.begin(cursor)
    head = re.match(r"(::\s*)?new\b\s*", text)
    if head is None:
        raise low.refused("`new` in a macro", "write it out")
    after = shapes.closing(text, head.end()) if text[head.end() :].startswith("(") else head.end()
    bracket = ARRAY.match(text, after)
    opened = bracket.end() - 1 if bracket else 0
    closed = shapes.closing(text, opened) if bracket else 0
    behind = closed
    while text[behind:].lstrip().startswith("["):
        behind = shapes.closing(text, text.index("[", behind))
    empty = bool(re.match(r"\s*(\(\s*\)|\{\s*\})", text[behind:]))
    where, count, first = [], None, None
    for child in (one for one in clang.children(cursor) if one.kind.is_expression()):
        at = clang.begin(child) - begin
        if head.end() < at < after:
            where.append(child)
        elif opened < at < closed:
            count = child
        elif not bracket or not head.end() < at < behind or child.kind is K.CALL_EXPR:
            first = child
    return where, count, first, empty


def _start_array(low: Lowering, place: Place, length: Operand, first: Cursor | None, empty: bool) -> None:
    inner, element = stripped(first) if first is not None else None, place.type
    if inner is not None and inner.kind is K.INIT_LIST_EXPR and clang.children(inner):
        if not isinstance(length, Constant):
            what = "first values for a number of objects that is not constant"
            raise low.refused(what, "assign them in a loop")
        array = Place(Array(element, int(length.value)), place.address)
        fill(low, array, list(clang.children(inner)))
    elif low.unit.classes.begins(element):
        objects.each_of(low, place, length, partial(objects.default, low))
    elif inner is not None and empty:
        objects.each_of(low, place, length, lambda one: fill(low, one, []))


def deleted(low: Lowering, cursor: Cursor) -> Value:
    """`delete p` and `delete[] p`; of null they do nothing."""
    given, words = low.value(clang.children(cursor)[-1]), (one.spelling for one in cursor.get_tokens())
    of_array = "".join(islice(words, 3)).removeprefix("::").startswith("delete[")  # in a macro, too
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
        if of_array:
            count = low.operand(_call(low, "gpusim_count", [pointer], cursor))
            length = low.copied(low.cast(count, S64))
            place = Place(element, pointer.address)
            objects.each_of(low, place, length, partial(objects.end, low), backwards=True)
            free(place)
            return
        one, destructor = operators.pointee(pointer), None
        if isinstance(element, Struct) and type_reader.has_table(element):
            destructor = low.unit.classes.destructor(element)
        if destructor is not None and destructor.is_virtual_method():
            dispatch.dispatch(low, one, destructor, end)
        else:
            end(None, one)

    if not low.unit.classes.ends(element):
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


# bytes ------------------------------------------------------------------------------------------------------


def moved(low: Lowering, chosen: Builtin, arguments: Sequence[Cursor], cursor: Cursor) -> Value:
    """A call of one of the three; its value is where the bytes went."""
    into = _pointer(low, arguments[0])
    second = low.value(arguments[1]) if chosen.family == "memset" else _pointer(low, arguments[1])
    count = converted(low, low.value(arguments[2]), ULONG)
    assert isinstance(count, NumberValue)
    low.go_to(cursor)
    size = int(count.operand.value) if isinstance(count.operand, Constant) else None
    value = _whole(low, into, second) if size == bare(into.type.target).size else None
    if value is not None:
        low.store(into.address, value)
        return converted(low, into, chosen.result)
    pointers = [into, second] if isinstance(second, PointerValue) else [into]
    unit = UNITS[min(8, *(_alignment(pointer) for pointer in pointers))]
    given = [PointerValue(Pointer(unit), pointer.address) for pointer in pointers]
    rest = [count] if isinstance(second, PointerValue) else [second, count]
    inline(low, low.unit.function(f"gpusim_{chosen.name}<{unit}>"), [*given, *rest], None, cursor)
    return converted(low, into, chosen.result)


def _pointer(low: Lowering, cursor: Cursor) -> PointerValue:
    """A pointer as it was before it became one to `void`: what it points to says how it is aligned."""
    while cursor.kind in WRAPPERS and isinstance(bare(low.type(cursor)), Pointer):
        inner = clang.children(cursor)[-1]
        if not isinstance(bare(low.type(inner)), Pointer | types.Array):
            break
        cursor = inner
    value = low.pointed(low.value(cursor))
    value = low.kept(value if isinstance(value, PointerValue) else converted(low, value, Pointer(types.VOID)))
    assert isinstance(value, PointerValue)
    return value


def _alignment(pointer: PointerValue) -> int:
    target = bare(pointer.type.target)
    return 1 if isinstance(target, types.Void | types.FunctionType) else target.alignment


def _whole(low: Lowering, into: PointerValue, second: Value) -> Value | None:
    """What is moved into an object all of which is written; None where that is no number or plain struct."""
    type_ = bare(into.type.target)
    if isinstance(type_, types.Void | types.FunctionType) or memory.has_array(type_):
        return None
    if isinstance(second, NumberValue):
        return zero(type_) if second.operand == Constant(0, second.operand.type) else None
    assert isinstance(second, PointerValue)
    source = bare(second.type.target)
    numbers = {scalar_of(type_), scalar_of(source)}.isdisjoint((None, PRED)) and source.size == type_.size
    alike = numbers or types.alike(type_, source)
    return low.load(second.address, type_) if alike else None
