"""Which sectors does a warp touch, and which bytes of them? 32 floats side by side: four.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's. N sectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.measurements.requests import NOWHERE, SECTOR_BYTES, Addresses, Counts, Lanes
from gpusim.measurements.sectored_cache import Bytes, Sectors

WORD_BYTES = 4


def touched(addresses: Addresses, active: Lanes, width: int) -> tuple[Counts, Sectors, Bytes]:
    """Which sectors does each warp touch, and which of their bytes? Three arrays (N,), warp by warp.

    The row of `addresses`, the sector (address / 32, ascending within a row), and a bit for each byte.
    """
    if addresses.strides[1] == 0:  # one address for a whole warp
        anyone: Lanes = np.any(active, axis=1)
        addresses, active = addresses[:, :1], anyone[:, None]
    first, last = addresses // SECTOR_BYTES, (addresses + (width - 1)) // SECTOR_BYTES
    pieces = [first + step for step in range(int(np.where(active, last - first, 0).max(initial=0)) + 1)]
    sectors = np.concatenate(pieces, axis=1) if len(pieces) > 1 else first
    where = np.tile(addresses, (1, len(pieces))) - sectors * SECTOR_BYTES
    low, high = np.clip(where, 0, SECTOR_BYTES), np.clip(where + width, 0, SECTOR_BYTES)
    ones = (np.int64(1) << high) - (np.int64(1) << low)
    on = np.tile(active, (1, len(pieces))) & (high > low)
    sectors, ones = np.where(on, sectors, NOWHERE), np.where(on, ones, 0)
    if (sectors[:, 1:] < sectors[:, :-1]).any():
        order = np.argsort(sectors, axis=1, kind="stable")
        sectors, ones = np.take_along_axis(sectors, order, 1), np.take_along_axis(ones, order, 1)
    fresh = np.ones(sectors.shape, bool)
    fresh[:, 1:] = sectors[:, 1:] != sectors[:, :-1]
    starts = np.flatnonzero(fresh)
    bits = np.bitwise_or.reduceat(ones.reshape(-1), starts) if len(starts) else starts
    found = sectors.reshape(-1)[starts]
    held = found != NOWHERE
    return starts[held] // sectors.shape[1], found[held], bits[held].astype(np.uint32)


def interleaved(
    addresses: Addresses, active: Lanes, width: int, slots: Any, window_bytes: int
) -> tuple[Addresses, Lanes, int]:
    """Where in memory is what each lane has in its local window? Word by word, lane beside lane.

    `slots`: (W,), which warp's memory it is. Wide accesses become several of a word: (W, L · words).
    """
    lanes = addresses.shape[1]
    words = -(-window_bytes // WORD_BYTES)
    steps = np.arange(max(width // WORD_BYTES, 1), dtype=np.int64)
    word = (addresses // WORD_BYTES)[:, None, :] + steps[None, :, None]
    place = ((slots[:, None, None] * words + word) * lanes + np.arange(lanes, dtype=np.int64)) * WORD_BYTES
    place = place + (addresses % WORD_BYTES)[:, None, :]
    on = np.repeat(active[:, None, :], len(steps), axis=1)
    return place.reshape(len(slots), -1), on.reshape(len(slots), -1), min(width, WORD_BYTES)
