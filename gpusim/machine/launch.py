"""What happens at `kernel[grid, block](…)`? Check the limits, make batches of resident blocks, run each.

A batch holds at most what is resident on the device at once, so a grid of any size runs in constant space.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gpusim.context import Settings
from gpusim.devices import Device
from gpusim.devices.occupancy import round_up
from gpusim.errors import LaunchError
from gpusim.events import Event, GridCompleted, GridLaunched, MemoryAccess, Observer
from gpusim.ir.instructions import Barrier, Exchange, Register
from gpusim.ir.program import Function
from gpusim.machine import carveout
from gpusim.machine.batch import Batch
from gpusim.machine.diagnosis import Diagnosis
from gpusim.machine.functions.exchange import Exchanges
from gpusim.machine.functions.votes import Votes
from gpusim.machine.memory.binding import WINDOW_UNIT_BYTES, Binding, block_shared_bytes
from gpusim.machine.models.independent import IndependentModel
from gpusim.machine.models.stack import StackModel
from gpusim.machine.policy import Adversary, Friendly, Policy, Serial
from gpusim.machine.special_registers import Shape, Specials
from gpusim.machine.step import Step
from gpusim.machine.translate import Translation, translate
from gpusim.source import spelled

MODELS = {"stack": StackModel, "independent": IndependentModel}
CACHE_FRIENDLY_LANES = 1 << 16

# The C library on Linux hands freed memory back, and gets it page by page for the next array, until an array
# as large as this was freed. No page of this one is touched.
np.empty((32 << 20) - (64 << 10), np.uint8)

Dim3 = tuple[int, int, int]
BlocksDone = Callable[[], int]
_translations: WeakKeyDictionary[Function, dict[tuple[bool, bool], Translation]] = WeakKeyDictionary()


def run(
    function: Function,
    grid: Dim3,
    block: Dim3,
    arguments: Sequence[Any],
    settings: Settings,
    dynamic_shared_bytes: int = 0,
    progress: Callable[[BlocksDone], None] | None = None,
) -> None:
    """Run a grid to its end on the device of `settings`.

    Arguments are NumPy arrays and scalars of the parameters' types; a record is an array of no dimension, and
    None a null pointer.
    Each block gets `dynamic_shared_bytes` of shared memory on top of what the kernel declares. Raises
    `LaunchError` before anything has run, `OutOfBounds`, `MisalignedAccess`, `Deadlock` or `Livelock` later;
    what lanes wrote until then stays. Now and then `progress` is given a function that counts the thread
    blocks that are done.
    """
    arguments = [np.asarray(a) if isinstance(a, np.void) else a for a in arguments]
    device = settings.device
    _check_shape(device, grid, block)
    resident = resident_blocks(function, device, block, dynamic_shared_bytes)
    if function.cooperative and math.prod(grid) > resident:
        raise LaunchError(
            f"{function.name} is cooperative: its {math.prod(grid)} blocks wait for each other, and "
            f"{device.name} holds {resident} of them at once (cooperative launch too large)"
        )
    _check_writable(function, arguments)
    launch = _Launch(function, grid, block, arguments, settings, dynamic_shared_bytes)
    count = math.prod(grid)
    size = min(resident, count)
    if not function.may_wait and not function.cooperative and not isinstance(settings.schedule, int):
        # no block can wait for another, so smaller batches, which fit the host's caches, differ in nothing
        size = min(size, max(1, CACHE_FRIENDLY_LANES // (launch.warps_per_block * device.warp_size)))
    if GridLaunched in launch.wants:
        launch.emit(
            GridLaunched(
                function,
                launch.translation.blocks,
                launch.translation.reconvergence,
                device,
                launch.scheduling,
                grid,
                block,
                launch.warps_per_block,
                size,
                launch.binding.placements(launch.translation.arrays),
                dynamic_shared_bytes,
            )
        )
    try:
        with np.errstate(all="ignore"):
            for first in range(0, count, size):
                batch = launch.batch(first, min(size, count - first))
                if progress is not None:
                    batch.looked_at = _looking(progress, first)
                batch.run()
                if progress is not None:
                    progress(lambda done=first + size: min(done, count))  # type: ignore[misc]
    finally:
        launch.count_as_written()
    launch.emit(GridCompleted(function))


def _looking(progress: Callable[[BlocksDone], None], before: int) -> Callable[[Batch], None]:
    return lambda batch: progress(lambda: before + batch.blocks_over)


def _check_shape(device: Device, grid: Dim3, block: Dim3) -> None:
    """Raise `LaunchError` where a grid or block is outside the device's limits, and say which limit."""
    for what, extents, limits in (
        ("grid", grid, device.max_grid_dim),
        ("block", block, device.max_block_dim),
    ):
        for axis, extent, limit in zip("xyz", extents, limits, strict=True):
            if not 1 <= extent <= limit:
                raise LaunchError(
                    f"{what} {extents}: {axis} is {extent}, and {device.name} takes 1 to {limit} there "
                    f"(max_{what}_dim)"
                )
    threads = math.prod(block)
    if threads > device.max_threads_per_block:
        raise LaunchError(
            f"block {block} has {threads} threads; {device.name} allows {device.max_threads_per_block} "
            "a block (max_threads_per_block)"
        )


