"""Which bytes of device memory do the grids of a launch touch? Of every allocation, by kind of access.

The heap of the kernels is left out: who gets which of its bytes is settled by atomics. So are arrays of the
host, of which a launch gets copies of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess, Numbers
from gpusim.host_events import Touched
from gpusim.ir.details import Scope
from gpusim.ir.types import Space
from gpusim.machine.memory.address_space import Allocation
from gpusim.runtime.pieces import piece_of


class TouchedBytes(GridObserver):
    """Follows the grids of one launch: those that its threads launch, too."""

    wants = frozenset({MemoryAccess})

    def __init__(self, allocations: list[Allocation]) -> None:
        """allocations: by address."""
        self.allocations = allocations
        self._firsts = np.array([one.address for one in allocations], np.int64)
        self._marks: dict[tuple[int, str, int], Marks] = {}

    def watches(self, launched: GridLaunched) -> GridObserver:
        """Every grid. An allocation that the host has no name for is called as the kernel's parameter is."""
        for array in launched.arrays:
            number = self._number(array.first)
            if array.space is Space.GLOBAL and number >= 0:
                holding = self.allocations[number]
                piece, first = piece_of(holding.data)
                shift = first - holding.address
                if piece.layout is None and array.first < holding.address + len(holding.data):
                    name = f"{array.name} of {launched.function.name}"
                    piece.layout = replace(
                        array, name=name, first=array.first + shift, address=array.address + shift
                    )
        return self

    def observe(self, event: Event) -> None:
        """Mark the first byte of every access."""
        assert isinstance(event, MemoryAccess)
        if event.space is not Space.GLOBAL or not len(self._firsts):
            return
        kind = event.kind
        if kind == "atomic" and event.instruction.detail is Scope.CTA:
            kind = "store"  # to other grids it is none
        addresses = event.addresses.ravel() if event.active.all() else event.addresses[event.active]
        lowest, highest = int(addresses.min()), int(addresses.max())
        first, last = self._number(lowest), self._number(highest)
        if first == last:
            self._mark(first, kind, event.width, addresses, lowest, highest)
            return
        numbers = np.searchsorted(self._firsts, addresses, side="right") - 1
        for number in np.unique(numbers).tolist():
            of_one = addresses[numbers == number]
            self._mark(number, kind, event.width, of_one, int(of_one.min()), int(of_one.max()))

    def _number(self, address: int) -> int:
        """Which allocation is it, or the last before it? -1: none is."""
        return int(np.searchsorted(self._firsts, address, side="right")) - 1

    def _mark(
        self, number: int, kind: str, width: int, addresses: Numbers, lowest: int, highest: int
    ) -> None:
        """Accesses to one allocation, or behind it: to arrays of the host, or the heap."""
        if number < 0:
            return
        allocation = self.allocations[number]
        end = allocation.address + len(allocation.data)
        if highest >= end:
            addresses = addresses[addresses < end]
            if not addresses.size:
                return
            highest = int(addresses.max())
        granule = width & -width  # a power of two, of which each is a multiple if it is aligned
        offsets = addresses - allocation.address
        if int(np.bitwise_or.reduce(offsets)) & (granule - 1):
            granule = 1
        marks = self._marks.get((number, kind, granule))
        if marks is None:
            marks = Marks(np.zeros(-(-len(allocation.data) // granule), np.bool_))
            self._marks[number, kind, granule] = marks
        cells = offsets >> (granule.bit_length() - 1)
        for step in range(width // granule):
            marks.cells[cells + step if step else cells] = True
        marks.first = min(marks.first, (lowest - allocation.address) // granule)
        marks.behind = max(marks.behind, (highest - allocation.address + width) // granule)

    def found(self) -> Iterator[Touched]:
        """What was touched so far."""
        for (number, kind, granule), marks in self._marks.items():
            piece, first = piece_of(self.allocations[number].data)
            starts, ends = marks.ranges()
            yield Touched(piece, kind, first + granule * starts, first + granule * ends)


@dataclass
class Marks:
    """Which cells of an allocation were touched? None before `first`, none from `behind` on."""

    cells: npt.NDArray[np.bool_]
    first: int = 1 << 62
    behind: int = 0

    def ranges(self) -> tuple[Numbers, Numbers]:
        """Where does each run of touched cells begin and end?"""
        part = self.cells[self.first : self.behind]
        if part.all():
            return np.array([self.first]), np.array([self.behind])
        edges = np.flatnonzero(part[1:] != part[:-1]) + self.first + 1
        return np.append(self.first, edges[1::2]), np.append(edges[::2], self.behind)
