"""How does occupancy follow from registers, block size and shared memory? For the occupancy explorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from gpusim.devices import Device, get
from gpusim.errors import ReportError
from gpusim.reports.occupancy import (
    DeviceLimits,
    OccupancyExploration,
    OccupancyReport,
    OccupancyVariant,
    Recorded,
)
from gpusim.runtime.residency import occupancy

DEVICES = ("H200", "A100", "V100", "P100", "MetaX C500")
SHARED_STEP = 512  # of the slider


def explore_occupancy(
    first: OccupancyReport | None = None,
    *,
    threads: int = 256,
    registers_per_thread: int = 40,
    shared_bytes: int = 0,
    devices: Sequence[str | Device] = DEVICES,
    recorded: Mapping[str, Mapping[str, Any]] | None = None,
    title: str = "What fits on a multiprocessor",
) -> OccupancyExploration:
    """How full is a multiprocessor with blocks of any size? A report for `views.occupancy_explorer`.

    first: begin with this device and these numbers, such as `kernel.occupancy(256)` gives; otherwise with
    `threads`, `registers_per_thread`, `shared_bytes` and the first of `devices`. `recorded`: for a device,
    what a real one's driver answered, as tests/hardware/occupancy.json has it; drawn as dots.
    """
    request = {
        "threads": threads,
        "registers_per_thread": registers_per_thread,
        "shared_bytes": shared_bytes,
    }
    if first is not None:
        request = {name: getattr(first, name) for name in request}
    chosen = list(dict.fromkeys(get(each) for each in (*([first.device] if first else []), *devices)))
    if not chosen:
        raise ReportError("the occupancy explorer needs at least one device")
    for name, most in (
        ("threads", "max_threads_per_block"),
        ("shared_bytes", "shared_bytes_per_block_optin"),
    ):
        if request[name] > getattr(chosen[0], most):
            raise ReportError(
                f"{name} is {request[name]}; a block on {chosen[0].name} has at most "
                f"{getattr(chosen[0], most)} ({chosen[0].cited(most)})"
            )
    unknown = set(recorded or {}) - {device.name for device in chosen}
    if unknown:
        raise ReportError(f"recorded answers of {', '.join(sorted(unknown))}, which is not among the devices")
    return OccupancyExploration(
        title,
        tuple(_variant(device, request, (recorded or {}).get(device.name)) for device in chosen),
        **request,
    )


def _variant(device: Device, request: Mapping[str, int], known: Mapping[str, Any] | None) -> OccupancyVariant:
    says = occupancy(device, **request).says
    return OccupancyVariant(
        device.name, device_limits(device), says, None if known is None else _recorded(known)
    )


def device_limits(device: Device) -> DeviceLimits:
    """The figures of a device by which it is decided what fits."""
    return DeviceLimits(**{each.name: getattr(device, each.name) for each in fields(DeviceLimits)})


def _recorded(known: Mapping[str, Any]) -> Recorded:
    """The answers for kernels without arrays of a fixed size, at the places of the sliders."""
    needed = {name: registers for name, registers, shared, *_ in known["kernels"] if shared == 0}
    tables = {needed[name]: table for name, table in known["blocks_per_sm"] if name in needed}
    rows = [row for row, size in enumerate(known["dynamic_shared_bytes"]) if size % SHARED_STEP == 0]
    registers = tuple(sorted(tables))
    return Recorded(
        registers=registers,
        shared=tuple(known["dynamic_shared_bytes"][row] for row in rows),
        threads=tuple(known["block_sizes"]),
        blocks="".join(
            np.base_repr(blocks, 36) for held in registers for row in rows for blocks in tables[held][row]
        ),
    )
