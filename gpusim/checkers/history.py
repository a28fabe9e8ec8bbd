"""Which earlier accesses must a new one come after? Of each cell, the last and those it does not follow.

n accesses in an event; cells: int64 (n,); a *stamp* is one int64 for the time and the thread of an access.
An access that happens after all remembered ones takes their place: who comes after it comes after them too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.checkers.geometry import Numbers
from gpusim.checkers.tree import OfTree

THREAD_BITS = 32
THREAD_MASK = (1 << THREAD_BITS) - 1
LOG_ENTRIES = 1 << 22
MOST_LOG_ENTRIES = 1 << 24
MOST_PAIRS = 1 << 22


def times_of(stamps: Numbers) -> Numbers:
    """When?"""
    return stamps >> THREAD_BITS


def threads_of(stamps: Numbers) -> Numbers:
    """By which thread?"""
    return stamps & THREAD_MASK


@dataclass
class Log:
    """Accesses of cells that have several unordered ones: cells and stamps, in pieces as they came.

    Beyond `MOST_LOG_ENTRIES` different (cell, thread) the oldest are forgotten: a race with them goes unseen.
    """

    pieces: list[tuple[Numbers, Numbers]]
    entries: int = 0
    room: int = LOG_ENTRIES

    def add(self, cells: Numbers, stamps: Numbers) -> None:
        """Remember some more."""
        if len(cells):
            self.pieces.append((cells, stamps))
            self.entries += len(cells)

    def all(self) -> tuple[Numbers, Numbers]:
        """As one piece."""
        if len(self.pieces) > 1:
            cells, stamps = (np.concatenate(part) for part in zip(*self.pieces, strict=True))
            self.pieces = [(cells, stamps)]
        return self.pieces[0] if self.pieces else (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def tidy(self, since: Numbers) -> None:
        """Forget what was replaced, and all but the last access of a thread to a cell."""
        if self.entries <= self.room:
            return
        cells, stamps = self.all()
        live = times_of(stamps) >= since[cells]
        cells, stamps = cells[live], stamps[live]
        self.pieces, self.entries = [(cells, stamps)], len(cells)
        if self.entries <= self.room // 2:
            return
        order = np.lexsort((stamps, threads_of(stamps), cells))
        cells, stamps = cells[order], stamps[order]
        last = np.ones(len(cells), bool)
        last[:-1] = (cells[1:] != cells[:-1]) | (threads_of(stamps[1:]) != threads_of(stamps[:-1]))
        cells, stamps = cells[last], stamps[last]
        if len(cells) > MOST_LOG_ENTRIES:
            newest = np.argsort(stamps)[-MOST_LOG_ENTRIES:]
            cells, stamps = cells[newest], stamps[newest]
        self.pieces, self.entries = [(cells, stamps)], len(cells)
        self.room = max(LOG_ENTRIES, 2 * len(cells))


class Accessors:
    """Who of a `grid` accesses now? threads, blocks: int64 (n,), numbers in its tree; time: of the event.

    order_stamp: int64 (n,), accesses of the own block with lower stamps are ordered by its last barrier.
    """

    def __init__(self, threads: Numbers, time: int, grid: OfTree) -> None:
        self.threads, self.time, self.grid = threads, time, grid
        self.blocks = threads - (threads - grid.first) % grid.knowledge.geometry.threads_per_block
        self.order_stamp = (grid.knowledge.block_orders(threads - grid.first) + 1) << THREAD_BITS
        self.stamps = threads + (time << THREAD_BITS)

    def block_of(self, stamps: Numbers) -> Numbers:
        """In which thread block was that?"""
        return self.grid.block_of(threads_of(stamps))


class History:
    """Accesses of one kind to one region.

    last: int64 (cells,), the stamp of the last access, 0 for none; several: bool (cells,), are there others
    that it does not follow? Those are in the log, from time `since` on; mixed: bool (cells,), are they of
    more than one thread block? They never are in shared memory, which is `private` to a block.
    """

    def __init__(self, cells: int, private: bool) -> None:
        self.private = private
        self.last = np.zeros(cells, np.int64)
        self.since = np.zeros(cells, np.int64)
        self.several, self.mixed = np.zeros(cells, bool), np.zeros(cells, bool)
        self.log = Log([])

    def unordered(
        self, cells: Numbers, now: Accessors, other_blocks: bool = False
    ) -> tuple[Numbers, Numbers]:
        """Which accesses race with earlier ones? Positions in `cells`, and stamps of those, both (pairs,).

        With `other_blocks`, accesses of the same thread block do not count.
        """
        stamps = self.last[cells]
        doubtful = np.flatnonzero(~self._all_ordered(cells, stamps, now))
        if other_blocks:
            elsewhere = now.block_of(stamps[doubtful]) != now.blocks[doubtful]
            doubtful = doubtful[elsewhere | self.mixed[cells[doubtful]]]
        if not doubtful.size:
            return doubtful, doubtful
        several = self.several[cells[doubtful]]
        alone = doubtful[~several]
        positions, members = self._members(cells, doubtful[several])
        positions, members = np.concatenate([alone, positions]), np.concatenate([stamps[alone], members])
        ordered = now.grid.orders(now.threads[positions], threads_of(members), times_of(members))
        if other_blocks:
            ordered |= now.block_of(members) == now.blocks[positions]
        order = np.argsort(positions[~ordered], kind="stable")
        return positions[~ordered][order], members[~ordered][order]

    def remembered(self, cells: Numbers, positions: Numbers) -> tuple[Numbers, Numbers]:
        """All accesses of the cells at some positions that count: pairs of position and stamp."""
        several = self.several[cells[positions]]
        alone = positions[~several & (self.last[cells[positions]] > 0)]
        many, members = self._members(cells, positions[several])
        return np.concatenate([alone, many]), np.concatenate([self.last[cells[alone]], members])

    def _all_ordered(self, cells: Numbers, stamps: Numbers, now: Accessors) -> npt.NDArray[np.bool_]:
        """(n,): is it plain that all earlier accesses come before? That is so in most programs."""
        if not stamps.any():  # the first ones there
            return np.ones(len(cells), bool)
        plain = stamps < now.order_stamp
        if not self.private:
            plain &= (now.block_of(stamps) == now.blocks) & ~self.mixed[cells]
        if plain.all():
            return plain
        own = ~self.several[cells] & (threads_of(stamps) == now.threads)
        before = stamps < (now.grid.knowledge.everybody + 1) << THREAD_BITS
        if not now.grid.tree.alone:
            before &= (stamps == 0) | ~self.several[cells] & now.grid.holds(threads_of(stamps))
        return np.asarray(plain | own | before)

    def _members(self, cells: Numbers, positions: Numbers) -> tuple[Numbers, Numbers]:
        """All remembered accesses of the cells at some positions: pairs of position and stamp."""
        if not positions.size:
            return positions, positions
        logged, stamps = self.log.all()
        wanted = np.zeros(len(self.last), bool)
        wanted[cells[positions]] = True
        found = wanted[logged]
        logged, stamps = logged[found], stamps[found]
        live = times_of(stamps) >= self.since[logged]
        order = np.argsort(logged[live], kind="stable")
        logged, stamps = logged[live][order], stamps[live][order]
        first = np.searchsorted(logged, cells[positions])
        count = np.searchsorted(logged, cells[positions], side="right") - first
        enough = np.searchsorted(np.cumsum(count), MOST_PAIRS, side="right") + 1
        positions, first, count = positions[:enough], first[:enough], count[:enough]
        starts = np.cumsum(count) - count
        within = np.arange(int(count.sum()), dtype=np.int64) - np.repeat(starts, count)
        return np.repeat(positions, count), stamps[np.repeat(first, count) + within]

    def replace(self, cells: Numbers, now: Accessors) -> None:
        """Remember only these accesses, one a cell."""
        self.last[cells] = now.stamps
        self.several[cells] = False
        self.mixed[cells] = False

    def clear(self, cells: Numbers) -> None:
        """A write of the cells comes after all accesses that are remembered here."""
        self.last[cells] = 0
        self.several[cells] = False

    def add(self, cells: Numbers, now: Accessors) -> None:
        """Remember these accesses besides those that they do not follow."""
        before, stamps, time = self.last[cells], now.stamps, now.time
        follows = self._all_ordered(cells, before, now)
        self.last[cells] = stamps
        crowd = self.last[cells] != stamps  # several threads of this event at one cell
        if follows.all():
            self.several[cells] = False
            self.mixed[cells] = False
            self.since[cells] = time
        else:
            self._keep(cells, before, follows, time)
        self.several[cells[crowd]] = True
        many = self.several[cells]
        if many.any():
            if not self.private:
                differs = now.block_of(self.last[cells]) != now.blocks
                differs |= ~follows & (now.block_of(before) != now.blocks)
                self.mixed[cells[differs]] = True
            self.log.add(cells[many], stamps[many])
            self.log.tidy(self.since)

    def _keep(self, cells: Numbers, before: Numbers, follows: Any, time: int) -> None:
        """Cells where some access does not follow the earlier ones keep those; the others start afresh."""
        keeps = np.zeros(len(self.last), bool)
        keeps[cells[~follows]] = True
        afresh = cells[~keeps[cells]]
        self.several[afresh], self.mixed[afresh], self.since[afresh] = False, False, time
        kept, first = np.unique(cells[keeps[cells]], return_index=True)
        stamps = before[keeps[cells]][first]
        alone = ~self.several[kept]  # not yet in the log
        self.log.add(kept[alone], stamps[alone])
        self.several[kept] = True
