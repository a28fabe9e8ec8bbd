"""What may a puzzle ask of a run? Bounds of a counter, or of what a function reads off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpusim.errors import ReportError
from gpusim.ir.types import Space
from gpusim.measurements.accesses import Access
from gpusim.profile import Run
from gpusim.profile.kernel_run import KernelRun

Measure = str | Callable[[Run], float]


@dataclass(frozen=True)
class Goal:
    """What a puzzle asks of a run: a counter, or what a function reads off, within these bounds.

    what: its name in words, "sectors loaded". hint: said while it is out of them. granted: the first kernel
    keeps to it, too, so that it is spoken of only where a kernel does not.
    """

    what: str
    measure: Measure
    at_most: float = np.inf
    at_least: float = -np.inf
    hint: str = ""
    granted: bool = False

    def value(self, run: Run) -> float:
        return float(run.counters()[self.measure] if isinstance(self.measure, str) else self.measure(run))

    def holds(self, value: float) -> bool:
        return self.at_least <= value <= self.at_most

    @property
    def asked(self) -> str:
        """In words: "at most 4"."""
        bounds = ("at most", self.at_most), ("at least", self.at_least)
        told = [f"{words} {number(bound)}" for words, bound in bounds if np.isfinite(bound)]
        return number(self.at_most) if self.at_most == self.at_least else ", ".join(told)


def _accesses(kernel: KernelRun, space: Space, *kinds: str) -> list[Access]:
    """Those of these kinds in a grid; none where it makes none."""
    try:
        return kernel.accesses.of("it", space, None, kinds)
    except ReportError:
        return []


def stores_by_one_thread(run: Run) -> float:
    """How often does the busiest thread of the host's grid store, by atomics too? 1, if each has a place."""
    of_thread: dict[tuple[int, int], float] = defaultdict(float)
    for store in _accesses(run.kernels[0], Space.GLOBAL, "store", "atomic", "cas"):
        for warp in store.warps:
            for lane in np.flatnonzero(store.active).tolist():
                of_thread[warp, lane] += store.times / len(store.warps)
    return max(of_thread.values(), default=0.0)


def atomics_of_threads(run: Run) -> float:
    """How many atomic operations do the threads of the host's grid make? 32, if a whole warp makes one."""
    found = [
        each
        for space in (Space.GLOBAL, Space.SHARED)
        for each in _accesses(run.kernels[0], space, "atomic", "cas")
    ]
    return float(sum(each.times * each.active.sum() for each in found))


def children_that_write(run: Run) -> float:
    """How many of the grids that kernels launched, copies among them, wrote to global memory?"""
    counters = [kernel.counters() for kernel in run.kernels[1:]]
    return sum(each["global_store_requests"] + each["global_atomic_requests"] > 0 for each in counters)


def children_that_make(places: int, run: Run) -> float:
    """How many of the grids that kernels launched wrote to so many places, or oftener?"""
    written = [_accesses(kernel, Space.GLOBAL, "store", "atomic", "cas") for kernel in run.kernels[1:]]
    return sum(sum(each.times * int(each.active.sum()) for each in found) >= places for found in written)


def each_its_own(at_most: int, hint: str) -> Goal:
    """No thread does the work of others."""
    return Goal("stores by one thread", stores_by_one_thread, at_most=at_most, hint=hint, granted=True)


def number(value: float) -> str:
    """1234.0 is "1,234", and 2.53 "2.5"."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
