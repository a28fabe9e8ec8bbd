"""What do statements do? Branches, loops, switches, and the ways out of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import clang, shapes, types, values
from gpusim.frontends.cuda_cpp.asking import FREE_RANGE, RANGE
from gpusim.frontends.cuda_cpp.conditions import condition, place_of
from gpusim.frontends.cuda_cpp.conversions import converted
from gpusim.frontends.cuda_cpp.frame import Scope
from gpusim.frontends.cuda_cpp.initializers import initial
from gpusim.frontends.cuda_cpp.inlining import parameters_of, referred, result_place, returned_variable
from gpusim.frontends.cuda_cpp.lowering import Lowering, number_type
from gpusim.frontends.cuda_cpp.names import as_object
from gpusim.frontends.cuda_cpp.objects import copies, destroy, ends
from gpusim.frontends.cuda_cpp.operators import address_of, advanced, pointee
from gpusim.frontends.cuda_cpp.types import Array, Pointer, Reference, Struct, bare
from gpusim.frontends.cuda_cpp.variables import bind, declare
from gpusim.ir.instructions import Constant, Jump, Opcode, Operand
from gpusim.ir.types import S64
from gpusim.source import Span

K = CursorKind


@contextmanager
def scope(low: Lowering, cursor: Cursor) -> Iterator[None]:
    """Objects that begin here end with this statement."""
    low.frame.scopes.append(Scope(cursor))
    yield
    destroy(low, [low.frame.scopes.pop()])


def block(low: Lowering, cursor: Cursor) -> None:
    """`{ … }`; its objects end with it."""
    with scope(low, cursor):
        for child in clang.children(cursor):
            low.statement(child)
        low.at = low.closing(cursor)


def scoped(low: Lowering, cursor: Cursor) -> None:
    """The body of a statement, with or without braces."""
    with nullcontext() if cursor.kind is K.COMPOUND_STMT else scope(low, cursor):
        low.statement(cursor)


def header(low: Lowering, parts: Sequence[Cursor]) -> None:
    """What stands before a condition: statements, and variables that are declared in it."""
    for part in parts:
        low.statement(part) if part.kind is not K.VAR_DECL else declare(low, part)


def declarations(low: Lowering, cursor: Cursor) -> None:
    """`int i = 0, j;`; types, and what else may be declared in a function, make no instruction."""
    for child in clang.children(cursor):
        if child.kind is K.VAR_DECL:
            with low.whole():
                declare(low, child)
        elif child.kind is K.UNEXPOSED_DECL:
            bind(low, child)


# branches ---------------------------------------------------------------------------------------------------


def branch(low: Lowering, cursor: Cursor) -> None:
    """`if`, with or without `else`; a side that is known not to run is left out."""
    span, parts = low.span(cursor), clang.children(cursor)
    count = 2 if shapes.has_else(cursor) else 1
    *before, test = parts[:-count]
    sides = parts[-count:]
    with scope(low, cursor):
        header(low, before)
        known = clang.constant(test) if shapes.is_constexpr(cursor) else None
        if known is None:
            bodies = [flow.Side(partial(scoped, low, side), low.span(side)) for side in sides]
            flow.choose(low.site(span), partial(condition, low, test), bodies)
        elif known or count == 2:
            scoped(low, sides[0 if known else 1])


def _loop(low: Lowering, test: flow.Test, body: Cursor, step: flow.Part | None, cursor: Cursor) -> None:
    low.frame.depths.append(len(low.frame.scopes))
    flow.loop(low.site(low.span(cursor)), test, partial(scoped, low, body), step)
    low.frame.depths.pop()


def while_(low: Lowering, cursor: Cursor) -> None:
    """`while`; a variable in the condition is made anew each time."""
    *tests, body = clang.children(cursor)
    _loop(low, partial(_test, low, tests), body, None, cursor)


def _test(low: Lowering, tests: Sequence[Cursor], then: int, otherwise: int) -> None:
    header(low, tests[:-1])
    if tests:
        condition(low, tests[-1], then, otherwise)


def do_while(low: Lowering, cursor: Cursor) -> None:
    """`do … while`."""
    body, test = clang.children(cursor)
    inside, again, after = (low.builder.label() for _ in range(3))
    low.builder.place(inside, low.span(body))
    low.frame.depths.append(len(low.frame.scopes))
    with low.frame.exits.looping(after, again, join=again):
        scoped(low, body)
    low.frame.depths.pop()
    span = low.span(test)
    low.builder.place(again, span)
    condition(low, test, inside, after)
    low.builder.place(after, span)


def for_(low: Lowering, cursor: Cursor) -> None:
    """`for (…; …; …)`, each part of which may be missing."""
    start, tests, step, body = shapes.for_parts(cursor)
    with scope(low, cursor):
        if start is not None:
            low.statement(start)
        again = None if step is None else partial(low.statement, step)
        _loop(low, partial(_test, low, tests), body, again, cursor)


def for_range(low: Lowering, cursor: Cursor) -> None:
    """`for (auto& item : array)`: over an array of known length."""
    item, over, body = clang.children(cursor)[-3:]
    span = low.span(cursor)
    found = place_of(low, over)
    array = bare(found.type or types.VOID)
    if isinstance(array, Struct):
        _between(low, cursor, item, as_object(low, found), body)
        return
    if not isinstance(array, Array) or not isinstance(found, values.MemoryPlace):
        raise low.refused(f"a range of type `{array}`", "count with an index")
    counter = low.builder.temporary(S64)
    low.builder.hold(counter)

    def run() -> None:
        first = values.PointerValue(Pointer(array.element), found.address)
        place = pointee(low, values.PointerValue(first.type, advanced(low, first, counter)))
        declared = low.type(item)
        low.at = low.span(item)
        if not isinstance(declared, Reference):
            value = low.read(place, low.at)
            place = low.variable(item.spelling, declared, (low.frame.path, clang.begin(item)))
            low.write(place, converted(low, value, declared), low.at)
        low.frame.names[item.hash] = place
        scoped(low, body)

    with scope(low, cursor):
        low.frame.depths.append(len(low.frame.scopes))
        flow.counted(low.site(span), counter, Constant(array.length, S64), run)
        low.frame.depths.pop()


def _between(low: Lowering, cursor: Cursor, item: Cursor, over: values.Place, body: Cursor) -> None:
    """`for (auto item : range)`: from what begin() gives to what end() gives."""
    span, iterator = low.span(cursor), _named(item)
    start, struct = shapes.initializer(iterator), bare(over.type)
    assert isinstance(struct, Struct)
    begin = None if start is None or start.kind is not K.CALL_EXPR else start.referenced
    form = RANGE if begin is not None and begin.kind is K.CXX_METHOD else FREE_RANGE
    const = "const " * types.is_const(over.type)
    answer = low.unit.answers.of_type(form, const + struct.name)
    *ends, last = clang.children(clang.children(answer)[-1])
    if last.kind is not K.IF_STMT:
        raise low.refused(f"a range of type `{struct}`", "count with an index")
    test, step = clang.children(last)

    own = dict[int, values.Result]()  # the variables of the answer, which a loop inside may ask for, too

    @contextmanager
    def aside() -> Iterator[None]:  # the answer does not stand in the reader's text
        path, pinned = low.frame.path, low.frame.pinned
        low.frame.names |= own
        low.frame.path, low.frame.pinned = (*path, clang.begin(cursor)), span
        yield
        low.frame.path, low.frame.pinned = path, pinned

    def decide(inside: int, exhausted: int) -> None:
        label = low.builder.label()
        with aside():
            condition(low, test, label, exhausted)
        low.builder.place(label, span)
        declare(low, item)
        low.builder.end(Jump(inside, span))

    def advance() -> None:
        with aside():
            low.discard(step)

    with scope(low, cursor):
        with aside():
            low.frame.names[parameters_of(answer)[0].hash] = over
            for end in ends:
                low.statement(end)
            declared = [child.hash for end in ends for child in clang.children(end)]
            own.update((one, low.frame.names[one]) for one in declared)
            low.frame.names[iterator.hash] = own[declared[0]]
        _loop(low, decide, body, advance, cursor)


def _named(cursor: Cursor) -> Cursor:
    """The first variable that is named below."""
    waiting = [cursor]
    while True:
        one = waiting.pop(0)
        if one.kind is K.DECL_REF_EXPR and one.referenced.kind is K.VAR_DECL:
            return one.referenced
        waiting += [child for child in clang.children(one) if child.kind.is_expression()]


# switch -----------------------------------------------------------------------------------------------------


def switch(low: Lowering, cursor: Cursor) -> None:
    """A chain of comparisons, then the body, in which the cases are labels: one falls through to the next."""
    *before, test, body = clang.children(cursor)
    with scope(low, cursor):
        header(low, before or shapes.hidden(cursor, body))
        after = _switched(low, test, body)
    low.builder.place(after, low.span(test))


def _switched(low: Lowering, test: Cursor, body: Cursor) -> int:
    value, span = low.value(test), low.span(test)
    kind = number_type(value.type or types.VOID)
    if not isinstance(value, values.NumberValue) or kind is None:
        raise low.refused(f"a switch on `{value.type}`", "convert it to an integer")
    operand = low.copied(low.cast(value.operand, types.promoted(kind).scalar, span))
    low.builder.hold(operand)
    default = after = low.builder.label()
    for case in _cases(body):
        label = low.frame.labels[f"case {case.hash}"] = low.builder.label()
        if case.kind is K.DEFAULT_STMT:
            default = label
            continue
        place, following = low.span(case), low.builder.label()
        low.at = place
        flow.branch(low.site(place), _matches(low, case, operand), label, following)
        low.builder.place(following, place)
    low.builder.end(Jump(default, span))
    exits = low.frame.exits
    around = exits.loops[-1][1] if exits.loops else None
    low.frame.depths.append(len(low.frame.scopes))
    with exits.looping(after, around, join=after):
        scoped(low, body)
    low.frame.depths.pop()
    return after


def _matches(low: Lowering, case: Cursor, operand: Operand) -> Operand:
    """`case 3:`, and GNU's `case 0 ... 9:`."""
    bounds = []
    for part in clang.children(case)[:-1]:
        known = clang.constant(part)
        if known is None:
            raise low.refused(f"`case {low.text(part)}`", "write a constant")
        bounds.append(fold.constant(known, operand.type))
    site = low.site(low.at)
    if len(bounds) == 1:
        return fold.compared(site, Opcode.EQ, operand, bounds[0])
    above = fold.compared(site, Opcode.GE, operand, bounds[0])
    return fold.joined(site, Opcode.AND, above, fold.compared(site, Opcode.LE, operand, bounds[1]))


