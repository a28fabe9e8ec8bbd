"""What holds for every kernel? No clock of a warp is lost, no number is impossible, and more takes longer."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpusim
from gpusim.devices.speeds import speeds
from gpusim.timing import recording, replay
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
extern "C" __global__ void growing(float* x, int n, bool backwards) {
    int b = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    float v = 0;
    for (int k = 0; k < b * n; k++) v = v * 0.5f + 1.0f;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void one_heavy(float* x, int n, int heavy) {
    float v = 0;
    if (blockIdx.x == heavy) for (int k = 0; k < n; k++) v = v * 0.5f + 1.0f;
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void chase(int* x, const int* next, int n) {
    int at = threadIdx.x;
    for (int k = 0; k < n; k++) at = next[at];
    x[blockIdx.x * blockDim.x + threadIdx.x] = at;
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


@pytest.mark.parametrize(("shared_bytes", "issues"), [(200_000, 150_000), (100_000, 4000)], ids=["", "cut"])
def test_the_last_blocks_take_a_turn_of_their_own_and_more_blocks_never_less_time(
    shared_bytes, issues, monkeypatch
):
    """Of blocks that fill a multiprocessor 529 take five turns, as 660 do, for 132 run at once."""
    monkeypatch.setattr(recording, "MOST_ISSUES", issues)
    x = np.zeros(256, np.float32)
    kernel = gpusim.RawModule(
        code=r"""extern "C" __global__ void kernel(float* x, int n) {
            float v = 0;
            for (int k = 0; k < n; k++) v = v * 0.5f + 1.0f;
            x[threadIdx.x] = v;
        }"""
    ).get_function("kernel")
    kernel.max_dynamic_shared_size_bytes = shared_bytes

    def cycles(blocks):
        with gpusim.profile(device="H200") as run:
            kernel((blocks,), (256,), (x, np.int32(200)), shared_mem=shared_bytes)
        return run.timing().cycles

    times = [cycles(blocks) for blocks in (264, 265, 528, 529, 660, 661)]
    assert times == sorted(times)
    assert times[3] == pytest.approx(times[4], rel=0.05)


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


@pytest.mark.parametrize("blocks", [8, 64, 256, 1056])
def test_which_block_has_how_much_to_do_changes_little(blocks):
    kernel, x = KERNELS.get_function("growing"), np.zeros(blocks * 128, np.float32)
    times = [
        timed(kernel, blocks, 128, x, np.int32(4000 // blocks), np.bool_(turned)).cycles for turned in (0, 1)
    ]
    assert times[0] == pytest.approx(times[1], rel=0.1)


@pytest.mark.parametrize(("blocks", "heavy"), [(64, 63), (1056, 0), (1056, 133), (1056, 1055), (5000, 4000)])
def test_one_block_with_more_to_do_takes_its_time_wherever_it_is(blocks, heavy):
    kernel, n = KERNELS.get_function("one_heavy"), 4096
    x = np.zeros(blocks * 128, np.float32)
    none, one = (timed(kernel, blocks, 128, x, np.int32(n), np.int32(which)) for which in (-1, heavy))
    alone = timed(kernel, 1, 128, x, np.int32(n), np.int32(0))
    assert max(none.cycles, alone.cycles) * 0.95 < one.cycles < (none.cycles + alone.cycles) * 1.05
    assert max(one.lines, key=lambda line: line.share).source.startswith("if (blockIdx.x == heavy)")


def test_blocks_start_one_after_the_other_also_where_one_has_more_to_do():
    kernel = gpusim.RawModule(
        code=r"""extern "C" __global__ void kernel(int* x, int heavy, int n) {
            if (blockIdx.x == heavy) for (int k = 0; k < n; k++) x[threadIdx.x] += k;
        }"""
    ).get_function("kernel")

    def cycles(heavy, rounds):
        return timed(kernel, 1 << 18, 32, np.zeros(32, np.int32), np.int32(heavy), np.int32(rounds)).cycles

    assert (1 << 18) * speeds("H200").block_interval <= cycles(-1, 300) <= 1.01 * cycles(5, 300)


def test_a_launch_too_long_to_be_recorded_is_timed_as_full_as_it_was(monkeypatch):
    monkeypatch.setattr(recording, "MOST_ISSUES", 6000)
    following = ((np.arange(4096) + 32) % 4096).astype(np.int32)
    x = np.zeros(132 * 4 * 256, np.int32)

    def launch(rounds):
        with gpusim.profile(device="H200") as run:
            KERNELS.get_function("chase")((132 * 4,), (256,), (x, following, np.int32(rounds)))
        return run

    short, long = launch(60), launch(600)
    assert short.kernels[0].recording.complete
    assert not long.kernels[0].recording.complete
    assert long.kernels[0].recording.recorded < 60_000
    start = speeds("H200").grid_start
    assert long.timing().cycles - start == pytest.approx(10 * (short.timing().cycles - start), rel=0.15)
    assert long.timing().achieved_occupancy == pytest.approx(short.timing().achieved_occupancy, rel=0.05)


def test_blocks_of_which_fewer_fit_do_not_wait_shorter_for_memory():
    kernel, x = KERNELS.get_function("chase"), np.zeros(1056 * 128, np.int32)
    following = ((np.arange(1 << 16) + 32) % (1 << 16)).astype(np.int32)
    cycles = []
    for shared_bytes in (0, 32768, 65536, 200000):
        kernel.max_dynamic_shared_size_bytes = shared_bytes
        with gpusim.profile(device="H200") as run:
            kernel((1056,), (128,), (x, following, np.int32(16)), shared_mem=shared_bytes)
        cycles.append(run.timing().cycles)
    assert cycles == sorted(cycles)


def test_one_long_block_among_many_that_wait_for_memory():
    """It runs on when they are gone, as fast as alone: for that long, less what it did beside the last."""
    text = r"""
    extern "C" __global__ void stream(float* out, const float* in, int more) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float x = in[i];
      if (blockIdx.x == gridDim.x - 1) for (int r = 0; r < more; r++) x = x * 1.5f + 2.0f;
      out[i] = x;
    }"""
    kernel = gpusim.RawModule(code=text).get_function("stream")

    def clocks(blocks, more):
        x = np.zeros(256 * blocks, np.float32)
        with gpusim.profile() as run:
            kernel((blocks,), (256,), (np.zeros_like(x), x, np.int32(more)))
        return run.timing().cycles

    alone = clocks(1, 4000) - clocks(1, 0)
    assert 0.6 * alone < clocks(4096, 4000) - clocks(4096, 0) < 1.1 * alone
