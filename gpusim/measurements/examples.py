"""What did a request look like that took more than it needs? One example a source line, for the advice.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), the first byte of each lane's access.
"""

from __future__ import annotations

import numpy as np

from gpusim.measurements.requests import SECTOR_BYTES, Addresses, Counts, Lanes
from gpusim.reports.launch import Example


def worst(addresses: Addresses, active: Lanes, width: int, took: Counts, ideal: Counts) -> Example:
    """The request that exceeds its ideal by most; `took` and `ideal` are (W,).

    >>> column = np.arange(32)[None] * 4096
    >>> worst(column, column >= 0, 4, np.array([32]), np.array([4])).stride_bytes
    4096
    """
    row = int((took - ideal).argmax())
    where, on = addresses[row], active[row]
    together = on[1:] & on[:-1]
    steps, counts = np.unique(np.diff(where)[together], return_counts=True)
    usual = int(counts.argmax()) if len(counts) else 0
    frequent = len(counts) > 0 and 2 * int(counts[usual]) >= int(together.sum())
    return Example(
        int(took[row]),
        int(ideal[row]),
        int(on.sum()),
        width,
        int(steps[usual]) if frequent else None,
        int(where[on].min()) % SECTOR_BYTES,
    )
