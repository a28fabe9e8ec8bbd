"""Does a thread use shared memory before an asynchronous copy has brought it? racecheck's second part.

`memcpy_async` returns before the data is there, and nothing orders it with a later copy to that place (PTX
ISA, cp.async). The simulator delivers at once, so no number shows the fault; this checker knows of every byte
of shared memory whose copy it is and whether that thread has waited for it.
A thread that arrives at a `cuda::barrier` or commits to a pipeline of its block is taken to have waited:
others who use the data without waiting there race with the copy, which `races` finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.checkers.findings import Findings, Places
from gpusim.checkers.geometry import Numbers, Region, Regions
from gpusim.events import CopiesAwaited, Event, GridLaunched, GridObserver, MemoryAccess, Warps
from gpusim.ir.details import CacheOperator
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import Space
from gpusim.reports.findings import Access

NOBODY = NEVER = -1
HINT = "wait first: cuda.cg.wait(group)"
EARLY = "wait once it is committed: the last wait of the thread that copies came before that"
SHORT = "the last wait of the thread that copies left its {} newest batches on their way: leave fewer"


class Deliveries(GridObserver):
    """Follows one grid. Of each byte of shared memory: which thread copies it, and in which of its groups.

    `closed` and `delivered`, (threads of the batch,): how many groups of copies a thread has closed, and how
    many of them it has waited for; `when` and `left`: how many it had closed when it last waited (-1: never),
    and how many of these that wait left.
    """

    wants = frozenset({MemoryAccess, CopiesAwaited})

    def __init__(self, findings: Findings, launched: GridLaunched) -> None:
        self._findings, self._launch, self._places, self._batch = findings, launched, Places(launched), 0
        copies = any(
            one.opcode is Opcode.STORE and one.detail is CacheOperator.ASYNC
            for block in launched.blocks
            for one in block.instructions
        )
        self._regions = Regions(launched, dict.fromkeys(Space, 1)) if copies else None
        if self._regions is None:
            self.wants = frozenset()
            return
        cells = {one: one.cells for one in self._regions if one.space is Space.SHARED}
        self._copier = {region: np.full(count, NOBODY, np.int64) for region, count in cells.items()}
        self._group = {region: np.zeros(count, np.int64) for region, count in cells.items()}
        self._closed = np.zeros(self._regions.geometry.threads, np.int64)
        self._delivered, self._when, self._left = np.zeros((3, len(self._closed)), np.int64)
        self._when[:] = NEVER
        self._from: dict[int, Any] = {}  # thread -> its last copy

    def observe(self, event: Event) -> None:
        """Note copies and waits; look whose copy another access meets."""
        assert self._regions is not None
        match event:
            case CopiesAwaited(warps=warps, active=active, left=left):
                self._enter(warps)
                threads = self._regions.geometry.threads_of(warps, active) % len(self._closed)
                if left is None:
                    self._closed[threads] += 1
                else:
                    done = self._closed[threads] - left[active]
                    self._delivered[threads] = np.maximum(self._delivered[threads], done)
                    self._when[threads], self._left[threads] = self._closed[threads], left[active]
            case MemoryAccess(space=Space.SHARED, instruction=instruction):
                self._enter(event.warps)
                for region, access in self._regions.of(event):
                    threads = self._regions.geometry.threads_of(access.warps, access.active)
                    first = self._regions.cells(access, region, threads)
                    self._look(region, threads, first, access)
                    if instruction.detail is CacheOperator.ASYNC:
                        self._copy(region, threads, first, event)

    def _copy(self, region: Region, threads: Numbers, first: Numbers, event: MemoryAccess) -> None:
        for byte in range(event.width):
            self._copier[region][first + byte] = threads
            self._group[region][first + byte] = self._closed[threads % len(self._closed)]
        self._from.update(dict.fromkeys(threads.tolist(), event.instruction.span))

    def _look(self, region: Region, threads: Numbers, first: Numbers, event: MemoryAccess) -> None:
        copier, late = self._copier[region], np.zeros(len(threads), bool)
        groups = self._group[region]
        for byte in range(event.width):
            whose = copier[first + byte]
            waited = self._delivered[whose % len(self._closed)]
            late |= (whose != NOBODY) & (groups[first + byte] >= waited)
        whose, group = copier[first].copy(), groups[first]
        if event.kind != "load":
            for byte in range(event.width):
                copier[first + byte] = NOBODY
        if late.any():
            self._report(event, threads, late, whose, group)

    def _enter(self, warps: Warps) -> None:
        assert self._regions is not None
        batch = self._regions.geometry.batch(warps)
        if batch != self._batch:
            self._batch = batch
            for copier in self._copier.values():
                copier[:] = NOBODY
            self._closed[:] = self._delivered[:] = self._left[:] = 0
            self._when[:] = NEVER

    def _hint(self, copier: int, group: int) -> str:
        """What should have come before? It depends on when the thread that copies last waited."""
        when, left = (int(of[copier % len(self._closed)]) for of in (self._when, self._left))
        return HINT if when == NEVER else EARLY if when <= group else SHORT.format(left)

    def _report(
        self, event: MemoryAccess, threads: Numbers, late: Any, copiers: Numbers, groups: Numbers
    ) -> None:
        instruction, kernel = event.instruction, self._launch.function
        name = instruction.array.memory.name if instruction.array is not None else ""
        span, count, position = instruction.span, int(late.sum()), int(late.argmax())
        key = "racecheck", kernel, "not delivered", name, span.source.filename, span.line
        if self._findings.count(key, count):
            return
        access = self._places.access(event.kind, int(threads[position]), span)
        address = int(event.addresses[event.active][position])
        place = self._places.element(event.space, address, name)
        accesses: tuple[Access, ...] = (access,)
        whose = int(copiers[position])
        if whose in self._from:
            copy = self._places.access("copy", whose, self._from[whose])
            accesses = (access, copy)
        message = (
            f"thread {access.thread} of block {access.block} uses {place} while an asynchronous copy to it "
            "is on its way"
        )
        hint = self._hint(whose, int(groups[position]))
        self._findings.add(
            key, kernel, "racecheck", "not delivered", message, hint, accesses, count, place, address
        )
