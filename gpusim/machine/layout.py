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

Dim3 = tuple[int, int, int]
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

    `numbers`, (W,), count warps within their grid, `slots`, (W, 1), resident blocks. `linear` are threads'
    numbers in their block: (warps of a block, L) where all blocks are alike, else (W, L); see `spread`.
    """

    def __init__(self, parts: Sequence[Part], lanes: int) -> None:
        self.parts, self.lanes = tuple(parts), lanes
        self._warps_per_block: int | None = None
        if len(parts) == 1:
            self._of_one(parts[0])
        else:
            self._of_several()

    def _of_one(self, part: Part) -> None:
        self.grid: Extents = part.grid
        self.block: Extents = part.block
        self.threads: Any = math.prod(part.block)
        per_block = self._warps_per_block = -(-self.threads // self.lanes)
        self.blocks, self.warps = part.blocks, part.blocks * per_block
        rows = np.arange(self.warps)
        self.slots: Numbers = (rows // per_block)[:, None]
        self.numbers: Numbers = rows + part.first * per_block
        self.linear: Numbers = np.arange(per_block * self.lanes).reshape(-1, self.lanes)

    def _of_several(self) -> None:
        parts = self.parts
        grids, shapes = (np.array(dims) for dims in ([p.grid for p in parts], [p.block for p in parts]))
        counts, firsts = (np.array(n) for n in ([p.blocks for p in parts], [p.first for p in parts]))
        threads = shapes.prod(axis=1)
        per_block = -(-threads // self.lanes)
        part_of_slot = np.repeat(np.arange(len(parts)), counts)
        block_of_slot = np.arange(counts.sum()) + (firsts - counts.cumsum() + counts)[part_of_slot]
        slots = np.repeat(np.arange(len(part_of_slot)), per_block[part_of_slot])
        self._starts = np.searchsorted(slots, np.arange(len(part_of_slot)))
        within = np.arange(len(slots)) - self._starts[slots]
        self._part_of_row: Numbers = part_of_slot[slots]
        self.blocks, self.warps = len(part_of_slot), len(slots)
        self.slots = slots[:, None]
        self.numbers = block_of_slot[slots] * per_block[self._part_of_row] + within
        self.linear = within[:, None] * self.lanes + np.arange(self.lanes)
        x, y, z = grids[self._part_of_row].T[:, :, None]
        self.grid = x, y, z
        x, y, z = shapes[self._part_of_row].T[:, :, None]
        self.block, self.threads = (x, y, z), threads[self._part_of_row][:, None]

    @property
    def members(self) -> Numbers:
        """Of the grids that run side by side, which one is each warp's? (W,)."""
        members = np.array([part.member for part in self.parts])
        return np.repeat(members, self.warps) if len(members) == 1 else members[self._part_of_row]

    def spread(self, of_a_block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What was worked out from `linear`, for all warps: (W, L)."""
        return of_a_block if self._warps_per_block is None else np.tile(of_a_block, (self.blocks, 1))

    @property
    def told(self) -> Numbers:
        """How events name the warps, (W,): by their numbers in the grid; if there are several, by rows."""
        return self.numbers if len(self.parts) == 1 else np.arange(self.warps)

    @property
    def block_numbers(self) -> Numbers:
        """The number of each warp's block in its grid, (W, 1)."""
        return np.asarray(self.numbers[:, None] // -(-self.threads // self.lanes))

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
        if self._warps_per_block is None:
            return np.asarray(combine.reduceat(values, self._starts)[self.slots[:, 0]])
        of_block = combine.reduce(values.reshape(-1, self._warps_per_block), axis=1)
        return np.repeat(of_block, self._warps_per_block)

    def count_blocks(self, warps: npt.NDArray[np.bool_]) -> int:
        """How many blocks have one of these warps?"""
        return len(np.unique(self.slots[warps]))

    def parts_of(self, rows: npt.NDArray[np.int64]) -> Any:
        """Which of `parts` do some warps belong to?"""
        return 0 if len(self.parts) == 1 else self._part_of_row[rows]

    def thread(self, row: int, lane: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(thread, block) coordinates of a lane, as the kernel sees them."""
        part = self.parts[0 if len(self.parts) == 1 else self._part_of_row[row]]
        per_block = -(-math.prod(part.block) // self.lanes)
        block, warp = divmod(int(self.numbers[row]), per_block)
        return coordinates(warp * self.lanes + lane, part.block), coordinates(block, part.grid)
