"""Where in a cell is the mistake? A line of it, among the others."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Report


@dataclass(frozen=True, slots=True)
class ExcerptReport(Report):
    """`lines` from number `first_line` on; the mistake is in `line`, at `column`, counted from 0."""

    first_line: int
    lines: tuple[str, ...]
    line: int
    column: int
