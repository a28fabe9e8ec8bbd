"""How long does a grid take? As long as one multiprocessor for its blocks, those not recorded included."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from gpusim.devices.speeds import Speeds
from gpusim.devices.speeds import speeds as speeds_of
from gpusim.timing.code import Program, program
from gpusim.timing.hierarchy import Hierarchy
from gpusim.timing.operations import Stall
from gpusim.timing.recording import Recorder, Steps
from gpusim.timing.replay import Log, Outcome, replay

UNEVEN = 1.5  # times the mean: where a block has so much to do, each is looked at
CROWDED = (Stall.NOT_SELECTED, Stall.MATH_PIPE_THROTTLE, Stall.LG_THROTTLE, Stall.MIO_THROTTLE)


@dataclass(frozen=True)
class Grid:
    """A recorded grid, and how fast its device is. `warm`: does L2 hold what an earlier launch left?"""

    recorder: Recorder
    warm: bool = True

    @cached_property
    def speeds(self) -> Speeds:
        """The figures of its device."""
        return speeds_of(self.recorder.launched.device)

    @cached_property
    def program(self) -> Program:
        """Its kernel as machine operations."""
        return program(self.recorder.launched, self.speeds)

    @property
    def multiprocessors(self) -> int:
        """How many have something to do?"""
        launched = self.recorder.launched
        return min(math.prod(launched.grid), launched.device.multiprocessors)

    @cached_property
    def represented(self) -> float:
        """How many times what was recorded did the whole grid do?"""
        return float(self.recorder.work.sum()) / max(self.recorder.recorded, 1)

    def replayed(self, log: Log | None = None) -> tuple[Outcome, Hierarchy]:
        """What one multiprocessor makes of its blocks, and in which state its memories are then."""
        launched, speeds = self.recorder.launched, self.speeds
        steps = self.recorder.steps(self.program.memory)
        blocks: dict[int, list[Steps]] = {}
        for warp in sorted(steps):
            blocks.setdefault(warp // launched.warps_per_block, []).append(steps[warp])
        memory = Hierarchy(
            launched,
            speeds,
            (request for _, rows in steps.values() for row in rows for request in row),
            represented=self.represented,
            multiprocessors=self.multiprocessors,
            crowds=self.recorder.crowds(self.multiprocessors),
            warm=self.warm,
        )
        outcome = replay(
            self.program,
            list(blocks.values()),
            memory,
            speeds,
            schedulers=launched.device.schedulers_per_multiprocessor,
            resident=self.recorder.resident,
            block_interval=speeds.block_interval * self.multiprocessors,
            log=log,
        )
        return outcome, memory

    def cycles(self, outcome: Outcome) -> float:
        """Clocks of the whole grid."""
        work, recorded = self.recorder.work.astype(float), self.recorder.recorded
        per_instruction = self._clocks_per_instruction(outcome)
        if work.max() > UNEVEN * work.mean() and len(work) > self.multiprocessors:
            whole = last_end(
                work, 1 / per_instruction, self._alone(outcome), self.multiprocessors, self.recorder.resident
            )
        else:
            missing = max(float(work.sum()) / self.multiprocessors - recorded, 0.0)
            whole = outcome.cycles + missing * per_instruction
        return self.speeds.grid_start + whole

    def _clocks_per_instruction(self, outcome: Outcome) -> float:
        """Of further blocks: as from when the first ones were replaced on."""
        ends, recorder = sorted(outcome.ends), self.recorder
        uneven = recorder.work.max() > UNEVEN * recorder.work.mean()
        if len(ends) > recorder.resident and recorder.complete and not outcome.cut and not uneven:
            half = len(ends) // 2
            per_block = (ends[-1] - ends[half - 1]) / (len(ends) - half)
            return per_block * len(ends) / recorder.recorded
        return outcome.cycles / max(recorder.recorded * outcome.share, 1)

    def _alone(self, outcome: Outcome) -> float:
        """Instructions of the IR per clock of a thread block that has a multiprocessor for itself."""
        stalls = np.asarray(outcome.stalls).sum(axis=0)
        clocks = stalls.sum() - stalls[list(CROWDED)].sum()
        done = self.recorder.recorded * outcome.share
        return self.recorder.launched.warps_per_block * done / max(float(clocks), 1.0)


def last_end(
    work: npt.NDArray[np.float64], rate: float, alone: float, multiprocessors: int, resident: int
) -> float:
    """When is the last block over, if some have more to do than others? Whoever is free takes the next.

    work: (blocks,), instructions. A multiprocessor gets through `rate` of them a clock, of which each of its
    blocks has its share, but no block more than `alone`.

    >>> last_end(np.array([8.0, 1, 1, 1, 1]), 4.0, 1.0, 2, 2)  # one long block, which keeps the GPU
    8.0
    """
    queue: list[float] = work.tolist()[::-1]
    left: list[list[float]] = [[] for _ in range(multiprocessors)]
    clock = [0.0] * multiprocessors
    ends: list[tuple[float, int]] = []

    def speed(index: int) -> float:
        return min(alone, rate / len(left[index]))

    def await_end(index: int) -> None:
        if left[index]:
            heappush(ends, (clock[index] + min(left[index]) / speed(index), index))

    for _ in range(resident):
        for blocks in left:
            if queue:
                blocks.append(queue.pop())
    for index in range(multiprocessors):
        await_end(index)
    last = 0.0
    while ends:
        last, index = heappop(ends)
        done, clock[index] = min(left[index]), last
        left[index] = [each - done for each in left[index] if each > done]
        while queue and len(left[index]) < resident:
            left[index].append(queue.pop())
        await_end(index)
    return last
