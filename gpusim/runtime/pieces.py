"""Which piece of memory does an array lie in, is it pinned, and what does a caller call it?

Of an array that is gone, nothing is kept.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

import numpy as np

from gpusim.events import Placement
from gpusim.host_events import Piece, Touched
from gpusim.ir.types import Space
from gpusim.machine.memory.address_space import AnyArray

NOBODYS = 3  # references to a dictionary that nobody has but a frame, `name_pieces` and the question itself
MOST_NAMED = 64  # elements of a list that are looked through for an array's name

_pieces: dict[int, tuple[weakref.ref[AnyArray], Piece]] = {}


def owner_of(array: AnyArray) -> AnyArray:
    """The array whose memory this one is a view of, itself perhaps."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def piece_of(array: AnyArray) -> tuple[Piece, int]:
    """The piece of memory that an array lies in, and its first byte there."""
    owner = owner_of(array)
    known = _pieces.get(id(owner))
    if known is None or known[0]() is not owner:
        mine = id(owner)
        known = _pieces[mine] = weakref.ref(owner, lambda _: _pieces.pop(mine, None)), Piece(owner.nbytes)
    low = np.lib.array_utils.byte_bounds(array)[0]
    return known[1], int(low) - int(np.lib.array_utils.byte_bounds(owner)[0])


_pinned: dict[int, weakref.ref[AnyArray]] = {}


def pin(array: AnyArray) -> None:
    """From now on, copies from and to this memory of the host do not keep the host waiting."""
    owner = owner_of(array)
    mine = id(owner)
    _pinned[mine] = weakref.ref(owner, lambda _: _pinned.pop(mine, None))


def unpin(array: AnyArray) -> None:
    """No longer."""
    _pinned.pop(id(owner_of(array)), None)


def is_pinned(array: AnyArray) -> bool:
    """Is this page-locked memory of the host?"""
    known = _pinned.get(id(owner_of(array)))
    return known is not None and known() is not None


def touched(kind: str, array: AnyArray) -> Touched:
    """The bytes of an array; those between its elements are not touched."""
    piece, first = piece_of(array)
    starts = np.full(1 if array.size else 0, first, np.int64)
    width = array.itemsize
    for stride, length in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if stride == width and length:
            width *= length
        elif length > 1 and stride:
            starts = (starts + stride * np.arange(length, dtype=np.int64)[:, None]).ravel()
    starts.sort()
    return Touched(piece, kind, starts, starts + width)


# names ------------------------------------------------------------------------------------------------------


def name_pieces(frame: FrameType, pieces: Iterable[Piece]) -> None:
    """Call pieces as the caller does whose variables hold arrays in them, the largest of several."""
    unnamed = {piece for piece in pieces if piece.layout is None}
    if not unnamed:
        return
    local = frame.f_locals
    for scope in (local, frame.f_globals):
        for name, array in _arrays(scope):
            piece, first = piece_of(array)
            known = piece.layout
            if piece in unnamed and (known is None or known.bytes < array.nbytes):
                piece.layout = laid_out(name, array, first)
        unnamed = {piece for piece in unnamed if piece.layout is None}
    if frame.f_code.co_flags & CO_OPTIMIZED and isinstance(local, dict) and sys.getrefcount(local) <= NOBODYS:
        local.clear()  # before Python 3.13 it is a copy that the frame keeps, and with it the arrays


def laid_out(name: str, array: AnyArray, first: int) -> Placement:
    """An array in its piece, under a name."""
    low, high = np.lib.array_utils.byte_bounds(array)
    above = sum((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True) if stride < 0)
    size = int(high) - int(low)
    return Placement(name, Space.GLOBAL, first, size, first - above, array.shape, array.strides)


def _arrays(scope: dict[str, Any]) -> Iterator[tuple[str, AnyArray]]:
    for name, value in list(scope.items()):
        several = isinstance(value, list | tuple) and len(value) <= MOST_NAMED
        for suffix, one in [(f"[{k}]", each) for k, each in enumerate(value)] if several else [("", value)]:
            array = one if isinstance(one, np.ndarray) else getattr(one, "__dict__", {}).get("_elements")
            if isinstance(array, np.ndarray) and not name.startswith("_"):
                yield name + suffix, array
