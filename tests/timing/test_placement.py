"""Which block is on which multiprocessor, and when? By a plain simulation, and by what kernels read."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.devices.speeds import speeds
from gpusim.errors import ReportError
from gpusim.timing.placement import Stay, Tail, placed, tail

SMALL = replace(gpusim.devices.get("H200"), multiprocessors=4)
WHERE = gpusim.RawModule(
    code=r"""
#define SM(x) asm volatile("mov.u32 %0, %smid;" : "=r"(x))
extern "C" __global__ void where(unsigned* found, int heavy) {
    unsigned sm;
    SM(sm);
    float v = 1;
    for (int k = 0; k < (blockIdx.x % 3 == 0 ? heavy : 8); k++) v = v * 0.5f + threadIdx.x;
    if (threadIdx.x == 0) found[blockIdx.x + gridDim.x * blockIdx.y] = sm + (v < 0);
}
"""
).get_function("where")


@cuda.jit
def some_work_more(x, heavy):
    i = cuda.grid(1)
    value = x[i]
    for _ in range(heavy if cuda.blockIdx.x % 3 == 0 else 8):
        value = value * 0.5 + 1
    x[i] = value


def clock_by_clock(times: list[int], multiprocessors: int, resident: int, *, in_turn: bool) -> list[Stay]:
    """The rule once more: at each clock, blocks that are over leave, and others start where most room is."""
    queue, left, found = list(enumerate(times)), [{} for _ in range(multiprocessors)], {}
    clock = 0
    while queue or any(left):
        for index, here in enumerate(left):
            for block in [block for block, until in here.items() if until == clock]:
                del here[block]
                found[block] = Stay(index, found[block], clock)
        for block, time in list(queue):
            homes = [block % multiprocessors] if in_turn else range(multiprocessors)
            room = [index for index in homes if len(left[index]) < resident]
            if room:
                left[min(room, key=lambda index: len(left[index]))][block] = clock + time
                found[block] = clock
                queue.remove((block, time))
            elif not in_turn:
                break
        clock += 1
    return [found[block] for block in sorted(found)]


def random_grids(count: int):
    chance = random.Random(6)
    for _ in range(count):
        multiprocessors, resident = chance.randint(1, 7), chance.randint(1, 4)
        most, blocks = chance.choice((1, 2, 9)), chance.randint(1, 4 * multiprocessors * resident)
        yield [chance.randint(1, most) for _ in range(blocks)], multiprocessors, resident


@pytest.mark.parametrize("in_turn", [False, True])
def test_blocks_are_placed_as_a_plain_simulation_places_them(in_turn):
    for times, *room in random_grids(150):
        stays = placed(np.array(times, float), room[1], 1.0, *room, in_turn=in_turn)
        assert stays == clock_by_clock(times, *room, in_turn=in_turn)


def test_no_block_starts_before_a_place_is_free_and_none_is_kept_waiting_for_one():
    """Also where those that share a multiprocessor slow each other down."""
    chance = random.Random(7)
    for times, multiprocessors, resident in random_grids(150):
        rate, alone = chance.uniform(0.5, resident + 1), 1.0
        stays = placed(np.array(times, float), max(rate, alone), alone, multiprocessors, resident)
        ends = {stay.end for stay in stays}
        for block, stay in enumerate(stays):
            here = [each for each in stays[:block] if each.start <= stay.start < each.end]
            assert sum(each.multiprocessor == stay.multiprocessor for each in here) < resident
            assert stay.start in ends | {0.0}
            assert stay.start == 0 or len(here) + 1 <= multiprocessors * resident
            longest = times[block] * max(1, resident / max(rate, alone))
            assert times[block] - 1e-9 <= stay.end - stay.start <= longest + 1e-9
        assert [stay.start for stay in stays] == sorted(stay.start for stay in stays)
        assert [stay.multiprocessor for stay in stays[: multiprocessors * resident]] == [
            block % multiprocessors for block in range(min(len(stays), multiprocessors * resident))
        ]


@pytest.mark.parametrize(
    ("times", "multiprocessors", "resident", "ending"),
    [
        ([1] * 10, 4, 2, Tail(1, 0.5, 0.75)),  # two blocks are left for four multiprocessors
        ([1] * 2, 4, 1, Tail(0, 0.5, 0.5)),
        ([1] * 8, 4, 2, Tail(1, 0.0, 0.0)),  # all places are taken to the end
        ([1] * 7, 4, 2, Tail(0, 0.0, 0.125)),
        ([3, 1, 1, 1], 4, 1, Tail(1, 0.75, 0.75)),
    ],
)
def test_the_tail_is_what_is_free_while_nobody_waits(times, multiprocessors, resident, ending):
    assert tail(placed(np.array(times, float), resident, 1.0, multiprocessors, resident), multiprocessors,
                resident) == ending  # fmt: skip


@pytest.mark.parametrize("heavy", [8, 200])
def test_a_kernel_reads_that_multiprocessor_where_it_is_placed(heavy):
    found = np.full(36, 99, np.uint32)
    with gpusim.profile(SMALL) as run:
        WHERE((12, 3), (1024,), (found, np.int32(heavy)))
    placement = run.placement()
    assert placement.in_turn
    where = {each.block: each.multiprocessor for each in placement.placed}
    assert [where[block] for block in range(36)] == found.tolist()


@pytest.mark.parametrize("heavy", [8, 200])
@pytest.mark.parametrize("device", ["H200", SMALL])
def test_a_run_is_over_when_its_time_says_and_no_more_blocks_are_there_than_fit(heavy, device):
    with gpusim.profile(device) as run:
        some_work_more[300, 512](np.ones(300 * 512, np.float32), heavy)
    found, (kernel,) = run.placement(), run.kernels
    assert not found.in_turn
    assert json.loads(json.dumps(found.as_dict()))["blocks"] == 300
    assert str(found).startswith("H200: 300 blocks on ")
    assert found.resident == kernel.blocks_per_multiprocessor == 4
    assert sorted(each.block for each in found.placed) == list(range(300))
    assert found.end == max(each.end for each in found.placed)
    before = speeds(run.kernels[0].device).grid_start
    assert found.end == pytest.approx(run.timing().cycles - before, abs=0.1)
    for each in found.placed:
        there = [other for other in found.placed if other.multiprocessor == each.multiprocessor]
        assert sum(other.start <= each.start < other.end for other in there) <= 4
        assert each.wave == each.block // (4 * found.multiprocessors) + 1
    heavy_ones, others = ([e.end - e.start for e in found.placed if (e.block % 3 == 0) is is_heavy]
                          for is_heavy in (True, False))  # fmt: skip
    assert (min(heavy_ones) > 2 * max(others)) == (heavy == 200)


def test_of_a_large_grid_the_first_multiprocessors_are_told():
    with gpusim.profile("H200") as run:
        some_work_more[9000, 32](np.ones(9000 * 32, np.float32), 8)
    found = run.placement()
    assert (found.blocks, found.waves, found.shown) == (9000, 3, tuple(range(59)))
    assert len(found.placed) == 24 * 69 + 35 * 68
    assert {each.multiprocessor for each in found.placed} == set(found.shown)
    assert (
        str(found)
        .splitlines()[0]
        .startswith(
            "H200: 9,000 blocks on 132 multiprocessors, 32 at once on each: 3 waves, 552 blocks in the last"
        )
    )


def test_devices_of_four_multiprocessors_and_whole_ones_are_explored():
    small, h200 = gpusim.explore_placement().variants
    assert (small.placement.multiprocessors, small.placement.resident) == (4, 2)
    assert small.grids == tuple(range(1, 25))
    assert h200.grids == (10, 66, 132, 198, 264, 265, 330, 396, 462, 528, 529, 594, 660, 726, 792)
    assert h200.sizes == (256, 384, 512, 640, 768, 1024)
    for one in ({"multiprocessors": [4]}, {"multiprocessors": 4}, {"devices": "H200", "multiprocessors": 4}):
        (two,) = gpusim.explore_placement(blocks=2, **one).variants
        assert (two.placement.idle, two.placement.empty) == (0.5, 0.75)


def test_what_is_explored_is_told_in_words():
    told = str(gpusim.explore_placement(blocks=3, multiprocessors=2)).splitlines()
    assert told[0] == "Which block runs where"
    assert told[1].startswith(
        "H200: 2 multiprocessors, made up: 3 blocks on 2 multiprocessors, 2 at once on each"
    )
    assert told[2:] == ["    0: blocks 0 (0–1), 2 (0–1)", "    1: blocks 1 (0–1)"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"runs": {}}, "pass at least one run"),
        ({"turns": {}}, "turns need a label at least"),
        ({"turns": {"none": (0,)}}, "turns need a label at least"),
        ({"blocks": 5000}, "up to 4,096 blocks, not 5,000: pass a run"),
        ({"devices": []}, "needs at least one device"),
        ({"runs": 5}, "runs are given by label, as in {'before': run}, not 5"),
        ({"runs": {"x": np.zeros(4)}}, "'x' is no profiled run, and no placement of one"),
        ({"turns": [1, 3]}, "turns need a label at least"),
        ({"multiprocessors": 0}, "a device has a positive number of multiprocessors, not 0"),
        ({"threads": 1024, "registers_per_thread": 128}, "no block of 1,024 threads fits on H200"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked, message):
    with pytest.raises(ReportError, match=message):
        gpusim.explore_placement(**asked)
