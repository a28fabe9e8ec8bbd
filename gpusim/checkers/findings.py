"""What was found, by whom, and how often? One finding for each kind of fault and the lines it concerns.

>>> finding.hazard, finding.count, [access.line for access in finding.accesses]      # doctest: +SKIP
('RAW', 480, [12, 16])
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.events import GridLaunched
from gpusim.ir.types import Space
from gpusim.reports.findings import AccessFound, FindingReport, FindingsReport
from gpusim.reports.source import SourceLine
from gpusim.source import Span

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Access:
    """One thread's part in a finding. `kind`: "load", "store", "atomic", or what else it did there.

    thread and block are (x, y, z); None where the finding is about many (its message names them).
    """

    kind: str
    thread: tuple[int, ...] | None
    block: tuple[int, ...] | None
    span: Span

    @property
    def line(self) -> int:
        """The line of the kernel's source."""
        return self.span.line

    def report(self) -> AccessFound:
        """As it is drawn, with the line's text, and those of the calls that lead to it."""
        return AccessFound(
            kind=self.kind,
            thread=self.thread,
            block=self.block,
            column=self.span.column,
            at=_line(self.span),
            called_from=tuple(map(_line, self.span.callers)),
        )


def _line(span: Span) -> SourceLine:
    return SourceLine(span.source.filename, span.line, span.text)


@dataclass
class Finding:
    """A fault, with its first example; `count` says how often it was seen.

    `tool` is one of racecheck, synccheck, memcheck, initcheck; `hazard` is RAW, WAR or WAW for a race, else
    the kind of fault; `severity` is "error", or "warning" for what is undefined but may do no harm. `place`
    names the element ("shared s[3]"), `address` is its first byte.
    """

    tool: str
    hazard: str
    message: str
    hint: str
    kernel: str
    accesses: tuple[Access, ...] = ()
    place: str = ""
    address: int | None = None
    severity: str = "error"
    count: int = 1

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of its accesses."""
        return tuple(access.line for access in self.accesses)

    def report(self) -> FindingReport:
        """As it is drawn."""
        accesses = tuple(access.report() for access in self.accesses)
        return FindingReport(**{**vars(self), "accesses": accesses})

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return self.report().as_dict()

    def __str__(self) -> str:
        lines = ", ".join(str(line) for line in self.lines)
        return f"{self.tool}: {self.hazard}: {self.message}" + (f" (line {lines})" if lines else "")


@dataclass
class Findings:
    """All findings so far; those with one key are counted as one."""

    found: dict[Hashable, Finding] = field(default_factory=dict)

    def of(self, severity: str) -> list[Finding]:
        """Those that are errors, or warnings, in the order in which they were found."""
        return [finding for finding in self.found.values() if finding.severity == severity]

    def report(self, tools: tuple[str, ...]) -> FindingsReport:
        """Faults and then warnings, as they are drawn."""
        return FindingsReport(tools, tuple(f.report() for f in (*self.of("error"), *self.of("warning"))))

    def count(self, key: Hashable, times: int) -> bool:
        """Was this found before? Then count it; otherwise the caller describes it with `add`."""
        known = self.found.get(key)
        if known is not None:
            known.count += times
        return known is not None

    def add(self, key: Hashable, finding: Finding) -> None:
        """Something new. Its hint speaks the language of the kernel."""
        for access in finding.accesses[:1]:
            finding.hint = access.span.spelled(finding.hint)
        self.found[key] = finding


@dataclass(frozen=True)
class Places:
    """Names threads and array elements of one launch. L lanes a warp; threads: number of warp · L + lane."""

    event: GridLaunched

    def thread(self, number: int) -> tuple[Dim3, Dim3]:
        """(thread, block) coordinates."""
        block, within = divmod(number, self.event.warps_per_block * self.event.device.warp_size)
        return _coordinates(within, self.event.block), _coordinates(block, self.event.grid)

    def access(self, kind: str, number: int, span: Span) -> Access:
        """What that thread did at that place of the source."""
        return Access(kind, *self.thread(number), span)

    def element(self, space: Space, address: int, name: str) -> str:
        """`shared s[3, 1]`: the array that holds the address, preferably the one of this name."""
        holding = [
            array
            for array in self.event.arrays
            if array.space is space and array.first <= address < array.first + array.bytes
        ]
        holding.sort(key=lambda array: array.name != name)
        if not holding:
            return space.value
        index, _rest = holding[0].index(np.asarray(address))
        return f"{space.value} {holding[0].name}[{', '.join(map(str, index))}]"


def _coordinates(linear: int, extents: Dim3) -> Dim3:
    x, y, _z = extents
    return linear % x, linear // x % y, linear // (x * y)
