"""The puzzles of chapter 4: addresses to bring closer together, and a table to turn over on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal
from gpusim.profile import Run

ROWS, COLUMNS = 32, 32
TABLE = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)
LARGE = np.random.default_rng(4).integers(0, 1 << 30, (ROWS, COLUMNS), dtype=np.int32)


def _twice(kernel: Any, table: Any) -> Any:
    out = np.zeros_like(table)
    kernel[table.shape](table, out)
    return out


twice = Puzzle(
    _twice,
    lambda table: 2 * table,
    [
        Goal(
            "sectors loaded",
            "global_load_sectors",
            at_most=128,
            hint="Let neighbouring lanes read neighbours.",
        ),
        Goal(
            "sectors stored",
            "global_store_sectors",
            at_most=128,
            hint="Let neighbouring lanes write neighbours.",
        ),
    ],
    lambda run: gpusim.views.sector_view(run, title="What the warps ask for"),
    hint="out[row, column] is twice table[row, column].",
    inputs=[(TABLE,), (LARGE[:16, :16],)],
)


def _mirrored(kernel: Any, table: Any) -> Any:
    out = np.zeros((COLUMNS, ROWS), np.int32)
    kernel[1, (COLUMNS, 8)](table, out)
    return out


def _farthest(run: Run) -> Any:
    """The line whose warps ask for most sectors."""
    counts = {
        line["line"]: line["global_load_sectors"] + line["global_store_sectors"]
        for line in run.kernels[0].lines
    }
    worst = max(counts, key=lambda line: counts[line])
    return gpusim.views.sector_view(run.sector_report(line=worst), title="What the warps ask for")


across = Puzzle(
    _mirrored,
    lambda table: table.T,
    [
        Goal(
            "sectors, loaded and stored",
            lambda run: run.global_load_sectors + run.global_store_sectors,
            at_most=384,
            hint="A warp that reads along a row writes down a column, and a sector holds eight elements of a "
            "row. Which 32 elements are in few sectors of table, and in few of out?",
        )
    ],
    _farthest,
    hint="out[column, row] is table[row, column].",
    in_order="Two threads meet in one place, and nothing says who comes first.",
    inputs=[(TABLE,), (LARGE,)],
)
