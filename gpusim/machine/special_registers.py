"""Which thread am I? The special registers of a batch of thread blocks, for all its lanes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.machine.step import coordinates

Known = dict[Any, Any]
Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Shape:
    """A launch's grid and block, (x, y, z), and how its blocks are cut into warps."""

    grid: Dim3
    block: Dim3
    threads: int
    warps_per_block: int
    lanes: int


class Specials:
    """The special registers of a batch, by PTX name: int (W, L) for a lane's own, else (W, 1) or scalar.

    One more, `present`, bool (W, L), says which lanes have a thread. `shared` keeps what all batches of a
    launch have in common; the batch has `count` thread blocks, the first of which is number `first`.
    """

    def __init__(self, shape: Shape, shared: Known, first: int, count: int) -> None:
        self._shape, self._shared, self._first, self._count = shape, shared, first, count
        self._own: Known = {}

    def __call__(self, name: str, dtype: Any, rows: Any) -> Any:
        # only block numbers differ from batch to batch
        known = self._own if name.startswith("ctaid") else self._shared
        key = name, dtype, self._count
        if key not in known:
            known[key] = np.asarray(self._make(name)).astype(dtype, copy=False)
        value = known[key]
        return value if rows is None or value.ndim == 0 else value.take(rows, 0)

    def _make(self, name: str) -> Any:
        shape = self._shape
        kind, _, axis = name.partition(".")
        which = "xyz".find(axis) if axis else 0
        linear = np.arange(shape.warps_per_block * shape.lanes).reshape(-1, shape.lanes)
        match kind:
            case "present":
                return np.tile(linear < shape.threads, (self._count, 1))
            case "tid":
                return np.tile(coordinates(linear, shape.block)[which], (self._count, 1))
            case "ctaid":
                numbers = np.repeat(np.arange(self._first, self._first + self._count), shape.warps_per_block)
                return coordinates(numbers, shape.grid)[which][:, None]
            case "ntid":
                return shape.block[which]
            case "nctaid":
                return shape.grid[which]
            case "laneid":
                return np.tile(np.arange(shape.lanes), (self._count * shape.warps_per_block, 1))
            case "lanemask_lt":
                below = (np.uint64(1) << np.arange(shape.lanes, dtype=np.uint64)) - np.uint64(1)
                return np.tile(below, (self._count * shape.warps_per_block, 1))
            case "warpsize":
                return shape.lanes
        raise AssertionError(f"no special register {name}")
