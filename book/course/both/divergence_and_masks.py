"""Divergence and masks: every kernel in Python and in CUDA C++."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    for half in (0, 16, 32, 40):
        both.check(of.two_sides[1, 64], cpp.two_sides[1, 64], np.zeros(64, np.int32), half)
    both.check(of.nested[1, 64], cpp.nested[1, 64], np.zeros(64, np.int32))
    needed = np.tile(np.array([3, 1, 4, 2, 8, 0, 3, 3], np.int32), 8)
    both.check(of.trips[1, 64], cpp.trips[1, 64], needed, np.zeros(64, np.int32))
    both.check(of.leave_loop[1, 64], cpp.leave_loop[1, 64], np.zeros(64, np.int32))
    both.check(of.guarded[1, 128], cpp.guarded[1, 128], np.zeros(70), sizes=(70,))
    samples = np.tile([-2.0, 0.0, 2.0, 0.0], 5)
    both.check(
        of.outliers[1, 64], cpp.outliers[1, 64], samples, np.zeros(64, np.int32), sizes=(samples.size,)
    )
    for group in (1, 32, 64):
        both.check(of.ways[1, 64], cpp.ways[1, 64], np.zeros(64), 2, group)
    amounts = np.random.default_rng(0).uniform(0, 150, 256)
    rules = (of.price_branch, of.price_select)
    prices = [
        both.check(rule[4, 64], cpp.get_function(rule.__name__)[4, 64], amounts, np.zeros(256))
        for rule in rules
    ]
    assert len({pair.python.arguments[1].tobytes() for pair in prices}) == 1, "two ways to write one rule"
