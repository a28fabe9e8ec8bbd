"""Which elements of which arrays does an access mean? For pictures that show memory beside the lanes.

W warps, L lanes a warp; an event's `addresses`, `elements` and `active` are (W, L).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import MemoryAccess, Placement
from gpusim.ir.types import BY_DTYPE, U32, Space


@dataclass(frozen=True)
class Numbering:
    """Numbers of `width` bytes in an array, counted through its elements in order, the last axis fastest.

    Of `x[::-1]` number 0 is the one that lies last in memory. `origin` is the address of an event's `memory`,
    None where that is a copy of a few.
    """

    array: Placement
    element_bytes: int
    width: int
    origin: int | None

    @property
    def count(self) -> int:
        """How many numbers has the array?"""
        return math.prod(self.array.shape) * self.element_bytes // self.width

    def at(self, addresses: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Which number lies at each address?"""
        index, rest = self.array.index(addresses)
        element = np.zeros_like(addresses)
        for along, length in zip(index, self.array.shape, strict=True):
            element = element * length + along
        return (element * self.element_bytes + rest) // self.width

    def values(self, memory: npt.NDArray[Any], most: int) -> list[Any]:
        """What all of them hold; nothing where they are more than `most`, or only some are known."""
        if self.count > most or self.origin is None:
            return []
        elements = np.array([self.array.address])
        for length, stride in zip(self.array.shape, self.array.strides_bytes, strict=True):
            elements = np.add.outer(elements, np.arange(length, dtype=np.int64) * stride).ravel()
        element, byte = np.divmod(np.arange(self.count, dtype=np.int64) * self.width, self.element_bytes)
        places = (elements[element] + byte - self.origin) // self.width
        return list(memory[places])


def named(event: MemoryAccess, arrays: Sequence[Placement]) -> Iterator[tuple[str, Numbering, MemoryAccess]]:
    """The arrays that an access is to, and its elements; several where lanes follow their addresses.

    An access of several numbers at once, such as a `float4`, comes number by number.
    """
    for part in _numbers(event):
        yield from _named(part, arrays)


def _named(event: MemoryAccess, arrays: Sequence[Placement]) -> Iterator[tuple[str, Numbering, MemoryAccess]]:
    operand = event.instruction.array
    assert operand is not None
    within = [array for array in arrays if array.space is event.space]
    addresses = event.addresses[event.active]
    origins = addresses - event.elements[event.active] * event.width
    origin = int(origins[0]) if (origins == origins[0]).all() else None
    if operand.space is not Space.GENERIC:
        memory, kind = operand.memory, event.memory.dtype
        seen_as = f" as {BY_DTYPE[kind]}" if kind != memory.element.dtype else ""
        array = next(a for a in within if a.name == memory.name and 0 <= addresses[0] - a.first < a.bytes)
        name = operand.name if operand.pointer else memory.name
        yield name + seen_as, Numbering(array, memory.element.bytes, event.width, origin), event
        return
    names = Counter(name for name, _ in {(array.name, array.first) for array in within})
    left = event.active
    for array in within:
        inside = left & (event.addresses >= array.first) & (event.addresses < array.first + array.bytes)
        left = left & ~inside
        name = f"{array.name} at {array.first:#x}" if names[array.name] > 1 else array.name
        if inside.any():
            own = replace(array, address=array.first, shape=(array.bytes,), strides_bytes=(1,))
            yield name, Numbering(own, 1, event.width, origin), replace(event, active=inside)


def _numbers(event: MemoryAccess) -> Iterator[MemoryAccess]:
    """The access; one of several numbers at once, such as a `float4`, number by number."""
    if event.memory.dtype.kind != "V":
        yield event
        return
    element = event.instruction.array.memory.element if event.instruction.array is not None else U32
    kind = element.dtype.base if element.dtype.names is None else element.dtype[0].base
    if kind.kind not in "biuf" or kind.itemsize > event.width:
        kind = U32.dtype
    memory, count = event.memory.view(kind), event.width // kind.itemsize
    for number in range(count):
        yield replace(
            event,
            width=kind.itemsize,
            addresses=event.addresses + number * kind.itemsize,
            memory=memory,
            elements=event.elements * count + number,
        )


def text(value: Any) -> str:
    """A value of memory as pictures show it."""
    return f"{value:.4g}" if isinstance(value, np.floating) else str(value)
