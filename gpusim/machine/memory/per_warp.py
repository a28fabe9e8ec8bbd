"""What does an array mean where warps are of several grids? To each its grid's own, in one piece of memory.

M grids; W warps of a batch, n of them in a step.
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

    fields: what of `whole` differs, by its name: int64 (M,), or a tuple of such. members: int64 (W,), whose
    each warp is.
    """

    def __init__(self, whole: Storage, fields: Fields, members: Rows) -> None:
        self.whole, self.fields, self.members = whole, fields, members
        self.memory, self.space = whole.memory, whole.space
        self._rows: Rows | None = None
        self._seen: Storage | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> PerWarp:
        self.whole.changes = self.changes
        return PerWarp(deepcopy(self.whole, memo), self.fields, self.members)

    def of(self, rows: Rows | None) -> Storage:
        """What it is for the warps in `rows`; None means all."""
        if self._seen is None or rows is not self._rows:
            members = self.members if rows is None else self.members[rows]
            fields = {name: _of_members(value, members) for name, value in self.fields.items()}
            self._rows, self._seen = rows, (self._seen or self.whole).placed_by_warp(fields)
        return self._seen

    def part(self, operand: ArrayOperand) -> PerWarp:
        """The same memory, seen as `operand`; each access brings where it begins and its shape."""
        return PerWarp(self.whole.part(operand), self.fields, self.members)

    @property
    def changes(self) -> int:
        """How many stores and atomics have been on it?"""
        return (self._seen or self.whole).changes

    @property
    def reachable(self) -> Sequence[PerWarp]:
        """The storage whose memory an access may change."""
        return (self,)


def _of_members(value: Any, members: Rows) -> Any:
    if isinstance(value, tuple):
        return tuple(one[members][:, None] for one in value)
    return value[members][:, None]
