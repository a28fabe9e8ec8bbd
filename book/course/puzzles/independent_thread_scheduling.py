"""The puzzles of chapter 10: a conversation that hangs on a stack, and a butterfly for any width."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, each_its_own
from course.puzzles.loaded import loaded
from gpusim.ir.types import Space

NUMBERS = [(np.random.default_rng(seed).integers(0, 100, 64, dtype=np.int32),) for seed in (10, 11)]


def _told(kernel: Any) -> Any:
    """What lane 0 asks, lane 1 answers and lane 0 takes, and what lane 1 and lane 0 have read at most."""
    said = np.zeros((3, 1), np.int32)
    with loaded(Space.GLOBAL) as words:
        kernel[1, 32](*said)
    read = np.max([np.zeros(32, np.int32), *words], axis=0)
    return [*said[:, 0], read[1], read[0]]


def _totals(kernel: Any, x: Any) -> Any:
    out = np.zeros(64, np.int32)
    kernel[1, 64](x, out)
    return out


def _totals_of_warps(x: Any) -> Any:
    lanes = gpusim.cuda.get_current_device().WARP_SIZE
    return np.repeat(x.reshape(-1, lanes).sum(axis=1), lanes)


question_and_answer = Puzzle(
    _told,
    [6, 42, 42, 6, 42],
    [
        each_its_own(2, "Lane 0 asks and takes the answer; it is lane 1 that answers."),
    ],
    cases=[{"device": "V100"}, {"device": "P100"}, {"device": "V100", "schedule": 1}],
    hint=(
        "Lane 0 should write its question, 6, to question[0].",
        "Lane 1 should write seven times the question to answer[0]. Has it been asked by then?",
        "Lane 0 should take the answer to out[0]. What makes sure that it is there by then?",
        "Element 3 is what lane 1 reads. Lane 1 should read the question, when it has been asked.",
        "Element 4 is what lane 0 reads. It should read the answer, when it has been given.",
    ),
    in_order="What makes sure that a lane reads only when the other one has written?",
)

total_of_a_warp = Puzzle(
    _totals,
    _totals_of_warps,
    [
        Goal(
            "requests to load",
            "global_load_requests",
            at_most=2,
            hint="In a butterfly a lane loads its own number only, and gets all others from lanes.",
            granted=True,
        )
    ],
    cases=[{"device": "H200"}, {"device": "MetaX C500"}, {"device": "P100"}],
    hint="Each lane should end with the sum over all lanes of its warp.",
    elsewhere="Who takes part there? And how far apart are partners in the first round of a butterfly?",
    inputs=NUMBERS,
)
