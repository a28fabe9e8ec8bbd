"""What does `for … in …` go through? range(), arrays, tuples, enumerate() and zip(), as in Numba.

A loop counts; item k of what it goes through is computed from the counter. A tuple has no item that is only
known at run time, so a loop over one is written out, once for each item.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from gpusim.frontends import fold
from gpusim.frontends.python import types
from gpusim.frontends.python.builtins.intrinsics import gridsize
from gpusim.frontends.python.checks import insist
from gpusim.frontends.python.indices import extent, loaded, numbered, part
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.slices import (
    ONE,
    ZERO,
    chosen,
    difference,
    extreme,
    product,
    steps_within,
    total,
)
from gpusim.frontends.python.values import Flat, Static, Value, View, is_tuple, is_unrolling, to_keep, type_of
from gpusim.frontends.python.variables import held_still
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import S64


@dataclass(frozen=True)
class Items:
    """How many items, and item k. Of a tuple, k is a constant: then the loop is `written_out`, and with
    `literal_unroll` each copy of its body has types of its own.
    """

    length: Operand
    item: Callable[[Operand], Value]
    written_out: bool = False
    alone: bool = False


def iterable(lowering: Lowering, node: ast.expr) -> Items:
    """What `for … in node` goes through."""
    called = function_called(lowering, node)
    if isinstance(node, ast.Call) and called is range:
        return _counted(lowering, node)
    if isinstance(node, ast.Call) and called is enumerate and len(node.args) in (1, 2):
        return _enumerated(lowering, node)
    if isinstance(node, ast.Call) and called is zip and node.args:
        return _zipped(lowering, node)
    listed = isinstance(node, ast.List) and bool(node.elts)
    value = lowering.items(node) if listed else lowering.value(node)
    span = lowering.span(node)
    if is_tuple(value):
        alone = is_unrolling(called)
        if not alone and any(type_of(item) != type_of(value[0]) for item in value):
            raise lowering.wrong(
                f"a loop over a {'list' if listed else 'tuple'} of different types",
                node,
                "convert its items to one type, or write literal_unroll(…) of numba.cuda around it",
            )
        return Items(Constant(len(value), S64), lambda k: value[_known(k)], True, alone)
    if isinstance(value, View) and value.dimensions:
        held = held_still(lowering, value, span)
        length = extent(lowering, held, held.free[0], node)
        return Items(length, lambda k: loaded(lowering, part(lowering, held, k, node), node))
    if isinstance(value, Static) and isinstance(value.object, Flat):
        view = held_still(lowering, value.object.view, span)
        count: Operand = ONE
        for axis in view.free:
            count = product(lowering, count, extent(lowering, view, axis, node), node)
        return Items(count, lambda k: loaded(lowering, numbered(lowering, view, k, node), node))
    hint = "loop over range(…), an array, a tuple, enumerate(…) or zip(…)"
    raise lowering.unsupported(node, to_keep(value) or hint, f"a loop over `{ast.unparse(node)}`")


def function_called(lowering: Lowering, node: ast.expr) -> object:
    """The function of Python that an expression calls, if it calls one."""
    target = lowering.value(node.func) if isinstance(node, ast.Call) and not node.keywords else None
    return target.object if isinstance(target, Static) else None


def _enumerated(lowering: Lowering, node: ast.Call) -> Items:
    inner = iterable(lowering, node.args[0])
    start = lowering.scalar(node.args[1]) if len(node.args) == 2 else ZERO
    start = lowering.copied(start, node)
    lowering.builder.hold(start)
    return Items(inner.length, lambda k: (total(lowering, start, k, node), inner.item(k)), inner.written_out)


def _zipped(lowering: Lowering, node: ast.Call) -> Items:
    parts = [iterable(lowering, argument) for argument in node.args]
    length = parts[0].length
    for other in parts[1:]:
        length = extreme(lowering, Opcode.MIN, length, other.length, node)
    written_out = any(part.written_out for part in parts)
    return Items(length, lambda k: tuple(part.item(k) for part in parts), written_out)


def _counted(lowering: Lowering, node: ast.Call) -> Items:
    start, stop, step = range_limits(lowering, node)
    forward = fold.compared(lowering.site(node), Opcode.GT, step, ZERO)
    low, high = (chosen(lowering, forward, *ends, node) for ends in ((start, stop), (stop, start)))
    length = difference(lowering, high, low, node)
    length = lowering.convert(steps_within(lowering, length, step, forward, node), S64, node)
    length = extreme(lowering, Opcode.MAX, length, ZERO, node)
    return Items(length, lambda k: total(lowering, start, product(lowering, step, k, node), node))


def range_limits(lowering: Lowering, call: ast.Call) -> tuple[Operand, Operand, Operand]:
    """Start, stop and step of a range(), evaluated once; they are at least 64 bits wide, as in Numba."""
    given = [lowering.scalar(argument) for argument in call.args]
    if not 1 <= len(given) <= 3 or any(not number.type.is_integer for number in given):
        raise lowering.wrong("range() takes one to three whole numbers", call)
    limits: list[Operand] = [ZERO, given[0]] if len(given) == 1 else given[:2]
    limits.append(given[2] if len(given) == 3 else ONE)
    type_ = limits[0].type
    for limit in limits[1:]:
        type_ = types.widened(type_, limit.type)
    kept = [lowering.copied(limit, call) for limit in limits]
    start, stop, step = (lowering.convert(limit, type_, call) for limit in kept)
    lowering.builder.hold(start, stop, step)
    if len(given) == 3 and not _is_a_count(lowering, call.args[2]):
        nonzero = fold.compared(lowering.site(call), Opcode.NE, step, fold.constant(0, step.type))
        insist(lowering, nonzero, "range() with step 0 never ends", call)
    return start, stop, step


def _is_a_count(lowering: Lowering, node: ast.expr) -> bool:
    """Is it a number of threads or blocks, such as `cuda.gridsize(1)`, or a name for one? It is never 0."""
    if isinstance(node, ast.Subscript):
        return _is_a_count(lowering, node.value)
    if isinstance(node, ast.Call):
        return function_called(lowering, node) is gridsize
    if isinstance(node, ast.Attribute):
        owner = ast.unparse(node.value).rpartition(".")[2]
        return owner in ("blockDim", "gridDim") or node.attr == "warpsize"
    if not isinstance(node, ast.Name):
        return False
    scope = lowering.scope
    given = [*scope.given.get(node.id, {}).values()]
    value = given[0] if len(given) == 1 else None
    return value is not None and node.id not in scope.parameters and _is_a_count(lowering, value)


def _known(position: Operand) -> int:
    assert isinstance(position, Constant), "a loop over a tuple is written out"
    return int(position.value)
