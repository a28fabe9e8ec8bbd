"""Where do the arrays of grids that run side by side lie? Each has its own; one span holds them all.

M grids. Addresses are bytes: `host` ones of this computer's memory, the others as a GPU would have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.program import Function
from gpusim.ir.types import Space
from gpusim.machine.layout import Layout
from gpusim.machine.memory.address_space import ALLOCATION_BYTES, AddressSpace
from gpusim.machine.memory.binding import AnyMemory, Binding, bind_null, bytes_of
from gpusim.machine.memory.per_warp import PerWarp
from gpusim.machine.memory.pointers import Pointer
from gpusim.machine.memory.storage import Bytes, Storage

Numbers = npt.NDArray[np.int64]
WIDEST_BYTES = 16  # of an element


@dataclass(eq=False)
class Spread:
    """One parameter's array in each of the grids: int64 (M,), or (M, dimensions).

    `low` to `high` are its bytes, at host addresses, and `first` is where its element [0, …, 0] lies. It may
    reach `size` bytes from `start` on. `address` is the GPU's for `low`.
    """

    arrays: Sequence[npt.NDArray[Any]]
    first: Numbers
    shape: Numbers
    strides: Numbers
    low: Numbers
    high: Numbers
    start: Numbers
    size: Numbers
    address: Numbers

    @classmethod
    def of(cls, arrays: Sequence[npt.NDArray[Any]]) -> Spread:
        """Where arrays of this computer lie."""
        count, axes = len(arrays), arrays[0].ndim
        first = np.fromiter((a.__array_interface__["data"][0] for a in arrays), np.int64, count)
        shape = np.array([a.shape for a in arrays], np.int64).reshape(count, axes)
        strides = np.array([a.strides for a in arrays], np.int64).reshape(count, axes)
        some: npt.NDArray[np.bool_] = np.asarray((shape > 0).all(axis=1))
        reach = np.where(some[:, None], (shape - 1) * strides, 0)
        low = first + np.minimum(reach, 0).sum(axis=1)
        high = first + np.maximum(reach, 0).sum(axis=1) + arrays[0].itemsize * some
        return cls(arrays, first, shape, strides, low, high, low, high - low, np.zeros(count, np.int64))

    def span(self, operand: ArrayOperand, memory: AddressSpace) -> tuple[Storage, dict[str, Any]]:
        """The memory that holds them all, and what each grid sees of it, int64 (M,)."""
        used = np.flatnonzero(self.size)
        lowest = used[self.start[used].argmin()] if used.size else 0
        base = int(self.start[lowest])
        held = memory.holding(self.arrays[lowest]) if self.start[lowest] < self.low[lowest] else None
        first_bytes = bytes_of(self.arrays[lowest])[0] if held is None else held.data
        length = int((self.start + self.size)[used].max()) - base if used.size else 0
        changes = operand.space is not Space.CONSTANT
        writeable = changes and all(array.flags.writeable for array in self.arrays)
        span = np.lib.stride_tricks.as_strided(first_bytes, (length,), (1,), writeable=writeable)
        width, axes = operand.element.bytes, operand.dimensions
        address = self.address - self.low + base
        fields: dict[str, Any] = {
            "origin_bytes": self.first - base,
            "address": address,
            "region": (self.start - base, self.size),
        }
        if operand.pointer:
            fields["shape"] = ((self.start + self.size - self.first) // width,) * axes
        else:
            fields["shape"], fields["strides_bytes"] = tuple(self.shape.T), tuple(self.strides.T)
        kind = Pointer if operand.pointer else Storage
        whole = kind(operand, span, (0,) * axes, (width,) * axes, 0, int(address[0]), (0, length))
        return whole, fields


class SideBySide(Binding):
    """The arrays of several launches of one kernel. Launches fit together if the same pointers are null.

    `fits` says whether the memory does: nothing of it was freed, and elements are equally far from the
    boundaries of `WIDEST_BYTES`.
    """

    def __init__(
        self,
        function: Function,
        arguments: Sequence[Sequence[Any]],
        dynamic_shared_bytes: Sequence[int],
        lanes: int,
        memory: AddressSpace,
    ) -> None:
        self._begin(function, max(dynamic_shared_bytes), lanes, memory)
        self.fits = True
        self._dynamic_bytes = np.array(dynamic_shared_bytes)
        spreads: dict[ArrayOperand, Spread] = {}
        for number, operand in enumerate(function.parameters):
            if isinstance(operand, ArrayOperand):
                given = [one[number] for one in arguments]
                if given[0] is None:
                    self.everywhere[operand] = bind_null(operand)
                else:
                    spreads[operand] = Spread.of(given)
        self._find_places(spreads, len(arguments))
        self._spans = {operand: spread.span(operand, memory) for operand, spread in spreads.items()}
        for _whole, fields in self._spans.values():
            self.fits &= not ((fields["address"] - fields["address"][0]) % WIDEST_BYTES).any()

    def _find_places(self, spreads: dict[ArrayOperand, Spread], count: int) -> None:
        """Give every array the address that it has when its grid runs alone."""
        following = np.full(count, self.memory.end)
        before: list[Spread] = []
        odd = np.zeros(count, np.bool_)
        for operand, spread in spreads.items():
            held = self._find_allocations(operand, spread)
            spread.address = np.where(held, spread.address, following)
            units = -(-np.maximum(spread.high - spread.low, 1) // ALLOCATION_BYTES)
            following = following + np.where(held, 0, units * ALLOCATION_BYTES)
            for other in before:
                odd |= ~held & (spread.low < other.high) & (other.low < spread.high)
            before.append(spread)
        for member in np.flatnonzero(odd).tolist():  # where arrays overlap, their addresses do
            places = self.memory.places([spread.arrays[member] for spread in before])
            for spread, (address, _allocation) in zip(before, places, strict=True):
                spread.address[member] = address

    def _find_allocations(self, operand: ArrayOperand, spread: Spread) -> npt.NDArray[np.bool_]:
        """(M,): which of the arrays are in device memory? They have its addresses."""
        everywhere = np.zeros(len(spread.low), np.bool_)
        for allocation in self.memory.known():
            begin, size = allocation.host_address, len(allocation.data)
            held = (begin <= spread.low) & (spread.high <= begin + size) & (spread.high > spread.low)
            if held.any():
                everywhere |= held
                self.fits &= allocation.live
                spread.address = np.where(held, allocation.address + spread.low - begin, spread.address)
                if operand.pointer:
                    spread.start, spread.size = np.where(held, (begin, size), (spread.start, spread.size))
                if operand in self.function.written:
                    members = np.flatnonzero(held)[: 1 if operand.pointer else None].tolist()
                    self.allocated += [(operand, spread.arrays[one], allocation) for one in members]
        return everywhere

    def _of_grids(self, layout: Layout) -> dict[ArrayOperand, AnyMemory]:
        members = layout.members
        own = {operand: PerWarp(*_of_warps(*span, members)) for operand, span in self._spans.items()}
        return {**self.everywhere, **own}

    def _window(self, operand: ArrayOperand, windows: Bytes, layout: Layout) -> AnyMemory:
        whole = super()._window(operand, windows, layout)
        if len(operand.shape) == operand.dimensions or (self._dynamic_bytes == self.dynamic[1]).all():
            return whole
        first, sizes = np.full(len(self._dynamic_bytes), self.dynamic[0]), self._dynamic_bytes
        fields = {"shape": (sizes // operand.element.bytes,), "region": (first, sizes)}
        assert isinstance(whole, Storage)
        return PerWarp(*_of_warps(whole, fields, layout.members))


def _of_warps(whole: Storage, fields: dict[str, Any], members: Numbers) -> tuple[Storage, dict[str, Any]]:
    """What is each grid's, (M,), for each of its warps, (W, 1)."""

    def spread(value: Any) -> Any:
        return tuple(map(spread, value)) if isinstance(value, tuple) else value[members][:, None]

    return whole, {name: spread(value) for name, value in fields.items()}
