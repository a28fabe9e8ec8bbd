"""Which rows of a batch are which warps, of which thread block, of which grid?

W warps of the batch, one row each, in the order of their blocks; L lanes a warp. A *slot* is the place of a
thread block among those that are resident.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.devices.device import Dim3

Extents = tuple[Any, Any, Any]
Numbers = npt.NDArray[np.int64]


def coordinates(linear: Any, extents: Extents) -> tuple[Any, Any, Any]:
    """(x, y, z) of a linear number, or of an array of them; x counts fastest."""
    x, y, _z = extents
    return linear % x, linear // x % y, linear // (x * y)


class Part(NamedTuple):
    """The thread blocks of one grid in a batch: `blocks` from number `first` on. grid, block: (x, y, z).

    Of the grids that run side by side, it is number `member`.
    """

    grid: Dim3
    block: Dim3
    first: int
    blocks: int
    member: int = 0


class Layout:
    """Where the warps of a batch stand. `grid` and `block` are numbers, or (W, 1) where grids differ.

    `part_of`, (W,), is the place in `parts` of each warp's, `numbers`, (W,), count warps within their grid,
    `slots`, (W, 1), resident blocks. `linear` are threads' numbers in their block: (warps of a block, L)
    where all blocks are alike, else (W, L); see `spread`. Events name warps as `told`, (W,): by their
    numbers.
    """

    def __init__(self, part: Part, lanes: int) -> None:
        self.parts, self.lanes = [part], lanes
        self.grid: Extents = part.grid
        self.block: Extents = part.block
        self.threads: Any = math.prod(part.block)
        per_block = self._warps_per_block = -(-self.threads // lanes)
        self.blocks, self.warps = part.blocks, part.blocks * per_block
        rows = np.arange(self.warps, dtype=np.int64)
        self.part_of: Numbers = np.zeros(self.warps, np.int64)
        self.slots: Numbers = (rows // per_block)[:, None]
        self.numbers: Numbers = rows + part.first * per_block
        self.told: Numbers = self.numbers
        self.linear: Numbers = np.arange(per_block * lanes, dtype=np.int64).reshape(-1, lanes)

    @property
    def members(self) -> Numbers:
        """Of the grids that run side by side, which one is each warp's? (W,)."""
        return np.array([part.member for part in self.parts])[self.part_of]

    @property
    def block_numbers(self) -> Numbers:
        """The number of each warp's block in its grid, (W, 1)."""
        return np.asarray(self.numbers[:, None] // -(-self.threads // self.lanes))

    def spread(self, of_a_block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What was worked out from `linear`, for all warps: (W, L)."""
        return np.tile(of_a_block, (self.blocks, 1))

    def whole(self, warps: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(W,): the warps of blocks all of whose warps are among these."""
        return self._by_block(np.logical_and, warps)

    def touched(self, warps: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(W,): the warps of blocks any of whose warps is among these."""
        return self._by_block(np.logical_or, warps)

    def sums(self, numbers: Numbers) -> Numbers:
        """(W,): the sum over all warps of each warp's block."""
        return self._by_block(np.add, numbers)

    def _by_block(self, combine: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        of_block = combine.reduce(values.reshape(-1, self._warps_per_block), axis=1)
        return np.repeat(of_block, self._warps_per_block)

    def count_blocks(self, warps: npt.NDArray[np.bool_]) -> int:
        """How many blocks have one of these warps?"""
        return len(np.unique(self.slots[warps]))

    def thread(self, row: int, lane: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(thread, block) coordinates of a lane, as the kernel sees them."""
        part = self.parts[self.part_of[row]]
        block, warp = divmod(int(self.numbers[row]), -(-math.prod(part.block) // self.lanes))
        return coordinates(warp * self.lanes + lane, part.block), coordinates(block, part.grid)


class MixedLayout(Layout):
    """The same for blocks of several grids. Events name warps by their rows, (W,): see `SplitEvents`."""

    def __init__(self, parts: Sequence[Part], lanes: int) -> None:
        self.parts, self.lanes = list(parts), lanes
        grids, shapes, firsts, counts = (
            np.array(one, np.int64) for one in zip(*(part[:4] for part in parts), strict=True)
        )
        threads = shapes.prod(axis=1)
        per_block = -(-threads // lanes)
        part_of_slot = np.repeat(np.arange(len(parts), dtype=np.int64), counts.astype(np.intp))
        block_of_slot = (
            np.arange(counts.sum(), dtype=np.int64) + (firsts - counts.cumsum() + counts)[part_of_slot]
        )
        warps = per_block[part_of_slot].astype(np.intp)  # counts are of the size of addresses
        slots = np.repeat(np.arange(len(part_of_slot), dtype=np.int64), warps)
        self._starts = np.searchsorted(slots, np.arange(len(part_of_slot), dtype=np.int64))
        within = np.arange(len(slots), dtype=np.int64) - self._starts[slots]
        self.blocks, self.warps = len(part_of_slot), len(slots)
        self.part_of, self.slots, self.told = (
            part_of_slot[slots],
            slots[:, None],
            np.arange(self.warps, dtype=np.int64),
        )
        self.numbers = block_of_slot[slots] * per_block[self.part_of] + within
        self.linear = within[:, None] * lanes + np.arange(lanes, dtype=np.int64)
        self.grid, self.block = (tuple(one[self.part_of].T[:, :, None]) for one in (grids, shapes))
        self.threads = threads[self.part_of][:, None]

    def spread(self, of_a_block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """It is for all warps already."""
        return of_a_block

    def _by_block(self, combine: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(combine.reduceat(values, self._starts)[self.slots[:, 0]])
