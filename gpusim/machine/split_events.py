"""Whose event is it? Those of a batch of several grids, cut into what each grid's own observers are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpusim.events import (
    BarrierPassed,
    BarrierReached,
    BlockIssued,
    BranchTaken,
    ChildLaunched,
    ChildrenAwaited,
    CopiesAwaited,
    Event,
    FenceExecuted,
    GridObserver,
    LanesSynchronized,
    MemoryAccess,
    NamedBarrierUsed,
    RegisterWritten,
    TexelsAccessed,
)
from gpusim.machine.layout import Layout

# what of an event has a row for each of its warps
BY_WARP: dict[type, tuple[str, ...]] = {
    BlockIssued: ("active",),
    MemoryAccess: ("active", "addresses", "elements"),
    TexelsAccessed: ("active", "addresses"),
    RegisterWritten: ("active", "values"),
    BranchTaken: ("active", "taken"),
    BarrierReached: ("active",),
    BarrierPassed: ("active",),
    NamedBarrierUsed: ("active", "phases"),
    LanesSynchronized: ("active", "absent"),
    FenceExecuted: ("active",),
    CopiesAwaited: ("active", "left"),
    ChildLaunched: ("active",),
    ChildrenAwaited: ("active",),
}


class SplitEvents(GridObserver):
    """Takes events whose `warps` are rows of the batch; tells each grid's observers of its own warps."""

    def __init__(self, observers: Sequence[GridObserver], layout: Layout) -> None:
        self._observers, self._layout, self._members = observers, layout, layout.members
        self.wants = frozenset[type]().union(*(observer.wants for observer in observers))

    def observe(self, event: Event) -> None:
        """Cut one event into as many as there are grids in it."""
        members = self._members[event.warps]
        for member in np.unique(members).tolist():
            observer = self._observers[member]
            if type(event) in observer.wants:
                observer.observe(self._of_rows(event, np.flatnonzero(members == member)))

    def _of_rows(self, event: Event, rows: Any) -> Event:
        parts: dict[str, Any] = {"warps": self._layout.numbers[event.warps[rows]]}
        for name in BY_WARP[type(event)]:
            values = getattr(event, name)
            parts[name] = None if values is None else values[rows]
        if isinstance(event, BlockIssued):
            parts["active_lanes"] = int(np.count_nonzero(parts["active"]))
            parts["state"] = lambda position: event.state(int(rows[position]))
        return replace(event, **parts)
