"""Where may a lane wait for another? Where it sleeps, or reads one element again and again."""

from __future__ import annotations

import numpy as np

import gpusim
from gpusim import cuda


def test_a_spin_lock_stands_back_where_it_looks():
    @cuda.jit
    def lock(word, x):
        while cuda.atomic.cas(word, 0, 0, 1) != 0:
            pass
        x[0] += 1
        cuda.atomic.exch(word, 0, 0)

    function = lock.compiled(np.zeros(1, np.int32), np.zeros(1))
    assert len(function.standing_back) == 1
    assert function.may_wait
    assert function.unreconverged == function.standing_back


def test_a_loop_within_a_loop_waits_as_a_loop_alone_does():
    @cuda.jit
    def two_turns(flag, x):
        t = cuda.threadIdx.x
        for k in range(2):
            while cuda.atomic.add(flag, 0, 0) != 2 * k + t:
                pass
            if x[k] > 0:
                x[t] += 1
            cuda.atomic.add(flag, 0, 1)

    flag, x = np.zeros(1, np.int32), np.ones(2)
    function = two_turns.compiled(flag, x)
    assert len(function.standing_back) == 1
    two_turns[1, 2](flag, x)
    assert flag[0] == 4
    assert x.tolist() == [3, 3]


def test_an_address_computed_anew_from_the_same_numbers_is_the_same_element():
    @cuda.jit
    def flag(x, k):
        while x[k + 1] == 0:
            pass

    assert flag.compiled(np.zeros(4), 2).standing_back


def test_a_walk_along_a_list_may_wait_but_does_not_spin():
    @cuda.jit
    def walk(following, out):
        node = cuda.threadIdx.x
        while node >= 0:
            node = following[node]
        out[cuda.threadIdx.x] = node

    function = walk.compiled(np.zeros(32, np.int32), np.zeros(32, np.int32))
    assert function.may_wait
    assert not function.standing_back
    assert not function.unreconverged


def test_a_counted_loop_over_memory_waits_for_nobody():
    @cuda.jit
    def add_up(x, out):
        total = 0.0
        for i in range(x.size):
            total += x[i]
        out[0] = total

    function = add_up.compiled(np.zeros(4), np.zeros(1))
    assert not function.may_wait
    assert not function.standing_back


def test_a_loop_that_counts_towards_what_it_reads_waits_for_nobody():
    @cuda.jit
    def sum_of_row(row, x, out):
        i = cuda.threadIdx.x
        j = row[i]
        total = 0.0
        while j < row[i + 1]:
            total += x[j]
            j += 1
        out[i] = total

    @cuda.jit
    def halves(row, out):
        i = cuda.threadIdx.x
        j = row[i]
        while np.int64(2 * j) != row[i + 1]:
            out[j] = 0.0
            j -= cuda.blockDim.x
        out[i] = 1.0

    for kernel, arguments in (
        (sum_of_row, (np.zeros(33, np.int32), np.zeros(9), np.zeros(32))),
        (halves, (np.zeros(33, np.int64), np.zeros(32))),
    ):
        function = kernel.compiled(*arguments)
        assert not function.may_wait
        assert not function.unreconverged


def test_a_loop_that_counts_only_when_another_lane_lets_it_waits():
    @cuda.jit
    def turns(lock, goal, out):
        done = 0
        while done < goal[0]:
            if cuda.atomic.cas(lock, 0, 0, 1) == 0:
                out[0] += 1
                cuda.atomic.exch(lock, 0, 0)
                done += 1

    assert turns.compiled(np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1)).standing_back


def test_a_loop_that_counts_besides_waiting_waits():
    @cuda.jit
    def patient(flag, out):
        rounds = 0
        while flag[0] == 0:
            rounds += 1
        out[0] = rounds

    assert patient.compiled(np.zeros(1), np.zeros(1)).standing_back


def test_lanes_that_leave_a_loop_at_different_times_meet_behind_it():
    """As many rounds as each lane reads, with the look at memory in every round: the store is one request."""

    @cuda.jit
    def work(trips, out):
        i = cuda.threadIdx.x
        value, step = 1.0, 0
        while step < trips[i]:
            value = 0.5 * value + 1.0
            step += 1
        out[i] = value

    with gpusim.profile(device="H200") as run:
        work[1, 32](np.arange(32) * 7 % 20, np.zeros(32))
    assert run.global_store_requests == 1


def test_lanes_stand_back_where_they_sleep():
    @cuda.jit
    def nap(x):
        if cuda.threadIdx.x < 16:
            cuda.nanosleep(100)
        x[cuda.threadIdx.x] = 1

    function = nap.compiled(np.zeros(32))
    assert function.may_wait
    assert len(function.standing_back) == 1
    assert len(function.unreconverged) == 1


def test_a_loop_up_to_a_limit_in_memory_does_not_wait():
    """`for (k = 0; k < row[i]; k++)` ends whatever others write."""

    @cuda.jit
    def count(row, out):
        i, k = cuda.grid(1), 0
        while k < row[i]:
            k += 1
        out[i] = k

    function = count.compiled(np.zeros(32, np.int64), np.zeros(32, np.int64))
    assert not function.may_wait
