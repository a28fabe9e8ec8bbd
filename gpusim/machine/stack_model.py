"""How did a warp run before Volta? One program counter, and a stack of masks that pops where sides meet.

The top of the stack stands in arrays of its own: `pc`, `meeting`, `mask`. Where a branch splits the mask, the
top becomes the entry that waits at the meeting point, and both sides are pushed, `then` above `otherwise`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes, StackEntry
from gpusim.machine.scheduling import NOWHERE, Rows, SchedulingModel, any_lane

NONE = -1
SIDES = ("whole warp", "reconverge", "if side", "else side")
WHOLE, MEETING, THEN, OTHERWISE = range(4)


class StackModel(SchedulingModel):
    """Warps with a reconvergence stack."""

    @property
    def splits_groups(self) -> bool:
        """A warp has one program counter."""
        return False

    def _start(self, block: int) -> None:
        warps, lanes = self.alive.shape
        self.pc = np.full(warps, block, np.int32)
        self.meeting = np.full(warps, NONE, np.int32)
        self.side = np.full(warps, WHOLE, np.int8)
        self.mask = self.alive.copy()
        self.depth = np.zeros(warps, np.int64)
        self.finished = np.zeros(warps, bool)
        self.waiting = np.zeros(warps, bool)
        self._below(4, lanes)

    def _below(self, depth: int, lanes: int) -> None:
        warps = len(self.pc)
        self.below_pc = np.zeros((warps, depth), np.int32)
        self.below_meeting = np.zeros((warps, depth), np.int32)
        self.below_side = np.zeros((warps, depth), np.int8)
        self.below_mask = np.zeros((warps, depth, lanes), bool)

    def positions(self, _order: Any) -> npt.NDArray[np.int32]:
        """The top of each stack; there is no choice within a warp."""
        return np.where(self.waiting | self.finished, np.int32(NOWHERE), self.pc)

    def active(self, rows: Rows, _block: int) -> Lanes:
        """The mask on top."""
        return self.mask[rows]

    def runnable(self) -> Lanes:
        """The lanes on top of each stack that is not at a barrier."""
        return self.mask & ~(self.waiting | self.finished)[:, None]

    def counters(self) -> npt.NDArray[np.int32]:
        """One program counter a warp."""
        return self.pc

    def at_barrier(self) -> Lanes:
        """Barriers count warps: the mask on top stands for all of it."""
        return self.mask & self.waiting[:, None]

    def position_of_lanes(self) -> npt.NDArray[np.int32]:
        """Lanes below the top wait where their entry goes on."""
        where = np.repeat(self.pc[:, None], self.mask.shape[1], axis=1)
        for depth in range(int(self.depth.max(initial=0)) - 1, -1, -1):
            waits = self.below_mask[:, depth] & ~self.mask & (self.depth > depth)[:, None]
            where = np.where(waits & (where == self.pc[:, None]), self.below_pc[:, depth, None], where)
        return where

    def whole(self) -> bool:
        """No warp has anything on its stack but its first mask."""
        return not self.depth.any() and not self.waiting.any() and np.array_equal(self.mask, self.present)

    def release_waiting(self) -> bool:
        """Never: the top runs until it pops. That is why a spin lock within a warp hangs here."""
        return False

    def stack(self, row: int, _active: Lanes) -> tuple[StackEntry, ...]:
        """The real stack."""
        entries = [
            (
                self.below_side[row, d],
                self.below_mask[row, d],
                self.below_pc[row, d],
                self.below_meeting[row, d],
            )
            for d in range(int(self.depth[row]))
        ]
        entries.append((self.side[row], self.mask[row], self.pc[row], self.meeting[row]))
        return tuple(
            StackEntry(SIDES[side], mask.copy(), int(pc), None if meeting == NONE else int(meeting))
            for side, mask, pc, meeting in entries
        )

    def _jump(self, rows: Rows, _active: Lanes, target: int) -> None:
        self.pc[rows] = target
        self._pop(rows[self.meeting[rows] == target])

    def _branch(
        self, rows: Rows, then_lanes: Lanes, other_lanes: Lanes, block: int, then: int, otherwise: int
    ) -> None:
        some, others = any_lane(then_lanes), any_lane(other_lanes)
        self.pc[rows] = np.where(some, then, otherwise)
        split = some & others
        whole = rows[~split]
        self._pop(whole[self.meeting[whole] == self.pc[whole]])
        if not split.any():
            return
        meeting = self.reconvergence[block]
        meets = NONE if meeting is None else meeting
        rows, then_lanes, other_lanes = rows[split], then_lanes[split], other_lanes[split]
        # a side that meets where the entry below already waits needs no entry of its own
        outer = rows[self.meeting[rows] != meets] if meeting is not None else rows[:0]
        self.pc[outer] = meets
        self.side[outer] = np.where(self.side[outer] == WHOLE, WHOLE, MEETING)
        self._push(outer)
        if otherwise != meets:
            self._top(rows, otherwise, meets, other_lanes, OTHERWISE)
            if then != meets:
                self._push(rows)
        if then != meets:
            self._top(rows, then, meets, then_lanes, THEN)

    def _top(self, rows: Rows, pc: int, meeting: int, mask: Lanes, side: int) -> None:
        self.pc[rows], self.meeting[rows], self.mask[rows], self.side[rows] = pc, meeting, mask, side

    def _push(self, rows: Rows) -> None:
        """Put a copy of the top below it."""
        if rows.size and self.depth[rows].max() == self.below_pc.shape[1]:
            pc, meeting, side, mask = self.below_pc, self.below_meeting, self.below_side, self.below_mask
            depth = pc.shape[1]
            self._below(2 * depth, mask.shape[2])
            self.below_pc[:, :depth], self.below_meeting[:, :depth] = pc, meeting
            self.below_side[:, :depth], self.below_mask[:, :depth] = side, mask
        depth_ = self.depth[rows]
        self.below_pc[rows, depth_] = self.pc[rows]
        self.below_meeting[rows, depth_] = self.meeting[rows]
        self.below_side[rows, depth_] = self.side[rows]
        self.below_mask[rows, depth_] = self.mask[rows]
        self.depth[rows] += 1

    def _pop(self, rows: Rows) -> None:
        """Drop tops that met the others or lost all lanes, until a top has something to run."""
        while rows.size:
            bottom = self.depth[rows] == 0
            self.finished[rows[bottom]] = True
            rows = rows[~bottom]
            depth = self.depth[rows] - 1
            self.depth[rows] = depth
            self.pc[rows] = self.below_pc[rows, depth]
            self.meeting[rows] = self.below_meeting[rows, depth]
            self.side[rows] = self.below_side[rows, depth]
            self.mask[rows] = self.below_mask[rows, depth] & self.alive[rows]
            rows = rows[(self.pc[rows] == self.meeting[rows]) | ~any_lane(self.mask[rows])]
        self._open_barriers()

    def _leave(self, rows: Rows) -> None:
        self.mask[rows] &= self.alive[rows]
        self._pop(rows[~any_lane(self.mask[rows])])

    def _wait(self, rows: Rows, _active: Lanes, target: int) -> None:
        self.pc[rows] = target
        self.waiting[rows] = True
        self._open_barriers()

    def _open_barriers(self) -> None:
        """A barrier opens when every warp of the block has arrived or finished."""
        if not self.waiting.any():
            return
        full = self.by_block(self.waiting | self.finished).all(axis=1) & self.by_block(self.waiting).any(
            axis=1
        )
        opened = np.flatnonzero(np.repeat(full, self.warps_per_block) & self.waiting)
        self.departures += len(opened)
        self.waiting[opened] = False
        self._pop(opened[self.meeting[opened] == self.pc[opened]])
