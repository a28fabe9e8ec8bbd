"""The puzzles of chapter 13: a grid that comes too often, and one that must come after all others."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Goal, Puzzle
from gpusim import cudart
from gpusim.profile import Run

TAIL, FORGET = cudart.cudaStreamTailLaunch, cudart.cudaStreamFireAndForget

GREY = np.random.default_rng(13).integers(0, 100, (4, 16)).astype(np.int32)
HEIGHTS = np.random.default_rng(14).integers(0, 100, (4, 32)).astype(np.int32)
HEIGHTS[:, 5] = 110, 120, 130, 140  # each row has another peak, and the last has the highest


def _image(kernel: Any) -> Any:
    image = GREY.copy()
    kernel[2, 8](image)
    return image


def _table(kernel: Any) -> Any:
    table = HEIGHTS.copy()
    kernel[4, 32](table, np.zeros(1, np.int32))
    return table


def _grids(at_most: int, hint: str) -> Goal:
    return Goal("grids in all", lambda run: len(run.kernels), at_most=at_most, hint=hint)


def _tree(run: Run) -> Any:
    return gpusim.views.launch_tree(run, title="Who launched which grid?")


one_step_lighter = Puzzle(
    _image,
    GREY + 1,
    [_grids(2, "Which of the threads, of all blocks, should launch?")],
    _tree,
    hint="Each grid of the child adds 1 to all places. How many such grids did you launch?",
)

below_the_peak = Puzzle(
    _table,
    HEIGHTS - HEIGHTS.max(),
    [
        _grids(
            6,
            "Each thread that launches gets a grid of its own. Let one thread launch one grid for all rows.",
        )
    ],
    _tree,
    cases=[{"device": "H200"}, *({"device": "H200", "schedule": seed} for seed in (2, 8))],
    hint=f"Each height should be less by {HEIGHTS.max()}, the highest peak of all rows, and once.",
)
