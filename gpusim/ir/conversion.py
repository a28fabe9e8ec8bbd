"""What becomes of a number in another type? 2.9 becomes 2, 1e30 the largest int32, NaN the integer 0."""

from __future__ import annotations

from typing import Any

import numpy as np


def converted(number: Any, dtype: np.dtype[Any]) -> Any:
    """A cast between any two types. Front-ends fold constants with it, and the machine converts with it."""
    if dtype.kind in "iu" and np.asarray(number).dtype.kind == "f":
        return truncated(number, dtype)
    return np.asarray(number).astype(dtype)[()]


def truncated(number: Any, dtype: np.dtype[Any]) -> Any:
    """Floating point to integer as `cvt.rzi` does it: toward zero, NaN to 0, the rest to the nearest limit.

    PTX ISA, "cvt": float-to-integer conversion clamps to the destination's range, and NaN gives 0. C leaves
    all of that undefined, and NumPy gives what the host's processor does.
    """
    number = np.asarray(number)
    if number.dtype == np.float16:
        number = number.astype(np.float32)  # whose range holds every limit
    limits = np.iinfo(dtype)
    above = 2.0 ** (limits.bits - (dtype.kind == "i"))
    inside = (number >= limits.min) & (number < above)
    if inside.all():
        return number.astype(dtype)[()]
    limit = np.where(number < 0, limits.min, np.where(number > 0, limits.max, 0)).astype(dtype)
    return np.where(inside, np.where(inside, number, 0).astype(dtype), limit)[()]
