"""Which grid launched which, and what did each tree of them count?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpusim.devices.device import Dim3
from gpusim.ir.launched import LaunchedBy
from gpusim.measurements.ledger import summary
from gpusim.reports.launch_tree import LaunchedGrid, Launcher, LaunchTreeReport, OfKernel
from gpusim.reports.source import SourceLine


@dataclass(frozen=True)
class Ran:
    """A grid, or several that count as one: `parent` is the place of the grid that launched the first."""

    kernel: str
    launches: int
    grid: Dim3
    block: Dim3
    by: LaunchedBy | None
    parent: int | None
    counts: Mapping[str, int]
    error: str | None


def of(title: str, device: str, ran: Sequence[Ran], *, caches: bool = False) -> LaunchTreeReport:
    """The tree of grids, which stand in the order in which they began: parents before their children."""
    in_all = [Counter(one.counts) for one in ran]
    children: list[list[int]] = [[] for _ in ran]
    for place in reversed(range(len(ran))):
        parent = ran[place].parent
        if parent is not None and parent != place:
            in_all[parent].update(in_all[place])
            children[parent].insert(0, place)
    by_kernel: dict[str, Counter[str]] = {}
    launches = Counter[str]()
    for one in ran:
        by_kernel.setdefault(one.kernel, Counter()).update(one.counts)
        launches[one.kernel] += one.launches
    grids = tuple(
        LaunchedGrid(
            number=place,
            kernel=one.kernel,
            launches=one.launches,
            grid=one.grid,
            block=one.block,
            stream="" if one.by is None else one.by.stream,
            depth=0 if one.by is None else one.by.depth,
            by=_launcher(one),
            children=tuple(children[place]),
            counters=summary(one.counts, caches=caches),
            in_all=summary(in_all[place], caches=caches),
            error=one.error,
        )
        for place, one in enumerate(ran)
    )
    kernels = tuple(
        OfKernel(name, launches[name], summary(counts, caches=caches)) for name, counts in by_kernel.items()
    )
    return LaunchTreeReport(title, device, sum(launches.values()), grids, kernels)


def _launcher(one: Ran) -> Launcher | None:
    if one.by is None or one.parent is None:
        return None
    span = one.by.span
    return Launcher(
        one.parent, one.by.block, one.by.thread, SourceLine(span.source.filename, span.line, span.text)
    )
