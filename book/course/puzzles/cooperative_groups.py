"""The puzzles of chapter 12: a group that waits for too many, and a warp that is taken for 32 lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from course.puzzles import Puzzle

BOTH = {"device": "H200"}, {"device": "MetaX C500"}
MIXED = np.random.default_rng(12).integers(0, 100, 64).astype(np.int32)
ODD = MIXED % 2 == 1


def _of_64(places: int) -> Any:
    """Launches of one block of 64 threads that leaves so many numbers."""

    def launch(kernel: Any) -> Any:
        out = np.zeros(places, np.int32)
        kernel[1, 64](MIXED, out)
        return out

    return launch


sums_of_odd = Puzzle(
    _of_64(64),
    100 + np.where(ODD, np.where(ODD, MIXED, 0).reshape(4, 16).sum(axis=1).repeat(16), 0),
    cases=BOTH,
    hint="It should be 100, and where x[t] is odd the sum of its tile's odd numbers more.",
)

by_32 = Puzzle(
    _of_64(2),
    MIXED.reshape(2, 32).sum(axis=1),
    cases=BOTH,
    hint="out[0] is the sum of threads 0 to 31, out[1] that of threads 32 to 63.",
)