def resident_blocks(function: Function, device: Device, block: Dim3, dynamic_shared_bytes: int = 0) -> int:
    """How many blocks of a kernel are on the device at once? Raises `LaunchError` where not even one fits."""
    threads = math.prod(block)
    if function.max_threads is not None and threads > function.max_threads:
        raise LaunchError(
            f"block {block} has {threads} threads; {function.name} was compiled for at most "
            f"{function.max_threads} (launch_bounds)"
        )
    if dynamic_shared_bytes < 0:
        raise LaunchError(f"a launch cannot have {dynamic_shared_bytes} bytes of dynamic shared memory")
    _check_shared(function, device, dynamic_shared_bytes)
    if function.constant_bytes > device.constant_bytes:
        raise LaunchError(
            f"{function.name} uses {function.constant_bytes} bytes of constant arrays; {device.name} has "
            f"{device.constant_bytes} bytes of constant memory (constant_bytes)",
            hint="pass large arrays as arguments",
        )
    if function.local_bytes > device.local_bytes_per_thread:
        raise LaunchError(
            f"{function.name} declares {function.local_bytes} bytes of local memory; {device.name} allows "
            f"{device.local_bytes_per_thread} a thread (local_bytes_per_thread)"
        )
    per_multiprocessor = carveout.of_kernel(function, device, threads, dynamic_shared_bytes).blocks
    if per_multiprocessor == 0:
        raise LaunchError(
            f"a block of {threads} threads with {function.registers_per_thread} "
            f"registers each does not fit on {device.name}: it has {device.registers_per_block} registers "
            "for a block (registers_per_block)"
        )
    return per_multiprocessor * device.multiprocessors


OPT_IN = (
    "cudart.cudaFuncSetAttribute(kernel, "
    "cudart.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, {})"
)


def _check_shared(function: Function, device: Device, dynamic_shared_bytes: int) -> None:
    """Raise `LaunchError` where a block has more shared memory than it may have, and say how it gets more."""
    shared_bytes = block_shared_bytes(function, dynamic_shared_bytes)
    opted_in = function.max_dynamic_shared_bytes
    if opted_in is not None and dynamic_shared_bytes > opted_in:
        raise LaunchError(
            f"the launch asks for {dynamic_shared_bytes} bytes of dynamic shared memory; {function.name} has "
            f"opted in to {opted_in} (max_dynamic_shared_size_bytes)"
        )
    too_much_declared = function.shared_bytes > device.shared_bytes_per_block
    opted = opted_in is not None and not too_much_declared
    limit = "shared_bytes_per_block_optin" if opted else "shared_bytes_per_block"
    if shared_bytes <= getattr(device, limit):
        return
    most, hint = device.shared_bytes_per_block_optin, ""
    if shared_bytes > most > getattr(device, limit):
        hint = f"with an opt-in it is {most}, and never more ({device.cited('shared_bytes_per_block_optin')})"
    elif shared_bytes > most:
        hint = f"no block gets more on {device.name}"
    elif too_much_declared:
        hint = (
            "for arrays of a fixed size there is no more, and a GPU's assembler, ptxas, refuses them, too: "
            "declare `cuda.shared.array(0, dtype)`, give its bytes with the launch, and opt in before it: "
            + OPT_IN.format(shared_bytes)
        )
    else:
        hint = f"opt in to more before the launch: {OPT_IN.format(dynamic_shared_bytes)}"
    extra = f", and the launch adds {dynamic_shared_bytes}" if dynamic_shared_bytes else ""
    raise LaunchError(
        f"{function.name} declares {function.shared_bytes} bytes of shared memory{extra}; {device.name} "
        f"allows {getattr(device, limit)} a block ({device.cited(limit)})",
        hint=spelled(hint, function.source.language),
    )


def _dynamic_start(function: Function) -> int:
    """Dynamic shared memory begins behind the declared arrays."""
    return round_up(function.shared_bytes, WINDOW_UNIT_BYTES)


