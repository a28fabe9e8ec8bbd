"""Does anything change any more? A batch that comes back to where it was goes round for ever.

In a deterministic order, the same positions, registers and memory again, with every lane that can run having
had its turn, means that only lanes that cannot run could change anything. In a random order, positions hardly
ever come again; there, registers and memory must not change at all for thousands of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.machine.memory.storage import Storage
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.machine.policy import Policy

FIRST_SNAPSHOT_STEPS = 256
COPIED_BYTES = 1 << 20


@dataclass(frozen=True)
class Snapshot:
    """A batch as it stood: at which block and step, and copies of all that can change.

    Of arrays, `changes` counts the writes so far; those of more than `COPIED_BYTES` are not copied, and count
    as changed by any write.
    """

    block: int
    step: int
    positions: bytes
    registers: list[npt.NDArray[Any]]
    changes: list[int]
    contents: list[npt.NDArray[Any] | None]


class Watch:
    """Takes snapshots of a batch at steps 256, 512, 1024, … since a lane last left or passed a barrier."""

    def __init__(self, model: SchedulingModel, policy: Policy, arrays: list[Storage]) -> None:
        self._model, self._policy, self._arrays = model, policy, arrays
        self._steps, self._departures = 0, -1
        self._snapshot: Snapshot | None = None

    def goes_round(self, block: int, registers: list[npt.NDArray[Any]]) -> bool:
        """Called after every step: is everything as it was at the last snapshot?"""
        if self._model.departures != self._departures:
            self._steps, self._departures, self._snapshot = 0, self._model.departures, None
        self._steps += 1
        if self._steps >= FIRST_SNAPSHOT_STEPS and self._steps.bit_count() == 1:
            self._take(block, registers)
            return False
        before = self._snapshot
        if before is None:
            return False
        if self._policy.deterministic:
            elsewhere = before.block != block or before.positions != self._model.fingerprint()
            if elsewhere or not self._same_values(before, registers):
                return False
        elif not self._same_values(before, registers):
            self._snapshot = None
            return False
        if not self._policy.served_since(before.step, self._model):
            return False
        self._steps, self._snapshot = 0, None
        return True

    def _take(self, block: int, registers: list[npt.NDArray[Any]]) -> None:
        self._model.spread()
        self._snapshot = Snapshot(
            block,
            self._policy.steps,
            self._model.fingerprint(),
            [register.copy() for register in registers],
            [array.changes for array in self._arrays],
            [a.memory.copy() if a.memory.nbytes <= COPIED_BYTES else None for a in self._arrays],
        )

    def _same_values(self, before: Snapshot, registers: list[npt.NDArray[Any]]) -> bool:
        return all(_equal(old, new) for old, new in zip(before.registers, registers, strict=True)) and all(
            array.changes == changes or (contents is not None and _equal(contents, array.memory))
            for array, changes, contents in zip(self._arrays, before.changes, before.contents, strict=True)
        )


def _equal(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> bool:
    return np.array_equal(old, new, equal_nan=np.asarray(old).dtype.kind in "fc")
