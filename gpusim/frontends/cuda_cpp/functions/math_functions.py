"""Which functions of the CUDA math API may a kernel call? Of double, of float with an f, and overloads."""

from __future__ import annotations

from functools import partial

from gpusim.frontends.cuda_cpp.functions.prototypes import written

rows = partial(written, "math_functions")
