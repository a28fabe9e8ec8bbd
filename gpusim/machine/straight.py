"""What will a value be in a million rounds of a loop? `start + round * slope`, while that fits its type.

Values of lanes go on in straight lines, each lane on its own, for as many rounds as are asked about; or
nothing is known of them. Whole numbers only: of floats too, where each sum and product of them is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpusim.ir.instructions import Instruction, Opcode
from gpusim.machine.functions.arithmetic import ARITHMETIC

WIDEST = 1 << 60  # twice this, and the sum of two such, are still in 64 bits


class Line(NamedTuple):
    """`start`, in the type of its register, goes on by `slope`, int64, where that is `known`, bool.

    Each is (n, L), (n, 1), or one number.
    """

    start: Any
    slope: Any = np.int64(0)
    known: Any = np.True_

    def of(self, rows: Any) -> Line:
        """Of some warps."""
        return self if rows is None else Line(*(part[rows] if np.ndim(part) else part for part in self))

    def where(self, lanes: Any, other: Line) -> Line:
        """In these lanes this one, in all others the other."""
        return Line(*(np.where(lanes, mine, its) for mine, its in zip(self, other, strict=True)))

    def after(self, rounds: int) -> Any:
        """The value so many rounds later, where it is known."""
        start = np.asarray(self.start)
        return start if start.dtype.kind in "bcV" else start + (self.slope * rounds).astype(start.dtype)

    def overwritten(self, line: Line, rows: Any, active: Any) -> Line:
        """A register, (W, L) or (W, 1), to which some lanes of some warps write."""
        shape, some = np.shape(self.start), slice(None) if rows is None else rows
        parts = [np.array(np.broadcast_to(part, shape)) for part in self]
        for part, new in zip(parts, line, strict=True):
            part[some] = new if active is None or shape[1] == 1 else np.where(active, new, part[some])
        return Line(*parts)

    def leads_to(self, following: Line) -> Any:
        """Where it is known: is this the line that goes on where it was said to?"""
        right = following.known & (following.start == self.after(1)) & (following.slope == self.slope)
        return right | ~self.known

    @property
    def steady(self) -> Any:
        """Where is it known to stay the same?"""
        return self.known & (self.slope == 0)


Rule = Callable[[Sequence[Line], Any, int], tuple[Any, Any]]


def added(of: Sequence[Line], _result: Any, _rounds: int) -> tuple[Any, Any]:
    """The slope of a sum, and where that is right: of floats, only of whole numbers."""
    return of[0].slope + of[1].slope, _whole(of[0].start) & _whole(of[1].start)


def subtracted(of: Sequence[Line], _result: Any, _rounds: int) -> tuple[Any, Any]:
    """The same of a difference."""
    return of[0].slope - of[1].slope, _whole(of[0].start) & _whole(of[1].start)


def multiplied(of: Sequence[Line], _result: Any, _rounds: int) -> tuple[Any, Any]:
    """Of a line and a number that stays the same."""
    (one, its_slope, _), (other, other_slope, _) = of
    a, b = _as_int64(one), _as_int64(other)
    within = np.abs(its_slope * np.float64(1)) * np.abs(b) + np.abs(other_slope * np.float64(1)) * np.abs(a)
    straight = ((its_slope == 0) | (other_slope == 0)) & (within < WIDEST)
    whole = _whole(one) & _whole(other) & (np.abs(one * 1.0) < WIDEST) & (np.abs(other * 1.0) < WIDEST)
    return its_slope * b + other_slope * a, straight & whole


def shifted(of: Sequence[Line], result: Any, rounds: int) -> tuple[Any, Any]:
    """Multiplied by 1, 2, 4, …"""
    by = np.clip(of[1].start, 0, 62).astype(np.int64)
    slope, right = multiplied((of[0], Line(np.int64(1) << by)), result, rounds)
    return slope, right & (of[1].slope == 0) & (by == of[1].start)


def negated(of: Sequence[Line], _result: Any, _rounds: int) -> tuple[Any, Any]:
    """-x goes down where x goes up."""
    return -of[0].slope, np.True_


def kept(of: Sequence[Line], result: Any, _rounds: int) -> tuple[Any, Any]:
    """A copy, or the same number in another type."""
    return of[0].slope, result == of[0].start


def chosen(of: Sequence[Line], _result: Any, _rounds: int) -> tuple[Any, Any]:
    """One of two lines, always the same one."""
    flag, one, other = of
    return np.where(flag.start, one.slope, other.slope), flag.slope == 0


def remaining(of: Sequence[Line], _result: Any, rounds: int) -> tuple[Any, Any]:
    """x % 4 stays the same where x goes on by 8."""
    divisor, straight = _as_int64(of[1].start), of[1].slope == 0
    same_sign = np.sign(of[0].start) * np.sign(of[0].after(rounds)) > 0
    multiple = of[0].slope % np.where(divisor == 0, 1, divisor) == 0
    return np.int64(0), straight & (divisor != 0) & same_sign & multiple & (divisor == of[1].start)


def masked(of: Sequence[Line], result: Any, rounds: int) -> tuple[Any, Any]:
    """The same for x & 3."""
    mask = _as_int64(of[1].start)
    slope, right = remaining((of[0], Line(mask + 1, of[1].slope)), result, rounds)
    return slope, right & (mask & mask + 1 == 0) & (mask >= 0) & (mask == of[1].start)


def compared(*by: Opcode) -> Rule:
    """A line that is below another now and at the end has been so all the time."""

    def rule(of: Sequence[Line], _result: Any, rounds: int) -> tuple[Any, Any]:
        now, then = [line.start for line in of], [line.after(rounds) for line in of]
        same = [ARITHMETIC[opcode](*now) == ARITHMETIC[opcode](*then) for opcode in by]
        return np.int64(0), np.logical_and.reduce(np.broadcast_arrays(*same))

    return rule


# what may go on when its operands do; all else is known only of what stays the same
RULES: dict[Opcode, Rule] = {
    Opcode.ADD: added,
    Opcode.SUB: subtracted,
    Opcode.MUL: multiplied,
    Opcode.SHL: shifted,
    Opcode.NEG: negated,
    Opcode.MOVE: kept,
    Opcode.CONVERT: kept,
    Opcode.SELECT: chosen,
    Opcode.FLOOR_MOD: remaining,
    Opcode.MOD_TRUNC: remaining,
    Opcode.AND: masked,
    Opcode.EQ: compared(Opcode.LT, Opcode.GT),
    Opcode.NE: compared(Opcode.LT, Opcode.GT),
    **{opcode: compared(opcode) for opcode in (Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE)},
}


def computed(instruction: Instruction, of: Sequence[Line], result: Any, rounds: int) -> Line:
    """The line of an instruction's result, which is `result` now."""
    known, steady = np.True_, np.True_
    for line in of:
        known, steady = known & line.known, steady & (line.slope == 0)
    rule = RULES.get(instruction.opcode)
    if rule is None or bool(np.all(steady)) or instruction.type.is_complex:
        return Line(result, np.int64(0), known & steady)
    slope, right = rule(of, result, rounds)
    line = Line(result, np.where(steady, 0, slope), known & (steady | right))
    return line._replace(known=line.known & (steady | fits(line, rounds)))


