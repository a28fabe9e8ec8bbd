"""What is launched? A kernel with its arguments, its grid and block, and a device: all that a grid needs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpusim.devices import Device
from gpusim.devices.carveout import Carveout
from gpusim.devices.device import Dim3
from gpusim.errors import LaunchError
from gpusim.ir.launched import LaunchedBy
from gpusim.ir.program import Function
from gpusim.machine import limits
from gpusim.machine.attributes import Attributes
from gpusim.machine.translate import Form

CACHE_FRIENDLY_LANES, LOCAL_BYTES_AT_ONCE = 1 << 16, 1 << 27
STEP_BUDGET = 1_000_000


@dataclass(frozen=True, eq=False)
class Configuration:
    """One launch. Raises `LaunchError` where the device, the kernel or an argument does not allow it.

    arguments: NumPy arrays and scalars of the parameters' types; a record is an array of no dimension, and
    None a null pointer. Each block gets `dynamic_shared_bytes` of shared memory on top of what the kernel
    declares. `scheduling`, `schedule`, `step_budget` and `cdp` are those of `gpusim.use`. `launched_by` is
    who launches it from another kernel; None for the host.
    """

    function: Function
    grid: Dim3
    block: Dim3
    arguments: Sequence[Any]
    device: Device
    dynamic_shared_bytes: int
    attributes: Attributes
    scheduling: str
    schedule: str | int | None
    step_budget: int
    launched_by: LaunchedBy | None = None
    cdp: int = 2

    def __post_init__(self) -> None:
        function, device = self.function, self.device
        limits.check_shape(device, self.grid, self.block)
        limits.check_writable(function, self.arguments)
        if function.asks_runtime:
            limits.check_launches(function, device, self.cdp)
        resident = self.carveout.blocks * device.multiprocessors
        if self.cooperative and self.blocks > resident:
            raise LaunchError(
                f"{function.name} is cooperative: its {self.blocks} blocks wait for each other, and "
                f"{device.name} holds {resident} of them at once (cooperative launch too large)"
            )

    @cached_property
    def carveout(self) -> Carveout:
        """How are shared memory and L1 to be split, and how many blocks does a multiprocessor hold then?"""
        return limits.fitted(
            self.function, self.attributes, self.device, self.block, self.dynamic_shared_bytes
        )

    @property
    def cooperative(self) -> bool:
        """Must all blocks be resident at once?"""
        return self.function.cooperative or self.attributes.cooperative

    @cached_property
    def blocks(self) -> int:
        """How many thread blocks has it?"""
        return math.prod(self.grid)

    @cached_property
    def warps_per_block(self) -> int:
        """How many warps has each?"""
        return -(-math.prod(self.block) // self.device.warp_size)

    @cached_property
    def most_blocks_at_once(self) -> int:
        """How many blocks like these can make a batch?"""
        resident = self.carveout.blocks * self.device.multiprocessors
        if self.seed is not None or self.function.may_wait or self.cooperative:
            return resident
        # no block waits for another, so smaller batches, which fit the host's caches, differ in nothing
        lanes = min(CACHE_FRIENDLY_LANES, LOCAL_BYTES_AT_ONCE // max(self.function.local_bytes, 1))
        return min(resident, max(1, lanes // (self.warps_per_block * self.device.warp_size)))

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

    @cached_property
    def form(self) -> Form:
        """How is the kernel translated?"""
        random = self.seed is not None
        return Form(self.scheduling == "stack" or not (random or self.function.may_wait), random)

    @property
    def stands_alone(self) -> bool:
        """Is an order chosen, may lanes wait, may addresses lead anywhere? Then no grid runs beside it."""
        function = self.function
        return self.schedule is not None or function.may_wait or function.goes_anywhere or self.cooperative

    @property
    def kind(self) -> Hashable:
        """Launches of one kind can run side by side: of one kernel, with the same null pointers."""
        nulls = tuple([argument is None for argument in self.arguments])
        return self.function, self.device, self.scheduling, self.form, self.step_budget, nulls
