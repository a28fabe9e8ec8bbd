"""Which times get advice, and which get none?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.measurements.advice import CHAPTERS
from gpusim.measurements.time_rules import TIME_RULES
from gpusim.reports.timing import MOVED_BY
from gpusim.timing.pipes import Pipe

N = 1 << 20


@cuda.jit
def chased(following, last, rounds):
    at = cuda.grid(1)
    for _ in range(rounds):
        at = following[at]
    last[cuda.grid(1)] = at


@cuda.jit
def with_barriers(x, rounds):
    i = cuda.grid(1)
    v = x[i]
    for _ in range(rounds):
        v = v * np.float32(0.5) + np.float32(1)
        cuda.syncthreads()
    x[i] = v


@cuda.jit
def doubles(x, rounds):
    i = cuda.grid(1)
    p = x[i]
    for _ in range(rounds):
        p = p * 0.5 + 0.5
    x[i] = p


@cuda.jit
def copied(to, x):
    i = cuda.grid(1)
    to[i] = x[i]


def advised(kernel, grid, block, *arguments):
    with gpusim.profile("H200") as run:
        kernel[grid, block](*arguments)
    return {advice.rule: advice for advice in run.advice() if "by the model of time" in advice.text}


def test_a_chain_of_loads_needs_more_warps_or_more_at_once():
    following = ((np.arange(N) + 524_321) % N).astype(np.int32)
    found = advised(chased, 132, 64, following, np.zeros(132 * 64, np.int32), 256)
    assert list(found) == ["occupancy", "one line that waits"]
    assert "only 2 of a multiprocessor's 64 are there to take turns, since the grid has only 132 blocks" in (
        found["occupancy"].sentence
    )
    assert "waiting for data from global or local memory" in found["one line that waits"].sentence
    assert found["one line that waits"].line is not None


def test_barriers_are_named_with_their_line():
    found = advised(with_barriers, 132, 1024, np.ones(132 * 1024, np.float32), 512)
    assert "of their time for others at barriers" in found["barriers"].sentence
    assert found["barriers"].line is not None


def test_a_pipe_is_named_with_what_helps():
    found = advised(doubles, 132, 1024, np.ones(132 * 1024), 1024)
    assert found["a roof"].sentence.startswith("FP64 pipe is used to 9")
    assert "floats where no double is needed" in found["a roof"].sentence


def test_few_blocks_and_a_last_wave_leave_multiprocessors_empty():
    few = advised(doubles, 64, 256, np.ones(64 * 256), 1024)
    assert few["the last blocks"].sentence.startswith(
        "the grid has 64 blocks, so 68 of 132 multiprocessors have nothing to do"
    )
    last = advised(doubles, 300, 1024, np.ones(300 * 1024), 128)
    assert "300 blocks are 1.14 waves of 264: while the last 36 run" in last["the last blocks"].sentence


def test_a_launch_that_is_over_at_once_is_given_none():
    assert advised(copied, 1, 32, np.zeros(32), np.zeros(32)) == {}


def test_what_takes_turns_without_time_is_said_better_with_it():
    @cuda.jit
    def k(following, last, rounds):
        shared = cuda.shared.array(12288, np.float32)
        at = cuda.grid(1)
        shared[cuda.threadIdx.x] = at
        for _ in range(rounds):
            at = following[at]
        last[cuda.grid(1)] = at

    following = ((np.arange(N) + 524_321) % N).astype(np.int32)
    with gpusim.profile("H200") as run:
        k[528, 64](following, np.zeros(528 * 64, np.int32), 64)
    (without,) = (advice for advice in run.kernels[0].report().advice if advice.rule == "occupancy")
    (timed,) = (advice for advice in run.advice() if advice.rule == "occupancy")
    assert "by the model of time" not in without.text
    assert "shared memory let no more in; one block more needs" in timed.sentence


def test_rules_cite_chapters_and_every_roof_has_something_that_helps():
    assert {rule.page for rule in TIME_RULES} <= set(CHAPTERS)
    pipes = {f"{pipe.name} pipe" for pipe in Pipe if pipe is not Pipe.CONTROL}
    others = {"latency", "issue", "L1 and shared memory", "L2", "DRAM", "atomics", "block launches"}
    others |= {"launches in kernels"}
    assert set(MOVED_BY) == pipes | others


@pytest.mark.parametrize("cycles", [100.0, 1e6])
def test_brief_is_what_a_launch_takes(cycles):
    with gpusim.profile("H200") as run:
        copied[1, 32](np.zeros(32), np.zeros(32))
    assert replace(run.timing(), cycles=cycles).brief == (cycles < 9000)
