"""Where does a load find its data: in L1, in L2, or in DRAM? A warp that reads the three fields of 12-byte
structs asks for each sector three times: one is fetched, and two are found in L1.

W warps, L lanes; active: bool (W, L); addresses: int64 (W, L), bytes. N sectors that they touch, in order.

The model: every multiprocessor has an L1 of the size that the carve-out leaves, and all share one L2. Thread
blocks go to the multiprocessors in turn; the warps of an instruction ask in the order of their numbers, and
what one fetches the next finds. What is kept, and who drops what, follows records of an H200 (caches.json and
vec3_struct.json in tests/hardware): a store writes through L1, where its bytes take a place without fetching
the rest; a load past L1, an atomic, or a fence for the whole device drops what L1 has; L2 writes back, and
reads the rest of a sector that was written in part only when it leaves.

L1 is empty when a grid starts (PTX ISA, "Cache Operators": it is invalidated between dependent grids); L2
lasts as long as the profile, the outermost one where they nest. An array of the host is copied to new memory
for each launch, which nothing has cached: keep it on the device (`cuda.to_device`) to see L2 hits from launch
to launch. Nsight Compute empties all caches before each kernel, unless it is told `--cache-control none`.

Assumed, for nobody publishes it: that the oldest line leaves, and how many share a set. With 6 in L1 what is
read again hits as often as on an H200, within 2 % in the mean of 108 sizes and carve-outs (carveout.json,
`rereads`); with 4 in L2 it starts to miss at the size at which it does there (timing.json, `chase`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.devices import Device
from gpusim.events import (
    BarrierPassed,
    Event,
    FenceExecuted,
    GridLaunched,
    GridObserver,
    MemoryAccess,
    TexelsAccessed,
)
from gpusim.ir.details import CacheOperator, Detail, Scope
from gpusim.ir.instructions import Kind
from gpusim.ir.types import Space
from gpusim.measurements.coalescing import transactions
from gpusim.measurements.constants import broadcasts
from gpusim.measurements.ledger import Ledger
from gpusim.measurements.sectored_cache import Bytes, SectoredCache, Sectors
from gpusim.measurements.touched_sectors import interleaved, touched
from gpusim.source import Span

L1_WAYS, L2_WAYS = 6, 4
CONSTANT_WAYS, CONSTANT_LINE_BYTES = 4, 64  # measured, with plain sets: tests/hardware/caches.json
APART = 1 << 40  # between the addresses that a host array has in one launch and in the next


class LoadPath(NamedTuple):
    """`first`: the multiprocessor's cache that is asked, if it has it: an entry of the device's `l1_caches`,
    "any" (L1, whatever else it takes in), "texture", or "" for none. `keeps`: what is missed is kept there.
    """

    first: str
    evict_first: bool = False
    keeps: bool = True


# PTX ISA, "Cache Operators", as an H200 follows them
LOADS: dict[Detail | None, LoadPath] = {
    None: LoadPath("loads"),
    CacheOperator.CA: LoadPath("any"),
    CacheOperator.CG: LoadPath(""),
    CacheOperator.CS: LoadPath("loads", evict_first=True),
    CacheOperator.LU: LoadPath("loads", keeps=False),
    CacheOperator.CV: LoadPath(""),  # L2 is asked: only memory of the host is fetched again from where it is
    CacheOperator.NC: LoadPath("texture"),
}
EVICTED_FIRST = (
    CacheOperator.CS,
)  # among stores; those with cg, wb, wt and none of them leave the same in an H200
FIRST_LEVEL = {
    (Space.GLOBAL, "load"): "l1_load_sector_hits",
    (Space.GLOBAL, "store"): "l1_store_sector_hits",
    (Space.LOCAL, "load"): "l1_local_load_sector_hits",
    (Space.LOCAL, "store"): "l1_local_store_sector_hits",
}


def of_device(device: Device, kept: dict[Device, object]) -> DeviceCaches:
    """The caches of a device among those that are kept; made when first asked for."""
    found = kept.get(device)
    if not isinstance(found, DeviceCaches):
        found = kept[device] = DeviceCaches(device)
    return found


class DeviceCaches:
    """What lasts from launch to launch: a device's L2, and how many grids have been followed so far.

    Without an L2, on compute capability 1.x, global memory has no cache at all.
    """

    def __init__(self, device: Device) -> None:
        self.launches = 0
        self.l2: SectoredCache | None = None
        self._following: dict[GridLaunched, Caches] = {}
        if device.l2_bytes:
            fetch = device.l2_fetch_bytes
            self.l2 = SectoredCache(
                device.l2_bytes, L2_WAYS, fetch_bytes=fetch, writes_back=True, scattered=True
            )

    def follow(self, launched: GridLaunched, ledger: Ledger) -> list[GridObserver]:
        """Who counts into this ledger what a grid finds? Nobody more where it is followed already.

        However many profiles look on, the grid's accesses pass the caches once.
        """
        if launched in self._following:
            self._following[launched].ledgers.append(ledger)
            return []
        self.launches += 1
        self._following[launched] = Caches(self, launched, ledger)
        return [self._following[launched]]

    def leave(self, launched: GridLaunched) -> None:
        """A grid is over."""
        del self._following[launched]


class Hierarchy:
    """The caches as one grid finds them: L2 as the grids before left it; what a multiprocessor has is new."""

    def __init__(self, launched: GridLaunched, shared: DeviceCaches) -> None:
        device, l1_bytes = launched.device, launched.carveout.l1_bytes
        copies = device.multiprocessors
        self.host_arrays_from = launched.host_arrays_from
        self.device, self.l2, self.launch = device, shared.l2, shared.launches
        self.l1 = self.texture = None
        if l1_bytes:
            fetch = device.l1_fetch_bytes
            self.l1 = SectoredCache(l1_bytes, L1_WAYS, copies=copies, fetch_bytes=fetch, scattered=True)
            self.texture = self.l1
        if device.texture_cache_bytes and device.l2_bytes:
            size = device.texture_cache_bytes
            self.texture = SectoredCache(size, L1_WAYS, copies=copies, scattered=True)
        self.constants = SectoredCache(
            device.constant_cache_bytes,
            CONSTANT_WAYS,
            copies=copies,
            line_bytes=CONSTANT_LINE_BYTES,
            sector_bytes=CONSTANT_LINE_BYTES,
            fetch_bytes=CONSTANT_LINE_BYTES,
        )

    def first_level(self, name: str) -> SectoredCache | None:
        """The cache of the multiprocessor that serves an access of this kind, if there is one."""
        if name == "texture":
            return self.texture
        return self.l1 if name == "any" or name in self.device.l1_caches else None

    def forget(self, sectors: Sectors, multiprocessors: Any) -> None:
        """An access passes these multiprocessors' L1 by: what they have of it is out of date."""
        if self.l1 is not None:
            self.l1.drop(sectors, multiprocessors)

    def fence(self, multiprocessors: npt.NDArray[np.int64]) -> None:
        """From 7.0 on, where L1 takes in stores, a fence for the whole device empties it."""
        if self.l1 is not None and "stores" in self.device.l1_caches:
            self.l1.clear(multiprocessors)


