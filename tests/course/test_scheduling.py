"""How does each kernel of the page end under both models? Checked against what the page says of it."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from course import scheduling
from course.chapters import Kernels


@pytest.fixture(scope="module")
def of():
    return Kernels("independent-thread-scheduling")


@pytest.mark.parametrize(
    ("name", "with_a_stack", "with_a_counter_for_each_lane"),
    [
        ("ping_pong", "Livelock", "right"),
        ("cpu_lock", "Livelock", "right"),
        ("swap_halves", "InvalidMask", "right"),
        ("pack_observed", "right", "depends on the order"),
        ("pack_decided", "right", "right"),
        ("rotate", "right", "depends on the order"),
        ("two_barriers", "right", "Deadlock"),
    ],
)
def test_a_kernel_ends_as_the_poster_says(of, name, with_a_stack, with_a_counter_for_each_lane):
    assert list(scheduling.poster(getattr(of, name))) == [(name, with_a_stack, with_a_counter_for_each_lane)]


def test_leaders_that_happen_to_be_together_count_right_in_every_order(of):
    x = np.random.default_rng(4).integers(-9, 10, 64).astype(np.int32)
    found = gpusim.explore_schedules(of.count_positive[1, 64], x, scheduling.zeros(1), schedules=16)
    assert found.deterministic
    assert found.outcomes[0].arguments["count"][0] == (x > 0).sum()


def test_two_warps_may_wait_for_each_other_on_a_stack():
    one = scheduling.zeros(1)
    assert scheduling.outcome(scheduling.two_warps, 64, one, one, device="P100") == 1


def test_a_barrier_does_not_wait_for_threads_that_have_left_the_kernel():
    left = scheduling.outcome(scheduling.early_return, 64, scheduling.zeros(64), device="V100")
    assert left.tolist() == [1] * 40 + [0] * 24
