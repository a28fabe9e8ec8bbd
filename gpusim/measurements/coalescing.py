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
SECTOR_BITS = 5
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
    sectors = addresses >> SECTOR_BITS
    lanes, everyone = addresses.shape[1], bool(active.all())
    if SECTOR_BYTES % width or np.bitwise_or.reduce(addresses, axis=None) & (width - 1):
        # an access across a boundary needs every sector from its first to its last byte
        last = addresses + (width - 1) >> SECTOR_BITS
        more = range(1, int((last - sectors).max()) + 1)
        sectors = np.concatenate([sectors, *(np.minimum(sectors + step, last) for step in more)], axis=1)
    if not everyone:
        wanted = np.tile(active, (1, sectors.shape[1] // lanes))
        sectors = np.where(wanted, sectors, NO_SECTOR)
    if (sectors[:, 1:] < sectors[:, :-1]).any():
        sectors = np.sort(sectors, axis=1)
    fresh = np.ones(sectors.shape, bool)
    np.not_equal(sectors[:, 1:], sectors[:, :-1], out=fresh[:, 1:])
    if not everyone:
        fresh &= sectors != NO_SECTOR
    words = np.packbits(fresh.reshape(-1)).view(np.uint32)
    counts: npt.NDArray[np.int64] = (
        np.bitwise_count(words).reshape(len(sectors), -1).sum(axis=1, dtype=np.int64)
    )
    return counts


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