class _Request(NamedTuple):
    """One memory instruction: N sectors, their bytes, and the multiprocessor that each goes through."""

    span: Span
    sectors: Sectors
    bytes: Bytes
    multiprocessors: npt.NDArray[np.int64]


class Caches(GridObserver):
    """Counts into ledgers what the memory accesses of one grid find, and in which cache."""

    wants = frozenset({MemoryAccess, TexelsAccessed, FenceExecuted, BarrierPassed})

    def __init__(self, shared: DeviceCaches, launched: GridLaunched, ledger: Ledger) -> None:
        self.ledgers = [ledger]
        self._shared, self._launched = shared, launched
        self._hierarchy = Hierarchy(launched, shared)
        self._warps_at_once = launched.blocks_at_once * launched.warps_per_block

    def ended(self, error: BaseException | None) -> None:
        """What the grid leaves in L2, the next one finds."""
        self._shared.leave(self._launched)

    def observe(self, event: Event) -> None:
        """Count a memory instruction of some warps; empty their L1 at a fence, or a barrier that has one."""
        match event:
            case MemoryAccess(space=Space.CONSTANT):
                self._constant(event)
            case MemoryAccess(space=Space.GLOBAL | Space.LOCAL):
                if event.instruction.opcode.kind is not Kind.TEXTURE:
                    self._global_or_local(event)
            case TexelsAccessed():
                self._by_object(event)
            case FenceExecuted(scope=Scope.GPU | Scope.SYS) | BarrierPassed(whole_grid=True):
                self._hierarchy.fence(np.unique(self._multiprocessors(event.warps)))

    def _global_or_local(self, event: MemoryAccess) -> None:
        is_global, l2 = event.space is Space.GLOBAL, self._hierarchy.l2
        if l2 is None:
            self._uncached(event)
        elif event.kind == "load":
            path = LOADS[event.instruction.detail] if is_global else LoadPath("local")
            self._load(self._request(event), path, l2, FIRST_LEVEL[event.space, "load"])
        elif event.kind == "store":
            evict_first = event.instruction.detail in EVICTED_FIRST
            level = "stores" if is_global else "local"
            self._store(self._request(event), evict_first, l2, level, FIRST_LEVEL[event.space, "store"])
        else:
            self._atomic(self._request(event), l2)

    def _by_object(self, event: TexelsAccessed) -> None:
        request, l2 = self._request(event), self._hierarchy.l2
        assert l2 is not None  # as on every device with objects
        if event.kind == "load":
            self._load(request, LoadPath("texture"), l2, "texture_sector_hits")
        else:
            self._store(request, False, l2, "texture", "texture_sector_hits")

    def _request(self, event: MemoryAccess | TexelsAccessed) -> _Request:
        addresses, active, width = event.addresses, event.active, event.width
        if event.space is Space.LOCAL:
            slots = event.warps % self._warps_at_once
            addresses, active, width = interleaved(
                addresses, active, width, slots, self._launched.function.local_bytes
            )
        elif addresses.max() >= self._hierarchy.host_arrays_from:
            host = addresses >= self._hierarchy.host_arrays_from
            addresses = np.where(host, addresses + APART * self._hierarchy.launch, addresses)
        rows, sectors, some_bytes = touched(addresses, active, width)
        return _Request(event.instruction.span, sectors, some_bytes, self._multiprocessors(event.warps)[rows])

    def _multiprocessors(self, warps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return warps // self._launched.warps_per_block % self._hierarchy.device.multiprocessors

    # level by level -----------------------------------------------------------------------------------------

    def _load(self, request: _Request, path: LoadPath, l2: SectoredCache, hits_counter: str) -> None:
        span, sectors, wanted, multiprocessors = request
        first = self._hierarchy.first_level(path.first)
        if not path.first:
            self._hierarchy.forget(sectors, multiprocessors)
        if first is not None:
            if path.keeps:
                hits, sectors = first.load(sectors, wanted, multiprocessors, evict_first=path.evict_first)
            else:
                hits = first.look(sectors, wanted, multiprocessors)
                sectors = sectors[~hits]
            self._count(span, hits_counter, int(hits.sum()))
        found = l2.load(sectors, evict_first=path.evict_first)
        self._count(span, "l2_load_sectors", len(sectors))
        self._count(span, "l2_load_sector_hits", int(found.hits.sum()))
        self._count(span, "dram_load_sectors", len(found.fetched))
        self._count_evicted(span, l2)

    def _store(
        self, request: _Request, evict_first: bool, l2: SectoredCache, level: str, hits_counter: str
    ) -> None:
        span, sectors, written, multiprocessors = request
        first = self._hierarchy.first_level(level)
        if first is None:
            self._hierarchy.forget(sectors, multiprocessors)
        else:
            hits = first.store(sectors, written, multiprocessors, evict_first=evict_first)
            self._count(span, hits_counter, int(hits.sum()))
        l2.store(sectors, written, evict_first=evict_first)
        self._count(span, "l2_store_sectors", len(sectors))
        self._count_evicted(span, l2)

    def _atomic(self, request: _Request, l2: SectoredCache) -> None:
        """Atomics are performed in L2, on whole sectors."""
        span, sectors, written, multiprocessors = request
        self._hierarchy.forget(sectors, multiprocessors)
        found = l2.load(sectors)
        l2.store(sectors, written)
        self._count(span, "l2_atomic_sectors", len(sectors))
        self._count(span, "l2_atomic_sector_hits", int(found.hits.sum()))
        self._count(span, "dram_load_sectors", len(found.fetched))
        self._count_evicted(span, l2)

    def _uncached(self, event: MemoryAccess) -> None:
        """On compute capability 1.x all that coalescing leaves goes to DRAM."""
        if event.space is Space.LOCAL:
            moved = len(self._request(event).sectors)
        else:
            device = self._hierarchy.device
            counted = transactions(event.addresses, event.active, event.width, device, event.kind)
            moved = int(counted.sectors.sum())
        if event.kind != "store":
            self._count(event.instruction.span, "dram_load_sectors", moved)
        if event.kind != "load":
            self._count(event.instruction.span, "dram_store_sectors", moved)

    def _constant(self, event: MemoryAccess) -> None:
        device = self._hierarchy.device
        rows, addresses = broadcasts(event.addresses, event.active, device)
        multiprocessors = self._multiprocessors(event.warps)[rows]
        found = self._hierarchy.constants.load(addresses // CONSTANT_LINE_BYTES, copies=multiprocessors)
        self._count(event.instruction.span, "constant_load_pass_hits", int(found.hits.sum()))

    def _count_evicted(self, span: Span, l2: SectoredCache) -> None:
        """What this access drove out of L2 was written to DRAM, its missing bytes read before."""
        self._count(span, "dram_load_sectors", l2.completed)
        self._count(span, "dram_store_sectors", l2.written_back)
        l2.completed = l2.written_back = 0

    def _count(self, span: Span, counter: str, amount: int) -> None:
        if amount:
            for ledger in self.ledgers:
                ledger.add(span, counter, amount)
