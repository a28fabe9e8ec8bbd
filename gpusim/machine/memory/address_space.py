"""Where in device memory does an array lie, is it still there, which of its bytes were ever written?

Allocations are 256-byte aligned in one address space and keep their address until they are freed. A host
array that is passed to a kernel gets an address for the duration of the launch, behind all of them.
"""

from __future__ import annotations

import threading
import weakref
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import LaunchError
from gpusim.machine.memory.texels import TexelObject

GLOBAL_BASE = 0x7F00_0000_0000
LENT_BASE, LENT_BYTES = 0x7F80_0000_0000, 1 << 38
ALLOCATION_BYTES = 256
UNINITIALISED_BYTE = 0xFF  # reads as NaN or -1, so that a missing initialisation shows

AnyArray = npt.NDArray[Any]


class Allocation:
    """A piece of device memory: `data` are its bytes, uint8 (n,).

    `written`: bool (n,), the bytes that somebody has written to, or None when all count as written. To
    kernels that get its address, what is `constant` is read-only.
    """

    constant = False

    def __init__(self, space: AddressSpace, address: int, data: npt.NDArray[np.uint8]) -> None:
        self._space, self.address, self.data = space, address, data
        self.host_address: int = data.__array_interface__["data"][0]
        self.live = True
        self.written: npt.NDArray[np.bool_] | None = None

    def __repr__(self) -> str:
        return f"<{len(self.data)} bytes of device memory{'' if self.live else ', freed'}>"

    def __del__(self) -> None:
        if self.live:
            self._space.unreachable.append(self.place)

    @property
    def place(self) -> tuple[int, int]:
        """Its first address, and the first behind its allocation units."""
        return self.address, self.address + whole_units(len(self.data))

    def free(self) -> None:
        """Give the memory back now; arrays that still mean it must not be used any more."""
        self._space.free(self)

    def note_written(self, array: AnyArray) -> None:
        """The host has written all elements of this view of `data`."""
        if self.written is not None:
            first = array.__array_interface__["data"][0] - self.host_address
            marks = np.lib.stride_tricks.as_strided(
                self.written[first:], (*array.shape, array.itemsize), (*array.strides, 1)
            )
            marks[...] = True
            if self.written.all():
                self.written = None

    def written_in(self, array: AnyArray) -> npt.NDArray[np.bool_] | None:
        """Which bytes has somebody written to, from the first of this view of `data` to its last?"""
        if self.written is None:
            return None
        low, high = np.lib.array_utils.byte_bounds(array)
        return self.written[int(low) - self.host_address : int(high) - self.host_address]


