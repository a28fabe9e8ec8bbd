"""What can a kernel ask about its device, or about a kernel? Figures, limits, what a kernel needs, what fits.

An answer is a number; below zero it is an error's, negated. Each function takes whom it asks about, and the
numbers of the call. Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "API Reference".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpusim.devices import Device
from gpusim.devices.occupancy import largest_block
from gpusim.ir.device_errors import DeviceError
from gpusim.ir.program import Function
from gpusim.machine.attributes import Attributes
from gpusim.machine.device_state import DeviceState
from gpusim.machine.limits import most_dynamic_shared, resident_blocks
from gpusim.runtime.device_figures import FIGURES, LIMITS, cudaLimit

RUNTIME_VERSION = 6000  # what an H200 answers in a kernel, whatever the host's runtime is
NO_PREFERENCE = 0  # cudaFuncCachePreferNone


class About(NamedTuple):
    """Whom a thread asks: its device, and the kernel that it names, if it does."""

    state: DeviceState
    device: Device
    cdp: int
    kernel: tuple[Function, Attributes, int] | None  # what it is, what was set for it, its bytes of constants


def _limit(about: About, number: int) -> int:
    found = {int(one): name for one, name in LIMITS.items()}.get(number)
    if about.cdp != 1 and number == cudaLimit.cudaLimitDevRuntimeSyncDepth:
        found = None  # nobody waits; recorded in tests/hardware/copies_in_kernels.json
    return -DeviceError.cudaErrorUnsupportedLimit if found is None else int(getattr(about.state, found))


def _attribute(about: About, number: int, device: int) -> int:
    """Of device 0 only: there is no other."""
    figure = {int(one): figure for one, figure in FIGURES.items()}.get(number)
    if device:
        return -DeviceError.cudaErrorInvalidDevice
    return -DeviceError.cudaErrorInvalidValue if figure is None else int(figure(about.device) or 0)


def _of_kernel(about: About, which: int) -> int:
    """A member of cudaFuncAttributes, by its place; of the carve-out one more, as it may be -1."""
    assert about.kernel is not None
    function, attributes, constants = about.kernel
    device = about.device
    largest = largest_block(device, registers_per_thread=function.registers_per_thread)
    return (
        function.shared_bytes,
        constants,
        function.local_bytes,
        min(largest, function.max_threads or largest),
        function.registers_per_thread,
        most_dynamic_shared(function, attributes, device),
        attributes.carveout_percent + 1,
    )[which]


def _resident(about: About, threads: int, dynamic_shared_bytes: int) -> int:
    """Blocks of the kernel that a multiprocessor takes; with more shared memory than it asked for, none."""
    assert about.kernel is not None
    function, attributes, _constants = about.kernel
    if threads <= 0:
        return -DeviceError.cudaErrorInvalidValue
    return resident_blocks(function, attributes, about.device, threads, dynamic_shared_bytes)


QUERIES: dict[str, Callable[..., int]] = {
    "cudaDeviceGetCacheConfig": lambda _about: NO_PREFERENCE,
    "cudaDeviceGetLimit": _limit,
    "cudaDeviceGetAttribute": _attribute,
    "cudaGetDeviceCount": lambda _about: 1,
    "cudaGetDevice": lambda _about: 0,
    "cudaRuntimeGetVersion": lambda _about: RUNTIME_VERSION,
    "cudaFuncGetAttributes": _of_kernel,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": _resident,
}
