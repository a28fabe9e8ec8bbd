"""Memory across launches: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

import gpusim
from course.bezier import COUNT, CURVES, MOST, points_of
from course.chapters import Kernels
from course.memory_across_launches import arrays
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    both.check(of.increase[1, 64], cpp.increase[1, 64], np.zeros(64, np.int32))
    with gpusim.use(cdp=1):
        both.check(of.parent[1, 64], cpp.parent[1, 64], *arrays(64), True, True, masks=False)
    both.check(of.collect[2, 32], cpp.collect[2, 32], *arrays(64))
    with gpusim.use(cdp=2):
        for tail in (False, True):
            both.check(of.parent_today[4, 16], cpp.parent_today[4, 16], *arrays(64), tail, masks=False)
    numbers = np.arange(16, dtype=np.int32)
    both.check(of.permute[1, 16, 0, 64], cpp.permute[1, 16, 0, 64], 16, numbers, False, masks=False)
    lines, counts = np.zeros((COUNT, MOST + 1, 2), np.float32), np.zeros(COUNT, np.int32)
    both.check(of.flat[COUNT, 32], cpp.flat[COUNT, 32], CURVES, lines, counts, masks=False)
    line = np.zeros((21, 2), np.float32)
    both.check(of.draw[1, 32], cpp.draw[1, 32], CURVES, 3, 20, line, 0, masks=False)
    pool, used = np.zeros((points_of(CURVES).sum(), 2), np.float32), np.zeros(1, np.int32)
    with gpusim.use(cdp=2):
        both.check(
            of.by_pool[2, 32], cpp.by_pool[2, 32], CURVES, pool, used, counts, counts.copy(),
            sizes=(len(pool),), masks=False,
        )  # fmt: skip
