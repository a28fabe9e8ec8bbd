"""Which elements does `x[lower:upper:step]` take? Bounds are clipped as in Python; constants are folded.

A slice of one axis is a new first byte, a new extent and a new stride.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpusim.frontends import fold
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.operators import binary
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import S64

ZERO, ONE, MINUS_ONE = Constant(0, S64), Constant(1, S64), Constant(-1, S64)


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


def sliced(lowering: Lowering, first: Operand, axis: Axis, cut: Cut, node: ast.AST) -> tuple[Operand, Axis]:
    """Slice one axis: where it begins then, and what is left of it. Bounds are clipped, as in Python."""
    extent = axis.extent
    step = lowering.convert(cut.step, S64, node) if cut.step is not None else ONE
    if step == ZERO:
        raise lowering.wrong("a slice with step 0", node, "take a step of at least 1, or -1 to go back")
    forward = fold.compared(lowering.site(node), Opcode.GT, step, ZERO)
    # going back, bounds lie between -1, before the first element, and the last element
    low, high = chosen(lowering, forward, ZERO, MINUS_ONE, node), extent
    if not isinstance(forward, Constant) or not forward.value:
        high = chosen(lowering, forward, extent, total(lowering, extent, MINUS_ONE, node), node)

    def clipped(bound: Operand | None, default: Operand) -> Operand:
        if bound is None:
            return default
        place = lowering.convert(bound, S64, node)
        from_end = isinstance(bound, Constant) and bound.value < 0
        if from_end or (isinstance(bound, Register) and bound.type.kind == "i"):
            below = fold.compared(lowering.site(node), Opcode.LT, place, ZERO)
            place = chosen(lowering, below, total(lowering, place, extent, node), place, node)
        if not (isinstance(place, Constant) and isinstance(low, Constant) and place.value >= low.value):
            place = extreme(lowering, Opcode.MAX, place, low, node)
        return place if from_end or place == low else extreme(lowering, Opcode.MIN, place, high, node)

    start = clipped(cut.lower, chosen(lowering, forward, low, high, node))
    stop = clipped(cut.upper, chosen(lowering, forward, high, low, node))
    one = chosen(lowering, forward, stop, start, node)
    other = chosen(lowering, forward, start, stop, node)
    length = extent if (one, other) == (high, low) else difference(lowering, one, other, node)
    length = steps_within(lowering, length, step, forward, node)
    if cut.lower is not None and cut.upper is not None and (one, other) != (stop, ZERO):
        length = extreme(lowering, Opcode.MAX, length, ZERO, node)
    first = total(lowering, first, product(lowering, start, axis.stride, node), node)
    return first, Axis(None, length, product(lowering, axis.stride, step, node))


def steps_within(
    lowering: Lowering, distance: Operand, step: Operand, forward: Operand, node: ast.AST
) -> Operand:
    """How many steps fit into a distance, begun ones counted: 5 within 10 for a step of 2, 4 for 3."""
    width = chosen(lowering, forward, step, product(lowering, step, MINUS_ONE, node), node)
    if width == ONE:
        return distance
    begun = total(lowering, distance, total(lowering, width, MINUS_ONE, node), node)
    return binary(lowering, ast.FloorDiv(), begun, width, node)


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


# arithmetic on extents: constants are folded ----------------------------------------------------------------


def total(lowering: Lowering, one: Operand, other: Operand, node: ast.AST) -> Operand:
    """The sum of two extents."""
    if ZERO in (one, other):
        return other if one == ZERO else one
    return binary(lowering, ast.Add(), one, other, node)


def difference(lowering: Lowering, one: Operand, other: Operand, node: ast.AST) -> Operand:
    """How much more `one` is."""
    return one if other == ZERO else binary(lowering, ast.Sub(), one, other, node)


def product(lowering: Lowering, one: Operand, other: Operand, node: ast.AST) -> Operand:
    """The product of two extents."""
    if ONE in (one, other):
        return other if one == ONE else one
    return ZERO if ZERO in (one, other) else binary(lowering, ast.Mult(), one, other, node)


def extreme(lowering: Lowering, opcode: Opcode, one: Operand, other: Operand, node: ast.AST) -> Operand:
    """The smaller or the larger of two extents."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        return Constant((min if opcode is Opcode.MIN else max)(one.value, other.value), S64)
    return lowering.compute(opcode, S64, (one, other), node)


def chosen(lowering: Lowering, flag: Operand, one: Operand, other: Operand, node: ast.AST) -> Operand:
    """One extent or the other; a known one keeps its type."""
    if isinstance(flag, Constant):
        return one if flag.value else other
    return lowering.select(flag, one, other, node)