def _cases(cursor: Cursor) -> list[Cursor]:
    """The labels of a switch, wherever they stand in its body."""
    found = []
    for child in clang.children(cursor):
        if child.kind in (K.CASE_STMT, K.DEFAULT_STMT):
            found.append(child)
        if child.kind is not K.SWITCH_STMT and not child.kind.is_expression():
            found += _cases(child)
    return found


def case(low: Lowering, cursor: Cursor) -> None:
    """`case 3:` and `default:`: a label, and the statement behind it."""
    low.builder.place(low.frame.labels[f"case {cursor.hash}"], low.span(cursor))
    low.statement(clang.children(cursor)[-1])


def attributed(low: Lowering, cursor: Cursor) -> None:
    """`[[fallthrough]];`, `[[likely]] x = 1;`: attributes change nothing."""
    for child in clang.children(cursor):
        low.statement(child)


def valued(low: Lowering, cursor: Cursor) -> values.Result:
    """GNU's `({ int y = f(); y + 1; })`: its value is that of its last statement."""
    *before, last = clang.children(clang.children(cursor)[0]) or [None]
    if last is None or not last.kind.is_expression() or isinstance(low.type(cursor), types.Void):
        low.statement(clang.children(cursor)[0])
        return values.VoidValue(types.VOID)
    with scope(low, cursor):
        for child in before:
            low.statement(child)
        return low.value(last)


