"""What is launched? A kernel with its arguments, its grid and block, and a device: all that a grid needs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.devices import Device
from gpusim.devices.carveout import Carveout
from gpusim.errors import LaunchError
from gpusim.events import GridLaunched
from gpusim.ir.program import Function
from gpusim.machine import limits
from gpusim.machine.attributes import UNASKED, Attributes
from gpusim.machine.limits import Dim3
from gpusim.machine.translate import Form

CACHE_FRIENDLY_LANES = 1 << 16
STEP_BUDGET = 1_000_000


@dataclass(frozen=True, eq=False)
class Configuration:
    """One launch, which the device allows; see `of`.

    Of its blocks, `blocks_at_once` make a batch; `most_blocks_at_once` like them would. `carveout` is how
    shared memory and L1 are to be split, `form` how the kernel is translated. A grid `stands_alone` where an
    order is chosen, lanes may wait, or addresses may lead anywhere: its blocks are never in one batch with
    those of other grids.
    """

    function: Function
    grid: Dim3
    block: Dim3
    arguments: Sequence[Any]
    device: Device
    dynamic_shared_bytes: int
    scheduling: str
    schedule: str | int | None
    step_budget: int
    parent: GridLaunched | None
    carveout: Carveout
    blocks: int
    warps_per_block: int
    most_blocks_at_once: int
    form: Form
    stands_alone: bool

    @classmethod
    def of(
        cls,
        function: Function,
        grid: Dim3,
        block: Dim3,
        arguments: Sequence[Any],
        device: Device,
        dynamic_shared_bytes: int = 0,
        attributes: Attributes = UNASKED,
        scheduling: str = "independent",
        schedule: str | int | None = None,
        step_budget: int = STEP_BUDGET,
        parent: GridLaunched | None = None,
    ) -> Configuration:
        """A launch. Raises `LaunchError` where the device, the kernel or an argument does not allow it.

        arguments: NumPy arrays and scalars of the parameters' types; a record is an array of no dimension,
        and None a null pointer. Each block gets `dynamic_shared_bytes` of shared memory on top of what the
        kernel declares. `scheduling`, `schedule` and `step_budget` are those of `gpusim.use`. `parent` is the
        grid whose thread launches this one; None for the host.
        """
        limits.check_shape(device, grid, block)
        carveout = limits.fitted(function, attributes, device, block, dynamic_shared_bytes)
        most = carveout.blocks * device.multiprocessors
        cooperative = function.cooperative or attributes.cooperative
        blocks, warps_per_block = math.prod(grid), -(-math.prod(block) // device.warp_size)
        if cooperative and blocks > most:
            raise LaunchError(
                f"{function.name} is cooperative: its {blocks} blocks wait for each other, and "
                f"{device.name} holds {most} of them at once (cooperative launch too large)"
            )
        arguments = [np.asarray(a) if isinstance(a, np.void) else a for a in arguments]
        limits.check_writable(function, arguments)
        waits, random = function.may_wait or cooperative, isinstance(schedule, int)
        if not waits and not random:
            # no block waits for another, so smaller batches, which fit the host's caches, differ in nothing
            most = min(most, max(1, CACHE_FRIENDLY_LANES // (warps_per_block * device.warp_size)))
        return cls(
            function,
            grid,
            block,
            arguments,
            device,
            dynamic_shared_bytes,
            scheduling,
            schedule,
            step_budget,
            parent,
            carveout,
            blocks,
            warps_per_block,
            most,
            Form(scheduling == "stack" or not (random or function.may_wait), cut_at_memory=random),
            stands_alone=waits or schedule is not None or function.goes_anywhere,
        )

    @property
    def blocks_at_once(self) -> int:
        """How many of its blocks make a batch?"""
        return min(self.most_blocks_at_once, self.blocks)

    @property
    def seed(self) -> int | None:
        """The adversary's, if that chooses the order."""
        return self.schedule if isinstance(self.schedule, int) else None

    @property
    def convergent(self) -> bool:
        """Are lanes sure to meet again unless another lane that they wait for parts them?"""
        return self.scheduling == "stack" or self.seed is None

    @property
    def kind(self) -> Hashable:
        """Launches of one kind can run side by side: of one kernel, with the same null pointers."""
        nulls = tuple([argument is None for argument in self.arguments])
        return self.function, self.device, self.scheduling, self.form, self.step_budget, nulls
