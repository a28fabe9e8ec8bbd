"""Which functions of CUDA C++ are of halves? Those of cuda_fp16.h: of `__half`, and of two in a `__half2`."""

from __future__ import annotations

from functools import partial

from gpusim.frontends.cuda_cpp.functions.prototypes import written

rows = partial(written, "half_functions")
