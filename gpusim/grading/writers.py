"""Which thread wrote, or read, which element? For checks that ask how threads share the work.

writers = written_by(launch(scale, 4, 128), x, out, device="H200", where="H200, 512 floats")
require(len(np.unique(writers)) == 512, "every element has a thread of its own")
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.grading.launches import copies, counted
from gpusim.ir.types import Space
from gpusim.runtime import settings


class _Last(GridObserver):
    """The last thread that accessed each element; `loads`: by reading, else by writing."""

    wants = frozenset({MemoryAccess})

    def __init__(self, of: int, *, loads: bool) -> None:
        self._of, self._loads = of, loads
        self.found = np.zeros(0, np.int64)

    def watches(self, launched: GridLaunched) -> GridObserver:
        self._array = [array for array in launched.arrays if array.space is Space.GLOBAL][self._of]
        self.found = np.full(self._array.shape, -1)
        self._warps, self._threads = launched.warps_per_block, math.prod(launched.block)
        return self

    def observe(self, event: Event) -> None:
        if not isinstance(event, MemoryAccess) or event.space is not Space.GLOBAL:
            return
        if (event.kind == "load") is not self._loads:
            return
        block, warp = np.divmod(event.warps[:, None], self._warps)
        lanes = event.active.shape[1]
        thread = block * self._threads + warp * lanes + np.arange(lanes, dtype=np.int64)
        low, strides = self._array.first, filter(None, map(abs, self._array.strides_bytes))
        step = min(strides, default=event.width)
        for byte in range(0, event.width, step):  # a wide store writes several elements
            address = event.addresses + byte
            there = event.active & (address >= low) & (address < low + self._array.bytes)
            index, _ = self._array.index(address[there])
            self.found[tuple(index)] = thread[there]


def written_by(
    launch: Callable[..., Any], *arguments: Any, device: str, where: str, of: int = -1, **how: Any
) -> npt.NDArray[np.int64]:
    """Which thread of the grid wrote each element last? Its number, block after block; -1 where none did.

    `of` says which of the arrays is meant, the last one if nothing is said. All are copied first.
    """
    return _last(_Last(of, loads=False), launch, *arguments, device=device, where=where, **how)


def read_by(
    launch: Callable[..., Any], *arguments: Any, device: str, where: str, of: int = -1, **how: Any
) -> npt.NDArray[np.int64]:
    """Which thread of the grid loaded each element last? As `written_by`; -1 where none did."""
    return _last(_Last(of, loads=True), launch, *arguments, device=device, where=where, **how)


def _last(observer: _Last, launch: Callable[..., Any], *arguments: Any, **how: Any) -> npt.NDArray[np.int64]:
    with settings.during(settings.changed(observer=observer)):
        counted(launch, *copies(arguments), **how)
    return observer.found
