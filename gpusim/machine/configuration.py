"""What is launched? A kernel with its arguments, its grid and block, and a device: all that a grid needs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
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
    thread launches this one; None for the host.

    Of `blocks` of so many `threads`, `blocks_at_once` make a batch; `most_blocks_at_once` like them would.
    `carveout` is how shared memory and L1 are to be split, `form` how the kernel is translated, `seed` the
    adversary's. A grid `stands_alone` where an order is chosen, lanes may wait, or addresses may lead
    anywhere: its blocks are never in one batch with those of other grids.
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
    blocks: int = field(init=False)
    threads: int = field(init=False)
    warps_per_block: int = field(init=False)
    most_blocks_at_once: int = field(init=False)
    blocks_at_once: int = field(init=False)
    seed: int | None = field(init=False)
    form: Form = field(init=False)
    stands_alone: bool = field(init=False)

    def __post_init__(self) -> None:
        function, device = self.function, self.device
        limits.check_shape(device, self.grid, self.block)
        carveout = limits.fitted(function, self.attributes, device, self.block, self.dynamic_shared_bytes)
        most = carveout.blocks * device.multiprocessors
        cooperative = function.cooperative or self.attributes.cooperative
        blocks, threads = math.prod(self.grid), math.prod(self.block)
        if cooperative and blocks > most:
            raise LaunchError(
                f"{function.name} is cooperative: its {blocks} blocks wait for each other, and "
                f"{device.name} holds {most} of them at once (cooperative launch too large)"
            )
        arguments = [np.asarray(a) if isinstance(a, np.void) else a for a in self.arguments]
        limits.check_writable(function, arguments)
        seed = self.schedule if isinstance(self.schedule, int) else None
        waits = function.may_wait or cooperative
        warps_per_block = -(-threads // device.warp_size)
        if not waits and seed is None:
            # no block waits for another, so smaller batches, which fit the host's caches, differ in nothing
            most = min(most, max(1, CACHE_FRIENDLY_LANES // (warps_per_block * device.warp_size)))
        uniform = self.scheduling == "stack" or (seed is None and not function.may_wait)
        vars(self).update(
            arguments=arguments,
            carveout=carveout,
            blocks=blocks,
            threads=threads,
            warps_per_block=warps_per_block,
            most_blocks_at_once=most,
            blocks_at_once=min(most, blocks),
            seed=seed,
            form=Form(uniform, cut_at_memory=seed is not None),
            stands_alone=waits or self.schedule is not None or function.goes_anywhere,
        )

    @property
    def convergent(self) -> bool:
        """Are lanes sure to meet again unless another lane that they wait for parts them?"""
        return self.scheduling == "stack" or self.seed is None

    @property
    def kind(self) -> Hashable:
        """Launches of one kind can run side by side: of one kernel, with the same null pointers."""
        nulls = tuple([argument is None for argument in self.arguments])
        return self.function, self.device, self.scheduling, self.form, self.step_budget, nulls
