"""What is launched? A kernel with its arguments, its grid and block, and a device: all that a grid needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
    """One launch. Raises `LaunchError` where the device, the kernel or an argument does not allow it.

    arguments: NumPy arrays and scalars of the parameters' types; a record is an array of no dimension, and
    None a null pointer. Each block gets `dynamic_shared_bytes` of shared memory on top of what the kernel
    declares. `scheduling`, `schedule` and `step_budget` are those of `gpusim.use`. `parent` is the grid whose
    thread launches this one; None for the host. `carveout` is how it would have shared memory and L1 split,
    and `blocks_at_once` how many of its blocks make a batch.
    """

    function: Function
    grid: Dim3
    block: Dim3
    arguments: Sequence[Any]
    device: Device
    dynamic_shared_bytes: int = 0
    attributes: Attributes = UNASKED
    scheduling: str = "independent"
    schedule: str | int | None = None
    step_budget: int = STEP_BUDGET
    parent: GridLaunched | None = None
    carveout: Carveout = field(init=False)
    blocks_at_once: int = field(init=False)

    def __post_init__(self) -> None:
        function, device = self.function, self.device
        limits.check_shape(device, self.grid, self.block)
        carveout = limits.fitted(function, self.attributes, device, self.block, self.dynamic_shared_bytes)
        resident = carveout.blocks * device.multiprocessors
        if self.cooperative and self.blocks > resident:
            raise LaunchError(
                f"{function.name} is cooperative: its {self.blocks} blocks wait for each other, and "
                f"{device.name} holds {resident} of them at once (cooperative launch too large)"
            )
        passed = [np.asarray(a) if isinstance(a, np.void) else a for a in self.arguments]
        limits.check_writable(function, passed)
        object.__setattr__(self, "arguments", passed)
        size = min(resident, self.blocks)
        if not function.may_wait and not self.cooperative and self.seed is None:
            # no block waits for another, so smaller batches, which fit the host's caches, differ in nothing
            size = min(size, max(1, CACHE_FRIENDLY_LANES // (self.warps_per_block * device.warp_size)))
        object.__setattr__(self, "blocks_at_once", size)
        object.__setattr__(self, "carveout", carveout)

    @property
    def blocks(self) -> int:
        """How many thread blocks are in the grid?"""
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """How many threads are in a block?"""
        return math.prod(self.block)

    @property
    def warps_per_block(self) -> int:
        """How many warps, the last perhaps partial, is a block cut into?"""
        return -(-self.threads // self.device.warp_size)

    @property
    def cooperative(self) -> bool:
        """Must all its blocks be resident?"""
        return self.function.cooperative or self.attributes.cooperative

    @property
    def seed(self) -> int | None:
        """The adversary's; None where there is none."""
        return self.schedule if isinstance(self.schedule, int) else None

    @property
    def convergent(self) -> bool:
        """Are lanes sure to meet again unless another lane that they wait for parts them?"""
        return self.scheduling == "stack" or self.seed is None

    @cached_property
    def form(self) -> Form:
        """How its kernel is translated."""
        uniform = self.scheduling == "stack" or (self.seed is None and not self.function.may_wait)
        return Form(uniform, cut_at_memory=self.seed is not None)

    @property
    def stands_alone(self) -> bool:
        """Must its blocks be apart from those of other grids? Where an order is chosen, or lanes may wait."""
        return self.schedule is not None or self.function.may_wait or self.cooperative
