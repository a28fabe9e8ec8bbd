"""Scaling: every kernel in Python and in CUDA C++."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs
from course.scaling import numbers


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    x, y = numbers(300)
    both.check(of.smooth[5, 64], cpp.smooth[5, 64], x, y, sizes=(300,))
    both.check(of.smooth_tile[5, 64, 0, 264], cpp.smooth_tile[5, 64, 0, 264], x, y, sizes=(300,))
    both.check(of.smooth_any[2, 64], cpp.smooth_any[2, 64], x, y, sizes=(300,), masks=False)
    rows, zero = np.arange(16, 0, -1).astype(np.int32), np.zeros(16, np.int32)
    for ours, theirs in ((of.in_runs, cpp.in_runs), (of.in_turn, cpp.in_turn)):
        both.check(ours[4, 32], theirs[4, 32], rows, zero, zero, sizes=(16,), masks=False)
    queue = of.from_queue[4, 32], cpp.from_queue[4, 32]
    both.check(*queue, rows, zero, zero, np.zeros(1, np.int32), sizes=(16,), masks=False)
    flag = np.zeros(1, np.int32)
    both.check(of.wait_for_last[2, 32], cpp.wait_for_last[2, 32], flag, np.zeros(2, np.int32), masks=False)
    with redirect_stdout(StringIO()):
        both.check(of.hello[2, 32], cpp.hello[2, 32])
        both.check(of.hello_box[1, (2, 2, 2)], cpp.hello_box[1, (2, 2, 2)], masks=False)
