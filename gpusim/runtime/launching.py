"""What have the kernels of all languages in common? `kernel[grid, block](…)`, and what a kernel needs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpusim.devices import Device
from gpusim.devices.device import Dim3
from gpusim.devices.occupancy import largest_block, registers_for_residency
from gpusim.errors import GpuSimError, LaunchError, without_traceback
from gpusim.ir import scheduling, spilling
from gpusim.ir.program import Function
from gpusim.machine import attributes
from gpusim.machine.attributes import UNASKED
from gpusim.machine.limits import configured, most_dynamic_shared
from gpusim.reports.occupancy import OccupancyReport
from gpusim.runtime import passing, residency, settings, streams
from gpusim.runtime.device_array import DeviceNDArray
from gpusim.runtime.progress import Progress
from gpusim.whole import is_whole, whole

Bound = tuple[Function, list[Any], Callable[[], None]]


class Launchable(ABC):
    """A kernel to the host. Its language says what `compiled` and `_bound` are."""

    is_kernel = True

    __name__: str
    launch_attributes = UNASKED

    @property
    def function(self) -> Function:
        """The IR whose figures the kernel is asked for. Raises `LaunchError` where there is none yet."""
        return self.compiled()

    @property
    def const_size_bytes(self) -> int:
        """What it takes of constant memory."""
        return self.function.constant_bytes

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """How much dynamic shared memory may a launch ask for? Set it, to ask for more than 48 KiB in all."""
        return most_dynamic_shared(self.function, self.launch_attributes, settings.current().device)

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: int) -> None:
        checked = attributes.checked_dynamic_bytes(
            self.__name__, settings.current().device, self._static_shared_bytes(), size
        )
        self.launch_attributes = replace(self.launch_attributes, max_dynamic_shared_bytes=checked)

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """Percent of the largest shared memory that it prefers; -1, the default, leaves it to the driver."""
        return self.launch_attributes.carveout_percent

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, percent: int) -> None:
        checked = attributes.checked_percent(self.__name__, settings.current().device, percent)
        self.launch_attributes = replace(self.launch_attributes, carveout_percent=checked)

    def _static_shared_bytes(self) -> int:
        """What its declared arrays take, as far as it is compiled."""
        return self.function.shared_bytes

    @abstractmethod
    def compiled(self, *arguments: Any) -> Function:
        """The IR for arguments of these types, on the device in force."""

    @abstractmethod
    def _bound(self, given: tuple[Any, ...]) -> Bound:
        """The IR, the machine's arguments, and what copies results back after the launch."""

    @property
    def variables(self) -> Mapping[str, DeviceNDArray]:
        """Device memory that it uses beside its arguments, and that lasts from launch to launch."""
        return {}

    def __getitem__(self, configuration: Any) -> LaunchConfiguration:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise LaunchError(
                f"{self.__name__}[…] takes the grid and the block, for example {self.__name__}[4, 256], and "
                "perhaps a stream and bytes of dynamic shared memory"
            )
        return self.configure(*configuration)

    def configure(
        self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0
    ) -> LaunchConfiguration:
        """What `kernel[griddim, blockdim, stream, sharedmem]` gives."""
        claim = f"in {self.__name__}[grid, block, stream, bytes]: dynamic shared memory is a number of bytes"
        shared_bytes = whole(sharedmem, claim)
        grid, block = extents("grid", griddim), extents("block", blockdim)
        return LaunchConfiguration(self, grid, block, streams.checked(stream), shared_bytes)

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> ForAll:
        """A launch with at least `ntasks` threads, in blocks of `tpb`, or of the size with the best
        occupancy.

        The kernel must leave out threads from number `ntasks` on.
        """
        for what, number in (("tasks", ntasks), ("threads of a block", tpb)):
            whole(number, f"{self.__name__}.forall: the number of {what} is whole and not negative", least=0)
        return ForAll(self, ntasks, tpb, stream, sharedmem)

    def occupancy(
        self, block: Any, shared_bytes: int = 0, *, device: str | Device | None = None
    ) -> OccupancyReport:
        """How full is a multiprocessor with blocks of this kernel, and what lets no more in?

        `shared_bytes`: dynamic shared memory that the launch adds. `device`: the one in force, unless given.
        """
        threads = math.prod(extents("block", block))
        whole(shared_bytes, "dynamic shared memory is a number of bytes", least=0)
        with settings.during(settings.changed(device)):
            function, gpu = self.function, settings.current().device
        split = configured(function, self.launch_attributes, gpu, max(threads, 1), shared_bytes)
        return residency.of(function, threads, shared_bytes, split)

    def _without_grid(self) -> LaunchError:
        """It was called as if it were a function."""
        name = self.__name__
        return LaunchError(f"{name} is a kernel: launch it with {name}[blocks, threads_per_block](…)")

    def _launch(
        self, grid: Dim3, block: Dim3, stream: Any, shared_bytes: int, given: tuple[Any, ...]
    ) -> None:
        function, values, copy_back = self._bound(given)
        launched = settings.current().configuration(
            function, grid, block, values, shared_bytes, self.launch_attributes
        )
        copied = list(passing.copied(given)) if settings.current().calls else []
        how = {"waits": not stream}
        for array in (one for one, into, _ in copied if into):
            streams.note_copy("argument", stream, array, None, "to device", **how)
        try:
            with Progress(self.__name__, launched.blocks, math.prod(block)) as progress:
                streams.of(stream).launch(launched, progress)
        except GpuSimError as error:
            if not any(take(error) for take in reversed(settings.current().takers)):
                raise
            error.bare()
            return
        copy_back()
        for array in (one for one, _, back in copied if back):
            streams.note_copy("argument", stream, None, array, "to host", **how)


