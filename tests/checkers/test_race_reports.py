"""What does racecheck say of small kernels? Each race once, with its threads, its element and its remedy."""

import numpy as np
import pytest

import gpusim
from gpusim import cuda


@cuda.jit
def shift(x):
    i = cuda.threadIdx.x
    x[i] = x[i + 1]


def test_readers_of_another_block_are_remembered_beside_those_of_the_last_one():
    @cuda.jit
    def kernel(x, y):
        y[cuda.grid(1)] = x[0]
        cuda.syncthreads()
        if cuda.grid(1) == cuda.blockDim.x:  # the second block's barrier does not order the first one
            x[0] = 1

    with gpusim.sanitize() as report:
        kernel[2, 32](np.zeros(1), np.zeros(64))
    (finding,) = report.findings
    assert (finding.hazard, finding.count) == ("WAR", 32)
    assert finding.accesses[0].block == (0, 0, 0)


def test_a_wide_access_races_with_a_narrow_one_that_it_covers():
    @cuda.jit
    def kernel(x):
        narrow = x.view(np.int32)
        if cuda.threadIdx.x == 0:
            narrow[1] = 3
        else:
            x[0] = 5.0

    with gpusim.sanitize("racecheck") as report:
        kernel[1, 2](np.zeros(2))
    assert [(f.hazard, f.count) for f in report.findings] == [("WAW", 1)]


def test_two_wide_accesses_that_meet_in_both_their_halves_are_one_pair():
    @cuda.jit
    def kernel(x):
        if cuda.threadIdx.x == 0:
            x[0] = 3.0
        if cuda.threadIdx.x == 1:
            x[0] = 5.0
        x.view(np.int32)[4 + cuda.threadIdx.x] = 0  # cells are as wide as this

    with gpusim.sanitize("racecheck") as report:
        kernel[1, 2](np.zeros(3))
    assert [(f.hazard, f.count) for f in report.findings] == [("WAW", 1)]


def test_elements_of_a_reversed_array_are_called_as_the_kernel_calls_them():
    @cuda.jit
    def kernel(x, y):
        y[30 + cuda.threadIdx.x // 2] = 1

    first, then = cuda.to_device(np.zeros(1)), cuda.to_device(np.zeros(40))  # `then` is 256 bytes further on
    with gpusim.sanitize("racecheck") as report:
        kernel[1, 2](first, then[::-1])
    assert report.findings[0].place == "global y[30]"


@pytest.mark.parametrize(
    ("writer", "reader", "remedy"),
    [
        ((0, 0), (0, 5), "cuda.syncwarp() between"),
        ((1, 45), (1, 40), "cuda.syncwarp() between"),
        ((0, 0), (0, 40), "cuda.syncthreads() between"),
        ((1, 40), (1, 0), "cuda.syncthreads() between"),
        ((0, 5), (1, 5), "no barrier spans thread blocks"),
        ((1, 5), (0, 5), "no barrier spans thread blocks"),
    ],
)
def test_the_hint_names_what_would_order_two_threads(writer, reader, remedy, scheduling):
    @cuda.jit
    def kernel(x, y, block, thread, reading_block, reading_thread):
        if cuda.blockIdx.x == block and cuda.threadIdx.x == thread:
            x[0] = 1
        if cuda.blockIdx.x == reading_block and cuda.threadIdx.x == reading_thread:
            y[0] = x[0]

    with gpusim.sanitize("racecheck", scheduling=scheduling) as report:
        kernel[2, 64](np.zeros(1), np.zeros(1), *writer, *reader)
    if scheduling == "stack" and "syncwarp" in remedy:
        assert report.clean, "lanes of a warp run in lock-step"
        return
    (finding,) = report.findings
    assert (finding.hazard, finding.hint[: len(remedy)]) == ("RAW", remedy)


def test_what_a_lane_learns_at_a_syncwarp_of_two_it_hands_over():
    """Lane 0 writes, lane 1 meets it and hands over to another block."""

    @cuda.jit
    def kernel(x, flag, y):
        t = cuda.threadIdx.x
        if cuda.blockIdx.x == 0 and t < 2:
            if t == 0:
                x[0] = 7
            cuda.syncwarp(0b11)
            if t == 1:
                cuda.threadfence()
                cuda.atomic.add(flag, 0, 1)
        elif cuda.blockIdx.x == 1 and t == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass
            cuda.threadfence()
            y[0] = x[0]

    x, flag, y = np.zeros(1), np.zeros(1, np.int32), np.zeros(1)
    with gpusim.sanitize("racecheck", scheduling="independent") as report:
        kernel[2, 32](x, flag, y)
    assert report.clean, report
    assert y[0] == 7


def test_of_two_threads_of_one_block_the_block_is_named_once():
    with gpusim.sanitize("racecheck") as report:
        shift[1, 32](np.zeros(33))
    assert report.findings[0].message.count("of block") == 1


def test_neighbouring_bytes_do_not_race():
    @cuda.jit
    def kernel(x):
        x[cuda.threadIdx.x] = 3

    with gpusim.sanitize("racecheck") as report:
        kernel[1, 64](np.zeros(64, np.int8))
    assert report.clean


@pytest.mark.parametrize("schedule", [None, "serial", 1])
def test_blocks_of_different_batches_are_not_ordered(schedule):
    """A P100 runs 112 of these blocks at once; the barrier of one says nothing about the next."""

    @cuda.jit
    def kernel(x):
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            x[cuda.blockIdx.x % 20] = 1

    with gpusim.sanitize("racecheck", device="P100", schedule=schedule) as report:
        kernel[240, 1024](np.zeros(20))
    (finding,) = report.findings
    assert finding.hazard == "WAW"
    assert finding.count >= 220  # every block but the first to use an element
    one, other = (access.block for access in finding.accesses)
    assert f"thread (0, 0, 0) of block {one} wrote" in finding.message
    assert f", thread (0, 0, 0) of block {other} wrote it" in finding.message
