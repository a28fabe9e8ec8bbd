"""Which functions of the CUDA math API may a kernel call? Of double, of float with an f, and overloads."""

from __future__ import annotations

from collections.abc import Iterator

from gpusim.frontends.cuda_cpp.functions.prototypes import Row, written


def rows() -> Iterator[Row]:
    """All of them."""
    yield from written("math_functions")
