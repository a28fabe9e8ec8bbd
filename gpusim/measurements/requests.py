"""What is one memory request? The addresses of a warp's lanes, which of them are active, bytes a lane.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpusim import devices
from gpusim.devices import Device
from gpusim.events import MemoryAccess
from gpusim.ir.instructions import Opcode

Addresses = npt.NDArray[np.int64]
Lanes = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
SECTOR_BYTES = 32
NOWHERE = np.iinfo(np.int64).max  # the address, or sector, of a lane that is off
ATOMICS = ("atomic", "cas")  # a compare-and-swap takes the banks longer than the others
KINDS = ("load", "store", *ATOMICS)


def kind_of(event: MemoryAccess) -> str:
    """Which of `KINDS` is it?"""
    return "cas" if event.instruction.opcode is Opcode.ATOMIC_CAS else event.kind


def checked(
    addresses: npt.ArrayLike, active: npt.ArrayLike, width: int, device: str | Device, kind: str
) -> tuple[Addresses, Lanes, Device]:
    """Addresses and lanes, (W, L), of the device; one warp may be given as (L,).

    Raises `ValueError` where they do not fit.
    """
    found = devices.get(device)
    where, on = np.atleast_2d(np.asarray(addresses, np.int64)), np.atleast_2d(np.asarray(active, bool))
    lanes = found.warp_size
    if where.shape != on.shape or where.ndim != 2 or where.shape[1] != lanes or width < 1:
        raise ValueError(
            f"addresses {where.shape} and active {on.shape} must both be (warps, {lanes}), for a warp of "
            f"{found.name} has {lanes} lanes, and the width {width} at least 1 byte"
        )
    if kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    return where, on, found
