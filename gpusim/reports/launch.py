"""What did a launch do? Its configuration, its counters in all and by source line, and what to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpusim.devices.device import Dim3
from gpusim.reports.occupancy import OccupancyReport
from gpusim.reports.report import SPREAD, Report


@dataclass(frozen=True, slots=True)
class Example(Report):
    """One request that took `took` sectors or wavefronts where `ideal` would do, and how its lanes stand.

    `stride_bytes`: between the addresses of neighbouring lanes, if at least half of them are so far apart;
    `offset_bytes`: how far behind a multiple of 32 the lowest address is.
    """

    took: int
    ideal: int
    lanes: int
    width_bytes: int
    stride_bytes: int | None
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class LineReport(Report):
    """What a source line did: `row["instructions"]` is a counter.

    `function` is the device function that the line is in, or empty. `both_sides_work`: does a branch of the
    line have instructions on both sides? `examples`: of each kind of access that took too much, one.
    """

    line: int
    source: str
    function: str
    counters: Mapping[str, float] = field(metadata=SPREAD)
    both_sides_work: bool
    examples: Mapping[str, Example]

    def __getitem__(self, counter: str) -> float:
        return self.counters[counter]


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Report):
    """One thing to look at. `excess` is how many sectors, wavefronts, passes or lanes more than needed.

    `line` is None for what the whole launch is about; `function` is the device function that the line is in,
    or empty. `worst`: of several lines that break the rule, none exceeds the ideal by more. `page`: where the
    book explains it, in the chapter `Coalescing`.
    """

    rule: str
    line: int | None
    function: str
    sentence: str
    page: str
    counters: tuple[str, ...]
    excess: float
    worst: bool
    where: str
    chapter: str
    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class LaunchReport(Report):
    """A launch, and what to look at: `launch["instructions"]` is a counter, or a resource.

    `error` is what ended it, in a line: its counters go no further.
    """

    kernel: str
    launches: int
    device: str
    scheduling: str
    grid: Dim3
    block: Dim3
    resources: Mapping[str, float] = field(metadata=SPREAD)
    occupancy: OccupancyReport
    counters: Mapping[str, float] = field(metadata=SPREAD)
    lines: tuple[LineReport, ...]
    advice: tuple[Advice, ...]
    error: str | None

    def __getitem__(self, name: str) -> float:
        return self.resources[name] if name in self.resources else self.counters[name]


@dataclass(frozen=True, slots=True)
class RunReport(Report):
    """All launches of a profile, and their counters together."""

    counters: Mapping[str, float] = field(metadata=SPREAD)
    launches: int
    reconfigurations: int
    kernels: tuple[LaunchReport, ...]
