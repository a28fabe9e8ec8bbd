"""What do lanes ask the device runtime? To launch a kernel, for a stream, for their last error.

N lanes ask at once: int64 (N,) are their rows of the batch and their places in the warp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gpusim.errors import GpuSimError
from gpusim.events import Event, Lanes, Warps
from gpusim.ir.instructions import Instruction
from gpusim.machine.layout import Layout

Numbers = npt.NDArray[np.int64]


class Asked(NamedTuple):
    """`operands`: what each brings, (N,). `errors`: int32 (N,), each thread's last error, to be changed.

    An error is below 0 once its thread has peeked at it. `emit` tells observers.
    """

    instruction: Instruction
    layout: Layout
    rows: Numbers
    lanes: Numbers
    operands: Sequence[npt.NDArray[Any]]
    errors: npt.NDArray[np.int32]
    emit: Callable[[Event], None]

    def alone(self, position: int) -> tuple[Warps, Lanes]:
        """One of them, as events tell of it: (warps, active)."""
        active = np.arange(self.layout.lanes, dtype=np.int64) == self.lanes[position]
        return self.layout.told[self.rows[position : position + 1]], active[None]

    def who(self, position: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(thread, block) of one of them."""
        return self.layout.thread(int(self.rows[position]), int(self.lanes[position]))


class Misasked(Exception):
    """A thread of this row of the batch asks for what it must not: `error` says so."""

    def __init__(self, row: int, error: GpuSimError) -> None:
        super().__init__(str(error))
        self.row, self.error = row, error


class DeviceRuntime(Protocol):
    """Who answers, for the grids of a batch."""

    def answer(self, asked: Asked) -> npt.NDArray[Any]:
        """One answer for each who asks, (N,). Raises `Misasked`."""

    def awaited(self, layout: Layout, rows: Numbers) -> npt.NDArray[np.bool_]:
        """Has the block of each of these warps launched grids that are not over? bool (n,)."""

    def unread(self, layout: Layout, errors: npt.NDArray[np.int32]) -> None:
        """All have left; these are the last errors that nobody asked for, 0 for none: (W, L)."""
