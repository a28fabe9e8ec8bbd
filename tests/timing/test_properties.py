"""What holds for every kernel? No clock of a warp is lost, no number is impossible, and more takes longer."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpusim
from gpusim.timing import replay
from gpusim.timing.model import Grid
from tests.timing.measuring import timed

KERNELS = gpusim.RawModule(
    code=r"""
extern "C" __global__ void diverging(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < (threadIdx.x & 7) * 4; k++) {
        if (k > n && (threadIdx.x & 1)) return;
        v = v * 0.5f + 1.0f;
        if (threadIdx.x & 2) v += x[k];
    }
    x[i] = v;
}
extern "C" __global__ void leaving(float* x, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = x[i];
    for (int k = 0; k < n; k++) {
        if (threadIdx.x >= 64 * (k / 4 + 1)) return;
        __syncthreads();
        s[threadIdx.x] += s[(threadIdx.x + 1) & 255];
        __syncthreads();
    }
    x[i] = s[threadIdx.x];
}
extern "C" __global__ void in_step(float* x, int n) {
    float v = threadIdx.x;
    for (int k = 0; k < n; k++) {
        v = v * 0.5f + 1.0f;
        __syncthreads();
    }
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void one_leaves(float* x, int before, int after) {
    float v = threadIdx.x;
    if (threadIdx.x < 32) {
        for (int k = 0; k < before; k++) v = v * 0.5f + 1.0f;
        x[threadIdx.x] = v;
        return;
    }
    __syncthreads();
    for (int k = 0; k < after; k++) v = v * 0.5f + 1.0f;
    x[threadIdx.x] = v;
}
"""
)


def grid_of(name, blocks, threads, n, device="H200", **choices):
    """A launch that was recorded."""
    x = np.ones(blocks * threads, np.float32)
    with gpusim.profile(device=device, **choices) as run:
        KERNELS.get_function(name)((blocks,), (threads,), (x, np.int32(n)))
    return run


@pytest.mark.parametrize("scheduling", ["stack", "independent"])
@pytest.mark.parametrize("device", ["H200", "G80", "MetaX C500", "P100"])
@pytest.mark.parametrize("name", ["diverging", "leaving", "in_step"])
def test_each_clock_of_a_warp_has_its_reason_and_no_number_is_impossible(name, device, scheduling):
    run = grid_of(name, 40, 250, 6, device, scheduling=scheduling)
    outcome, _ = Grid(run.kernels[0].recording).replayed()
    assert np.sum(outcome.stalls) == pytest.approx(outcome.resident)
    time = run.timing()
    parts = (time.issue_slots, time.achieved_occupancy, time.theoretical_occupancy)
    assert all(0 <= part <= 1 for part in (*parts, *(roof.used for roof in time.roofs)))
    assert all(value >= 0 and math.isfinite(value) for value in time.stalls.values())


def test_a_barrier_that_the_last_one_leaves_opens_then_and_not_before():
    kernel, x = KERNELS.get_function("one_leaves"), np.zeros(64, np.float32)

    def cycles(before, after):
        return timed(kernel, 1, 64, x, np.int32(before), np.int32(after)).cycles

    nothing = cycles(0, 0)
    both = cycles(2000, 2000) - nothing
    assert both == pytest.approx(cycles(2000, 0) + cycles(0, 2000) - 2 * nothing, rel=0.05)


@pytest.mark.parametrize("name", ["in_step", "diverging"])
def test_a_replay_that_stops_early_stands_for_all(name, monkeypatch):
    run = grid_of(name, 132 * 4, 256, 100)
    whole = run.timing()
    outcome, _ = Grid(run.kernels[0].recording).replayed()
    monkeypatch.setattr(replay, "MOST_OPERATIONS", outcome.issued // 2)
    part = run.timing()
    assert Grid(run.kernels[0].recording).replayed()[0].cut
    assert part.cycles == pytest.approx(whole.cycles, rel=0.15)
    assert part.achieved_occupancy == pytest.approx(whole.achieved_occupancy, rel=0.15)
    assert part.instructions == pytest.approx(whole.instructions, rel=0.15)
