"""How many lanes work at each instruction? 32 of 32 together, 16 on each side of a halved branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gpusim.events import BarrierReached, BlockIssued, BranchTaken, Event, GridLaunched, GridObserver
from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block
from gpusim.ir.terminators import Branch
from gpusim.measurements.ledger import Ledger
from gpusim.source import Source


def forks(blocks: Sequence[Block], reconvergence: Sequence[int | None]) -> frozenset[tuple[Source, int]]:
    """At which source lines does a branch have work on both sides? Where a warp splits there, it does both.

    `if i < n:` has none on its other side, and a loop none for the lanes that leave.
    """
    found = set()
    for index, block in enumerate(blocks):
        if isinstance(block.terminator, Branch):
            sides = control_flow.sides(blocks, index, reconvergence[index])
            if all(any(blocks[b].instructions for b in side) for side in sides):
                found.add((block.terminator.span.source, block.terminator.span.line))
    return frozenset(found)


class Divergence(GridObserver):
    """Counts instructions, branches and barriers into a ledger."""

    wants = frozenset({BlockIssued, BranchTaken, BarrierReached})

    def __init__(self, ledger: Ledger, launched: GridLaunched) -> None:
        self._ledger = ledger
        self._lines = [
            list(Counter(part.span for part in control_flow.issued(block, index)).items())
            for index, block in enumerate(launched.blocks)
        ]

    def observe(self, event: Event) -> None:
        match event:
            case BlockIssued(block=index, warps=warps, active_lanes=lanes):
                for span, count in self._lines[index]:
                    self._ledger.add(span, "instructions", count * len(warps))
                    self._ledger.add(span, "thread_instructions", count * lanes)
            case BranchTaken(warps=warps, active=active, taken=taken, span=span):
                split = taken.any(axis=1) & (active & ~taken).any(axis=1)
                self._ledger.add(span, "branches", len(warps))
                self._ledger.add(span, "divergent_branches", int(np.count_nonzero(split)))
            case BarrierReached(warps=warps, span=span):
                self._ledger.add(span, "barriers", len(warps))
