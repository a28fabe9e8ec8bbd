"""Who launched whom? The grids of a run, each with the thread and the line that launched it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpusim.devices.device import Dim3
from gpusim.reports.report import SPREAD, Report, Titled
from gpusim.reports.source import SourceLine


@dataclass(frozen=True, slots=True)
class Launcher(Report):
    """The thread that launched a grid: of which grid (its number), in which block, at which line."""

    grid: int
    block: tuple[int, ...]
    thread: tuple[int, ...]
    at: SourceLine


@dataclass(frozen=True, slots=True)
class LaunchedGrid(Report):
    """One grid, or `launches` of one kernel, where there were very many: of those, the first's figures.

    `by` is None where the host launched it; `depth` counts the launches that led to it, after the host's.
    `stream`: "default" or another of the block that launched it; "" for the host's. `counters` are its own,
    `in_all` those of all that it led to besides. `children` are the numbers of the grids that it launched.
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
    counters: Mapping[str, float] = field(metadata=SPREAD)
    in_all: Mapping[str, float]
    error: str | None

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
    """All grids of a run in the order in which they began, and their counters by kernel."""

    device: str
    launches: int
    grids: tuple[LaunchedGrid, ...]
    kernels: tuple[OfKernel, ...]

    @property
    def roots(self) -> tuple[LaunchedGrid, ...]:
        """What the host launched."""
        return tuple(grid for grid in self.grids if grid.by is None)

    @property
    def depth(self) -> int:
        """How many launches lead to the deepest grid, after the host's?"""
        return max((grid.depth for grid in self.grids), default=0)
