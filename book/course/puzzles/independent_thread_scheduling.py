"""The puzzles of chapter 10: a conversation that hangs on a stack, and a butterfly for any width."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle

NUMBERS = np.random.default_rng(10).integers(0, 100, 64, dtype=np.int32)


def _told(kernel: Any) -> Any:
    question, answer, out = np.zeros((3, 1), np.int32)
    kernel[1, 32](question, answer, out)
    return out


def _totals(kernel: Any) -> Any:
    out = np.zeros(64, np.int32)
    kernel[1, 64](NUMBERS, out)
    return out


def _totals_of_warps() -> Any:
    lanes = gpusim.cuda.get_current_device().WARP_SIZE
    return np.repeat(NUMBERS.reshape(-1, lanes).sum(axis=1), lanes)


question_and_answer = Puzzle(
    _told,
    [42],
    cases=[{"device": "V100"}, {"device": "P100"}, {"device": "V100", "schedule": 1}],
    raceless=True,
    hint="Lane 0 asks 6, lane 1 answers with seven times that, and lane 0 takes the answer. "
    "What makes sure that it is there by then?",
)

total_of_a_warp = Puzzle(
    _totals,
    _totals_of_warps,
    cases=[{"device": "H200"}, {"device": "MetaX C500"}, {"device": "P100"}],
    hint="Each lane should end with the sum over all lanes of its warp. How far apart are partners in the "
    "first round of a butterfly?",
)
