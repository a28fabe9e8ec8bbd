"""How many passes does a warp need to read constant memory? One if all its lanes read one value, and one more
for each other: 32 lanes that read 32 neighbouring floats take 32.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access.
Constant memory is for what all lanes read together. What each reads for itself belongs into global memory,
where the same 32 floats are four sectors.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpusim.devices import Device
from gpusim.events import Event, GridObserver, MemoryAccess
from gpusim.ir.types import Space
from gpusim.measurements.ledger import Ledger
from gpusim.measurements.requests import NOWHERE, Addresses, Counts, Lanes, checked


def passes(
    addresses: npt.ArrayLike, active: npt.ArrayLike, width: int, device: str | Device = "H200"
) -> Counts:
    """How many passes does a constant load of W warps take, int64 (W,)? `width` is bytes a lane.

    A request is split into as many as there are different addresses in it, whatever the width: also bytes of
    one word come one after the other. On compute capability 1.x each half-warp is a request of its own.
    Agrees with what was recorded on an H200 (tests/hardware/caches.json). Source: CUDA Programming Guide,
    "Device Memory Accesses: Constant Memory" (release 2.3, 5.1.2.4, for half-warps). Raises `ValueError` for
    shapes that do not fit the device's warps.
    """
    where, on, found = checked(addresses, active, width, device, "load")
    rows, _addresses = broadcasts(where, on, found)
    return np.bincount(rows, minlength=len(where)).astype(np.int64)


def broadcasts(addresses: Addresses, active: Lanes, device: Device) -> tuple[Counts, npt.NDArray[np.int64]]:
    """The passes one by one: of which warp, and the address that is broadcast; both (N,)."""
    group = device.request_lanes
    if addresses.strides[1] == 0 and group == device.warp_size:  # the machine's own sign of a uniform address
        rows = np.flatnonzero(active.any(axis=1))
        return rows, addresses[rows, 0]
    asked = np.sort(np.where(active, addresses, NOWHERE).reshape(-1, group), axis=1)
    fresh = asked != NOWHERE
    fresh[:, 1:] &= asked[:, 1:] != asked[:, :-1]
    groups, _ = np.nonzero(fresh)
    return groups * group // device.warp_size, asked[fresh]


class Constants(GridObserver):
    """Counts the loads of constant memory, and their passes, into a ledger."""

    wants = frozenset({MemoryAccess})

    def __init__(self, ledger: Ledger, device: Device) -> None:
        self._ledger, self._device = ledger, device

    def observe(self, event: Event) -> None:
        """Count one memory instruction of some warps."""
        if isinstance(event, MemoryAccess) and event.space is Space.CONSTANT:
            rows, _addresses = broadcasts(event.addresses, event.active, self._device)
            self._ledger.add(event.instruction.span, "constant_load_requests", len(event.warps))
            self._ledger.add(event.instruction.span, "constant_load_passes", len(rows))
