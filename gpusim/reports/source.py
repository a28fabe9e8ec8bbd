"""Which line of the source is meant? What reports of all kinds say of a place in a program."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Report
from gpusim.source import Span


@dataclass(frozen=True, slots=True)
class SourceText(Report):
    """A kernel's source: `lines` from number `first_line` on."""

    name: str
    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceLine(Report):
    """A line of a file, with its text."""

    file: str
    line: int
    source: str

    @classmethod
    def of(cls, span: Span) -> SourceLine:
        """The line in which a place is."""
        return cls(span.source.filename, span.line, span.text)


@dataclass(frozen=True, slots=True)
class ExcerptReport(Report):
    """`lines` from number `first_line` on; the mistake is in `line`, at `column`, counted from 0."""

    first_line: int
    lines: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class AccessMade(Report):
    """One instruction of one warp: `width` bytes a lane. Warps `alike` did the same; `times` counts all."""

    line: int
    source: str
    kind: str
    width: int
    array: str
    expression: str
    warp: int
    alike: tuple[int, ...]
    times: int
