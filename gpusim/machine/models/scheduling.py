"""Who runs next within a warp, and where do parted lanes meet? What every scheduling model must answer.

W warps, L lanes, n warps of a step. A set of lanes is one integer a warp, bit k for lane k: masks are
unsigned (n,) or (W,), as wide as a warp. rows: int64 (n,), the warps that a call is about. While all warps
stand at one block with all their lanes, only `together` is kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes, StackEntry, WarpState
from gpusim.machine.layout import Layout

Rows = npt.NDArray[np.int64]
Masks = npt.NDArray[Any]
WORDS = {32: np.uint32, 64: np.uint64}


def pack(lanes: Lanes) -> Masks:
    """Lanes as bool (n, L) to masks (n,)."""
    return np.packbits(lanes.reshape(-1), bitorder="little").view(WORDS[lanes.shape[1]])


def unpack(masks: Masks) -> Lanes:
    """Masks (n,) to lanes as bool (n, L)."""
    bits = np.unpackbits(np.ascontiguousarray(masks).view(np.uint8), bitorder="little")
    return bits.view(np.bool_).reshape(len(masks), -1)


class SchedulingModel(ABC):
    """Program counters and masks of a batch of warps, under one of the two models.

    `present` are the lanes that the launch gave a thread, `alive` those that have not left. `departures`
    counts lanes leaving, or going on from an exchange.
    """

    def __init__(
        self,
        present: Lanes,
        layout: Layout,
        reconvergence: Sequence[int | None],
        unreconverged: frozenset[int],
        convergent: bool,
    ) -> None:
        self.present = pack(present)
        self.alive = self.present.copy()
        self.layout = layout
        self.reconvergence, self.unreconverged, self.convergent = reconvergence, unreconverged, convergent
        self.together: int | None = 0
        self.departures = 0
        self.at_grid_barrier = np.zeros(len(self.alive), np.bool_)
        self.whole_grid_passed = False

    @property
    def over(self) -> bool:
        """Has every lane left?"""
        return not self.alive.any()

    # moving lanes that stand at `block` -------------------------------------------------------------------

    def jump(self, rows: Rows, masks: Masks, block: int, target: int) -> None:
        """The lanes go on at `target`."""
        if self.together is not None:
            self.together = target
        else:
            self._move(rows, masks, block, target)

    def branch(self, rows: Rows, masks: Masks, taken: Masks, block: int, then: int, otherwise: int) -> None:
        """The lanes part: those `taken` go to `then`, the others to `otherwise`."""
        if self.together is not None:
            if not taken.any():
                self.together = otherwise
                return
            if np.array_equal(taken, masks):
                self.together = then
                return
            self.spread()
        self._branch(rows, taken, masks & ~taken, block, then, otherwise)

    def leave(self, rows: Rows, masks: Masks, block: int) -> Masks | None:
        """The lanes leave the kernel. (W,): the lanes for which that opens a barrier; None for nobody."""
        self.departures += 1
        self.alive[rows] &= ~masks
        return None if self.together is not None else self._opened(self._leave(rows, masks, block))

    def wait(
        self, rows: Rows, masks: Masks, block: int, target: int, whole_grid: bool = False
    ) -> Masks | None:
        """The lanes wait at a barrier, to go on at `target`. (W,): the lanes for which it opens."""
        if self.together is None:
            self.at_grid_barrier[rows] |= whole_grid
            return self._opened(self._wait(rows, masks, block, target))
        self.together, self.whole_grid_passed = target, whole_grid
        return self.alive

    def _opened(self, released: Masks | None) -> Masks | None:
        """Keep in mind whether it was the barrier of the whole grid that opened."""
        if released is not None:
            passed = released != 0
            self.whole_grid_passed = bool(self.at_grid_barrier[passed].any())
            self.at_grid_barrier[passed] = False
        return released

    def spread(self) -> None:
        """From here on warps stand at blocks of their own."""
        if self.together is not None:
            start, self.together = self.together, None
            self._start(start)

    def gather(self, block: int, masks: Masks) -> None:
        """All warps run `masks` at `block`: if those are all their lanes, only that need be kept."""
        if np.array_equal(masks, self.present):
            self.together = block

    def whole_blocks(self, warps: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(W,): the warps of blocks all of whose warps have arrived; at the grid's barrier all must have."""
        if self.at_grid_barrier.any():
            if (warps & (self.at_grid_barrier | (self.alive == 0))).all():
                return warps
            warps = warps & ~self.layout.touched(self.at_grid_barrier)
        return self.layout.whole(warps)

    # what a model defines ---------------------------------------------------------------------------------

    lanes_can_wait: bool
    """May some lanes of a warp wait at an exchange while others run?"""

    splits_groups: bool
    """May lanes of one warp at one block be scheduled apart?"""

    @abstractmethod
    def blocks(self) -> list[int]:
        """The blocks where some lanes can run, lowest first."""

    @abstractmethod
    def standing(self, block: int) -> Masks:
        """(W,): the lanes that can run `block` now."""

    @abstractmethod
    def held(self) -> Masks:
        """(W,): the lanes that wait at an exchange, or at a named barrier."""

    @abstractmethod
    def hold(self, rows: Rows, masks: Masks, block: int) -> None:
        """The lanes wait at the end of `block`: at an exchange, or at a named barrier."""

    @abstractmethod
    def resume(self, rows: Rows, masks: Masks, block: int, target: int) -> None:
        """Lanes that waited there go on at `target`."""

    @abstractmethod
    def at_barrier(self) -> Masks:
        """(W,): the lanes that wait at a block barrier."""

    @abstractmethod
    def positions(self) -> npt.NDArray[np.int32]:
        """(W, L): the block at which each lane stands, or will go on."""

    @abstractmethod
    def fingerprint(self) -> bytes:
        """All positions and masks: equal twice means that nobody is elsewhere."""

    @abstractmethod
    def release_waiting(self) -> bool:
        """Let lanes that wait to meet others run on without them; False where none waits or none may."""

    @abstractmethod
    def stack(self, row: int, mask: int) -> list[tuple[str, int, int, int | None]]:
        """One warp's mask stack, bottom first: what, mask, block, meeting point. Its lanes `mask` run now."""

    def state(self, row: int, mask: int) -> WarpState:
        """How one warp stands, for traces."""
        present, waiting = int(self.present[row]), 0
        entries: list[tuple[str, int, int, int | None]]
        if self.together is not None:
            entries = [("whole warp", present, self.together, None)]
        else:
            entries, waiting = self.stack(row, mask), int(self.at_barrier()[row])

        def lanes(bits: int) -> Lanes:
            return unpack(np.array([bits], self.present.dtype)).ravel()

        stack = tuple(StackEntry(what, lanes(bits), block, meeting) for what, bits, block, meeting in entries)
        return WarpState(stack, lanes(present), lanes(present & ~int(self.alive[row])), lanes(waiting))

    @abstractmethod
    def _start(self, block: int) -> None: ...

    @abstractmethod
    def _move(self, rows: Rows, masks: Masks, block: int, target: int) -> None: ...

    @abstractmethod
    def _branch(
        self, rows: Rows, taken: Masks, others: Masks, block: int, then: int, otherwise: int
    ) -> None: ...

    @abstractmethod
    def _leave(self, rows: Rows, masks: Masks, block: int) -> Masks | None: ...

    @abstractmethod
    def _wait(self, rows: Rows, masks: Masks, block: int, target: int) -> Masks | None: ...
