"""How long does a grid take? As long as one multiprocessor for its blocks, those not recorded included."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gpusim.devices.launching import launching
from gpusim.devices.speeds import Speeds
from gpusim.devices.speeds import speeds as speeds_of
from gpusim.timing.code import Program, program
from gpusim.timing.hierarchy import Hierarchy
from gpusim.timing.operations import Stall
from gpusim.timing.placement import placed
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
    def sharing(self) -> float:
        """How many do like the recorded one at once? Fewer than all, if few have as many blocks as it has."""
        return self.multiprocessors if self.uneven else min(self.multiprocessors, self.represented)

    @cached_property
    def represented(self) -> float:
        """How many times what was recorded did the whole grid do?"""
        return float(self.recorder.work.sum()) / max(self.recorder.recorded, 1)

    @cached_property
    def steps(self) -> dict[int, Steps]:
        return self.recorder.steps(self.program.memory)

    @property
    def _blocks(self) -> list[list[Steps]]:
        """What the warps of each recorded thread block did."""
        blocks: dict[int, list[Steps]] = {}
        for warp in sorted(self.steps):
            blocks.setdefault(warp // self.recorder.launched.warps_per_block, []).append(self.steps[warp])
        return list(blocks.values())

    def replayed(self, log: Log | None = None) -> tuple[Outcome, Hierarchy]:
        """What one multiprocessor makes of its blocks, and in which state its memories are then."""
        launched, speeds = self.recorder.launched, self.speeds
        steps, blocks = self.steps, self._blocks
        memory = Hierarchy(
            launched,
            speeds,
            (request for _, rows in steps.values() for row in rows for request in row),
            represented=self.represented,
            multiprocessors=self.sharing,
            crowds=self.recorder.crowds(self.sharing),
            warm=self.warm,
        )
        outcome = replay(
            self.program,
            blocks,
            memory,
            speeds,
            schedulers=launched.device.schedulers_per_multiprocessor,
            resident=self.recorder.resident,
            block_interval=speeds.block_interval * self.multiprocessors,
            further_lane=launching(launched.device).further_lane,
            log=log,
        )
        return outcome, memory

    @cached_property
    def found(self) -> tuple[Outcome, Hierarchy]:
        """The same, replayed once."""
        return self.replayed()

    @cached_property
    def uneven(self) -> bool:
        """Has one of its blocks much more to do than they have in the mean?"""
        work = self.recorder.work
        return bool(work.max() > UNEVEN * work.mean())

    def cycles(self, outcome: Outcome, memory: Hierarchy) -> float:
        """Clocks of the whole grid."""
        if self.uneven:
            work, rate, alone = self.pace(outcome, memory)
            ended = last_end(work, rate, alone, self.multiprocessors, self.recorder.resident)
            whole = max(outcome.cycles / outcome.share, ended, len(work) * self.speeds.block_interval)
        else:
            whole = outcome.cycles + self._further(outcome, memory)
        return self.speeds.grid_start + whole

    def pace(self, outcome: Outcome, memory: Hierarchy) -> tuple[npt.NDArray[np.float64], float, float]:
        """What each block has to do, in instructions of the IR; how many of them a full multiprocessor gets
        through in a clock, and how many a block that has one alone.
        """
        work, resident = self.recorder.work.astype(float), self.recorder.resident
        if self.uneven:
            full = len(outcome.ends) > resident + 1  # so that more would not have been faster
            clocks = outcome.cycles if full else self._busiest(outcome, memory)
            alone, waiting = self._life(outcome)
            rate = self.recorder.recorded * outcome.share / clocks * float(1 + waiting / work.mean())
            return work + waiting, max(rate, alone), alone
        rate = 1 / self._clocks_per_instruction(outcome)
        return work, rate, max(self._alone(outcome), rate / resident)

    def _further(self, outcome: Outcome, memory: Hierarchy) -> float:
        """Clocks of blocks that were not recorded. One at a time on 132: 528 take four turns, 529 five.

        The last turn is as long as one of a block that is alone there, as far as it is the multiprocessor
        that bounds it: what all of them share serves the few that are left the faster.
        """
        work, done = self.recorder.work, self.recorder.recorded * outcome.share
        resident = self.recorder.resident
        _, rate, alone = self.pace(outcome, memory)

        def turns(blocks: int, each: float) -> float:
            return last_end(np.full(blocks, each), rate, alone, 1, resident)

        most, ended = -(-len(work) // self.multiprocessors), len(outcome.ends)
        own = work.mean() if most > 1 else work.max()
        further = max(own * len(work) / self.multiprocessors - done, 0.0) / rate
        whole = self.recorder.complete and not outcome.cut
        known = turns(ended, done / ended) if whole else done / rate
        launching = ended * self.speeds.block_interval * self.multiprocessors
        shared = max(launching, *(memory.busy[level] for level in ("l2", "dram", "atomics"))) / outcome.cycles
        return float(further + max(turns(most, own) - known - further, 0.0) * max(1 - shared, 0.0))

    def _clocks_per_instruction(self, outcome: Outcome) -> float:
        """Of further blocks: as from when the first ones were replaced on."""
        ends, recorder = sorted(outcome.ends), self.recorder
        if len(ends) > recorder.resident and recorder.complete and not outcome.cut:
            half = len(ends) // 2
            per_block = (ends[-1] - ends[half - 1]) / (len(ends) - half)
            return per_block * len(ends) / recorder.recorded
        return outcome.cycles / max(recorder.recorded * outcome.share, 1)

    def _alone(self, outcome: Outcome) -> float:
        """Instructions of the IR per clock of a thread block that has a multiprocessor for itself."""
        stalls = np.asarray(outcome.stalls).sum(axis=0)
        crowded = stalls[list(CROWDED)].sum() / stalls.sum()
        return self.recorder.recorded * outcome.share / max(outcome.held * float(1 - crowded), 1.0)

    def _life(self, outcome: Outcome) -> tuple[float, float]:
        """Instructions per clock of a block that goes on for long, and what each waits, as instructions.

        The recorded block that has most to do says how much longer it lived than others for how much more.
        """
        issued = [sum(self.recorder.issued(path) for path, _ in block) for block in self._blocks]
        longest = int(np.argmax(issued))
        others = [each for each in outcome.lives if UNEVEN * issued[each] < issued[longest]]
        if longest in outcome.lives and others:
            work, life = (sum(of[each] for each in others) / len(others) for of in (issued, outcome.lives))
            if (longer := outcome.lives[longest] - life) > 0:
                alone = (issued[longest] - work) / longer
                return alone, max(life * alone - work, 0.0)
        return self._alone(outcome), 0.0

    def _busiest(self, outcome: Outcome, memory: Hierarchy) -> float:
        """For how many clocks had that something to do which had most?"""
        schedulers = self.recorder.launched.device.schedulers_per_multiprocessor
        own = max(outcome.issued, *outcome.busy) / schedulers
        return max(own, *(memory.busy[level] for level in ("l1", "l2", "dram")), 1.0)


def last_end(
    work: npt.NDArray[np.float64], rate: float, alone: float, multiprocessors: int, resident: int
) -> float:
    """When is the last block over, if some have more to do than others? Whoever is free takes the next.

    work: (blocks,), instructions. A multiprocessor gets through `rate` of them a clock, of which each of its
    blocks has its share, but no block more than `alone`.

    >>> last_end(np.array([8.0, 1, 1, 1, 1]), 4.0, 1.0, 2, 2)  # one long block, which keeps the GPU
    8.0
    """
    return max(stay.end for stay in placed(work, rate, alone, multiprocessors, resident))
