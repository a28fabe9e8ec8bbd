"""Who must reach `cuda.syncthreads()`? What an H200 was seen to do, and what warps did before Volta."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, source
from gpusim.errors import Deadlock, Livelock

SCHEDULES = [None, "serial", 1, 2, 3]


def numbered(kernel):
    """The kernel's lines with their numbers in this file."""
    found = source.of_function(kernel.__wrapped__)
    return list(enumerate(found.lines, found.first_line))


@cuda.jit
def neighbour(x):
    tile = cuda.shared.array(256, np.int64)
    t = cuda.threadIdx.x
    tile[t] = t
    cuda.syncthreads()
    x[cuda.grid(1)] = tile[(t + 1) % cuda.blockDim.x]


@cuda.jit
def in_one_branch(x):
    i = cuda.threadIdx.x
    if i < 16:
        cuda.syncthreads()
        x[i] += 1
    x[i] += 10


@cuda.jit
def after_early_return(x):
    i = cuda.threadIdx.x
    if i < 16:
        return
    cuda.syncthreads()
    x[i] = 1


@cuda.jit
def in_both_branches(x):
    i = cuda.threadIdx.x
    if i < 16:
        cuda.syncthreads()
        x[i] = 1
    else:
        cuda.syncthreads()
        x[i] = 2


@cuda.jit
def at_the_end_of_both_branches(x):
    i = cuda.threadIdx.x
    if i < 16:
        x[i] = 1
        cuda.syncthreads()
    else:
        x[i] = 2
        cuda.syncthreads()


@cuda.jit
def in_both_branches_by_whole_warps(x):
    i = cuda.threadIdx.x
    if i < 64:
        cuda.syncthreads()
        x[i] = 1
    else:
        cuda.syncthreads()
        x[i] = 2


@cuda.jit
def reduce(x, out):
    tile = cuda.shared.array(128, np.int64)
    t = cuda.threadIdx.x
    tile[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@cuda.jit
def half_waits(x):
    i = cuda.threadIdx.x
    if i < 64:
        cuda.syncthreads()
    else:
        while x[0] == 0:
            pass


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("threads", [1, 31, 32, 100, 256])
def test_what_is_written_before_a_barrier_is_read_after_it(machine, schedule, threads):
    x = np.zeros(3 * threads, np.int64)
    with gpusim.use(schedule=schedule):
        neighbour[3, threads](x)
    assert x.tolist() == 3 * [(t + 1) % threads for t in range(threads)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_block_sums_in_rounds(machine, schedule):
    x, out = np.arange(512), np.zeros(4, np.int64)
    with gpusim.use(schedule=schedule):
        reduce[4, 128](x, out)
    assert out.tolist() == x.reshape(4, 128).sum(axis=1).tolist()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_in_one_branch_only_it_works(machine, schedule):
    x = np.zeros(96, np.int64)
    with gpusim.use(schedule=schedule):
        in_one_branch[1, 96](x)
    assert x.tolist() == [11] * 16 + [10] * 80


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_after_an_early_return_it_works(machine, schedule):
    x = np.zeros(96, np.int64)
    with gpusim.use(schedule=schedule):
        after_early_return[1, 96](x)
    assert x.tolist() == [0] * 16 + [1] * 80


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_when_whole_warps_differ_it_works(machine, schedule):
    x = np.zeros(128, np.int64)
    with gpusim.use(schedule=schedule):
        in_both_branches_by_whole_warps[1, 128](x)
    assert x.tolist() == [1] * 64 + [2] * 64


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kernel", [in_both_branches, at_the_end_of_both_branches])
@pytest.mark.parametrize("threads", [32, 128])
def test_in_both_branches_of_one_warp_independent_lanes_hang(device, kernel, threads, schedule):
    with gpusim.use(device, scheduling="independent", schedule=schedule), pytest.raises(Deadlock) as caught:
        kernel[1, threads](np.zeros(threads, np.int64))
    first, second = (n for n, line in numbered(kernel) if "syncthreads" in line)
    assert f"wait at the barrier of line {first} and of line {second}" in caught.value.message
    assert "lanes of one warp must wait at the same barrier" in caught.value.message
    assert caught.value.span.line in (first, second)


@pytest.mark.parametrize("kernel", [in_both_branches, at_the_end_of_both_branches])
@pytest.mark.parametrize("threads", [32, 128])
def test_in_both_branches_a_stack_counts_warps_and_runs_through(device, kernel, threads):
    """A warp that arrives with half of its lanes has arrived, and may arrive once more with the rest."""
    x = np.zeros(threads, np.int64)
    with gpusim.use(device, scheduling="stack"):
        kernel[1, threads](x)
    assert x.tolist() == [1] * 16 + [2] * (threads - 16)


def test_those_at_a_barrier_wait_for_those_that_spin(machine):
    with pytest.raises(Livelock) as caught:
        half_waits[1, 128](np.zeros(1, np.int64))
    message, lines = caught.value.message, {line.strip(): n for n, line in numbered(half_waits)}
    assert f"64 lane(s) at line {lines['while x[0] == 0:']}" in message
    assert "first thread (64, 0, 0) of block (0, 0, 0)" in message


def test_blocks_do_not_wait_for_each_other(machine):
    """Only the threads of block 1 skip the barrier, and all of them do."""

    @cuda.jit
    def some_blocks(x):
        if cuda.blockIdx.x != 1:
            cuda.syncthreads()
        x[cuda.grid(1)] = 1

    x = np.zeros(300, np.int64)
    some_blocks[3, 100](x)
    assert x.sum() == 300
