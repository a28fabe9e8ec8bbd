"""What do many lanes leave behind, and what does each find, when all add to one place?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.ir.instructions import Opcode
from gpusim.machine.functions import atomics


@cuda.jit
def histogram(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(counts, x[i], 1)


@cuda.jit
def queue(counter, place):
    i = cuda.grid(1)
    place[i] = cuda.atomic.add(counter, 0, 1)


@pytest.mark.parametrize("schedule", [None, "serial", 1, 2])
def test_no_addition_is_lost(machine, schedule):
    x, counts = np.random.default_rng(1).integers(0, 7, 1000), np.zeros(7, np.int32)
    with gpusim.use(schedule=schedule):
        histogram[10, 100](x, counts)
    assert counts.tolist() == np.bincount(x).tolist()


@pytest.mark.parametrize("schedule", [None, "serial", 1, 2])
def test_every_thread_finds_another_old_value(machine, schedule):
    counter, place = np.zeros(1, np.int64), np.zeros(300, np.int64)
    with gpusim.use(schedule=schedule):
        queue[3, 100](counter, place)
    assert counter[0] == 300
    assert sorted(place.tolist()) == list(range(300))


def test_lanes_of_a_warp_add_in_ascending_order(machine):
    place = np.zeros(32, np.int64)
    queue[1, 32](np.array([5]), place)
    assert place.tolist() == list(range(5, 37))


def test_shared_memory_adds_within_the_block(machine):
    @cuda.jit
    def count_block(out):
        total = cuda.shared.array(1, np.int32)
        if cuda.threadIdx.x == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, cuda.threadIdx.x)
        cuda.syncthreads()
        out[cuda.blockIdx.x] = total[0]

    out = np.zeros(3, np.int64)
    count_block[3, 70](out)
    assert out.tolist() == [69 * 70 // 2] * 3


def test_an_index_may_be_a_tuple(machine):
    @cuda.jit
    def diagonal(out):
        i = cuda.threadIdx.x
        cuda.atomic.add(out, (i % 2, i % 3), 1)

    out = np.zeros((2, 3), np.int64)
    diagonal[1, 60](out)
    assert out.tolist() == [[10, 10, 10], [10, 10, 10]]


def test_lanes_that_are_off_add_nothing(machine):
    @cuda.jit
    def odd(out):
        if cuda.threadIdx.x & 1:
            cuda.atomic.add(out, 0, 1)

    out = np.zeros(1, np.int64)
    odd[1, 51](out)
    assert out[0] == 25


def test_sums_of_floats_depend_on_the_order_only_in_their_last_bits():
    """1e8 + 1 is 1e8 in float32: one after the other, a thousand ones are lost."""
    flat = np.array([1e8], np.float32)
    atomics.update(flat, np.zeros(1000, np.int64), [np.ones(1000, np.float32)], Opcode.ATOMIC_ADD)
    assert flat[0] == np.float32(1e8)


@pytest.mark.parametrize(
    ("positions", "found", "left"),
    [
        ([0, 0, 0, 0], [0, 1, 2, 3], [4, 10]),
        ([1, 0, 1, 0], [10, 0, 11, 1], [2, 12]),
        ([0, 1], [0, 10], [1, 11]),
        ([], [], [0, 10]),
    ],
)
def test_old_values_by_hand(positions, found, left):
    flat, where = np.array([0, 10]), np.array(positions, np.int64)
    before = atomics.fetch_and_update(flat, where, [np.ones(len(where), np.int64)], Opcode.ATOMIC_ADD)
    assert before.tolist() == found
    assert flat.tolist() == left
