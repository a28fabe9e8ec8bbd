"""The puzzles of chapter 1: a width that is not everybody's, and a seat that is taken too soon."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.puzzles import Puzzle

PEOPLE = np.random.default_rng(1).permutation(200).astype(np.int32)


def _warps(kernel: Any) -> Any:
    warp = np.full(200, -1, np.int32)
    kernel[1, 200](warp)
    return warp


def _warp_of_each() -> Any:
    return np.arange(200) // gpusim.cuda.get_current_device().WARP_SIZE


def _moved(kernel: Any) -> Any:
    x = PEOPLE.copy()
    kernel[1, 200](x)
    return x


my_warp = Puzzle(
    _warps,
    _warp_of_each,
    cases=[{"device": "H200"}, {"device": "MetaX C500"}],
    hint="How many lanes does a warp have there? CUDA C++ asks warpSize, Python cuda.warpsize.",
)

one_seat_on = Puzzle(
    _moved,
    np.roll(PEOPLE, -1),
    cases=[{"device": "H200"}, *({"device": "H200", "schedule": how} for how in ("serial", 1, 2))],
    raceless=True,
    hint="Seat i should end with who sat in seat i + 1, and seat 199 with who sat in seat 0. "
    "Who wrote to a seat before its neighbour had read it?",
)
