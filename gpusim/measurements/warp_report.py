"""What did each warp of a traced launch do, step by step? The warp player's report."""

from __future__ import annotations

import math
from collections import Counter
from typing import Protocol

from gpusim.errors import ReportError
from gpusim.measurements import block_report
from gpusim.measurements.ledger import summary
from gpusim.measurements.trace import Trace, also
from gpusim.reports.source import SourceText
from gpusim.reports.warp import Warp, WarpReport, WarpTotals, WarpVariant
from gpusim.source import Source


class Launch(block_report.Launch, Protocol):
    """Of a launch, also its source, how it was scheduled, and what ended it."""

    source: Source
    scheduling: str
    error: BaseException | None


def of(launch: Launch, trace: Trace, counts: Counter[str]) -> WarpReport:
    """The report of one launch, which counted `counts` in all. Raises `ReportError` if it was not traced."""
    if trace.too_large:
        raise ReportError(f"{launch.kernel} was not traced: {trace.too_large}; launch a smaller grid")
    device, frames = launch.device, trace.frames
    error = type(launch.error).__name__ if launch.error else None
    if error and frames:
        frames = [*frames[:-1], also(frames[-1], f"the launch stops here: {error}")]
    variant = WarpVariant(
        label=f"{device.name}, {device.warp_size} lanes, {launch.scheduling}",
        device=device.product_name,
        lanes=device.warp_size,
        scheduling=launch.scheduling,
        error=error,
        warps=warps_of(launch),
        frames=tuple(frames),
        totals=WarpTotals(
            instructions=counts["instructions"],
            thread_instructions=counts["thread_instructions"],
            branches=counts["branches"],
            divergent_branches=counts["divergent_branches"],
            active_lanes_per_instruction=summary(counts)["active_lanes_per_instruction"],
        ),
    )
    source = SourceText(launch.kernel, launch.source.first_line, launch.source.lines)
    return WarpReport(launch.kernel, (variant,), source)


def warps_of(launch: block_report.Launch) -> tuple[Warp, ...]:
    """The warps of the grid in order."""
    threads, lanes = math.prod(launch.block), launch.device.warp_size
    return tuple(
        Warp(place, warp, min(lanes, threads - warp * lanes))
        for place in block_report.coordinates(launch.grid)
        for warp in range(launch.warps_per_block)
    )
