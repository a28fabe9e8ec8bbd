"""Wide loads: every kernel in both languages, and the launch bound that changes their order of loads."""

from __future__ import annotations

import numpy as np

from course.chapters import Kernels
from course.pairs import Pairs
from course.wide_loads import BIG, FIELDS, POINTS, SMALL


def check(both: Pairs, of: Kernels) -> None:
    cpp, final, small = of.cpp, np.zeros(POINTS), SMALL.view(complex)
    for name in ("best_of_sums", "best_bounded"):
        both.check(getattr(of, name)[8, 1024], cpp.get_function(name)[8, 1024], BIG, SMALL, final)
    both.check(of.best_wide_small[8, 1024], cpp.best_wide_small[8, 1024], BIG, small, final)
    wide = BIG.view(complex), small, final.view(complex)
    both.check(of.best_wide_both[4, 1024], cpp.best_wide_both[4, 1024], *wide)
    both.check(of.eight[1, 64], cpp.eight[1, 64], np.arange(512.0), np.zeros(64))
    both.check(of.moments[1, 64], cpp.moments[1, 64], *FIELDS[:, :256], np.zeros((14, 64)), sizes=(256,))
