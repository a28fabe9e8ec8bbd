"""The puzzles of chapter 11: a counter to launch twice, and barriers that are larger than needed."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, atomics_of_threads

PARTS = [(np.random.default_rng(seed).integers(1, 100, (3, 8), dtype=np.int32),) for seed in (11, 12)]
NUMBERS = [(np.random.default_rng(seed).integers(0, 100, 128, dtype=np.int32),) for seed in (12, 13)]


def _thrice(kernel: Any, parts: Any) -> Any:
    """Three launches, with new numbers each time and the same counter, and the total after each."""
    partial, arrived, total = np.zeros(8, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    totals = []
    for numbers in parts:
        kernel[8, 1](numbers, partial, arrived, total)
        totals.append(int(total[0]))
    return totals


def _summed(kernel: Any, x: Any) -> Any:
    out = np.zeros(1, np.int32)
    kernel[1, 128](x, out)
    return out[0]


again = Puzzle(
    _thrice,
    lambda parts: parts.sum(axis=1),
    [
        Goal(
            "atomic operations",
            "atomics",
            at_least=24,
            hint="Three times eight blocks should say in arrived that they have their number in partial.",
            granted=True,
        )
    ],
    cases=({"device": "H200"}, *({"device": "H200", "schedule": seed} for seed in range(2))),
    hint="Element k is the total after launch k. What does a launch find in arrived, and in total?",
    in_order="Which block is certain to be the last, and who may still read or write what it resets?",
    inputs=PARTS,
)

fewer_barriers = Puzzle(
    _summed,
    lambda x: x.sum(),
    [
        Goal(
            "requests for numbers",
            lambda run: run.global_load_requests + run.shared_load_requests,
            at_most=60,
            hint="Half of the threads should add what the other half has, then a quarter, and so on.",
            granted=True,
        ),
        Goal(
            "requests to load from x",
            "global_load_requests",
            at_most=4,
            hint="Each thread loads its own number, and once.",
            granted=True,
        ),
        Goal(
            "atomic operations",
            atomics_of_threads,
            at_most=4,
            hint="All queue at one word. Let half of the threads add what the other half has.",
            granted=True,
        ),
        Goal(
            "arrivals of a warp at syncthreads",
            "barriers",
            at_most=8,
            hint="In which rounds does a thread read what another warp wrote?",
        ),
    ],
    lambda run: gpusim.views.warp_player(run, title="Four warps, and where they wait"),
    hint="out[0] is the sum of all 128 numbers.",
    in_order="In that round a thread reads what another one wrote: of which warp?",
    inputs=NUMBERS,
)
