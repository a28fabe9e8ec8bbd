"""What lies at an address? `*p` for a pointer that may lead anywhere: each lane goes to the memory it names.

n warps in a step, L lanes. addresses: uint64, (n, L), (n, 1) when uniform, or one number. A *piece* is memory
whose addresses follow each other: an allocation, an array of the host, the shared memory of the own block,
the local memory of the own thread. All lanes mostly mean one piece; then that piece does the work.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from gpusim.events import MemoryAccess
from gpusim.ir.instructions import ArrayOperand, Instruction
from gpusim.ir.types import WINDOWS, Space
from gpusim.machine.memory.address_space import AddressSpace, whole_units
from gpusim.machine.memory.bad_access import (
    Freed,
    FreedAddress,
    Misaligned,
    MisalignedPointer,
    Nowhere,
    Null,
    ReadOnly,
)
from gpusim.machine.memory.storage import Storage, among_active, distance
from gpusim.machine.step import Step

FAR_BYTES = 1 << 20  # from here on a distance says nothing
NULL_BYTES = 4096  # below this address there is never anything: null pointers, and small steps from them

# a piece, the lanes that mean it (bool, in the shape of the addresses; None: all), and their positions in it
Found = list[tuple[Storage, Any, Any]]


class GenericMemory:
    """All memory that a launch can reach: pieces, each with its bytes seen as elements of one type."""

    def __init__(
        self, operand: ArrayOperand, pieces: Sequence[tuple[Storage, Storage]], memory: AddressSpace
    ) -> None:
        self._memory, self.objects, self._pointer = memory, memory.objects, operand.pointer
        self.name, self.element, self.dimensions = operand.name, operand.element, operand.dimensions
        self._pieces = [piece for piece, _seen in pieces]
        wide = [seen for _piece, seen in pieces if seen.region[1] >= self.element.bytes]
        self.reachable: Sequence[Storage] = sorted(wide, key=first_address)
        self._firsts = np.array([first_address(piece) for piece in self.reachable], np.uint64)
        sizes = [piece.region[1] for piece in self.reachable]
        self._lasts = np.array([size - self.element.bytes for size in sizes], np.uint64)
        self._beginnings = self._firsts.tolist()

    # where ------------------------------------------------------------------------------------------------

    def positions(self, addresses: Sequence[Any], step: Step, instruction: Instruction) -> Found:
        """Which piece does each lane mean, and which element of it? Raises `BadAccess` where a lane errs."""
        where = np.asarray(addresses[0])
        uniform = where.ndim < 2 or where.shape[1] == 1
        mine = step.active is not None and not uniform
        first = where[np.unravel_index(step.mask.argmax(), where.shape)] if mine else where.flat[0]
        number = bisect_right(self._beginnings, int(first)) - 1
        if number >= 0:
            found = self._in_piece(number, where, step)
            if found is None and mine:
                found = self._in_piece(number, np.where(step.mask, where, first), step)
            if found is not None:
                return [found]
        return self._in_any(where, step, instruction)

    def placed(
        self,
        indices: Sequence[Any],
        address: Any,
        extents: Sequence[Any],
        strides_bytes: Sequence[Any],
        step: Step,
        instruction: Instruction,
    ) -> Found:
        """The same, of an array that begins at an address and has a shape, which an index must fit."""
        place = address + distance(self, indices, extents, strides_bytes, step, instruction)
        return self.positions((np.asarray(place, np.int64).view(np.uint64),), step, instruction)

    def _in_piece(self, number: int, where: Any, step: Step) -> tuple[Storage, Any, Any] | None:
        """If all addresses are in this piece, and multiples of the element's size."""
        within = where - self._firsts[number]
        odd = int(np.bitwise_or.reduce(where, axis=None)) & self.element.bytes - 1
        if odd or within.max() > self._lasts[number]:
            return None
        return self.reachable[number], None, self._elements(number, within, step)

    def _in_any(self, where: Any, step: Step, instruction: Instruction) -> Found:
        uniform = where.ndim < 2 or where.shape[1] == 1
        active = step.mask.any(axis=1, keepdims=True) if uniform else step.mask
        where = np.broadcast_to(where, active.shape)
        numbers, held = np.zeros(where.shape, np.int64), np.zeros(where.shape, bool)
        within = where
        if self.reachable:
            numbers = np.maximum(np.searchsorted(self._firsts, where.ravel(), "right") - 1, 0).reshape(
                where.shape
            )
            within = where - self._firsts[numbers]  # what lies before the first piece is very far behind it
            held = within <= self._lasts[numbers]
        self._check(where, active & ~held, active, step, instruction)
        found: Found = []
        for number in np.flatnonzero(np.bincount(numbers[active])).tolist():
            lanes = active & (numbers == number)
            places = self._elements(number, np.where(lanes, within, np.uint64(0)), step)
            found.append((self.reachable[number], lanes, places))
        return found if len(found) > 1 else [(piece, None, places) for piece, _lanes, places in found]

    def _elements(self, number: int, within: Any, step: Step) -> Any:
        piece = self.reachable[number]
        first = piece.region[0] - piece.skew_bytes
        return (within.astype(np.int64) + first >> self.element.bytes.bit_length() - 1) + piece.window(step)

    def _check(self, where: Any, nowhere: Any, active: Any, step: Step, instruction: Instruction) -> None:
        """Raise `BadAccess` for addresses that are not multiples of the width, or where nothing is."""
        width = self.element.bytes
        about = {"addresses": where, "width": width}
        odd = active & (where & np.uint64(width - 1) != 0)
        if odd.any():
            wrong = MisalignedPointer if self._pointer else Misaligned
            raise wrong(self.name, among_active(odd, step), instruction, **about)
        if nowhere.any():
            address = int(where[nowhere][0])
            lanes = among_active(nowhere & ((where < NULL_BYTES) == (address < NULL_BYTES)), step)
            if address < NULL_BYTES:
                raise Null(self.name, lanes, instruction, **about)
            if self._memory.was_at(address) and not self._in_a_unit(address):
                freed = FreedAddress if self._pointer else Freed
                raise freed(self.name, lanes, instruction, **about)
            raise Nowhere(self.name, lanes, instruction, near=self._near, **about)

    def _in_a_unit(self, address: int) -> bool:
        """Does it lie behind an array of the launch, before anything else can begin?"""
        places = ((first_address(piece), piece.region[1]) for piece in self._pieces)
        return any(first <= address < whole_units(first + size) for first, size in places)

    def _near(self, address: int) -> str:
        """`it is 4 bytes behind the 1024 bytes of 'x' at 0x7f0000000000`."""
        if not self._pieces:
            return "the launch can reach no memory"
        nearest = (FAR_BYTES, "")
        for piece in self._pieces:
            first, size = first_address(piece), piece.region[1]
            apart, side = (
                (first - address, "before") if address < first else (address - first - size, "behind")
            )
            words = f"it is {apart} bytes {side} the {size} bytes of {piece.name} at {first:#x}"
            nearest = min(nearest, (apart, words))
        return nearest[1] if nearest[0] < FAR_BYTES else "nothing that the launch can reach is near"

    # what -------------------------------------------------------------------------------------------------

    def load(self, found: Found, step: Step, instruction: Instruction) -> Any:
        """The elements that the lanes ask for."""
        if len(found) == 1:
            piece, _lanes, places = found[0]
            return piece.load(places, step, instruction)
        self._tell("load", found, step, instruction)
        result: Any = np.zeros((1, 1), found[0][0].flat.dtype)
        for piece, lanes, places in found:
            result = np.where(lanes, piece.load(places, _alone(lanes, step), instruction), result)
        return result

    def store(self, found: Found, value: Any, step: Step, instruction: Instruction) -> None:
        """Write the active lanes' values."""
        self._start("store", found, step, instruction)
        for piece, lanes, places in found:
            piece.store(places, value, _alone(lanes, step), instruction)

    def atomic(
        self, found: Found, values: Sequence[Any], wanted: bool, step: Step, instruction: Instruction
    ) -> Any:
        """Apply the active lanes' values one after the other; the old values (n, L) if they are wanted."""
        self._start("atomic", found, step, instruction)
        before: Any = None
        for piece, lanes, places in found:
            old = piece.atomic(places, values, wanted, _alone(lanes, step), instruction)
            before = old if before is None else np.where(lanes, old, before)
        return before

    def _start(self, kind: str, found: Found, step: Step, instruction: Instruction) -> None:
        """Before anything is changed: can it be? Observers are told of several pieces together."""
        for piece, lanes, places in found:
            if not piece.flat.flags.writeable:
                wrong = step.mask if lanes is None else among_active(lanes, step)
                addresses = piece.addresses(places, step)
                about = {"addresses": addresses, "width": self.element.bytes}
                raise ReadOnly(self.name, wrong, instruction, **about)
        if len(found) > 1:
            self._tell(kind, found, step, instruction)

    def _tell(self, kind: str, found: Found, step: Step, instruction: Instruction) -> None:
        """One event a space: a warp that goes to several pieces of global memory makes one request."""
        for space in Space if step.watched else ():
            here = [one for one in found if one[0].space is space]
            if not here:
                continue
            lanes = np.logical_or.reduce([among_active(one[1], step) for one in here])
            addresses, values = np.zeros((), np.int64), np.zeros((), here[0][0].flat.dtype)
            for piece, mine, places in here:
                addresses = np.where(mine, piece.addresses(places, step), addresses)
                values = np.where(mine, piece.flat.take(places), values)
            memory, elements = values.ravel(), np.arange(values.size, dtype=np.int64).reshape(values.shape)
            if len(here) == 1:
                memory, elements = here[0][0].flat, here[0][2]
            shape, rows = step.mask.shape, lanes.any(axis=1)  # a warp without a lane here makes no request
            where, what = (np.broadcast_to(part, shape)[rows] for part in (addresses, elements))
            width, warps = self.element.bytes, step.warps[rows]
            step.emit(MemoryAccess(space, kind, width, warps, lanes[rows], where, instruction, memory, what))


def first_address(piece: Storage) -> int:
    """Where a piece begins, as all threads see it."""
    return WINDOWS.get(piece.space, 0) + piece.address + piece.region[0]


def _alone(lanes: Any, step: Step) -> Step:
    """The step as if only these lanes were in it. Observers have been told of all."""
    if lanes is None:
        return step
    alone = copy(step)
    alone.active, alone.watched = np.broadcast_to(among_active(lanes, step), step.mask.shape), False
    return alone
