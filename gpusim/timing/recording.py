"""What did the blocks of one multiprocessor do? Which basic blocks each warp executed, and what its accesses touched.

Of a grid only those thread blocks are recorded that its first multiprocessor would run, and no more of them
than tell how long the others take; of all blocks it is counted how many instructions they issued.

n warps of an event that are recorded; R requests; P pieces: parts of a request that lie in one line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
LINE_SECTORS = 4
REGION_BYTES = 4096  # of memory whose atomics one slice of L2 performs


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

    `work`: (thread blocks,), the instructions that each issued; `recorded`: how many of them the recording has.
    `flops`: additions and products of floats by all threads. `complete` says whether it has the recorded blocks to their end.
    """

    wants = frozenset({BlockIssued, MemoryAccess})

    def __init__(self, launched: GridLaunched, resident: int) -> None:
        self.launched, self.resident = launched, max(resident, 1)
        blocks = math.prod(launched.grid)
        self.work = np.zeros(blocks)
        self.complete, self.recorded = True, 0
        self._every = launched.device.multiprocessors
        self._until = self._every * WAVES * self.resident  # blocks from here on are not recorded
        self._per_block = launched.warps_per_block
        self._flops = [sum(map(_flops, block.instructions)) for block in launched.blocks]
        self.flops = 0
        self._cost = [len(block.instructions) + 1 for block in launched.blocks]
        self._issues: list[_Issue] = []
        self._issued = self._pending = 0
        self._of: Any = None  # the warps of the last event, and which of them are recorded
        self._rows: Numbers | None = None
        self.atomics: dict[int, int] = {}
        self.own_atomics: dict[int, int] = {}

    def observe(self, event: Event) -> None:
        """Note what concerns the recorded blocks."""
        if isinstance(event, BlockIssued):
            blocks = event.warps // self._per_block
            rows = self._rows = self._recorded(blocks)
            self._of = event.warps
            self.flops += self._flops[event.block] * event.active_lanes
            first = int(blocks[0])
            if len(blocks) == 1:
                self.work[first] += self._cost[event.block]
            else:
                first = int(blocks.min())
                counts = np.bincount(blocks - first)
                self.work[first : first + len(counts)] += counts * self._cost[event.block]
            if rows is not None:
                self._issued += len(rows)
                self.recorded += len(rows) * self._cost[event.block]
                self._issues.append(_Issue(event.block, event.warps[rows]))
        elif isinstance(event, MemoryAccess):
            if event.kind == "atomic" and event.space is Space.GLOBAL:
                self._count_atomics(event)
            rows = self._rows if event.warps is self._of else self._recorded(event.warps // self._per_block)
            if rows is not None and self._issues:
                self._note(event, rows)

    def _recorded(self, blocks: Numbers) -> Numbers | None:
        if self._issued > MOST_ISSUES:
            self.complete = False
            return None
        rows = np.flatnonzero((blocks % self._every == 0) & (blocks < self._until))
        return rows if len(rows) else None

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
        if self._pending > 4096:
            self._condense()

    def _count_atomics(self, event: MemoryAccess) -> None:
        """How many lanes went to each region of memory: of the whole grid, and of the recorded blocks."""
        recorded = (event.warps // self._per_block % self._every == 0)[:, None]
        for lanes, counts in ((event.active, self.atomics), (event.active & recorded, self.own_atomics)):
            regions, found = np.unique(event.addresses[lanes] // REGION_BYTES, return_counts=True)
            for region, count in zip(regions.tolist(), found.tolist(), strict=True):
                counts[region] = counts.get(region, 0) + count

    def crowds(self, multiprocessors: int) -> dict[int, float]:
        """How many multiprocessors perform atomics on a region at the same time? 1, or all where all share it."""
        own = max(float(self.work[:: self._every].sum()), 1.0)
        share = multiprocessors * own / max(float(self.work.sum()), 1.0)
        return {
            region: max(self.atomics[region] * share / max(count, 1), 1.0)
            for region, count in self.own_atomics.items()
        }

    # ------------------------------------------------------------------------------------------------------

    def _condense(self) -> None:
        """Turn addresses into requests: they take less room."""
        for issue in reversed(self._issues):
            if not issue.accesses and issue.requests:
                break
            for access in issue.accesses:
                issue.requests.append((access.instruction, access.warps, self._requests(access)))
            issue.accesses.clear()
        self._pending = 0

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

    def steps(self, memory: list[list[Instruction]]) -> dict[int, Steps]:
        """What each recorded warp executed, in order. `memory[b]`: the memory instructions of basic block b."""
        self._condense()
        found: dict[int, Steps] = {}
        for issue in self._issues:
            columns: list[Any] = []
            given = {instruction: (warps, requests) for instruction, warps, requests in issue.requests}
            for instruction in memory[issue.block]:
                warps, requests = given.get(instruction, (None, []))
                if warps is not None and len(warps) == len(issue.warps):
                    columns.append(requests)
                else:
                    known = dict(zip(warps.tolist(), requests, strict=True)) if warps is not None else {}
                    columns.append([known.get(warp, NOTHING) for warp in issue.warps.tolist()])
            rows = zip(*columns, strict=True) if columns else [()] * len(issue.warps)
            for warp, row in zip(issue.warps.tolist(), rows, strict=True):
                path, moved = found.setdefault(warp, ([], []))
                path.append(issue.block)
                moved.append(row)
        return found


def _most_alike(addresses: Numbers) -> int:
    return int(np.unique(addresses, return_counts=True)[1].max(initial=1))


def _flops(instruction: Instruction) -> int:
    if not instruction.type.is_float:
        return 0
    return {Opcode.ADD: 1, Opcode.SUB: 1, Opcode.MUL: 1, Opcode.DIV: 1, Opcode.FMA: 2}.get(
        instruction.opcode, 0
    )
