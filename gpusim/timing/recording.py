"""What did the warps of one multiprocessor do? Which basic blocks they executed, and what accesses touched.

Of a grid only those thread blocks are recorded that its first multiprocessor would run, and no more of them
than tell how long the others take; of all blocks it is counted how many instructions they issued.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver, MemoryAccess
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.types import Space
from gpusim.measurements.banks import wavefronts
from gpusim.measurements.constants import passes
from gpusim.measurements.requests import kind_of
from gpusim.measurements.sectored_cache import WHOLE
from gpusim.measurements.touched_sectors import interleaved, touched

Numbers = npt.NDArray[np.int64]
WAVES = 4  # of resident blocks that are recorded
MOST_ISSUES = 150_000  # basic blocks of warps
CONDENSED = 4096  # accesses of warps that are kept with all their addresses before they become requests
SAMPLED = 512  # warps whose atomics are looked at of those that perform some together
LINE_SECTORS = 4
FLOPS = {Opcode.ADD: 1, Opcode.SUB: 1, Opcode.MUL: 1, Opcode.DIV: 1, Opcode.FMA: 2}
REGION_BYTES = 512  # of memory whose atomics one slice of L2 performs


class Request(NamedTuple):
    """What one warp's access moves. `pieces`: (line, a bit for each of its sectors).

    `passes`: how often it goes through shared memory or the constant cache; of an atomic, the most lanes that
    meet on one word. `partial`: sectors of a store that are not written whole.
    """

    passes: int
    pieces: tuple[tuple[int, int], ...] = ()
    sectors: int = 0
    partial: int = 0


NOTHING = Request(1)
Steps = tuple[list[int], list[tuple[Request, ...]]]  # basic blocks, and what their accesses moved


@dataclass(frozen=True, slots=True)
class _Access:
    """The recorded rows of a `MemoryAccess`: addresses and active are (n, L)."""

    instruction: Instruction
    space: Space
    kind: str
    width: int
    warps: Numbers
    addresses: Numbers
    active: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Issue:
    """A basic block and the warps that executed it; what they touched."""

    block: int
    warps: Numbers
    accesses: list[_Access] = field(default_factory=list)
    requests: list[tuple[Instruction, Numbers, list[Request]]] = field(default_factory=list)


class Recorder(GridObserver):
    """Records the blocks of one multiprocessor. `resident`: how many of them are there at once.

    `recorded`: how many instructions the recording has. `flops`: additions and products of floats by all
    threads. `complete` says whether it has the recorded blocks to their end.
    """

    wants = frozenset({BlockIssued, MemoryAccess})

    def __init__(self, launched: GridLaunched, resident: int) -> None:
        self.launched, self.resident = launched, max(resident, 1)
        self.complete, self.recorded, self.flops = True, 0, 0
        blocks, per_block = math.prod(launched.grid), launched.warps_per_block
        recorded = np.zeros((blocks, per_block), bool)
        recorded[
            : launched.device.multiprocessors * WAVES * self.resident : launched.device.multiprocessors
        ] = True
        self._keep = recorded.reshape(-1)
        self._work = np.zeros(blocks * per_block, np.int64)
        self._cost = [len(block.instructions) + 1 for block in launched.blocks]
        self._flops = [sum(map(_flops, block.instructions)) for block in launched.blocks]
        self._issues: list[_Issue] = []
        self._issued = self._pending = self._condensed = 0
        self._of: Numbers | None = None  # the warps of the last event,
        self._where: Numbers | slice = slice(0)  # the same,
        self._rows: Numbers | None = None  # and which of them are recorded
        self._atomics: Counter[int] = Counter()  # lanes by region of memory, about
        self._own_atomics: Counter[int] = Counter()  # and those of the recorded blocks

    @property
    def work(self) -> Numbers:
        """How many instructions did each thread block issue? (blocks,)"""
        work: Numbers = self._work.reshape(-1, self.launched.warps_per_block).sum(axis=1)
        return work

    def observe(self, event: Event) -> None:
        """Note what concerns the recorded blocks."""
        if isinstance(event, BlockIssued):
            self._look_at(event.warps)
            cost, rows = self._cost[event.block], self._rows
            self._work[self._where] += cost
            self.flops += self._flops[event.block] * event.active_lanes
            if rows is not None:
                self._issued += len(rows)
                self.recorded += len(rows) * cost
                self._issues.append(_Issue(event.block, event.warps[rows]))
                if self._issued > MOST_ISSUES:
                    self.complete, self._of = False, None
                    self._keep[:] = False
        elif isinstance(event, MemoryAccess):
            self._look_at(event.warps)
            if event.kind == "atomic" and event.space is Space.GLOBAL:
                self._count_atomics(event)
            if self._rows is not None:
                self._note(event, self._rows)

    def _look_at(self, warps: Numbers) -> None:
        """Which warps are these? Mostly the same as those of the event before."""
        if warps is not self._of:
            first, last = int(warps[0]), int(warps[-1])
            self._of = warps
            self._where = slice(first, last + 1) if last - first + 1 == len(warps) else warps
            rows = np.flatnonzero(self._keep[self._where])
            self._rows = rows if len(rows) else None

    def _note(self, event: MemoryAccess, rows: Numbers) -> None:
        access = _Access(
            event.instruction,
            event.space,
            kind_of(event),
            event.width,
            event.warps[rows],
            event.addresses[rows],
            event.active[rows],
        )
        self._issues[-1].accesses.append(access)
        self._pending += len(rows)
        if self._pending > CONDENSED:
            self._condense()

    def _count_atomics(self, event: MemoryAccess) -> None:
        """How many lanes went to each region of memory? Of many warps a sample tells."""
        every = max(len(event.warps) // SAMPLED, 1)
        for rows, counts, times in (
            (slice(None, None, every), self._atomics, every),
            (self._rows, self._own_atomics, 1),
        ):
            if rows is not None:
                lanes = event.addresses[rows][event.active[rows]]
                regions, found = np.unique(lanes // REGION_BYTES, return_counts=True)
                for region, count in zip(regions.tolist(), found.tolist(), strict=True):
                    counts[region] += count * times

    def crowds(self, multiprocessors: int) -> dict[int, float]:
        """How many multiprocessors perform atomics on a region of memory at once? From 1 to all of them."""
        share = multiprocessors * self.recorded / max(int(self._work.sum()), 1)
        return {
            region: max(self._atomics[region] * share / max(count, 1), 1.0)
            for region, count in self._own_atomics.items()
        }

    def steps(self, memory: list[list[Instruction]]) -> dict[int, Steps]:
        """What did each recorded warp execute, in order? `memory[b]`: what of block b goes to memory."""
        self._condense()
        found: dict[int, Steps] = {}
        for issue in self._issues:
            columns: list[list[Request]] = []
            given = {instruction: (warps, requests) for instruction, warps, requests in issue.requests}
            for instruction in memory[issue.block]:
                warps, requests = given.get(instruction, (issue.warps[:0], []))
                if len(warps) != len(issue.warps):
                    known = dict(zip(warps.tolist(), requests, strict=True))
                    requests = [known.get(warp, NOTHING) for warp in issue.warps.tolist()]
                columns.append(requests)
            rows = zip(*columns, strict=True) if columns else repeat((), len(issue.warps))
            for warp, row in zip(issue.warps.tolist(), rows, strict=True):
                path, moved = found.setdefault(warp, ([], []))
                path.append(issue.block)
                moved.append(row)
        return found

    # addresses become requests ------------------------------------------------------------------------------

    def _condense(self) -> None:
        """Turn addresses into requests, which take less room."""
        for issue in self._issues[self._condensed :]:
            for access in issue.accesses:
                issue.requests.append((access.instruction, access.warps, self._requests(access)))
            issue.accesses.clear()
        self._condensed, self._pending = max(len(self._issues) - 1, 0), 0

    def _requests(self, access: _Access) -> list[Request]:
        device = self.launched.device
        addresses, active, width = access.addresses, access.active, access.width
        if access.space is Space.SHARED:
            counts = wavefronts(addresses, active, width, device, kind=access.kind)
            return [Request(max(int(count), 1)) for count in counts]
        if access.space is Space.CONSTANT:
            return [Request(int(count)) for count in passes(addresses, active, width, device)]
        if access.space is Space.LOCAL:
            slots = access.warps + (1 << 30)  # where no array of the grid lies
            addresses, active, width = interleaved(
                addresses, active, width, slots, self.launched.function.local_bytes
            )
        meeting = [1] * len(addresses)
        if access.kind not in ("load", "store"):
            meeting = [_most_alike(row[on]) for row, on in zip(addresses, active, strict=True)]
        rows, sectors, some_bytes = touched(addresses, active, width)
        partial = np.bincount(rows[some_bytes != WHOLE], minlength=len(addresses)).tolist()
        counts = np.bincount(rows, minlength=len(addresses)).tolist()
        lines, bits = sectors // LINE_SECTORS, 1 << (sectors % LINE_SECTORS)
        fresh = np.ones(len(rows), bool)
        fresh[1:] = (rows[1:] != rows[:-1]) | (lines[1:] != lines[:-1])
        starts = np.flatnonzero(fresh)
        masks = np.add.reduceat(bits, starts).tolist() if len(starts) else []
        pieces: list[list[tuple[int, int]]] = [[] for _ in addresses]
        for row, line, mask in zip(rows[starts].tolist(), lines[starts].tolist(), masks, strict=True):
            pieces[row].append((line, mask))
        return [
            Request(alike, tuple(parts), count, some)
            for alike, parts, count, some in zip(meeting, pieces, counts, partial, strict=True)
        ]


def _most_alike(addresses: Numbers) -> int:
    return int(np.unique(addresses, return_counts=True)[1].max(initial=1))


def _flops(instruction: Instruction) -> int:
    if not instruction.type.is_float:
        return 0
    return {Opcode.ADD: 1, Opcode.SUB: 1, Opcode.MUL: 1, Opcode.DIV: 1, Opcode.FMA: 2}.get(
        instruction.opcode, 0
    )
