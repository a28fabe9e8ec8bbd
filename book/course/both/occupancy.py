"""Occupancy: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.occupancy import stars
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp, x = of.cpp, np.arange(1024, dtype=np.float32)
    a, b = x[:100], x[100:200]
    both.check(of.multiply[2, 64], cpp.multiply[2, 64], a, b, np.zeros_like(a), sizes=(a.size,))
    bodies, forces = stars(128)
    both.check(of.attract[2, 64, 0, 2048], cpp.attract[2, 64, 0, 2048], bodies, forces, sizes=(128,))
    both.check(of.axpy[2, 64], cpp.axpy[2, 64], np.float32(2), x, x.copy(), sizes=(x.size,), masks=False)
