"""What did a thread know when it launched a grid, or waited for grids? Others learn it later, so it is kept.

Times are those of `knowledge`, threads are numbers within the grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gpusim.checkers.geometry import Numbers
from gpusim.checkers.knowledge import Heard, Knowledge, Times, joined


@dataclass(frozen=True, eq=False)
class Known:
    """What threads of a block knew: `times`, (threads of the block,), up to when each other one of it."""

    knowledge: Knowledge
    block: int
    times: Times
    everybody: int
    heard: Heard

    @classmethod
    def by(cls, knowledge: Knowledge, thread: int, time: int) -> Known:
        """What a thread knows now; itself until `time`."""
        agent = thread // knowledge.lanes_per_agent
        block = agent // knowledge.agents_per_block
        times = knowledge.known_in_block(block, np.array([agent]), time)
        return cls(knowledge, block, times, knowledge.everybody, knowledge.heard(agent))

    def with_what(self, other: Known) -> Known:
        """What two of one block knew together."""
        times, everybody = np.maximum(self.times, other.times), max(self.everybody, other.everybody)
        return replace(self, times=times, everybody=everybody, heard=joined(self.heard, other.heard))

    def covers(self, threads: Numbers, times: Times) -> npt.NDArray[np.bool_]:
        """(n,): does what threads did at some times come before?"""
        per_block = len(self.times)
        ordered = (threads // per_block == self.block) & (times <= self.times[threads % per_block])
        ordered |= times <= self.everybody
        if self.heard:
            for position in np.flatnonzero(~ordered):
                told = self.knowledge.told(self.heard, int(threads[position]))
                ordered[position] = times[position] <= told
        return np.asarray(ordered)
