"""The puzzles of chapter 6: a tile that costs a block, and constants that lanes do not share."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal

GREYS = [(np.random.default_rng(seed).integers(0, 256, 7168, dtype=np.int32),) for seed in (6, 7)]
LETTERS = [(np.random.default_rng(seed).integers(0, 32, (16, 64), dtype=np.int32),) for seed in (7, 8)]
CODE = np.random.default_rng(8).permutation(1000)[:32].astype(np.int32)


def _mirrored(kernel: Any, greys: Any) -> Any:
    kernel[1, 256](greys)
    return greys


def _encoded(kernel: Any, letters: Any) -> Any:
    out = np.zeros(letters.shape, np.int32)
    kernel[1, 64](letters, out)
    return out


one_block_more = Puzzle(
    _mirrored,
    lambda greys: greys[::-1],
    [
        Goal(
            "requests to load from shared memory",
            "shared_load_requests",
            at_least=28,
            hint="The row should pass through a tile: this block shows how many find room with one.",
            granted=True,
        ),
        Goal(
            "requests to global memory",
            lambda run: run.global_load_requests + run.global_store_requests,
            at_most=2 * 7168 // 32,
            hint="256 threads share the work: each brings its part, and takes its part back.",
            granted=True,
        ),
        Goal(
            "blocks on a multiprocessor",
            lambda run: run.blocks_per_multiprocessor,
            at_least=8,
            hint="Each takes its tile and one kilobyte. How many bytes does a grey value need?",
        ),
    ],
    lambda run: gpusim.views.carveout_explorer(run, title="What a multiprocessor has room for"),
    hint="The row should be turned round, and a grey value can be any number from 0 to 255.",
    inputs=GREYS,
)

look_ups = Puzzle(
    _encoded,
    lambda letters: CODE[letters],
    [
        Goal(
            "requests to local memory",
            lambda run: run.local_load_requests + run.local_store_requests,
            at_most=0,
            hint="There each of 64 threads has a table of its own. Which memory do they share?",
            granted=True,
        ),
        Goal(
            "passes of the constant cache",
            "constant_load_passes",
            at_most=64,
            hint="One for each word that the lanes of a request want. Who gives 32 words at once?",
        ),
    ],
    hint="out[k, t] is the code of the letter x[k, t].",
    in_order="Who reads a word of the block's before it is certain to be there?",
    inputs=LETTERS,
)
