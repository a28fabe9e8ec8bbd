"""What was found, by whom, and how often? One finding for each kind of fault and the lines it concerns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from gpusim.devices.device import Dim3
from gpusim.events import GridLaunched
from gpusim.ir.program import Function
from gpusim.ir.types import Space
from gpusim.reports.findings import Access, Finding, FindingsReport
from gpusim.reports.source import SourceLine
from gpusim.source import Span, spelled


def access_at(
    span: Span,
    kind: str,
    thread: tuple[int, ...] | None = None,
    block: tuple[int, ...] | None = None,
    launched: str = "",
) -> Access:
    """What was done at this place of the source, and the calls that lead to it."""
    at, *callers = map(SourceLine.of, (span, *span.callers))
    return Access(kind, thread, block, span.column, at, tuple(callers), launched)


@dataclass
class Findings:
    """All findings so far; those with one key are counted as one."""

    found: dict[Hashable, Finding] = field(default_factory=dict)

    def of(self, severity: str) -> list[Finding]:
        """Those that are errors, or warnings, in the order in which they were found."""
        return [finding for finding in self.found.values() if finding.severity == severity]

    def report(self, tools: tuple[str, ...]) -> FindingsReport:
        """Faults and then warnings, as they are drawn."""
        return FindingsReport(tools, (*self.of("error"), *self.of("warning")))

    def count(self, key: Hashable, times: int) -> bool:
        """Was this found before? Then count it; otherwise the caller describes it with `add`."""
        known = self.found.get(key)
        if known is not None:
            self.found[key] = replace(known, count=known.count + times)
        return known is not None

    def add(
        self,
        key: Hashable,
        kernel: Function,
        tool: str,
        hazard: str,
        message: str,
        hint: str,
        accesses: tuple[Access, ...],
        count: int,
        place: str = "",
        address: int | None = None,
        severity: str = "error",
    ) -> None:
        """Something new. Its hint speaks the language of the kernel."""
        hint = spelled(hint, kernel.source.language)
        self.found[key] = Finding(
            tool, hazard, severity, message, hint, kernel.name, place, address, count, accesses
        )


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
        by = self.event.launched_by
        return access_at(span, kind, *self.thread(number), "" if by is None else by.tree)

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
