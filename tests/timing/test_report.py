"""What does `run.timing()` say of a launch? Where warps waited, which roof is near, what the GPU held."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.devices.speeds import speeds
from gpusim.errors import ReportError
from gpusim.reports.timing import STALLS
from tests.timing.measuring import timed


@cuda.jit
def saxpy(y, x):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += np.float32(2) * x[i]


@cuda.jit
def polynomial(y, x, rounds):
    i = cuda.grid(1)
    value = x[i]
    total = np.float32(0)
    for _ in range(rounds):
        total = total * value + np.float32(0.5)
    y[i] = total


@cuda.jit
def reduce(out, x):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def vectors(n):
    return np.zeros(n, np.float32), np.ones(n, np.float32)


def test_few_warps_wait_for_memory_and_many_of_products_for_their_turn():
    waiting = timed(saxpy, 1, 32, *vectors(32))
    assert waiting.bound_by == "latency"
    assert waiting.stall_long_scoreboard == max(waiting.stalls.values())
    assert waiting.lines[-1].source == "y[i] += np.float32(2) * x[i]"
    assert waiting.lines[-1].share > 0.8
    busy = timed(polynomial, 132 * 8, 256, *vectors(132 * 2048), np.int32(512))
    assert busy.bound_by == "issue"
    assert busy.of_roof > 0.9
    assert busy.stall_not_selected == max(busy.stalls.values())


def test_every_reason_has_its_name_and_the_issue_itself_counts_one():
    time = timed(reduce, 64, 256, np.zeros(64, np.float32), np.ones(64 * 256, np.float32))
    assert set(time.stalls) == set(STALLS)
    assert time.stalls["selected"] == pytest.approx(1)
    assert time.stall_barrier > 1
    assert math.isclose(sum(line.share for line in time.lines), 1)
    assert all(math.isclose(sum(line.stalls.values()), 1) for line in time.lines)
    with pytest.raises(AttributeError, match="has no 'stall_boredom'"):
        time.stall_boredom  # noqa: B018


def test_a_large_grid_moves_what_memory_lets_through():
    n = 1 << 22
    time = timed(saxpy, n // 512, 512, *vectors(n), warm=False)
    assert time.bound_by == "DRAM"
    rate = next(roof for roof in time.roofs if roof.name == "DRAM")
    assert 0.6 * rate.most < 12 * n / (time.cycles / 1.98e9) < rate.most
    assert time.dram_bytes == pytest.approx(12 * n, rel=0.4)
    assert time.flops == 2 * n
    assert 0.5 < time.achieved_occupancy < time.theoretical_occupancy == 1


def test_twice_the_blocks_take_twice_as_long_once_the_gpu_is_full():
    few, many = (
        timed(polynomial, blocks, 256, *vectors(blocks * 256), np.int32(128)) for blocks in (4224, 8448)
    )
    start = speeds("H200").grid_start
    assert (many.cycles - start) / (few.cycles - start) == pytest.approx(2, rel=0.1)


def test_a_block_with_more_to_do_keeps_the_grid():
    @cuda.jit
    def uneven(y, heavy):
        total = np.float32(0)
        if cuda.blockIdx.x == heavy:
            for _ in range(4096):
                total = total * np.float32(0.5) + np.float32(1)
        y[cuda.grid(1)] = total

    y = np.zeros(256 * 1024, np.float32)
    first, last = (timed(uneven, 1024, 256, y, np.int32(heavy)) for heavy in (0, 1023))
    assert min(first.cycles, last.cycles) > 4096 * 4 > timed(uneven, 1024, 256, y, np.int32(-1)).cycles


def test_launches_add_up():
    a, b = vectors(1 << 14)
    with gpusim.profile() as run:
        saxpy[64, 256](a, b)
        polynomial[64, 256](a, b, np.int32(64))
    one, other = (kernel.timing() for kernel in run.kernels)
    both = run.timing()
    assert both.launches == 2
    assert both.kernel == "saxpy, polynomial"
    assert both.cycles == one.cycles + other.cycles
    assert both.seconds == pytest.approx(one.seconds + other.seconds)
    assert both.flops == one.flops + other.flops
    assert sum(line.share for line in both.lines) == pytest.approx(1)
    assert (
        min(one.issue_slots, other.issue_slots) <= both.issue_slots <= max(one.issue_slots, other.issue_slots)
    )


def test_lines_of_several_launches_are_one_if_they_are_of_one_kernel():
    def module(text):
        return gpusim.RawModule(code=f'extern "C" __global__ void kernel(float* x, int n) {{\n{text}\n}}')

    short = module("x[threadIdx.x] = 1;").get_function("kernel")
    long = module("for (int k = 0; k < n; k++) x[threadIdx.x] += k;").get_function("kernel")
    x = np.ones(32, np.float32)
    with gpusim.profile() as run:
        for kernel, rounds in ((short, 1), (long, 1), (long, 200)):
            kernel((1,), (32,), (x, np.int32(rounds)))
    both = run.timing()
    texts = [line.source for line in both.lines if line.line == 2]
    assert texts == ["x[threadIdx.x] = 1;", "for (int k = 0; k < n; k++) x[threadIdx.x] += k;"]
    assert sum(line.share for line in both.lines) == pytest.approx(1)
    assert both.theoretical_occupancy == run.kernels[0].timing().theoretical_occupancy
    of_long = both.lines[[line.source for line in both.lines].index(texts[1])]
    assert sum(of_long.stalls.values()) == pytest.approx(1)
    last = next(line for line in run.kernels[2].timing().lines if line.line == 2)
    assert of_long.stalls["stalled_long_scoreboard"] == pytest.approx(
        last.stalls["stalled_long_scoreboard"], rel=0.2
    )


def test_the_same_launch_takes_as_long_again_and_its_counters_do_not_know():
    with gpusim.profile() as run:
        saxpy[64, 256](*vectors(1 << 14))
    before = run.counters()
    assert run.timing() == run.timing()
    assert run.counters() == before


@pytest.mark.parametrize("name", devices.names())
def test_every_device_has_its_speeds_and_says_where_they_are_from(name):
    found = speeds(name)
    assert found.source.startswith(("measured:", "published:", "assumed:"))
    assert 0 < found.arithmetic_latency <= found.shared_latency <= found.l1_latency < found.l2_latency
    assert found.l2_latency < found.dram_latency
    time = timed(saxpy, 16, 256, *vectors(4096), device=name)
    assert time.device == name
    assert time.seconds > 0
    assert time.cycles > found.grid_start


def test_memory_of_a_recording_does_not_grow_with_the_grid():
    sizes = []
    for blocks in (132 * 32, 132 * 64):
        with gpusim.profile() as run:
            polynomial[blocks, 256](*vectors(blocks * 256), np.int32(16))
        sizes.append(run.kernels[0].recording.recorded)
    assert sizes[0] == sizes[1]


def test_what_is_very_long_is_recorded_in_part():
    with gpusim.profile() as run:
        polynomial[1, 256](*vectors(256), np.int32(12000))
    assert not run.kernels[0].recording.complete
    assert run.timing().cycles == pytest.approx(12000 * 4 + speeds("H200").grid_start, rel=0.2)


@pytest.mark.parametrize(("device", "stall"), [("H200", "not_selected"), ("V100", "math_pipe_throttle")])
def test_warps_of_floats_wait_for_a_pipe_only_where_it_is_narrower_than_a_warp(device, stall):
    @cuda.jit
    def chain(x, rounds):
        a = x[cuda.threadIdx.x]
        for _ in range(rounds):
            a = a * a + a
        x[cuda.threadIdx.x] = a

    crowded = timed(chain, 1, 1024, np.zeros(1024, np.float32), 256, device=device).stalls
    two = {name: crowded[f"stalled_{name}"] for name in ("not_selected", "math_pipe_throttle")}
    assert max(two, key=two.get) == stall
    assert device != "H200" or two["math_pipe_throttle"] < 0.5


def test_a_changed_device_has_not_the_speeds_that_were_measured():
    found = speeds(replace(devices.get("H200"), memory_bandwidth_gb_per_s=1000.0))
    assert found.source.startswith("assumed:")
    assert found.dram_sectors < speeds("H200").dram_sectors / 4


def test_a_roofline_of_two_devices_is_refused():
    with gpusim.profile(device="H200") as run:
        saxpy[64, 256](*vectors(1 << 14))
        with gpusim.use("V100"):
            saxpy[64, 256](*vectors(1 << 14))
    assert run.timing().device == "H200, V100"
    with pytest.raises(ReportError, match="one device; the launches of this run are on H200, V100"):
        run.roofline_report()


def test_a_grid_whose_blocks_wait_for_each_other_is_not_timed_by_one_multiprocessor():
    @cuda.jit
    def in_turn(y):
        for turn in range(cuda.gridDim.x):
            if cuda.blockIdx.x == turn:
                y[0] += 1
            cuda.cg.this_grid().sync()

    with gpusim.profile() as run:
        in_turn[4, 32](np.zeros(1, np.float32))
    with pytest.raises(
        ReportError, match=r"in_turn cannot be timed: at line \d+ it waits for blocks on other"
    ):
        run.timing()
    assert run.kernels[0].timing_or_none() is None
    run.advice()