def _check_writable(function: Function, arguments: Sequence[Any]) -> None:
    for operand, argument in zip(function.parameters, arguments, strict=True):
        if operand in function.written and argument is not None and not argument.flags.writeable:
            raise LaunchError(f"{function.name} writes to {operand.name!r}, which is read-only; pass a copy")


@dataclass
class _Launch:
    """What the batches of one launch share."""

    function: Function
    grid: Dim3
    block: Dim3
    arguments: Sequence[Any]
    settings: Settings
    dynamic_shared_bytes: int

    def __post_init__(self) -> None:
        device, settings = self.settings.device, self.settings
        self.lanes = device.warp_size
        self.threads = math.prod(self.block)
        self.warps_per_block = -(-self.threads // self.lanes)
        self.scheduling = settings.scheduling or device.scheduling
        self.seed = settings.schedule if isinstance(settings.schedule, int) else None
        # lanes are sure to meet again unless an adversary, or another lane they wait for, parts them
        self.convergent = self.scheduling == "stack" or self.seed is None
        uniform = self.scheduling == "stack" or (self.seed is None and not self.function.may_wait)
        self.translation = _translated(self.function, uniform, self.seed is not None)
        self.wants = frozenset[type]().union(*(observer.wants for observer in settings.observers))
        self.specials: dict[Any, Any] = {}
        dynamic = _dynamic_start(self.function), self.dynamic_shared_bytes
        self.binding = Binding(self.function, self.arguments, dynamic, self.lanes)

    def emit(self, event: Event) -> None:
        """Give an event to the observers that want it."""
        observers: tuple[Observer, ...] = self.settings.observers
        for observer in observers:
            if type(event) in observer.wants:
                observer.observe(event)

    def count_as_written(self) -> None:
        """What the kernel writes to counts as written whole, unless an observer knows better."""
        if not any(getattr(observer, "notes_writes", False) for observer in self.settings.observers):
            self.binding.count_as_written()

    def batch(self, first: int, count: int) -> Batch:
        """The thread blocks `first` to `first + count - 1`, about to start."""
        warps = count * self.warps_per_block
        shape = Shape(self.grid, self.block, self.threads, self.warps_per_block, self.lanes)
        specials = Specials(shape, self.specials, first, count)
        model = MODELS[self.scheduling](
            specials("present", bool, None),
            self.warps_per_block,
            self.translation.reconvergence,
            self.translation.unreconverged,
            self.convergent,
        )
        if self.settings.schedule is not None:
            model.spread()
        step = Step(warps, self.lanes, self.warps_per_block, first * self.warps_per_block)
        ends = [block.terminator for block in self.translation.blocks]
        meets = any(isinstance(end, Exchange) for end in ends)
        exchanges = Exchanges(model.present, self.lanes) if meets else None
        votes = None
        if any(isinstance(end, Barrier) and end.operands for end in ends):
            votes = Votes(model.present, self.lanes, self.warps_per_block, step.voted)
        step.exchanged = exchanges.received if exchanges else []
        step.emit, step.watched = self.emit, MemoryAccess in self.wants
        return Batch(
            translation=self.translation,
            registers=self._registers(warps),
            arrays=self.binding.of_batch(self.translation.arrays, count, warps),
            specials=specials,
            model=model,
            policy=self._policy(first, warps),
            step=step,
            exchanges=exchanges,
            votes=votes,
            wants=self.wants,
            step_budget=self.settings.step_budget,
            diagnosis=Diagnosis(
                self.function.name,
                self.grid,
                self.block,
                first,
                self.lanes,
                self.translation.blocks,
                model,
            ),
        )

    def _policy(self, first: int, warps: int) -> Policy:
        if self.seed is not None:
            return Adversary(self.seed + first)
        if self.settings.schedule == "serial":
            return Serial(warps, self.function.standing_back)
        return Friendly(self.function.may_wait, self.function.standing_back)

    def _registers(self, warps: int) -> list[npt.NDArray[Any]]:
        given = {
            operand: argument
            for operand, argument in zip(self.function.parameters, self.arguments, strict=True)
            if isinstance(operand, Register)
        }
        registers: list[npt.NDArray[Any]] = []
        for register in self.translation.stored:
            if register in self.translation.constant:
                registers.append(register.type.dtype.type(given[register]))
                continue
            width = self.lanes if register in self.translation.per_lane else 1
            store = np.zeros((warps, width), register.type.dtype)
            if register in given:
                store[...] = given[register]
            registers.append(store)
        return registers


def _translated(function: Function, uniform: bool, cut: bool) -> Translation:
    known = _translations.setdefault(function, {})
    if (uniform, cut) not in known:
        known[uniform, cut] = translate(function, uniform=uniform, cut_at_memory=cut)
    return known[uniform, cut]
