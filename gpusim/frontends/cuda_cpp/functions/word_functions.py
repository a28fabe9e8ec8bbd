"""Which functions of CUDA C++ work on bits? Counts, high products, permutations, SIMD in a word."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import Row, written


def rows() -> Iterator[Row]:
    """All of them."""
    yield from written("word_functions")
