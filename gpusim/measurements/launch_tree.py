"""Which grid launched which, and what did each tree of them count?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpusim.devices.device import Dim3
from gpusim.ir.launched import LaunchedBy
from gpusim.measurements import tree_growth
from gpusim.measurements.ledger import summary
from gpusim.measurements.lives import Life, lives_of
from gpusim.reports.launch_tree import (
    LaunchedGrid,
    Launcher,
    LaunchTreeReport,
    NotLaunched,
    OfKernel,
    WaitedFor,
)
from gpusim.reports.source import SourceLine
from gpusim.reports.tree_growth import GotArgument
from gpusim.tree_events import Began, Launched, Moment, Over, ThreadsLeft


class Times(NamedTuple):
    """In clocks: when a grid began, when its threads had left, and when all that they launched was over."""

    begin: float
    threads_end: float
    end: float


@dataclass(frozen=True)
class Ran:
    """A grid, or several that count as one: `parent` is the place of the grid that launched the first.

    `known_as`: the number that the runtime gave the first. `times`: None where the model of time cannot tell.
    """

    kernel: str
    launches: int
    grid: Dim3
    block: Dim3
    by: LaunchedBy | None
    parent: int | None
    counts: Mapping[str, int]
    error: str | None
    known_as: int
    times: Times | None = None


def of(
    title: str,
    device: str,
    ran: Sequence[Ran],
    moments: Sequence[Moment],
    *,
    caches: bool = False,
    launched_by: Sequence[LaunchedBy] = (),
) -> LaunchTreeReport:
    """The tree of grids, which stand in the order in which they began: parents before their children.

    moments: what the runtime told; launched_by: who launched each grid that a kernel launched.
    """
    in_all = [Counter(one.counts) for one in ran]
    children: list[list[int]] = [[] for _ in ran]
    for place in reversed(range(len(ran))):
        parent = ran[place].parent
        if parent is not None and parent != place:
            in_all[parent].update(in_all[place])
            children[parent].insert(0, place)
    by_kernel: dict[str, Counter[str]] = {}
    launches = Counter[str]()
    lives = lives_of(moments)
    for one in ran:
        by_kernel.setdefault(one.kernel, Counter()).update(one.counts)
        launches[one.kernel] += one.launches
        if one.launches == 1:
            lives[one.known_as].counts = one.counts
    grids = tuple(
        _grid(place, one, children[place], in_all[place], lives, caches) for place, one in enumerate(ran)
    )
    kernels = tuple(
        OfKernel(name, launches[name], summary(counts, caches=caches)) for name, counts in by_kernel.items()
    )
    count, in_heap = sum(launches.values()), sum(by.in_heap for by in launched_by)
    grown = tree_growth.variant(title, device, count, moments, lives)
    refused = tuple(_not_launched(lives.values()))
    depth = max((by.depth for by in launched_by), default=0)
    return LaunchTreeReport(title, device, count, depth, grown.cdp, grids, kernels, refused, grown, in_heap)


def _grid(
    place: int,
    one: Ran,
    children: Sequence[int],
    in_all: Mapping[str, int],
    lives: Mapping[int, Life],
    caches: bool,
) -> LaunchedGrid:
    life = lives[one.known_as]
    return LaunchedGrid(
        number=place,
        kernel=one.kernel,
        launches=one.launches,
        grid=one.grid,
        block=one.block,
        stream=life.stream,
        depth=life.depth,
        by=_launcher(one),
        children=tuple(children),
        counters=summary(one.counts, caches=caches),
        in_all=summary(in_all, caches=caches),
        error=one.error,
        shared_bytes=life.launched.shared_bytes,
        arguments=tuple(GotArgument(*each) for each in life.launched.arguments),
        waited_for=tuple(WaitedFor(lives[each.grid].number, each.why) for each in life.launched.after),
        launched=life.moments[Launched],
        began=life.moments.get(Began),
        left=life.moments.get(ThreadsLeft),
        over=life.moments.get(Over),
        **(one.times._asdict() if one.times else {}),
    )


def _not_launched(lives: Iterable[Life]) -> Iterator[NotLaunched]:
    """Those of one grid, at one line, together."""
    found = Counter[NotLaunched]()
    for life in lives:
        if not life.exists and life.parent is not None and life.at is not None:
            found[NotLaunched(life.launched.kernel, life.parent.number, life.at, 0, life.error)] += 1
    return (replace(one, launches=count) for one, count in found.items())


def _launcher(one: Ran) -> Launcher | None:
    if one.by is None or one.parent is None:
        return None
    return Launcher(one.parent, one.by.block, one.by.thread, SourceLine.of(one.by.span))
