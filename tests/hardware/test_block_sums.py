"""Does the model see five sums of an array as an H200 did? `block_sums.json`: counters and microseconds."""

from __future__ import annotations

from itertools import pairwise

import pytest

from course.block_sums import by_size, timed
from course.chapters import Kernels

TIMED = timed(Kernels("cooperative-groups").cpp)
SIZES = by_size(TIMED)


@pytest.mark.parametrize("row", TIMED, ids=lambda row: f"{row.kernel}-{row.blocks}-{row.floats}")
def test_loads_and_atomics_are_those_of_an_h200(row):
    """Pairs of floats: 256 bytes for each request of a warp, 32 for each sector. by_copies loads as much."""
    counted = row.run.global_load_requests, row.run.global_load_sectors, row.run.atomics
    assert counted == (row.requests, row.sectors, row.atomics)
    assert (row.requests, row.sectors) == (row.floats // 64, row.floats // 8)


@pytest.mark.parametrize("row", TIMED, ids=lambda row: f"{row.kernel}-{row.blocks}-{row.floats}")
def test_times_are_near(row):
    assert row.modelled == pytest.approx(row.microseconds, rel=0.2)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_what_differs_clearly_comes_in_the_same_order(size):
    """Whatever took a fifth longer than another on the H200 takes longer in the model, too."""
    rows = sorted(SIZES[size].values(), key=lambda row: row.microseconds)
    for first, second in ((a, b) for a in rows for b in rows if b.microseconds > 1.2 * a.microseconds):
        assert second.modelled > first.modelled


def test_an_atomic_for_each_warp_takes_twice_as_long_where_there_are_many():
    for which in ("microseconds", "modelled"):
        *others, last = sorted(getattr(row, which) for row in SIZES[1024, 1 << 22].values())
        assert last == getattr(SIZES[1024, 1 << 22]["by_atomics"], which)
        assert 1.7 * others[-1] < last < 2.5 * others[0]
        assert all(b < 1.3 * a for a, b in pairwise(others))
