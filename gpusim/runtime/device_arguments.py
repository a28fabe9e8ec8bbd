"""Which arrays do the addresses mean that threads hand to a kernel? N threads launch it at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import ArrayOperand, Register
from gpusim.ir.types import WINDOWS, Space
from gpusim.machine.memory.address_space import GLOBAL_BASE, AddressSpace

LAST_WINDOW = max(WINDOWS.values())
OWN = {base: space for space, base in WINDOWS.items()}
GLOBAL_STORAGE = "give it an array of global memory: an argument of this kernel, or one of the heap"


class BadArgument(Exception):
    """What call number `position` passes cannot be passed; `handle`: a number that is no address."""

    def __init__(self, position: int, what: str, hint: str, handle: int = 0) -> None:
        super().__init__(what)
        self.position, self.what, self.hint, self.handle = position, what, hint, handle


def passed(
    parameters: Sequence[Register | ArrayOperand],
    operands: Sequence[npt.NDArray[Any]],
    memory: AddressSpace,
) -> list[list[Any]]:
    """The arguments of each launch, as the machine takes them; `operands`, (N,), as `ir.details.Launch` says.

    Raises `BadArgument`.
    """
    columns, following, places = list[list[Any]](), iter(operands), _Places(memory)
    for parameter in parameters:
        if isinstance(parameter, Register):
            columns.append(list(next(following).astype(parameter.type.dtype)))
            continue
        addresses = next(following).astype(np.uint64)
        if parameter.pointer:
            columns.append([places.from_here(parameter, n, a) for n, a in enumerate(addresses.tolist())])
            continue
        axes = [[next(following).tolist() for _ in range(parameter.dimensions)] for _ in range(2)]
        extents, strides = (list(zip(*one, strict=True)) or [()] * len(addresses) for one in axes)
        columns.append(
            [
                places.array(parameter, n, *one)
                for n, one in enumerate(zip(addresses.tolist(), extents, strides, strict=True))
            ]
        )
    return [list(one) for one in zip(*columns, strict=True)] or [[] for _ in range(len(operands[0]))]


class _Places:
    """Device memory, by address."""

    def __init__(self, memory: AddressSpace) -> None:
        self._live = memory.live()
        self._firsts = np.array([one.address for one in self._live], np.uint64)

    def _octets(
        self, parameter: ArrayOperand, position: int, address: int
    ) -> tuple[npt.NDArray[np.uint8], int]:
        """An allocation, and where in it."""
        number = int(np.searchsorted(self._firsts, np.uint64(address), side="right")) - 1
        if number >= 0:
            allocation = self._live[number]
            if address - allocation.address <= len(allocation.data):
                data = allocation.data[:]
                data.flags.writeable = data.flags.writeable and not allocation.constant
                return data, address - allocation.address
        what, handle = (
            f"passes {address:#x} for {parameter.name!r}, where no memory of the device is",
            address,
        )
        if min(OWN) <= address < GLOBAL_BASE:
            space = OWN[max(base for base in OWN if base <= address)]
            whose = "its thread" if space is Space.LOCAL else "its block"
            what = (
                f"passes the address of {space.value} memory for {parameter.name!r}: only {whose} sees that"
            )
        raise BadArgument(position, what, GLOBAL_STORAGE, handle)

    def from_here(self, parameter: ArrayOperand, position: int, address: int) -> Any:
        """A pointer: the memory from there on; None for a null pointer."""
        if not address:
            return None
        data, first = self._octets(parameter, position, address)
        return data[first:]

    def array(
        self,
        parameter: ArrayOperand,
        position: int,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> npt.NDArray[Any]:
        """An array, of which element [0, …, 0] is there."""
        dtype = parameter.element.dtype
        if 0 in shape:
            return np.zeros(shape, dtype)
        data, first = self._octets(parameter, position, address)
        try:
            return np.ndarray(shape, dtype, data.data, first, strides)
        except (ValueError, TypeError):
            ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
            low = first + sum(end for end in ends if end < 0)
            high = first + sum(end for end in ends if end > 0) + dtype.itemsize
            what = f"passes a part of an array for {parameter.name!r} that reaches beyond its memory: bytes "
            what += f"{low:,} to {high - 1:,} of {len(data):,}"
            raise BadArgument(position, what, "what is passed cannot be larger than its array") from None
