"""The puzzles of chapter 2: sides that share a warp, and an inner loop at which all wait for the slowest."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, each_its_own

NUMBERS = np.arange(128, dtype=np.int32)
OTHERS = NUMBERS + 2 * np.random.default_rng(3).integers(0, 500, 128, dtype=np.int32)  # odd where they were
JOBS = np.zeros((4, 32), np.int32)
JOBS[np.random.default_rng(2).integers(0, 4, 32), np.arange(32)] = 40
SHORT = np.random.default_rng(4).integers(0, 11, (4, 32)).astype(np.int32)


def _sides(kernel: Any, x: Any) -> Any:
    out = np.zeros(128, np.int32)
    kernel[1, 128](x, out)
    return out


def _worked(kernel: Any, needed: Any) -> Any:
    out = np.zeros(32, np.int32)
    kernel[1, 32](needed, out)
    return out


def _done(needed: Any) -> Any:
    number = np.zeros(32, np.int32)
    for steps in needed:
        for step in range(steps.max()):
            number = np.where(step < steps, (3 * number + step) % 1000, number)
    return number


apart = Puzzle(
    _sides,
    lambda x: np.where(x % 2 == 0, x**2, -x),
    [
        each_its_own(2, "128 threads share 128 numbers, and this one takes more than its part."),
        Goal(
            "branches that split a warp",
            "divergent_branches",
            at_most=0,
            hint="Which number each thread takes is for you to say: let all threads of a warp take numbers "
            "of one kind.",
        ),
    ],
    lambda run: gpusim.views.warp_player(run, title="Which lanes take which side?"),
    cases=[{"device": "H200"}, {"device": "MetaX C500"}],
    hint="out[i] is the square of an even number, and -x[i] of an odd one.",
    inputs=[(NUMBERS,), (OTHERS,)],
)

four_jobs = Puzzle(
    _worked,
    _done,
    [
        Goal(
            "instructions",
            "instructions",
            at_most=700,
            hint="At the end of the inner loop all lanes wait for the slowest, four times. Let a lane that "
            "is done with a job begin the next one.",
        )
    ],
    lambda run: gpusim.views.warp_player(run, title="Who works, and who waits?"),
    hint="Thread i does its four jobs one after the other: steps 0, 1, 2 … of each, needed[job, i] in all.",
    inputs=[(JOBS,), (SHORT,)],
)
