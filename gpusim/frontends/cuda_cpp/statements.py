"""What do statements do? Branches, loops also over ranges, switches, and the ways out of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial, reduce

from clang.cindex import Cursor, CursorKind

from gpusim.frontends import flow, fold
from gpusim.frontends.cuda_cpp import asking, clang, initializers, names, operators, shapes, types, values
from gpusim.frontends.cuda_cpp.conditions import condition, place_of
from gpusim.frontends.cuda_cpp.inlining import outcome_of, parameters_of, referred, returned_variable
from gpusim.frontends.cuda_cpp.lowering import Lowering, Scope
from gpusim.frontends.cuda_cpp.objects import destroy
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.terminators import Jump
from gpusim.ir.types import S64

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


def in_turn(low: Lowering, parts: Sequence[Cursor]) -> None:
    """Declarations, and what stands before a condition; types make no instruction."""
    for part in parts:
        with low.whole():
            low.statement(part)


# branches ---------------------------------------------------------------------------------------------------


def branch(low: Lowering, cursor: Cursor) -> None:
    """`if`, with or without `else`; a side that is known not to run is left out."""
    site, parts = low.site, clang.children(cursor)
    count = 2 if shapes.has_else(cursor) else 1
    *before, test = parts[:-count]
    sides = parts[-count:]
    with scope(low, cursor):
        in_turn(low, before)
        known = clang.constant(test) if shapes.is_constexpr(cursor) else None
        if known is None:
            bodies = [flow.Side(partial(scoped, low, side), low.span(side)) for side in sides]
            flow.choose(site, partial(condition, low, test), bodies)
        elif known or count == 2:
            scoped(low, sides[0 if known else 1])


@contextmanager
def leaving(low: Lowering, around: int | None = None, inside: int = 0) -> Iterator[None]:
    """`break` leaves the blocks from here on, and so does `continue`, but for those `inside`."""
    here = len(low.frame.scopes)
    low.frame.depths.append((here - inside, here if around is None else around))
    yield
    low.frame.depths.pop()


def loop(low: Lowering, cursor: Cursor, *parts: Cursor, step: flow.Part | None = None) -> None:
    """`while` and `for`. A variable that is declared in the condition is made anew each time."""
    *tests, body = parts
    site, own = low.site_of(cursor), Scope(cursor)
    ending = any(part.kind is K.VAR_DECL and low.unit.classes.ends(low.type(part)) for part in tests[:-1])

    def test(then: int, otherwise: int) -> None:
        exhausted = low.builder.label() if ending else otherwise
        in_turn(low, tests[:-1])
        if tests:
            condition(low, tests[-1], then, exhausted)
        if ending:
            low.builder.place(exhausted, site.span)
            destroy(low, [own])
            low.builder.end(Jump(otherwise, site.span))

    def again() -> None:
        if step is not None:
            step()
        destroy(low, [own])

    low.frame.scopes.append(own)
    with leaving(low, inside=1):
        flow.loop(site, test, partial(scoped, low, body), again if ending else step)
    low.frame.scopes.pop()


def do_while(low: Lowering, cursor: Cursor) -> None:
    body, test = clang.children(cursor)
    inside, again, after = (low.builder.label() for _ in range(3))
    low.builder.place(inside, low.span(body))
    with leaving(low), low.frame.exits.looping(after, again, join=again):
        scoped(low, body)
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
        loop(low, cursor, *tests, body, step=again)


# `for` over a range -----------------------------------------------------------------------------------------


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
        low.frame.names[parameters_of(answer)[0].hash] = over
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


# switch -----------------------------------------------------------------------------------------------------


def switch(low: Lowering, cursor: Cursor) -> None:
    """A chain of comparisons, then the body, in which the cases are labels: one falls through to the next."""
    *before, test, body = clang.children(cursor)
    span, exits = low.span(test), low.frame.exits
    default = after = low.builder.label()
    inside = clang.walk(body, lambda one: one.kind is not K.SWITCH_STMT and not one.kind.is_expression())
    with scope(low, cursor):
        in_turn(low, before or shapes.hidden(cursor, body))
        with low.whole():
            value = low.value(test)
            kind = types.number_type(value.type)
            if not isinstance(value, values.NumberValue) or kind is None:
                raise low.refused(f"a switch on `{value.type}`", "convert it to an integer")
            operand = low.copied(low.cast(value.operand, types.common(kind).scalar))
        low.builder.hold(operand)
        for case in (one for one in inside if one.kind in (K.CASE_STMT, K.DEFAULT_STMT)):
            label = low.frame.labels[f"case {case.hash}"] = low.builder.label()
            if case.kind is K.DEFAULT_STMT:
                default = label
                continue
            low.go_to(case)
            site, following = low.site, low.builder.label()
            flow.branch(site, _matches(low, case, operand), label, following)
            low.builder.place(following, site.span)
        low.builder.end(Jump(default, span))
        around = exits.loops[-1][1] if exits.loops else None
        depth = low.frame.depths[-1][1] if low.frame.depths else 0
        with leaving(low, around=depth), exits.looping(after, around, join=after):
            scoped(low, body)
    low.builder.place(after, span)


def _matches(low: Lowering, case: Cursor, operand: Operand) -> Operand:
    """`case 3:`, and GNU's `case 0 ... 9:`."""
    bounds = [clang.constant(part) for part in clang.children(case)[:-1]]
    if None in bounds:
        raise low.refused(f"`case {low.text(clang.children(case)[bounds.index(None)])}`", "write a constant")
    signs = (Opcode.EQ,) if len(bounds) == 1 else (Opcode.GE, Opcode.LE)
    pairs = zip(signs, (fold.constant(bound, operand.type) for bound in bounds), strict=True)
    found = [fold.compared(low.site, sign, operand, bound) for sign, bound in pairs]
    return reduce(partial(fold.joined, low.site, Opcode.AND), found)


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
        return values.VoidValue()
    with scope(low, cursor):
        for child in before:
            low.statement(child)
        return low.value(last)


