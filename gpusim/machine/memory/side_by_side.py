"""Where do the arrays of grids that run side by side lie? Each has its own; one piece of memory holds them.

M grids. Addresses are bytes: `host` ones of this computer's memory, the others as a GPU would have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.ir.instructions import ArrayOperand
from gpusim.ir.program import Function
from gpusim.machine.layout import Layout
from gpusim.machine.memory.address_space import ALLOCATION_BYTES, AddressSpace, Allocation
from gpusim.machine.memory.binding import AnyMemory, Binding, bind_null, bytes_of
from gpusim.machine.memory.per_warp import Fields, PerWarp
from gpusim.machine.memory.pointers import Pointer
from gpusim.machine.memory.storage import Bytes, Storage

Numbers = npt.NDArray[np.int64]
WIDEST_BYTES = 16  # of an element


@dataclass(eq=False)
class Spread:
    """One parameter's array in each of the grids: int64 (M,), or (M, dimensions).

    `low` to `high` are its bytes, at host addresses, and `first` is where its element [0, …, 0] lies. It may
    reach `size` bytes from `start` on. `address` is the GPU's for `low`. `held` are allocations they are in.
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
    held: list[Allocation] = field(default_factory=list)

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

    def bytes_of(self, member: int, length: int) -> Bytes:
        """So many bytes from where one of the arrays may reach on."""
        start = self.start[member]
        holding = [one.data for one in self.held if one.host_address == start]
        begin = holding[0] if holding else bytes_of(self.arrays[member])[0]
        if len(begin) == length:
            return begin
        writeable = begin.flags.writeable
        return np.lib.stride_tricks.as_strided(begin, (length,), (1,), writeable=writeable)

    def seen_in(self, memory: Bytes, operand: ArrayOperand, offset: Numbers) -> tuple[Storage, Fields]:
        """The memory, and what each grid sees of it; `offset`, (M,), is how far it lies from where it was."""
        width, axes = operand.element.bytes, operand.dimensions
        address = self.address - (self.low + offset)
        fields: dict[str, Any] = {
            "origin_bytes": self.first + offset,
            "address": address,
            "region": (self.start + offset, self.size),
        }
        if operand.pointer:
            fields["shape"] = ((self.start + self.size - self.first) // width,) * axes
        else:
            fields["shape"], fields["strides_bytes"] = tuple(self.shape.T), tuple(self.strides.T)
        kind = Pointer if operand.pointer else Storage
        nowhere, steps = (0,) * axes, (width,) * axes  # each grid has its own
        return kind(operand, memory, nowhere, steps, 0, int(address[0]), (0, len(memory))), fields


class SideBySide(Binding):
    """The arrays of several launches of one kernel. Launches fit together if the same pointers are null.

    Where one parameter's arrays are not all in one piece of memory, all arrays are copied into one, and what
    was written is copied back by `finish`; nobody else may use them meanwhile. `fits` says whether it can be
    done: nothing was freed, elements are equally far from the boundaries of `WIDEST_BYTES`, and what begins a
    piece that is written can be written.
    """

    works_on_copies = True

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
        self._copies: list[tuple[Bytes, Bytes]] = []  # where it came from, and where it is now
        self._written: list[tuple[ArrayOperand, Spread, Allocation, list[int]]] = []
        spreads: dict[ArrayOperand, Spread] = {}
        for number, operand in enumerate(function.parameters):
            if isinstance(operand, ArrayOperand):
                given = [one[number] for one in arguments]
                if given[0] is None:
                    self.everywhere[operand] = bind_null(operand)
                else:
                    spreads[operand] = Spread.of(given)
        self._find_places(spreads, len(arguments))
        self._spans = self._gathered(spreads) if spreads else {}
        for _whole, fields in self._spans.values():
            self.fits &= not ((fields["address"] - fields["address"][0]) % WIDEST_BYTES).any()

    def _gathered(self, spreads: dict[ArrayOperand, Spread]) -> dict[ArrayOperand, tuple[Storage, Fields]]:
        """Memory for each parameter, in which the arrays of all grids lie."""
        given, grids = list(spreads.values()), len(self._dynamic_bytes)
        start = np.concatenate([spread.start for spread in given])
        end = start + np.concatenate([spread.size for spread in given])
        order = np.lexsort((-end, start))
        reached = np.maximum.accumulate(end[order])
        begins = np.append(True, start[order][1:] >= reached[:-1])  # a piece: arrays that overlap
        piece = np.empty(len(start), np.int64)
        piece[order] = begins.cumsum() - 1
        firsts = order[begins]  # the array with which each piece begins
        lengths = np.append(reached[:-1][begins[1:]], reached[-1]) - start[firsts]

        def memory(first: int, length: int) -> Bytes:
            return given[first // grids].bytes_of(first % grids, length)

        pieces = piece.reshape(len(given), grids)
        if (pieces == pieces[:, :1]).all():
            only = pieces[:, 0]
            each = [*map(memory, firsts[only].tolist(), lengths[only].tolist())]
            offsets = -start[firsts][pieces]
            self.works_on_copies = False
            written = [operand in self.function.written for operand in spreads]
            self.fits &= all(seen.flags.writeable for seen in compress(each, written))
        else:
            # addresses of two pieces may be differently far from a boundary, and so are then their places
            address = np.concatenate([spread.address - spread.low for spread in given]) + start
            room = -(-lengths // WIDEST_BYTES) * WIDEST_BYTES + WIDEST_BYTES
            places = room.cumsum() - room + address[firsts] % WIDEST_BYTES
            together = np.empty(int(room.sum()), np.uint8)
            changed = np.zeros(len(firsts), np.bool_)
            changed[pieces[[operand in self.function.written for operand in spreads]].ravel()] = True
            rows = zip(firsts.tolist(), lengths.tolist(), places.tolist(), changed.tolist(), strict=True)
            for first, length, place, is_changed in rows:
                if length:
                    copy, source = together[place : place + length], memory(first, length)
                    copy[...] = source
                    if is_changed:
                        self._copies.append((source, copy))
                        self.fits &= source.flags.writeable  # it may begin with a view that is not
            each, offsets = [together] * len(given), (places - start[firsts])[pieces]
        return {
            operand: spread.seen_in(seen, operand, offset)
            for (operand, spread), seen, offset in zip(spreads.items(), each, offsets, strict=True)
        }

    def count_as_written(self, noted: Sequence[bool]) -> None:
        """Arrays that the kernel writes to count as written whole, but those of grids that are noted."""
        for operand, spread, allocation, members in self._written:
            for member in members:
                if not noted[member]:
                    allocation.note_written(allocation.data if operand.pointer else spread.arrays[member])

    def finish(self) -> None:
        """Give back what was written."""
        for source, copy in self._copies:
            source[...] = copy

    def _find_places(self, spreads: dict[ArrayOperand, Spread], count: int) -> None:
        """Give every array the address that it has when its grid runs alone."""
        following = np.full(count, self.memory.end)
        before: list[Spread] = []
        odd = np.zeros(count, np.bool_)
        for operand, spread in spreads.items():
            held = self._find_allocations(operand, spread)
            spread.address = np.where(held, spread.address, following)
            for other in before:
                again = ~held & (spread.low == other.low) & (spread.high == other.high)
                spread.address = np.where(again, other.address, spread.address)
                odd |= ~held & ~again & (spread.low < other.high) & (other.low < spread.high)
                held |= again
            units = -(-np.maximum(spread.high - spread.low, 1) // ALLOCATION_BYTES)
            following = following + np.where(held, 0, units * ALLOCATION_BYTES)
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
                spread.held.append(allocation)
                self.fits &= allocation.live
                spread.address = np.where(held, allocation.address + spread.low - begin, spread.address)
                if operand.pointer:
                    spread.start = np.where(held, begin, spread.start)
                    spread.size = np.where(held, size, spread.size)
                if operand in self.function.written:
                    self._written.append((operand, spread, allocation, np.flatnonzero(held).tolist()))
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


def _of_warps(whole: Storage, fields: Fields, members: Numbers) -> tuple[Storage, Fields]:
    """What is each grid's, (M,), for each of its warps, (W, 1)."""

    def spread(value: Any) -> Any:
        return tuple(map(spread, value)) if isinstance(value, tuple) else value[members][:, None]

    return whole, {name: spread(value) for name, value in fields.items()}
