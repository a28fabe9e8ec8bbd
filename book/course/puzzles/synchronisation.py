"""The puzzles of chapter 11: a counter to launch twice, and barriers that are larger than needed."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Goal, Puzzle

PARTS = np.random.default_rng(11).integers(1, 100, (3, 8), dtype=np.int32)
NUMBERS = np.random.default_rng(12).integers(0, 100, 128, dtype=np.int32)


def _thrice(kernel: Any) -> Any:
    """Three launches, with new numbers each time and the same counter, and the total after each."""
    partial, arrived, total = np.zeros(8, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    totals = []
    for numbers in PARTS:
        kernel[8, 1](numbers, partial, arrived, total)
        totals.append(int(total[0]))
    return totals


def _summed(kernel: Any) -> Any:
    out = np.zeros(1, np.int32)
    kernel[1, 128](NUMBERS, out)
    return out[0]


again = Puzzle(
    _thrice,
    PARTS.sum(axis=1),
    cases=({"device": "H200"}, *({"device": "H200", "schedule": seed} for seed in range(2))),
    raceless=True,
    hint="Element k is the total after launch k. What does a launch find in arrived, and in total?",
)

fewer_barriers = Puzzle(
    _summed,
    NUMBERS.sum(),
    [
        Goal(
            "arrivals of a warp at syncthreads",
            "barriers",
            at_most=8,
            hint="In which rounds does a thread read what another warp wrote?",
        )
    ],
    lambda run: gpusim.views.warp_player(run, title="Four warps, and where they wait"),
    raceless=True,
    hint="out[0] is the sum of all 128 numbers.",
)
