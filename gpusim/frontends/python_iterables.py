"""What does `for … in …` go through? range(), arrays, tuples, enumerate() and zip(), as in Numba.

A loop counts; item k of what it goes through is computed from the counter. A tuple has no item that is only
known at run time, so a loop over one is written out, once for each item.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_types
from gpusim.frontends.python_calls import Calls
from gpusim.frontends.python_scope import Static, Value, VectorValue, View
from gpusim.frontends.python_slices import ONE, ZERO
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import S64


@dataclass(frozen=True)
class Iterable:
    """How many items, and item k. Of a tuple, k is a constant: then the loop is `written_out`."""

    length: Operand
    item: Callable[[Operand], Value]
    written_out: bool = False


class Iterables(Calls):
    """Expressions, and what loops go through."""

    def iterable(self, node: ast.expr) -> Iterable:
        """What `for … in node` goes through."""
        called = self.called(node)
        span = self.scope.span(node)
        if isinstance(node, ast.Call) and called is range:
            return self._counted(node)
        if isinstance(node, ast.Call) and called is enumerate and len(node.args) in (1, 2):
            inner = self.iterable(node.args[0])
            start = self.scalar(node.args[1]) if len(node.args) == 2 else ZERO
            start = self._copied(start, span)
            self.builder.hold(start)
            return Iterable(
                inner.length, lambda k: (self._sum(start, k, node), inner.item(k)), inner.written_out
            )
        if isinstance(node, ast.Call) and called is zip and node.args:
            parts = [self.iterable(part) for part in node.args]
            length = parts[0].length
            for part in parts[1:]:
                length = self._extreme_of(Opcode.MIN, length, part.length, span)
            written_out = any(part.written_out for part in parts)
            return Iterable(length, lambda k: tuple(part.item(k) for part in parts), written_out)
        value = self.value(node)
        if isinstance(value, tuple) and not isinstance(value, VectorValue):
            if len({item.type for item in value if isinstance(item, Register | Constant)}) > 1:
                raise KernelTypeError(
                    "a loop over a tuple of different types", span, "convert its items to one type"
                )
            return Iterable(Constant(len(value), S64), lambda k: value[_known(k)], written_out=True)
        if isinstance(value, View) and value.dimensions:
            held = value.with_parts([self._copied(part, span) for part in value.parts])
            length = self.extent(held, held.free[0], span)
            return Iterable(length, lambda k: self.loaded(self.view(held, k, node), node))
        hint = "loop over range(…), an array, a tuple, enumerate(…) or zip(…)"
        raise self.unsupported(node, hint, f"a loop over `{ast.unparse(node)}`")

    def called(self, node: ast.expr) -> object:
        """The function of Python that an expression calls, if it calls one."""
        target = self.value(node.func) if isinstance(node, ast.Call) and not node.keywords else None
        return target.object if isinstance(target, Static) else None

    def _counted(self, node: ast.Call) -> Iterable:
        start, stop, step = self.range_limits(node)
        span = self.scope.span(node)
        forward = self._compared(Opcode.GT, step, ZERO, span)
        low, high = self._chosen(forward, start, stop, span), self._chosen(forward, stop, start, span)
        length = self.binary(ast.Sub(), high, low, node) if low != ZERO else high
        length = self.steps_within(length, step, forward, node)
        length = self._extreme_of(Opcode.MAX, self.convert(length, S64, span), ZERO, span)
        return Iterable(length, lambda k: self._sum(start, self._product(step, k, node), node))

    def range_limits(self, call: ast.Call) -> tuple[Operand, Operand, Operand]:
        """Start, stop and step of a range(), evaluated once; they are at least 64 bits wide, as in Numba."""
        span = self.scope.span(call)
        given = [self.scalar(argument) for argument in call.args]
        if not 1 <= len(given) <= 3 or any(not number.type.is_integer for number in given):
            raise KernelTypeError("range() takes one to three whole numbers", span)
        limits: list[Operand] = [ZERO, given[0]] if len(given) == 1 else given[:2]
        limits.append(given[2] if len(given) == 3 else ONE)
        type_ = limits[0].type
        for limit in limits[1:]:
            type_ = python_types.widened(type_, limit.type)
        kept = [self._copied(limit, span) for limit in limits]
        start, stop, step = (self.convert(limit, type_, span) for limit in kept)
        self.builder.hold(start, stop, step)
        if isinstance(step, Constant) and step.value == 0:
            raise KernelTypeError("range() with step 0 never ends", span)
        return start, stop, step


def _known(position: Operand) -> int:
    assert isinstance(position, Constant), "a loop over a tuple is written out"
    return int(position.value)
