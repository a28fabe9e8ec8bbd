"""The puzzles of chapter 12: a group that waits for too many, and a warp that is taken for 32 lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from course.puzzles import Puzzle
from course.puzzles.goals import Goal, atomics_of_threads

BOTH = {"device": "H200"}, {"device": "MetaX C500"}
MIXED = [(np.random.default_rng(seed).integers(0, 100, 64).astype(np.int32),) for seed in (12, 13)]


def _of_64(places: int) -> Any:
    """Launches of one block of 64 threads that leaves so many numbers."""

    def launch(kernel: Any, x: Any) -> Any:
        out = np.zeros(places, np.int32)
        kernel[1, 64](x, out)
        return out

    return launch


def _odd_of_tiles(x: Any) -> Any:
    odd = x % 2 == 1
    return 100 + np.where(odd, np.where(odd, x, 0).reshape(4, 16).sum(axis=1).repeat(16), 0)


ASK_OTHERS = Goal(
    "requests to load",
    "global_load_requests",
    at_most=12,
    hint="A thread loads its own number; the others it has from its group, not from memory.",
    granted=True,
)

BY_GROUP = Goal(
    "atomic operations",
    atomics_of_threads,
    at_most=0,
    hint="There threads queue at one word. A group adds up without: cg.reduce, or shuffles.",
    granted=True,
)

sums_of_odd = Puzzle(
    _of_64(64),
    _odd_of_tiles,
    [ASK_OTHERS, BY_GROUP],
    cases=BOTH,
    hint="It should be 100, and where x[t] is odd the sum of its tile's odd numbers more.",
    again="Whose numbers does your group add up? A group of just the odd ones of a tile is made while all of "
    "the tile are there, before the branch.",
    inputs=MIXED,
)

by_32 = Puzzle(
    _of_64(2),
    lambda x: x.reshape(2, 32).sum(axis=1),
    [ASK_OTHERS, BY_GROUP],
    cases=BOTH,
    hint="out[0] is the sum of threads 0 to 31, out[1] that of threads 32 to 63.",
    elsewhere="There all 64 threads are one wave: who is lane 0, and whom do the shuffles reach?",
    inputs=MIXED,
)
