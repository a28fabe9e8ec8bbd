"""What does an array mean where warps are of several grids? To each its grid's own, in one piece of memory.

W warps of a batch, n of them in a step. Places are in bytes, counted from the first byte of that memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import ArrayOperand
from gpusim.machine.memory.storage import Storage

Rows = npt.NDArray[np.int64]
Fields = Mapping[str, Any]


class PerWarp:
    """An array that differs from grid to grid: `whole` is memory that holds them all.

    fields: what of `whole` differs, by its name: int64 (W, 1), or a tuple of such.
    """

    def __init__(self, whole: Storage, fields: Fields) -> None:
        self.whole, self.fields = whole, fields
        self.memory, self.space = whole.memory, whole.space
        self._changes_before = 0
        self._rows: Rows | None = None
        self._seen: Storage | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> PerWarp:
        twin = PerWarp(deepcopy(self.whole, memo), self.fields)
        twin._changes_before = self.changes
        return twin

    def of(self, rows: Rows | None) -> Storage:
        """What it is for the warps in `rows`; None means all."""
        if self._seen is None or rows is not self._rows:
            self._changes_before, fields = self.changes, self.fields
            if rows is not None:
                fields = {name: _of_rows(value, rows) for name, value in fields.items()}
            self._rows, self._seen = rows, self.whole.placed_by_warp(fields)
        return self._seen

    def part(self, operand: ArrayOperand) -> PerWarp:
        """The same memory, seen as `operand`; each access brings where it begins and its shape."""
        return PerWarp(self.whole.part(operand), self.fields)

    @property
    def changes(self) -> int:
        """How many stores and atomics have been on it?"""
        return self._changes_before + (0 if self._seen is None else self._seen.changes)

    @property
    def reachable(self) -> Sequence[PerWarp]:
        """The storage whose memory an access may change."""
        return (self,)


def _of_rows(value: Any, rows: Rows) -> Any:
    return tuple(one[rows] for one in value) if isinstance(value, tuple) else value[rows]
