"""Independent thread scheduling: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp, h200 = of.cpp, ("H200",)
    zero, threads = np.zeros(1, np.int32), np.arange(32, dtype=np.int32)
    many = np.arange(256, dtype=np.int32)
    eight, words = threads[:8], np.zeros(8, np.uint32)
    both.check(of.ping_pong[1, 32], cpp.ping_pong[1, 32], zero, zero, devices=h200)
    both.check(
        of.ping_pong[1, 32], cpp.ping_pong[1, 32], zero, zero, devices=("P100",), step_budget=40, masks=False
    )
    both.check(of.cpu_lock[1, 32], cpp.cpu_lock[1, 32], zero, zero, devices=h200)
    both.check(of.gpu_lock[1, 32], cpp.gpu_lock[1, 32], zero, zero)
    both.check(of.talk[1, 8], cpp.talk[1, 8], eight, eight, words)
    both.check(of.swap_halves[1, 32], cpp.swap_halves[1, 32], threads, threads, devices=h200)
    data = np.arange(40, dtype=np.int32) % 3
    packing = (data, 1, np.zeros(2, np.uint32))
    both.check(of.pack_observed[1, 32], cpp.pack_observed[1, 32], *packing, sizes=(data.size,), devices=h200)
    both.check(of.pack_decided[1, 32], cpp.pack_decided[1, 32], *packing, sizes=(data.size,), devices=h200)
    x = np.random.default_rng(4).integers(-9, 10, 64).astype(np.int32)
    keeping = (x, np.zeros(64, np.int32), zero)
    both.check(of.keep_positive[1, 64], cpp.keep_positive[1, 64], *keeping, masks=False, devices=h200)
    both.check(of.rotate[1, 8], cpp.rotate[1, 8], eight)
    both.check(of.rotate_in_step[1, 8], cpp.rotate_in_step[1, 8], eight)
    both.check(of.sum_of_warp[1, 32], cpp.sum_of_warp[1, 32], threads, threads, devices=h200)
    both.check(of.sum_of_block[1, 256], cpp.sum_of_block[1, 256], many, zero, devices=h200)
    both.check(of.two_barriers[1, 32], cpp.two_barriers[1, 32], threads)
    both.check(of.one_barrier[1, 32], cpp.one_barrier[1, 32], threads)
