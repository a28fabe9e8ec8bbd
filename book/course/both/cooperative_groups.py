"""Cooperative groups: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.cooperative_groups import EIGHT, NUMBERS, zeros
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp, x = of.cpp, np.arange(128, dtype=np.int32) % 3
    both.check(of.first_four[1, 8], cpp.first_four[1, 8], EIGHT, zeros(8), True)
    both.check(of.first_four[1, 8], cpp.first_four[1, 8], EIGHT, zeros(8), False, masks=False)
    both.check(of.places[2, 200], cpp.places[2, 200], zeros((400, 6)))
    both.check(of.sum_by_side[1, 8], cpp.sum_by_side[1, 8], EIGHT, zeros(8), masks=False)
    both.check(of.tally[2, 64], cpp.tally[2, 64], x, zeros(3), masks=False)
    both.check(of.keep[1, 16], cpp.keep[1, 16], x[:16], 0, zeros(16), zeros(1), masks=False)
    pairs, total = NUMBERS[: 1 << 13].view(np.complex64), zeros(1, np.float32)
    for name in ("by_memory", "by_shuffles", "by_reduce", "by_atomics", "by_copies"):
        sums = getattr(of, name)[4, 256], getattr(cpp, name)[4, 256]
        both.check(*sums, pairs, total, sizes=(pairs.size,), masks=False)
    # by_memory by_shuffles by_reduce by_atomics by_copies
    both.check(of.relay[1, 64], cpp.relay[1, 64], np.arange(128, dtype=np.int32), zeros(128), sizes=(128,), masks=False)
    ones = np.ones(256, np.float32)
    both.check(of.shares[2, 128], cpp.shares[2, 128], ones, ones, total, masks=False)
