"""Synchronisation: every kernel in Python and in CUDA C++."""

from __future__ import annotations

from typing import Any

from course.chapters import Kernels
from course.pairs import Pairs
from course.synchronisation import eight, many, sixteen, zeros


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    both.check(of.triple[2, 4], cpp.triple[2, 4], eight, zeros(8))
    both.check(of.reverse[1, 64], cpp.reverse[1, 64], many, zeros(64))
    both.check(of.across[2, 8], cpp.across[2, 8], sixteen, zeros(16), zeros(16), sizes=(16,))
    flags: dict[str, Any] = {
        "masks": False,
        "devices": ("H200",),
    }  # how often they look is a matter of order
    both.check(of.hand_over[2, 1], cpp.hand_over[2, 1], zeros(), zeros(), zeros(), **flags)
    both.check(of.one_slot[1, 64], cpp.one_slot[1, 64], eight[:1], zeros(), sizes=(1,), **flags)
    both.check(of.backwards[8, 1], cpp.backwards[8, 1], zeros(9), zeros(9), **flags)
    both.check(of.largest[8, 1], cpp.largest[8, 1], eight, zeros(), zeros(2), **flags)
    both.check(of.sum_up[8, 1], cpp.sum_up[8, 1], eight, zeros(8), zeros(), zeros())
