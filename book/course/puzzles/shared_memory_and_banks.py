"""The puzzles of chapter 5: lanes that queue for words of a bank."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal
from course.puzzles.loaded import loaded
from gpusim.ir.types import Space
from gpusim.profile import Run

FOURS = np.arange(4 * 32, dtype=np.int32).reshape(4, 32)
OTHER_FOURS = np.random.default_rng(6).integers(0, 1 << 30, (4, 32), dtype=np.int32)
SQUARES = [(np.random.default_rng(seed).integers(0, 100, (32, 32), dtype=np.int32),) for seed in (5, 6)]


def _wavefronts(run: Run) -> float:
    return float(run.shared_store_wavefronts + run.shared_load_wavefronts)


def _with_sums(kernel: Any, x: Any, out: Any) -> Any:
    """Rows of `out`, and one more of what each lane loads from shared memory, added up."""
    with loaded(Space.SHARED) as words:
        kernel[1, 32](x, out)
    return np.vstack([out, sum(words, np.zeros(32, np.int64))])


def _queues(run: Run) -> Any:
    """The line whose lanes take most wavefronts."""
    counts = {
        line["line"]: line["shared_load_wavefronts"] + line["shared_store_wavefronts"]
        for line in run.kernels[0].lines
    }
    worst = run.bank_report(line=max(counts, key=lambda line: counts[line]))
    return gpusim.views.bank_view(worst, title="Who waits for which bank?")


def _backwards(kernel: Any, x: Any) -> Any:
    return _with_sums(kernel, x, np.zeros((4, 32), np.int32))


def _row_sums(kernel: Any, x: Any) -> Any:
    return _with_sums(kernel, x, np.zeros(32, np.int32))


def _stay(row: int) -> str:
    return (
        "The numbers must stay in shared memory. "
        f"Row {row} is the sum of all that lane t loads from there: each number of its own, once."
    )


def _once(at_most: int, what: str, measure: str) -> Goal:
    hint = "A number is loaded from x once; from then on it is in shared memory."
    return Goal(what, measure, at_most=at_most, hint=hint, granted=True)


backwards = Puzzle(
    _backwards,
    lambda x: np.vstack([x[::-1], x.sum(axis=0, dtype=np.int64)]),
    [
        _once(4, "requests to load from x", "global_load_requests"),
        Goal(
            "wavefronts in shared memory",
            _wavefronts,
            at_least=8,
            at_most=8,
            hint="Four stores and four loads: one wavefront each, if no two lanes share a bank.",
        ),
    ],
    _queues,
    hint=(*4 * ("Store and load must agree where lane t keeps its number k.",), _stay(4)),
    inputs=[(FOURS,), (OTHER_FOURS,)],
)

row_sums = Puzzle(
    _row_sums,
    lambda x: np.vstack(2 * [x.sum(axis=1)]),
    [
        _once(128, "sectors loaded from x", "global_load_sectors"),
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
    hint=("out[t] is the sum of row t: all 32 columns of it, each once.", _stay(1)),
    inputs=SQUARES,
)
