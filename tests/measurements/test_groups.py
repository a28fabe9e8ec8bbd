"""Are the groups of the group map those that `cooperative_groups.h` makes? Random blocks, ragged ones too."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import gpusim
from gpusim.errors import ReportError
from gpusim.measurements import groups

# Each block of a grid is a case; a thread tells its groups and what collectives gave it.
HEAD = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct Case { int kind, tile, inner, by; };

template <class Group> __device__ void told(long long* out, const Group& group, unsigned long long mask) {
    out[0] = group.thread_rank();
    out[1] = group.size();
    out[2] = (long long)mask;
}
template <class Group> __device__ void numbered(long long* out, const Group& group) {
    out[0] = group.meta_group_rank();
    out[1] = group.meta_group_size();
}
template <class Group> __device__ void summed(long long* out, const Group& group, int value) {
    out[0] = cg::reduce(group, value, cg::plus<int>());
    out[1] = cg::inclusive_scan(group, value);
    group.sync();
}
template <class Group> __device__ void exchanged(long long* out, const Group& group, int value,
                                                     int by, int on) {
    out[0] = group.shfl_down(value, by);
    out[1] = (long long)group.ballot(on);
}
"""
# of sizes known when it runs
ANY = r"""
extern "C" __global__ void cases(long long* out, const Case* asked, const int* values, const int* picked) {
    Case mine = asked[blockIdx.x];
    int at = blockIdx.x * blockDim.x + threadIdx.x, label = picked[at];
    out += 13 * at;
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), min(mine.tile, WIDTH));
    cg::coalesced_group part(tile.lanes());
    if (mine.kind == 1) {
        if (!label) return;
        part = cg::coalesced_threads();
        told(out, part, part.lanes());
        if (mine.inner) {
            part = cg::tiled_partition(part, mine.inner);
            numbered(out + 6, part);
        }
    } else {
        told(out, tile, tile.lanes());
        cg::thread_group inner = cg::tiled_partition(tile, mine.inner ? mine.inner : WIDTH);
        if (mine.kind == 0) part = cg::coalesced_group(inner.lanes());
        if (mine.kind == 2) part = cg::binary_partition(tile, label != 0);
        if (mine.kind == 3) part = cg::labeled_partition(tile, label);
        if (mine.kind >= 2) numbered(out + 6, part);
    }
    told(out + 3, part, part.lanes());
    summed(out + 8, part, values[at]);
    exchanged(out + 10, part, values[at], mine.by, label & 1);
}
"""
# of sizes that the program knows
TILES = r"""
template <int Outer, int Inner> __global__ void tiles(long long* out, const int* values, const int* picked) {
    int at = blockIdx.x * blockDim.x + threadIdx.x, end = blockDim.x;
    out += 16 * at;
    auto outer = cg::tiled_partition<Outer>(cg::this_thread_block());
    auto inner = cg::tiled_partition<Inner>(outer);
    if constexpr (Outer <= WIDTH) told(out, outer, outer.lanes());
    else told(out, outer, 0);
    numbered(out + 3, outer);
    told(out + 5, inner, inner.lanes());
    numbered(out + 8, inner);
    if ((threadIdx.x / Outer + 1) * Outer <= end) summed(out + 10, outer, values[at]);
    if ((threadIdx.x / Inner + 1) * Inner > end) return;
    exchanged(out + 12, inner, values[at], 1, picked[at]);
    out[14] = inner.shfl_xor(values[at], 3);
}
"""
KINDS = ("tiles", "coalesced", "binary", "labeled")
EACH = 60
UNTOLD = -7


@cache
def compiled(lanes, code, name):
    return gpusim.RawModule(code=HEAD + code, options=(f"-DWIDTH={lanes}",)).get_function(name)


@pytest.fixture(params=[(32, "H200"), (64, "MetaX C500")], ids=["32", "64"])
def wide(request):
    """How many lanes a warp has, and how to run one of the kernels on such a device."""
    lanes, device = request.param

    def run(code: str, name: str, fields: int, threads: int, *arguments: np.ndarray) -> np.ndarray:
        out = np.full((len(arguments[-1]), threads, fields), UNTOLD, np.int64)
        with gpusim.use(device):
            compiled(lanes, code, name)((len(out),), (threads,), (out, *arguments))
        return out

    return lanes, run


def of_each(level, told):
    """What a function of a group and a rank tells, by thread."""
    return {t: told(group, rank) for group in level for rank, t in enumerate(group.threads)}


def signed(mask: int) -> int:
    return (mask + (1 << 63)) % (1 << 64) - (1 << 63)


def belongs(group, rank):
    return [rank, len(group.threads), signed(group.mask)]


def collectives(group, rank, values, holds, by):
    asked = [("reduce", 1), ("inclusive_scan", 1), ("shfl_down", by), ("ballot", 1)]
    return [signed(groups.result(group, what, values, by, holds)[rank]) for what, by in asked]


