"""Which outcomes has a launch under many schedules? The most frequent first."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Report


@dataclass(frozen=True, slots=True)
class Difference(Report):
    """Elements of one argument that are not as usual; values as texts, for NaN is no number in JSON."""

    argument: str
    elements: tuple[tuple[int, ...], ...]
    here: tuple[str, ...]
    there: tuple[str, ...]

    def describe(self, shown: int = 3) -> str:
        """`out[3]: 7, not 4` for the first few elements."""
        named = [
            f"{self.argument}{list(element) or ''}: {here}, not {there}"
            for element, here, there in zip(self.elements[:shown], self.here, self.there, strict=False)
        ]
        more = len(self.elements) - len(named)
        return "; ".join(named) + (f"; and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class OutcomeReport(Report):
    """What the launch left, or its kind of error; `replay` makes it end so again."""

    count: int
    schedules: tuple[str | int, ...]
    replay: str
    error: str | None
    description: str
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class ExplorationReport(Report):
    """A launch, and how many schedules of it were tried."""

    kernel: str
    device: str
    scheduling: str
    schedules: int
    deterministic: bool
    outcomes: tuple[OutcomeReport, ...]
