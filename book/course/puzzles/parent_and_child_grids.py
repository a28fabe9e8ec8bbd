"""The puzzles of chapter 13: a grid that comes too often, and one that must come after all others."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, children_that_write, each_its_own
from gpusim import cudart
from gpusim.profile import Run

TAIL, FORGET = cudart.cudaStreamTailLaunch, cudart.cudaStreamFireAndForget

GREY = [(np.random.default_rng(seed).integers(0, 100, (4, 16)).astype(np.int32),) for seed in (13, 14)]
HEIGHTS = np.random.default_rng(14).integers(0, 100, (4, 32)).astype(np.int32)
HEIGHTS[:, 5] = 110, 120, 130, 140  # each row has another peak, and the last has the highest
OTHERS = HEIGHTS[::-1] + 7


def _image(kernel: Any, image: Any) -> Any:
    kernel[2, 8](image)
    return image


def _table(kernel: Any, table: Any) -> Any:
    kernel[4, 32](table, np.zeros(1, np.int32))
    return table


def _launched(at_least: int, hint: str) -> Goal:
    """The work is a child's."""
    return Goal("children that write", children_that_write, at_least=at_least, hint=hint, granted=True)


def _grids(at_most: int, hint: str) -> Goal:
    return Goal("grids in all", lambda run: len(run.kernels), at_most=at_most, hint=hint)


def _tree(run: Run) -> Any:
    return gpusim.views.launch_tree(run, title="Who launched which grid?")


one_step_lighter = Puzzle(
    _image,
    lambda image: image + 1,
    [
        _launched(1, "The parent should launch a grid that makes the image lighter."),
        each_its_own(0, "The parent should launch, and the grid that it launches make the image lighter."),
        _grids(2, "Which of the threads, of all blocks, should launch?"),
    ],
    _tree,
    hint="Each grid of the child adds 1 to all places. How many such grids did you launch?",
    inputs=GREY,
)

below_the_peak = Puzzle(
    _table,
    lambda table: table - table.max(),
    [
        _launched(2, "One grid should find the peak, and another one lower the heights."),
        each_its_own(0, "The parent should launch, and the grids that it launches do the work."),
        _grids(
            6,
            "Each thread that launches gets a grid of its own. Let one thread launch one grid for all rows.",
        ),
    ],
    _tree,
    cases=[{"device": "H200"}, *({"device": "H200", "schedule": seed} for seed in (2, 8))],
    hint=f"Each height should be less by {HEIGHTS.max()}, the highest peak of all rows, and once.",
    elsewhere="In that order some heights are lowered before the peaks of all rows are known.",
    inputs=[(HEIGHTS,), (OTHERS,)],
)
