"""How does a loop become basic blocks? `while`, `for` over a range, over arrays, and over tuples."""

from __future__ import annotations

import ast
import dis
from functools import partial

from gpusim.frontends import flow
from gpusim.frontends.python import joins, liveness
from gpusim.frontends.python.assignments import assign
from gpusim.frontends.python.conditions import condition
from gpusim.frontends.python.decided import known
from gpusim.frontends.python.iterables import Items, function_called, iterable, range_limits
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.values import Value
from gpusim.frontends.python.variables import as_now, bind
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.terminators import Jump
from gpusim.ir.types import PRED, S64

# does CPython write the test of a `while` twice, so that Numba finds types for each? Up to 3.13 it does
WHILE = dis.get_instructions(compile("while x: pass", "", "exec"))
TESTS_TWICE = [one.argval for one in WHILE].count("x") > 1


def while_loop(lowering: Lowering, node: ast.While) -> None:
    """`while test:`, with or without `else`."""
    if TESTS_TWICE and joins.spot_of(lowering, node) in lowering.variables.twice:
        _tested_twice(lowering, node)
        return
    rounds, test = joins.Rounds(lowering, node, node), partial(condition, lowering, node.test)
    otherwise = partial(rounds.otherwise, ends=known(lowering, node.test) is not True)
    flow.loop(lowering.site(node), test, rounds.body, otherwise=otherwise)
    rounds.close()


def _tested_twice(lowering: Lowering, node: ast.While) -> None:
    """Each test with the types that come to it: the first from before the loop and from each `continue`, the
    second from the end of a round. The head of rounds is behind both.
    """
    builder, scope, span = lowering.builder, lowering.scope, lowering.span(node)
    first, inside, body, following, second, otherwise, after = (builder.label() for _ in range(7))

    def test(holds: int) -> None:
        way, fails = joins.here(lowering), builder.label()
        condition(lowering, node.test, holds, fails)
        builder.place(fails, span)
        scope.follow(way)
        joins.leads_to(lowering, otherwise)
        builder.end(Jump(otherwise, span))
        builder.place(holds, span)
        scope.follow(way)

    begun = joins.Rounds(lowering, node, node.test)
    builder.place(first, span)
    test(inside)
    rounds = joins.Rounds(lowering, node, node)
    builder.place(body, span)
    with scope.exits.looping(after, first, join=second):
        lowering.body(node.body)
    ends = builder.reachable
    builder.place(second, span)
    if ends:
        test(following)
        rounds.meet([joins.here(lowering)])
    builder.end(Jump(body, span))
    begun.meet(scope.ways.pop(first, []))
    builder.place(otherwise, span)
    joins.meet(lowering, scope.ways.pop(otherwise), rounds.needed, node)
    lowering.body(node.orelse)
    joins.leads_to(lowering, after)
    builder.place(after, span)
    joins.meet(lowering, scope.ways.pop(after, []), scope.liveness.behind[node], node)


def for_loop(lowering: Lowering, node: ast.For) -> None:
    """`for target in items:`, with or without `else`."""
    if isinstance(node.target, ast.Name) and function_called(lowering, node.iter) is range:
        assert isinstance(node.iter, ast.Call)
        _over_range(lowering, node, node.target.id, range_limits(lowering, node.iter))
        return
    items = iterable(lowering, node.iter)
    if items.written_out:
        _write_out(lowering, node, items)
        return
    counter = Register(f"{ast.unparse(node.target)}'", S64)
    rounds = joins.Rounds(lowering, node, node)

    def body() -> None:
        assign(lowering, node.target, items.item(counter))
        rounds.body()

    flow.counted(lowering.site(node), counter, items.length, body, rounds.otherwise)
    rounds.close()


