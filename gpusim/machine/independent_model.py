"""How does a warp run since Volta? A program counter per lane, and lanes that wait for each other to meet.

A branch that splits names its lanes as participants of its meeting point; a lane that arrives there waits
until all participants have arrived or left the kernel. Waiting is a courtesy for efficiency: it is given up
where it would keep another lane from finishing, so every lane makes progress.

`ready` lanes can run. While a warp's ready lanes all stand at one block, `head` is their program counter and
`pc` need not be kept; a warp whose ready lanes stand apart is `mixed`, and `pc` says where each one is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes, StackEntry
from gpusim.machine.scheduling import NEVER, NOWHERE, Rows, SchedulingModel, any_lane


class IndependentModel(SchedulingModel):
    """Warps whose lanes are scheduled on their own."""

    def _start(self, block: int) -> None:
        warps = len(self.alive)
        self.pc = np.full(self.alive.shape, block, np.int32)
        self.head = np.full(warps, block, np.int32)
        self.mixed = np.zeros(warps, bool)
        self.ready = self.alive.copy()
        self.parked = np.zeros(self.alive.shape, bool)
        self.barrier = np.zeros(self.alive.shape, bool)
        self.participants: dict[int, Lanes] = {}

    @property
    def splits_groups(self) -> bool:
        """Lanes at one block of one warp may be scheduled apart where they need not meet."""
        return not self.convergent

    def positions(self, order: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int32]:
        """The ready lane that is first in `order` chooses; without an order, the lowest block does."""
        if order is None:
            return self.head
        chosen = np.where(self.ready, order, NEVER).argmin(axis=1)
        rows = np.arange(len(chosen))
        return np.where(self.ready[rows, chosen], self.counters()[rows, chosen], np.int32(NOWHERE))

    def active(self, rows: Rows, block: int) -> Lanes:
        """All ready lanes of a warp that stand at the block run together."""
        ready = self.ready[rows]
        mixed = self.mixed[rows]
        if mixed.any():
            ready[mixed] &= self.pc[rows[mixed]] == block
        return ready

    def runnable(self) -> Lanes:
        """Neither gone, nor waiting to meet others, nor at a barrier."""
        return self.ready

    def counters(self) -> npt.NDArray[np.int32]:
        """One program counter a lane."""
        return np.where(self.ready & ~self.mixed[:, None], self.head[:, None], self.pc)

    def at_barrier(self) -> Lanes:
        """Barriers count threads."""
        return self.barrier

    def position_of_lanes(self) -> npt.NDArray[np.int32]:
        """Each lane knows."""
        return self.counters()

    def whole(self) -> bool:
        """No warp has lanes apart, waiting or gone."""
        return not self.mixed.any() and np.array_equal(self.ready, self.present)

    def release_waiting(self) -> bool:
        """Give up every wait for a meeting."""
        rows = np.flatnonzero(any_lane(self.parked))
        self._detail(rows)
        self.ready[rows] |= self.parked[rows]
        self.parked[rows] = False
        self.participants.clear()
        self._settle(rows)
        return bool(rows.size)

    def stack(self, row: int, active: Lanes) -> tuple[StackEntry, ...]:
        """Meeting points with those who are expected there, lanes that stand elsewhere, who runs now."""
        alive, positions = self.alive[row], self.counters()[row]
        lane = int(np.flatnonzero(active)[0]) if active.any() else 0
        expected = [(m, p[row] & alive) for m, p in self.participants.items() if (p[row] & alive).any()]
        expected.sort(key=lambda entry: -int(entry[1].sum()))
        entries = [StackEntry("reconverge", mask.copy(), meeting, None) for meeting, mask in expected]
        apart = self.ready[row] & ~active
        for block in np.unique(positions[apart])[::-1]:
            here = apart & (positions == block)
            entries.append(StackEntry("lanes elsewhere", here, int(block), _nearest(expected, here)))
        top = StackEntry("lanes together", active.copy(), int(positions[lane]), _nearest(expected, active))
        return (*entries, top)

    # moving lanes -----------------------------------------------------------------------------------------

    def _detail(self, rows: Rows) -> None:
        """From here on `pc` holds for these warps' ready lanes."""
        rows = rows[~self.mixed[rows]]
        self.pc[rows] = np.where(self.ready[rows], self.head[rows, None], self.pc[rows])
        self.mixed[rows] = True

    def _settle(self, rows: Rows) -> None:
        """Find these warps' heads again, from `pc`."""
        ready, pc = self.ready[rows], self.pc[rows]
        lowest = np.where(ready, pc, NOWHERE).min(axis=1)
        self.head[rows] = lowest
        self.mixed[rows] = any_lane(ready & (pc != lowest[:, None]))

    def _jump(self, rows: Rows, active: Lanes, target: int) -> None:
        if self.splits_groups:
            self._detail(rows)
        mixed = self.mixed[rows]
        if mixed.any():
            apart = rows[mixed]
            self.pc[apart] = np.where(active[mixed], target, self.pc[apart])
            self._settle(apart)
            self.head[rows[~mixed]] = target
        else:
            self.head[rows] = target
        self._arrive(rows, active, target)

    def _branch(
        self, rows: Rows, then_lanes: Lanes, other_lanes: Lanes, block: int, then: int, otherwise: int
    ) -> None:
        if self.splits_groups:
            self._detail(rows)
        some, others = any_lane(then_lanes), any_lane(other_lanes)
        split = some & others
        detailed = split | self.mixed[rows]
        self.head[rows[~detailed]] = np.where(some, then, otherwise)[~detailed]
        if detailed.any():
            apart, then_apart, other_apart = rows[detailed], then_lanes[detailed], other_lanes[detailed]
            self._detail(apart)
            self.pc[apart] = np.where(then_apart, then, np.where(other_apart, otherwise, self.pc[apart]))
            self._settle(apart)
        meeting = self.reconvergence[block]
        if self.convergent and meeting is not None and block not in self.unreconverged and split.any():
            if meeting not in self.participants:
                self.participants[meeting] = np.zeros(self.alive.shape, bool)
            self.participants[meeting][rows[split]] |= then_lanes[split] | other_lanes[split]
        self._arrive(rows, then_lanes, then)
        self._arrive(rows, other_lanes, otherwise)

    def _arrive(self, rows: Rows, lanes: Lanes, block: int) -> None:
        """Lanes that are expected at `block` wait there for the rest."""
        if block not in self.participants:
            return
        lanes = lanes & self.participants[block][rows]
        some = any_lane(lanes)
        if some.any():
            rows, lanes = rows[some], lanes[some]
            self._detail(rows)
            self.parked[rows] |= lanes
            self.ready[rows] &= ~lanes
            self._meet(rows, block)
            self._settle(rows)

    def _meet(self, rows: Rows, block: int) -> None:
        """Where all participants that are still alive have arrived, they go on together."""
        expected = self.participants[block][rows]
        arrived = self.parked[rows] & (self.pc[rows] == block)
        complete = ~any_lane(expected & self.alive[rows] & ~arrived)
        done, lanes = rows[complete], arrived[complete]
        self._detail(done)
        self.parked[done] &= ~lanes
        self.ready[done] |= lanes
        self.participants[block][done] = False
        if not self.participants[block].any():
            del self.participants[block]

    def _leave(self, rows: Rows) -> None:
        self._detail(rows)
        self.ready[rows] &= self.alive[rows]
        for block in list(self.participants):
            self._meet(rows, block)
        self._settle(rows)
        self._open_barriers()

    def _wait(self, rows: Rows, active: Lanes, target: int) -> None:
        self._detail(rows)
        self.pc[rows] = np.where(active, target, self.pc[rows])
        self.barrier[rows] |= active
        self.ready[rows] &= ~active
        self._settle(rows)
        self._open_barriers()

    def _open_barriers(self) -> None:
        """A barrier opens when every thread of the block that is left is there, a warp's at one place."""
        waiting = any_lane(self.barrier)
        if not waiting.any():
            return
        arrived = ~any_lane(self.alive & ~self.barrier)
        full = np.repeat(self.by_block(arrived).all(axis=1), self.warps_per_block) & waiting
        if not full.any():
            return
        pc = self.pc[full]
        at_one_place = ~self.barrier[full] | (
            pc == np.where(self.barrier[full], pc, NOWHERE).min(axis=1)[:, None]
        )
        arrived[full] = at_one_place.all(axis=1)
        opens = np.repeat(self.by_block(arrived).all(axis=1), self.warps_per_block) & waiting
        opened = np.flatnonzero(opens)
        self.departures += len(opened)
        lanes = self.barrier[opened]
        self.barrier[opened] = False
        self.ready[opened] |= lanes
        self.mixed[opened] = True
        self._settle(opened)
        for block in list(self.participants):
            self._arrive(opened, lanes & (self.pc[opened] == block), block)


def _nearest(expected: list[tuple[int, Lanes]], lanes: Lanes) -> int | None:
    """The meeting point with the fewest participants that lanes of this group are among."""
    found = [(int(mask.sum()), meeting) for meeting, mask in expected if mask[lanes].any()]
    return min(found)[1] if found else None
