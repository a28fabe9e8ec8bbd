"""Do the kernels of the page on cooperative groups take what can be counted by hand?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import gpusim
from course import block_sums, piped
from course import cooperative_groups as groups
from course.chapters import Kernels

WARPS = block_sums.THREADS // 32


@pytest.fixture(scope="module")
def of():
    return Kernels("cooperative-groups")


def counted(kernel):
    run = block_sums.summed(kernel, "H200")
    return [of(run) // block_sums.BLOCKS for name, of in block_sums.COUNTED.items() if name != "instructions"]


def test_a_tree_in_memory_halves_until_one_is_left(of):
    # In a round, the warps that have a lane below the half load two numbers of each lane, and store one.
    rounds = sum(max(1, half // 32) for half in (128, 64, 32, 16, 8, 4, 2, 1))
    first, last = WARPS, WARPS  # each stores its values; each loads s[0]
    assert counted(of.by_memory) == [first + 3 * rounds + last, 9 * WARPS, 1]


def test_shuffles_leave_a_store_for_each_warp_and_a_load_for_the_block(of):
    assert counted(of.by_shuffles) == [WARPS + 1, WARPS, 1]


def test_an_atomic_for_each_warp_needs_no_memory():
    assert counted(block_sums.by_atomics) == [0, 0, WARPS]


def test_the_folded_kernel_is_there_in_both_languages():
    shown = block_sums.listing()._repr_html_()
    begins, waits = (
        ("def by_copies(", "void by_copies("),
        ("wait_prior(block, 1)", "wait_prior&lt;1&gt;(block)"),
    )
    for part in (*begins, *waits):
        assert shown.count(part) == 1
    assert "thread_sum" not in shown


def test_the_questions_have_what_the_kernels_of_the_page_write(of):
    of.places[1, 200](out := groups.zeros((200, 4)))
    assert out.tolist() == groups.places_in_tiles(200)
    mixed = np.array([5, 0, 9, 1, 2, 4, 7, 3], np.int32)
    of.sum_by_side[1, 8](mixed, out := groups.zeros(8))
    assert out[6] == 100 * (mixed[:6] > 3).sum() + mixed[mixed > 3].sum()


def test_relay_needs_its_second_buffer(of):
    x, out = groups.EIGHT.repeat(12), groups.zeros(96)
    with gpusim.sanitize("racecheck") as report:
        of.relay[1, 64](x, out)
    assert report.clean
    assert out.tolist() == [n * n for part in x.reshape(3, 32) for n in part[::-1].tolist()]
    assert groups.hazards_of_one_buffer() == ["WAR"]


@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_the_producer_of_a_pipeline_is_as_many_parts_ahead_as_there_are_buffers(buffers):
    assert piped.ahead(buffers) == buffers


def test_a_buffer_is_full_before_it_is_read_and_read_before_it_is_brought_again():
    stays = piped.spans(piped.accesses(piped.BUFFERS, piped.ORDERS[0]))
    assert all(stay.begins <= stay.full < stay.read <= stay.free for stay in stays)
    later = zip(stays, stays[piped.BUFFERS :], strict=False)
    assert all(before.free < after.begins for before, after in later)
    overlaps = pairwise(stays)  # one is brought while the other is read: what it is for
    assert any(one.read <= other.full and other.begins <= one.free for one, other in overlaps)


def test_a_mask_counts_lanes_of_the_warp_not_threads_of_the_block():
    of_170 = [groups.masks_of_four(200, device)[170] for device in groups.DEVICES]
    assert of_170 == [0xF << 170 % 32 // 4 * 4, 0xF << 170 % 64 // 4 * 4]


def test_a_group_of_four_waits_for_four(of):
    assert groups.for_everyone(of.first_four) == ("Deadlock", "6")


def test_a_deadlock_is_told_without_lines_that_no_reader_sees():
    shown = groups.mistakes()._repr_html_()
    assert "8 lane(s) wait for others: lanes must name each other" in shown
    assert "at line" not in shown
