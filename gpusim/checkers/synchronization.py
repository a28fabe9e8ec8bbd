"""Do threads meet as the architecture asks? synccheck.

* Threads of a block must wait at one and the same barrier. The programming guide allows `__syncthreads` in a
  conditional only where it "evaluates identically across the entire thread block"; barriers at two lines can
  open together all the same where whole warps differ, as an H200 was seen to do, and that is a finding.
* So must the lanes of a warp. Before Volta a barrier counts warps: one that lanes are missing from, which
  have not left, opens without them. Since Volta it counts threads: it opens once those that went around it
  have left, and if they never do, that is a deadlock, which the machine diagnoses. Going around is a finding
  in either case; leaving by a `return` before the barrier is not. Whole warps may go around, as on the H200.
* A lane that reads, by shuffle, from a lane that takes no part gets an undefined value. That is a warning:
  sums over a part of a warp often get such values where they do not use them.
* A thread block is cut into tiles that all have the same number of threads: CUDA asks for a size of the block
  that tiles divide. On an H200 a last tile with fewer threads was seen to work, but for what needs them all.
* Invalid masks, deadlocks and livelocks end the launch: the machine finds them (`endings` in this package).

Not detectable: `activemask()` used as if it told who will come. The mask is what it is; a kernel that waits
for others with it may work under one schedule and hang, or lose lanes, under another.
"""

from __future__ import annotations

import math

import numpy as np

from gpusim.checkers.findings import Findings, Places
from gpusim.checkers.geometry import Geometry, Numbers
from gpusim.events import (
    BarrierPassed,
    BarrierReached,
    BlockIssued,
    Event,
    GridLaunched,
    GridObserver,
    Lanes,
    LanesSynchronized,
    Warps,
)
from gpusim.ir.terminators import Return
from gpusim.reports.findings import Access
from gpusim.source import Span

DIVERGENT_BLOCK = "divergent threads in block"
DIVERGENT_WARP = "divergent threads in warp"
ABSENT_SOURCE = "shuffle from an absent lane"
RAGGED_TILE = "tile across the end of a block"
ONE_BARRIER = "move the barrier out of the branch: every thread of the block must reach the same one"


