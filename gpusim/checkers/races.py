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
and `MOST_PAIRS` in `history`. Launches of the host are taken to run one after the other; grids that one of
them leads to are compared, of which a fence and an atomic hand nothing over (`launch_order` says what does).

What a grid has written itself, and then fetches by a texture unit, is told in whatever order the two are:
only a launch, and the end of a child that was waited for, make writes visible there. Source: CUDA C++
Programming Guide, CUDA Dynamic Parallelism, Texture Memory.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.checkers.between_grids import DID, Done, unordered
from gpusim.checkers.findings import Findings
from gpusim.checkers.geometry import Numbers, Region, Regions
from gpusim.checkers.history import THREAD_BITS, THREAD_MASK, Accessors, History, threads_of, times_of
from gpusim.checkers.knowledge import Knowledge
from gpusim.checkers.launch_order import Requested
from gpusim.checkers.observed import ATOMICS, unobserved
from gpusim.checkers.tree import OfTree, Tree
from gpusim.events import (
    BarrierPassed,
    ChildLaunched,
    ChildrenAwaited,
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
from gpusim.ir.launched import LaunchedBy
from gpusim.ir.types import Space

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


@dataclass
class Trees:
    """Grids that were launched and have not begun: by whom, and how."""

    requested: dict[LaunchedBy, tuple[Races, Requested]] = field(default_factory=dict)

    def give(self, parent: Races, requested: Requested) -> None:
        """A grid was launched."""
        self.requested[requested.by] = parent, requested

    def take(self, launched: GridLaunched) -> tuple[Races, Requested] | tuple[None, None]:
        """A grid begins: which one launched it, and how? None for both where the host did."""
        by = launched.launched_by
        return (None, None) if by is None else self.requested.pop(by, (None, None))


class Races(GridObserver):
    """Racecheck, for one grid."""

    wants = frozenset(
        {
            MemoryAccess,
            BarrierPassed,
            NamedBarrierUsed,
            LanesSynchronized,
            FenceExecuted,
            ChildLaunched,
            ChildrenAwaited,
        }
    )

    def __init__(
        self,
        findings: Findings,
        launched: GridLaunched,
        trees: Trees | None = None,
    ) -> None:
        instructions = [instruction for block in launched.blocks for instruction in block.instructions]
        self._findings, self._launch = findings, launched
        self._trees = Trees() if trees is None else trees
        parent, requested = self._trees.take(launched)
        above: OfTree | None = None if parent is None else parent.grid
        tree = Tree.of(launched) if above is None else above.tree
        self._regions = Regions(launched, tree.granules, None if tree.alone else tree.regions)
        self._knowledge = Knowledge(
            self._regions.geometry,
            lock_step=launched.scheduling == "stack",
            hands_over=any(instruction.opcode is Opcode.FENCE for instruction in instructions),
        )
        self.grid: OfTree = OfTree(tree, launched, self._knowledge, above, requested)
        self._places = self.grid.places
        self._watched = {
            region: number
            for number, region in enumerate(self._regions)
            if region.space in (Space.GLOBAL, Space.SHARED) and self._written(region)
        }
        self._of_tree: dict[Region, dict[str, History]] = {} if parent is None else parent._of_tree
        self._of_blocks: dict[Region, dict[str, History]] = {}
        self._hand_over_cells = {region: np.zeros(0, bool) for region in self._watched}
        self._done, self._batch = tree.done, 0

    def observe(self, event: Event) -> None:
        """Note who meets whom, and compare each access with the earlier ones."""
        self._done.append(event.instruction if isinstance(event, MemoryAccess) else None)
        time = len(self._done) - 1
        match event:
            case MemoryAccess():
                self._enter(event.warps)
                for region, access in self._regions.of(event):
                    if region in self._watched:
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
            case ChildLaunched(warps=warps, active=active):
                self._enter(warps)
                thread = int(self._regions.geometry.threads_of(warps, active)[0])
                self._trees.give(self, self.grid.order.launch(event, thread, time))
            case ChildrenAwaited(warps=warps, active=active):
                self._enter(warps)
                thread = int(self._regions.geometry.threads_of(warps, active)[0])
                self.grid.order.wait(thread, time, event.span)

    def _written(self, region: Region) -> bool:
        """Does the kernel write there, or may another of its tree? What is only read cannot race."""
        if not self.grid.tree.alone and region.space is Space.GLOBAL:
            return True
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
            self._of_blocks.clear()
            for region in self._watched:
                if region.space is Space.SHARED:
                    self._hand_over_cells[region] = np.zeros(0, bool)

    def _access(self, event: MemoryAccess, region: Region, time: int) -> None:
        threads = self._regions.geometry.threads_of(event.warps, event.active)
        kept = self._of_blocks if region.space is Space.SHARED else self._of_tree
        kind, histories, knowledge = self._kind(event), kept.setdefault(region, {}), self._knowledge
        now = Accessors(threads + self.grid.first, time, self.grid)
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
        if kind == "load" and event.instruction.opcode.kind is Kind.TEXTURE and "store" in histories:
            own = self.grid.holds(threads_of(stamps := histories["store"].last[first])) & (stamps > 0)
            own[positions] = False
            if own.any():
                self._stale(event, threads, int(own.argmax()), stamps, int(own.sum()))
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

    def _stale(
        self, event: MemoryAccess, threads: Numbers, position: int, stamps: Numbers, count: int
    ) -> None:
        """A texture unit fetches what its own grid has written, in whatever order."""
        member, fetch = int(stamps[position]), event.instruction
        store = self._done[member >> THREAD_BITS]
        assert store is not None
        array = _array(fetch) or _array(store)
        lines = [(span.source.filename, span.line) for span in (store.span, fetch.span)]
        key = "racecheck", "stale", self._launch.function, *lines
        if self._findings.count(key, count):
            return
        known, thread = (member & THREAD_MASK) - self.grid.first, int(threads[position])
        address = int(event.addresses[event.active][position])
        place = self._places.element(event.space, address, array)
        accesses = (
            self._places.access(_kind_of(store), known, store.span),
            self._places.access("load", thread, fetch.span),
        )
        message = (
            f"thread {accesses[0].thread} of block {accesses[0].block} wrote {place}, and its grid fetches "
            "it by a texture or surface, which need not show what was written since the grid began"
        )
        hint = "read it from the array itself, or fetch it in a grid that is launched afterwards"
        self._findings.add(
            key, self._launch.function, "racecheck", "RAW", message, hint, accesses, count, place, address
        )

    def _describe(
        self, event: MemoryAccess, earlier: Instruction, member: int, position: int, thread: int, count: int
    ) -> None:
        later = event.instruction
        kinds = _kind_of(earlier), _kind_of(later)
        hazard = "RAW" if kinds[1] == "load" else "WAR" if kinds[0] == "load" else "WAW"
        array = _array(later)
        lines = [(span.source.filename, span.line) for span in (earlier.span, later.span)]
        grid = self.grid.tree.grid_of(member & THREAD_MASK)
        kernels = grid.launched.function, self._launch.function
        key = "racecheck", grid is self.grid, *kernels, event.space, array, *lines, hazard
        if self._findings.count(key, count):
            return
        known, time = (member & THREAD_MASK) - grid.first, member >> THREAD_BITS
        accesses = (
            grid.places.access(kinds[0], known, earlier.span),
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
        if grid is self.grid:
            hint = self._hint(known, thread, earlier, later)
        else:
            one = Done(grid, known, kinds[0], earlier.span, time)
            two = Done(self.grid, thread, kinds[1], later.span, None)
            why, hint = unordered(one, two)
            its = grid.places.element(event.space, address, _array(earlier))
            called = "" if its == place else f" as {place.removeprefix('global ')}"
            did = f"{one.who} {DID[kinds[0]]} {its}, {two.who} {DID[kinds[1]]} it{called}"
            message = f"{did}, and nothing orders the two: {why}"
            hint = WIDER_SCOPE if kinds == ("atomic", "atomic") else hint
        self._findings.add(
            key, self._launch.function, "racecheck", hazard, message, hint, accesses, count, place, address
        )

    def _hint(self, known: int, thread: int, earlier: Instruction, later: Instruction) -> str:
        """What would order the two, of one grid?"""
        geometry = self._regions.geometry
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


def _element(instruction: Instruction) -> Hashable:
    """What it goes to, as the source says it: the same words of one line mean the same element."""
    assert instruction.place is not None
    return instruction.span.source, instruction.span.line, instruction.array, instruction.place.operands


def _array(instruction: Instruction) -> str:
    return "" if instruction.array is None else instruction.array.memory.name


def _kind_of(instruction: Instruction) -> str:
    if instruction.opcode.kind is Kind.ATOMIC:
        return "atomic"
    return "store" if instruction.opcode.writes_memory else "load"
