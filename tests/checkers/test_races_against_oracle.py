"""Does racecheck judge as plain vector clocks do? Random sequences of events, on a few threads."""

import numpy as np
import pytest

from gpusim import devices
from gpusim.checkers import history
from gpusim.checkers.findings import Findings
from gpusim.checkers.history import threads_of, times_of
from gpusim.checkers.races import Races
from gpusim.events import (
    BarrierPassed,
    FenceExecuted,
    GridLaunched,
    LanesSynchronized,
    MemoryAccess,
    NamedBarrierUsed,
    Placement,
)
from gpusim.ir.control_flow import Block
from gpusim.ir.details import Scope
from gpusim.ir.instructions import ArrayOperand, Instruction, Opcode, Place
from gpusim.ir.program import Function
from gpusim.ir.terminators import Return
from gpusim.ir.types import S32, S64, Space
from gpusim.source import Source, Span
from tests.checkers.oracle import Oracle
from tests.hunting import some

SOURCE = Source("made", "made.py", 1, ("made",))
SPAN = Span(SOURCE, 1)
SEEDS = some(range(300), 3, first=2)
CELLS, LANES_USED = 12, (0, 1, 2, 5)
OTHERS = ("load", "store", "atomic", "fence", "meet", "shuffle", "named")
VALUES = np.zeros(CELLS, np.int32)  # nobody looks at them
# each space has one array, which kernels see as elements of 4 bytes, and of 8, which take two cells
ARRAYS = {
    (space, element.bytes): ArrayOperand(space.value, element, 1, space, (4 * CELLS // element.bytes,))
    for space in (Space.GLOBAL, Space.SHARED)
    for element in (S32, S64)
}
KINDS = {"load": Opcode.LOAD, "store": Opcode.STORE, "atomic": Opcode.ATOMIC_ADD}
INSTRUCTIONS = {
    (space, width, kind, scope): Instruction(opcode, array.element, None, (), SPAN, Place(array), scope)
    for (space, width), array in ARRAYS.items()
    for kind, opcode in KINDS.items()
    for scope in (None, Scope.CTA)
    if kind == "atomic" or not scope
}
SCOPES = (Scope.CTA, Scope.GPU, Scope.GPU)
FENCE = Instruction(Opcode.FENCE, S32, None, (), SPAN, detail=Scope.GPU)
BLOCKS = (Block((*INSTRUCTIONS.values(), FENCE), Return(SPAN)),)
FUNCTION = Function("made", SOURCE, (), BLOCKS)


class Recorded(Races):
    """Racecheck that keeps every pair it reports."""

    def _report(self, event, region, threads, positions, members):
        addresses = event.addresses[event.active]
        per_block = self._regions.geometry.threads_per_block
        now = len(self._done) - 1
        for position, member in zip(positions.tolist(), members, strict=True):
            thread = int(threads[position])
            block = thread // per_block if event.space is Space.SHARED else None
            first = int(addresses[position])
            cells = tuple((event.space, block, first + byte) for byte in range(0, event.width, 4))
            self.pairs.add(((int(times_of(member)), int(threads_of(member))), (now, thread), cells))
        super()._report(event, region, threads, positions, members)


def launched(scheduling, blocks, at_once):
    spaces = dict.fromkeys(space for space, _width in ARRAYS)
    placements = tuple(Placement(space.value, space, 0, 4 * CELLS, 0, (CELLS,), (4,)) for space in spaces)
    device, grid, block = devices.get("H200"), (blocks, 1, 1), (5, 4, 2)
    rest = {"dynamic_shared_bytes": 0, "carveout": None, "host_arrays_from": 0}  # racecheck asks for none
    return GridLaunched(
        FUNCTION, BLOCKS, (None,), device, scheduling, grid, block, 2, at_once, placements, **rest
    )


class Chance:
    """Events of a few lanes of one batch of thread blocks, at random.

    `lanes` of a step: a crowd, or one. With `care`, data is mostly handed over before others use it.
    """

    def __init__(self, random, first, blocks, care, whole_grid):
        self.random, self.care, self.whole_grid = random, care, whole_grid
        self.warps = np.arange(2 * first, 2 * (first + blocks))

    def one(self):
        """One lane of one warp."""
        active = np.zeros((1, 32), bool)
        active[0, self.random.choice(LANES_USED)] = True
        return self.random.choice(self.warps, 1), active

    def crowd(self):
        """Some lanes of some warps."""
        if self.random.random() < self.care:
            return self.one()
        warps = np.sort(self.random.choice(self.warps, self.random.integers(1, len(self.warps) + 1), False))
        active = np.zeros((len(warps), 32), bool)
        active[:, LANES_USED] = self.random.random((len(warps), len(LANES_USED))) < 0.5
        active[:, 0] |= ~active.any(axis=1)
        return warps, active

    def access(self, kind, lanes, cell=None):
        warps, active = lanes
        space = Space.GLOBAL if self.random.random() < 0.8 else Space.SHARED
        narrow = kind == "atomic" and self.random.random() < 0.3
        width = 8 if kind != "atomic" and self.random.random() < 0.2 else 4
        places = self.random.integers(0, CELLS, active.shape) if cell is None else np.full(active.shape, cell)
        addresses = 4 * places // width * width
        instruction = INSTRUCTIONS[space, width, kind, Scope.CTA if narrow else None]
        return MemoryAccess(space, kind, width, warps, active, addresses, instruction, VALUES, places)

    def fence(self, lanes):
        return FenceExecuted(SCOPES[self.random.integers(3)], *lanes, SPAN)

    def barrier(self, warp):
        block = warp // 2
        return BarrierPassed(np.array([2 * block, 2 * block + 1]), np.ones((2, 32), bool))

    def barrier_of_grid(self):
        return BarrierPassed(self.warps, np.ones((len(self.warps), 32), bool), whole_grid=True)

    def syncwarp(self, warp, lane):
        whole = np.arange(32)[None, :] < (32, 8)[warp % 2]
        some = np.isin(np.arange(32), [lane, *LANES_USED[: self.random.integers(1, 4)]])[None, :]
        met = whole if self.random.random() < 0.3 else some
        return LanesSynchronized(Opcode.SYNC_WARP, np.array([warp]), met, SPAN)

    def named(self, lanes, arrives):
        phases = self.random.integers(0, 2, lanes[1].shape)
        return NamedBarrierUsed(int(self.random.integers(1, 3)), *lanes, phases, arrives)

    def part_of_a_block(self):
        """Someone stores and comes to a barrier; someone goes on from it, perhaps that one, and loads."""
        giver, taker, cell = self.one(), self.one(), self.random.integers(CELLS)
        number, phases = int(self.random.integers(1, 3)), np.full((1, 32), self.random.integers(2))
        steps = [
            self.access("store", giver, cell),
            NamedBarrierUsed(number, *giver, phases, arrives=True),
            NamedBarrierUsed(number, *taker, phases, arrives=False),
        ]
        if self.random.random() < 0.5:  # who tells a third
            sender, taker, variable = taker, self.one(), self.random.integers(CELLS)
            steps += [self.fence(sender), self.access("atomic", sender, variable)]
            steps += [self.access("atomic", taker, variable), self.fence(taker)]
        steps.append(self.access("load", taker if self.random.random() < 0.7 else self.one(), cell))
        return [step for step in steps if self.random.random() < 0.93]

    def hand_over(self):
        """Someone stores, someone else learns of it and loads: with now and then a part left out."""
        giver, taker = self.one(), self.one()
        cell, variable = self.random.integers(CELLS), self.random.integers(CELLS)
        steps = [self.access("store", giver, cell), self.fence(giver), self.access("atomic", giver, variable)]
        steps.append(self.access("atomic", taker, variable))
        warp, lane = int(taker[0][0]), int(taker[1].argmax())
        steps.append(
            (self.fence(taker), self.barrier(warp), self.syncwarp(warp, lane))[self.random.integers(3)]
        )
        steps.append(self.access("load", taker if self.random.random() < 0.7 else self.one(), cell))
        return [step for step in steps if self.random.random() < 0.93]

    def tickets(self):
        """Some draw from a counter; the last, or one that it meets, uses the counter plainly."""
        takers, cell = [self.one() for _ in range(self.random.integers(1, 4))], self.random.integers(CELLS)
        steps = [self.access("atomic", taker, cell) for taker in takers]
        warp, lane = int(takers[-1][0][0]), int(takers[-1][1].argmax())
        if self.random.random() < 0.5:
            steps.append(self.barrier(warp) if self.random.random() < 0.5 else self.syncwarp(warp, lane))
            takers.append(self.one())
        steps.append(self.access(str(self.random.choice(["load", "store"])), takers[-1], cell))
        return [step for step in steps if self.random.random() < 0.93]

    def step(self):
        what = self.random.choice([*["hand over"] * 6, "tickets", *["part"] * 3, *2 * OTHERS])
        match what:
            case "hand over":
                return self.hand_over()
            case "tickets":
                return self.tickets()
            case "part":
                return self.part_of_a_block()
            case "named":
                return [self.named(self.crowd(), bool(self.random.integers(2)))]
            case "fence":
                return [self.fence(self.crowd())]
            case "meet" if self.whole_grid and self.random.random() < 0.2:
                return [self.barrier_of_grid()]
            case "meet":
                warp, lane = int(self.random.choice(self.warps)), int(self.random.choice(LANES_USED))
                return [self.barrier(warp) if self.random.random() < 0.3 else self.syncwarp(warp, lane)]
            case "shuffle":
                return [LanesSynchronized(Opcode.BALLOT, *self.crowd(), SPAN)]
        return [self.access(str(what), self.crowd())]


def random_events(random, blocks, at_once):
    """Batch after batch, anything in any order."""
    care, count = random.choice([0.0, 0.9, 1.0]), int(random.integers(1, 14))
    for first in range(0, blocks, at_once):
        chance = Chance(random, first, min(at_once, blocks - first), care, blocks == at_once)
        for _ in range(count):
            yield from chance.step()


@pytest.mark.parametrize("scheduling", ["stack", "independent"])
@pytest.mark.parametrize(("blocks", "at_once"), [(1, 1), (3, 3), (4, 2)])
@pytest.mark.parametrize("log_entries", [history.LOG_ENTRIES, 4])
def test_the_same_cells_race_and_every_pair_is_a_race(scheduling, blocks, at_once, log_entries, monkeypatch):
    """With a log that is tidied all the time, nothing else is found than with a long one."""
    long = history.Log
    monkeypatch.setattr(history, "LOG_ENTRIES", log_entries)
    monkeypatch.setattr(history, "Log", lambda pieces: long(pieces, room=log_entries))
    racy = clean = 0
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        grid = launched(scheduling, blocks, at_once)
        checker, oracle = Recorded(Findings(), grid), Oracle(grid)
        checker.pairs = set()
        for event in random_events(random, blocks, at_once):
            checker.observe(event)
            oracle.observe(event)
        known, racing = {frozenset(pair[:2]) for pair in oracle.races}, {pair[2] for pair in oracle.races}
        found = {frozenset(pair[:2]) for pair in checker.pairs}
        assert found <= known, (seed, sorted(map(sorted, found - known))[:3])
        assert racing <= {cell for pair in checker.pairs for cell in pair[2]}, seed
        assert all(racing & {*pair[2]} for pair in checker.pairs), seed
        racy, clean = racy + bool(known), clean + (not known)
    assert racy > len(SEEDS) / 10
    assert clean > len(SEEDS) / 20
