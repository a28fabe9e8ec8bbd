"""Is what a host program passed a whole number? And how is a number said?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpusim.errors import GpuSimError, LaunchError

PREFIXES = {1e12: "T", 1e9: "G", 1e6: "M", 1e3: "k"}


def is_whole(value: Any) -> bool:
    """Python's are, and NumPy's; True, 3.0 and "3" are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(value: Any, claim: str, *, least: int | None = None, error: type[GpuSimError] = LaunchError) -> int:
    """The number as Python's. Raises `error` for another or a smaller one: `claim` says what it should be.

    >>> whole(-1, "a block has a positive number of threads", least=1)
    Traceback (most recent call last):
    gpusim.errors.LaunchError: a block has a positive number of threads, not -1
    """
    if not is_whole(value) or (least is not None and value < least):
        raise error(f"{claim}, not {value!r}")
    return int(value)


def bit_pattern(value: Any) -> str:
    """The bits of a number of NumPy: of the 16-bit integer -2 `0xfffe`."""
    octets = value.tobytes()
    return f"0x{int.from_bytes(octets, 'little'):0{2 * len(octets)}x}"


def number_of(count: float, what: str) -> str:
    """`1 request`, `2,000 requests`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def extents_of(shape: Sequence[int]) -> str:
    """`4`, `4 × 2`, `1 × 1 × 3`, of x, y and z: ones at the end are left out."""
    axes = max((axis for axis, extent in enumerate(shape, 1) if extent > 1), default=1)
    return " × ".join(map(str, shape[:axes]))


def percent(share: float) -> str:
    """`62 %`."""
    return f"{100 * share:.0f} %"


def quantity(value: float, unit: str) -> str:
    """`4.37 TB/s` for bytes per second, `12.5 G warp instructions/s`."""
    factor, prefix = next(((f, p) for f, p in PREFIXES.items() if value >= f), (1.0, ""))
    unit = unit.replace("bytes/s", "B/s")
    close = "" if unit in ("B/s", "FLOP/s") or not prefix else " "
    return f"{value / factor:.3g} {prefix}{close}{unit}"


def listed(names: Sequence[str]) -> str:
    """`warps, blocks and registers`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
