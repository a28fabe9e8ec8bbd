"""Who waits for whom at a barrier that only a part of a thread block uses?

W warps of the batch, L lanes; masks are unsigned (n,) or (W,), one bit a lane. Each number is a barrier of
its own in every block. Lanes come, and wait at once, later or not at all; when as many threads as it counts
have come, it opens for those who wait and begins anew: its next *phase*. PTX: `barrier.sync a, b` and
`barrier.arrive a, b`. A tile of several warps has such a barrier, and so has a `cuda::barrier`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.events import is_of_group
from gpusim.ir.instructions import Opcode
from gpusim.ir.terminators import Barrier
from gpusim.machine.layout import Layout
from gpusim.machine.models.scheduling import Masks, Rows, pack, unpack

Counts = npt.NDArray[np.int64]
NUMBERED = 16  # barriers that a program names by a number; others have greater ones than it can give
BLOCKS = 1 << 32  # number of that of `thread_block`, which counts all
MOST = (1 << 20) - 1  # threads that a cuda::barrier counts


class Misused(Exception):
    """Raised with the warp of the batch, the lane, and what is wrong; the batch adds thread and block."""

    def __init__(self, row: int, lane: int, what: str, hint: str) -> None:
        super().__init__(what)
        self.row, self.lane, self.what, self.hint = row, lane, what, hint


def misused(rows: Rows, masks: Masks, what: str, hint: str) -> Misused:
    """What is wrong with the first of these lanes."""
    return Misused(int(rows[0]), int(unpack(masks[:1])[0].argmax()), what, hint)


@dataclass
class Meeting:
    """One barrier in all blocks. `came`, (W,): how many threads of a warp in this phase; of `needs`, (W,).
    Those that `dropped` out, (W,), have come to each later phase.

    Masks of lanes, (W,): those `waiting`; those who only `arrived`, and those for whom it has `opened` since.
    `phase`, (W,): how often it opened; `joined`, (W, L): the phase in which each lane came last.
    """

    came: Counts
    needs: Counts
    dropped: Counts
    phase: Counts
    waiting: Masks
    arrived: Masks
    opened: Masks
    joined: Counts


class Passage(NamedTuple):
    """Who came to a barrier, and who goes on from it now; masks (W,). `joined`: (W, L), in which phase."""

    number: int
    came: Masks
    goes: Masks
    joined: Counts


class NamedBarriers:
    """The barriers of a batch by number. `by_warps`: a warp comes as a whole, as it did before Volta.

    `called`: what a reader calls the barrier of a number.

    `site`: int32 (W, L), the basic block at whose end each waiting lane stands.
    """

    def __init__(self, present: Masks, layout: Layout, by_warps: bool, called: Callable[[int], str]) -> None:
        self._layout, self._present, self._by_warps, self._called = layout, present, by_warps, called
        self._meetings: dict[int, Meeting] = {}
        self.site = np.zeros((len(present), layout.lanes), np.int32)

    def come(self, rows: Rows, masks: Masks, end: Barrier, values: Any, alive: Masks) -> Iterator[Passage]:
        """Lanes execute `end`. values: numbers, and how many threads they count; (n, L), (n, 1) or one."""
        shape = len(rows), self._layout.lanes
        numbers, *counted = (np.asarray(value).astype(np.int64) for value in values)
        several = np.unique(numbers).tolist()
        for number in several:
            some = masks if len(several) == 1 else masks & pack(np.broadcast_to(numbers == number, shape))
            where = np.flatnonzero(some)
            if not where.size:
                continue
            if NUMBERED <= number < 1 << 32:
                raise misused(
                    rows[where],
                    some[where],
                    f"comes to {self._called(number)}, and a block has those from 0 to {NUMBERED - 1}",
                    "name one of these",
                )
            meeting = self._meeting(number)
            if end.opcode is Opcode.NAMED_WAIT:
                yield self._wait(number, meeting, rows[where], some[where])
            else:
                if end.opcode is Opcode.NAMED_ARRIVE and is_of_group(number):
                    self._none_owes(number, meeting, rows[where], some[where])
                given = np.broadcast_to(counted[0], shape)[where]
                threads = self._counted(number, given, rows[where], some[where])
                while where.size:  # where more come at once than it counts, some are for its next phase
                    fits = self._fits(number, meeting, rows[where], some[where], threads)
                    now = where[fits]
                    came = self._arrive(meeting, rows[now], some[now], threads[fits])
                    if end.opcode is Opcode.NAMED_SYNC:
                        meeting.waiting |= came
                    else:
                        meeting.arrived |= came
                    if end.opcode is Opcode.NAMED_DROP:
                        meeting.dropped[rows[now]] += self._threads(rows[now], some[now])
                    goes, gone = self._open(meeting, alive)
                    yield Passage(number, came | gone, goes, meeting.joined)
                    where, threads = where[~fits], threads[~fits]

    def left(self, alive: Masks) -> Iterator[Passage]:
        """Lanes have left the kernel: a barrier that counts all of its block may open."""
        for number, meeting in self._meetings.items():
            if meeting.came.any() and not meeting.needs[meeting.came > 0].all():
                goes, gone = self._open(meeting, alive)
                yield Passage(number, gone, goes, meeting.joined)

    def missing(self, row: int) -> list[tuple[str, int, int]]:
        """(name, threads that came, threads it counts) of the barriers at which lanes of this warp wait."""
        return [
            (self._called(number), int(self._layout.sums(meeting.came)[row]), int(meeting.needs[row]))
            for number, meeting in sorted(self._meetings.items())
            if meeting.waiting[row]
        ]

    def _meeting(self, number: int) -> Meeting:
        if number not in self._meetings:
            warps = len(self._present)
            came, needs, dropped, phase = np.zeros((4, warps), np.int64)
            waiting, arrived, opened = np.zeros((3, warps), self._present.dtype)
            joined = np.zeros(self.site.shape, np.int64)
            self._meetings[number] = Meeting(came, needs, dropped, phase, waiting, arrived, opened, joined)
        return self._meetings[number]

    def _counted(self, number: int, given: Counts, rows: Rows, masks: Masks) -> Counts:
        """How many threads the lanes that come say that it counts, given: (n, L); all the same, (n,)."""
        lanes = unpack(masks)
        most: Counts = np.where(lanes, given, 0).max(axis=1)
        apart = np.flatnonzero((lanes & (given != most[:, None])).any(axis=1))
        if apart.size:
            first = apart[0]
            other = int((lanes[first] & (given[first] != most[first])).argmax())
            raise Misused(
                int(rows[first]),
                other,
                f"says that {self._called(number)} counts {given[first, other]} threads, where another lane "
                f"of its warp says {most[first]}",
                "all who come to a barrier must name the same count",
            )
        wrong, what = (
            (most > MOST) | (most == 0) & (number != BLOCKS),
            "comes to {}, which counts {:,} threads",
        )
        hint = "let one thread initialise it, and __syncthreads() before others come"
        if number < NUMBERED:
            wrong, what = most % self._layout.lanes != 0, "says that {} counts {:,} threads, no whole warps"
            hint = f"count a multiple of {self._layout.lanes}, or use a cuda::barrier"
        if wrong.any():
            raise misused(rows[wrong], masks[wrong], what.format(self._called(number), most[wrong][0]), hint)
        return most

    def _threads(self, rows: Rows, masks: Masks) -> Counts:
        """For how many threads does each warp count that comes with these lanes? (n,)"""
        return np.bitwise_count(self._present[rows] if self._by_warps else masks).astype(np.int64)

    def _fits(
        self, number: int, meeting: Meeting, rows: Rows, masks: Masks, threads: Counts
    ) -> npt.NDArray[np.bool_]:
        """(n,): of warps that come, those with whom no block has more than the barrier counts."""
        counts, slots = self._threads(rows, masks), self._layout.slots[rows, 0]
        so_far, first = np.cumsum(counts), np.searchsorted(slots, slots)
        total = self._layout.sums(meeting.came)[rows] + so_far - so_far[first] + counts[first]
        fits = np.asarray((total <= threads) | (threads == 0))
        if not fits.any():
            raise misused(
                rows,
                masks,
                f"is one too many: {total[0]} come to {self._called(number)}, which counts {threads[0]}",
                "count all threads that come, whole warps of them",
            )
        return fits

    def _arrive(self, meeting: Meeting, rows: Rows, masks: Masks, threads: Counts) -> Masks:
        """Count them; (W,): their masks."""
        came = np.zeros_like(self._present)
        came[rows] = masks
        meeting.came[rows] += self._threads(rows, masks)
        meeting.needs[rows] = threads
        meeting.opened &= ~came  # a new token takes the place of the last
        meeting.joined = np.where(unpack(came), meeting.phase[:, None], meeting.joined)
        return came

    def _none_owes(self, number: int, meeting: Meeting, rows: Rows, masks: Masks) -> None:
        """Of a group, nobody arrives again before it has waited with the token of its last arrival."""
        again = masks & (meeting.arrived[rows] | meeting.opened[rows])
        if again.any():
            first = np.flatnonzero(again)
            raise misused(
                rows[first],
                again[first],
                f"arrives at {self._called(number)} again, and has not waited since it last arrived",
                "each arrival gives one token: wait with it before the next",
            )

    def _wait(self, number: int, meeting: Meeting, rows: Rows, masks: Masks) -> Passage:
        """Lanes wait for the end of the phase in which they came last; where it has ended, they go on."""
        strangers = masks & ~(meeting.arrived[rows] | meeting.opened[rows])
        if strangers.any():
            first = np.flatnonzero(strangers)
            name, hint = (
                self._called(number),
                "each arrival gives one token, and each token is waited for once",
            )
            if "pipeline" in name:
                hint = "acquire, commit, wait for and release each stage in turn"
            what = f"waits at {name}, at which it has not arrived since it last waited"
            raise misused(rows[first], strangers[first], what, hint)
        goes = np.zeros_like(self._present)
        goes[rows] = masks & meeting.opened[rows]
        meeting.opened &= ~goes
        stays = masks & ~goes[rows]
        meeting.arrived[rows] &= ~stays
        meeting.waiting[rows] |= stays
        return Passage(number, np.zeros_like(goes), goes, meeting.joined)

    def _open(self, meeting: Meeting, alive: Masks) -> tuple[Masks, Masks]:
        """Where all have come, those who wait go on, and the next phase begins: masks of those, (W,).

        With them those who have left the kernel, where a barrier counts all: they count as having come.
        """
        goes, gone, here = np.zeros_like(self._present), np.zeros_like(self._present), alive
        there = meeting.waiting | meeting.arrived
        if self._by_warps:
            here, there = (np.where(of != 0, self._present, 0) for of in (here, there))
        all_here = self._layout.whole((here & ~there) == 0)
        enough = self._layout.sums(meeting.came) >= meeting.needs
        complete = (meeting.came > 0) & np.where(meeting.needs > 0, enough, all_here)
        if complete.any():
            whole = self._layout.touched(complete)
            of_all = self._layout.touched(complete & (meeting.needs == 0))
            gone[of_all] = (self._present & ~alive & ~there)[of_all]
            meeting.joined = np.where(unpack(gone), meeting.phase[:, None], meeting.joined)
            goes[whole] = meeting.waiting[whole]
            meeting.opened[whole] |= meeting.arrived[whole]
            meeting.came[whole] = meeting.dropped[whole]
            meeting.waiting[whole] = meeting.arrived[whole] = 0
            meeting.phase[whole] += 1
        return goes, gone
