"""The puzzles of chapter 9: a kernel that suits one GPU, and jobs to share without a queue."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, each_its_own
from gpusim import cuda

NUMBERS = [(np.random.default_rng(9).integers(0, 100, size, dtype=np.int32),) for size in (5_120, 4_999)]


def _tenfold(kernel: Any, x: Any) -> Any:
    """One block of 32 threads for each multiprocessor, whatever GPU it is."""
    out = np.zeros_like(x)
    kernel[cuda.get_current_device().MULTIPROCESSOR_COUNT, 32](x, out)
    return out


def _shared_out(kernel: Any, unit: int, *counts: int) -> Any:
    """For so many jobs, and so many, a row each: the rounds of each of four blocks, and those left over.

    The last job has `unit` rounds, and each before it as many more.
    """
    rows = []
    for jobs in counts:
        rounds, shares = unit * np.arange(jobs, 0, -1, dtype=np.int32), np.zeros(4, np.int32)
        kernel[4, 1](rounds, shares)
        rows.append([*shares, rounds.sum()])
    return rows


def _fair(unit: int, *counts: int) -> Any:
    return [[unit * jobs * (jobs + 1) // 8] * 4 + [0] for jobs in counts]


any_gpu = Puzzle(
    _tenfold,
    lambda x: 10 * x,
    [
        each_its_own(5, "All 1,280 threads of a T4 should share the 5,120 numbers."),
        Goal(
            "sectors loaded",
            "global_load_sectors",
            at_most=640,
            hint="Which elements do neighbouring threads read in the same round?",
        ),
    ],
    lambda run: gpusim.views.sector_view(run, title="What the warps ask for"),
    cases=tuple({"device": name} for name in ("T4", "A100", "H200")),
    hint="What becomes of the elements that are left when all threads have the same number?",
    elsewhere="How many threads are there on that GPU, and which elements are nobody's?",
    in_order="Two threads take the same element.",
    inputs=NUMBERS,
)

fair_shares = Puzzle(
    _shared_out,
    _fair,
    hint="Element 0, b is what block b did of 16 jobs, and element 1, b what it did of 32, in rounds. "
    "Elements 0, 4 and 1, 4 are what nobody did.",
    in_order="A job is done by one block, and no other may look at it.",
    inputs=[(10, 16, 32), (30, 24, 48)],
)