class AddressSpace:
    """All allocations of a device, which threads of the host may make at the same time."""

    def __init__(self) -> None:
        self._known: weakref.WeakSet[Allocation] = weakref.WeakSet()
        self._lock = threading.RLock()  # held from the choice of an address until it is taken
        self._taken: list[tuple[int, int]] = []  # places of what is in use, by address
        self._full_to = GLOBAL_BASE  # before this address there is no gap
        self._bytes_in_use = 0
        self._lent_to = LENT_BASE
        self.unreachable: deque[tuple[int, int]] = deque()  # places that nobody freed
        self.objects: list[TexelObject | None] = []  # by handle, from 1; None: destroyed

    def __deepcopy__(self, _memo: object) -> AddressSpace:
        """Device memory is the same to what is copied of a grid."""
        return self

    def live(self) -> list[Allocation]:
        """The allocations that are in use, by address."""
        return sorted((known for known in self.known() if known.live), key=lambda known: known.address)

    def known(self) -> list[Allocation]:
        """All allocations that somebody still has, freed ones among them."""
        with self._lock:
            return list(self._known)

    @property
    def end(self) -> int:
        """The address behind all allocations, from which on arrays of the host lie during a launch."""
        with self._lock:
            self._give_back_unreachable()
            return self._taken[-1][1] if self._taken else GLOBAL_BASE

    @property
    def bytes_in_use(self) -> int:
        """Memory taken, in whole allocation units."""
        with self._lock:
            self._give_back_unreachable()
            return self._bytes_in_use

    def allocate(self, size_bytes: int, memory_bytes: int) -> Allocation:
        """Memory that nobody has written to. Raises `LaunchError` where the device has not that much left."""
        with self._lock:
            left = memory_bytes - self.bytes_in_use
            if size_bytes > left:
                raise LaunchError(
                    f"{size_bytes:,} bytes of device memory are asked for; {max(left, 0):,} of "
                    f"{memory_bytes:,} are free"
                )
            allocation = self.adopt(np.full(size_bytes, UNINITIALISED_BYTE, np.uint8))
        allocation.written = np.zeros(size_bytes, np.bool_)
        return allocation

    def adopt(self, data: npt.NDArray[np.uint8]) -> Allocation:
        """Memory of the host that the device sees as its own."""
        with self._lock:
            self._give_back_unreachable()
            address, size = self._full_to, whole_units(len(data))
            number = bisect_left(self._taken, (address, 0))
            while number < len(self._taken) and self._taken[number][0] - address < size:
                begin, end = self._taken[number]
                self._full_to = end if begin == self._full_to else self._full_to
                address, number = end, number + 1  # the lowest gap that is wide enough
            allocation = Allocation(self, address, data)
            self._taken.insert(number, allocation.place)
            self._full_to += size if address == self._full_to else 0
            self._bytes_in_use += size
            self._known.add(allocation)
        return allocation

    def lend(self, data: npt.NDArray[np.uint8]) -> Allocation:
        """Memory of the host that the device sees for a while, at new addresses: as a copy would be."""
        with self._lock:
            size = whole_units(len(data))
            if self._lent_to + size > LENT_BASE + LENT_BYTES:
                self._lent_to = LENT_BASE
            allocation = Allocation(self, self._lent_to, data)
            self._lent_to += size
            insort(self._taken, allocation.place)
            self._bytes_in_use += size
            self._known.add(allocation)
        return allocation

    def free(self, allocation: Allocation) -> None:
        """Its addresses may be given to others. Raises `LaunchError` for memory that was freed before."""
        with self._lock:
            if not allocation.live:
                raise LaunchError(f"cudaErrorInvalidValue: {allocation!r} cannot be freed again")
            allocation.live = False
            self._give_back(allocation.place)

    def take_back(self, allocation: Allocation) -> None:
        """What the host lent is its own again: no allocation that was freed, but none at all."""
        with self._lock:
            self.free(allocation)
            self._known.discard(allocation)

    def _give_back(self, place: tuple[int, int]) -> None:
        del self._taken[bisect_left(self._taken, place)]
        self._full_to = min(self._full_to, place[0])
        self._bytes_in_use -= place[1] - place[0]

    def _give_back_unreachable(self) -> None:
        while self.unreachable:
            self._give_back(self.unreachable.popleft())

    def holding(self, array: AnyArray) -> Allocation | None:
        """The allocation that an array is a view of, perhaps a freed one; None for memory of the host."""
        return self._holding(*map(int, np.lib.array_utils.byte_bounds(array)))

    def _holding(self, low: int, high: int) -> Allocation | None:
        """The one with these bytes; none has no bytes."""
        for known in self.known():
            start = known.host_address
            if start <= low < high <= start + len(known.data):
                return known
        return None

    def was_at(self, address: int) -> bool:
        """Did this address belong to memory that was given back, and does nobody else have it now?"""
        holding = [
            known
            for known in self.known()
            if known.address <= address < known.address + whole_units(len(known.data))
        ]
        return bool(holding) and not any(known.live for known in holding)

    def places(self, arrays: Sequence[AnyArray]) -> list[tuple[int, Allocation | None]]:
        """Where does the lowest element of each array lie during a launch, and in which allocation?"""
        following = self.end
        places: list[tuple[int, Allocation | None]] = []
        placed: dict[tuple[int, int], int] = {}  # pieces of host memory, and their addresses
        bounds = [(int(low), int(high)) for low, high in map(np.lib.array_utils.byte_bounds, arrays)]
        pieces = merged(bounds)
        for own, high in bounds:
            allocation = self._holding(own, high)
            if allocation is not None:
                places.append((allocation.address + own - allocation.host_address, allocation))
                continue
            piece = next(one for one in pieces if one[0] <= own and high <= one[1])
            if piece not in placed:
                placed[piece] = following
                following += whole_units(piece[1] - piece[0])
            places.append((placed[piece] + own - piece[0], None))
        return places


def merged(bounds: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """First byte and end of pieces of memory, those that overlap as one: x and x[1:] are one piece."""
    pieces: list[tuple[int, int]] = []
    for low, high in sorted(bounds):
        if pieces and low < pieces[-1][1]:
            pieces[-1] = pieces[-1][0], max(pieces[-1][1], high)
        else:
            pieces.append((low, high))
    return pieces


def whole_units(size_bytes: int) -> int:
    """So many bytes, or one, up to the next multiple of an allocation unit."""
    return -(-max(size_bytes, 1) // ALLOCATION_BYTES) * ALLOCATION_BYTES
