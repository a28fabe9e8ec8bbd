"""Does a cache find what it should? By hand in caches of two or four lines, and against lists of lines."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from gpusim.measurements import sectored_cache
from gpusim.measurements.sectored_cache import WHOLE, SectoredCache

LINE = 4  # sectors


def sectors(*numbers):
    return np.array(numbers, np.int64)


def hits(cache, *numbers, wanted=WHOLE, **how):
    """One load after the other."""
    return [bool(cache.load(sectors(number), wanted, **how).hits[0]) for number in numbers]


def write(cache, number, some_bytes=WHOLE, **how):
    return bool(cache.store(sectors(number), np.array([some_bytes], np.uint32), **how)[0])


# by hand


def test_the_example_in_the_docstring():
    assert doctest.testmod(sectored_cache).failed == 0


def test_a_second_look_at_a_sector_hits_and_another_sector_of_the_line_does_not():
    assert hits(SectoredCache(128, 1), 0, 0, 1, 1, 0) == [False, True, False, True, True]


def test_the_line_that_was_used_longest_ago_leaves():
    cache = SectoredCache(256, 2)  # one set of two lines
    assert hits(cache, 0, LINE, 0) == [False, False, True]
    assert hits(cache, 2 * LINE) == [False]  # drives line 1 out: 0 was used after it
    assert hits(cache, 0, LINE) == [True, False]


def test_lines_go_to_sets_in_turn():
    cache = SectoredCache(512, 2)  # two sets of two lines: even lines and odd ones
    assert hits(cache, 0, 2 * LINE, 4 * LINE, LINE, 3 * LINE) == [False] * 5
    assert hits(cache, LINE, 3 * LINE, 4 * LINE, 2 * LINE) == [True] * 4
    assert hits(cache, 0) == [False]  # the third even line drove it out


def test_scattered_lines_of_one_column_do_not_fall_into_one_set():
    column = [row * 8 * LINE for row in range(8)]  # every eighth line
    plain, scattered = SectoredCache(1024, 1), SectoredCache(1024, 1, scattered=True)
    for cache in (plain, scattered):
        hits(cache, *column)
    assert (sum(hits(plain, *column)), sum(hits(scattered, *column))) == (0, 8)


@pytest.mark.parametrize("scattered", [False, True])
def test_neighbouring_lines_fill_a_cache_to_the_last(scattered):
    cache = SectoredCache(24 * 128, 3, scattered=scattered)
    lines = [line * LINE for line in range(16, 40)]
    assert sum(hits(cache, *lines)) == 0
    assert sum(hits(cache, *lines)) == 24


def test_what_is_evicted_first_leaves_before_older_lines():
    cache = SectoredCache(256, 2)
    hits(cache, 0)
    hits(cache, LINE, evict_first=True)
    hits(cache, 2 * LINE)
    assert hits(cache, 0) == [True]
    assert hits(cache, LINE) == [False]


def test_each_copy_has_its_own_lines():
    cache = SectoredCache(128, 1, copies=2)
    assert cache.load(sectors(0, 0, 0, 0), copies=np.array([0, 1, 1, 0])).hits.tolist() == [
        False,
        False,
        True,
        True,
    ]
    cache.clear(1)
    assert cache.load(sectors(0, 0), copies=np.array([0, 1])).hits.tolist() == [True, False]


def test_a_miss_fetches_the_pair_and_what_is_asked_together_misses_together():
    cache = SectoredCache(256, 2, fetch_bytes=64)
    assert cache.load(sectors(1)).fetched.tolist() == [0, 1]
    assert hits(cache, 0) == [True]
    together = cache.load(sectors(LINE, LINE + 1))
    assert together.hits.tolist() == [False, False]
    assert together.fetched.tolist() == [LINE, LINE + 1]


def test_fetched_sectors_come_in_the_order_in_which_they_were_asked_for():
    cache = SectoredCache(1024, 1)
    assert cache.load(sectors(28, 0, 8, 0, 4)).fetched.tolist() == [28, 0, 8, 4]


def test_a_store_takes_a_place_but_a_load_needs_all_bytes_that_it_wants():
    cache = SectoredCache(128, 1)
    assert not write(cache, 0, 0x0000FFFF)
    assert write(cache, 0, 0x0F)  # there is something of the sector
    assert hits(cache, 0, wanted=0x0FF0) == [True]
    assert hits(cache, 0) == [False]
    assert hits(cache, 0) == [True]  # fetched now
    assert not write(cache, 1, 0x0000FFFF)
    assert write(cache, 1, 0xFFFF0000)
    assert hits(cache, 1) == [True]  # two halves are a whole


def test_loads_of_one_instruction_want_different_bytes_of_a_sector():
    cache = SectoredCache(128, 1)
    write(cache, 0, 0xF)
    wanted = np.array([0xF, 0xF0, 0xF00, 0xF], np.uint32)
    assert cache.load(sectors(0, 0, 0, 0), wanted).hits.tolist() == [True, False, True, True]


def test_a_look_changes_nothing():
    cache = SectoredCache(128, 1)
    some = np.array([0xF], np.uint32)
    assert not cache.look(sectors(0), some)[0]
    write(cache, 0, 0xFF)
    assert cache.look(sectors(0), some)[0]
    assert not cache.look(sectors(0), np.array([0xF00], np.uint32))[0]
    assert not cache.look(sectors(LINE), some)[0]
    assert hits(cache, 0) == [False]


def test_what_was_written_goes_down_when_its_line_leaves():
    cache = SectoredCache(128, 1, writes_back=True)
    write(cache, 0)
    write(cache, 1, 0x0F)
    assert (cache.written_back, cache.completed) == (0, 0)
    hits(cache, LINE)
    assert (cache.written_back, cache.completed) == (2, 1)  # 28 bytes of sector 1 had to be read
    hits(cache, 2 * LINE)
    assert cache.written_back == 2  # line 1 was only read


def test_what_is_dropped_is_gone_and_its_neighbour_is_not():
    cache = SectoredCache(256, 2)
    hits(cache, 0, 1)
    cache.drop(sectors(0, 40))
    assert hits(cache, 1, 0) == [True, False]


def test_nothing_asked_nothing_found():
    cache = SectoredCache(128, 1)
    assert len(cache.load(sectors()).hits) == len(cache.store(sectors(), np.zeros(0, np.uint32))) == 0


def test_a_cache_without_a_line_is_refused():
    with pytest.raises(ValueError, match="64 bytes has no line of 128"):
        SectoredCache(64, 4)


# against a dictionary of lists


class Lists:
    """`sets[copy, set]`: its lines, oldest first, each [number, to be evicted first, bytes by sector]."""

    def __init__(self, lines, ways, scattered):
        self.ways, self.count, self.scattered = ways, lines // ways, scattered
        self.sets, self.written_back, self.completed = {}, 0, 0

    def touch(self, sector, copy, some_bytes, evict_first, writes):
        """Which bytes of the sector were there? Then a store's are, too, or all if a load missed."""
        line, part = divmod(sector, LINE)
        place = (line + line // self.count * self.scattered) % self.count
        lines = self.sets.setdefault((copy, place), [])
        known = next((held for held in lines if held[0] == line), None)
        if known is None:
            if len(lines) == self.ways:
                leaves = next((held for held in lines if held[1]), lines[0])
                lines.remove(leaves)
                self.written_back += sum(changed for _, changed in leaves[2].values())
                self.completed += sum(changed and held != int(WHOLE) for held, changed in leaves[2].values())
            known = [line, evict_first, {}]
            lines.append(known)
        elif not evict_first:
            lines.remove(known)
            known[1] = False
            lines.append(known)
        before, changed = known[2].get(part, (0, False))
        brought = some_bytes if writes else int(WHOLE) if some_bytes & ~before else 0
        known[2][part] = (before | brought, changed or writes)
        return before


@pytest.mark.parametrize("seed", range(12))
def test_against_lists_of_lines(seed):
    random = np.random.default_rng(seed)
    ways, count, copies = random.integers(1, 5), random.integers(1, 6), 3
    scattered, at_once = bool(seed % 2), (1, 7, 300)[seed % 3]
    lines = int(ways * count)
    cache = SectoredCache(lines * 128, int(ways), copies=copies, writes_back=True, scattered=scattered)
    lists, whole = Lists(lines, int(ways), scattered), int(WHOLE)
    for _ in range(-(-3000 // at_once)):
        asked = random.integers(0, 10 * lines, at_once)
        copy = random.integers(0, copies, at_once)
        evict_first = bool(random.random() < 0.3)
        some = random.choice(np.array([whole, 0xF, 0xFFFF, 0xFFFF0000], np.uint32), at_once)
        is_store = bool(random.random() < 0.5)
        before = [
            lists.touch(s, c, int(b), evict_first, is_store)
            for s, c, b in zip(asked, copy, some, strict=True)
        ]
        if is_store:
            stored = cache.store(asked, some, copy, evict_first=evict_first)
            assert stored.tolist() == [held != 0 for held in before]
        else:
            found = cache.load(asked, some, copy, evict_first=evict_first)
            missed = [bool(int(b) & ~held) for b, held in zip(some, before, strict=True)]
            assert (~found.hits).tolist() == missed
            assert sorted(found.fetched.tolist()) == sorted(asked[missed].tolist())
        assert (cache.written_back, cache.completed) == (lists.written_back, lists.completed)
    assert cache.written_back > 0
