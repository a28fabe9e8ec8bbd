"""The puzzles of chapter 14: a child that is certain of too little, and grids that follow a whole grid."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, children_that_make
from gpusim import cudart

TAIL, FORGET = cudart.cudaStreamTailLaunch, cudart.cudaStreamFireAndForget

ONE_TO_EIGHT = np.arange(1, 9, dtype=np.int32)
HEIGHTS = [(np.array(row, np.int32),) for row in ([3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8])]


def _handed_on(kernel: Any) -> Any:
    x, noted = np.zeros((2, 8), np.int32)
    kernel[1, 8](x, noted)
    return np.stack([x, noted])


def _smoothed(kernel: Any, x: Any) -> Any:
    rows = np.zeros((3, 8), np.int32)
    kernel[2, 4](x, *rows)
    return rows


def _pairs(x: Any) -> Any:
    return x + np.roll(x, -1)


def _launched(grids: int, hint: str) -> Goal:
    """The parent leaves work to children."""
    made = partial(children_that_make, 8)
    return Goal("children that write eight places", made, at_least=grids, hint=hint, granted=True)


def _visible(report: Any) -> Any:
    return gpusim.views.visibility_view(report, title="Who is certain to see what?")


certain_notes = Puzzle(
    _handed_on,
    np.stack([3 * ONE_TO_EIGHT, ONE_TO_EIGHT]),
    [_launched(1, "The parent should write 1 to 8, and a child that it launches triple them.")],
    seen=_visible,
    hint=(
        "Row 0 is x. Three times 1 to 8 it should be: was all of it written when the child came?",
        "Row 1 is noted, which should have 1 to 8. Was the child there first?",
    ),
    in_order="A launch makes certain that the child sees what came before it. What of that after it?",
)

three_times = Puzzle(
    _smoothed,
    lambda x: np.stack([_pairs(x), _pairs(_pairs(x)), _pairs(_pairs(_pairs(x)))]),
    [_launched(2, "The parent should make y, one child z, and another one out.")],
    seen=_visible,
    hint=(
        "Row 0 is y. Each place should be that of x and its right neighbour together; the parent makes it.",
        "Row 1 is z, made from y by a child, as y was from x. Did it begin before y was there?",
        "Row 2 is out, made from z as z was from y. y and z are right, so the grid that makes out began "
        "before the one that makes z had ended. Launch them in the order of the work, one behind the other.",
    ),
    in_order="A grid reads what is not certain to be there. y comes from all blocks of the parent, and z "
    "from all of a child: choose launches that begin only when those are over.",
    inputs=HEIGHTS,
)
