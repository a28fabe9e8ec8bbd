"""Do two threads use one element, at least one of them writing, with nothing that orders them? racecheck.

Two accesses race if they are of different threads, touch a common byte of shared or global memory, at least
one writes, and neither happens before the other (`knowledge` says what happens before what). Values do not
matter: two threads that store the same number race. Two atomics do not race if the scopes of both include
both threads; an atomic against a plain access does, unless the plain one comes after an atomic that observed
the other. Lanes of a warp that execute one instruction together are concurrent, under both models.

What this sees and what it does not: any pair of accesses that execute is judged by what orders it, not by
which came first, so the schedule hardly matters; paths that do not run are not seen. Every cell with a race
gets a finding. An access that comes after a race on its cell is compared only with what came since, so the
other pairs of lines of one faulty cell may show only once the first is repaired. Bounds: `MOST_LOG_ENTRIES`
and `MOST_PAIRS` in `history`. Launches are taken to run one after the other.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from gpusim.checkers.findings import Findings, Places, access_at
from gpusim.checkers.geometry import Numbers, Region, Regions, widths
from gpusim.checkers.history import THREAD_MASK, Accessors, History, threads_of, times_of
from gpusim.checkers.knowledge import Knowledge
from gpusim.events import (
    BarrierPassed,
    Event,
    FenceExecuted,
    GridLaunched,
    GridObserver,
    LanesSynchronized,
    MemoryAccess,
    NamedBarrierUsed,
)
from gpusim.ir.details import Scope
from gpusim.ir.instructions import Instruction, Kind, Opcode
from gpusim.ir.types import Space
from gpusim.source import Span

NOT_COMPARED = "not compared"
ATOMICS = ("atomic", "block atomic")
EVERYBODY, OTHER_BLOCKS = False, True
# kind of access -> the kinds of earlier access that it may race with, and whether only those of other blocks
CONFLICTS = {
    "load": {"store": EVERYBODY, "atomic": EVERYBODY, "block atomic": EVERYBODY},
    "store": {"store": EVERYBODY, "load": EVERYBODY, "atomic": EVERYBODY, "block atomic": EVERYBODY},
    "atomic": {"store": EVERYBODY, "load": EVERYBODY, "block atomic": OTHER_BLOCKS},
    "block atomic": {
        "store": EVERYBODY,
        "load": EVERYBODY,
        "atomic": OTHER_BLOCKS,
        "block atomic": OTHER_BLOCKS,
    },
}
DID = {"load": "read", "store": "wrote", "atomic": "updated"}
TOGETHER = "several threads write here at once: let one of them do it, or use cuda.atomic"
ONE_WRITES = "several threads write here at once: let one of them do it"
UPDATE = "several threads update it here, and each may miss what others write: use cuda.atomic"
SAME_WARP = "cuda.syncwarp() between the two would order lanes of one warp"
SAME_BLOCK = "cuda.syncthreads() between the two would order the threads of the block"
WIDER_SCOPE = "cuda.atomic.block is atomic within one thread block only: use cuda.atomic"
BOTH_ATOMIC = "an atomic operation does not protect from a plain access: use cuda.atomic for both"
TWO_KERNELS = (
    "no barrier spans thread blocks: use two kernels, cuda.atomic, or hand over with cuda.threadfence() "
    "before one atomic operation and after the other"
)


class Races(GridObserver):
    """Racecheck, for one grid."""

    wants = frozenset({MemoryAccess, BarrierPassed, NamedBarrierUsed, LanesSynchronized, FenceExecuted})

    def __init__(self, findings: Findings, launched: GridLaunched) -> None:
        instructions = [instruction for block in launched.blocks for instruction in block.instructions]
        self._findings, self._launch, self._places = findings, launched, Places(launched)
        self._regions = Regions(launched, widths(launched))
        self._knowledge = Knowledge(
            self._regions.geometry,
            lock_step=launched.scheduling == "stack",
            hands_over=any(instruction.opcode is Opcode.FENCE for instruction in instructions),
        )
        self._watched = {
            region: number
            for number, region in enumerate(self._regions)
            if region.space in (Space.GLOBAL, Space.SHARED) and self._written(region)
        }
        self._histories: dict[Region, dict[str, History]] = {region: {} for region in self._watched}
        self._hand_over_cells = {region: np.zeros(0, bool) for region in self._watched}
        if launched.function.launches:
            self._tell_children(launched.function.launches[0].span)
        self._done: list[Instruction | None] = [None]
        self._batch = 0

    def observe(self, event: Event) -> None:
        """Note who meets whom, and compare each access with the earlier ones."""
        self._done.append(event.instruction if isinstance(event, MemoryAccess) else None)
        time = len(self._done) - 1
        match event:
            case MemoryAccess():
                for region, access in self._regions.of(event):
                    if region in self._watched:
                        self._enter(event.warps)
                        self._access(access, region, time)
            case BarrierPassed(whole_grid=True):
                self._knowledge.meet_all(time)
            case BarrierPassed(warps=warps):
                self._enter(warps)
                self._knowledge.meet_blocks(warps, time)
            case NamedBarrierUsed(number=number, warps=warps, active=active, phases=phases):
                self._enter(warps)
                if event.arrives:
                    self._knowledge.come(number, warps, active, phases, time)
                else:
                    self._knowledge.go_on(number, warps, active, phases)
            case LanesSynchronized(opcode=Opcode.SYNC_WARP, warps=warps, active=active):
                self._enter(warps)
                self._knowledge.meet_lanes(warps, active, time)
            case FenceExecuted(scope=scope, warps=warps, active=active):
                self._enter(warps)
                self._knowledge.fence(scope is not Scope.CTA, warps, active, time)

    def _tell_children(self, span: Span) -> None:
        """Of a grid and those that it launches nothing is known together: that is not clean."""
        function = self._launch.function
        key = "racecheck", function, NOT_COMPARED
        if not self._findings.count(key, 1):
            message = f"what {function.name} uses was not compared with what grids use that it launches"
            launch = access_at(span, "launch")
            self._findings.add(
                key, function, "racecheck", NOT_COMPARED, message, "", (launch,), 1, severity="warning"
            )

    def _written(self, region: Region) -> bool:
        """Does the kernel write there? What is only read cannot race."""
        if any(array.space is Space.GENERIC for array in self._launch.function.written):
            return True
        written = {array.name for array in self._launch.function.written if array.space is region.space}
        arrays = [array for array in self._launch.arrays if array.space is region.space]
        inside = {a.name for a in arrays if region.first <= a.first < region.first + region.bytes}
        return bool(written & inside)

    def _enter(self, warps: Any) -> None:
        """Another batch of thread blocks: shared memory is new, and nobody knows anything."""
        batch = self._regions.geometry.batch(warps)
        if batch != self._batch:
            self._batch = batch
            self._knowledge.start_batch()
            for region, histories in self._histories.items():
                if region.space is Space.SHARED:
                    histories.clear()
                    self._hand_over_cells[region] = np.zeros(0, bool)

    def _access(self, event: MemoryAccess, region: Region, time: int) -> None:
        threads = self._regions.geometry.threads_of(event.warps, event.active)
        kind, histories, knowledge = self._kind(event), self._histories[region], self._knowledge
        now = Accessors(threads, time, knowledge)
        first = self._regions.cells(event, region, threads)
        found: list[tuple[Numbers, Numbers]] = []
        for step in range(event.width // region.granule):
            cells = first + step if step else first
            for earlier, other_blocks in CONFLICTS[kind].items():
                if earlier in histories:
                    pairs = histories[earlier].unordered(cells, now, other_blocks)
                    if earlier in ATOMICS and pairs[0].size:
                        pairs = unobserved(*pairs, histories, cells, now)
                    found.append(pairs)
            if kind not in histories:
                histories[kind] = History(region.cells, region.space is Space.SHARED)
            if kind == "store":
                found.append(self._overwrite(histories, cells, now))
            else:
                histories[kind].add(cells, now)
                if CONFLICTS[kind].get(kind) is OTHER_BLOCKS:
                    found.append(self._other_blocks_now(histories[kind], cells, now))
        if kind.endswith("atomic") and knowledge.hands_over:
            if not self._hand_over_cells[region].size:
                self._hand_over_cells[region] = np.zeros(region.cells, bool)
            # the window of a block in shared memory serves one of the next batch, too
            across_blocks = event.instruction.detail is not Scope.CTA and region.space is not Space.SHARED
            knowledge.atomics(
                self._watched[region], first, threads, across_blocks, self._hand_over_cells[region]
            )
        positions = np.concatenate([pair[0] for pair in found]) if found else np.zeros(0, np.int64)
        if positions.size:
            members = np.concatenate([pair[1] for pair in found])
            self._report(event, region, threads, positions, members)

    def _kind(self, event: MemoryAccess) -> str:
        narrow = (
            event.kind == "atomic" and event.instruction.detail is Scope.CTA and event.space is Space.GLOBAL
        )
        return "block atomic" if narrow else event.kind

    def _overwrite(
        self, histories: dict[str, History], cells: Numbers, now: Accessors
    ) -> tuple[Numbers, Numbers]:
        """Only these stores count from now on. Pairs of them that write one cell at once race."""
        for history in histories.values():
            history.clear(cells)
        stores = histories["store"]
        stores.replace(cells, now)
        left = stores.last[cells]
        lost = np.flatnonzero(left != now.stamps)
        return lost, left[lost]

    def _other_blocks_now(self, history: History, cells: Numbers, now: Accessors) -> tuple[Numbers, Numbers]:
        """Pairs of this event's accesses to one cell that are of different thread blocks."""
        left = history.last[cells]
        apart = np.flatnonzero(now.block_of(left) != now.blocks)
        return apart, left[apart]

    def _report(
        self, event: MemoryAccess, region: Region, threads: Numbers, positions: Numbers, members: Numbers
    ) -> None:
        if event.width > region.granule:  # a pair that meets in several cells is one pair
            pairs = np.unique(np.stack([positions, members]), axis=1)
            positions, members = pairs
        times, first, counts = np.unique(times_of(members), return_index=True, return_counts=True)
        for time, position, count in zip(times.tolist(), first.tolist(), counts.tolist(), strict=True):
            earlier = self._done[time]
            assert earlier is not None
            place = int(positions[position])
            self._describe(event, earlier, int(members[position]), place, int(threads[place]), count)

    def _describe(
        self, event: MemoryAccess, earlier: Instruction, member: int, position: int, thread: int, count: int
    ) -> None:
        later = event.instruction
        kinds = _kind_of(earlier), _kind_of(later)
        hazard = "RAW" if kinds[1] == "load" else "WAR" if kinds[0] == "load" else "WAW"
        array = later.array.memory.name if later.array is not None else ""
        lines = [(span.source.filename, span.line) for span in (earlier.span, later.span)]
        key = "racecheck", self._launch.function, event.space, array, *lines, hazard
        if self._findings.count(key, count):
            return
        accesses = (
            self._places.access(kinds[0], member & THREAD_MASK, earlier.span),
            self._places.access(kinds[1], thread, later.span),
        )
        address = int(event.addresses[event.active][position])
        place = self._places.element(event.space, address, array)
        (a, in_a), (b, in_b) = ((access.thread, access.block) for access in accesses)
        other = "" if in_a == in_b else f" of block {in_b}"
        message = (
            f"thread {a} of block {in_a} {DID[kinds[0]]} {place}, thread {b}{other} {DID[kinds[1]]} it, and "
            "nothing orders the two"
        )
        hint = self._hint(member, thread, earlier, later)
        self._findings.add(
            key, self._launch.function, "racecheck", hazard, message, hint, accesses, count, place, address
        )

    def _hint(self, member: int, thread: int, earlier: Instruction, later: Instruction) -> str:
        """What would order the two?"""
        geometry, known = self._regions.geometry, member & THREAD_MASK
        atomic = [instruction.opcode.kind is Kind.ATOMIC for instruction in (earlier, later)]
        if all(atomic):
            return WIDER_SCOPE
        if any(atomic):
            return BOTH_ATOMIC
        if earlier is later and _kind_of(later) == "store":
            return TOGETHER if later.opcode is Opcode.STORE else ONE_WRITES
        if _element(earlier) == _element(later):  # `total[0] += x[i]`
            return UPDATE
        if known // geometry.lanes == thread // geometry.lanes:
            return SAME_WARP
        if known // geometry.threads_per_block == thread // geometry.threads_per_block:
            return SAME_BLOCK
        return TWO_KERNELS


