"""What did each warp do, step by step? A full record of small grids, for the warp player."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import groupby

import numpy as np

from gpusim.events import (
    BarrierReached,
    BlockIssued,
    BranchTaken,
    Event,
    GridLaunched,
    GridObserver,
    Lanes,
    WarpState,
)
from gpusim.ir import control_flow
from gpusim.ir.instructions import Branch, Return
from gpusim.ir.text import block_texts
from gpusim.reports.warp import Frame, SoFar, StackEntry

MOST_WARPS = 16
MOST_FRAMES = 1000
UNSPLIT, IF_SIDE, ELSE_SIDE = range(3)
LETTERS = "cie"  # coherent, if side, else side
WHAT = {"c": "whole warp", "i": "if side", "e": "else side"}


class Trace(GridObserver):
    """Records a frame for every source line that a warp executes; `too_large` says why there are none."""

    def __init__(self, launched: GridLaunched, too_large: str = "") -> None:
        self.frames: list[Frame] = []
        self.too_large = too_large
        self._last_mask: dict[int, Lanes] = {}
        self._last_frame: dict[int, int] = {}  # its place in `frames`
        warps = math.prod(launched.grid) * launched.warps_per_block
        if not too_large and warps > MOST_WARPS:
            self.too_large = f"its grid has {warps} warps, and traces are kept up to {MOST_WARPS}"
        if not self.too_large:
            self.wants = frozenset({BlockIssued, BranchTaken, BarrierReached})
            self._begin(launched, warps)

    def observe(self, event: Event) -> None:
        if not self.too_large:
            match event:
                case BlockIssued():
                    for position, warp in enumerate(event.warps):
                        self._record(event, position, int(warp))
                    if len(self.frames) > MOST_FRAMES:
                        self.frames, self.too_large = [], f"it takes more than {MOST_FRAMES} frames"
                case BranchTaken():
                    self._split(event)
                case BarrierReached(warps=warps, active=active):
                    for warp, mask in zip(warps, active, strict=True):
                        self._say(int(warp), f"{int(mask.sum())} lanes wait at the barrier")

    def _begin(self, launched: GridLaunched, warps: int) -> None:
        self._blocks = launched.blocks
        self._texts = [block_texts(block, index) for index, block in enumerate(launched.blocks)]
        self._regions: list[tuple[int, set[int]]] = []
        for index, block in enumerate(launched.blocks):
            if isinstance(block.terminator, Branch):
                then, otherwise = control_flow.sides(launched.blocks, index, launched.reconvergence[index])
                self._regions.append((index, then | otherwise))
        self._regions.sort(key=lambda region: len(region[1]))
        lanes = launched.device.warp_size
        self._sides = {index: np.zeros((warps, lanes), np.int8) for index, _ in self._regions}
        self._instructions = np.zeros(warps, np.int64)
        self._thread_instructions = np.zeros(warps, np.int64)

    def _record(self, event: BlockIssued, position: int, warp: int) -> None:
        active, state = event.active[position].copy(), event.state(position)
        letter = self._letter(event.block, warp, active, state)
        before = self._last_mask.get(warp)
        self._last_mask[warp] = active
        lanes, met = int(active.sum()), ""
        if before is not None and before.sum() < lanes and not (before & ~active).any():
            met = f"the lanes meet again: {lanes} run together"
        runs = groupby(self._texts[event.block], lambda listed: listed[0].outermost.line)
        for number, (line, run) in enumerate(runs):
            texts = tuple(text for _span, text in run)
            self._instructions[warp] += len(texts)
            self._thread_instructions[warp] += len(texts) * lanes
            executed, by_threads = int(self._instructions[warp]), int(self._thread_instructions[warp])
            self._last_frame[warp] = len(self.frames)
            self.frames.append(
                Frame(
                    warp=warp,
                    line=line,
                    instructions=texts,
                    states=_states(active, state, letter),
                    stack=self._stack(state, letter, line),
                    event=met if number == 0 else "",
                    active=lanes,
                    so_far=SoFar(executed, by_threads, round(by_threads / executed, 2)),
                )
            )
        if isinstance(self._blocks[event.block].terminator, Return):
            self._say(warp, f"{lanes} lanes leave the kernel")

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

    def _stack(self, state: WarpState, letter: str, line: int) -> tuple[StackEntry, ...]:
        entries = [
            StackEntry(
                what=entry.what,
                mask=hexadecimal(entry.mask),
                line=self._line(entry.block),
                reconverges_at=None if entry.meeting is None else self._line(entry.meeting),
            )
            for entry in state.stack
        ]
        return *entries[:-1], replace(entries[-1], what=WHAT[letter], line=line)

    def _line(self, block: int) -> int:
        return self._blocks[block].span.outermost.line

    def _split(self, event: BranchTaken) -> None:
        for warp, active, taken in zip(event.warps, event.active, event.taken, strict=True):
            some, others = int(taken.sum()), int((active & ~taken).sum())
            sides = self._sides[event.block][int(warp)]
            if some and others:
                sides[active] = np.where(taken[active], IF_SIDE, ELSE_SIDE)
                self._say(int(warp), f"the warp splits: {some} lanes go one way, {others} the other")
            else:
                sides[active] = UNSPLIT

    def _say(self, warp: int, sentence: str) -> None:
        number = self._last_frame[warp]
        self.frames[number] = also(self.frames[number], sentence)


def also(frame: Frame, sentence: str) -> Frame:
    """The frame, with one more thing that happened in it."""
    return replace(frame, event=f"{frame.event}; {sentence}" if frame.event else sentence)


def hexadecimal(mask: Lanes) -> str:
    """A mask as CUDA prints it, lane 0 lowest: `0000ffff` for the first 16 of 32 lanes."""
    number = sum(1 << lane for lane in np.flatnonzero(mask).tolist())
    return f"{number:0{len(mask) // 4}x}"


def _states(active: Lanes, state: WarpState, letter: str) -> str:
    """One letter a lane; see `Trace` in the book's chapter on divergence."""
    letters = np.full(len(active), "s")
    letters[active] = letter
    letters[state.at_barrier & ~active] = "b"
    letters[state.left & state.present & ~active] = "x"
    letters[~state.present] = "."
    return "".join(letters)
