"""What did the warps of one multiprocessor do? Which basic blocks they executed, and what accesses touched.

Of a grid only those thread blocks are recorded that its first multiprocessor would run, and no more of them
than tell how long the others take; of all blocks it is counted how many instructions they issued. Where one
goes on for much longer than those recorded, it is recorded from there on.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gpusim.events import BlockIssued, Event, GridLaunched, GridObserver, MemoryAccess, NamedBarrierUsed
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.terminators import Barrier, Terminator
from gpusim.ir.types import Space
from gpusim.measurements.banks import wavefronts
from gpusim.measurements.constants import passes
from gpusim.measurements.requests import SECTOR_BYTES, kind_of
from gpusim.measurements.sectored_cache import LINE_BYTES, WHOLE
from gpusim.measurements.touched_sectors import interleaved, touched

Numbers = npt.NDArray[np.int64]
WAVES = 4  # of resident blocks that are recorded
MOST_ISSUES = 150_000  # basic blocks of warps
HEAVIER = 1.5  # times as much as any recorded warp has done: from there on another block is recorded, too
CONDENSED = 4096  # accesses of warps that are kept with all their addresses before they become requests
SAMPLED = 512  # warps whose atomics are looked at of those that perform some together
LINE_SECTORS = LINE_BYTES // SECTOR_BYTES
FLOPS = {Opcode.ADD: 1, Opcode.SUB: 1, Opcode.MUL: 1, Opcode.DIV: 1, Opcode.FMA: 2}
COMPLEX_FLOPS = {Opcode.ADD: 2, Opcode.SUB: 2, Opcode.MUL: 6}
REGION_BYTES = 512  # of memory whose atomics one slice of L2 performs


class Request(NamedTuple):
    """What one warp's access moves, and of which memory. `pieces`: (line, a bit for each of its sectors).

    `passes`: how often it goes through shared memory or the constant cache; of an atomic, the most lanes that
    meet on one word; of a launch, how many lanes ask for one. `partial`: sectors of a store that are not
    written whole. `meeting`: of a warp that comes to a barrier of a part of its block, the barrier's number,
    and how often it had opened.
    """

    space: Space | None
    passes: int
    pieces: tuple[tuple[int, int], ...] = ()
    sectors: int = 0
    partial: int = 0
    meeting: tuple[int, int] | None = None


NOTHING = Request(None, 1)
Steps = tuple[list[int], list[tuple[Request, ...]]]  # basic blocks, and what their accesses moved


class _Access(NamedTuple):
    """The recorded rows of a `MemoryAccess`: addresses and active are (n, L)."""

    instruction: Instruction
    space: Space
    kind: str
    width: int
    warps: Numbers
    addresses: Numbers
    active: npt.NDArray[np.bool_]


@dataclass(slots=True)
class _Issue:
    """A basic block and the warps that executed it; what they touched."""

    block: int
    warps: Numbers
    accesses: list[_Access] = field(default_factory=list)
    requests: list[tuple[Instruction | Terminator, Numbers, list[Request]]] = field(default_factory=list)


class Recorder(GridObserver):
    """Records the blocks of one multiprocessor. `resident`: how many of them are there at once.

    `flops`: sums, products and quotients of floats by all threads. `complete` says whether it has the
    recorded blocks to their end.
    """

    wants = frozenset({BlockIssued, MemoryAccess})

    def __init__(self, launched: GridLaunched, resident: int) -> None:
        self.launched, self.resident = launched, max(resident, 1)
        if any(isinstance(block.terminator, Barrier) and block.terminator.named for block in launched.blocks):
            self.wants |= {NamedBarrierUsed}
        self.complete, self.flops, self._recorded = True, 0, 0
        blocks, per_block = math.prod(launched.grid), launched.warps_per_block
        recorded = np.zeros((blocks, per_block), bool)
        recorded[
            : launched.device.multiprocessors * WAVES * self.resident : launched.device.multiprocessors
        ] = True
        self._sample = recorded.reshape(-1)
        self._keep = self._sample.copy()  # of what is still to come
        self._work = np.zeros(blocks * per_block, np.int64)
        together = min(self.resident, int(recorded.any(axis=1).sum())) * per_block
        self._most_steps = max(MOST_ISSUES // together, 1)  # of a warp
        self._room, self._counted = self._most_steps, 0
        self._steps = np.zeros(blocks * per_block, np.int64)  # of each warp, in the issues counted so far
        self._heavy: dict[int, int] = {}  # blocks that go on for longer, and their instructions recorded,
        self._light = 0.0  # and up to how many a warp may issue without being of such
        self._cost = [len(block.instructions) + 1 for block in launched.blocks]
        self._flops = [sum(map(_flops, block.instructions)) for block in launched.blocks]
        self._launches = [[each for each in block.instructions if each.launches] for block in launched.blocks]
        self._issues: list[_Issue] = []
        self._issued = self._pending = self._condensed = 0
        self._of: Numbers | None = None  # the warps of the last event,
        self._where: Numbers | slice = slice(0)  # the same,
        self._rows: Numbers | None = None  # which of them are recorded,
        self._kept: Numbers | None = None  # their numbers,
        self._since = 0  # how many instructions they issued since,
        self._margin = 0.0  # and how many the last of them may, until it has much more to do than others
        self._atomics: Counter[int] = Counter()  # lanes by region of memory, about
        self._own_atomics: Counter[int] = Counter()  # and those of the recorded blocks

    @property
    def work(self) -> Numbers:
        """How many instructions did each thread block issue? (blocks,)"""
        self._settle()
        work: Numbers = self._work.reshape(-1, self.launched.warps_per_block).sum(axis=1)
        return work

    @property
    def recorded(self) -> int:
        """How many instructions has the recording?"""
        return self._recorded + sum(self._heavy[block] for block in self._heaviest())

    def _heaviest(self) -> list[int]:
        """Of the blocks that went on for longer, the one of which most is known; or none."""
        return sorted(self._heavy, key=lambda block: -self._heavy[block])[:1]

    def observe(self, event: Event) -> None:
        """Note what concerns the recorded blocks."""
        if event.warps is not self._of:
            self._look_at(event.warps)
        if isinstance(event, BlockIssued):
            cost, kept = self._cost[event.block], self._kept
            self._since += cost
            self.flops += self._flops[event.block] * event.active_lanes
            if kept is None and self._since > self._margin and self._follow():
                self._look_at(event.warps)
                kept = self._kept
            if kept is not None:
                self._issues.append(_Issue(event.block, kept))
                for launch in self._launches[event.block]:
                    lanes = np.count_nonzero(event.active[self._rows], axis=1).tolist()
                    asking = [Request(None, many) for many in lanes]
                    self._issues[-1].requests.append((launch, kept, asking))
                self._issued += len(kept)
                self._recorded += len(kept) * cost
                for block in self._heavy:
                    issued = int((kept // self.launched.warps_per_block == block).sum()) * cost
                    self._heavy[block] += issued
                    self._recorded -= issued
                self._room -= 1
                if not self._room or self._issued >= MOST_ISSUES:
                    self._drop()
        elif isinstance(event, MemoryAccess):
            if event.kind == "atomic" and event.space is Space.GLOBAL:
                self._count_atomics(event)
            if self._rows is not None and self._kept is not None:
                self._note(event, self._rows, self._kept)

        elif isinstance(event, NamedBarrierUsed) and event.arrives and self._rows is not None:
            assert self._kept is not None
            issue, phases = self._issues[-1], np.where(event.active, event.phases, 0).max(axis=1)
            end, phases = self.launched.blocks[issue.block].terminator, phases[self._rows]
            met = [Request(None, 1, meeting=(event.number, phase)) for phase in phases.tolist()]
            issue.requests.append((end, self._kept, met))

    def _look_at(self, warps: Numbers) -> None:
        """Which warps are these? Mostly the same as those of the event before."""
        self._settle()
        first, last = int(warps[0]), int(warps[-1])
        self._of = warps
        self._where = slice(first, last + 1) if last - first + 1 == len(warps) else warps
        rows = np.flatnonzero(self._keep[self._where])
        self._rows, self._kept = (rows, warps[rows]) if len(rows) else (None, None)
        self._margin = self._light - int(self._work[last])

    def _settle(self) -> None:
        """What the warps of the last events issued is work that they did."""
        self._work[self._where] += self._since
        self._since = 0

    def _drop(self) -> None:
        """Of very long warps the beginning is enough, so that there is room for all that are resident."""
        latest = np.concatenate([issue.warps for issue in self._issues[self._counted :]])
        self._counted = len(self._issues)
        self._steps += np.bincount(latest, minlength=len(self._steps))
        longest = int(self._steps[latest].max())
        if longest >= self._most_steps or self._issued >= MOST_ISSUES:
            self.complete, self._of = False, None
            self._keep &= (self._steps < self._most_steps) & (self._issued < MOST_ISSUES)
        self._room = max(self._most_steps - longest, 1)

    def _follow(self) -> bool:
        """Has the last of these warps done much more than any that is recorded? Then record its block."""
        assert self._of is not None
        self._settle()
        last, per_block = int(self._of[-1]), self.launched.warps_per_block
        known = self._sample.reshape(-1, per_block).copy()
        known[list(self._heavy)] = True
        work, most = int(self._work[last]), int(self._work[known.reshape(-1)].max())
        heavier = work > HEAVIER * most
        if heavier:
            self._heavy[last // per_block] = 0
            self._keep.reshape(known.shape)[last // per_block] = True
        self._light = HEAVIER * max(most, work if heavier else 0)
        self._margin = self._light - work
        return heavier

    def _note(self, event: MemoryAccess, rows: Numbers, kept: Numbers) -> None:
        addresses, active, kind = event.addresses[rows], event.active[rows], kind_of(event)
        self._issues[-1].accesses.append(
            _Access(event.instruction, event.space, kind, event.width, kept, addresses, active)
        )
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

    def crowds(self, multiprocessors: float) -> dict[int, float]:
        """How many multiprocessors perform atomics on a region of memory at once? From 1 to all of them."""
        share = multiprocessors * self.recorded / max(int(self.work.sum()), 1)
        return {
            region: max(self._atomics[region] * share / max(count, 1), 1.0)
            for region, count in self._own_atomics.items()
        }

    def steps(self, memory: list[list[Instruction | Terminator]]) -> dict[int, Steps]:
        """What did each recorded warp execute, in order? `memory[b]`: what of block b goes to memory, and its
        end where that is a barrier of a part of a block.
        """
        self._condense()
        found: dict[int, Steps] = {}
        latest: Numbers | None = None
        for issue in self._issues:
            if issue.warps is not latest:
                latest = issue.warps
                theirs = [found.setdefault(warp, ([], [])) for warp in latest.tolist()]
            columns = [_column(issue, instruction) for instruction in memory[issue.block]]
            rows = zip(*columns, strict=True) if columns else repeat((), len(theirs))
            for (path, requests), row in zip(theirs, rows, strict=True):
                path.append(issue.block)
                requests.append(row)
        others = self._heavy.keys() - self._heaviest()
        return {
            warp: one for warp, one in found.items() if warp // self.launched.warps_per_block not in others
        }

    def issued(self, path: list[int]) -> int:
        """How many instructions are these basic blocks?"""
        return sum(self._cost[block] for block in path)

    # addresses become requests ------------------------------------------------------------------------------

    def _condense(self) -> None:
        """Turn addresses into requests, which take less room; those of like accesses together."""
        alike: defaultdict[tuple[Space, str, int], list[tuple[_Issue, _Access]]] = defaultdict(list)
        for issue in self._issues[self._condensed :]:
            for access in issue.accesses:
                alike[access.space, access.kind, access.width].append((issue, access))
            issue.accesses = []
        for accesses in alike.values():
            columns = zip(*((each.warps, each.addresses, each.active) for _, each in accesses), strict=True)
            requests = iter(self._requests(accesses[0][1], *map(np.concatenate, columns)))
            for issue, access in accesses:
                own = list(islice(requests, len(access.warps)))
                issue.requests.append((access.instruction, access.warps, own))
        self._condensed, self._pending = max(len(self._issues) - 1, 0), 0

    def _requests(
        self, like: _Access, warps: Numbers, addresses: Numbers, active: npt.NDArray[np.bool_]
    ) -> list[Request]:
        """What do accesses of warps move that are all of a kind?"""
        device, space, width = self.launched.device, like.space, like.width
        if space in (Space.SHARED, Space.CONSTANT):
            if space is Space.SHARED:
                counts = wavefronts(addresses, active, width, device, kind=like.kind)
            else:
                counts = passes(addresses, active, width, device)
            known = [Request(space, max(count, 1)) for count in range(int(counts.max(initial=0)) + 1)]
            return [known[count] for count in counts.tolist()]
        if space is Space.LOCAL:
            slots = warps + (1 << 30)  # where no array of the grid lies
            addresses, active, width = interleaved(
                addresses, active, width, slots, self.launched.function.local_bytes
            )
        meeting = [1] * len(addresses)
        if like.kind not in ("load", "store"):
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
            Request(space, alike, tuple(parts), count, some)
            for alike, parts, count, some in zip(meeting, pieces, counts, partial, strict=True)
        ]


def _column(issue: _Issue, instruction: Instruction | Terminator) -> list[Request]:
    """What did an instruction move for each warp of an issue? Of two memories, to which lanes of one warp
    went, global memory counts.
    """
    parts = [(warps, moved) for one, warps, moved in issue.requests if one is instruction]
    if len(parts) == 1 and len(parts[0][0]) == len(issue.warps):
        return parts[0][1]
    known: dict[int, Request] = {}
    for warps, moved in sorted(parts, key=lambda part: part[1][0].space is Space.GLOBAL):
        known.update(zip(warps.tolist(), moved, strict=True))
    return [known.get(warp, NOTHING) for warp in issue.warps.tolist()]


def _most_alike(addresses: Numbers) -> int:
    return int(np.unique(addresses, return_counts=True)[1].max(initial=1))


def _flops(instruction: Instruction) -> int:
    of = instruction.type
    return (FLOPS if of.is_float else COMPLEX_FLOPS if of.is_complex else {}).get(instruction.opcode, 0)
