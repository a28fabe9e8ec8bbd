"""How does a tree of launches look? A line a grid, indented by its depth; like launches together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from gpusim.reports.launch_tree import LaunchedGrid, LaunchTreeReport, NotLaunched
from gpusim.views.table import Table, table
from gpusim.views.tables import group_html
from gpusim.whole import extents_of, number_of

MOST_LINES = 60
HEADINGS = ("kernel", "launches", "instructions", "global sectors")


def _line(grids: Sequence[LaunchedGrid]) -> str:
    """`2 of child: grid 4, block 32, default stream, by thread (0, 0, 0) of block (1, 0, 0) at line 12`.

    With times, `, clocks 15,100 to 16,200` follows: of several, from the first begin to the last end.
    """
    first, count = grids[0], sum(grid.launches for grid in grids)
    name = first.kernel if count == 1 else f"{count:,} of {first.kernel}"
    name += ", the first" if first.launches > 1 else ""
    text = f"{name}: grid {extents_of(first.grid)}, block {extents_of(first.block)}"
    if first.by is not None:
        who = f"thread {first.by.thread} of block {first.by.block}"
        others = "" if len(grids) == 1 else " and others"
        stream = f"{first.stream} stream" if first.stream in ("default", "tail launch") else first.stream
        text += f", {stream}, by {who}{others} at line {first.by.at.line}"
    if first.begin is not None and first.end is not None:
        end = max(grid.end or 0.0 for grid in grids)
        text += f", clocks {first.begin:,.0f} to {end:,.0f}"
    return text + (f": {first.error}" if first.error else "")


def _refusal(refused: NotLaunched) -> str:
    """`not launched: 3 of child, at line 12: cudaErrorInvalidConfiguration`."""
    many = "" if refused.launches == 1 else f"{refused.launches:,} of "
    return f"not launched: {many}{refused.kernel}, at line {refused.at.line}: {refused.error}"


def _lines(report: LaunchTreeReport, grids: Sequence[LaunchedGrid], depth: int) -> Iterator[str]:
    """Neighbours that differ only in the thread that launched them are told together, if they led nowhere."""
    tried = {refused.grid for refused in report.not_launched}

    def like(grid: LaunchedGrid) -> object:
        where = grid.by and grid.by.at.line
        own = grid.number if grid.children or grid.error or grid.number in tried else -1
        return grid.kernel, grid.grid, grid.block, grid.stream, where, own

    for _kind, alike in groupby(grids, like):
        some = list(alike)
        yield "  " * depth + _line(some)
        for grid in some:
            yield from _lines(report, [report.grids[child] for child in grid.children], depth + 1)
            refusals = (one for one in report.not_launched if one.grid == grid.number)
            yield from ("  " * (depth + 1) + _refusal(one) for one in refusals)


def headline(report: LaunchTreeReport) -> str:
    """`parent on H200: 9 grids, 2 deep`."""
    depth = f", {report.depth} launches deep" if report.depth > 1 else ""
    kept = f", {report.in_heap:,} of them launched beyond the pool" if report.in_heap else ""
    return f"{report.title} on {report.device}: {number_of(report.launches, 'grid')}{depth}{kept}"


def _tree(report: LaunchTreeReport) -> list[str]:
    lines = list(_lines(report, report.roots, 0))
    left = len(lines) - MOST_LINES
    return lines if left <= 0 else [*lines[:MOST_LINES], f"… and {number_of(left, 'line')} more"]


def _kernels(report: LaunchTreeReport) -> Table:
    rows = [
        (
            one.kernel,
            one.launches,
            int(one["instructions"]),
            int(one["global_load_sectors"] + one["global_store_sectors"]),
        )
        for one in report.kernels
    ]
    return table(rows, HEADINGS)


def tree_text(report: LaunchTreeReport) -> str:
    """For a terminal."""
    return "\n".join([headline(report), *_tree(report), "", repr(_kernels(report))])


def tree_html(report: LaunchTreeReport) -> str:
    """For a notebook."""
    shown = escape("\n".join(_tree(report)))
    return group_html(headline(report), f"<pre>{shown}</pre>{_kernels(report)._repr_html_()}")
