"""Cooperative groups: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.block_sums import CPP, NUMBERS, by_atomics, by_copies
from course.chapters import Kernels
from course.cooperative_groups import EIGHT, zeros
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp, x = of.cpp, np.arange(128, dtype=np.int32) % 3
    both.check(of.first_four[1, 8], cpp.first_four[1, 8], EIGHT, zeros(8), True, masks=False)
    both.check(of.first_four[1, 8], cpp.first_four[1, 8], EIGHT, zeros(8), False, masks=False)
    both.check(of.places[1, 200], cpp.places[1, 200], zeros((200, 4)), masks=False)
    both.check(of.sum_by_side[1, 8], cpp.sum_by_side[1, 8], EIGHT, zeros(8), masks=False)
    both.check(of.tally[2, 64], cpp.tally[2, 64], x, zeros(3), masks=False)
    both.check(of.keep[1, 16], cpp.keep[1, 16], x[:16], 0, zeros(16), zeros(1), masks=False)
    pairs, total = NUMBERS[: 1 << 13].view(np.complex64), zeros(1, np.float32)
    shown = ((of.by_memory, cpp.by_memory), (of.by_shuffles, cpp.by_shuffles), (of.by_reduce, cpp.by_reduce))
    others = ((kernel, CPP.get_function(kernel.__name__)) for kernel in (by_atomics, by_copies))
    for python, in_cpp in (*shown, *others):
        both.check(python[4, 256], in_cpp[4, 256], pairs, total, sizes=(pairs.size,), masks=False)
    both.check(of.too_early[1, 8], cpp.too_early[1, 8], EIGHT, zeros(8))
    both.check(
        of.relay[1, 64],
        cpp.relay[1, 64],
        np.arange(128, dtype=np.int32),
        zeros(128),
        sizes=(128,),
        masks=False,
    )
    ones = np.ones(256, np.float32)
    both.check(of.shares[2, 128], cpp.shares[2, 128], ones, ones, total, masks=False)