class Synchronization(GridObserver):
    """Synccheck, for one grid."""

    wants = frozenset({BlockIssued, BarrierReached, BarrierPassed, LanesSynchronized})

    def __init__(self, findings: Findings, launched: GridLaunched) -> None:
        self._findings, self._launch = findings, launched
        self._places, self._geometry = Places(launched), Geometry(launched)
        self._leaving = {
            number for number, block in enumerate(launched.blocks) if isinstance(block.terminator, Return)
        }
        self._spans: list[Span] = []
        self._start_batch(0)
        threads = math.prod(launched.block)
        for span, size in launched.function.tiles:
            if threads % size:
                self._report_ragged(span, size, threads)

    def observe(self, event: Event) -> None:
        """Follow who has left, and who waits at which barrier."""
        match event:
            case BlockIssued(block=block, warps=warps, active=active):
                if block in self._leaving:
                    self._leave(block, self._slots(warps), warps, active)
            case BarrierReached(warps=warps, active=active, span=span, named=False):
                self._reach(warps, active, span)
            case BarrierPassed(warps=warps, active=active):
                self._pass(warps, active)
            case LanesSynchronized(warps=warps, active=active, absent=absent, span=span):
                if absent is not None and absent.any():
                    self._report_absent(warps, absent, span)

    def _start_batch(self, batch: int) -> None:
        """`alive`: bool (W, L), who has not left; `waits_at`, `waiting`: (W,), which barrier, which lane.

        passed: int64 (W, L), how many barriers each lane has passed; left_after: for each way out at the
        kernel's end, (W, L), how many it had passed when it left there, -1 if it did not.
        """
        geometry = self._geometry
        self._batch, self._alive = batch, np.tile(geometry.present, (geometry.blocks, 1))
        self._waits_at, self._waiting = np.zeros(geometry.warps, np.int64), np.zeros(geometry.warps, np.int64)
        self._passed = np.zeros(self._alive.shape, np.int64)
        self._left_after: dict[int, Numbers] = {}

    def _slots(self, warps: Warps) -> Numbers:
        if self._geometry.batch(warps) != self._batch:
            self._start_batch(self._geometry.batch(warps))
        return warps % self._geometry.warps

    def _reach(self, warps: Warps, active: Lanes, span: Span) -> None:
        slots = self._slots(warps)
        if span not in self._spans:
            self._spans.append(span)
        self._waits_at[slots], self._waiting[slots] = self._spans.index(span), active.argmax(axis=1)
        if self._launch.scheduling == "stack":
            missing = self._alive[slots] & ~active
            if missing.any():
                row = int(missing.any(axis=1).argmax())
                first = [
                    self._access("barrier", int(warps[row]), lanes[row], span) for lanes in (active, missing)
                ]
                self._report(
                    DIVERGENT_WARP,
                    f"the barrier does not wait for {int(missing[row].sum())} lanes of a warp, among them "
                    f"thread {first[1].thread} of block {first[1].block}: before Volta it counts warps",
                    "move the barrier out of the branch: all lanes of a warp must reach it together",
                    (first[0],),
                    int(missing.any(axis=1).sum()),
                )

    def _leave(self, block: int, slots: Numbers, warps: Warps, active: Lanes) -> None:
        """Lanes that leave at the same place must have passed the same barriers as the rest of their warp."""
        self._alive[slots] &= ~active
        end = self._launch.blocks[block].terminator
        early = isinstance(end, Return) and end.join is not None
        if early or self._launch.scheduling == "stack":
            return
        left_after = self._left_after.setdefault(block, np.full(self._passed.shape, -1, np.int64))
        left_after[slots] = np.where(active, self._passed[slots], left_after[slots])
        most = left_after[slots].max(axis=1, keepdims=True)
        around = (left_after[slots] >= 0) & (left_after[slots] < most)
        if around.any():
            row = int(around.any(axis=1).argmax())
            warp = int(warps[row])
            came = left_after[slots[row]] == most[row]
            waited = self._access("barrier", warp, came, self._spans[self._waits_at[slots[row]]])
            went = self._access("end", warp, around[row], end.span)
            self._report(
                DIVERGENT_WARP,
                f"thread {waited.thread} of block {waited.block} waits at the barrier, and {went.thread} of "
                "its warp goes around it",
                ONE_BARRIER,
                (waited,),
                int(around.any(axis=1).sum()),
            )

    def _pass(self, warps: Warps, active: Lanes) -> None:
        slots, per_block = self._slots(warps), self._geometry.warps_per_block
        self._passed[slots] += active
        blocks, where = warps // per_block, self._waits_at[slots]
        leader = np.searchsorted(blocks, blocks)  # the first warp of the same block; warps come in order
        apart = np.flatnonzero(where != where[leader])
        if apart.size:
            rows = int(leader[apart[0]]), int(apart[0])
            accesses = tuple(
                self._places.access(
                    "barrier",
                    int(warps[row]) * self._geometry.lanes + int(self._waiting[slots[row]]),
                    self._spans[where[row]],
                )
                for row in rows
            )
            lines = " and ".join(str(access.line) for access in accesses)
            message = (
                f"threads {accesses[0].thread} and {accesses[1].thread} of block {accesses[0].block} wait at "
                f"different barriers, lines {lines}"
            )
            self._report(DIVERGENT_BLOCK, message, ONE_BARRIER, accesses, len(np.unique(blocks[apart])))

    def _report_ragged(self, span: Span, size: int, threads: int) -> None:
        lanes = self._geometry.lanes
        warp, lane = divmod(threads - threads % size, lanes)
        access = self._access("partition", warp, np.arange(lanes, dtype=np.int64) == lane, span)
        self._report(
            RAGGED_TILE,
            f"a block of {threads} threads is cut into tiles of {size}: the last, from thread "
            f"{access.thread} on, has only {threads % size}",
            f"launch blocks of a multiple of {size} threads, or let the last ones form a coalesced group",
            (access,),
            math.prod(self._launch.grid),
        )

    def _report_absent(self, warps: Warps, absent: Lanes, span: Span) -> None:
        row = int(absent.any(axis=1).argmax())
        access = self._access("shuffle", int(warps[row]), absent[row], span)
        self._report(
            ABSENT_SOURCE,
            f"thread {access.thread} of block {access.block} reads from a lane that takes no part: what it "
            "gets is undefined",
            "name that lane in the mask and let it come here, or do not use the value",
            (access,),
            int(absent.sum()),
            severity="warning",
        )

    def _access(self, kind: str, warp: int, lanes: Lanes, span: Span) -> Access:
        return self._places.access(kind, warp * self._geometry.lanes + int(lanes.argmax()), span)

    def _report(
        self,
        hazard: str,
        message: str,
        hint: str,
        accesses: tuple[Access, ...],
        count: int,
        severity: str = "error",
    ) -> None:
        kernel = self._launch.function
        key = "synccheck", kernel, hazard, *((a.at.file, a.line) for a in accesses)
        if not self._findings.count(key, count):
            self._findings.add(
                key, kernel, "synccheck", hazard, message, hint, accesses, count, severity=severity
            )
