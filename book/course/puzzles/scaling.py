"""The puzzles of chapter 9: a kernel that suits one GPU, and jobs to share without a queue."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Goal, Puzzle
from gpusim import cuda

NUMBERS = np.random.default_rng(9).integers(0, 100, 5_120, dtype=np.int32)


def _tenfold(kernel: Any) -> Any:
    """One block of 32 threads for each multiprocessor, whatever GPU it is."""
    out = np.zeros_like(NUMBERS)
    kernel[cuda.get_current_device().MULTIPROCESSOR_COUNT, 32](NUMBERS, out)
    return out


def _shared_out(kernel: Any) -> Any:
    """The rounds of each of four blocks: in the first row of 16 jobs, in the second of 32."""
    shares = np.zeros((2, 4), np.int32)
    for row, jobs in enumerate((16, 32)):
        kernel[4, 1](10 * np.arange(jobs, 0, -1, dtype=np.int32), shares[row])
    return shares


any_gpu = Puzzle(
    _tenfold,
    10 * NUMBERS,
    [
        Goal(
            "sectors loaded",
            "global_load_sectors",
            at_most=NUMBERS.size // 8,
            hint="Which elements do neighbouring threads read in the same round?",
        )
    ],
    lambda run: gpusim.views.sector_view(run, title="What a warp asks for"),
    cases=tuple({"device": name} for name in ("T4", "A100", "H200")),
    raceless=True,
    hint="What becomes of the elements that are left when all threads have the same number?",
)

fair_shares = Puzzle(
    _shared_out,
    np.array([[340] * 4, [1320] * 4]),
    hint="Element 0, b is what block b did of 16 jobs, and element 1, b what it did of 32, in rounds.",
)
