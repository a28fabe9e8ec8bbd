"""The puzzles of chapter 7: pairs to load at once, rows that begin between two pairs, waits to share."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import Goal, each_its_own
from gpusim import cuda
from gpusim.ir.control_flow import successors
from gpusim.ir.instructions import Opcode
from gpusim.ir.scheduling import waits
from gpusim.profile import Run


def _two(seed: int, *shape: int) -> Any:
    """The page's numbers, and others."""
    return [
        (np.random.default_rng(each).integers(0, 100, shape).astype(np.float64),)
        for each in (seed, seed + 10)
    ]


def _summed(kernel: Any, numbers: Any) -> Any:
    """The same bytes twice: one by one, and as pairs."""
    x, out = cuda.to_device(numbers.reshape(-1)), np.zeros(32)
    kernel[1, 32](x, x.view(np.complex128), out)
    return out


def _asked(run: Run) -> Any:
    return gpusim.views.sector_view(run, title="What one request brings")


def _eight(kernel: Any, x: Any) -> Any:
    out = np.zeros(32)
    kernel[1, 32](x, out)
    return out


def _waits(run: Run) -> float:
    """How often does its only warp wait for loads? A block of a loop counts in every round."""
    blocks, _ = run.kernels[0]._blocks
    loads = [sum(each.opcode is Opcode.LOAD for each in block.instructions) for block in blocks]
    again = [
        any(target <= place for target in successors(block.terminator)) for place, block in enumerate(blocks)
    ]
    once = sum(count for count, loops in zip(loads, again, strict=True) if not loops)
    rounds = (run.global_load_requests - once) / max(sum(loads) - once, 1)
    return sum(waits(block) * (rounds if loops else 1) for block, loops in zip(blocks, again, strict=True))


ONE_SUM = "Each thread adds up its own numbers, and stores the sum."
PAIRED = "pairs[j] is x[2 * j] and x[2 * j + 1], as its fields real and imag."

eight_each = Puzzle(
    _summed,
    lambda x: x.reshape(32, 8).sum(axis=1),
    [
        each_its_own(1, ONE_SUM),
        Goal("requests", "global_load_requests", at_most=4, hint="Eight numbers are four pairs."),
    ],
    _asked,
    hint=PAIRED,
    inputs=_two(7, 8 * 32),
)

odd_rows = Puzzle(
    _summed,
    lambda x: x.sum(axis=1),
    [
        each_its_own(1, ONE_SUM),
        Goal(
            "requests",
            "global_load_requests",
            at_most=8,
            hint="Seven pairs and one number are eight. (Where lanes part, each side sends requests.)",
        ),
    ],
    _asked,
    hint=PAIRED + " Does row 1 begin with the first half of one?",
    inputs=_two(8, 32, 15),
)

four_chairs = Puzzle(
    _eight,
    lambda x: x.sum(axis=0),
    [
        Goal(
            "waits",
            _waits,
            at_most=2,
            hint="At the first use of a load the warp waits for all that are under way. Send more before it.",
        ),
        Goal(
            "registers",
            lambda run: run.registers_per_thread,
            at_most=14,
            hint="A double takes two. How many must be there at the same time for two waits?",
        ),
    ],
    hint="out[i] is the sum of the eight numbers of column i.",
    inputs=_two(9, 8, 32),
)
