"""What does `for (auto item : range)` do? It goes over an array, a text, or from begin() to end()."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import asking, clang, inlining, names, operators, shapes, types, values
from gpusim.frontends.cuda_cpp.conditions import condition, place_of
from gpusim.frontends.cuda_cpp.lowering import Lowering
from gpusim.frontends.cuda_cpp.statements import leaving, scope, scoped
from gpusim.ir.instructions import Constant
from gpusim.ir.types import S64

K = CursorKind


def for_range(low: Lowering, cursor: Cursor) -> None:
    """`for (auto& item : array)`: over an array of known length."""
    item, over, body = clang.children(cursor)[-3:]
    site = low.site
    with scope(low, cursor):
        array = types.bare(low.type(over))
        with low.whole():
            found = place_of(low, over)
            if isinstance(array, types.Struct):
                found = names.as_object(low, found)
                low.ends_with_block(found, over)  # it lives as long as the loop
        if isinstance(array, types.Struct) and isinstance(found, values.Place):
            _between(low, cursor, item, found, body)
            return
        first = low.kept(low.pointed(low.read(found)))
        if not isinstance(array, types.Array) or not isinstance(first, values.PointerValue):
            raise low.refused(f"a range of type `{array}`", "count with an index")
        counter = low.builder.temporary(S64)
        low.builder.hold(counter)

        def run() -> None:
            address = operators.advanced(low, first, counter)
            low.frame.names[_named(item).hash] = values.PointerValue(first.type, address)
            _round(low, item, body)

        with leaving(low):
            flow.counted(site, counter, Constant(array.length, S64), run)


def _round(low: Lowering, item: Cursor, body: Cursor) -> None:
    """The item, which ends with the body."""
    with scope(low, body):
        with low.whole():
            low.statement(item)
        scoped(low, body)


def _between(low: Lowering, cursor: Cursor, item: Cursor, over: values.Place, body: Cursor) -> None:
    """`for (auto item : range)`: from what begin() gives to what end() gives."""
    site, iterator = low.site_of(cursor), _named(item)
    start, struct = shapes.initializer(iterator), types.struct_of(over.type)
    begin = None if start is None or start.kind is not K.CALL_EXPR else start.referenced
    form = asking.RANGE if begin is not None and begin.kind is K.CXX_METHOD else asking.FREE_RANGE
    const = "const " * types.is_const(over.type)
    answer = low.unit.answers.to(form.replace("{type}", const + struct.name))
    *ends, last = clang.children(clang.children(answer)[-1])
    if last.kind is not K.IF_STMT:
        raise low.refused(f"a range of type `{struct}`", "count with an index")
    test, step = clang.children(last)

    own = dict[int, values.Result]()  # the variables of the answer, which a loop inside may ask for, too

    @contextmanager
    def aside() -> Iterator[None]:  # the answer does not stand in the reader's text
        path, pinned = low.frame.path, low.frame.pinned
        low.frame.names |= own
        low.frame.path, low.frame.pinned = (*path, clang.begin(cursor)), site.span
        yield
        low.frame.path, low.frame.pinned = path, pinned

    def decide(inside: int, exhausted: int) -> None:
        with aside():
            condition(low, test, inside, exhausted)

    def advance() -> None:
        with aside():
            low.discard(step)

    with aside():
        low.frame.names[inlining.parameters_of(answer)[0].hash] = over
        for end in ends:
            low.statement(end)
        declared = [child.hash for end in ends for child in clang.children(end)]
        own.update((one, low.frame.names[one]) for one in declared)
        low.frame.names[iterator.hash] = own[declared[0]]
    with leaving(low):
        flow.loop(site, decide, partial(_round, low, item, body), advance)


def _named(cursor: Cursor) -> Cursor:
    named = (one.referenced for one in clang.walk(cursor) if one.kind is K.DECL_REF_EXPR)
    return next(one for one in named if one.kind is K.VAR_DECL)
