"""Which elements does `x[lower:upper:step]` take? Bounds are clipped as in Python; constants are folded.

A slice of one axis is a new first byte, a new extent and a new stride.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_constants
from gpusim.frontends.python_expressions import Expressions
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED, S64
from gpusim.source import Span

ZERO, ONE = Constant(0, S64), Constant(1, S64)


class Axis(NamedTuple):
    """One axis of a view: the index along it if that is given, its extent, its stride in bytes."""

    given: Operand | None
    extent: Operand
    stride: Operand


@dataclass(frozen=True)
class Cut:
    """`lower:upper:step`; None where nothing is written."""

    lower: Operand | None
    upper: Operand | None
    step: Operand | None

    @property
    def is_whole(self) -> bool:
        """`:` alone."""
        return self.lower is self.upper is self.step is None


REST = Cut(None, None, None)  # what an ellipsis stands for


class Slices(Expressions):
    """Expressions, and slices of an axis."""

    def cut(self, first: Operand, axis: Axis, cut: Cut, node: ast.AST) -> tuple[Operand, Axis]:
        """Slice one axis: where it begins then, and what is left of it. Bounds are clipped, as in Python."""
        span, extent = self.scope.span(node), axis.extent
        step = self.convert(cut.step, S64, span) if cut.step is not None else ONE
        if isinstance(step, Constant) and step.value == 0:
            raise KernelTypeError("a slice with step 0", span, "take a step of at least 1, or -1 to go back")
        forward, minus_one = self._compared(Opcode.GT, step, ZERO, span), Constant(-1, S64)
        # going back, bounds lie between -1, before the first element, and the last element
        low, high = self._chosen(forward, ZERO, minus_one, span), extent
        if not isinstance(forward, Constant) or not forward.value:
            high = self._chosen(forward, extent, self._sum(extent, minus_one, node), span)

        def clipped(bound: Operand | None, default: Operand) -> Operand:
            if bound is None:
                return default
            place = self.convert(bound, S64, span)
            from_end = isinstance(bound, Constant) and bound.value < 0
            if from_end or (isinstance(bound, Register) and bound.type.kind == "i"):
                below = self._compared(Opcode.LT, place, ZERO, span)
                place = self._chosen(below, self._sum(place, extent, node), place, span)
            if not (isinstance(place, Constant) and isinstance(low, Constant) and place.value >= low.value):
                place = self._extreme_of(Opcode.MAX, place, low, span)
            return place if from_end or place == low else self._extreme_of(Opcode.MIN, place, high, span)

        start = clipped(cut.lower, self._chosen(forward, low, high, span))
        stop = clipped(cut.upper, self._chosen(forward, high, low, span))
        one, other = self._chosen(forward, stop, start, span), self._chosen(forward, start, stop, span)
        length = extent
        if (one, other) != (high, low):
            length = self.binary(ast.Sub(), one, other, node) if other != ZERO else one
        length = self.steps_within(length, step, forward, node)
        if cut.lower is not None and cut.upper is not None and (one, other) != (stop, ZERO):
            length = self._extreme_of(Opcode.MAX, length, ZERO, span)
        first = self._sum(first, self._product(start, axis.stride, node), node)
        return first, Axis(None, length, self._product(axis.stride, step, node))

    def steps_within(self, distance: Operand, step: Operand, forward: Operand, node: ast.AST) -> Operand:
        """How many steps fit into a distance, begun ones counted: 5 within 10 for a step of 2, 4 for 3."""
        span, minus_one = self.scope.span(node), Constant(-1, S64)
        width = self._chosen(forward, step, self._product(step, minus_one, node), span)
        if width == ONE:
            return distance
        return self.binary(
            ast.FloorDiv(), self._sum(distance, self._sum(width, minus_one, node), node), width, node
        )

    # arithmetic on extents: constants are folded ------------------------------------------------------------

    def _sum(self, one: Operand, other: Operand, node: ast.AST) -> Operand:
        if one == ZERO or other == ZERO:
            return other if one == ZERO else one
        return self.binary(ast.Add(), one, other, node)

    def _product(self, one: Operand, other: Operand, node: ast.AST) -> Operand:
        if one == ONE or other == ONE:
            return other if one == ONE else one
        return ZERO if ZERO in (one, other) else self.binary(ast.Mult(), one, other, node)

    def _extreme_of(self, opcode: Opcode, one: Operand, other: Operand, span: Span) -> Operand:
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant((min if opcode is Opcode.MIN else max)(one.value, other.value), S64)
        return self.builder.value(opcode, S64, (one, other), span)

    def _compared(self, opcode: Opcode, one: Operand, other: Operand, span: Span) -> Operand:
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant(python_constants.RELATIONS[opcode](one.value, other.value), PRED)
        return self.builder.value(opcode, S64, (one, other), span, result=PRED)

    def _chosen(self, flag: Operand, one: Operand, other: Operand, span: Span) -> Operand:
        if isinstance(flag, Constant):
            return one if flag.value else other
        return self.select(flag, one, other, span)


def kept_layout(layout: str, items: Sequence[Operand | Cut | None], dimensions: int) -> str:
    """Numba's rule: whole numbers outside, and a slice without a step only innermost, stay contiguous."""
    outside_in = list(items)
    if layout == "F":
        outside_in += [Cut(None, None, None)] * (dimensions - len(items))
        outside_in.reverse()
    while outside_in and outside_in[-1] is REST:
        outside_in.pop()
    dense = all(isinstance(item, Register | Constant) for item in outside_in[:-1])
    if outside_in and isinstance(outside_in[-1], Cut):
        dense = dense and outside_in[-1].step is None
    return layout if dense and None not in outside_in else "A"
