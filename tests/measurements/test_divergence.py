"""How many lanes work at each instruction? Counted by hand for small kernels."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.errors import ReportError


@cuda.jit
def halves(x):
    i = cuda.threadIdx.x
    if i < 16:
        x[i] = 1
    else:
        x[i] = 2
    x[i] += 3


@cuda.jit
def by_warp(x):
    i = cuda.grid(1)
    if i // 64 % 2:
        x[i] = 1
    else:
        x[i] = 2


@cuda.jit
def ways(x, k):
    i = cuda.threadIdx.x
    for way in range(k):
        if i % k == way:
            x[i] = way


@cuda.jit
def staircase(x):
    i = cuda.threadIdx.x
    n = 0
    while n < i:
        n += 1
    x[i] = n


@cuda.jit
def meets(x):
    i = cuda.threadIdx.x
    if i & 1:
        if i & 2:
            x[i] = 3
        x[i] += 1
    cuda.syncthreads()
    x[i] += 10


def lines(run):
    """Counters by source text."""
    return {row["source"]: row for row in run.kernels[0].lines}


def test_a_halved_warp_by_hand(scheduling):
    with gpusim.profile("H200", scheduling=scheduling) as run:
        halves[1, 32](np.zeros(32))
    counted = {
        text: (row["instructions"], row["active_lanes_per_instruction"]) for text, row in lines(run).items()
    }
    assert counted == {
        "i = cuda.threadIdx.x": (1, 32),
        "if i < 16:": (3, 32),  # to 64 bits, compare, branch
        "x[i] = 1": (2, 16),  # store, and jump over the other side
        "x[i] = 2": (1, 16),
        "x[i] += 3": (4, 32),  # load, add, store, leave
    }
    assert (run.instructions, run.thread_instructions) == (11, 8 * 32 + 3 * 16)
    assert run.active_lanes_per_instruction == (8 * 32 + 3 * 16) / 11
    assert (run.branches, run.divergent_branches) == (1, 1)


def test_whole_warps_that_differ_do_not_diverge(machine):
    with gpusim.profile() as run:
        by_warp[2, 128](np.zeros(256))
    assert run.divergent_branches == 0
    assert run.branches == 256 // devices.get(machine).warp_size
    assert run.active_lanes_per_instruction == devices.get(machine).warp_size


@pytest.mark.parametrize("k", [1, 2, 4, 8, 16, 32])
def test_k_ways_within_a_warp_are_k_stores_of_a_kth_of_the_lanes(scheduling, k):
    with gpusim.profile("H200", scheduling=scheduling) as run:
        ways[1, 32](np.zeros(32), k)
    assert run.global_store_requests == k
    assert lines(run)["x[i] = way"]["active_lanes_per_instruction"] == 32 / k
    assert run.divergent_branches == (k if k > 1 else 0)


def test_lanes_wait_for_the_one_that_loops_longest(machine):
    """Lane i makes i rounds: of 32 lanes, round r has 31 - r; 31 branches split, the last does not."""
    lanes = devices.get(machine).warp_size
    with gpusim.profile() as run:
        staircase[1, lanes](np.zeros(lanes))
    row = lines(run)["n += 1"]
    per_round = row["instructions"] // (lanes - 1)
    assert row["instructions"] == per_round * (lanes - 1)
    assert row["thread_instructions"] == per_round * sum(range(lanes))
    assert (run.branches, run.divergent_branches) == (lanes, lanes - 1)


def test_barriers_count_warps_and_lanes_meet_before_them(machine):
    with gpusim.profile() as run:
        meets[3, 128](np.zeros(128))
    warps = 3 * 128 // devices.get(machine).warp_size
    assert run.barriers == warps
    row = lines(run)["cuda.syncthreads()"]
    assert row["active_lanes_per_instruction"] == devices.get(machine).warp_size


def test_leaving_counts_where_the_last_construct_begins(machine):
    """All lanes leave together, after the loop: not on the last line, which few of them executed."""
    with gpusim.profile() as run:
        staircase[1, 32](np.zeros(32))
        ways[1, 32](np.zeros(32), 4)
    of_ways = {row["source"]: row["active_lanes_per_instruction"] for row in run.kernels[1].lines}
    assert of_ways["x[i] = way"] == 8
    assert of_ways["for way in range(k):"] == 32


def test_both_models_count_the_same_for_structured_code(device):
    totals = []
    for scheduling in ("stack", "independent"):
        with gpusim.profile(device, scheduling=scheduling) as run:
            meets[2, 100](np.zeros(100))
            staircase[1, 70](np.zeros(70))
            ways[1, 70](np.zeros(70), 5)
        totals.append(run.counters())
    assert totals[0] == totals[1]


def test_a_device_functions_lines_are_counted_as_its_own():
    @cuda.jit(device=True)
    def twice(v):
        return v * 2

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        x[i] = twice(x[i]) + twice(i)

    with gpusim.profile("H200") as run:
        kernel[1, 32](np.zeros(32))
    rows = run.kernels[0].lines
    assert [row["source"] for row in rows] == [
        "i = cuda.grid(1)",
        "x[i] = twice(x[i]) + twice(i)",
        "return v * 2",
    ]
    assert rows[-1]["instructions"] == 2
    assert sum(row["instructions"] for row in rows) == run.instructions


def test_the_rows_sum_to_the_totals(machine):
    with gpusim.profile() as run:
        meets[2, 100](np.zeros(100))
    for name, total in run.counters().items():
        if not name.endswith(("per_instruction", "per_request")):
            assert sum(row[name] for row in run.kernels[0].lines) == total, name


def test_a_run_of_two_launches_has_no_one_picture():
    with gpusim.profile("H200") as run:
        halves[1, 32](np.zeros(32))
        halves[1, 32](np.zeros(32))
    assert run.instructions == 22
    with pytest.raises(ReportError, match=r"one launch; this run has 2: ask one of them, run.kernels\[0\]"):
        run.warp_report()
