"""Does anything change any more? A batch that comes back to where it was goes round for ever.

In a deterministic order, the same positions again, the same phase of the order, and the same in all registers
and memory that can decide where lanes go (`ir.deciding`), means that only lanes that cannot run could change
anything: a counter that no condition looks at may count on. In a random order, positions hardly ever come
again; there, no register or memory at all must change for thousands of steps.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy.typing as npt

from gpusim.ir.types import Space
from gpusim.machine.foresight import Foresight, Passed
from gpusim.machine.memory.per_warp import PerWarp
from gpusim.machine.memory.storage import Storage
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.machine.policy import Policy
from gpusim.machine.step import Step
from gpusim.machine.translate import Translation

FIRST_SNAPSHOT_STEPS = 1024
FIRST_FORESIGHT_STEPS = 8192  # from here on a round of a loop is worth a long look,
STEPS_PER_STEP_OF_A_ROUND = 64  # if it is short
MOST_LANES_OF_A_ROUND = 1 << 22
COPIED_BYTES, COPIED_BYTES_PER_STEP = 1 << 20, 128  # a copy takes less time than the steps before it
DEVICE_MEMORY = frozenset({Space.GLOBAL})
NOTHING_CHANGES = "no lane changes anything any more"
COUNTS_ON = "it counts, and would go on counting for more than {:,} steps"
NOTHING_DECIDES = "nothing changes any more that decides where its lanes go"


@dataclass(frozen=True)
class Snapshot:
    """A batch as it stood: at which block and step, and copies of all that can change.

    Of arrays, `changes` counts the writes so far; large ones are not copied: any write counts as a change.
    """

    block: int
    step: int
    phase: Hashable | None
    positions: bytes | int
    registers: list[npt.NDArray[Any]]
    changes: list[int]
    contents: list[npt.NDArray[Any] | None]


class Watch:
    """Takes snapshots of a batch at steps 1024, 2048, 4096, … since a lane last left.

    Where the batch comes back to the same place, but other numbers decide, it has a look ahead, and again
    when fewer of them differ: then a loop within the loop has ended. Where it goes round, `changes_memory`
    says whether it does so in memory that other grids can see.
    """

    def __init__(
        self,
        model: SchedulingModel,
        policy: Policy,
        arrays: list[Storage | PerWarp],
        translation: Translation,
        foresight: Foresight,
        steps_at_most: int,
    ) -> None:
        self._model, self._policy, self._arrays = model, policy, arrays
        self._translation, self._foresight, self._steps_at_most = translation, foresight, steps_at_most
        self._random = policy.phase() is None
        self._way: list[Passed] | None = None  # since a snapshot
        self._fewest, self._counter = 0, -1  # registers that decide and differ: how many, and a whole number
        self._steps, self._departures = 0, -1
        self.changes_memory = False
        self._snapshot: Snapshot | None = None

    def barrier_opened(self) -> None:
        """Where nobody compares positions, that is progress."""
        if self._random:
            self._departures = -1

    def goes_round(self, block: int, registers: list[npt.NDArray[Any]], step: Step) -> str:
        """Called after every step: why can nothing but more of the same come now? Empty while it can."""
        if self._model.departures != self._departures:
            self._steps, self._departures = 0, self._model.departures
            self._snapshot = self._way = None
        self._steps += 1
        if self._steps >= FIRST_SNAPSHOT_STEPS and self._steps.bit_count() == 1:
            self._take(block, registers)
            return ""
        before = self._snapshot
        if before is None:
            return ""
        if block in self._translation.unlike:
            self._snapshot = self._way = None
            return ""
        if before.phase is not None:
            if self._way is not None:
                self._way.append((block, step.rows, step.active))
                length = len(self._way)
                lanes = len(self._model.present) * self._model.layout.lanes
                if length * STEPS_PER_STEP_OF_A_ROUND > self._steps or length * lanes > MOST_LANES_OF_A_ROUND:
                    self._way = None
            if before.block != block:
                return ""
            counter = self._counter if self._way is None else -1
            if counter >= 0 and before.registers[counter].item(-1) != registers[counter].item(-1):
                return ""  # what differed before mostly does: a quick look at one lane
            if before.positions != self._positions():
                return ""
            if before.phase != self._policy.phase():
                return ""
            if not self._same_values(before, registers, *self._translation.deciding):
                return self._foreseen(before, registers)
        elif not self._same_values(before, registers):
            self._snapshot = None
            return ""
        elif not self._policy.served_since(before.step):
            return ""
        self._model.spread()
        same = self._same_values(before, registers)
        return self._told(before, NOTHING_CHANGES if same else NOTHING_DECIDES)

    def _take(self, block: int, registers: list[npt.NDArray[Any]]) -> None:
        most = min(COPIED_BYTES, COPIED_BYTES_PER_STEP * self._steps)
        self._way = None if self._steps < FIRST_FORESIGHT_STEPS else []
        self._fewest = len(registers) + 1
        self._snapshot = Snapshot(
            block,
            self._policy.steps,
            self._policy.phase(),
            self._positions(),
            [register.copy() for register in registers],
            [array.changes for array in self._arrays],
            [a.memory.copy() if a.memory.nbytes <= most else None for a in self._arrays],
        )

    def _foreseen(self, before: Snapshot, registers: list[npt.NDArray[Any]]) -> str:
        """The way since the snapshot leads back to it: will it be gone until the step budget is spent?"""
        kept = zip(before.registers, registers, self._translation.deciding[0], strict=True)
        changed = [slot for slot, (old, new, decides) in enumerate(kept) if decides and not _equal(old, new)]
        self._counter = next((slot for slot in changed if registers[slot].dtype.kind in "iu"), -1)
        if self._way is None or len(changed) >= self._fewest:
            return ""
        self._fewest, left = len(changed), self._steps_at_most - self._steps
        if not self._foresight.sees_no_end(self._way, registers, left):
            return ""
        self._model.spread()
        return self._told(before, COUNTS_ON.format(self._steps_at_most))

    def _told(self, before: Snapshot, why: str) -> str:
        """Others may change what comes: then it starts anew."""
        self._steps, self._snapshot, self._way = 0, None, None
        self.changes_memory = not self._same_values(before, [], spaces=DEVICE_MEMORY)
        return why

    def _positions(self) -> bytes | int:
        """Where everybody stands; while all are together, the block is enough."""
        together = self._model.together
        return self._model.fingerprint() if together is None else together

    def _same_values(
        self,
        before: Snapshot,
        registers: list[npt.NDArray[Any]],
        watched: Iterable[bool] = repeat(True),
        spaces: frozenset[Space] = frozenset(Space),
    ) -> bool:
        """Are registers and memory as they were: all of them, or those that are watched?"""
        kept = zip(before.registers, registers, watched, strict=False)
        held = zip(self._arrays, before.changes, before.contents, strict=True)
        return all(_equal(old, new) for old, new, counts in kept if counts) and all(
            array.changes == changes or (contents is not None and _equal(contents, array.memory))
            for array, changes, contents in held
            if array.space in spaces
        )


def _equal(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> bool:
    same = old == new
    if old.dtype.kind in "fc":
        same = same | ((old != old) & (new != new))  # NaN
    return bool(same.all())
