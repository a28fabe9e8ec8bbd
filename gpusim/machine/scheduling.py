"""Who runs next within a warp, and where do parted lanes meet? What every scheduling model must answer.

W warps, L lanes; rows: int64 (n,) warps; lanes, active, taken: bool (n, L). A warp with nothing to run stands
NOWHERE. While all warps are together at one block under their first masks, only `together` is kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes, StackEntry, WarpState

Rows = npt.NDArray[np.int64]
NOWHERE = np.iinfo(np.int32).max
NEVER = np.iinfo(np.int64).max


def any_lane(lanes: Lanes) -> npt.NDArray[np.bool_]:
    """(n,): is any lane of the warp set? Eight lanes are tested at a time, as one 64-bit word."""
    words = np.ascontiguousarray(lanes).view(np.uint64)
    found = words[:, 0].copy()
    for column in range(1, words.shape[1]):
        found |= words[:, column]
    some: npt.NDArray[np.bool_] = found != 0
    return some


class SchedulingModel(ABC):
    """Program counters and masks of a batch of warps, under one of the two models."""

    def __init__(
        self,
        present: Lanes,
        warps_per_block: int,
        reconvergence: Sequence[int | None],
        unreconverged: frozenset[int],
        convergent: bool,
    ) -> None:
        self.present, self.alive = present, present.copy()
        self.warps_per_block = warps_per_block
        self.reconvergence, self.unreconverged, self.convergent = reconvergence, unreconverged, convergent
        self.together: int | None = 0
        self.departures, self.over = 0, False

    # moving lanes -----------------------------------------------------------------------------------------

    def jump(self, rows: Rows, active: Lanes, target: int) -> None:
        """The lanes go on at `target`."""
        if self.together is not None:
            self.together = target
        else:
            self._jump(rows, active, target)

    def branch(self, rows: Rows, active: Lanes, taken: Lanes, block: int, then: int, otherwise: int) -> None:
        """The lanes part: those `taken` go to `then`, the others to `otherwise`."""
        if self.together is not None:
            if not (taken & active).any():
                self.together = otherwise
                return
            if not (~taken & active).any():
                self.together = then
                return
            self.spread()
        self._branch(rows, taken & active, active & ~taken, block, then, otherwise)

    def leave(self, rows: Rows, active: Lanes) -> None:
        """The lanes leave the kernel."""
        self.departures += 1
        if self.together is not None:
            self.alive[:] = False
        else:
            self.alive[rows] &= ~active
            self._leave(rows)
        self.over = not self.alive.any()

    def wait(self, rows: Rows, active: Lanes, target: int) -> None:
        """The lanes wait at a block barrier, to go on at `target`."""
        if self.together is not None:
            self.together = target
        else:
            self._wait(rows, active, target)

    def spread(self) -> None:
        """From here on warps stand at blocks of their own."""
        if self.together is not None:
            start, self.together = self.together, None
            self._start(start)

    def gather(self, block: int) -> None:
        """All warps stand at `block`: if every lane does, only that need be kept."""
        if self.whole():
            self.together = block

    def by_block(self, per_warp: Lanes) -> Lanes:
        """(W,) or (W, L) regrouped to (blocks, everything of a block)."""
        return per_warp.reshape(len(self.alive) // self.warps_per_block, -1)

    # what a model defines ---------------------------------------------------------------------------------

    @abstractmethod
    def positions(self, order: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int32]:
        """(W,): the block where each warp's next group stands; `order` (W, L) says which group is next."""

    @abstractmethod
    def active(self, rows: Rows, block: int) -> Lanes:
        """(n, L): the lanes that would execute `block` now."""

    @abstractmethod
    def runnable(self) -> Lanes:
        """(W, L): the lanes that could run now."""

    @abstractmethod
    def counters(self) -> npt.NDArray[np.int32]:
        """Program counters, (W,) or (W, L): equal twice means that nobody has moved."""

    @abstractmethod
    def at_barrier(self) -> Lanes:
        """(W, L): the lanes that wait at a block barrier."""

    @abstractmethod
    def position_of_lanes(self) -> npt.NDArray[np.int32]:
        """(W, L): the block at which each lane stands."""

    @property
    @abstractmethod
    def splits_groups(self) -> bool:
        """May lanes at one block of one warp be scheduled apart?"""

    @abstractmethod
    def whole(self) -> bool:
        """Has every warp all its first lanes together?"""

    @abstractmethod
    def release_waiting(self) -> bool:
        """Let lanes that wait to meet others run on without them; False where none waits or none may."""

    @abstractmethod
    def stack(self, row: int, active: Lanes) -> tuple[StackEntry, ...]:
        """The mask stack of one warp, bottom first, whose lanes `active` (L,) run now."""

    def state(self, row: int, active: Lanes) -> WarpState:
        """How one warp stands, for traces."""
        if self.together is not None:
            stack: tuple[StackEntry, ...] = (
                StackEntry("whole warp", self.present[row], self.together, None),
            )
            return WarpState(stack, self.present[row], ~self.present[row], np.zeros_like(active))
        left = self.present[row] & ~self.alive[row]
        return WarpState(self.stack(row, active), self.present[row], left, self.at_barrier()[row])

    @abstractmethod
    def _start(self, block: int) -> None: ...

    @abstractmethod
    def _jump(self, rows: Rows, active: Lanes, target: int) -> None: ...

    @abstractmethod
    def _branch(
        self, rows: Rows, then_lanes: Lanes, other_lanes: Lanes, block: int, then: int, otherwise: int
    ) -> None: ...

    @abstractmethod
    def _leave(self, rows: Rows) -> None: ...

    @abstractmethod
    def _wait(self, rows: Rows, active: Lanes, target: int) -> None: ...