@pytest.mark.parametrize("threads", [100, 48, 7, 1])
def test_groups_of_any_size_are_those_of_a_run(wide, threads):
    lanes, run = wide
    chance, random_numbers = random.Random(threads), np.random.default_rng(threads)
    sizes = [size for size in groups.SIZES if size <= lanes]
    asked = [
        (number % 4, chance.choice(sizes), chance.choice([0, *sizes]), chance.randint(1, 9))
        for number in range(EACH)
    ]
    values = random_numbers.integers(-99, 99, (EACH, threads)).astype(np.int32)
    few = random_numbers.integers(1, 5, (EACH, 1))  # sometimes all alike
    picked = (random_numbers.integers(0, 99, (EACH, threads)) % few).astype(np.int32)
    out = run(ANY, "cases", 13, threads, np.array(asked, np.int32), values, picked)
    for case in zip(asked, values.tolist(), picked.tolist(), out.tolist(), strict=True):
        compare(lanes, threads, *case)


def compare(lanes, threads, asked, given, marks, told):
    kind, tile, inner, by = asked
    holds = [mark % 2 for mark in marks]
    picked = [int(mark != 0) for mark in marks] if KINDS[kind] == "binary" else marks
    _, first, *more = groups.levels(threads, lanes, KINDS[kind], tile, inner, picked)
    last = more[0] if more else first
    assert of_each(first, belongs) == {t: row[:3] for t, row in enumerate(told) if row[0] != UNTOLD}
    part = of_each(last, belongs)
    assert part == {t: told[t][3:6] for t in part}
    if more and kind:
        numbers = of_each(last, lambda group, rank: [group.number, group.groups])
        assert numbers == {t: told[t][6:8] for t in part}
    results = of_each(last, lambda group, rank: collectives(group, rank, given, holds, by))
    assert results == {t: told[t][8:12] for t in part}


@pytest.mark.parametrize(("warps", "outer", "inner"), [(0, 8, 4), (2, 0, 16)])
def test_tiles_of_tiles_and_of_several_warps_are_those_of_a_run(wide, warps, outer, inner):
    lanes, run = wide
    threads, outer = 100, outer or warps * lanes
    random_numbers = np.random.default_rng(outer)
    values = random_numbers.integers(-99, 99, (5, threads)).astype(np.int32)
    picked = random_numbers.integers(0, 2, values.shape).astype(np.int32)
    out = run(TILES, f"tiles<{outer}, {inner}>", 16, threads, values, picked)
    _, first, second = groups.levels(threads, lanes, "tiles", outer, inner)

    def fixed(group, rank):
        return [rank, group.size, signed(group.mask), group.number, group.groups]

    complete = [[group for group in level if len(group.threads) == group.size] for level in (first, second)]
    for given, marks, told in zip(values.tolist(), picked.tolist(), out.tolist(), strict=True):
        assert of_each(first, fixed) == {t: row[:5] for t, row in enumerate(told)}
        assert of_each(second, fixed) == {t: row[5:10] for t, row in enumerate(told)}
        for row, got in enumerate(told):
            for group in complete[0]:
                if row in group.threads:
                    assert got[10:12] == collectives(group, group.threads.index(row), given, marks, 1)[:2]
            for group in complete[1]:
                if row in group.threads:
                    rank = group.threads.index(row)
                    swapped = groups.result(group, "shfl_xor", given, 3)[rank]
                    assert got[12:15] == [*collectives(group, rank, given, marks, 1)[2:], swapped]


def test_the_report_has_what_is_shown_first():
    report = gpusim.explore_groups(
        6, groups="labeled", labels={"t & 1": lambda t: t & 1}, lanes=[64], collective="sync", thread=5
    )
    assert [(variant.label, variant.lanes) for variant in report.variants] == [("64 lanes", 64)]
    assert [(picked.text, picked.of_threads) for picked in report.labels] == [("t & 1", (0, 1, 0, 1, 0, 1))]
    assert report.conditions[0].of_threads == (1, 0, 0, 1, 0, 0)
    assert (report.kind, report.tile, report.collective, report.thread) == ("labeled", 8, "sync", 5)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"threads": 129}, "threads is 129; it may be 1 to 128"),
        ({"threads": 0}, "a block has threads, not 0"),
        ({"tile": 12}, "tile is 12; it may be 1, 2, 4, 8, 16, 32, 64, 128"),
        ({"groups": "warps"}, "groups is 'warps'; it may be tiles, coalesced, binary, labeled"),
        ({"collective": "match"}, "may be shfl_down, shfl_xor, reduce"),
        ({"thread": 64}, "thread is 64; it may be 0 to 63"),
        ({"lanes": []}, "lanes is 0; it may be 32, 64"),
        ({"conditions": {}}, "needs at least one condition"),
        ({"conditions": [lambda t: t]}, "by what is said of them, such as {"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked, message):
    with pytest.raises(ReportError, match=message):
        gpusim.explore_groups(**asked)