@dataclass(frozen=True)
class LaunchConfiguration:
    """A kernel with its grid and block, ready to be called with arguments."""

    kernel: Launchable
    grid: Dim3
    block: Dim3
    stream: Any = 0
    shared_bytes: int = 0

    @without_traceback
    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        if keywords:
            raise LaunchError(
                f"{self.kernel.__name__}: kernels take positional arguments, not {sorted(keywords)}"
            )
        self.kernel._launch(self.grid, self.block, self.stream, self.shared_bytes, arguments)


@dataclass(frozen=True)
class ForAll:
    """A kernel with the number of threads that it needs; the block size follows from the arguments' types."""

    kernel: Launchable
    ntasks: int
    tpb: int
    stream: Any
    sharedmem: int

    @without_traceback
    def __call__(self, *arguments: Any) -> None:
        if self.ntasks:
            block = self.tpb or self._best_block(self.kernel.compiled(*arguments))
            grid = -(-self.ntasks // block)
            self.kernel.configure(grid, block, self.stream, self.sharedmem)(*arguments)

    def _best_block(self, function: Function) -> int:
        _, best = residency.best_launch(function, self.kernel.launch_attributes, self.sharedmem, 0)
        if best == 0:
            raise LaunchError(
                f"no block of {function.name} fits on {settings.current().device.name}, however small"
            )
        return best


def extents(name: str, given: Any) -> Dim3:
    """An int or a tuple of up to three as (x, y, z)."""
    numbers = given if isinstance(given, tuple | list) else (given,)
    if not 1 <= len(numbers) <= 3 or not all(map(is_whole, numbers)):
        raise LaunchError(f"the {name} is a whole number or a tuple of one to three, not {given!r}")
    x, y, z = (*(int(number) for number in numbers), 1, 1)[:3]
    return x, y, z


def kernel_of(func: Any) -> Launchable:
    """What a call of CUDA's was given, if it is a kernel."""
    if not isinstance(func, Launchable) or not func.is_kernel:
        raise LaunchError(
            f"cudaErrorInvalidDeviceFunction: {func!r} is no kernel; pass what @cuda.jit or RawModule gave"
        )
    return func


# what a kernel needs ----------------------------------------------------------------------------------------


def register_bound(device: Device, bounds: tuple[int, int] | None, max_registers: int | None) -> int | None:
    """How many registers may a thread have on this device? None: as many as it needs.

    `bounds`: threads a block, and blocks on a multiprocessor: (1024, 2) leave 32 on an H200, as its compiler
    does (tests/hardware/occupancy.json).
    """
    limits = [] if max_registers is None else [max_registers]
    if bounds is not None:
        threads, blocks = bounds
        fitting = registers_for_residency(device, threads=threads, blocks=blocks)
        if fitting == 0:
            raise LaunchError(
                f"launch_bounds=({threads}, {blocks}): no multiprocessor of {device.name} holds {blocks} "
                f"block(s) of {threads} threads"
            )
        limits.append(fitting)
    return min(limits, default=None)


def within_bounds(
    function: Function, device: Device, bounds: tuple[int, int] | None, max_registers: int | None
) -> Function:
    """The kernel as bounds on its launch and its registers leave it: in another order, or with spills."""
    most = register_bound(device, bounds, max_registers)
    if bounds is not None and most is not None:
        function = replace(scheduling.filled(function, most), max_threads=bounds[0])
    return spilling.bounded(function, most)


def max_threads_per_block(function: Function, device: Device) -> int:
    """The largest block whose registers fit, and that `launch_bounds` allows."""
    largest = largest_block(device, registers_per_thread=function.registers_per_thread)
    return min(largest, function.max_threads or largest)
