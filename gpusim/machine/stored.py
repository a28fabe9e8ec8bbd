"""What does a round of a loop leave in memory? The elements that it stores to, as lines that go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import Lanes
from gpusim.machine.straight import Line


class Unforeseen(Exception):
    """Of what is to come, too little is known."""


class Stored:
    """Elements of one type, by their `addresses` on this computer, (N,), ascending; none overlap.

    They are found in a first round; then they are `complete`. `before` is what was there at first, and `line`
    what is there now. Places and values: (n, L), (n, 1), or one number.
    """

    def __init__(self) -> None:
        self.addresses: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self.before, self.line, self.complete = Line(np.zeros(0)), Line(np.zeros(0)), False

    def load(self, addresses: Any, contents: Any, active: Lanes) -> Line:
        """What is there: a line where something was stored, else the `contents`, which nobody changes."""
        if not self.addresses.size:
            return Line(contents)
        last_bytes = addresses + (contents.itemsize - 1)
        near = np.maximum(np.searchsorted(self.addresses, last_bytes, "right") - 1, 0)
        at = self.addresses[near]
        touched = (at <= last_bytes) & (at + self.line.start.itemsize > addresses)
        if (touched & active & ((at != addresses) | (contents.dtype != self.line.start.dtype))).any():
            raise Unforeseen
        return self.line.of(near).where(touched, Line(contents)) if touched.any() else Line(contents)

    def store(
        self, addresses: Any, contents: Any, value: Line, active: Lanes, change: np.ufunc | None
    ) -> None:
        """Active lanes' values go there, the last of one element stays, or all make their `change`."""
        lanes = np.broadcast_to(addresses, active.shape)[active]
        if not self.complete:
            self._add(lanes, np.broadcast_to(contents, active.shape)[active])
        if not contents.dtype == self.line.start.dtype == np.asarray(value.start).dtype:
            raise Unforeseen
        where = np.searchsorted(self.addresses, lanes)
        parts = [np.array(np.broadcast_to(part, self.addresses.shape)) for part in self.line]
        changes = change, change, change and np.logical_and
        for part, values, how in zip(parts, value, changes, strict=True):
            given = np.broadcast_to(values, active.shape)[active]
            if how is None:
                part[where] = given
            else:
                how.at(part, where, given)
        self.line = Line(*parts)

    def _add(self, lanes: npt.NDArray[np.int64], contents: npt.NDArray[Any]) -> None:
        """These elements are stored to: from here on they are known."""
        if self.addresses.size and contents.dtype != self.line.start.dtype:
            raise Unforeseen
        new, first = np.unique(lanes, return_index=True)
        fresh = ~np.isin(new, self.addresses)
        joined = np.append(self.addresses, new[fresh])
        order = joined.argsort()
        if (np.diff(joined[order]) < contents.itemsize).any():
            raise Unforeseen
        added = contents[first][fresh]
        self.addresses = joined[order]
        self.before, self.line = (
            Line(np.append(line.start.astype(contents.dtype, copy=False), added)[order])
            for line in (self.before, self.line)
        )
