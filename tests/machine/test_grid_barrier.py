"""Do all threads of a grid wait for each other at `cuda.cg.this_grid().sync()`?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Deadlock, LaunchError
from gpusim.events import BarrierPassed
from tests.observing import EveryGrid


@cuda.jit
def rotate(x, rounds):
    """Every round, each block takes its right neighbour's number: a block too early or late breaks it."""
    grid = cuda.cg.this_grid()
    b = cuda.blockIdx.x
    for _ in range(rounds):
        taken = x[(b + 1) % cuda.gridDim.x]
        grid.sync()
        if cuda.threadIdx.x == 0:
            x[b] = taken
        grid.sync()


SCHEDULES = [None, "serial", 1, 2]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_block_waits_for_every_other(machine, schedule):
    x = np.arange(10)
    with gpusim.use(schedule=schedule):
        rotate[10, 70](x, 3)
    assert x.tolist() == [3, 4, 5, 6, 7, 8, 9, 0, 1, 2]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_threads_that_have_left_are_not_waited_for(machine, schedule):
    @cuda.jit
    def some(x):
        if cuda.grid(1) >= 40:
            return
        x[cuda.grid(1)] = 1
        cuda.cg.this_grid().sync()
        if cuda.grid(1) == 0:
            for i in range(1, 40):
                x[0] += x[i]

    x = np.zeros(40, np.int64)
    with gpusim.use(schedule=schedule):
        some[4, 32](x)
    assert x[0] == 40


def test_a_block_barrier_and_the_grids_do_not_open_each_other(machine):
    @cuda.jit
    def parted(x):
        if cuda.blockIdx.x == 0:
            cuda.cg.this_grid().sync()
        else:
            cuda.syncthreads()
            x[cuda.blockIdx.x] = 1
            cuda.cg.this_grid().sync()
        x[0] += x[1]

    x = np.zeros(2, np.int64)
    parted[2, 1](x)
    assert x[0] > 0


def test_a_block_that_never_comes_is_left_by_all_others(machine):
    @cuda.jit
    def stuck(x):
        if cuda.blockIdx.x == 1:
            if cuda.threadIdx.x < 32:
                cuda.cg.this_grid().sync()
            else:
                cuda.syncthreads()
        else:
            cuda.cg.this_grid().sync()
        x[0] = 1

    with pytest.raises(Deadlock, match="wait at the barrier of line"):
        stuck[3, 128](np.zeros(1))


def test_the_whole_grid_must_be_resident():
    assert rotate.compiled(np.arange(3), 1).cooperative
    most = rotate.compile("(int64[::1], int64)").max_cooperative_grid_blocks(1024)
    assert most == 264
    with pytest.raises(LaunchError, match=r"its 265 blocks wait for each other, and H200 holds 264 of them"):
        rotate[265, 1024](np.arange(265), 1)


def test_observers_hear_that_the_whole_grid_passed(machine):
    @cuda.jit
    def both():
        cuda.syncthreads()
        cuda.cg.this_grid().sync()

    class Passed(EveryGrid):
        wants = frozenset({BarrierPassed})

        def __init__(self):
            self.seen = []

        def observe(self, event):
            self.seen += [event.whole_grid] * len(event.warps)

    warps = 3 * (64 // cuda.get_current_device().WARP_SIZE)
    for schedule in (None, "serial"):
        observer = Passed()
        with gpusim.runtime.settings.during(
            gpusim.runtime.settings.changed(schedule=schedule, observer=observer)
        ):
            both[3, 64]()
        assert observer.seen.count(False) == observer.seen.count(True) == warps
