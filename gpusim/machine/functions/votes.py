"""What does a thread block agree on at a barrier? `syncthreads_count` gives 20 where 20 of 64 say yes.

W warps of the batch; masks: unsigned (n,) or (W,), one bit a lane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import Opcode
from gpusim.ir.terminators import Barrier
from gpusim.machine.layout import Layout
from gpusim.machine.models.scheduling import Masks, Rows, pack

Counts = npt.NDArray[np.int64]

# barrier -> its outcome, from how many threads of the block came and how many of them said yes
OUTCOMES: dict[Opcode, Callable[[Counts, Counts], Any]] = {
    Opcode.BARRIER_COUNT: lambda _came, yes: yes,
    Opcode.BARRIER_AND: lambda came, yes: yes == came,
    Opcode.BARRIER_OR: lambda _came, yes: yes > 0,
}
CODES = {opcode: code for code, opcode in enumerate(OUTCOMES)}


class Votes:
    """The predicates of lanes that wait at barriers, and each block's last outcome: `voted`, int64 (W, 1)."""

    def __init__(self, present: Masks, layout: Layout, voted: Counts) -> None:
        self._yes, self._code = np.zeros_like(present), np.zeros(len(present), np.int8)
        self._layout, self._voted = layout, voted

    def cast(self, rows: Rows, masks: Masks, end: Barrier, flags: Any) -> None:
        """Lanes arrive with a predicate: bool (n, L), (n, 1) or one for all."""
        said = pack(np.broadcast_to(flags, (len(rows), self._layout.lanes)))
        self._yes[rows] = (self._yes[rows] & ~masks) | (said & masks)
        self._code[rows] = CODES[end.opcode]

    def count(self, released: Masks) -> None:
        """A barrier opened for these lanes, (W,): their blocks have voted."""
        lanes = np.bitwise_count(released), np.bitwise_count(self._yes & released)
        came, yes = (self._layout.sums(counts.astype(np.int64)) for counts in lanes)
        outcomes = np.stack([np.asarray(rule(came, yes), np.int64) for rule in OUTCOMES.values()])
        outcome = np.take_along_axis(outcomes, self._code[None, :].astype(np.intp), axis=0)[0]
        self._voted[:, 0] = np.where(came > 0, outcome, self._voted[:, 0])
