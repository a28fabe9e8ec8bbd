"""Which outcomes has a launch under many schedules? The most frequent first."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Report


@dataclass(frozen=True, slots=True)
class DifferenceReport(Report):
    """Elements of one argument that are not as usual; values as texts, for NaN is no number in JSON."""

    argument: str
    elements: tuple[tuple[int, ...], ...]
    here: tuple[str, ...]
    there: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutcomeReport(Report):
    """What the launch left, or its kind of error; `replay` makes it end so again."""

    count: int
    schedules: tuple[str | int, ...]
    replay: str
    error: str | None
    description: str
    differences: tuple[DifferenceReport, ...]


@dataclass(frozen=True, slots=True)
class ExplorationReport(Report):
    """A launch, and how many schedules of it were tried."""

    kernel: str
    device: str
    scheduling: str
    schedules: int
    deterministic: bool
    outcomes: tuple[OutcomeReport, ...]
