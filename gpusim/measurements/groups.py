"""Which groups does a thread belong to, and what does a collective give it? Cooperative groups as a rule.

The rule is that of `cooperative_groups.h`, whose runs it is compared with. A group's mask names lanes of one
warp; a block and a tile of several warps have none, 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, get_args

from gpusim.errors import ReportError
from gpusim.reports.group import Collective, GroupExploration, GroupVariant, Kind, Picked
from gpusim.whole import whole

WIDTHS = (32, 64)
THREADS, SIZES = 128, tuple(1 << power for power in range(8))
FURTHER = (1, 2, 3, 4, 8, 16)  # ranks that shuffles go
OfThread = Mapping[str, Callable[[int], int]]
CONDITIONS: OfThread = {
    "t % 3 == 0": lambda t: t % 3 == 0,
    "t % 8 < 5": lambda t: t % 8 < 5,
    "t >= 20": lambda t: t >= 20,
}
LABELS: OfThread = {"t % 3": lambda t: t % 3, "t >> 2 & 3": lambda t: t >> 2 & 3}


class Group(NamedTuple):
    """Its threads in the order of their ranks, and what size(), meta_group_rank(), meta_group_size() say.

    A tile across the end of its block has fewer threads than its size.
    """

    threads: tuple[int, ...]
    size: int
    number: int
    groups: int
    mask: int


def levels(
    threads: int, lanes: int, kind: Kind, tile: int, inner: int = 0, picked: Sequence[int] = ()
) -> list[list[Group]]:
    """The block, the groups that it is cut into, and those that these are cut into.

    picked: for each thread, its condition or label. inner: a tile of the tile or of the coalesced group.

    >>> levels(8, 32, "tiles", 4)[1][1]
    Group(threads=(4, 5, 6, 7), size=4, number=1, groups=2, mask=240)
    """
    block = Group(tuple(range(threads)), threads, 0, 1, 0)
    if kind == "coalesced":
        warps = [block.threads[first : first + lanes] for first in range(0, threads, lanes)]
        some = [tuple(t for t in warp if picked[t]) for warp in warps]
        first = [_of_lanes(those, 0, 1, lanes) for those in some if those]
    else:
        first = _tiles(block, tile if kind == "tiles" else min(tile, lanes), lanes)
    if kind in ("binary", "labeled"):
        second = [part for group in first for part in _parted(group, kind, picked, lanes)]
    else:
        whole_one = inner >= (lanes if kind == "coalesced" else tile)
        cut = [] if whole_one or not inner else first
        second = [part for group in cut for part in _tiles(group, inner, lanes, kind)]
    return [[block], first, *([second] if second else [])]


def _of_lanes(threads: tuple[int, ...], number: int, groups: int, lanes: int) -> Group:
    return Group(threads, len(threads), number, groups, sum(1 << t % lanes for t in threads))


def _tiles(group: Group, size: int, lanes: int, kind: Kind = "tiles") -> list[Group]:
    """`size` neighbouring ranks each; the size of a tile is fixed, unless lanes came as they were."""
    groups = -(-group.size // size)
    found = [
        _of_lanes(group.threads[first : first + size], first // size, groups, lanes)
        for first in range(0, len(group.threads), size)
    ]
    if kind == "coalesced":
        return found
    return [tile._replace(size=size, mask=tile.mask if size <= lanes else 0) for tile in found]


def _parted(group: Group, kind: Kind, picked: Sequence[int], lanes: int) -> list[Group]:
    """By condition, the false ones first; by label, in the order of their first threads."""
    found: dict[int, tuple[int, ...]] = dict.fromkeys((0, 1) if kind == "binary" else (), ())
    for t in group.threads:
        found[picked[t]] = (*found.get(picked[t], ()), t)
    parts = [part for part in found.values() if part]
    return [_of_lanes(part, number, len(parts), lanes) for number, part in enumerate(parts)]


def result(
    group: Group, collective: Collective, given: Sequence[int], by: int = 1, holds: Sequence[int] = ()
) -> list[int]:
    """What each rank gets. `given` and `holds`: for each thread, what it brings, and if a condition holds."""
    values = [given[t] for t in group.threads]
    ranks = range(len(values))
    match collective:
        case "shfl_down":
            return [values[rank + by] if rank + by in ranks else values[rank] for rank in ranks]
        case "shfl_xor":
            return [values[rank ^ by] for rank in ranks]
        case "reduce":
            return [sum(values)] * len(values)
        case "inclusive_scan":
            return list(accumulate(values))
        case "ballot":
            return [sum(1 << rank for rank in ranks if holds[group.threads[rank]])] * len(values)
        case "sync":
            return values


def explore_groups(
    threads: int = 64,
    *,
    groups: Kind = "tiles",
    tile: int = 8,
    inner: int = 0,
    conditions: OfThread = CONDITIONS,
    labels: OfThread = LABELS,
    collective: Collective = "reduce",
    by: int = 1,
    thread: int = 0,
    lanes: Sequence[int] = WIDTHS,
    title: str = "Who works together",
) -> GroupExploration:
    """Which groups do the threads of a small block form? A report for `views.group_map`.

    All but the block and what is offered is what is shown first: groups "tiles", "coalesced", "binary" or
    "labeled"; tile: threads of a tile, and `inner` of a tile of it, or 0; the collective, whose shuffles go
    `by` so many ranks; the thread that is clicked. conditions, labels: by which threads are picked, in words
    and as a function, such as {"t < 20": lambda t: t < 20}; the first is shown. lanes: widths of warps.
    """
    threads = whole(threads, "a block has threads", least=1, error=ReportError)
    for what, value, known in (
        ("groups", groups, get_args(Kind)),
        ("collective", collective, get_args(Collective)),
        ("tile", tile, SIZES),
        ("inner", inner, (0, *SIZES)),
        ("thread", thread, range(threads)),
        ("by", by, FURTHER),
        ("threads", threads, range(1, THREADS + 1)),
        *(("lanes", each, WIDTHS) for each in lanes or [0]),
    ):
        if value not in known:
            allowed = f"{known[0]} to {known[-1]}" if isinstance(known, range) else ", ".join(map(str, known))
            raise ReportError(f"the group map: {what} is {value!r}; it may be {allowed}")
    for picks in (conditions, labels):
        if not isinstance(picks, Mapping):
            told = "threads are picked by what is said of them, such as {'t < 20': lambda t: t < 20}"
            raise ReportError(f"{told}, not {picks!r}")
    if not conditions or not labels:
        raise ReportError("the group map needs at least one condition and one label")
    chosen = {"coalesced": conditions, "binary": conditions, "labeled": labels}.get(groups, {})
    picked = [int(next(iter(chosen.values()))(t)) for t in range(threads)] if chosen else []
    return GroupExploration(
        title,
        tuple(
            GroupVariant(f"{each} lanes", each, _told(threads, each, groups, tile, inner, picked))
            for each in lanes
        ),
        threads,
        groups,
        tile,
        inner,
        _picked(conditions, threads),
        _picked(labels, threads),
        collective,
        by,
        thread,
    )


def _picked(of: OfThread, threads: int) -> tuple[Picked, ...]:
    return tuple(Picked(text, tuple(int(rule(t)) for t in range(threads))) for text, rule in of.items())


def _told(
    threads: int, lanes: int, kind: Kind, tile: int, inner: int, picked: Sequence[int]
) -> tuple[str, ...]:
    """A sentence for each group of the innermost level."""
    return tuple(
        f"group {group.number} of {group.groups}: size {group.size}, from thread {group.threads[0]} on, "
        + (f"mask 0x{group.mask:0{lanes // 4}x}" if group.mask else "no mask: wider than a warp")
        for group in levels(threads, lanes, kind, tile, inner, picked)[-1]
    )
