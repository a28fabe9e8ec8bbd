"""Where may a lane wait for another? Where it sleeps, or reads one element again and again."""

from __future__ import annotations

import numpy as np

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
