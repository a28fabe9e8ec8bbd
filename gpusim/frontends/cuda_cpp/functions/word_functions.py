"""Which functions of CUDA C++ work on bits? Counts, high products, permutations, SIMD in a word."""

from __future__ import annotations

from functools import partial

from gpusim.frontends.cuda_cpp.functions.prototypes import written

rows = partial(written, "word_functions")
