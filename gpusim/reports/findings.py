"""What did the tools of a `sanitize` find?"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.reports.report import SPREAD, Report
from gpusim.reports.source import SourceLine


@dataclass(frozen=True, slots=True)
class Access(Report):
    """One thread's part in a finding, and the calls that led there.

    `kind`: "load", "store", "atomic", or what else it did there. thread and block are (x, y, z); None where
    the finding is about many (its message names them). `launched` says who launched the grid, if a kernel
    did, and who launched that: a line each.
    """

    kind: str
    thread: tuple[int, ...] | None
    block: tuple[int, ...] | None
    column: int
    at: SourceLine = field(metadata=SPREAD)
    called_from: tuple[SourceLine, ...]
    launched: str = ""

    @property
    def line(self) -> int:
        """The line of the kernel's source."""
        return self.at.line


@dataclass(frozen=True, slots=True)
class Finding(Report):
    """A fault with its first example, seen `count` times.

    `tool` is one of racecheck, synccheck, memcheck, initcheck, streamcheck; `hazard` is RAW, WAR or WAW for a
    race, else the kind of fault; `severity` is "error", or "warning" for what is undefined but may do no
    harm. `place` names the element ("shared s[3]"), `address` is its first byte.
    """

    tool: str
    hazard: str
    severity: str
    message: str
    hint: str
    kernel: str
    place: str
    address: int | None
    count: int
    accesses: tuple[Access, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of its accesses."""
        return tuple(access.line for access in self.accesses)

    def __str__(self) -> str:
        return f"{self.tool}: {self.hazard}: {self.message}" + (f" ({self.where})" if self.lines else "")

    @property
    def where(self) -> str:
        """Its lines in words: "line 4", "lines 4 and 9", or "line 9, twice"."""
        several = dict.fromkeys(self.lines)
        twice = ", twice" if len(several) < len(self.lines) else ""
        return f"line{'s' * (len(several) > 1)} {' and '.join(map(str, several))}{twice}"


@dataclass(frozen=True, slots=True)
class FindingsReport(Report):
    """Faults and then warnings, in the order in which they were found."""

    tools: tuple[str, ...]
    findings: tuple[Finding, ...]
