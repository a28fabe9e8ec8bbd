"""When does an access have its data? L1 of one multiprocessor, its share of L2 and DRAM, and their queues.

Times are in clocks. All multiprocessors are taken to do the same: each gets its share of what L2 and DRAM can
move, and where others touch the same memory, one of them pays for it. A warm L2 holds what an earlier launch
of the kernel left, if all that the grid touches fits; else what nobody touched before comes from DRAM.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from gpusim.devices.speeds import Speeds
from gpusim.events import GridLaunched, Placement
from gpusim.ir.types import Space
from gpusim.measurements.requests import SECTOR_BYTES
from gpusim.measurements.sectored_cache import LINE_BYTES
from gpusim.timing.recording import REGION_BYTES, Request

DATA = 4  # sectors that L1 moves in a clock
REQUEST, FIRST_LINE, LINE = 1.25, 0.7, 0.65  # clocks of a request: at least, and by its lines
ATOMIC_TURN = 1.45  # clocks that L2 takes for each lane on one word
# what an atomic takes of L2 beside its sectors, in sectors: a request, a sector, a further lane on one word
ATOMIC_REQUEST, ATOMIC_SECTOR, ATOMIC_LANE = 9.9, 0.54, 2.4
HALVES = {
    mask: (bool(mask & 3) + bool(mask & 12)) * 2 for mask in range(16)
}  # sectors that L2 fetches in pairs
ONES = [mask.bit_count() for mask in range(16)]
WARM_SHARE = 0.8  # of L2 that an earlier launch is found in


class Hierarchy:
    """The memories as one multiprocessor sees them.

    `represented`: how many times what was recorded did the whole grid do; `multiprocessors`: how many share
    L2 and DRAM at once, `crowds`: how many perform atomics on a region of memory. `moved`: sectors by level;
    `busy`: clocks that the level had something to do, its part for this multiprocessor.
    """

    def __init__(
        self,
        launched: GridLaunched,
        speeds: Speeds,
        requests: Iterable[Request],
        *,
        represented: float,
        multiprocessors: float,
        crowds: dict[int, float],
        warm: bool,
    ) -> None:
        self._speeds = speeds
        self._l1: dict[int, tuple[int, float]] = {}
        self._l1_lines = launched.carveout.l1_bytes // LINE_BYTES
        self._keeps = {space for space in (Space.GLOBAL, Space.LOCAL) if _kept(launched, space)}
        self._stores_kept = "stores" in launched.device.l1_caches
        self.l1_free = self.port_free = self.l2_free = self.dram_free = 0.0
        self._port = 1 / speeds.port_sectors
        self._l2 = multiprocessors / speeds.l2_sectors
        self._dram = multiprocessors / speeds.dram_sectors
        self._read: dict[int, int] = {}  # which sectors of each line L2 has from DRAM,
        self._written: dict[int, int] = {}  # and which it must still write there
        self._slices: dict[int, float] = {}  # when is the one that performs a region's atomics free?
        self._atomics: dict[int, float] = {}
        self.moved = dict.fromkeys(("l1", "l2", "dram"), 0.0)
        self.busy = dict.fromkeys(("l1", "l2", "dram", "atomics"), 0.0)
        self._bounds = _bounds(launched.arrays)  # lines where arrays begin and end, in turn
        self._shares = self._dram_shares(launched, _touched(requests), represented, warm)
        self._crowds = crowds

    def _dram_shares(
        self, launched: GridLaunched, touched: dict[int, int], represented: float, warm: bool
    ) -> list[float]:
        """Between two bounds, which part of what this multiprocessor is first to touch is new to all of them?

        All that the recorded blocks touch, times what they represent, is more than the arrays have, where
        others touch the same; local memory is every warp's own. 0 for all, where L2 holds it already.
        """
        counted = [0] * (len(self._bounds) + 1)
        for line, mask in touched.items():
            counted[bisect_right(self._bounds, line)] += HALVES[mask]
        shares, footprint = [1.0] * len(counted), 0.0
        for index, sectors in enumerate(counted):
            everything = has = sectors * represented
            if index % 2 and sectors:
                lines = self._bounds[index] - self._bounds[index - 1]
                has = min(lines * LINE_BYTES / SECTOR_BYTES, everything)
                shares[index] = has / everything
            footprint += has * SECTOR_BYTES
        if warm and footprint < WARM_SHARE * launched.device.l2_bytes:
            return [0.0] * len(shares)
        return shares

    def load(self, at: float, request: Request) -> float:
        """When is what a warp asks for at time `at` there?"""
        start = self._through_l1(at, request)
        ready = start + self._speeds.l1_latency
        if request.space not in self._keeps:
            return self._beyond(start, request.pieces, request.sectors)
        l1, missing, count = self._l1, [], 0
        for line, mask in request.pieces:
            held, there = l1.pop(line, (0, 0.0))
            if held & mask and there > ready:
                ready = there
            if lost := mask & ~held:
                missing.append((line, lost))
                count += ONES[lost]
            l1[line] = (held | mask, there)
        if missing:
            arrived = self._beyond(start, missing, count)
            for line, _ in missing:
                l1[line] = (l1[line][0], arrived)
            while len(l1) > self._l1_lines:
                del l1[next(iter(l1))]
            ready = max(ready, arrived)
        return ready

    def store(self, at: float, request: Request) -> float:
        """When has a store, which nobody waits for, arrived in L2?"""
        start = self._through_l1(at, request)
        if request.space in self._keeps and not self._stores_kept:
            for line, _ in request.pieces:
                self._l1.pop(line, None)
        extra = request.partial * (self._speeds.partial_store - 1)
        unread = request.partial * self._share(request) if request.partial else 0.0
        return self._beyond(start, request.pieces, request.sectors, extra, unread, waits=False)

    def atomic(self, at: float, request: Request) -> float:
        """When has L2 performed an atomic, and returned what was there?"""
        start = self._through_l1(at, request)
        extra = ATOMIC_REQUEST + ATOMIC_SECTOR * request.sectors + ATOMIC_LANE * (request.passes - 1)
        done = self._beyond(start, request.pieces, request.sectors, extra)
        work = max(self._speeds.atomic_interval, ATOMIC_TURN * request.passes)
        for line, _sectors in request.pieces:
            region = line * LINE_BYTES // REGION_BYTES
            free = max(self._slices.get(region, 0.0), start)
            took = work * self._crowds.get(region, 1.0)
            self._slices[region] = free + took
            self._atomics[region] = self._atomics.get(region, 0.0) + took
            self.busy["atomics"] = max(self.busy["atomics"], self._atomics[region])
            done = max(done, self._slices[region] + self._speeds.l2_latency)
        return done + self._speeds.atomic_latency

    def shared(self, at: float, request: Request) -> float:
        """When has shared memory, or the constant cache, served all passes of a request?"""
        if request.space is Space.CONSTANT:
            return at + self._speeds.shared_latency + 4 * (request.passes - 1)
        start = max(at, self.l1_free)
        self.l1_free = start + request.passes
        self.busy["l1"] += request.passes
        return start + self._speeds.shared_latency + 2 * (request.passes - 1)

    def _through_l1(self, at: float, request: Request) -> float:
        start = max(at, self.l1_free)
        took = max(request.sectors / DATA, FIRST_LINE + LINE * len(request.pieces), REQUEST)
        self.l1_free = start + took
        self.busy["l1"] += took
        self.moved["l1"] += request.sectors
        return start

    def _beyond(
        self,
        at: float,
        pieces: Iterable[tuple[int, int]],
        sectors: int,
        extra: float = 0.0,
        unread: float = 0.0,
        waits: bool = True,
    ) -> float:
        """Sectors go through the port of the multiprocessor to L2, and those that are new to DRAM.

        A store waits for room there only, not for DRAM's answer; `unread` are sectors that it writes in part,
        whose rest DRAM must give.
        """
        self.moved["l2"] += sectors
        self.busy["l2"] += (sectors + extra) * self._l2
        leave = self.port_free = max(self.port_free, at) + sectors * self._port
        leave = self.l2_free = max(self.l2_free, leave - sectors * self._l2) + (sectors + extra) * self._l2
        arrived = leave + self._speeds.l2_latency
        moved = sum(self._new_to_dram(line, mask, waits) for line, mask in pieces) + unread
        if moved:
            self.moved["dram"] += moved
            self.busy["dram"] += moved * self._dram
            done = self.dram_free = max(self.dram_free, at) + moved * self._dram
            arrived = max(arrived, done + (self._speeds.dram_latency if waits else 0))
        return arrived

    def _share(self, request: Request) -> float:
        return self._shares[bisect_right(self._bounds, request.pieces[0][0])]

    def _new_to_dram(self, line: int, mask: int, read: bool) -> float:
        """How many sectors of a line must DRAM give, or in the end take, that nobody asked of it before?"""
        share = self._shares[bisect_right(self._bounds, line)]
        if not share:
            return 0.0
        known = self._read if read else self._written
        before = known.get(line, 0)
        wanted = mask | (mask & 5) << 1 | (mask & 10) >> 1 if read else mask
        if not mask & ~before:
            return 0.0
        known[line] = before | wanted
        return ONES[wanted & ~before] * share


def _bounds(arrays: Iterable[Placement]) -> list[int]:
    """In which lines do arrays of global memory begin and end? Those that overlap are one."""
    bounds: list[int] = []
    for array in sorted((each for each in arrays if each.space is Space.GLOBAL), key=lambda each: each.first):
        begin, end = array.first // LINE_BYTES, -(-(array.first + array.bytes) // LINE_BYTES)
        if bounds and begin < bounds[-1]:
            bounds[-1] = max(bounds[-1], end)
        else:
            bounds += begin, end
    return bounds


def _kept(launched: GridLaunched, space: Space) -> bool:
    return bool(launched.carveout.l1_bytes) and (
        ("loads" if space is Space.GLOBAL else "local") in launched.device.l1_caches
    )


def _touched(requests: Iterable[Request]) -> dict[int, int]:
    """Which sectors do requests touch, by line?"""
    lines: dict[int, int] = {}
    for request in requests:
        for line, mask in request.pieces:
            lines[line] = lines.get(line, 0) | mask
    return lines