# leaving ----------------------------------------------------------------------------------------------------


def label(low: Lowering, cursor: Cursor) -> None:
    """A label that `goto` goes to."""
    low.builder.place(_target(low, cursor.spelling), low.span(cursor))
    attributed(low, cursor)


def goto(low: Lowering, cursor: Cursor) -> None:
    """`goto name;`."""
    span, target = low.span(cursor), clang.children(cursor)[0].referenced
    here, left = clang.begin(target), list[Scope]()
    for scope in low.frame.scopes:  # what begins behind the label, or ends before it
        objects = [one for one in scope.objects if not one[0] <= here < scope.end]
        left.append(replace(scope, objects=objects))
    destroy(low, left)
    low.builder.end(Jump(_target(low, target.spelling), span))


def _target(low: Lowering, name: str) -> int:
    if name not in low.frame.labels:
        low.frame.labels[name] = low.builder.label()
    return low.frame.labels[name]


def leave(low: Lowering, cursor: Cursor) -> None:
    """`break` and `continue`; the objects of the blocks that are left end."""
    exits, span = low.frame.exits, low.span(cursor)
    after, again = exits.loops[-1]
    _unwind(low, low.frame.depths[-1])
    target = after if cursor.kind is K.BREAK_STMT else again
    assert target is not None
    low.builder.end(Jump(target, span))


