"""Which warps run next? Fair and friendly, one at a time, or as an adversary likes it.

Every order that a policy makes is one that a GPU could take; each is reproducible.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gpusim.events import Lanes
from gpusim.machine.scheduling import NOWHERE, Rows, SchedulingModel, any_lane

FAIRNESS_STEPS = 32
SERIAL_TURN_STEPS = 4096
ADVERSARY_PATIENCE_STEPS = 4096

Choice = tuple[int, Rows, Lanes]


class Policy(Protocol):
    """Chooses a block, the warps (n,) that execute it, and their lanes (n, L); None when nobody can run."""

    steps: int

    def choose(self, model: SchedulingModel) -> Choice | None:
        """The next step."""

    def served_since(self, step: int, model: SchedulingModel) -> bool:
        """Has every lane that can run been run since that step?"""


class Fair:
    """All warps at one block run together, or, if `serial`, one warp at a time.

    With `patience`, every lane gets its turn even while others loop; only a kernel whose lanes may wait for
    each other needs that.
    """

    def __init__(self, warps: int, lanes: int, *, serial: bool, patience: bool) -> None:
        self.last_run = np.zeros((warps, lanes), np.int64)
        self.serial, self.patience, self.steps, self.warp = serial, patience, 0, 0

    def choose(self, model: SchedulingModel) -> Choice | None:
        """Lowest block first, so that stragglers catch up; at every 32nd step, who has waited longest."""
        self.steps += 1
        patient = self.patience and self.steps % FAIRNESS_STEPS == 0
        positions = model.positions(self.last_run if patient else None)
        able = np.flatnonzero(positions != NOWHERE)
        if not able.size:
            return None
        if self.serial:
            if positions[self.warp] == NOWHERE or self.steps % SERIAL_TURN_STEPS == 0:
                later = able[able > self.warp]
                self.warp = int(later[0] if later.size else able[0])
            rows = np.array([self.warp])
        else:
            block = positions.min()
            if patient:
                waiting = np.where(model.runnable(), self.last_run, self.steps).min(axis=1)
                block = positions[able[waiting[able].argmin()]]
            rows = np.flatnonzero(positions == block)
        block = int(positions[rows[0]])
        active = model.active(rows, block)
        if self.patience:
            self.last_run[rows] = np.where(active, self.steps, self.last_run[rows])
        elif len(rows) == len(positions):
            model.gather(block)
        return block, rows, active

    def served_since(self, step: int, model: SchedulingModel) -> bool:
        """By the record of who ran when; without one, nobody waits for anybody."""
        return not self.patience or bool((self.last_run[model.runnable()] >= step).all())


class Adversary:
    """Any warps, any group of lanes, any part of the group: whatever the model allows, by a seed."""

    def __init__(self, seed: int, warps: int, lanes: int) -> None:
        self.random = np.random.default_rng(seed)
        self.shape, self.steps = (warps, lanes), 0

    def choose(self, model: SchedulingModel) -> Choice | None:
        """A random group of a random half of the warps that stand where a random warp stands."""
        self.steps += 1
        positions = model.positions(self.random.integers(0, 1 << 30, self.shape))
        able = np.flatnonzero(positions != NOWHERE)
        if not able.size:
            return None
        first = int(self.random.choice(able))
        block = int(positions[first])
        rows = np.flatnonzero((positions == block) & (self.random.random(len(positions)) < 0.5))
        rows = np.union1d(rows, [first])
        active = model.active(rows, block)
        if model.splits_groups and self.random.random() < 0.5:
            part = active & (self.random.random(active.shape) < 0.5)
            active = np.where(any_lane(part)[:, None], part, active)
        return block, rows, active

    def served_since(self, step: int, _model: SchedulingModel) -> bool:
        """Almost surely, after thousands of random choices."""
        return self.steps - step > ADVERSARY_PATIENCE_STEPS
