"""Does the independent model do what an H200 did? Kernels whose result hangs on the scheduling of lanes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Deadlock

RECORDED = json.loads(
    (Path(__file__).resolve().parents[1] / "hardware" / "scheduling.json").read_text(encoding="utf-8")
)
KERNELS = {kernel["name"]: kernel for kernel in RECORDED["kernels"]}
ALL = -1


@cuda.jit
def swap_halves(x, out):
    i = cuda.threadIdx.x
    if i % cuda.warpsize < 16:
        out[i] = cuda.shfl_xor_sync(ALL, 10 * x[i], 16)
    else:
        out[i] = cuda.shfl_xor_sync(ALL, x[i], 16)


@cuda.jit
def rotate(x):
    s = cuda.shared.array(32, np.int32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    following = s[(i + 1) % 32]
    s[i] = following
    x[i] = s[i]


@cuda.jit
def packed(data, words):
    lane = cuda.threadIdx.x
    for i in range(lane, data.size, 32):
        if lane < 16:
            cuda.nanosleep(2000)
        here = cuda.activemask()
        bits = cuda.ballot_sync(here, data[i] > 1)
        if lane == 0:
            words[i // 32] = bits


@cuda.jit
def apart(x, n):
    s = cuda.shared.array(32, np.int32)
    i = cuda.threadIdx.x
    value = x[i]
    if i < 16:
        for _ in range(n):
            value = value * 3 + 1
        s[i] = value
        cuda.syncthreads()
        x[i] = s[i ^ 16]
    else:
        value += 7
        for k in range(n):
            value = value * 5 - k
        s[i] = value
        cuda.syncthreads()
        x[i] = 2 * s[i ^ 16]


def ascending():
    return np.arange(32, dtype=np.int32)


def test_a_shuffle_in_both_branches_gives_what_the_h200_gave():
    found = gpusim.explore_schedules(swap_halves[1, 32], ascending(), np.zeros(32, np.int32), device="H200")
    assert found.deterministic
    assert found.outcomes[0].arguments["out"].tolist() == KERNELS["swap_halves"]["result"]


def test_what_the_h200_gave_for_a_race_is_among_the_outcomes():
    found = gpusim.explore_schedules(rotate[1, 32], ascending(), schedules=8, device="H200")
    assert KERNELS["rotate"]["result"] in [outcome.arguments["x"].tolist() for outcome in found.outcomes]
    assert len(found) > 1


def test_lanes_apart_lose_bits_as_on_the_h200():
    """Lanes 0-15 slept, came last and wrote last: every word lacks the bits of the upper half.

    The friendly order gives what the H200 gave, for lanes that sleep let the others go first.
    """
    data, words = np.arange(70) % 3, np.zeros(3, np.uint32)
    right = [sum(1 << k for k in range(32) if 32 * w + k < 70 and data[32 * w + k] > 1) for w in range(3)]
    recorded = [int(word, 16) for word in KERNELS["packed"]["result"]]
    assert recorded == [word & 0xFFFF for word in right]
    found = gpusim.explore_schedules(packed[1, 32], data, words, schedules=8, device="H200")
    packings = {
        schedule: outcome.arguments["words"].tolist()
        for outcome in found.outcomes
        for schedule in outcome.schedules
    }
    assert packings["friendly"] == recorded
    assert len({tuple(packing) for packing in packings.values()}) > 1


def test_barriers_in_both_branches_hang_as_on_the_h200():
    assert KERNELS["apart"]["ended"] == "still running after 15 s"
    with gpusim.use("H200"), pytest.raises(Deadlock, match="must wait at the same barrier"):
        apart[1, 32](ascending(), 9)
