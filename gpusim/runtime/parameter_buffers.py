"""What do kernels launch from that fill in the parameters themselves? Buffers that the device runtime gives.

`cudaGetParameterBuffer` takes one from memory that belongs to a launch of the host with all that it leads to.
It goes back with the launch that reads it. Source: CUDA C++ Programming Guide, "Device-side Launch from PTX".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.ir.details import Launch
from gpusim.ir.parameters import BASE_BYTES, MOST_BYTES, Packed
from gpusim.machine.memory.address_space import UNINITIALISED_BYTE, Allocation
from gpusim.runtime.device_arguments import BadArgument

CHECK = "it gives null where it has no such buffer: look before you write to it"
ONCE = "ask cudaGetParameterBuffer for each launch, and pass on what it gives"


class Buffer(NamedTuple):
    """`size` bytes for parameters; of V2, the kernel's number, grid, block and shared bytes, else zeros."""

    size: int
    planned: tuple[int, ...]


class Buffers:
    """Those of a tree of launches: in its `pool`, which is there once a kernel may ask for one.

    Behind each buffer 64 bytes stay free, to see whether it was written beyond its end.
    """

    def __init__(self) -> None:
        self.pool: Allocation | None = None
        self._end = 0  # of what was ever given
        self._returned = dict[int, list[int]]()  # what came back, by size
        self._given = dict[int, Buffer]()

    def take(self, size: int, planned: tuple[int, ...]) -> int:
        """The address of a buffer whose bytes nobody has written; 0 where there is no room."""
        assert self.pool is not None
        whole, returned = _whole(size), self._returned.get(_whole(size))
        if not returned and self._end + whole > len(self.pool.data):
            return 0
        first = returned.pop() if returned else self._end
        self._end = max(self._end, first + whole)
        self.pool.data[first : first + whole] = UNINITIALISED_BYTE
        self._given[self.pool.address + first] = Buffer(size, planned)
        return self.pool.address + first

    def planned(self, address: int) -> tuple[int, ...]:
        """What `cudaGetParameterBufferV2` was told. Raises `BadArgument` where that made no such buffer."""
        planned = self.at(address, 0).planned
        if not planned[0]:
            hint = "take the buffer from cudaGetParameterBufferV2, or call cudaLaunchDevice"
            raise BadArgument(0, "passes a parameter buffer that was made for no kernel", hint)
        return planned

    def at(self, address: int, position: int) -> Buffer:
        """What was given there. Raises `BadArgument` where it is no buffer, or one that was used."""
        if address == 0:
            raise BadArgument(position, "passes a null parameter buffer", CHECK)
        if address not in self._given:
            raise BadArgument(position, f"passes {self._instead(address)}", ONCE)
        return self._given[address]

    def read(self, address: int, packed: Packed, number: int, position: int) -> npt.NDArray[np.uint8]:
        """The bytes of a kernel's parameters. Raises `BadArgument` where they are not in the buffer."""
        if address == 0 and not packed.bytes:
            return np.zeros(0, np.uint8)
        buffer = self.at(address, position)
        if buffer.planned[0] not in (0, number):
            hint = "launch it with cudaLaunchDeviceV2(buffer, stream)"
            raise BadArgument(position, "passes a parameter buffer made for another kernel", hint)
        if buffer.size < packed.bytes:
            what = f"passes a parameter buffer of {buffer.size} bytes where {packed.bytes} are read"
            raise BadArgument(position, what, "gpusim.pack_parameters(kernel, …) shows where each one goes")
        assert self.pool is not None
        first = address - self.pool.address
        behind = self.pool.data[first + buffer.size : first + _whole(buffer.size)]
        if (behind != UNINITIALISED_BYTE).any():
            what = f"has written beyond the {buffer.size} bytes of its parameter buffer"
            raise BadArgument(position, what, "ask for as many bytes as the parameters take, with padding")
        return self.pool.data[first : first + packed.bytes]

    def _instead(self, address: int) -> str:
        """What is it that is no buffer?"""
        for first, buffer in self._given.items():
            if first < address < first + buffer.size:
                return f"an address {address - first} bytes into a parameter buffer, not its beginning"
        return f"{address:#x}, at which no parameter buffer begins, or one that a kernel was launched from"

    def give_back(self, address: int) -> None:
        """Its kernel is launched."""
        if address and self.pool is not None:
            size = _whole(self._given.pop(address).size)
            self._returned.setdefault(size, []).append(address - self.pool.address)


def _whole(size: int) -> int:
    return -(-size // BASE_BYTES) * BASE_BYTES + BASE_BYTES


def parameters_of(
    launch: Launch, brought: Sequence[npt.NDArray[Any]], buffers: Sequence[Buffers], cdp: int
) -> Sequence[npt.NDArray[Any]]:
    """What N launches pass, (N,) each: as it was `brought`, or read from the buffer of each.

    Raises `BadArgument`.
    """
    packed, rows, seen = launch.packed, list[npt.NDArray[np.uint8]](), set[int]()
    if packed is not None and packed.bytes > MOST_BYTES[cdp]:
        what = f"passes {packed.bytes:,} bytes of parameters, where {MOST_BYTES[cdp]:,} fit under CDP{cdp}"
        raise BadArgument(0, what, "pass a pointer to them")
    if packed is None or not launch.number:
        return brought
    for position, (one, address) in enumerate(zip(buffers, brought[0].tolist(), strict=True)):
        if address and address in seen:
            raise BadArgument(position, "passes a parameter buffer that another thread launches from", ONCE)
        seen.add(address)
        rows.append(one.read(address, packed, launch.number, position))
    octets = np.stack(rows)
    return [
        np.ascontiguousarray(octets[:, first : first + scalar.bytes]).view(scalar.dtype)[:, 0]
        for first, scalar in packed.numbers
    ]
