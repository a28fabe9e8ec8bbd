"""Does racecheck judge as plain vector clocks do? Random sequences of events, on a few threads."""

import numpy as np
import pytest

from gpusim import devices
from gpusim.checkers.findings import Findings
from gpusim.checkers.history import threads_of, times_of
from gpusim.checkers.races import Races
from gpusim.events import (
    BarrierPassed,
    FenceExecuted,
    GridLaunched,
    LanesSynchronized,
    MemoryAccess,
    Placement,
)
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import ArrayOperand, Instruction, Opcode, Return
from gpusim.ir.program import Function
from gpusim.ir.types import S32, Space
from gpusim.source import Source, Span
from tests.checkers.oracle import Oracle

SOURCE = Source("made", "made.py", 1, ("made",))
SPAN = Span(SOURCE, 1)
CELLS, LANES_USED = 3, (0, 1, 2, 5)
ARRAYS = {
    space: ArrayOperand(space.value, S32, 1, space, (CELLS,)) for space in (Space.GLOBAL, Space.SHARED)
}
KINDS = {"load": Opcode.LOAD, "store": Opcode.STORE, "atomic": Opcode.ATOMIC_ADD}
INSTRUCTIONS = {
    (space, kind, scope): Instruction(opcode, S32, None, (), SPAN, array, name=scope)
    for space, array in ARRAYS.items()
    for kind, opcode in KINDS.items()
    for scope in ("", "cta")
    if kind == "atomic" or not scope
}
FENCE = Instruction(Opcode.FENCE, S32, None, (), SPAN, name="gpu")
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
            cell = event.space, block, int(addresses[position])
            pair = (int(times_of(member)), int(threads_of(member))), (now, thread)
            self.pairs.add((*pair, cell))
        super()._report(event, region, threads, positions, members)


def launched(scheduling, blocks, at_once):
    placements = tuple(
        Placement(space.value, space, 0, 4 * CELLS, 0, (CELLS,), (4,)) for space in ARRAYS
    )
    return GridLaunched(
        FUNCTION, BLOCKS, (None,), devices.get("H200"), scheduling, (blocks, 1, 1), (40, 1, 1), 2, at_once, placements
    )  # fmt: skip


def random_events(random, blocks, at_once, count):
    """Batch after batch, anything in any order."""
    for first in range(0, blocks, at_once):
        here = np.arange(first, min(first + at_once, blocks))
        for _ in range(count):
            warps = np.flatnonzero(random.random(2 * len(here)) < 0.4) + 2 * first
            if not warps.size:
                continue
            active = np.zeros((len(warps), 32), bool)
            active[:, LANES_USED] = random.random((len(warps), len(LANES_USED))) < 0.5
            active[:, 0] |= ~active.any(axis=1)
            scope = str(random.choice(["cta", "gpu"]))
            match random.choice(["access", "access", "access", "atomic", "barrier", "syncwarp", "shuffle", "fence"]):
                case "access" | "atomic" as what:
                    kind = "atomic" if what == "atomic" else str(random.choice(["load", "load", "store"]))
                    space = (Space.GLOBAL, Space.SHARED)[random.integers(2)]
                    name = "cta" if kind == "atomic" and random.random() < 0.3 else ""
                    addresses = 4 * random.integers(0, CELLS, active.shape)
                    yield MemoryAccess(space, kind, 4, warps, active, addresses, INSTRUCTIONS[space, kind, name])
                case "barrier":
                    block = random.choice(here)
                    yield BarrierPassed(np.array([2 * block, 2 * block + 1]), np.ones((2, 32), bool))
                case "syncwarp":
                    whole = np.tile(np.arange(64).reshape(2, 32) < 40, (len(here), 1))
                    met = whole[warps - 2 * first] if random.random() < 0.4 else active
                    yield LanesSynchronized(Opcode.SYNC_WARP, warps, met, SPAN)
                case "shuffle":
                    yield LanesSynchronized(Opcode.BALLOT, warps, active, SPAN)
                case "fence":
                    yield FenceExecuted(scope, warps, active, SPAN)


@pytest.mark.parametrize("scheduling", ["stack", "independent"])
@pytest.mark.parametrize(("blocks", "at_once"), [(1, 1), (3, 3), (4, 2)])
def test_the_same_cells_race_and_every_pair_is_a_race(scheduling, blocks, at_once):
    racy = clean = 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        checker, oracle = Recorded(Findings()), Oracle()
        checker.pairs = set()
        start = launched(scheduling, blocks, at_once)
        events = list(random_events(random, blocks, at_once, int(random.integers(2, 40))))
        for event in (start, *events):
            checker.observe(event)
            oracle.observe(event)
        known = {(*sorted(pair[:2]), pair[2]) for pair in oracle.races}
        found = {(*sorted(pair[:2]), pair[2]) for pair in checker.pairs}
        assert found <= known, (seed, sorted(found - known, key=str)[:3])
        assert {pair[2] for pair in found} == {pair[2] for pair in known}, seed
        racy, clean = racy + bool(known), clean + (not known)
    assert racy > 20
    assert clean > 5
