"""Do constant loads cost what they cost on the H200, and does L1 keep what it kept there?"""

from __future__ import annotations

from tests.hardware import caching


def test_a_constant_load_is_a_request_for_each_different_word():
    loads = caching.constants()
    assert len(loads) == 36
    assert [load for load in loads if load.recorded != load.simulated] == []
    assert {load.recorded for load in loads} == {load.distinct for load in loads}


def test_what_fits_into_l1_hits_and_what_is_far_too_large_does_not():
    """All but the first of 4 passes hit where 8 KiB are left; next to none where twice of L1 is read."""
    fits = [r for r in caching.rereads() if taken(r) + 8 * 1024 <= r.l1_bytes]
    large = [r for r in caching.rereads() if taken(r) >= 2 * r.l1_bytes]
    assert (len(fits), len(large)) == (47, 38)
    assert {(r.hits, r.hits_here) for r in fits} == {(0.75, 0.75)}
    assert all(r.hits < 0.002 for r in large)
    assert {r.hits_here for r in large} == {0}


def test_in_between_the_share_of_hits_is_off_by_a_fifth_of_all_sectors_at_most():
    assert max(abs(r.hits - r.hits_here) for r in caching.rereads()) < 0.2


def taken(reread):
    """Bytes of the lines that are read."""
    return reread.bytes * max(1, reread.apart_bytes // 32)


def test_cache_operators_hit_as_on_the_h200():
    found = caching.operators()
    assert [r.operator for r in found] == list(caching.OPERATORS[1:])
    assert [r.hits for r in found] == [r.hits_here for r in found]
