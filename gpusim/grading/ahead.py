"""How full is a queue while its second warp is slow? For checks that ask who waits, and for how long.

lying = ahead(launch(queue, 1, 64), x, out, device="H200", where="H200, ten values")
require(max(lying) == 4, "the producer fills the four slots")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.grading.launches import copies, counted
from gpusim.ir.types import Space
from gpusim.machine import grid
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.machine.policy import Adversary, Choice
from gpusim.runtime import settings

SLOWER = 64  # steps of the first warp for one of the second


class _SlowSecond(Adversary):
    """Of a block of two warps the first one hurries, and the second has a step now and then."""

    def choose(self, model: SchedulingModel) -> Choice | None:
        """The lowest block at which the warp stands whose turn it is, or else the other."""
        self.steps += 1
        standing = [(block, model.standing(block)) for block in sorted(model.blocks())]
        turn = self.steps % SLOWER == 0
        for warp in (int(turn), int(not turn)):
            for block, masks in standing:
                if warp < len(masks) and masks[warp]:
                    return block, np.array([warp]), masks[[warp]]
        return None


class _Puts(GridObserver):
    """Counts warp 0's stores to shared memory, from its first global load on, and warp 1's loads."""

    wants = frozenset({MemoryAccess})

    def __init__(self) -> None:
        self.begun, self.taken, self.lying = False, 0, list[int]()

    def watches(self, launched: GridLaunched) -> GridObserver:
        return self

    def observe(self, event: Event) -> None:
        if not isinstance(event, MemoryAccess):
            return
        first, what = int(event.warps[0]) == 0, (event.space, event.kind)
        self.begun |= first and what == (Space.GLOBAL, "load")
        if self.begun and first and what == (Space.SHARED, "store"):
            self.lying.append(len(self.lying) + 1 - self.taken)
        elif self.begun and not first and what == (Space.SHARED, "load"):
            self.taken += 1


def ahead(launch: Callable[..., Any], *arguments: Any, device: str, where: str) -> list[int]:
    """How many values lie in shared memory at each put, if the warp that takes them is slow?

    One block of two warps: the first puts values of global memory into shared memory, by one store each, the
    second takes them by one load each. The arrays are copied first.
    """
    puts = _Puts()
    with (
        patch.object(grid, "Adversary", _SlowSecond),
        settings.during(settings.changed(observer=puts)),
    ):
        counted(launch, *copies(arguments), device=device, where=where, scheduling="independent", schedule=0)
    return puts.lying
