"""Which accesses find their sector in a cache? A second look at 32 bytes hits, unless they had to leave.

N accesses in order; `sectors`: int64 (N,), address / sector_bytes. A cache has S sets of `ways` lines of P
sectors; several like it, one for each multiprocessor, are its `copies`, and have rows of sets one after the
other. A *run* is a row of accesses, R of them, that one set gets for one line with no other line between.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.measurements.requests import SECTOR_BYTES

LINE_BYTES = 128
WHOLE = np.uint32(0xFFFF_FFFF)  # a bit for each byte of a sector
YOUNG = 1 << 40  # lines to evict first have ages below this

Sectors = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint32]
Hits = npt.NDArray[np.bool_]


class Loaded(NamedTuple):
    """`hits`: bool (N,); `fetched`: int64, the sectors that were asked of the memory below, in order."""

    hits: Hits
    fetched: Sectors


class _Runs(NamedTuple):
    """R runs. `rows`, `lines`: (R,); `given`: (R, P), the bytes that the run asks for or brings.

    `cells`: (N,), where each access in the order of `order` stands in (R, P). `rounds`: in each, runs of
    different sets.
    """

    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    given: Bytes
    cells: npt.NDArray[np.int64]
    rounds: list[Any]


def _seen_before(cells: npt.NDArray[np.int64]) -> Hits:
    """Which of these numbers came earlier among them?"""
    first = np.empty(int(cells.max(initial=-1)) + 1, np.int64)
    first[cells[::-1]] = np.arange(len(cells), dtype=np.int64)[::-1]  # the earliest is written last
    seen: Hits = first[cells] != np.arange(len(cells), dtype=np.int64)
    return seen


class SectoredCache:
    """A cache of lines of 128 bytes, of which each 32-byte sector is there or not; the oldest line leaves.

    A miss fetches the missing sectors of its aligned `fetch_bytes`. A store writes some bytes of a sector; a
    load hits if all the bytes that it wants are there. With `writes_back`, stored bytes stay until their line
    leaves: `written_back` counts the sectors that left so, `completed` those of them of which some bytes had
    to be read first. Line l belongs to set l mod S, and lines whose numbers differ by a multiple of S share
    one. `scattered` shifts each S lines by one set, so that these do not (how a GPU does it is unpublished).

    >>> cache = SectoredCache(256, ways=2)  # one set of two lines
    >>> cache.load(np.array([0, 0, 1, 4, 8, 0])).hits.tolist()  # lines 0 0 0 1 2 0: 2 drives 0 out
    [False, True, False, False, False, False]
    """

    def __init__(
        self,
        size_bytes: int,
        ways: int,
        *,
        copies: int = 1,
        line_bytes: int = LINE_BYTES,
        sector_bytes: int = SECTOR_BYTES,
        fetch_bytes: int = SECTOR_BYTES,
        writes_back: bool = False,
        scattered: bool = False,
    ) -> None:
        lines = size_bytes // line_bytes
        if lines < 1:
            raise ValueError(f"a cache of {size_bytes} bytes has no line of {line_bytes} bytes")
        self.ways = min(ways, lines)
        self.sets = lines // self.ways
        self.parts = line_bytes // sector_bytes
        self.fetched_together = max(fetch_bytes // sector_bytes, 1)
        self.copies = copies
        self.writes_back, self.scattered = writes_back, scattered
        self.written_back = self.completed = 0
        shape = copies * self.sets, self.ways
        self._lines = np.zeros(shape, np.int64)  # number + 1; 0: nothing there
        self._used = np.zeros(shape, np.int64)
        self._there = np.zeros((*shape, self.parts), np.uint32)
        self._changed = np.zeros((*shape, self.parts) if writes_back else (0, 0, 0), np.uint32)
        self._clock = 1

    def clear(self, copies: Any) -> None:
        """Forget everything in these copies. Not for caches that write back."""
        for state in (self._lines, self._there):
            state.reshape(self.copies, -1)[copies] = 0

    def load(
        self, sectors: Sectors, wanted: Any = WHOLE, copies: Any = 0, *, evict_first: bool = False
    ) -> Loaded:
        """Load sectors, each through its own of the `copies`: a number, or int64 (N,).

        `wanted`: the bytes that are asked for, uint32 (N,), bit b for byte b. What is loaded to be evicted
        first leaves its set before all else.
        """
        if not len(sectors):
            return Loaded(np.zeros(0, bool), sectors)
        wanted = np.broadcast_to(np.asarray(wanted, np.uint32), len(sectors))
        runs = self._runs(sectors, copies, wanted)
        missing = np.zeros(runs.given.shape, bool)
        asked = runs.given.copy()

        def fetch(which: Any, there: Bytes) -> None:
            missed = asked[which] & ~there != 0
            together = missed.reshape(len(which), -1, self.fetched_together).any(axis=2)
            missing[which] = np.repeat(together, self.fetched_together, axis=1) & (there != WHOLE)
            runs.given[which] = np.where(missing[which], WHOLE, np.uint32(0))

        before = self._play(runs, evict_first, fetch)
        missed = wanted[runs.order] & ~before.reshape(-1)[runs.cells] != 0
        missed[np.flatnonzero(missed)[_seen_before(runs.cells[missed])]] = False
        hits = np.empty(len(sectors), bool)
        hits[runs.order] = ~missed
        when = np.argsort(runs.order[runs.starts])
        run, part = np.nonzero(missing[when])
        return Loaded(hits, runs.lines[when][run] * self.parts + part)

    def store(self, sectors: Sectors, written: Bytes, copies: Any = 0, *, evict_first: bool = False) -> Hits:
        """Write some bytes of sectors, uint32 (N,); a hit finds any byte of the sector there."""
        if not len(sectors):
            return np.zeros(0, bool)
        runs = self._runs(sectors, copies, written)
        before = self._play(runs, evict_first, changed=self.writes_back)
        hits = np.empty(len(sectors), bool)
        hits[runs.order] = _seen_before(runs.cells) | (before.reshape(-1)[runs.cells] != 0)
        return hits

    def look(self, sectors: Sectors, wanted: Bytes, copies: Any = 0) -> Hits:
        """What would hit? Nothing is fetched, and nothing becomes younger."""
        lines, part, rows = self._places(sectors, copies)
        same = self._lines[rows] == lines[:, None] + 1
        there = self._there[rows, same.argmax(axis=1), part]
        hits: Hits = same.any(axis=1) & (wanted & ~there == 0)
        return hits

    def drop(self, sectors: Sectors, copies: Any = 0) -> None:
        """Forget these sectors, where they are. Not for caches that write back."""
        lines, part, rows = self._places(sectors, copies)
        place, way = np.nonzero(self._lines[rows] == lines[:, None] + 1)
        self._there[rows[place], way, part[place]] = 0

    # how ----------------------------------------------------------------------------------------------------

    def _places(self, sectors: Sectors, copies: Any) -> tuple[Any, Any, Any]:
        lines, part = np.divmod(sectors, self.parts)
        shifted = lines + lines // self.sets if self.scattered else lines
        return lines, part, copies * self.sets + shifted % self.sets

    def _runs(self, sectors: Sectors, copies: Any, given: Bytes) -> _Runs:
        lines, part, rows = self._places(sectors, copies)
        order = np.argsort(rows, kind="stable")
        rows, lines = rows[order], lines[order]
        fresh = np.ones(len(rows), bool)
        fresh[1:] = (rows[1:] != rows[:-1]) | (lines[1:] != lines[:-1])
        starts = np.flatnonzero(fresh)
        cells = (np.cumsum(fresh) - 1) * self.parts + part[order]
        count = len(starts)
        together = np.zeros(count * self.parts, np.uint32)
        np.bitwise_or.at(together, cells, given[order])
        rows, lines = rows[starts], lines[starts]
        numbers = np.arange(count, dtype=np.int64)
        opens = np.ones(count, bool)
        opens[1:] = rows[1:] != rows[:-1]
        rank = numbers - np.maximum.accumulate(np.where(opens, numbers, 0))
        longest = int(rank.max()) + 1
        by_rank = np.argsort(rank, kind="stable")
        rounds = np.split(by_rank, np.cumsum(np.bincount(rank, minlength=longest))[:-1])
        return _Runs(order, starts, rows, lines, together.reshape(count, -1), cells, rounds)

    def _play(self, runs: _Runs, evict_first: bool, fetch: Any = None, changed: bool = False) -> Bytes:
        """Bring in what the runs give; the bytes (R, P) that were there of their lines before."""
        before = np.empty_like(runs.given)
        for which in runs.rounds:
            rows, names = runs.rows[which], runs.lines[which] + 1
            same = self._lines[rows] == names[:, None]
            way = np.where(found := same.any(axis=1), same.argmax(axis=1), self._used[rows].argmin(axis=1))
            if not found.all():
                self._evict(rows[~found], way[~found])
            there = self._there[rows, way]
            before[which] = there
            if fetch is not None:
                fetch(which, there)
            self._lines[rows, way] = names
            self._there[rows, way] = there | runs.given[which]
            if changed:
                self._changed[rows, way] |= runs.given[which]
            age = np.where(found, self._used[rows, way], self._clock) if evict_first else self._clock + YOUNG
            self._used[rows, way] = age
            self._clock += 1
        return before

    def _evict(self, rows: Any, way: Any) -> None:
        if self.writes_back:
            changed = self._changed[rows, way] != 0
            self.written_back += int(np.count_nonzero(changed))
            self.completed += int(np.count_nonzero(changed & (self._there[rows, way] != WHOLE)))
            self._changed[rows, way] = 0
        self._there[rows, way] = 0
