"""How does a warp run since Volta? A program counter per lane, and lanes that wait for each other to meet.

A branch that splits names its lanes as participants of its meeting point; a lane that arrives there waits until
all participants have arrived or left the kernel. Waiting is a courtesy for efficiency: it is given up where it
would keep another lane from finishing, so every lane makes progress.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes, StackEntry
from gpusim.machine.scheduling import NEVER, NOWHERE, Rows, SchedulingModel


class IndependentModel(SchedulingModel):
    """Warps whose lanes are scheduled on their own."""

    def _start(self, block: int) -> None:
        self.pc = np.full(self.alive.shape, block, np.int32)
        self.parked = np.zeros(self.alive.shape, bool)
        self.barrier = np.zeros(self.alive.shape, bool)
        self.participants: dict[int, Lanes] = {}

    def positions(self, order: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int32]:
        """The runnable lane that is first in `order` chooses; without an order, the lowest block does."""
        runnable = self.runnable()
        if order is None:
            lowest: npt.NDArray[np.int32] = np.where(runnable, self.pc, np.int32(NOWHERE)).min(axis=1)
            return lowest
        chosen = np.where(runnable, order, NEVER).argmin(axis=1)
        rows = np.arange(len(chosen))
        return np.where(runnable[rows, chosen], self.pc[rows, chosen], np.int32(NOWHERE))

    def active(self, rows: Rows, block: int) -> Lanes:
        """All runnable lanes of the warp that stand there run together."""
        here = self.pc[rows] == block
        return here & self.alive[rows] & ~self.parked[rows] & ~self.barrier[rows]

    def runnable(self) -> Lanes:
        """Neither gone, nor waiting to meet others, nor at a barrier."""
        return self.alive & ~self.parked & ~self.barrier

    def counters(self) -> npt.NDArray[np.int32]:
        """One program counter a lane."""
        return self.pc

    def at_barrier(self) -> Lanes:
        """Barriers count threads."""
        return self.barrier

    def position_of_lanes(self) -> npt.NDArray[np.int32]:
        """Each lane knows."""
        return self.pc

    def release_waiting(self) -> bool:
        """Give up every wait for a meeting."""
        held = bool(self.parked.any())
        self.parked[:] = False
        self.participants.clear()
        return held

    def stack(self, row: int, active: Lanes) -> tuple[StackEntry, ...]:
        """Whom the warp waits for: the whole warp, each meeting point with its participants, who runs now."""
        alive, positions = self.alive[row], self.pc[row]
        lane = int(np.flatnonzero(active)[0]) if active.any() else 0
        here = int(positions[lane])
        expected = [(m, p[row] & alive) for m, p in self.participants.items() if (p[row] & alive).any()]
        expected.sort(key=lambda entry: -int(entry[1].sum()))
        entries = [StackEntry("reconverge", mask.copy(), meeting, None) for meeting, mask in expected]
        nearest = min(
            ((int(mask.sum()), meeting) for meeting, mask in expected if mask[active].any()), default=(0, None)
        )[1]
        what = "lanes together" if expected else "whole warp"
        return (*entries, StackEntry(what, active.copy(), here, nearest))

    def _jump(self, rows: Rows, active: Lanes, target: int) -> None:
        self.pc[rows] = np.where(active, target, self.pc[rows])
        self._arrive(rows, active, target)

    def _branch(
        self, rows: Rows, active: Lanes, then_lanes: Lanes, other_lanes: Lanes, block: int, then: int, otherwise: int
    ) -> None:
        standing = self.pc[rows]
        standing[then_lanes] = then
        standing[other_lanes] = otherwise
        self.pc[rows] = standing
        meeting = self.reconvergence[block]
        split = then_lanes.any(axis=1) & other_lanes.any(axis=1)
        if self.convergent and meeting is not None and block not in self.unreconverged and split.any():
            if meeting not in self.participants:
                self.participants[meeting] = np.zeros(self.alive.shape, bool)
            self.participants[meeting][rows[split]] |= active[split]
        self._arrive(rows, then_lanes, then)
        self._arrive(rows, other_lanes, otherwise)

    def _arrive(self, rows: Rows, lanes: Lanes, block: int) -> None:
        """Lanes that are expected at `block` wait there for the rest."""
        if block in self.participants:
            self.parked[rows] |= lanes & self.participants[block][rows]
            self._meet(rows, block)

    def _meet(self, rows: Rows, block: int) -> None:
        """Where all participants that are still alive have arrived, they go on together."""
        expected = self.participants[block][rows]
        arrived = self.parked[rows] & (self.pc[rows] == block)
        complete = ~(expected & self.alive[rows] & ~arrived).any(axis=1) & expected.any(axis=1)
        done = rows[complete]
        self.parked[done] &= ~arrived[complete]
        self.participants[block][done] = False

    def _leave(self, rows: Rows) -> None:
        for block in self.participants:
            self._meet(rows, block)
        self._open_barriers()

    def _wait(self, rows: Rows, active: Lanes, target: int) -> None:
        self.pc[rows] = np.where(active, target, self.pc[rows])
        self.barrier[rows] |= active
        self._open_barriers()

    def _open_barriers(self) -> None:
        """A barrier opens when every thread of the block that has not left is there, a warp's at one place."""
        if not self.barrier.any():
            return
        low = np.where(self.barrier, self.pc, NOWHERE).min(axis=1)
        one_place = (~self.barrier | (self.pc == low[:, None])).all(axis=1)
        arrived = (self.barrier | ~self.alive).all(axis=1) & one_place
        full = self.by_block(arrived).all(axis=1) & self.by_block(self.barrier).any(axis=1)
        opened = np.flatnonzero(np.repeat(full, self.warps_per_block) & self.barrier.any(axis=1))
        self.departures += len(opened)
        lanes = self.barrier[opened]
        self.barrier[opened] = False
        for block in np.unique(self.pc[opened][lanes]):
            self._arrive(opened, lanes & (self.pc[opened] == block), int(block))
