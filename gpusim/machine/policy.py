"""Which warps run next? Fair and friendly, one at a time, or as an adversary likes it.

Every order that a policy makes is one that a GPU could take; each is reproducible.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable

import numpy as np

from gpusim.machine.models.scheduling import Masks, Rows, SchedulingModel, pack

FAIRNESS_STEPS = 32
SERIAL_TURN_STEPS = 256
ADVERSARY_PATIENCE_STEPS = 4096
STRETCHES_STEPS = (0, 1024, 0, 256, 8, 1024, 64)  # of seeds in turn; 0: everybody may run
QUARTERS = 4

Choice = tuple[int, Rows, Masks]


class Policy(ABC):
    """Chooses a block, the warps (n,) that execute it, and their lanes (n,); None when nobody can run."""

    steps = 0

    @abstractmethod
    def choose(self, model: SchedulingModel) -> Choice | None:
        """The next step."""

    @abstractmethod
    def phase(self) -> Hashable | None:
        """Where in its turns is it? Equal twice: as long as lanes decide the same, so do the choices.

        None in a random order.
        """

    def served_since(self, step: int) -> bool:
        """Has every lane that can run been run since that step? In turns: in a round from phase to phase."""
        return True


def in_turn(model: SchedulingModel, standing_back: frozenset[int]) -> list[int]:
    """The blocks where some lanes can run, lowest first, but those that stand back last."""
    return sorted(model.blocks(), key=lambda block: (block in standing_back, block))


class Friendly(Policy):
    """All warps at one block run together, the lowest block first, so that stragglers catch up.

    Blocks that are `standing_back` come last: lanes sleep there, or look whether another has written. With
    `patience`, every 32nd step runs the block that was not run for the longest time: lanes that loop
    until others act cannot keep them from acting. Only a kernel whose lanes may wait for each other needs it.
    """

    def __init__(self, patience: bool, standing_back: frozenset[int]) -> None:
        self.patience, self.standing_back = patience, standing_back
        self._last_run: dict[int, int] = {}

    def choose(self, model: SchedulingModel) -> Choice | None:
        """The lowest block, or in its turn the one that has waited longest."""
        blocks = in_turn(model, self.standing_back)
        if not blocks:
            return None
        self.steps += 1
        block = blocks[0]
        if self.patience:
            if self.steps % FAIRNESS_STEPS == 0:
                block = min(blocks, key=lambda standing: self._last_run.get(standing, 0))
            self._last_run[block] = self.steps
        masks = model.standing(block)
        rows = masks.nonzero()[0]
        if len(rows) == len(masks):
            model.gather(block, masks)
        return block, rows, masks[rows]

    def phase(self) -> Hashable:
        """With patience, when it comes to the next turn, and who has waited longest then."""
        waited = sorted(self._last_run, key=self._last_run.__getitem__)
        return (self.steps % FAIRNESS_STEPS, *waited) if self.patience else ()


class Serial(Policy):
    """One warp at a time, in order; a warp that cannot go on makes room for the next."""

    def __init__(self, standing_back: frozenset[int]) -> None:
        self.standing_back, self.warp, self.round_steps = standing_back, 0, SERIAL_TURN_STEPS

    def choose(self, model: SchedulingModel) -> Choice | None:
        """The same warp as before, until it waits or ends or has had a long turn."""
        blocks = in_turn(model, self.standing_back)
        if not blocks:
            return None
        self.steps += 1
        standing = np.stack([model.standing(block) for block in blocks])
        able = np.flatnonzero(standing.any(axis=0))
        if self.warp not in able or self.steps % SERIAL_TURN_STEPS == 0:
            later = able[able > self.warp]
            self.warp = int(later[0] if later.size else able[0])
        choices = np.flatnonzero(standing[:, self.warp])
        turn, early = divmod(self.steps, FAIRNESS_STEPS)
        if not early:
            self.round_steps = math.lcm(self.round_steps, FAIRNESS_STEPS * len(choices))
        choice = choices[0 if early else turn % len(choices)]
        return blocks[choice], np.array([self.warp]), standing[choice, [self.warp]]

    def phase(self) -> Hashable:
        """Whose turn it is, and when it comes to the next, of warps and of the blocks at which one stands."""
        return self.warp, self.round_steps, self.steps % self.round_steps


class Adversary(Policy):
    """Any warps, any group of lanes, any part of the group: whatever the model allows, by a seed.

    A quarter of the thread blocks, warps or threads runs for a stretch of steps, and then the next quarter.
    How long that is differs from seed to seed: a few steps, and all hurry along together; a thousand, and
    some are done before others have begun.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._stretch_steps = STRETCHES_STEPS[seed % len(STRETCHES_STEPS)]
        self._stretch_ends_at = 0
        self._turns: list[Masks] = []  # who may run in this stretch, and in those that follow

    def choose(self, model: SchedulingModel) -> Choice | None:
        """Of those who may run, a random half of the warps at a random block where a random warp stands."""
        blocks = model.blocks()
        if not blocks:
            return None
        standing = self._whose_turn_it_is(np.stack([model.standing(block) for block in blocks]), model)
        self.steps += 1
        first = self._one_of(np.flatnonzero(standing.any(axis=0)))
        choice = self._one_of(np.flatnonzero(standing[:, first]))
        others = (standing[choice] != 0) & (self.random.random(standing.shape[1]) < 0.5)
        others[first] = True
        rows = np.flatnonzero(others)
        masks = standing[choice, rows]
        if model.splits_groups and self.random.random() < 0.5:
            part = masks & self.random.integers(0, np.iinfo(masks.dtype).max, masks.shape, masks.dtype)
            masks = np.where(part != 0, part, masks)
        return blocks[choice], rows, masks

    def _one_of(self, places: Rows) -> int:
        """What `Generator.choice` takes, in a quarter of its time."""
        return int(places[self.random.integers(len(places))])

    def _whose_turn_it_is(self, standing: Masks, model: SchedulingModel) -> Masks:
        """Of lanes that can run, those that may. A stretch is over, too, where none of them can."""
        if not self._stretch_steps:
            return standing
        while self.steps >= self._stretch_ends_at or not (standing & self._turns[0]).any():
            self._turns = self._turns[1:] or self._random_quarters(model)
            self._stretch_ends_at = self.steps + self._stretch_steps
        return standing & self._turns[0]

    def _random_quarters(self, model: SchedulingModel) -> list[Masks]:
        """(W,) for each turn: a part of the thread blocks, of the warps, or of the threads."""
        layout = model.layout
        warps, lanes = np.arange(layout.warps, dtype=np.int64), np.arange(layout.lanes, dtype=np.int64)
        parties = [layout.slots, warps[:, None]]
        parties += [warps[:, None] * layout.lanes + lanes] if model.splits_groups else []
        several = [party for party in parties if party.any()] or parties
        party = several[self.random.integers(len(several))]
        count = int(party.max()) + 1
        turn = (self.random.permutation(count) * QUARTERS // count)[party]
        return [pack(np.broadcast_to(turn == now, (len(warps), len(lanes)))) for now in range(QUARTERS)]

    def phase(self) -> None:
        """Never the same again."""

    def served_since(self, step: int) -> bool:
        """Almost surely, after thousands of random choices, in which all quarters had a turn."""
        return self.steps - step > max(ADVERSARY_PATIENCE_STEPS, 2 * QUARTERS * self._stretch_steps)
