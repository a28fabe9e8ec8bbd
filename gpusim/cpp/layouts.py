"""Has an array the numbers that a pointer expects? float32 for `float *`, and for `float4 *`, four at a time.

What counts is which numbers lie where, not what they are called: complex64 fits `float2 *`, and an array of
records fits a pointer to a struct that is laid out like them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from gpusim.frontends.cuda_cpp.layout import dtype_of
from gpusim.frontends.cuda_cpp.types import CHAR, UCHAR, VOID, CType, Pointer, Struct

BYTES = (VOID, CHAR, UCHAR)  # through a pointer to one of these, C++ lets a program look at anything


@lru_cache(maxsize=1024)
def fits(dtype: np.dtype[Any], type_: CType) -> bool:
    """Has memory of this NumPy type the numbers that a pointer to `type_` expects, at the places it expects?

    float32 fits float, float3 and a struct of floats, and complex64 fits float2; int32 fits unsigned, too.
    """
    return (
        type_ in BYTES or (isinstance(type_, Struct) and _open(type_)) or same_numbers(dtype, dtype_of(type_))
    )


def _open(struct: Struct) -> bool:
    """Is nothing, or no one thing, known of its memory?"""
    return struct.is_union or struct.fields is None


def same_numbers(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Have two types the same numbers at the same places, if the smaller one is repeated?"""
    short, long = sorted((one, other), key=lambda dtype: dtype.itemsize)
    if short.itemsize == 0 or long.itemsize % short.itemsize:
        return False
    numbers = list(_numbers(short))
    tiled = [
        (start + first, kind, size)
        for start in range(0, long.itemsize, short.itemsize)
        for first, kind, size in numbers
    ]
    return sorted(tiled) == sorted(_numbers(long))


def _numbers(dtype: np.dtype[Any], start: int = 0) -> Iterator[tuple[int, str, int]]:
    """The numbers in an element: first byte, kind, size."""
    if dtype.fields is not None:
        for inner, offset, *_ in dtype.fields.values():
            yield from _numbers(inner, start + offset)
    elif dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        for position in range(math.prod(shape)):
            yield from _numbers(inner, start + position * inner.itemsize)
    elif dtype.kind == "c":
        half = dtype.itemsize // 2
        yield from ((start, "f", half), (start + half, "f", half))
    else:
        kind = {"u": "i", "b": "i"}.get(dtype.kind, dtype.kind)
        yield start, kind if dtype.isnative else f"swapped {kind}", dtype.itemsize


def wanted(target: CType) -> str:
    """Which arrays fit?"""
    if target in BYTES or (isinstance(target, Struct) and _open(target)):
        return "an array"
    if isinstance(target, Struct) and target.vector_of is not None:
        return f"an array of {target.vector_of.scalar.dtype}"
    if isinstance(target, Struct):
        return f"an array of records {dtype_of(target)}"
    if isinstance(target, Pointer):
        return "an array of addresses"
    dtype = dtype_of(target)
    other = {"i": f" or u{dtype}", "u": f" or {str(dtype)[1:]}"}.get(dtype.kind, "")
    return f"an array of {dtype}{other}"
