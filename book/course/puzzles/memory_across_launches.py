"""The puzzles of chapter 14: a child that is certain of too little, and grids that follow a whole grid."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from gpusim import cudart

TAIL, FORGET = cudart.cudaStreamTailLaunch, cudart.cudaStreamFireAndForget

ONE_TO_EIGHT = np.arange(1, 9, dtype=np.int32)
HEIGHTS = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)


def _handed_on(kernel: Any) -> Any:
    x, noted = np.zeros((2, 8), np.int32)
    kernel[1, 8](x, noted)
    return np.stack([x, noted])


def _smoothed(kernel: Any) -> Any:
    y, z, out = np.zeros((3, 8), np.int32)
    kernel[2, 4](HEIGHTS, y, z, out)
    return out


def _pairs(x: Any) -> Any:
    return x + np.roll(x, -1)


def _visible(report: Any) -> Any:
    return gpusim.views.visibility_view(report, title="Who is certain to see what?")


certain_notes = Puzzle(
    _handed_on,
    np.stack([3 * ONE_TO_EIGHT, ONE_TO_EIGHT]),
    raceless=True,
    seen=_visible,
    hint="Row 0 is x, three times 1 to 8; row 1 is noted, 1 to 8.",
)

three_times = Puzzle(
    _smoothed,
    _pairs(_pairs(_pairs(HEIGHTS))),
    raceless=True,
    seen=_visible,
    hint="Three times in a row each place becomes the sum of itself and its right neighbour.",
)
