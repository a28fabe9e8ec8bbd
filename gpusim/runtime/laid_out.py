"""How does an array lie in memory? Its extents, its strides, and the bytes that it spans."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.errors import ArrayError
from gpusim.whole import is_whole


def extents_of(shape: Any) -> tuple[int, ...]:
    """What was given as a shape: `3` is `(3,)`. Raises `ArrayError` for what is none."""
    given = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(is_whole(n) and n >= 0 for n in given):
        raise ArrayError(f"a shape is a whole number or a tuple of them, not {shape!r}")
    return tuple(int(n) for n in given)


def strides_of(shape: Any, dtype: Any, strides: Any, order: str) -> tuple[int, ...]:
    """The bytes between neighbours along each axis: those given, or of one piece in the order `C` or `F`."""
    if strides is None:
        if order not in ("C", "F"):
            raise ArrayError(f"the order of an array is 'C' or 'F', not {order!r}")
        return contiguous(extents_of(shape), np.dtype(dtype).itemsize, order)
    given = strides if isinstance(strides, tuple | list) else (strides,)
    if len(given) != len(extents_of(shape)) or not all(is_whole(n) and n >= 0 for n in given):
        raise ArrayError(
            f"strides are a number of bytes for each axis, none of them negative, not {strides!r}"
        )
    return tuple(int(n) for n in given)


def contiguous(shape: tuple[int, ...], width: int, order: str) -> tuple[int, ...]:
    """The strides of one piece of elements of so many bytes."""
    axes = range(len(shape) - 1, -1, -1) if order == "C" else range(len(shape))
    strides, stride = [0] * len(shape), width
    for axis in axes:
        strides[axis] = stride
        stride *= max(shape[axis], 1)
    return tuple(strides)


def spanned_bytes(shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...]) -> int:
    """Bytes from the first element to the end of the last."""
    if dtype.hasobject:
        raise ArrayError("an array of Python objects has no place in device memory; use numbers")
    if not all(shape):
        return 0
    return sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True)) + dtype.itemsize
