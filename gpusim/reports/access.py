"""Which memory instruction is it, and who made it? What the bank view and the sector view say alike."""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.reports.report import Report


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