def unobserved(
    positions: Numbers, members: Numbers, histories: dict[str, History], cells: Numbers, now: Accessors
) -> tuple[Numbers, Numbers]:
    """Of pairs with earlier atomics, those that race all the same.

    An atomic that follows another one on its cell observes it, if the scopes of both include both. So an
    access that comes after the later one comes after the earlier one (PTX, observation and causality order):
    whoever draws the last of n tickets comes after all n, and may put the counter back with a plain store.
    """
    asked = np.unique(positions)
    pieces = [(kind, *histories[kind].remembered(cells, asked)) for kind in ATOMICS if kind in histories]
    place = np.concatenate([piece[1] for piece in pieces])
    stamps = np.concatenate([piece[2] for piece in pieces])
    wide = np.repeat([kind == "atomic" for kind, _places, _stamps in pieces], [len(p[1]) for p in pieces])
    known = now.knowledge.orders(now.threads[place], threads_of(stamps), times_of(stamps))
    _, own = np.unique(np.stack([place, now.block_of(stamps)]), axis=1, return_inverse=True)
    settled = -1
    while settled != int(np.count_nonzero(known)):
        settled = int(np.count_nonzero(known))
        for group, among in ((place, wide), (own.ravel(), True)):
            latest = np.full(group.max() + 1, -1)
            np.maximum.at(latest, group[known & among], stamps[known & among])
            known |= among & (stamps < latest[group])
    _, number = np.unique(np.concatenate([stamps, members]), return_inverse=True)
    pairs = np.concatenate([place, positions]) * (number.max() + 1) + number
    racing = ~np.isin(pairs[len(place) :], pairs[: len(place)][known])
    return positions[racing], members[racing]


def _element(instruction: Instruction) -> Hashable:
    """What it goes to, as the source says it: the same words of one line mean the same element."""
    assert instruction.place is not None
    return instruction.span.source, instruction.span.line, instruction.array, instruction.place.operands


def _kind_of(instruction: Instruction) -> str:
    if instruction.opcode.kind is Kind.ATOMIC:
        return "atomic"
    return "store" if instruction.opcode.writes_memory else "load"
