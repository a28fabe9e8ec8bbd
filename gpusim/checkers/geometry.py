"""Which thread, block and memory cell does each lane of an event mean, as flat numbers?

A batch of thread blocks runs at a time. Threads, warps and blocks are numbered within the grid; a *slot* is
the place of one among those of the batch, so that arrays indexed by slots serve every batch in turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from gpusim.devices.occupancy import round_up
from gpusim.events import GridLaunched, Lanes, MemoryAccess, Warps
from gpusim.ir.instructions import Instruction
from gpusim.ir.types import Space

WIDEST = 16  # bytes of an access

Numbers = npt.NDArray[np.int64]


class Geometry:
    """Sizes of a launch. `present`: bool (warps of a block, L), the lanes that have a thread."""

    def __init__(self, event: GridLaunched) -> None:
        x, y, z = event.block
        self.lanes, self.warps_per_block = event.device.warp_size, event.warps_per_block
        self.threads_per_block = self.warps_per_block * self.lanes  # counting lanes without a thread
        self.blocks = event.blocks_at_once
        self.warps = self.blocks * self.warps_per_block
        self.threads = self.warps * self.lanes
        self.present = (np.arange(self.threads_per_block, dtype=np.int64) < x * y * z).reshape(-1, self.lanes)

    def batch(self, warps: Warps) -> int:
        """To which batch do these warps belong?"""
        return int(warps[0]) // self.warps

    def threads_of(self, warps: Warps, active: Lanes) -> Numbers:
        """Numbers of the active lanes' threads, (n,), in the order in which the machine serves them."""
        return (warps[:, None] * self.lanes + np.arange(self.lanes, dtype=np.int64))[active]


@dataclass(frozen=True, eq=False)
class Region:
    """Memory that is watched together: overlapping global arrays, or the windows of all blocks or threads.

    `copies` is 1, or how many windows there are. Cells are `granule` bytes wide.
    """

    space: Space
    first: int
    bytes: int
    copies: int
    granule: int

    @property
    def cells_per_copy(self) -> int:
        """The first and the last one may be cut off."""
        return (self.first + self.bytes - 1) // self.granule - self.first // self.granule + 1

    @property
    def cells(self) -> int:
        """In all copies."""
        return self.cells_per_copy * self.copies


class Regions:
    """Finds the cells of each access. `granules` gives the width of a cell by space.

    Grids of one tree have their global memory in common: the regions of `tree`.
    """

    def __init__(
        self, event: GridLaunched, granules: dict[Space, int], tree: list[Region] | None = None
    ) -> None:
        self.geometry = geometry = Geometry(event)
        copies = {Space.SHARED: geometry.blocks, Space.LOCAL: geometry.threads}
        self._all: list[Region] = []
        for array in sorted(event.arrays, key=lambda array: array.first):
            space, first, end = array.space, array.first, array.first + array.bytes
            if space in copies:
                first = 0
            for region in list(self._all):
                if region.space is space and (space in copies or first < region.first + region.bytes):
                    self._all.remove(region)
                    first, end = min(first, region.first), max(end, region.first + region.bytes)
            self._all.append(Region(space, first, end - first, copies.get(space, 1), granules[space]))
        self._of_tree: list[Region] = [] if tree is None else tree
        for region in list(self._all) if tree is not None else ():
            if region.space is Space.GLOBAL:
                self._all.remove(region)
                add(region, self._of_tree)

    def __iter__(self) -> Iterator[Region]:
        return chain(self._all, self._of_tree)

    def of(self, event: MemoryAccess) -> Iterator[tuple[Region, MemoryAccess]]:
        """The region that an access is in. Where lanes use several, each with the event of its lanes."""
        left = event
        while left.active.any():
            address = int(left.addresses.ravel()[left.active.argmax()])
            region = self._holding(event.space, address)
            inside = left.active & within(left.addresses, region.first, region.bytes)
            if (inside == left.active).all():
                yield region, left
                return
            yield region, replace(left, active=inside)
            left = replace(left, active=left.active & ~inside)

    def _holding(self, space: Space, address: int) -> Region:
        for region in self:
            if region.space is space and region.first <= address < region.first + region.bytes:
                return region
        raise LookupError(f"no array of the launch holds {space.value} address {address:#x}")

    def cells(self, event: MemoryAccess, region: Region, threads: Numbers) -> Numbers:
        """The first cell of each active lane's access, (n,)."""
        cells = event.addresses[event.active] // region.granule - region.first // region.granule
        geometry = self.geometry
        if region.space is Space.SHARED:
            cells += threads // geometry.threads_per_block % geometry.blocks * region.cells_per_copy
        elif region.space is Space.LOCAL:
            cells += threads % geometry.threads * region.cells_per_copy
        return cells


def within(addresses: Numbers, first: int, bytes_: int) -> Lanes:
    """Which addresses are among so many bytes?"""
    return (addresses >= first) & (addresses < first + bytes_)


def add(new: Region, regions: list[Region]) -> None:
    """Let these hold another one, too: the parts that they do not yet. No access is in two of them."""
    first, end = new.first // WIDEST * WIDEST, round_up(new.first + new.bytes, WIDEST)
    for region in sorted(regions, key=lambda region: region.first):
        if first < region.first < end:
            regions.append(replace(new, first=first, bytes=region.first - first))
        if region.first < end:
            first = max(first, region.first + region.bytes)
    if first < end:
        regions.append(replace(new, first=first, bytes=end - first))


def widths(instructions: Iterable[Instruction]) -> dict[Space, int]:
    """The narrowest access to each space that these make: no cell need be narrower.

    Addresses are multiples of the width of the access, and widths of each other.
    """
    found = dict.fromkeys(Space, WIDEST)
    for instruction in instructions:
        array = instruction.array
        if array is not None and instruction.opcode.accesses_memory:
            for space in Space if array.space is Space.GENERIC else (array.space,):
                found[space] = math.gcd(found[space], array.element.bytes)
    return found
