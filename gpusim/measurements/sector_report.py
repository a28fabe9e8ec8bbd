"""Which memory moves for a warp, and how much of it did anybody want? The sector view's report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

import numpy as np

from gpusim.devices.device import Device, MemoryRule
from gpusim.ir.types import Space
from gpusim.measurements import coalescing
from gpusim.measurements.accesses import Access, Accesses, drawn
from gpusim.reports.sector import (
    Move,
    Moved,
    RuleName,
    RuleTotals,
    SectorAccess,
    SectorReport,
    SectorTotals,
    SectorVariant,
    Want,
)

BOUNDARY_BYTES = 256
# rule -> what the view calls it, and the piece of memory that it moves
RULES: dict[MemoryRule, tuple[str, str]] = {
    "cc1.0": ("compute capability 1.0 and 1.1", "transaction"),
    "cc1.2": ("compute capability 1.2 and 1.3", "segment"),
    "sectors32": ("32-byte sectors, 2.0 and later", "sector"),
}


def of(kernel: str, device: Device, accesses: Accesses, line: int | None) -> SectorReport:
    """The report of one launch. Raises `ReportError` where nothing was recorded."""
    found = accesses.of(kernel, Space.GLOBAL, line, ("load", "store"))
    pictures, shown = [_picture(access, device) for access in found], drawn(found)

    def total(rule: MemoryRule) -> RuleTotals:
        moved = [(picture.made.times, picture.rules[rule]) for picture in pictures]
        return RuleTotals(
            transfers=sum(times * one.transfers for times, one in moved),
            bytes_moved=sum(times * one.bytes_moved for times, one in moved),
        )

    variant = SectorVariant(
        label=f"{device.name}, {device.warp_size} lanes",
        device=device.product_name,
        lanes=device.warp_size,
        rule=device.memory_rule,
        accesses=tuple(pictures[number] for number in shown),
        left_out=len(found) - len(shown),
        totals=SectorTotals(
            requests=sum(picture.made.times for picture in pictures),
            rules={rule: total(rule) for rule in RULES},
        ),
    )
    rules = tuple(RuleName(key, name, piece) for key, (name, piece) in RULES.items())
    return SectorReport(kernel, (variant,), rules)


def _picture(access: Access, device: Device) -> SectorAccess:
    """What one request moves; its bytes count from a boundary of `BOUNDARY_BYTES` at or before its array."""
    origin = access.array_address // BOUNDARY_BYTES * BOUNDARY_BYTES
    lanes = np.flatnonzero(access.active).tolist()
    first = [int(access.addresses[lane]) - origin for lane in lanes]
    wanted = {byte for start in first for byte in range(start, start + access.width)}

    def moved(rule: MemoryRule) -> Moved:
        moves = tuple(_moves(access, replace(device, memory_rule=rule), origin))
        total = moves[-1].bytes_so_far
        return Moved(moves, len(moves), total, round(100 * len(wanted) / total, 1))

    return SectorAccess(
        made=access.made(),
        array_byte=access.array_address - origin,
        wants=tuple(map(Want, lanes, first)),
        bytes_wanted=len(wanted),
        rules={rule: moved(rule) for rule in RULES},
    )


def _moves(access: Access, device: Device, origin: int) -> Iterator[Move]:
    (moves,) = coalescing.transfers(access.addresses, access.active, access.width, device, access.kind)
    for move, so_far in zip(moves, accumulate(move.bytes for move in moves), strict=True):
        yield Move(move.address - origin, move.bytes, tuple(move.lanes), so_far)
