"""Threads, warps and waves: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs

SHAPES = ((8, 8, 1), (200, 1, 1), (16, 16, 1), (20, 10, 1), (10, 5, 4))


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    both.check(of.roll_call[1, 200], cpp.roll_call[1, 200], np.zeros(200, np.int32))
    for shape in SHAPES:
        both.check(of.place[1, shape], cpp.place[1, shape], np.zeros(shape[::-1], np.int32), masks=False)
    both.check(of.number[2, 200], cpp.number[2, 200], np.zeros(400, np.int32))
    four_warps = np.arange(128, dtype=np.int32), np.zeros(1, np.int32), np.zeros(8, np.int32)
    both.check(of.clock_in[1, 128], cpp.clock_in[1, 128], *four_warps)
    floats = np.ones(20_000, np.float32)
    both.check(of.scale[100, 200], cpp.scale[100, 200], floats, sizes=(floats.size,))
    both.check(of.countdown[1, 8], cpp.countdown[1, 8], np.zeros(8, np.int32))
    for yes in (True, False):
        both.check(of.remember[1, 1], cpp.remember[1, 1], yes, np.zeros(3, np.int32), np.zeros(1, np.int32))
    both.check(of.one_box_each[2, 4], cpp.one_box_each[2, 4], np.zeros(8, np.int32))
