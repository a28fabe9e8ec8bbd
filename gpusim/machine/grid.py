"""How does a grid get from its launch to its end? In batches of resident blocks, step by step.

A batch holds at most what is resident on the device at once, so a grid of any size runs in constant space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpusim.errors import GpuSimError
from gpusim.events import Observer
from gpusim.machine.batch import Batch, Turn
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.layout import Part
from gpusim.machine.loaded import Loaded, bound, bound_side_by_side

ROUNDING = 1e-9


@dataclass
class State:
    """How far grids have come: whose block becomes resident next, its number, and those that are.

    `member` counts grids that run side by side, and `blocks_before` the blocks of those before it.
    """

    member: int = 0
    next_block: int = 0
    blocks_before: int = 0
    batch: Batch | None = None

    def copy(self) -> State:
        """The same, to go on by itself."""
        return replace(self, batch=None if self.batch is None else self.batch.copy())


class Grid:
    """A grid that runs, or several side by side: what is `loaded` and stays, beside a `state` that changes.

    The memory that they change is the device's.
    """

    def __init__(self, loaded: Loaded, state: State) -> None:
        self.loaded, self.state = loaded, state

    @classmethod
    def of(
        cls, configuration: Configuration, device_state: DeviceState, observers: Sequence[Observer] = ()
    ) -> Grid:
        """A launch by itself."""
        binding = bound(configuration, device_state.memory)
        return cls(Loaded([configuration], binding, device_state, [observers]), State())

    @classmethod
    def side_by_side(
        cls,
        configurations: Sequence[Configuration],
        device_state: DeviceState,
        observers: Sequence[Sequence[Observer]],
    ) -> Grid | None:
        """Several launches of one kernel, none of which `stands_alone`. None if their arrays do not fit."""
        binding = bound_side_by_side(configurations, device_state.memory)
        if not binding.fits:
            return None
        return cls(Loaded(configurations, binding, device_state, observers), State())

    def copy(self) -> Grid:
        """The same grid as it stands, to run on by itself. What it does to memory, both do."""
        return Grid(self.loaded, self.state.copy())

    @property
    def is_several(self) -> bool:
        """Are they several, side by side?"""
        return len(self.loaded.configurations) > 1

    @property
    def can_start_over(self) -> bool:
        """Are they several, of which nobody has seen anything yet? Then each could run alone instead."""
        return self.is_several and self.loaded.unseen

    @property
    def blocks_over(self) -> int:
        """Of how many thread blocks has every thread left?"""
        state = self.state
        running = 0 if state.batch is None else state.batch.layout.blocks - state.batch.blocks_over
        return state.blocks_before + state.next_block - running

    @property
    def stuck(self) -> GpuSimError | None:
        """Why does it wait?"""
        return None if self.state.batch is None else self.state.batch.stuck

    def step(self, at_most: int = 1) -> Turn:
        """Run one basic block, or up to `at_most` in a row of one batch. Raises what the kernel does wrong.

        What lanes wrote until then stays.
        """
        state = self.state
        with np.errstate(all="ignore"):
            if state.batch is None:
                state.batch = self.loaded.batch(self._next_parts())
            turn = state.batch.advance(at_most)
        if turn is not Turn.OVER:
            return turn
        state.batch = None
        return Turn.OVER if state.member == len(self.loaded.configurations) else Turn.RAN

    def _next_parts(self) -> list[Part]:
        """The thread blocks that become resident together next; each grid in the portions it has alone."""
        state, parts, room = self.state, list[Part](), 1.0
        for configuration in self.loaded.configurations[state.member :]:
            count = min(configuration.blocks_at_once, configuration.blocks - state.next_block)
            room -= count / configuration.most_blocks_at_once
            if parts and room < -ROUNDING:
                break
            parts.append(Part(configuration.grid, configuration.block, state.next_block, count, state.member))
            state.next_block += count
            if state.next_block < configuration.blocks:
                break
            state.member, state.next_block = state.member + 1, 0
            state.blocks_before += configuration.blocks
        return parts

    def close(self, error: BaseException | None = None) -> None:
        """It runs no more: it is over, or `error` has ended it. Its observers are told."""
        unfinished = set(range(self.state.member, len(self.loaded.configurations)))
        if self.state.batch is not None:
            unfinished.update(self.state.batch.members_alive)
        self.loaded.ended(error, unfinished)

    def interrupted(self) -> str:
        """Where its lanes stood when the user had enough."""
        name = self.loaded.configurations[0].function.name
        return f"{name} was interrupted" if self.state.batch is None else self.state.batch.interrupted()
