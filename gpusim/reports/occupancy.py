"""How full is a multiprocessor, and what must a block do without, for one block more to fit?"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar

from gpusim.devices.device import Granularity
from gpusim.devices.occupancy import Resource
from gpusim.reports.report import Drawn, Figures, Report

WIDTH = 76  # of the text, as a page of the book holds it


@dataclass(frozen=True, slots=True)
class ResourceLimit(Report):
    """What one resource lets in, and what must go before it lets one block more in.

    `blocks`: those that it alone lets in; None where a block takes nothing of it. `taken` of `capacity`: by
    the blocks that are resident, `per_block` each; registers, bytes with what the driver reserves, warps, or
    places for blocks.
    `asked`: registers per thread, bytes per block, warps per block. For one block more it may be `at_most` so
    much, and `must_go` is the difference; both are None where the resource has room for one more, or where
    nothing helps: no block is less than one block.
    """

    resource: Resource
    blocks: int | None
    asked: int
    per_block: int
    taken: int
    capacity: int
    at_most: int | None
    must_go: int | None


@dataclass(frozen=True, slots=True, repr=False)
class OccupancyReport(Report):
    """Blocks and warps that fit on one multiprocessor, and what limits them.

    `limited_by` is the resource that lets in the fewest blocks; of equals, one that no other kernel would
    have more of comes first. `limits` has all four, `limiting` the names of all that let no more in.
    `smaller_block`: the largest block, smaller than this one, of which more are resident with the same
    registers and shared bytes, or None. `best_block`: the size with the most resident threads, 0 for none.
    `needs`: what one block more needs, in words, empty where nothing helps; `says`: what limits, and that.
    """

    device: str
    threads: int
    registers_per_thread: int
    shared_bytes: int
    blocks: int
    warps: int
    max_warps: int
    theoretical_occupancy: float
    limited_by: Resource
    limiting: tuple[Resource, ...]
    limits: tuple[ResourceLimit, ...]
    smaller_block: int | None
    best_block: int
    best_occupancy: float
    needs: str
    says: str

    def __getitem__(self, resource: str) -> ResourceLimit:
        found: ResourceLimit = Figures((limit.resource, limit) for limit in self.limits)[resource]
        return found

    def __str__(self) -> str:
        rows = [
            f"{self.device}: {self.threads} threads per block, {self.registers_per_thread} registers per "
            f"thread, {self.shared_bytes:,} shared bytes",
            f"{'':15}  lets in  {'a block':>7}  {'taken':>7}  {'of':>7}  one more: at most",
        ]
        for limit in self.limits:
            mark, blocks = ">" if limit.resource in self.limiting else " ", limit.blocks
            figures = (limit.per_block, limit.taken, limit.capacity)
            row = f"{mark} {limit.resource:13}  {'all' if blocks is None else blocks:>7}"
            row += "".join(f"  {figure:>7,}" for figure in figures)
            more = "" if limit.at_most is None else f"  {limit.at_most:,} ({limit.must_go:,} fewer)"
            rows.append(row + more)
        return "\n".join([*rows, *wrap(self.says, WIDTH)])

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class DeviceLimits(Report):
    """The figures of a device by which the explorer carries out the rule; named as in `Device`."""

    warp_size: int
    max_threads_per_block: int
    max_warps_per_multiprocessor: int
    max_blocks_per_multiprocessor: int
    registers_per_multiprocessor: int
    registers_per_block: int
    max_registers_per_thread: int
    register_allocation_unit: int
    register_allocation_granularity: Granularity
    warp_allocation_granularity: int
    shared_bytes_per_multiprocessor: int
    shared_bytes_per_block_optin: int
    shared_bytes_reserved_per_block: int
    shared_allocation_unit_bytes: int


@dataclass(frozen=True, slots=True)
class Recorded(Report):
    """What a real GPU's driver answered: `blocks` has a digit to the base 36 for each of `registers`, in it
    for each of `shared`, and in that for each of `threads`.
    """

    registers: tuple[int, ...]
    shared: tuple[int, ...]
    threads: tuple[int, ...]
    blocks: str


@dataclass(frozen=True, slots=True)
class OccupancyVariant(Report):
    """A device, and what it says to the request that is shown first."""

    label: str
    limits: DeviceLimits
    says: str
    recorded: Recorded | None = None


@dataclass(frozen=True, slots=True, repr=False)
class OccupancyExploration(Drawn):
    """Devices to choose among, and the request that is shown first."""

    view: ClassVar[str] = "occupancy_explorer"
    variants: tuple[OccupancyVariant, ...]
    threads: int
    registers_per_thread: int
    shared_bytes: int
