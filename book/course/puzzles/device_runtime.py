"""The puzzles of chapter 15: a copy that comes later, and a chain of launches that is too long."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal
from gpusim.profile import Run
from gpusim.runtime.grids import DeviceLaunchWarning

SOURCES = [(np.random.default_rng(seed).integers(1, 100, 32, dtype=np.int32),) for seed in (15, 16)]


def _copied(kernel: Any, y: Any) -> Any:
    x = np.zeros(32, np.int32)
    kernel[1, 32](x, y)
    return x


def _filled(kernel: Any, length: int) -> Any:
    out = np.full(length, -1, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeviceLaunchWarning)  # the hint says it
        kernel[1, 1](out, 0, length)
    return out


def _tree(run: Run) -> Any:
    return gpusim.views.launch_tree(run, title="Who launched whom")


copied_first = Puzzle(
    _copied,
    lambda y: y + 1,
    [
        Goal(
            "copies by the runtime",
            lambda run: sum(kernel.kernel.startswith("cudaMemcpy") for kernel in run.kernels),
            at_least=1,
            hint="The runtime should copy y to x, and what adds 1 come behind it.",
            granted=True,
        )
    ],
    _tree,
    cases=({"device": "H200"}, *({"device": "H200", "schedule": seed} for seed in range(2))),
    hint="x[t] should be y[t] + 1. When does the copy come, and when the addition?",
    inputs=SOURCES,
)

shallow = Puzzle(
    _filled,
    lambda length: 10 * np.arange(length),
    [
        Goal(
            "stores by one grid",
            lambda run: max(kernel.counters()["global_store_requests"] for kernel in run.kernels),
            at_most=1,
            hint="Each grid should do one number: some do none, and others more.",
            granted=True,
        ),
        Goal(
            "grids for each number",
            lambda run: run.launch_tree().launches / max(run.global_store_requests, 1),
            at_least=1,
            at_most=1,
            hint="Each grid does one number, and none is launched for nothing.",
        ),
    ],
    _tree,
    cases=({"device": "V100", "cdp": 1},),
    hint="How deep may launches nest here, and how long is this chain?",
    inputs=[(60,), (45,)],
)
