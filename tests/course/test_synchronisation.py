"""What does the page on synchronisation say of streams, barriers and fences? Worked by hand."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import gpusim
from course import synchronisation as levels
from course import too_early
from course.chapters import Kernels
from course.synchronisation import eight, hazards, many, raced, sixteen, zeros
from gpusim import cuda

PAGE = Path(levels.__file__).parents[1] / "synchronisation.md"


@pytest.fixture(scope="module")
def of():
    return Kernels("synchronisation")


def test_only_the_default_stream_waits_for_others_and_not_for_non_blocking_ones():
    rows = {
        name: dict(zip(levels.KINDS, row, strict=True))
        for name, *row in levels.pairs_of_streams(levels.triple)
    }
    waiting = {(one, other) for one, row in rows.items() for other, waits in row.items() if waits == "waits"}
    with_default = {pair for kind in levels.KINDS for pair in ((kind, "default"), ("default", kind))}
    apart = {("default", "non-blocking"), ("non-blocking", "default")}
    assert waiting == with_default - apart | {("per-thread default",) * 2}  # which is one stream


def test_the_pipeline_lacks_one_wait():
    (page,) = (
        cell for cell in PAGE.read_text(encoding="utf-8").split("```{code-cell}") if "def pipeline(" in cell
    )
    body = inspect.getsource(levels.pipeline).strip().partition("\n")[2]
    assert body in page
    without, with_it = (levels.watched(levels.pipeline, wait)[1].findings for wait in (False, True))
    assert [(finding.hazard, finding.lines) for finding in without] == [("RAW", (6, 10))]
    assert not with_it


def test_a_launch_in_the_default_stream_stands_between_blocking_streams_only():
    assert not levels.between(cuda.stream)
    assert levels.between(levels.non_blocking)
    assert levels.by_an_event(levels.non_blocking)


def test_a_barrier_orders_whom_it_holds(of):
    assert raced(of.reverse, 1, 64, many, zeros(64)) == 64
    assert raced(of.reverse, 1, 64, many, zeros(64), device="MetaX C500") == 0
    assert raced(of.across, 1, 8, eight, zeros(8), zeros(8)) == 0
    assert raced(of.across, 2, 8, sixteen, zeros(16), zeros(16)) == 16
    assert raced(levels.four_lanes, 1, 8, eight, zeros(8)) == 4
    assert levels.across_the_halves() == (0, 128)


def test_a_mask_of_32_bits_is_half_a_warp_of_64_and_refused_by_the_other_half():
    @cuda.jit
    def half(x, out):
        cuda.syncwarp(0xFFFFFFFF)
        out[cuda.threadIdx.x] = x[cuda.threadIdx.x]

    assert "lane 32 of its warp" in levels.stopped(half[1, 64], many, zeros(64), device="MetaX C500")
    assert not levels.stopped(half[1, 64], many, zeros(64), device="H200")


def test_a_hand_over_needs_both_fences_the_atomics_and_the_loop(of):
    flag = (2, 1, zeros(), zeros(), zeros())
    assert hazards(of.hand_over, *flag) == hazards(levels.fences_of_the_system, *flag) == "none"
    for kernel in (
        levels.no_fences,
        levels.one_fence,
        levels.fences_of_the_block,
        levels.fences_alone,
        levels.plain_flag,
    ):
        assert "RAW" in hazards(kernel, *flag), kernel.__name__
    assert levels.results(levels.fences_alone, *flag) == 2
    assert hazards(of.one_slot, 1, 64, eight, zeros(8)) == "none"
    one_warp = levels.stopped(of.one_slot[1, 64], eight, zeros(8), device="MetaX C500")
    assert "at line 11" in one_warp
    assert "at line 17" in one_warp
    assert hazards(levels.slot_given_back_at_once, 1, 64, eight, zeros(8)) == "WAR"
    assert levels.fewest_fences() == 2


def test_blocks_may_wait_for_those_that_began_before_them(of):
    limit = levels.largest_grid("T4", of.backwards, zeros(2), zeros(2))
    assert limit == 40 * 16
    assert not levels.stopped(of.backwards[limit, 1], zeros(limit), zeros(limit), device="T4")
    more = limit + 1
    assert "resident" in levels.stopped(of.backwards[more, 1], zeros(more), zeros(more), device="T4")
    assert not levels.stopped(levels.by_ticket[more, 1], zeros(), zeros(more), zeros(more), device="T4")


def test_who_waits_for_a_lock_waits_for_one_who_has_begun(of):
    x = levels.np.array([3, 9, 4, 9], levels.np.int32)
    found = gpusim.explore_schedules(of.largest[3, 1], x, zeros(), zeros(2), schedules=16)
    assert found.deterministic
    best = zeros(2)
    of.largest[3, 1](x, zeros(), best)
    assert [*best] == [9, 1]
    assert hazards(of.largest, 3, 1, x, zeros(), zeros(2)) == "none"
    more = 40 * 16 + 1
    assert not levels.stopped(of.largest[more, 1], levels.np.arange(more), zeros(), zeros(2), device="T4")


def test_an_h200_copies_in_both_directions_at_once_and_one_after_the_other_in_one():
    assert float(too_early.h200()["both_ways"]) < 1.4 < float(too_early.h200()["twice"])
    assert too_early.h200()["pinned"] == too_early.h200()["beside"] == "1.22"
    assert too_early.h200()["pageable"] == "5.46"
    assert too_early.h200()["high"] < too_early.h200()["low"]  # 50 and 109 microseconds


def test_the_last_block_adds_up_once_as_nobody_sets_the_counter_back(of):
    found = gpusim.explore_schedules(of.sum_up[8, 1], eight, zeros(8), zeros(), zeros(), schedules=16)
    assert found.deterministic
    assert levels.summed_twice(of.sum_up, eight) == [28, 0]


def test_the_record_of_the_h200_holds_what_the_page_says():
    assert too_early.h200()["wrong_new"] == 698
    assert too_early.h200()["grid_stuck"] == "4,225"
