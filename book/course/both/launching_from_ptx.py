"""Launching from PTX: every kernel that both languages have, in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.launching_from_ptx import zeros
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp, x, codes = of.cpp, np.arange(4, dtype=np.int32), np.array([0, 1, 1, 0], np.int32)
    both.check(of.child[1, 4], cpp.child[1, 4], np.int8(1), 2.0, np.int32(3), x)
    both.check(of.parent[1, 1], cpp.parent[1, 1], zeros(4))
    both.check(of.square[1, 1], cpp.square[1, 1], x, 3)
    both.check(of.negate[1, 1], cpp.negate[1, 1], x, 3)
    both.check(of.by_branches[1, 4], cpp.by_branches[1, 4], x, codes, masks=False)
