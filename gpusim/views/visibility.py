"""How does it look what a parent and its children see? A line a step, and below what each read sees."""

from __future__ import annotations

from html import escape

from gpusim.reports.visibility import Sight, VisibilityReport
from gpusim.views.table import Table, table
from gpusim.views.tables import group_html
from gpusim.whole import number_of

HEADINGS = ("read", "sees", "may see")


def headline(report: VisibilityReport) -> str:
    """`parent under CDP2: 2 grids, 3 of 8 reads without a guarantee`."""
    unsure = sum(not read.certain for read in report.reads)
    reads = f"{unsure} of {number_of(len(report.reads), 'read')} without a guarantee"
    return f"{report.title} under CDP{report.cdp}: {number_of(len(report.grids), 'grid')}, {reads}"


def sees(report: VisibilityReport, read: Sight) -> str:
    """The writes that a read sees for sure."""
    writes = ", ".join(report.boxes[box].called for box in read.sees) or "what was there at first"
    several = "all of: " if read.certain else "one of: "
    return several + writes if len(read.sees) > 1 else writes


def _steps(report: VisibilityReport) -> list[str]:
    lane = {box.row: box.grid for box in report.boxes}
    steps = [f"{'    ' * _depth(report, lane[row])}{each.says}" for row, each in enumerate(report.rows)]
    left = report.left_out
    out = f"{left:,} {'access more is' if left == 1 else 'accesses more are'} left out."
    return [*steps, *([out] if left else [])]


def _depth(report: VisibilityReport, grid: int) -> int:
    by = report.grids[grid].by
    return 0 if by is None else 1 + _depth(report, by.grid)


def _reads(report: VisibilityReport) -> Table:
    rows = [
        (
            report.boxes[read.box].called,
            sees(report, read),
            ", ".join(report.boxes[box].called for box in read.may_see) or "nothing else",
        )
        for read in report.reads
    ]
    return table(rows, HEADINGS)


def visibility_text(report: VisibilityReport) -> str:
    """For a terminal."""
    return "\n".join([headline(report), *_steps(report), "", repr(_reads(report))])


def visibility_html(report: VisibilityReport) -> str:
    """For a notebook."""
    shown = escape("\n".join(_steps(report)))
    return group_html(headline(report), f"<pre>{shown}</pre>{_reads(report)._repr_html_()}")
