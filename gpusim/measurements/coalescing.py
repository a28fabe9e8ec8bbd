"""How many 32-byte sectors does each warp touch? 32 neighbouring floats are 128 bytes: 4 sectors.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim import devices
from gpusim.devices import Device
from gpusim.events import Event, MemoryAccess
from gpusim.ir.types import Space
from gpusim.measurements.ledger import Ledger

SECTOR_BYTES = 32
NO_SECTOR = np.iinfo(np.int64).max


class Transactions(NamedTuple):
    """Per warp, both int64 (W,): 1 request if any lane is active, and the distinct sectors it needs."""

    requests: npt.NDArray[np.int64]
    sectors: npt.NDArray[np.int64]


def transactions(
    addresses: npt.ArrayLike, active: npt.ArrayLike, width: int, device: str | Device = "H200"
) -> Transactions:
    """Requests and 32-byte sectors of one load or store by W warps; `width` is bytes a lane.

    One request per instruction, whatever the mask; sectors are distinct ones over the active lanes. This is
    the rule of compute capability 2.0 and later, and agrees with every global pattern recorded on an H200
    (tests/hardware/global_patterns.json). It is applied to every device: the segments of compute capability
    1.x are not modelled. Raises `ValueError` for shapes that do not fit the device's warps.
    """
    lanes = devices.get(device).warp_size
    where, on = np.atleast_2d(np.asarray(addresses, np.int64)), np.atleast_2d(np.asarray(active, bool))
    if where.shape != on.shape or where.shape[1] != lanes or width < 1:
        raise ValueError(
            f"addresses {where.shape} and active {on.shape} must both be (warps, {lanes}), width at least 1"
        )
    return Transactions(np.asarray(on.any(axis=1), np.int64), _distinct_sectors(where, on, width))


def _distinct_sectors(
    addresses: npt.NDArray[np.int64], active: npt.NDArray[np.bool_], width: int
) -> npt.NDArray[np.int64]:
    first = addresses // SECTOR_BYTES
    columns = [first]
    last = (addresses + (width - 1)) // SECTOR_BYTES
    if width > 1 and (last != first).any():
        # an access across a boundary needs every sector from its first to its last byte
        columns += [np.minimum(first + step, last) for step in range(1, int((last - first).max()) + 1)]
    sectors = np.concatenate(columns, axis=1) if len(columns) > 1 else first
    everyone = bool(active.all())
    if everyone and len(columns) == 1 and (sectors[:, 1:] >= sectors[:, :-1]).all():
        return np.asarray(np.count_nonzero(sectors[:, 1:] != sectors[:, :-1], axis=1)) + 1
    if not everyone:
        sectors = np.where(np.tile(active, (1, len(columns))), sectors, NO_SECTOR)
    sectors = np.sort(sectors, axis=1)
    counted = sectors != NO_SECTOR
    fresh = np.ones_like(counted)
    fresh[:, 1:] = sectors[:, 1:] != sectors[:, :-1]
    return np.asarray(np.count_nonzero(fresh & counted, axis=1))


class Coalescing:
    """Counts global memory requests, their sectors, and atomics into a ledger."""

    wants = frozenset({MemoryAccess})

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def observe(self, event: Event) -> None:
        """Count one memory instruction of some warps."""
        if not isinstance(event, MemoryAccess):
            return
        span = event.instruction.span
        if event.kind == "atomic":
            self._ledger.add(span, "atomics", len(event.warps))
        elif event.space is Space.GLOBAL:
            sectors = _distinct_sectors(event.addresses, event.active, event.width)
            self._ledger.add(span, f"global_{event.kind}_requests", len(event.warps))
            self._ledger.add(span, f"global_{event.kind}_sectors", int(sectors.sum()))
