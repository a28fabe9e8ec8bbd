"""Who launched whom? The grids of a run, each with the thread and the line that launched it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpusim.devices.device import Dim3
from gpusim.reports.report import SPREAD, Report, Titled
from gpusim.reports.source import SourceLine
from gpusim.reports.tree_growth import GotArgument, TreeVariant


@dataclass(frozen=True, slots=True)
class Launcher(Report):
    """The thread that launched a grid: of which grid (its number), in which block, at which line."""

    grid: int
    block: tuple[int, ...]
    thread: tuple[int, ...]
    at: SourceLine


@dataclass(frozen=True, slots=True)
class WaitedFor(Report):
    """A grid, by number, that another began after, and why: "stream", "event", "parent" or "tail", as in
    `gpusim.tree_events.Blocker`.
    """

    grid: int
    why: str


@dataclass(frozen=True, slots=True)
class NotLaunched(Report):
    """Launches of one kernel by one grid, at one line, that did not come about: how many, and their error."""

    kernel: str
    grid: int
    at: SourceLine
    launches: int
    error: str


@dataclass(frozen=True, slots=True)
class LaunchedGrid(Report):
    """One grid, or `launches` of one kernel, where there were very many: of those, the first's figures.

    `by` is None where the host launched it; `depth` counts the launches that led to it, after the host's.
    `stream`: "default" or another of the block that launched it; "" for the host's. `counters` are its own,
    `in_all` those of all that it led to besides. `children` are the numbers of the grids that it launched.
    `shared_bytes` are dynamic, a block. When it was `launched`, `began`, its threads `left`, and it was
    `over` with all that it led to: numbers in the order in which things happened, None where an error came
    first. It began after those that it `waited_for`; the parent of a grid is over after it.
    By the model of time, in clocks from the run's begin: its threads ran from `begin` to `threads_end`, and
    at its `end` all that they launched was over; of several grids from the first begin to the last end. None
    where the model cannot tell.
    """

    number: int
    kernel: str
    launches: int
    grid: Dim3
    block: Dim3
    stream: str
    depth: int
    by: Launcher | None
    children: tuple[int, ...]
    counters: Mapping[str, float] = field(metadata=SPREAD, repr=False)
    in_all: Mapping[str, float] = field(repr=False)
    error: str | None
    shared_bytes: int
    arguments: tuple[GotArgument, ...]
    waited_for: tuple[WaitedFor, ...]
    launched: int
    began: int | None
    left: int | None
    over: int | None
    begin: float | None = None
    threads_end: float | None = None
    end: float | None = None

    def __getitem__(self, counter: str) -> float:
        return self.counters[counter]


@dataclass(frozen=True, slots=True)
class OfKernel(Report):
    """All grids of one kernel together."""

    kernel: str
    launches: int
    counters: Mapping[str, float] = field(metadata=SPREAD)

    def __getitem__(self, counter: str) -> float:
        return self.counters[counter]


@dataclass(frozen=True, slots=True)
class LaunchTreeReport(Titled):
    """All grids of a run in the order in which they began, their counters by kernel, how the tree grew.

    `depth`: how many launches lead to the deepest grid, after the host's. `in_heap`: launches for which the
    pool of pending ones had no room, so that CDP1 kept them in the heap.
    """

    device: str
    launches: int
    depth: int
    cdp: int
    grids: tuple[LaunchedGrid, ...]
    kernels: tuple[OfKernel, ...]
    not_launched: tuple[NotLaunched, ...]
    growth: TreeVariant
    in_heap: int = 0

    @property
    def roots(self) -> tuple[LaunchedGrid, ...]:
        """What the host launched."""
        return tuple(grid for grid in self.grids if grid.by is None)
