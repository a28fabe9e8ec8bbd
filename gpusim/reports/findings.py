"""What did the tools of a `sanitize` find?"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.reports.report import SPREAD, Report
from gpusim.reports.source import SourceLine


@dataclass(frozen=True, slots=True)
class AccessFound(Report):
    """One thread's part in a finding, and the calls that led there; thread is None where it is about many."""

    kind: str
    thread: tuple[int, ...] | None
    block: tuple[int, ...] | None
    column: int
    at: SourceLine = field(metadata=SPREAD)
    called_from: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class FindingReport(Report):
    """A fault with its first example, seen `count` times."""

    tool: str
    hazard: str
    severity: str
    message: str
    hint: str
    kernel: str
    place: str
    address: int | None
    count: int
    accesses: tuple[AccessFound, ...]


@dataclass(frozen=True, slots=True)
class FindingsReport(Report):
    """Faults and then warnings, in the order in which they were found."""

    tools: tuple[str, ...]
    findings: tuple[FindingReport, ...]
