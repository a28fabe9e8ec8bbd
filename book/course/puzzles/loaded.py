"""Which words do the lanes of one warp load? So that a number comes the way that a puzzle asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.ir.types import Space
from gpusim.runtime import settings


class _Loads(GridObserver):
    wants = frozenset({MemoryAccess})

    def __init__(self, space: Space) -> None:
        self.space = space
        self.words: list[npt.NDArray[Any]] = []

    def watches(self, launched: GridLaunched) -> GridObserver:
        return self

    def observe(self, event: Event) -> None:
        if isinstance(event, MemoryAccess) and event.space is self.space and event.kind == "load":
            self.words.extend(np.where(event.active, event.memory[event.elements], 0))


@contextmanager
def loaded(space: Space) -> Iterator[list[npt.NDArray[Any]]]:
    """The words of each load from this memory, (L,), in the order of the loads; 0 for lanes without one."""
    loads = _Loads(space)
    with settings.during(settings.changed(observer=loads)):
        yield loads.words
