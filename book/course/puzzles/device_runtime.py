"""The puzzles of chapter 15: a copy that comes later, and a chain of launches that is too long."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import gpusim
from course.puzzles import Goal, Puzzle
from gpusim.profile import Run
from gpusim.runtime.grids import DeviceLaunchWarning

SOURCE = np.random.default_rng(15).integers(1, 100, 32, dtype=np.int32)


def _copied(kernel: Any) -> Any:
    x = np.zeros(32, np.int32)
    kernel[1, 32](x, SOURCE)
    return x


def _filled(kernel: Any) -> Any:
    out = np.full(60, -1, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeviceLaunchWarning)  # the hint says it
        kernel[1, 1](out, 0, 60)
    return out


def _tree(run: Run) -> Any:
    return gpusim.views.launch_tree(run, title="Who launched whom")


copied_first = Puzzle(
    _copied,
    SOURCE + 1,
    picture=_tree,
    cases=({"device": "H200"}, *({"device": "H200", "schedule": seed} for seed in range(2))),
    hint="x[t] should be y[t] + 1. When does the copy come, and when the addition?",
)

shallow = Puzzle(
    _filled,
    10 * np.arange(60),
    [
        Goal(
            "grids",
            lambda run: run.launch_tree().launches,
            at_least=60,
            at_most=60,
            hint="Each grid does one number, and none is launched for nothing.",
        ),
    ],
    _tree,
    cases=({"device": "V100", "cdp": 1},),
    hint="How deep may launches nest here, and how long is this chain?",
)
