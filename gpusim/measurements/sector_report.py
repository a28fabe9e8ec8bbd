"""Which memory moves for a warp, and how much of it did anybody want? The sector view's report of one launch.

L lanes a warp. All bytes of an access count from `origin`, a boundary of 256 bytes at or before its array: so
a page does not depend on where the arrays of a run happened to lie. A move is [first byte, bytes, lanes,
bytes moved so far]; `wants` holds [lane, first byte] of the active lanes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import numpy as np

from gpusim.devices.device import Device, MemoryRule
from gpusim.ir.types import Space
from gpusim.measurements import coalescing
from gpusim.measurements.accesses import Access, Accesses, drawn
from gpusim.measurements.trace import Report

BOUNDARY_BYTES = 256
# rule -> what the view calls it, and the piece of memory that it moves
RULES: dict[MemoryRule, tuple[str, str]] = {
    "cc1.0": ("compute capability 1.0 and 1.1", "transaction"),
    "cc1.2": ("compute capability 1.2 and 1.3", "segment"),
    "sectors32": ("32-byte sectors, 2.0 and later", "sector"),
}


def of(kernel: str, device: Device, accesses: Accesses, line: int | None) -> Report:
    """The report of one launch: what `gpusim.views.sector_view` draws."""
    rules = [{"key": key, "name": name, "piece": piece} for key, (name, piece) in RULES.items()]
    return {"title": kernel, "rules": rules, "variants": [_variant(kernel, device, accesses, line)]}


def _variant(kernel: str, device: Device, accesses: Accesses, line: int | None) -> Report:
    """One launch as the sector view draws it. Raises `ReportError` where nothing was recorded.

    `rule` is the device's own. `totals` are what all accesses need under each rule: each picture's numbers,
    times how often it was made.
    """
    found = accesses.of(kernel, Space.GLOBAL, line, ("load", "store"))
    pictures, shown = [_picture(access, device) for access in found], drawn(found)
    return {
        "label": f"{device.name}, {device.warp_size} lanes",
        "device": device.product_name,
        "lanes": device.warp_size,
        "rule": device.memory_rule,
        "accesses": [pictures[number] for number in shown],
        "left_out": len(found) - len(shown),
        "totals": {
            "requests": sum(picture["times"] for picture in pictures),
            **{
                rule: {
                    what: sum(picture["times"] * picture["rules"][rule][what] for picture in pictures)
                    for what in ("transfers", "bytes_moved")
                }
                for rule in RULES
            },
        },
    }


def _picture(access: Access, device: Device) -> Report:
    origin = access.array_address // BOUNDARY_BYTES * BOUNDARY_BYTES
    lanes = np.flatnonzero(access.active).tolist()
    first = [int(access.addresses[lane]) - origin for lane in lanes]
    wanted = {byte for start in first for byte in range(start, start + access.width)}
    rules = {}
    for rule in RULES:
        (moves,) = coalescing.transfers(
            access.addresses, access.active, access.width, replace(device, memory_rule=rule), access.kind
        )
        moved = sum(move.bytes for move in moves)
        rules[rule] = {
            "moves": [
                [move.address - origin, move.bytes, list(move.lanes), so_far]
                for move, so_far in zip(moves, accumulate(move.bytes for move in moves), strict=True)
            ],
            "transfers": len(moves),
            "bytes_moved": moved,
            "percent_wanted": round(100 * len(wanted) / moved, 1),
        }
    return {
        **access.report(),
        "array_byte": access.array_address - origin,
        "wants": [[lane, byte] for lane, byte in zip(lanes, first, strict=True)],
        "bytes_wanted": len(wanted),
        "rules": rules,
    }
