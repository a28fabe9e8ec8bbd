"""Inside a multiprocessor: every kernel in Python and in CUDA C++; the chains on floats and on doubles."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs

TYPES = {"float": np.float32, "double": np.float64}


def check(both: Pairs, of: Kernels) -> None:
    cpp, out = of.cpp, np.zeros(256, np.float32)
    for name, dtype in TYPES.items():
        start = (np.arange(256) / 1024).astype(dtype)
        for chains in ("one_chain", "four_chains"):
            kernel = cpp.get_function(f"{chains}<{name}>")
            both.check(getattr(of, chains)[1, 256], kernel[1, 256], start, 5)
    x = (np.arange(1024) % 97).astype(np.float32)
    x[700:720] = -1
    both.check(of.until_negative[2, 128], cpp.until_negative[2, 128], x, out, 4)
    both.check(of.sum_all[2, 128], cpp.sum_all[2, 128], x, out, 4)
    both.check(of.smooth[1, 256], cpp.smooth[1, 256], x[:256], out)
    both.check(of.twice[2, 128], cpp.twice[2, 128], x[:256], out)
    both.check(of.weigh[2, 128], cpp.weigh[2, 128], x[:256], out)
    table, places = np.array([10, 20, 40, 80], np.float32), np.linspace(-3, 9, 256).astype(np.float32)
    both.check(of.sample[2, 128], cpp.sample[2, 128], table, places, out, sizes=(4,))
