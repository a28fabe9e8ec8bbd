"""Do the kernels of the chapter on threads and warps do what its text says of them?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from course import threads
from course.chapters import Kernels
from gpusim import cuda


@pytest.fixture(scope="module")
def of():
    return Kernels("threads-warps-and-waves")


@pytest.mark.parametrize("device", ["H200", "MetaX C500"])
@pytest.mark.parametrize("block", [(200, 1, 1), (16, 16, 1), (20, 10, 1), (10, 5, 4)])
def test_the_lane_is_the_linear_number_modulo_the_warp_size(of, block, device):
    gpu, wrote = gpusim.devices.get(device), np.zeros(block[::-1], np.int32)
    warp, lane, _ = threads.placed(of.place, block, gpu)
    assert warp.ravel().tolist() == [n // gpu.warp_size for n in range(warp.size)]
    assert lane.ravel().tolist() == [n % gpu.warp_size for n in range(lane.size)]
    threads.launch(of.place, 1, block, wrote, device=device)
    assert np.array_equal(wrote, lane)


def test_200_threads_are_7_warps_or_4_waves(of):
    assert threads.sizes_of_warps(of.roll_call, 200, "H200") == [32] * 6 + [8]
    assert threads.sizes_of_warps(of.roll_call, 200, "MetaX C500") == [64, 64, 64, 8]


@cuda.jit
def something_else(lane):
    lane[cuda.threadIdx.x] = cuda.threadIdx.x // 2


@cuda.jit
def nothing(lane):
    return


def test_warps_and_lanes_are_the_launches_whatever_a_readers_kernel_writes():
    assert threads.sizes_of_warps(something_else, 200, "H200") == [32] * 6 + [8]
    warp, lane, _ = threads.placed(nothing, (8, 8, 1))
    assert (warp[0, 5, 3], lane[0, 5, 3]) == (1, 11)


@pytest.mark.parametrize("schedule", [None, "serial", 2, 3])
def test_the_order_of_the_warps_changes_their_log_and_nothing_else(of, schedule):
    log, x = threads.clocked(of.clock_in, schedule)
    assert sorted(log.split()) == list("00112233")
    assert x == [2 * i + 1 for i in range(128)]


def test_a_second_launch_finds_what_is_in_global_memory_only(of):
    assert threads.remembered(of.remember) == (-1, -1, 42)


def test_shared_memory_is_nearer_than_any_cache():
    cycles = threads.cycles()
    assert list(cycles) == ["shared", "L1", "L2", "HBM"]
    assert sorted(cycles.values()) == list(cycles.values())
    assert np.isclose(cycles["shared"], 23.277)


def test_a_warp_takes_as_many_trips_as_the_thread_that_takes_most():
    assert [threads.trips_of_a_warp(most) for most in (2, 10)] == [2, 10]
