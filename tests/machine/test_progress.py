"""Does every lane get its turn? Locks between lanes, loops without end, and what the errors say."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Livelock, NoProgress, OutOfBounds
from gpusim.machine import watch
from tests.hunting import some

SCHEDULES = some([None, "serial", 1, 2], 2)


@pytest.fixture
def soon(monkeypatch):
    """Whoever looks for endless loops begins after a quarter of the steps: 800 rounds show what 3,200 do."""
    for name in ("FIRST_SNAPSHOT_STEPS", "FIRST_FORESIGHT_STEPS"):
        monkeypatch.setattr(watch, name, getattr(watch, name) // 4)


@cuda.jit
def lock_around(lock, total):
    """The naive form: lanes leave the loop one by one, holding the lock."""
    while cuda.atomic.add(lock, 0, 1) != 0:
        cuda.atomic.add(lock, 0, -1)
    total[0] += 1
    cuda.atomic.add(lock, 0, -1)


@cuda.jit
def lock_inside(lock, total):
    """The careful form: a lane that gets the lock gives it back within the same round."""
    done = False
    while not done:
        if cuda.atomic.add(lock, 0, 1) == 0:
            total[0] += 1
            done = True
        cuda.atomic.add(lock, 0, -1)


@cuda.jit
def tickets(counter, total):
    """In turn: each waits for its own number, then calls the next."""
    mine = cuda.atomic.add(counter, 0, 1)
    while counter[1] != mine:
        pass
    total[0] = total[0] * 3 + mine
    counter[1] += 1


@cuda.jit
def lane_waits_for_lane(flag):
    i = cuda.threadIdx.x
    if i == 5:
        while flag[0] == 0:
            pass
        flag[1] = 7
    else:
        flag[0] = 1


@cuda.jit
def block_waits_for_block(flag):
    if cuda.blockIdx.x == 0:
        while flag[0] == 0:
            pass
        flag[1] = 7
    else:
        flag[0] = 1


@cuda.jit
def endless(x):
    i = cuda.grid(1)
    k = 0
    while k >= 0:  # until it wraps around, after 2^63 rounds
        k += 1
        if i < 3:
            return
        x[i] = k


@cuda.jit
def stuck(x):
    i = cuda.grid(1)
    while x[i] == 0:
        x[i] = 0


@cuda.jit
def long_but_finite(x):
    k = 0
    while k < 800:
        k += 1
    x[cuda.grid(1)] = k


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kernel", [lock_around, lock_inside])
def test_independent_lanes_pass_a_lock_in_both_forms(device, kernel, schedule):
    lock, total = np.zeros(1, np.int64), np.zeros(1, np.int64)
    with gpusim.use(device, scheduling="independent", schedule=schedule):
        kernel[2, 7](lock, total)
    assert (lock[0], total[0]) == (0, 14)


def test_on_a_stack_only_the_careful_form_passes_a_lock(device):
    with gpusim.use(device, scheduling="stack", step_budget=20_000):
        lock, total = np.zeros(1, np.int64), np.zeros(1, np.int64)
        lock_inside[1, 70](lock, total)
        assert (lock[0], total[0]) == (0, 70)
        with pytest.raises(Livelock):
            lock_around[1, 2](lock, total)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_with_one_lane_a_warp_a_stack_passes_any_lock(device, schedule):
    lock, total = np.zeros(1, np.int64), np.zeros(1, np.int64)
    with gpusim.use(device, scheduling="stack", schedule=schedule):
        lock_around[20, 1](lock, total)
    assert (lock[0], total[0]) == (0, 20)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_tickets_are_served_in_turn(device, schedule):
    counter, total = np.zeros(2, np.int64), np.zeros(1, np.int64)
    with gpusim.use(device, scheduling="independent", schedule=schedule):
        tickets[1, 9](counter, total)
    served = 0
    for mine in range(9):
        served = served * 3 + mine
    assert total[0] == served
    assert counter.tolist() == [9, 9]


def test_on_a_stack_the_holder_of_the_ticket_waits_for_those_who_wait_for_it(device):
    with gpusim.use(device, scheduling="stack"), pytest.raises(Livelock) as caught:
        tickets[1, 32](np.zeros(2, np.int64), np.zeros(1, np.int64))
    assert "31 lane(s) at line" in caught.value.message
    assert 'gpusim.use(scheduling="independent") lets them run' in caught.value.hint
    assert "`while counter[1] != mine:`" in caught.value.message
    assert "first thread (1, 0, 0) of block (0, 0, 0)" in caught.value.message


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_lane_may_wait_for_another_of_its_warp_only_if_lanes_are_independent(device, soon, schedule):
    with gpusim.use(device, schedule=schedule):
        flag = np.zeros(2, np.int64)
        with gpusim.use(scheduling="independent"):
            lane_waits_for_lane[1, 8](flag)
        assert flag.tolist() == [1, 7]
        with gpusim.use(scheduling="stack"), pytest.raises(NoProgress):
            lane_waits_for_lane[1, 8](np.zeros(2, np.int64))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_block_may_wait_for_another_that_is_resident(machine, schedule):
    flag = np.zeros(2, np.int64)
    with gpusim.use(schedule=schedule):
        block_waits_for_block[2, 40](flag)
    assert flag.tolist() == [1, 7]


def test_a_block_that_waits_for_one_that_is_not_resident_hangs():
    """A P100 holds 56 × 2 blocks of 1024 threads; block 112 starts when another ends."""

    @cuda.jit
    def waits_for_the_last(flag):
        if cuda.blockIdx.x == cuda.gridDim.x - 1:
            flag[0] = 1
        while flag[0] == 0:
            pass

    with gpusim.use("P100", step_budget=5000):
        waits_for_the_last[112, 1024](np.zeros(1, np.int64))
        with pytest.raises(Livelock):
            waits_for_the_last[113, 1024](np.zeros(1, np.int64))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_endless_loop_says_where_its_lanes_are(machine, schedule):
    with gpusim.use(step_budget=2000, schedule=schedule), pytest.raises(Livelock) as caught:
        endless[1, 40](np.zeros(40, np.int64))
    message = caught.value.message
    assert message.startswith("endless does not end (more than 2,000 steps)")
    assert "first thread (3, 0, 0) of block (0, 0, 0)" in message
    assert "gpusim.use(step_budget=…)" in str(caught.value)


@pytest.mark.parametrize("schedule", [None, "serial", 1])
def test_a_loop_that_changes_nothing_is_found_without_a_budget(scheduling, schedule):
    with gpusim.use(scheduling=scheduling, schedule=schedule), pytest.raises(Livelock) as caught:
        stuck[1, 40](np.zeros(40, np.int64))
    assert "no lane changes anything any more" in caught.value.message


@cuda.jit
def some_lanes_loop_over_nothing(x):
    n = 0
    if cuda.threadIdx.x < 4:
        while n < 10:
            pass
    x[0] = n


def test_neither_steps_nor_lanes_are_advised_where_they_would_not_help():
    with gpusim.use(scheduling="stack"), pytest.raises(Livelock) as caught:
        some_lanes_loop_over_nothing[1, 8](np.zeros(1, np.int64))
    assert (
        caught.value.hint == "nothing that runs changes what the loop's condition tests: check the condition"
    )


@cuda.jit
def forgets_to_count(x):
    i, j = 0, 0
    while i < x.size:
        j += 1
    x[0] = j


@cuda.jit
def counts_without_a_condition(x):
    count = 0
    while True:
        count += 1


@cuda.jit
def counts_in_memory(x):
    seen = cuda.shared.array(128, np.int64)
    t = cuda.threadIdx.x
    seen[t] = 0
    while t >= 0:
        seen[t] += 1
        x[t] = seen[t]


@cuda.jit
def one_warp_never_ends(x):
    i = cuda.grid(1)
    done = i < 32
    while not done:
        x[i] += 1
    x[i] = -1


@pytest.mark.parametrize("schedule", [None, "serial"])
@pytest.mark.parametrize(
    "kernel", [forgets_to_count, counts_without_a_condition, counts_in_memory, one_warp_never_ends]
)
def test_an_endless_loop_that_counts_is_found_without_a_budget(machine, kernel, schedule):
    """What no condition looks at may change: the loop is as endless."""
    with gpusim.use(schedule=schedule, step_budget=20_000), pytest.raises(Livelock) as caught:
        kernel[1, 100](np.zeros(100, np.int64))
    assert "(nothing changes any more that decides where its lanes go)" in caught.value.message


@cuda.jit
def counts_in_memory_up_to(x):
    t = cuda.threadIdx.x
    x[t] = 0
    while x[t] < 800:
        x[t] += 1


@cuda.jit
def runs_out_of_its_array(x):
    i = 0
    while True:
        x[i] = 1
        i += 1


@cuda.jit
def waits_for_a_count(x):
    """Warp 0 looks at an element that warp 1 writes when it has counted far enough."""
    t = cuda.threadIdx.x
    if t == 0:
        while x[0] == 0:
            x[2] += 1
    elif t == 64:
        for _k in range(800):
            x[1] += 1
        x[0] = 1


@cuda.jit
def doubles_until_it_wraps(x):
    """The condition sees `a` through `b`, one round late, and `b` through memory."""
    a, rounds = 1, 0
    while x[0] >= 0:
        rounds += 1
        if rounds % 13 == 0:
            a *= 2
        x[0] = a
    x[1] = rounds


@pytest.mark.parametrize("schedule", [None, "serial"])
def test_what_ends_after_many_rounds_is_not_endless(machine, soon, schedule):
    with gpusim.use(schedule=schedule):
        x = np.zeros(128, np.int64)
        counts_in_memory_up_to[1, 100](x)
        assert (x[:100] == 800).all()
        with pytest.raises(OutOfBounds):
            runs_out_of_its_array[1, 1](np.zeros(800))
        x = np.zeros(3, np.int64)
        waits_for_a_count[1, 128](x)
        assert x[1] == 800
        x = np.zeros(2, np.int64)
        doubles_until_it_wraps[1, 1](x)
        assert x[1] == 13 * 63


@pytest.mark.parametrize("schedule", [None, "serial", 1])
def test_a_long_loop_is_not_an_endless_one(machine, soon, schedule):
    x = np.zeros(40, np.int64)
    with gpusim.use(schedule=schedule):
        long_but_finite[1, 40](x)
    assert (x == 800).all()


@cuda.jit
def looks_alike_where_it_parts(x, before):
    """After the last round n is what it was after the first: only where its lanes go on is different."""
    for _k in range(before):
        pass
    n = -1
    while True:
        n += 1
        reached = n
        n = n % 100
        if reached >= 100:
            break
    x[0] = 1


@pytest.mark.parametrize("before", [510, 1022])  # the first round ends at step 1,024, or 2,048
def test_lanes_that_leave_a_loop_are_not_where_they_were(machine, before):
    x = np.zeros(1, np.int64)
    looks_alike_where_it_parts[1, 100](x, before)
    assert x[0] == 1


@cuda.jit
def hands_over_once_a_round(x, y, n, w):
    """Block 0 offers the word at one of n moments of its round; block 1 takes it if it looks just then."""
    if cuda.blockIdx.x == 0:
        while cuda.atomic.add(y, 0, 0) == 0:
            for k in range(n):
                cuda.atomic.exch(x, 0, int(k == w))
    else:
        while cuda.atomic.add(x, 0, 0) != 1:
            pass
        cuda.atomic.exch(y, 0, 1)


@pytest.mark.parametrize("schedule", [None, "serial"])
@pytest.mark.parametrize(("n", "w"), [(64, 3), (100, 37)])
def test_who_looks_at_the_wrong_moment_may_look_again(n, w, schedule):
    """Lanes, positions and memory come back, but not yet the turn: it is not round yet."""
    y = np.zeros(1, np.int32)
    with gpusim.use(schedule=schedule):
        hands_over_once_a_round[2, 1](np.zeros(1, np.int32), y, n, w)
    assert y[0] == 1


def test_who_waits_for_a_block_that_is_not_resident_is_told_so():
    @cuda.jit
    def waits(flag):
        if cuda.blockIdx.x == cuda.gridDim.x - 1:
            flag[0] = 1
        elif cuda.blockIdx.x == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:
                pass

    with gpusim.use("H200"):
        waits[264, 1024](np.zeros(1, np.int32))
        with pytest.raises(Livelock, match="736 blocks have not begun: 264 are all") as caught:
            waits[1000, 1024](np.zeros(1, np.int32))
        with pytest.raises(Livelock, match="; 1 block has not begun: 264 are all"):
            waits[265, 1024](np.zeros(1, np.int32))
    assert "a block must not wait for one that may not be resident" in str(caught.value)


def test_a_loop_that_looks_at_no_memory_waits_for_nobody():
    @cuda.jit
    def endless(x):
        i = 0
        while i >= 0:
            i = 0
        x[0] = i

    with gpusim.use("H200"), pytest.raises(Livelock) as caught:
        endless[1000, 1024](np.zeros(1))
    assert "have not begun" not in str(caught.value)
