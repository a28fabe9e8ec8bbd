"""What ends a basic block? Where its lanes go on, or whom they wait for."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.ir.instructions import Opcode, Operand, Register
from gpusim.source import Span


@dataclass(frozen=True, eq=False)
class Jump:
    """All lanes go on at block `target`."""

    target: int
    span: Span


@dataclass(frozen=True, eq=False)
class Branch:
    """Lanes go to `then` where `condition` holds, else to `otherwise`."""

    condition: Register
    then: int
    otherwise: int
    span: Span


ARRIVES = Opcode.NAMED_ARRIVE, Opcode.NAMED_DROP  # and go on at once


@dataclass(frozen=True, eq=False)
class Barrier:
    """Lanes wait for the whole thread block, then go on at `target`; a vote takes a predicate of each.

    `GRID_BARRIER` is the grid's; the `named` have a number, and count so many threads (0: all that are left).
    At `CHILDREN` a lane waits for no other lane, but for the grids that its block has launched.
    """

    target: int
    span: Span
    opcode: Opcode = Opcode.BARRIER
    operands: tuple[Operand, ...] = ()

    @property
    def named(self) -> bool:
        """Is it one of a block's numbered barriers, for a part of its threads?"""
        return self.opcode in (Opcode.NAMED_SYNC, Opcode.NAMED_WAIT, *ARRIVES)


@dataclass(frozen=True, eq=False)
class Exchange:
    """Lanes wait for those that `operands[0]` names, then all exchange values and go on at `target`."""

    opcode: Opcode
    operands: tuple[Operand, ...]
    target: int
    span: Span


@dataclass(frozen=True, eq=False)
class Return:
    """Lanes leave the kernel. Those that did not meet again where the construct around it joins: `join`."""

    span: Span
    join: int | None = None


Terminator = Jump | Branch | Barrier | Exchange | Return
