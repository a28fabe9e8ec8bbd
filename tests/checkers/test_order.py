"""Which access of a thread happens before which? Against plain vector clocks, and worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.checkers import order
from gpusim.checkers.order import Order
from gpusim.errors import ReportError
from tests.checkers.oracle import Oracle
from tests.checkers.test_races_against_oracle import LANES_USED, launched, random_events
from tests.hunting import some

SEEDS = some(range(300), 20, first=3)


@pytest.mark.parametrize("scheduling", ["stack", "independent"])
@pytest.mark.parametrize(("blocks", "at_once"), [(1, 1), (3, 3), (4, 2)])
def test_arrows_lead_to_what_knowledge_orders_and_all_others_that_share_a_cell_race(
    scheduling, blocks, at_once, monkeypatch
):
    """All threads that do anything are shown: so no arrow is needed for what hidden ones pass on."""
    monkeypatch.setattr(order, "MOST_ACCESSES", 10_000)
    monkeypatch.setattr(order, "MOST_ROWS", 10_000)
    monkeypatch.setattr(Order, "_polled", lambda *_: False)
    in_block = [32 * warp + lane for warp in (0, 1) for lane in LANES_USED]
    ordered = racing = 0
    for seed in SEEDS:
        grid = launched(scheduling, blocks, at_once)
        shown = Order(grid, [40 * block + thread for block in range(blocks) for thread in in_block])
        oracle = Oracle(grid)
        for event in random_events(np.random.default_rng(seed), blocks, at_once):
            shown.observe(event)
            oracle.observe(event)
        if not shown.boxes:
            continue
        (variant,) = shown.report().variants
        assert "others" not in variant.whys, seed
        boxes = shown.boxes
        for later, box in enumerate(boxes):
            if box.accessed:
                led = {
                    a for a, to in enumerate(variant.boxes[later].next) if to >= 0 and boxes[a].accessed
                } - box.seen.keys()
                assert led == box.known, (seed, later)
                ordered += len(led)
        found = {
            frozenset((boxes[box].time, boxes[box].threads[0]) for box in pair.boxes)
            for pair in variant.pairs
            if pair.race
        }
        assert found == {frozenset(pair[:2]) for pair in oracle.races}, seed
        racing += len(found)
    assert ordered
    assert racing


@cuda.jit
def hand_over(x, ready):
    t = cuda.threadIdx.x
    if t == 1:
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        cuda.threadfence()
        x[1] = x[0]
    elif t == 0:
        x[2] = 1
        cuda.syncwarp(5)
        x[0] = 42
        cuda.threadfence()
        cuda.atomic.exch(ready, 0, 1)
    elif t == 2:
        cuda.syncwarp(5)
        x[2] = x[0]


def of_hand_over(**how):
    return gpusim.explore_order(hand_over[1, 4], np.zeros(4), np.zeros(1, np.int32), **how).variants[0]


def numbered(variant, *parts):
    """The boxes whose names begin so, in order."""
    return [next(n for n, box in enumerate(variant.boxes) if box.called.startswith(part)) for part in parts]


def way(variant, first, last):
    found = [first]
    while found[-1] != last:
        found.append(variant.boxes[last].next[found[-1]])
    return [variant.boxes[box].text for box in found]


def test_a_flag_hands_over_from_fence_to_fence_by_the_atomics():
    variant = of_hand_over(threads=range(3))
    wrote, read = numbered(variant, "write of x[0] by thread 0", "read of x[0] by thread 1")
    assert way(variant, wrote, read) == ["x[0]", "fence", "fence", "x[0]"]
    (arrow,) = (one for box in variant.boxes for one in box.after if one.why == "hand-over")
    assert [variant.boxes[box].called.partition(" (")[0] for box in arrow.via] == [
        "atomic of ready[0] by thread 0",
        "atomic of ready[0] by thread 1",
    ]


def test_who_does_the_same_over_and_over_is_shown_the_last_time_only():
    @cuda.jit
    def again(total):
        for _ in range(3):
            cuda.atomic.add(total, 0, 1)
        total[1] = 2

    (variant,) = gpusim.explore_order(again[1, 2], np.zeros(2), threads=[0]).variants
    updates, writes = (row.says.partition(" (")[0] for row in variant.rows)
    assert updates == "Thread 0 updates total[0] atomically 3 times in a row"
    assert writes == "Thread 0 writes total[1]"


def test_what_races_says_so_and_what_would_order_it():
    variant = of_hand_over(threads=range(3))
    pair, both_atomic = sorted(variant.pairs, key=lambda pair: not pair.race)
    assert (pair.race, both_atomic.race) == (True, False)
    assert {variant.boxes[box].called.partition(" (")[0] for box in pair.boxes} == {
        "write of x[0] by thread 0",
        "read of x[0] by thread 2",
    }
    assert pair.hint == "cuda.syncwarp() between the two would order lanes of one warp"


def test_threads_that_are_not_shown_may_pass_on_what_orders_two():
    @cuda.jit
    def relay(x):
        t = cuda.threadIdx.x
        if t == 0:
            x[0] = 1
            cuda.syncwarp(3)
        elif t == 1:
            cuda.syncwarp(3)
            cuda.syncwarp(6)
        else:
            cuda.syncwarp(6)
            x[1] = x[0]

    (variant,) = gpusim.explore_order(relay[1, 3], np.zeros(2), threads=[0, 2]).variants
    wrote, read = numbered(variant, "write of x[0]", "read of x[0]")
    assert way(variant, wrote, read) == ["x[0]", "x[0]"]
    assert [arrow.why for arrow in variant.boxes[read].after] == ["others", "program order"]


def test_one_array_and_more_accesses_than_there_is_room_for():
    @cuda.jit
    def many(x, y):
        t = cuda.threadIdx.x
        for k in range(8):
            x[8 * t + k] = k
        y[t] = 1

    (variant,) = gpusim.explore_order(many[1, 8], np.zeros(64), np.zeros(8)).variants
    assert (len(variant.boxes), variant.left_out) == (40, "More accesses, left out: 32.")
    (variant,) = gpusim.explore_order(many[1, 8], np.zeros(64), np.zeros(8), array="y").variants
    assert [box.text for box in variant.boxes] == [f"y[{t}]" for t in range(8)]


def test_barriers_without_end_are_cut_off():
    @cuda.jit
    def many(x):
        for _ in range(99):
            cuda.syncthreads()
        x[cuda.threadIdx.x] = 1

    with pytest.raises(ReportError, match="nothing that the kernel writes"):
        gpusim.explore_order(many[1, 8], np.zeros(8), threads=[])
    (variant,) = gpusim.explore_order(many[1, 8], np.zeros(8)).variants
    assert (len(variant.rows), variant.left_out) == (60, "More accesses, left out: 8.")


def test_both_languages_are_told_the_same():
    source = """extern "C" __global__ void turn(float* x) {
        __shared__ float s[4];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[3 - threadIdx.x];
    }"""
    x = np.zeros(4, np.float32)
    kernel = gpusim.RawKernel(source, "turn")
    (variant,) = gpusim.explore_order(kernel, (1,), (4,), (x,), array="s", threads=range(4)).variants
    assert [row.says.partition(" (")[0] for row in variant.rows] == [
        "Threads 0 to 3 write s[0] to s[3]",
        "Threads 0 to 3 meet at the barrier",
        "Threads 0 to 3 read s[3] to s[0]",
    ]
    assert not variant.pairs
    assert [variant.boxes[box].text for box in (0, 4, 8)] == ["s[0]", "barrier", "s[0]"]


def test_a_report_in_words_says_what_happens_and_what_races():
    @cuda.jit
    def shift(x):
        i = cuda.threadIdx.x
        x[i] = x[i + 1]

    report = gpusim.explore_order(shift[1, 4], np.arange(5), threads=[0, 1])
    line = report.variants[0].rows[0].line
    assert str(report).splitlines() == [
        "shift",
        f"  Threads 0, 1 read x[1], x[2] (line {line}).",
        f"  Threads 0, 1 write x[0], x[1] (line {line}).",
        "  Not ordered: both touch x[1], which is a race: thread 0 read it, thread 1 wrote it.",
        "    To order them: cuda.syncwarp() between the two would order lanes of one warp",
    ]


def test_a_thread_that_is_named_twice_is_shown_once():
    (variant,) = gpusim.explore_order(
        hand_over[1, 4], np.zeros(4), np.zeros(1, np.int32), threads=[0, 1, 0]
    ).variants
    assert variant.lanes == ("thread 0", "thread 1")


def test_what_cannot_be_shown_is_refused():
    x, ready = np.zeros(4), np.zeros(1, np.int32)
    for launch, how, why in (
        (hand_over[1, 4], {"array": "z"}, "hand_over has no array 'z': it has ready, x"),
        (hand_over[1, 4], {"threads": range(9)}, "up to 8 threads, not 9"),
        (hand_over[1, 4], {"threads": [3]}, "touch nothing that the kernel writes"),
        (hand_over[1, 4], {"threads": [4]}, "the launch has threads 0 to 3, and not 4"),
        (hand_over[1, 4], {"threads": [0, "1"]}, "threads are their numbers in the grid, from 0 on, not '1'"),
        (hand_over[33, 32], {}, "of teaching size, up to 1,024 threads"),
        (lambda *_: None, {}, "saw no launch"),
    ):
        with pytest.raises(ReportError, match=why):
            gpusim.explore_order(launch, x, ready, **how)
