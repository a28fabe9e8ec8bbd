"""Where does each parameter of a kernel lie? In the order of the kernel, at a multiple of its alignment.

`(char, double, int)` lie at bytes 0, 8 and 16: 20 bytes, of which 7 are padding. The buffer begins at a
multiple of 64. CUDA C++ Programming Guide, "Parameter Buffer Layout", which says "a multiple of its size":
the same for numbers and pointers, but a struct is aligned as its widest member is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpusim.ir.types import Scalar

BASE_BYTES = 64
# By CDP: the guide's 4 KB; an H200 takes 8,192 and 32,000 under CDP2, and 32,764 are what CUDA 12.1 allows
MOST_BYTES = {1: 4096, 2: 32764}
MORE_FROM = (7, 0)  # the compute capability from which a launch of the host may have so many, with CUDA 12.1


def most_host_bytes(compute_capability: tuple[int, int] | None) -> int:
    """How many bytes of parameters may a kernel in CUDA C++ have that the host launches? In Python: any."""
    return MOST_BYTES[2 if (compute_capability or (0, 0)) >= MORE_FROM else 1]


def placed(parts: Iterable[tuple[int, int]]) -> tuple[list[int], int]:
    """The first byte of each part, given as (size, alignment), and the byte behind the last."""
    firsts, end = list[int](), 0
    for size, alignment in parts:
        firsts.append(-(-end // alignment) * alignment)
        end = firsts[-1] + size
    return firsts, end


@dataclass(frozen=True)
class Packed:
    """The numbers and addresses of a kernel's parameters: at which byte, of which type; `bytes` in all."""

    numbers: tuple[tuple[int, Scalar], ...]
    bytes: int
