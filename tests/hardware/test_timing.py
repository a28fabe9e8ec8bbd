"""Does the model of time agree with an H200? The thresholds leave room; the book has the figures."""

from __future__ import annotations

import pytest

from tests.hardware import timing

# group -> the most that its mean error may be
ERRORS = dict.fromkeys(timing.GROUPS, 0.3)


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.all_records)])
def test_times_lie_in_the_order_of_the_recorded_ones_and_near_them(few):
    launches = timing.timed(few)
    *groups, everything = timing.summaries(launches)
    assert everything.rank > 0.95
    assert everything.error < 0.2
    assert {group.name: round(group.error, 2) for group in groups if group.error > ERRORS[group.name]} == {}
    assert len(everything.misses) < len(launches) / 6


def test_each_kernel_is_in_one_group():
    for row, _ in timing.rows(few=False):
        groups = [name for name, names in timing.GROUPS.items() if row.startswith(names)]
        assert len(groups) == 1, row