def _unwind(low: Lowering, depth: int, kept: values.Place | None = None) -> None:
    """End the objects of all blocks from this depth on, on this way out only; `kept` is what is returned."""
    destroy(low, [scope.without(kept) for scope in low.frame.scopes[depth:]])


def returned(low: Lowering, cursor: Cursor) -> None:
    """`return`, with or without a value."""
    frame, below = low.frame, clang.children(cursor)
    span = low.span(cursor)
    wanted, kept = frame.result_type, None
    if below and isinstance(wanted, types.Void):
        low.discard(below[0])
    elif below:
        with low.whole():
            kept = _give_back(low, below[0], span)
    if frame.single:  # the block that ends here ends its objects
        frame.scopes[-1] = frame.scopes[-1].without(kept)
    else:
        _unwind(low, 0, kept)
        flow.returned(low.site(span))


def _give_back(low: Lowering, cursor: Cursor, span: Span) -> values.Place | None:
    """Keep what is returned; a variable that becomes the result is not copied, and does not end."""
    frame, wanted = low.frame, low.frame.result_type
    own = _returned_variable(low, cursor)
    if isinstance(wanted, Reference):
        place = place_of(low, cursor)
        if frame.single or not isinstance(place, values.Place):
            frame.result = place
        else:
            frame.result = frame.result or result_place(low, frame)
            low.write(frame.result, address_of(low, referred(low, place, wanted.target)), span)
        return None
    value = low.read(own, span) if own is not None else initial(low, wanted, cursor)
    low.at = span
    if frame.single and not any(scope.objects for scope in frame.scopes) and not low.temporaries:
        frame.result = value
        return own
    frame.result = frame.result or result_place(low, frame)
    low.write(frame.result, converted(low, value, wanted), span)
    return own


def _returned_variable(low: Lowering, cursor: Cursor) -> values.Place | None:
    """The variable of this function that is returned, where the text says how it is copied or ends."""
    struct, named = bare(low.frame.result_type), low.frame.kept
    if named is None or named != returned_variable(cursor) or not isinstance(struct, Struct):
        return None
    place = low.frame.names.get(named)
    if not isinstance(place, values.Place) or bare(place.type) is not struct:
        return None
    return place if copies(low, struct) or ends(low, struct) else None
