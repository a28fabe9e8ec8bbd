"""Independent thread scheduling: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs
from course.scheduling import data, eight, zeros
from course.scheduling import n as threads


def check(both: Pairs, of: Kernels) -> None:
    cpp, h200, zero = of.cpp, ("H200",), zeros(1)
    both.check(of.ping_pong[1, 32], cpp.ping_pong[1, 32], zero, zero, devices=h200)
    both.check(
        of.ping_pong[1, 32], cpp.ping_pong[1, 32], zero, zero, devices=("P100",), step_budget=40, masks=False
    )
    both.check(of.cpu_lock[1, 32], cpp.cpu_lock[1, 32], zero, zero, devices=h200)
    both.check(of.sum_of_eight[1, 8], cpp.sum_of_eight[1, 8], eight, eight)
    both.check(of.swap_halves[1, 32], cpp.swap_halves[1, 32], threads, threads, devices=h200)
    packing = (data, 1, zeros(2, np.uint8))
    both.check(of.pack_observed[1, 8], cpp.pack_observed[1, 8], *packing, sizes=(data.size,), devices=h200)
    both.check(of.pack_decided[1, 8], cpp.pack_decided[1, 8], *packing, sizes=(data.size,), devices=h200)
    x = np.random.default_rng(4).integers(-9, 10, 64).astype(np.int32)
    both.check(of.count_positive[1, 64], cpp.count_positive[1, 64], x, zero, masks=False, devices=h200)
    both.check(of.rotate[1, 8], cpp.rotate[1, 8], eight)
    both.check(of.two_barriers[1, 32], cpp.two_barriers[1, 32], threads)