def guessed(now: Line, then: Line, rounds: int) -> Line:
    """The line through what a register holds in two rounds; of numbers that do not count, what stays."""
    start, next_start = np.asarray(now.start), np.asarray(then.start)
    slope: Any = np.zeros(start.shape, np.int64)
    if start.dtype.kind in "iu":
        slope = next_start.astype(np.int64) - start.astype(np.int64)
    elif start.dtype.kind == "f":
        small = (np.abs(start) < WIDEST) & (np.abs(next_start) < WIDEST)
        slope = np.where(small, next_start - start, 0).astype(np.int64)
    line = Line(now.start, slope)
    return line._replace(known=fits(line, rounds) & (line.after(1) == next_start))


def fits(line: Line, rounds: int) -> Any:
    """Where are all values of these rounds whole numbers that the type holds, and 64 bits?"""
    start, slope = np.asarray(line.start), line.slope
    if start.dtype.kind not in "iuf":
        return slope == 0
    most = 1 << np.finfo(start.dtype).nmant if start.dtype.kind == "f" else np.iinfo(start.dtype).max
    least = -most if start.dtype.kind == "f" else np.iinfo(start.dtype).min
    steepest = WIDEST // max(rounds, 1)
    small = (start <= WIDEST) & (start >= -WIDEST) & (slope <= steepest) & (slope >= -steepest)
    end = np.where(small, start, 0).astype(np.int64) + np.where(small, slope, 0) * rounds
    inside = (start >= least) & (start <= most) & (end >= least) & (end <= most)
    return (slope == 0) | (small & _whole(start) & inside)


def _whole(number: Any) -> Any:
    return np.trunc(number) == number if np.asarray(number).dtype.kind == "f" else np.True_


def _as_int64(number: Any) -> Any:
    number = np.asarray(number)
    return np.where(np.abs(number * 1.0) < WIDEST, number, 0).astype(np.int64)