def _over_range(
    lowering: Lowering, node: ast.For, name: str, limits: tuple[Operand, Operand, Operand]
) -> None:
    """The loop variable is the counter where nothing can tell the difference."""
    site, (start, stop, step) = lowering.site(node), limits
    if _changed_or_kept(lowering, name, node):
        counter = Register(f"{name}'", start.type)
    else:
        lowering.scope.values[name] = counter = lowering.scope.register(name, start.type)
    lowering.move(start, counter, node)
    rounds = joins.Rounds(lowering, node, node)

    def test(inside: int, exhausted: int) -> None:
        bound = site.builder.label()
        flow.branch(site, _in_range(lowering, counter, stop, step, node), bound, exhausted)
        site.builder.place(bound, site.span)
        if lowering.scope.values.get(name) is not counter:
            bind(lowering, name, counter, site.span)

    def following() -> None:
        by = lowering.convert(step, counter.type, node)
        lowering.compute(Opcode.ADD, counter.type, (counter, by), node, into=counter)

    flow.loop(site, test, rounds.body, following, rounds.otherwise)
    rounds.close()


def _in_range(lowering: Lowering, counter: Register, stop: Operand, step: Operand, node: ast.For) -> Register:
    type_ = counter.type
    stop = lowering.convert(stop, type_, node)

    def test(opcode: Opcode) -> Register:
        return lowering.compute(opcode, type_, (counter, stop), node, result=PRED)

    if isinstance(step, Constant):
        return test(Opcode.LT if step.value > 0 else Opcode.GT)
    by = lowering.convert(step, type_, node)
    upward = lowering.compute(Opcode.GT, type_, (by, Constant(0, type_)), node, result=PRED)
    return lowering.compute(Opcode.SELECT, PRED, (upward, test(Opcode.LT), test(Opcode.GT)), node)


def _changed_or_kept(lowering: Lowering, name: str, loop: ast.For) -> bool:
    """Is the loop variable assigned in the loop, or mentioned outside it?"""
    scope = lowering.scope
    inside, mentions = (
        [one for one in liveness.names(trees) if one.id == name]
        for trees in ([loop.target, loop.iter, *loop.body], [scope.tree])
    )
    assigned = sum(isinstance(one.ctx, ast.Store) for one in inside) > 1
    kept = name in scope.liveness.everywhere or name in scope.parameters or len(mentions) > len(inside)
    return assigned or kept


def _write_out(lowering: Lowering, node: ast.For, items: Items) -> None:
    """The body once for each item; what the loop variables are is known in each copy only."""
    if not isinstance(items.length, Constant):
        hint = "index the tuple's items by constants"
        raise lowering.unsupported(node.iter, hint, "a loop over a tuple together with an array")
    builder, span, scope = lowering.builder, lowering.span(node), lowering.scope
    given, count = items.item, items.length.value
    if liveness.read([node.iter]) & liveness.stored(node.body):  # the items are those from before the loop
        kept = [as_now(lowering, items.item(Constant(position, S64)), span) for position in range(count)]
        for each in kept:
            parts = each if isinstance(each, tuple) else (each,)
            builder.hold(*(part for part in parts if isinstance(part, Register)))
        given = partial(_kept, kept)
    rounds, after, copies = joins.Rounds(lowering, node, node), builder.label(), scope.copies
    for position in range(count):
        following = builder.label()
        scope.follow(rounds.head)
        item = given(Constant(position, S64))
        assign(lowering, node.target, item)
        if items.alone:
            scope.copies += (position,)
        else:
            for name in liveness.stored([node.target]):  # it is no constant, as in Numba
                if isinstance(held := scope.values[name], Register):
                    lowering.literals.pop(held, None)
        with scope.exits.looping(after, following, join=following):
            lowering.body(node.body)
            scope.copies = copies
            rounds.end_round()
        builder.place(following, span)
    rounds.otherwise()
    builder.place(after, span)
    rounds.close()


def _kept(items: list[Value], position: Operand) -> Value:
    assert isinstance(position, Constant)
    return items[int(position.value)]


def leave_loop(lowering: Lowering, node: ast.Break) -> None:
    """`break`."""
    after, _ = lowering.scope.exits.loops[-1]
    joins.leads_to(lowering, after)
    lowering.builder.end(Jump(after, lowering.span(node)))


def next_round(lowering: Lowering, node: ast.Continue) -> None:
    """`continue`."""
    _, again = lowering.scope.exits.loops[-1]
    assert again is not None
    joins.leads_to(lowering, again)
    lowering.builder.end(Jump(again, lowering.span(node)))
