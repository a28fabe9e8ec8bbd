"""The puzzles of chapter 8: registers that keep two blocks out, and a tile that keeps half of them out."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, each_its_own
from gpusim.profile import Run

SIDES = [
    tuple(np.random.default_rng(seed).integers(0, 100, (2, 8, 256)).astype(np.float64)) for seed in (8, 9)
]
LARGE = [(np.random.default_rng(seed).integers(0, 1 << 40, 512).astype(np.float64),) for seed in (9, 10)]


def _products(kernel: Any, x: Any, y: Any) -> Any:
    out = np.zeros(256)
    kernel[1, 256](x, y, out)
    return out


def _distances(kernel: Any, x: Any) -> Any:
    out = np.zeros(64)
    kernel[1, 64](x, out)
    return out


def _fitting(run: Run) -> Any:
    kernel = run.kernels[0]
    found = gpusim.explore_occupancy(
        threads=kernel.block[0],
        registers_per_thread=kernel.registers_per_thread,
        shared_bytes=kernel.shared_bytes_per_block,
        devices=(kernel.device,),
    )
    return gpusim.views.occupancy_explorer(found, title="What fits on a multiprocessor?")


def _taken(hint: str) -> Goal:
    """A goal: all places for warps."""
    return Goal("% occupancy", lambda run: 100 * run.theoretical_occupancy, at_least=100, hint=hint)


all_places = Puzzle(
    _products,
    lambda x, y: (x * y).sum(axis=0),
    [
        each_its_own(1, "Each of 256 threads adds up its own eight products, and stores the sum."),
        _taken("32 registers per thread would do. How many numbers must a thread hold at the same time?"),
        Goal(
            "registers spilled",
            lambda run: run.kernels[0].spilled_registers_per_thread,
            at_most=0,
            hint="The limit is kept, and what found no register went to local memory.",
        ),
    ],
    _fitting,
    hint="out[i] is the sum of eight products, x[k, i] times y[k, i].",
    inputs=SIDES,
)

half_a_tile = Puzzle(
    _distances,
    lambda x: np.abs(x[:64].reshape(8, 8, 1) - x.reshape(64, 8).T).sum(axis=2).ravel(),
    [
        _taken("How large may a block's tile be, if 32 blocks share 64 KB?"),
        Goal(
            "requests to global memory",
            "global_load_requests",
            at_most=18,
            hint="A block should bring each number once, and its threads find it in the tile.",
        ),
    ],
    _fitting,
    cases=({"device": "P100"},),
    hint="out[i] is the sum of the distances from x[i] to x[i % 8] and every eighth number behind it, "
    "and they need 8 bytes each.",
    in_order="Who reads the tile while somebody else already, or still, fills it?",
    inputs=LARGE,
)
