"""The puzzles of chapter 4: addresses to bring closer together, and a table to turn over on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Goal, Puzzle
from gpusim.profile import Run

ROWS, COLUMNS = 32, 32
TABLE = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)


def _twice(kernel: Any) -> Any:
    out = np.zeros((ROWS, COLUMNS), np.int32)
    kernel[ROWS, COLUMNS](TABLE, out)
    return out


twice = Puzzle(
    _twice,
    2 * TABLE,
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
    lambda run: gpusim.views.sector_view(run, title="What the first warp asks for"),
)


def _mirrored(kernel: Any) -> Any:
    out = np.zeros((COLUMNS, ROWS), np.int32)
    kernel[1, (COLUMNS, 8)](TABLE, out)
    return out


def _farthest(run: Run) -> Any:
    """The line whose warps ask for most sectors."""
    counts = {
        line["line"]: line["global_load_sectors"] + line["global_store_sectors"]
        for line in run.kernels[0].lines
    }
    worst = max(counts, key=lambda line: counts[line])
    return gpusim.views.sector_view(run.sector_report(line=worst), title="What a warp asks for")


across = Puzzle(
    _mirrored,
    TABLE.T,
    [
        Goal(
            "sectors, loaded and stored",
            lambda run: run.global_load_sectors + run.global_store_sectors,
            at_most=256,
            hint="Whoever reads along a row writes down a column, or the other way round. Must the thread "
            "that reads an element be the one that writes it?",
        )
    ],
    _farthest,
    raceless=True,
    hint="out[column, row] is table[row, column].",
)
