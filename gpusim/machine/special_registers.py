"""Which thread am I? The special registers of a batch of thread blocks, for all its lanes at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.machine.layout import Layout, coordinates

Known = dict[Any, Any]


class SpecialRegisters:
    """The special registers of a batch, by PTX name: int (W, L) for a lane's own, else (W, 1) or scalar.

    One more, `present`, bool (W, L), says which lanes have a thread. `shared` keeps what all batches of a
    grid have in common that have as many blocks.
    """

    def __init__(self, layout: Layout, shared: Known) -> None:
        self._layout, self._shared = layout, shared
        self._own: Known = {}

    def __call__(self, name: str, dtype: Any, rows: Any) -> Any:
        # only block numbers differ from batch to batch
        known = self._own if name.startswith("ctaid") else self._shared
        key = name, dtype, self._layout.blocks
        if key not in known:
            known[key] = np.asarray(self._make(name)).astype(dtype, copy=False)
        value = known[key]
        return value if rows is None or value.ndim == 0 else value.take(rows, 0)

    def _make(self, name: str) -> Any:
        layout = self._layout
        kind, _, axis = name.partition(".")
        which = "xyz".find(axis) if axis else 0
        match kind:
            case "present":
                return layout.spread(layout.linear < layout.threads)
            case "tid":
                return layout.spread(coordinates(layout.linear, layout.block)[which])
            case "ctaid" if axis == "linear":
                return layout.block_numbers
            case "ctaid":
                return coordinates(layout.block_numbers, layout.grid)[which]
            case "ntid":
                return layout.block[which]
            case "nctaid":
                return layout.grid[which]
            case "laneid":
                return np.tile(np.arange(layout.lanes, dtype=np.int64), (layout.warps, 1))
            case "lanemask_lt":
                below = (np.uint64(1) << np.arange(layout.lanes, dtype=np.uint64)) - np.uint64(1)
                return np.tile(below, (layout.warps, 1))
            case "warpsize":
                return layout.lanes
        raise AssertionError(f"no special register {name}")
