"""The puzzles of chapter 5: lanes that queue for words of a bank."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Goal, Puzzle
from gpusim.profile import Run

FOURS = np.arange(4 * 32, dtype=np.int32).reshape(4, 32)
OTHER_FOURS = np.random.default_rng(6).integers(0, 1 << 30, (4, 32), dtype=np.int32)
SQUARES = [(np.random.default_rng(seed).integers(0, 100, (32, 32), dtype=np.int32),) for seed in (5, 6)]


def _wavefronts(run: Run) -> float:
    return float(run.shared_store_wavefronts + run.shared_load_wavefronts)


IN_SHARED_MEMORY = Goal(
    "requests to shared memory",
    lambda run: run.shared_store_requests + run.shared_load_requests,
    at_least=2,
    hint="The numbers must stay in shared memory.",
    granted=True,
)


def _queues(run: Run) -> Any:
    """The line whose lanes take most wavefronts."""
    counts = {
        line["line"]: line["shared_load_wavefronts"] + line["shared_store_wavefronts"]
        for line in run.kernels[0].lines
    }
    worst = run.bank_report(line=max(counts, key=lambda line: counts[line]))
    return gpusim.views.bank_view(worst, title="Who waits for which bank?")


def _backwards(kernel: Any, x: Any) -> Any:
    out = np.zeros((4, 32), np.int32)
    kernel[1, 32](x, out)
    return out


def _row_sums(kernel: Any, x: Any) -> Any:
    out = np.zeros(32, np.int32)
    kernel[1, 32](x, out)
    return out


backwards = Puzzle(
    _backwards,
    lambda x: x[::-1],
    [
        IN_SHARED_MEMORY,
        Goal(
            "wavefronts in shared memory",
            _wavefronts,
            at_least=8,
            at_most=8,
            hint="Four stores and four loads: one wavefront each, if no two lanes share a bank.",
        ),
    ],
    _queues,
    hint="Store and load must agree where lane t keeps its number k.",
    inputs=[(FOURS,), (OTHER_FOURS,)],
)

row_sums = Puzzle(
    _row_sums,
    lambda x: x.sum(axis=1),
    [
        IN_SHARED_MEMORY,
        Goal(
            "wavefronts of loads",
            lambda run: run.shared_load_wavefronts,
            at_least=32,
            at_most=32,
            hint="In each round every lane should find its word in a bank of its own.",
        ),
        Goal(
            "wavefronts of stores",
            lambda run: run.shared_store_wavefronts,
            at_least=32,
            at_most=32,
            hint="The queue has moved from the loads to the stores.",
        ),
        Goal(
            "bytes of shared memory",
            lambda run: run.kernels[0].shared_bytes_per_block,
            at_most=4096,
            hint="Padding is one way. But who says in which order a lane has to add?",
        ),
    ],
    _queues,
    hint="out[t] is the sum of row t: all 32 columns of it, each once.",
    inputs=SQUARES,
)
