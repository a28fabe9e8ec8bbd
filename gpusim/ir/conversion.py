"""What becomes of a number in another type? 2.9 becomes 2, and 1e30 the largest int32."""

from __future__ import annotations

from typing import Any

import numpy as np

NARROWEST = 4  # bytes; a GPU converts to 32 or 64 bits, and drops the upper ones of those


def converted(number: Any, dtype: np.dtype[Any]) -> Any:
    """A cast between any two types. Front-ends fold constants with it, and the machine converts with it."""
    if dtype.kind in "iu" and np.asarray(number).dtype.kind == "f":
        return truncated(number, dtype)
    return np.asarray(number).astype(dtype)[()]


def truncated(number: Any, dtype: np.dtype[Any]) -> Any:
    """Floating point to integer as `cvt.rzi` does it: toward zero, clamped to the limits of 32 or 64 bits.

    NaN becomes 0, or the highest bit alone where 64 bits are involved (PTX ISA, "cvt"). So int32(1e30) is
    2147483647, and int8(300.0) is 44. C leaves all of that undefined, and NumPy gives what the host's
    processor does; an H200 was seen to do this (tests/hardware/conversions.json).
    """
    number = np.asarray(number)
    wide = np.dtype(f"{dtype.kind}{max(dtype.itemsize, NARROWEST)}")
    has_64_bits = 8 in (number.itemsize, wide.itemsize)
    if number.dtype == np.float16:
        number = number.astype(np.float32)  # whose range holds every limit
    limits = np.iinfo(wide)
    above = 2.0 ** (limits.bits - (wide.kind == "i"))
    inside = (number >= limits.min) & (number < above)
    if inside.all():
        return number.astype(wide).astype(dtype, copy=False)[()]
    of_nan = (limits.min or 1 << (limits.bits - 1)) if has_64_bits else 0
    least, most, undefined = (np.asarray(limit, wide) for limit in (limits.min, limits.max, of_nan))
    outside = np.where(number < 0, least, np.where(number > 0, most, undefined))
    whole = np.where(inside, number, 0).astype(wide)
    return np.where(inside, whole, outside).astype(dtype)[()]
