"""What did each warp do, step by step? A full record of small grids, for the warp player.

W warps of the grid, L lanes a warp. A step is a source line, or the part of one in a basic block.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import (
    BarrierReached,
    BlockIssued,
    BranchTaken,
    Event,
    GridLaunched,
    GridObserver,
    Lanes,
    MemoryAccess,
    RegisterWritten,
    WarpState,
)
from gpusim.ir import control_flow
from gpusim.ir.control_flow import Block, Issued
from gpusim.ir.terminators import Branch, Return
from gpusim.ir.types import Space
from gpusim.measurements.elements import Numbering, named
from gpusim.source import PYTHON

MOST_WARPS = 16
MOST_FRAMES = 1000
MOST_CELLS = 64  # of a larger array only what is touched is kept
UNSPLIT, IF_SIDE, ELSE_SIDE = range(3)
LETTERS = "cie"  # coherent, if side, else side


@dataclass
class Step:
    """One warp executes (a part of) a line under `active`, bool (L,), from `state` on.

    `taken`: which of them found the branch's condition true, where this ends with a branch. What was given
    to variables is by name, of all lanes; reads and writes are elements by array.
    """

    warp: int
    block: int
    line: int
    parts: list[Issued]
    active: Lanes
    state: WarpState
    letter: str
    ends_block: bool
    instructions: int  # of its warp, so far
    thread_instructions: int
    taken: Lanes | None = None
    barrier: bool = False
    given: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    reads: dict[str, set[int]] = field(default_factory=dict)
    writes: dict[str, dict[int, Any]] = field(default_factory=dict)

    @property
    def mask(self) -> str:
        """The active mask in hexadecimal, lane 0 in the last digit."""
        return hexadecimal(self.state.stack[-1].mask)


@dataclass
class Memory:
    """An array that was touched: in which space it is, and what elements held before, where that is known."""

    space: Space
    elements: int
    before: dict[int, Any]


@dataclass(frozen=True)
class Row:
    """Instructions of a block that come from one line, one after the other."""

    line: int
    parts: list[Issued]


class Trace(GridObserver):
    """Records a step for every source line that a warp executes; `too_large` says why there are none."""

    def __init__(self, launched: GridLaunched, too_large: str = "") -> None:
        self.launched, self.too_large = launched, too_large
        self.steps: list[Step] = []
        self.memories: dict[str, Memory] = {}
        warps = math.prod(launched.grid) * launched.warps_per_block
        if not too_large and warps > MOST_WARPS:
            self.too_large = f"its grid has {warps} warps, and traces are kept up to {MOST_WARPS}"
        if not self.too_large:
            self.wants = frozenset({BlockIssued, BranchTaken, BarrierReached, MemoryAccess, RegisterWritten})
            self._begin(launched, warps)

    def observe(self, event: Event) -> None:
        if self.too_large:
            return
        self._settle()
        match event:
            case BlockIssued():
                for position, warp in enumerate(event.warps.tolist()):
                    self._record(event, position, warp)
                if len(self.steps) > MOST_FRAMES:
                    self.steps, self.too_large = [], f"it takes more than {MOST_FRAMES} frames"
            case BranchTaken():
                self._split(event)
            case BarrierReached(warps=warps):
                for warp in warps.tolist():
                    self._current[warp][-1].barrier = True
            case RegisterWritten(instruction=instruction):
                if instruction.span.caller is None and instruction.destination is not None:
                    for row, warp in enumerate(event.warps.tolist()):
                        step = self._step(warp, instruction)
                        step.given[instruction.destination.name] = event.values[row].copy()
            case MemoryAccess() if event.space is not Space.LOCAL:
                for name, elements, access in named(event, self.launched.arrays):
                    self._access(access, name, elements)

    def ended(self, error: BaseException | None) -> None:
        """What the last access left in memory is the end of the story."""
        self._settle()

    def line(self, block: int) -> int:
        """Where a block begins; what only ends the kernel begins below its last line."""
        rows = self._rows[block]  # none where it only falls through to the next
        return rows[0].line if rows else self.launched.blocks[block].span.outermost.line

    def _begin(self, launched: GridLaunched, warps: int) -> None:
        blocks = launched.blocks
        self._rows = [_rows(block, index) for index, block in enumerate(blocks)]
        self._regions: list[tuple[int, set[int]]] = []
        for index, block in enumerate(blocks):
            if isinstance(block.terminator, Branch):
                then, otherwise = control_flow.sides(blocks, index, launched.reconvergence[index])
                self._regions.append((index, then | otherwise))
        self._regions.sort(key=lambda region: len(region[1]))
        self._sides = {
            index: np.zeros((warps, launched.device.warp_size), np.int8) for index, _ in self._regions
        }
        self._instructions, self._thread_instructions = [0] * warps, [0] * warps
        self._current: dict[int, list[Step]] = {}  # of a warp's basic block
        self._pending: list[tuple[dict[int, Any], list[int], npt.NDArray[Any], npt.NDArray[np.int64]]] = []

    def _record(self, event: BlockIssued, position: int, warp: int) -> None:
        active, state = event.active[position].copy(), event.state(position)
        letter, lanes = self._letter(event.block, warp, active, state), int(active.sum())
        self._current[warp] = []
        rows = self._rows[event.block]
        for row in rows:
            self._instructions[warp] += len(row.parts)
            self._thread_instructions[warp] += len(row.parts) * lanes
            counts = self._instructions[warp], self._thread_instructions[warp]
            step = Step(
                warp, event.block, row.line, row.parts, active, state, letter, row is rows[-1], *counts
            )
            self._current[warp].append(step)
            self.steps.append(step)

    def _letter(self, block: int, warp: int, active: Lanes, state: WarpState) -> str:
        """Coherent if every lane that is left runs; else the side of the innermost branch that split them."""
        if (active == (state.present & ~state.left)).all():
            return LETTERS[UNSPLIT]
        for index, region in self._regions:
            side = self._sides[index][warp][active]
            if block in region and side.size and side[0] != UNSPLIT:
                return LETTERS[int(side[0])]
        outside = [int(sides[warp][active][0]) for sides in self._sides.values() if active.any()]
        return LETTERS[next((side for side in outside if side != UNSPLIT), IF_SIDE)]

    def _split(self, event: BranchTaken) -> None:
        for warp, active, taken in zip(event.warps.tolist(), event.active, event.taken, strict=True):
            self._current[warp][-1].taken = taken.copy()
            sides, parted = self._sides[event.block][warp], taken.any() and (active & ~taken).any()
            sides[active] = np.where(taken[active], IF_SIDE, ELSE_SIDE) if parted else UNSPLIT

    def _step(self, warp: int, instruction: Issued) -> Step:
        """The step of a warp's block that has this instruction."""
        return next(step for step in self._current[warp] if any(part is instruction for part in step.parts))

    def _access(self, event: MemoryAccess, array: str, elements: Numbering) -> None:
        several = event.space is Space.SHARED and math.prod(self.launched.grid) > 1
        for row, warp in enumerate(event.warps.tolist()):
            lanes = event.active[row]
            if not lanes.any():
                continue
            name = f"{array} of block {warp // self.launched.warps_per_block}" if several else array
            own, places = elements.at(event.addresses[row])[lanes].tolist(), event.elements[row][lanes]
            before = self._memory(name, event, elements).before
            if event.space is not Space.SHARED:  # of which nobody knows what it holds until somebody writes
                for element, place in zip(own, places, strict=True):
                    if element not in before:
                        before[element] = event.memory[place]
            step = self._step(warp, event.instruction)
            if event.kind != "store":
                step.reads.setdefault(name, set()).update(own)
            if event.kind != "load":
                self._pending.append((step.writes.setdefault(name, {}), own, event.memory, places))

    def _memory(self, name: str, event: MemoryAccess, elements: Numbering) -> Memory:
        if name not in self.memories:
            shared = event.space is Space.SHARED
            values = [] if shared else elements.values(event.memory, MOST_CELLS)
            self.memories[name] = Memory(event.space, elements.count, dict(enumerate(values)))
        return self.memories[name]

    def _settle(self) -> None:
        """What the last access left in memory."""
        if self.too_large:
            return
        for written, elements, memory, places in self._pending:
            written.update(zip(elements, memory[places], strict=True))
        self._pending.clear()


def _rows(block: Block, index: int) -> list[Row]:
    """The lines of a block in order. Leaving the kernel where no `return` stands is a line of its own."""
    found: list[Row] = []
    for part in control_flow.issued(block, index):
        span = part.span
        line, source = span.outermost.line, span.outermost.source
        ends = isinstance(part, Return) and source.language == PYTHON
        if ends and not span.text[span.column :].startswith("return"):
            line = source.first_line + len(source.lines)
        if not found or found[-1].line != line:
            found.append(Row(line, []))
        found[-1].parts.append(part)
    return found


def hexadecimal(mask: Lanes) -> str:
    """A mask as CUDA prints it, lane 0 lowest: `0000ffff` for the first 16 of 32 lanes."""
    number = int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
    return f"{number:0{len(mask) // 4}x}"


def by_warp(steps: list[Step]) -> Mapping[int, list[Step]]:
    """The steps of each warp in order."""
    found: dict[int, list[Step]] = {}
    for step in steps:
        found.setdefault(step.warp, []).append(step)
    return found
