"""What is different between two runs?"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Report


@dataclass(frozen=True, slots=True)
class Change(Report):
    """One counter of two runs; None where the launches of a run differ. `ratio` is after / before."""

    counter: str
    before: float | None
    after: float | None
    ratio: float | None


@dataclass(frozen=True, slots=True)
class LineChange(Change):
    """One counter of one source line; `line` as after for what ran only then."""

    kernel: str
    function: str
    line: int
    source: str


@dataclass(frozen=True, slots=True)
class TimeOf(Report):
    """What the model of time says of one of the two."""

    seconds: float
    bound_by: str
    of_roof: float
    achieved_occupancy: float


@dataclass(frozen=True, slots=True)
class ComparisonReport(Report):
    """Two runs by their labels; lines are matched where both are of the same kernels.

    `times`: of the two runs, by the model of time; empty where one of them cannot be timed, or both are
    over as soon as they were launched.
    """

    labels: tuple[str, str]
    launches: tuple[int, int]
    same_kernels: bool
    changes: tuple[Change, ...]
    lines: tuple[LineChange, ...]
    times: tuple[TimeOf, ...]
