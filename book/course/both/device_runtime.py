"""The device runtime: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

import gpusim
from course.chapters import Kernels
from course.device_runtime import shuffled, zeros
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp, x = of.cpp, shuffled(40)
    arrays = x, np.zeros_like(x), np.zeros_like(x)
    both.check(of.quick[1, 64], cpp.quick[1, 64], *arrays, 0, x.size, masks=False)
    both.check(of.who_hears[1, 2], cpp.who_hears[1, 2], zeros(3, 2), masks=False)
    more = 0, 4, 24, zeros(2)
    both.check(of.sort[1, 64], cpp.sort[1, 64], *arrays, 0, x.size, *more, masks=False)
    both.check(of.in_parts[5, 1], cpp.in_parts[5, 1], x, arrays[1], zeros(2), masks=False)
    with gpusim.use(cdp=1):
        both.check(of.waits[1, 1], cpp.waits[1, 1], zeros(4), 0, sizes=(4,), masks=False)
    both.check(of.asks[1, 1], cpp.asks[1, 1], zeros(4), 2, zeros(1), masks=False)
    both.check(of.asks[1, 1], cpp.asks[1, 1], zeros(4), 4, zeros(1), masks=False)
    both.check(of.copies[1, 1], cpp.copies[1, 1], zeros(4), zeros(4) + 7, zeros(2), masks=False)
    both.check(of.exchange[1, 32], cpp.exchange[1, 32], x[:32], 32, 16, masks=False)
    both.check(of.nothing[1, 32], cpp.nothing[1, 32], zeros(1), masks=False)
    both.check(of.eight[1, 8], cpp.eight[1, 8], x, arrays[1], 8, masks=False)
    both.check(of.far[1, 1], cpp.far[1, 1], zeros(4), 2, masks=False)
    both.check(of.look[1, 1], cpp.look[1, 1], zeros(4) + 7, zeros(2), masks=False)
