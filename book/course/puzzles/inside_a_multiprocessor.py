"""The puzzles of chapter 3: two walks one after the other, and a barrier too many in each round."""

from __future__ import annotations

from typing import Any

import numpy as np

from course.puzzles import Puzzle
from course.puzzles.goals import Goal, each_its_own

ROUNDS, THREADS = 4, 64
LINKS = [(np.random.default_rng(seed).permutation(256).astype(np.int32),) for seed in (3, 4)]
HEIGHTS = [(np.random.default_rng(seed).integers(0, 100, THREADS, dtype=np.int32),) for seed in (4, 5)]


def _walked(kernel: Any, link: Any) -> Any:
    out = np.zeros(32, np.int32)
    kernel[1, 32](link, out)
    return out


def _ends_of_walks(link: Any) -> Any:
    place: Any = np.arange(64)
    for _ in range(6):
        place = link[place]
    return place[:32] + place[32:]


def _blurred(kernel: Any, x: Any) -> Any:
    kernel[1, THREADS](x, np.zeros(THREADS, np.int32))
    return x


def _sums_with_left_neighbours(heights: Any) -> Any:
    for _ in range(ROUNDS):
        heights = heights + np.roll(heights, 1)
    return heights


two_walks = Puzzle(
    _walked,
    _ends_of_walks,
    [
        Goal(
            "requests to load",
            "global_load_requests",
            at_most=12,
            hint="Two walks of six links take twelve loads, whatever their order.",
            granted=True,
        ),
        Goal(
            "round trips to memory",
            lambda run: run.flight().round_trips,
            at_most=6,
            hint="The second walk does not need the first one. Whose load could start before this is back?",
        ),
    ],
    hint="Thread i goes six links on from i, and six from i + 32, and adds up the two places.",
    inputs=LINKS,
)

fewer_barriers = Puzzle(
    _blurred,
    _sums_with_left_neighbours,
    [
        each_its_own(ROUNDS, "64 threads: in each round every one makes the new number of its own place."),
        Goal(
            "barriers for each warp",
            lambda run: run.barriers / len(run.kernels[0].warps()),
            at_most=ROUNDS,
            hint="The first barrier of a round keeps a new sum from replacing an old one that somebody still "
            "reads. What if the new one went to y?",
        ),
    ],
    cases=[{"device": "H200"}, {"device": "H200", "schedule": "serial"}, {"device": "H200", "schedule": 1}],
    hint="In each of four rounds every element becomes the sum of itself and its left neighbour's old value.",
    in_order="Who may be a round ahead of its neighbour, or behind it?",
    inputs=HEIGHTS,
)
