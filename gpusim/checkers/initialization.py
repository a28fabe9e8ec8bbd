"""Does a thread read what nobody has written? initcheck.

Shared and local arrays start without contents, and so does `cuda.device_array`. Of every byte the checker
knows whether anybody has written to it; a load or an atomic that reads another byte is a finding.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gpusim.checkers.findings import Findings, Places
from gpusim.checkers.geometry import Numbers, Regions, within
from gpusim.events import Event, GridLaunched, GridObserver, MemoryAccess, Warps
from gpusim.ir.types import Space

Marks = npt.NDArray[np.bool_]
HINTS = {
    Space.SHARED: "shared memory starts without contents: store a value there, then cuda.syncthreads()",
    Space.LOCAL: "local memory starts without contents: store a value there first",
    Space.GLOBAL: "cuda.device_array has no contents: copy to it, or write to it in a kernel, first",
}


class Initialization(GridObserver):
    """Initcheck, for one grid."""

    wants = frozenset({MemoryAccess})
    notes_writes = True

    def __init__(self, findings: Findings, launched: GridLaunched) -> None:
        self._findings, self._launch, self._places, self._batch = findings, launched, Places(launched), 0
        self._regions = Regions(launched, dict.fromkeys(Space, 1))
        self._windows = {
            region: np.zeros(region.cells, bool)
            for region in self._regions
            if region.space in (Space.SHARED, Space.LOCAL)
        }
        shares = launched.function.asks_runtime  # what it writes is there for the grids that it launches
        self._device_arrays = [
            (a, a.written, a.written if shares else a.written.copy())
            for a in launched.arrays
            if a.written is not None
        ]

    def observe(self, event: Event) -> None:
        """Mark what is written; look whether what is read is marked."""
        if not isinstance(event, MemoryAccess):
            return
        self._enter(event.warps)
        geometry = self._regions.geometry
        if event.space in (Space.SHARED, Space.LOCAL):
            for region, access in self._regions.of(event):
                threads = geometry.threads_of(access.warps, access.active)
                self._look(
                    access, threads, self._windows[region], self._regions.cells(access, region, threads)
                )
            return
        active = event.active
        for array, _marks, written in self._device_arrays:
            inside = active & within(event.addresses, array.first, array.bytes)
            if inside.any():
                access = replace(event, active=inside)
                threads = geometry.threads_of(event.warps, inside)
                self._look(access, threads, written, event.addresses[inside] - array.first)
                active = active & ~inside
                if not active.any():
                    return

    def ended(self, _error: BaseException | None) -> None:
        """What the grid has written to counts as written for the grids that follow."""
        for _array, marks, written in self._device_arrays:
            marks |= written

    def _look(self, event: MemoryAccess, threads: Numbers, written: Marks, first: Numbers) -> None:
        """Is what is read written? What is written is, from now on. `first`: of the lanes' bytes, (n,)."""
        if event.kind != "store":
            known = written[first]
            for byte in range(1, event.width):
                known &= written[first + byte]
            if not known.all():
                self._report(event, threads, ~known)
        if event.kind != "load":
            for byte in range(event.width):
                written[first + byte] = True

    def _enter(self, warps: Warps) -> None:
        batch = self._regions.geometry.batch(warps)
        if batch != self._batch:
            self._batch = batch
            for written in self._windows.values():
                written[:] = False

    def _report(self, event: MemoryAccess, threads: Numbers, unknown: Marks) -> None:
        instruction, kernel = event.instruction, self._launch.function
        name = instruction.array.memory.name if instruction.array is not None else ""
        span, count = instruction.span, int(unknown.sum())
        key = "initcheck", kernel, event.space, name, span.source.filename, span.line
        if self._findings.count(key, count):
            return
        position = int(unknown.argmax())
        access = self._places.access(event.kind, int(threads[position]), span)
        address = int(event.addresses[event.active][position])
        place = self._places.element(event.space, address, name)
        message = (
            f"thread {access.thread} of block {access.block} reads {place}, and nobody has written to it"
        )
        self._findings.add(
            key,
            kernel,
            "initcheck",
            "uninitialized read",
            message,
            HINTS[event.space],
            (access,),
            count,
            place,
            address,
        )