# leaving ----------------------------------------------------------------------------------------------------


def label(low: Lowering, cursor: Cursor) -> None:
    """A label that `goto` goes to."""
    place = low.frame.labels.setdefault(cursor.spelling, low.builder.label())
    low.builder.place(place, low.span(cursor))
    attributed(low, cursor)


def goto(low: Lowering, cursor: Cursor) -> None:
    """The objects end that begin behind the label, or end before it."""
    span, target = low.span(cursor), clang.children(cursor)[0].referenced
    here, left = clang.begin(target), list[Scope]()
    for scope in low.frame.scopes:
        end = clang.end(scope.cursor)
        left.append(Scope(cursor, [one for one in scope.objects if not one[0] <= here < end]))
    destroy(low, left)
    low.builder.end(Jump(low.frame.labels.setdefault(target.spelling, low.builder.label()), span))


def leave(low: Lowering, cursor: Cursor) -> None:
    """`break` and `continue`; the objects of the blocks that are left end."""
    span, way = low.span(cursor), 0 if cursor.kind is K.BREAK_STMT else 1
    _unwind(low, low.frame.depths[-1][way])
    target = low.frame.exits.loops[-1][way]
    assert target is not None
    low.builder.end(Jump(target, span))


def _unwind(low: Lowering, depth: int, kept: values.Place | None = None) -> None:
    """End the objects of all blocks from this depth on, on this way out only; `kept` is what is returned."""
    destroy(low, [scope.without(kept) for scope in low.frame.scopes[depth:]])


def returned(low: Lowering, cursor: Cursor) -> None:
    """`return`, with or without a value."""
    frame, below = low.frame, clang.children(cursor)
    wanted, kept = frame.result_type, None
    if below and isinstance(wanted, types.Void):
        low.discard(below[0])
    elif below:
        with low.whole():
            kept = _give_back(low, cursor, below[0])
    if frame.single:  # the block that ends here ends its objects
        frame.scopes[-1] = frame.scopes[-1].without(kept)
    else:
        _unwind(low, 0, kept)
        flow.returned(low.site_of(cursor))


def _give_back(low: Lowering, cursor: Cursor, given: Cursor) -> values.Place | None:
    """Keep what is returned; a variable that becomes the result is not copied, and does not end."""
    frame, wanted = low.frame, low.frame.result_type
    own = _returned_variable(low, given)
    if isinstance(wanted, types.Reference):
        place = place_of(low, given)
        if frame.single or not isinstance(place, values.Place):
            frame.result = place
        else:
            low.go_to(cursor)
            outcome_of(low, frame).put(referred(low, place, wanted.target))
        return None
    value = low.read(own) if own is not None else initializers.initial(low, wanted, given)
    low.go_to(cursor)
    if frame.single and not any(scope.objects for scope in frame.scopes) and not low.full.objects:
        frame.result = value
        return own
    outcome_of(low, frame).put(value)
    return own


def _returned_variable(low: Lowering, cursor: Cursor) -> values.Place | None:
    """The variable of this function that is returned, where the text says how it is copied or ends."""
    struct, named = types.bare(low.frame.result_type), low.frame.kept
    if named is None or named != returned_variable(cursor) or not isinstance(struct, types.Struct):
        return None
    place = low.frame.names.get(named)
    if not isinstance(place, values.Place) or types.bare(place.type) is not struct:
        return None
    return place if low.unit.classes.copies(struct) or low.unit.classes.ends(struct) else None
