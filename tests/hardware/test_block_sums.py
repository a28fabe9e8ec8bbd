"""Does the model see five sums of an array as an H200 did? `block_sums.json`: counters and microseconds."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from course.block_sums import Timed, by_size, timed


@pytest.fixture(scope="module")
def rows() -> tuple[Timed, ...]:
    return timed()


def test_loads_and_atomics_are_those_of_an_h200(rows):
    """Pairs of floats: 256 bytes for each request of a warp, 32 for each sector. by_copies loads as much."""
    assert len(rows) == 15
    for row in rows:
        assert row.counted == row.recorded
        assert row.counted[:2] == (row.floats // 64, row.floats // 8)


def test_times_are_near(rows):
    assert [row.modelled for row in rows] == pytest.approx([row.microseconds for row in rows], rel=0.2)


def test_what_differs_clearly_comes_in_the_same_order(rows):
    """Whatever took a fifth longer than another on the H200 takes longer in the model, too."""
    for sums in by_size(rows).values():
        ordered = sorted(sums.values(), key=lambda row: row.microseconds)
        for first, second in combinations(ordered, 2):
            assert second.modelled > first.modelled or second.microseconds <= 1.2 * first.microseconds


def test_an_atomic_for_each_warp_takes_twice_as_long_where_there_are_many(rows):
    many = by_size(rows)[1024, 1 << 22]
    for which in ("microseconds", "modelled"):
        *others, last = sorted(getattr(row, which) for row in many.values())
        assert last == getattr(many["by_atomics"], which)
        assert 1.7 * others[-1] < last < 2.5 * others[0]
        assert all(b < 1.3 * a for a, b in pairwise(others))
