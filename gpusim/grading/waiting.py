"""How often does a warp wait for what it loads? Loads that are under way together are one wait.

at_most(2, waits(launch(total, 4, 128), x, out, device="H200", where="H200"), "waits per warp", "H200")
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver
from gpusim.grading.launches import copies, counted
from gpusim.ir import scheduling
from gpusim.ir.instructions import Register
from gpusim.runtime import settings


class _Waits(GridObserver):
    """Follows each warp from block to block: `under_way` are the registers that it still waits for."""

    wants = frozenset({BlockIssued})

    def __init__(self) -> None:
        self.found = self.warps = 0
        self._under_way: dict[int, frozenset[Register]] = {}

    def watches(self, launched: GridLaunched) -> GridObserver:
        self._waiting = cache(lambda block, loaded: scheduling.waiting(launched.blocks[block], loaded))
        self._under_way = {}
        return self

    def observe(self, event: Event) -> None:
        if isinstance(event, BlockIssued):
            for warp in event.warps.tolist():
                self.warps += warp not in self._under_way
                before = self._under_way.get(warp, frozenset())
                times, self._under_way[warp] = self._waiting(event.block, before)
                self.found += times


def waits(launch: Callable[..., Any], *arguments: Any, device: str, where: str, **how: Any) -> float:
    """How often does a warp of this launch wait for loads, on average? The arrays are copied first."""
    observer = _Waits()
    with settings.during(settings.changed(observer=observer)):
        counted(launch, *copies(arguments), device=device, where=where, **how)
    return observer.found / max(observer.warps, 1)
