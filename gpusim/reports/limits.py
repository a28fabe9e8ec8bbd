"""How far may kernels launch kernels, what memory does that reserve, which call fails with which error?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gpusim.reports.report import Report, Titled


class ReservedMemory(NamedTuple):
    """Bytes of the device's memory that a program cannot use itself: what for, and how that is worked out."""

    name: str
    bytes: int
    how: str


class LimitedCall(NamedTuple):
    """A call of the host or of a kernel; `error` is "" where it succeeds; `says` why."""

    call: str
    error: str
    says: str


@dataclass(frozen=True, slots=True)
class LimitsVariant(Report):
    """One device: the figures that decide, as `gpusim.devices.launch_limits` has them, and what follows.

    `reserved`: with those settings that succeeded; `free_bytes`: what is left of `memory_bytes` then.
    """

    label: str
    memory_bytes: int
    resident_threads: int
    on_chip_bytes: int
    ecc_bytes: int
    reserved: tuple[ReservedMemory, ...]
    free_bytes: int
    calls: tuple[LimitedCall, ...]


@dataclass(frozen=True, slots=True)
class LimitsReport(Titled):
    """What a program asks for, and what comes of it on each device.

    A chain of launches leads to grids at `depth` (the host's grid has 0); the last of their parents launches
    so many (`launches`) at once, and waits for them under CDP1 (`cdp`). The host asks for the other four
    with `cudaDeviceSetLimit`. `sentences`: what calls say, with places for numbers.
    """

    variants: tuple[LimitsVariant, ...]
    cdp: int
    depth: int
    launches: int
    synchronization_depth: int
    pending_launches: int
    stack_bytes: int
    heap_bytes: int
    sentences: Mapping[str, str]
