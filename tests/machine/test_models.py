"""How do lanes of a warp part and meet? Both models, seen through what each line executed."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda


@cuda.jit
def all_return_from_both_sides(x, n):
    i = cuda.threadIdx.x
    if i < 16:
        if i < 8:
            if n > 0:
                x[i] = 1
                return
        else:
            if n > 0:
                x[i] = 2
                return
        x[i] = 99
    x[i] += 10


@cuda.jit
def one_by_one(x):
    i = cuda.threadIdx.x
    k = 0
    while True:
        if k == i:
            break
        k += 1
    x[i] = k


@cuda.jit
def returns_from_a_loop(x):
    i = cuda.threadIdx.x
    for k in range(40):
        if k == i % 8:
            x[i] = k
            return
    x[i] = -1


@cuda.jit
def empty_side(x):
    i = cuda.threadIdx.x
    if i < 4:
        if i & 1:
            pass
        x[i] += 1
    x[i] += 10


@cuda.jit
def deep(x):
    i = cuda.threadIdx.x
    if i & 1:
        if i & 2:
            if i & 4:
                if i & 8:
                    if i & 16:
                        x[i] += 1
                    x[i] += 1
                x[i] += 1
            x[i] += 1
        x[i] += 1


def active_lanes(run):
    """By source text: the average of active lanes."""
    return {row["source"]: row["active_lanes_per_instruction"] for row in run.kernels[0].lines}


SCHEDULES = [None, "serial", 1, 2]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_where_no_lane_is_left_nothing_executes(machine, schedule):
    x = np.zeros(32, np.int64)
    with gpusim.profile(schedule=schedule) as run:
        all_return_from_both_sides[1, 32](x, 1)
    assert x.tolist() == [1] * 8 + [2] * 8 + [10] * 16
    assert "x[i] = 99" not in active_lanes(run)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lanes_that_leave_a_loop_early_wait_behind_it(machine, schedule):
    x = np.zeros(32, np.int64)
    with gpusim.profile(schedule=schedule) as run:
        one_by_one[1, 32](x)
    assert x.tolist() == list(range(32))
    if not isinstance(schedule, int):
        assert active_lanes(run)["x[i] = k"] == 32


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_lane_may_leave_the_kernel_from_within_a_loop(machine, schedule):
    x = np.zeros(70, np.int64)
    with gpusim.use(schedule=schedule):
        returns_from_a_loop[1, 70](x)
    assert x.tolist() == [i % 8 for i in range(70)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_branch_with_an_empty_side_runs_what_follows_once(machine, schedule):
    x = np.zeros(6, np.int64)
    with gpusim.use(schedule=schedule):
        empty_side[1, 6](x)
    assert x.tolist() == [11] * 4 + [10] * 2


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_branches_may_nest_deeply(machine, schedule):
    x = np.zeros(64, np.int64)
    with gpusim.profile(schedule=schedule) as run:
        deep[1, 64](x)
    ones = [next((k for k in range(5) if not i >> k & 1), 5) for i in range(64)]
    assert x.tolist() == ones
    if not isinstance(schedule, int):
        assert run.divergent_branches == 5 * 64 // gpusim.devices.get(machine).warp_size


def test_an_adversary_parts_lanes_that_need_not_stay_together():
    """Independent lanes meet again as a courtesy; a program must not rely on it."""
    x = np.zeros(32, np.int64)
    with gpusim.profile("H200", scheduling="independent", schedule=1) as run:
        one_by_one[1, 32](x)
    assert x.tolist() == list(range(32))
    assert active_lanes(run)["x[i] = k"] < 32
