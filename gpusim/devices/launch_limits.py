"""How far may kernels launch kernels, and what memory does the device runtime keep for that?

Sources: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism" (CDP1), "Memory Footprint" and what follows,
and the CUDA Runtime API on `cudaDeviceSetLimit`; for CDP2 an H200's answers (dynamic_parallelism.json and
occupancy.json under tests/hardware). How many bytes a level or a pending launch takes nobody publishes: what
is assumed for them is said below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpusim.devices.device import Device

MOST_LEVELS = 24  # launches that lead to a grid, under CDP1
HEAP_BYTES = 8 << 20
PENDING_LAUNCHES = 2048
SYNCHRONIZATION_DEPTH = 2  # under CDP1
STACK_BYTES = 1024  # of a thread; recorded on an H200
# assumed: what a pending launch takes, the most that a kernel's parameters may have under CDP1
LAUNCH_BYTES = 4096
PUBLISHED_LEVEL_BYTES = 860 << 20  # "up to 860 MB" for each level that waits, "depending on the device"
# the part of memory that ECC takes where the memory has no room of its own for it; published: data sheets
ECC_SHARE = {"C2050": 1 / 8, "K40": 1 / 16, "K80": 1 / 16, "T4": 1 / 16}


@dataclass(frozen=True)
class LaunchFigures:
    """What of a device, and of a device runtime (1 or 2), decides about launches in kernels. All in bytes.

    `resident_threads`: at most on the whole device. `on_chip_bytes`: its registers and shared memory.
    """

    memory_bytes: int
    resident_threads: int
    on_chip_bytes: int
    ecc_bytes: int


class Settings(NamedTuple):
    """What `cudaDeviceSetLimit` sets."""

    synchronization_depth: int = SYNCHRONIZATION_DEPTH
    pending_launches: int = PENDING_LAUNCHES
    stack_bytes: int = STACK_BYTES
    heap_bytes: int = HEAP_BYTES


# why `cudaDeviceSetLimit` fails -> its error
REFUSALS = {
    "no levels": "cudaErrorUnsupportedLimit",
    "beyond": "cudaErrorInvalidValue",
    "too deep": "cudaErrorInvalidValue",
    "no room": "cudaErrorMemoryAllocation",
}


class Reserved(NamedTuple):
    """Memory that a program cannot use for its own arrays: what for, and how many bytes."""

    name: str
    bytes: int


def figures(device: Device) -> LaunchFigures:
    """Those of a device of the catalogue."""
    on_chip = 4 * device.registers_per_multiprocessor + device.shared_bytes_per_multiprocessor
    return LaunchFigures(
        device.memory_bytes,
        device.multiprocessors * device.max_threads_per_multiprocessor,
        device.multiprocessors * on_chip,
        int(device.memory_bytes * ECC_SHARE.get(device.name, 0)),
    )


def level_bytes(device: LaunchFigures, stack_bytes: int) -> int:
    """What a level of launches takes that waits for another: the state of all threads that may be resident.

    Assumed: all registers and shared memory, and each thread's stack. The guide says only that it is for the
    most threads that may be active, and up to 860 MB.
    """
    return device.on_chip_bytes + device.resident_threads * stack_bytes


def reserved(device: LaunchFigures, given: Settings, cdp: int) -> list[Reserved]:
    """What is kept of the device's memory, in the order in which it is taken."""
    levels = given.synchronization_depth if cdp == 1 else 0
    return [
        Reserved("error correction", device.ecc_bytes),
        Reserved("heap", given.heap_bytes),
        Reserved("stacks of running threads", device.resident_threads * given.stack_bytes),
        Reserved("pending launches", given.pending_launches * LAUNCH_BYTES),
        Reserved("levels that wait", levels * level_bytes(device, given.stack_bytes)),
    ]


def refused(device: LaunchFigures, given: Settings, name: str, value: int, cdp: int) -> str:
    """Why can one of these not be set to a value? A key of `REFUSALS`, "" where it can."""
    of_levels = name == "synchronization_depth"
    if of_levels and cdp > 1:
        return "no levels"
    if value > device.memory_bytes:
        return "beyond"
    if of_levels and value > MOST_LEVELS:
        return "too deep"
    rows = reserved(device, given._replace(**{name: value}), cdp)
    return "no room" if sum(row.bytes for row in rows) > device.memory_bytes else ""


def virtual_launches(free_heap_bytes: int, cdp: int) -> int:
    """How many launches are kept in the heap when the pool is full? Under CDP1, slower, until it is full."""
    return max(free_heap_bytes, 0) // LAUNCH_BYTES if cdp == 1 else 0
