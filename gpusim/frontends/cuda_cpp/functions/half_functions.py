"""Which functions of CUDA C++ are of halves? Those of cuda_fp16.h: of `__half`, and of two in a `__half2`."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import Row, written


def rows() -> Iterator[Row]:
    """All of them."""
    yield from written("half_functions")
