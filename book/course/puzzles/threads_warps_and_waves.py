"""The puzzles of chapter 1: a width that is not everybody's, and a seat that is taken too soon."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle
from course.puzzles.goals import each_its_own

PEOPLE = [(np.random.default_rng(seed).permutation(200).astype(np.int32),) for seed in (1, 2)]


def _warps(kernel: Any, threads: int) -> Any:
    warp = np.full(threads, -1, np.int32)
    kernel[1, threads](warp)
    return warp


def _warp_of_each(threads: int) -> Any:
    return np.arange(threads) // gpusim.cuda.get_current_device().WARP_SIZE


def _moved(kernel: Any, x: Any) -> Any:
    kernel[1, 200](x)
    return x


my_warp = Puzzle(
    _warps,
    _warp_of_each,
    [each_its_own(1, "Each thread should write down the number of its own warp.")],
    cases=[{"device": "H200"}, {"device": "MetaX C500"}],
    hint="A warp has 32 lanes there. Which threads are in warp 1?",
    elsewhere="How many lanes does a warp have there, and who tells the kernel?",
    inputs=[(200,), (330,)],
)

one_seat_on = Puzzle(
    _moved,
    lambda x: np.roll(x, -1),
    [each_its_own(1, "One thread for each seat: each should write to one, its own.")],
    cases=[{"device": "H200"}, *({"device": "H200", "schedule": how} for how in ("serial", 1, 2))],
    hint="Seat i should end with who sat in seat i + 1, and seat 199 with who sat in seat 0. Whom does a "
    "thread read, and where does it write?",
    elsewhere="Who wrote to a seat before its neighbour had read it?",
    in_order="Somebody writes to a seat, and nothing makes sure that its neighbour has read it by then.",
    inputs=PEOPLE,
)
