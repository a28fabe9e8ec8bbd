"""Parent and child grids: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import contextlib
import io

import numpy as np

import gpusim
from course.chapters import Kernels
from course.nesting import MOST_SHARED, zeros
from course.pairs import Pairs
from gpusim import cudart

LENGTHS = np.array([0, 5, 0, 40, 100, 0, 1, 0], np.int32)
START = np.array([0, 3, 303, 304, 310], np.int32)


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    both.check(of.fill[2, 32], cpp.fill[2, 32], zeros(40), 7, sizes=(40,), masks=False)
    both.check(of.fill_rows[1, 8], cpp.fill_rows[1, 8], zeros(1024), LENGTHS, masks=False)
    both.check(of.seven[1, 1], cpp.seven[1, 1], zeros(1))
    both.check(of.works_on[1, 1], cpp.works_on[1, 1], zeros(1), zeros(8), sizes=(8,), masks=False)
    both.check(of.note[1, 4], cpp.note[1, 4], zeros(6), 7)
    both.check(of.family[1, 1], cpp.family[1, 1], zeros(20), 0, masks=False)
    both.check(of.guest[1, 4], cpp.guest[1, 4], zeros(2), masks=False)
    for named in (False, True):
        both.check(of.invite[4, 8], cpp.invite[4, 8], zeros(2), named, masks=False)
        both.check(of.diamond[1, 1], cpp.diamond[1, 1], zeros(6), named, masks=False)
    both.check(of.talk[1, 1], cpp.talk[1, 1], zeros(1), True, masks=False)
    both.check(of.speaks[1, 1], cpp.speaks[1, 1], zeros(1))
    both.check(of.hears[1, 1], cpp.hears[1, 1], zeros(1) + 1, masks=False)
    with contextlib.redirect_stdout(io.StringIO()):
        both.check(of.hello[1, 1], cpp.hello[1, 1])
        both.check(of.world[1, 1], cpp.world[1, 1])
        with gpusim.use(cdp=1):
            both.check(of.greet_and_wait[1, 1], cpp.greet_and_wait[1, 1])
        with gpusim.use(cdp=2):
            both.check(of.greet[1, 1], cpp.greet[1, 1])
    for kernel in (of.roomy, cpp.roomy):
        cudart.cudaFuncSetAttribute(kernel, MOST_SHARED, 60_000)
    both.check(of.roomy[1, 32, 0, 60_000], cpp.roomy[1, 32, 0, 60_000], zeros(32), masks=False)
    both.check(of.needs_room[1, 1], cpp.needs_room[1, 1], zeros(32), zeros(1), masks=False)
    values, sums = np.arange(310, dtype=np.int32), zeros(4)
    both.check(of.sum_of_row[1, 256], cpp.sum_of_row[1, 256], values, sums, 2, sizes=(310,), masks=False)
    with gpusim.use(cdp=2):
        both.check(of.evening[1, 1], cpp.evening[1, 1], zeros(6), masks=False)
        arguments = values, START, sums, 100
        both.check(of.sums_of_rows[1, 4], cpp.sums_of_rows[1, 4], *arguments, masks=False)
