"""Does racecheck judge across grids as a transitive closure does? Random small trees, on few cells."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cudart
from gpusim.checkers.findings import Findings
from gpusim.checkers.races import Races, Trees
from gpusim.events import ChildLaunched
from gpusim.runtime import settings
from tests.checkers.tree_oracle import LAUNCHES, racing_cells
from tests.checkers.tree_program import CELLS, KERNELS, WARPS, as_arrays, random_program
from tests.hunting import some

SEEDS = some(range(60), 6, first=4)
DEPTH = cudart.cudaLimit.cudaLimitDevRuntimeSyncDepth


class Recorded(Races):
    """Racecheck that keeps where races are, and who launched."""

    def __init__(self, run, launched):
        super().__init__(Findings(), launched, run.trees)
        self.run = run
        by = launched.launched_by
        self.number = 0 if by is None else run.numbers[by]

    def observe(self, event):
        super().observe(event)
        if isinstance(event, ChildLaunched):
            who = self.number, *divmod(int(event.warps[0]), WARPS)
            place = min(place for place in self.run.open if place[:3] == who)
            self.run.open.remove(place)
            self.run.numbers[event.by] = self.run.children[place]
            self.run.launched.append(place)

    def _report(self, event, region, threads, positions, members):
        self.run.racing.update(event.addresses[event.active][positions].tolist())
        super()._report(event, region, threads, positions, members)


class Run:
    """Follows all grids of one launch."""

    def __init__(self, program):
        self.trees, self.racing, self.launched, self.numbers = Trees(), set(), [], {}
        self.children = {
            (grid, block, thread, step): k
            for grid, blocks in program.items()
            for block, threads in enumerate(blocks)
            for thread, done in enumerate(threads)
            for step, (what, k) in enumerate(done)
            if what in LAUNCHES
        }
        self.open = set(self.children)

    def watches(self, launched):
        found = Recorded(self, launched)
        if launched.launched_by is None:
            self.first = next(array.first for array in launched.arrays if array.name == "x")
        return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scheduling", ["stack", "independent"])
@pytest.mark.parametrize("cdp", [1, 2])
def test_the_same_cells_race(cdp, scheduling, seed):
    random = np.random.default_rng([seed, cdp])
    program = random_program(random, cdp)
    run, (table, shapes) = Run(program), as_arrays(program)
    x, sums = np.zeros(CELLS, np.int64), np.zeros((len(program), 2, 2), np.int64)
    schedule = None if seed % 3 == 0 else seed
    with gpusim.use(cdp=cdp):
        if cdp == 1:
            cudart.cudaDeviceSetLimit(DEPTH, 8)
        try:
            with settings.during(settings.changed("V100", scheduling, schedule, observer=run)):
                KERNELS[cdp][int(shapes[0]), 64](table, shapes, x, sums, 0)
        finally:
            if cdp == 1:
                cudart.cudaDeviceSetLimit(DEPTH, 2)
    racing = {int(address - run.first) // 8 for address in run.racing}
    assert racing == racing_cells(program, run.launched)
