"""How long does one multiprocessor take for what its warps did? A replay of the recording, warp against warp.

Warps belong to schedulers for good. A scheduler issues one instruction per clock, of a warp whose registers
are there (`scoreboard`) and whose pipe is free; of several the oldest. Time jumps from event to event: the
heap holds, for every warp, when it may issue next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush, heappushpop
from typing import Any

from gpusim.devices.speeds import Speeds
from gpusim.ir.types import Space
from gpusim.timing.code import Program
from gpusim.timing.hierarchy import Hierarchy
from gpusim.timing.operations import MET, Code, Stall
from gpusim.timing.pipes import Pipe
from gpusim.timing.recording import Request
from gpusim.timing.unrolling import TRIPS

BRANCH_LATENCY = 2  # clocks until a warp that branched has its next instruction
COMPUTE, RENAME, MEMORY, BRANCH, BARRIER = Code.COMPUTE, Code.RENAME, Code.MEMORY, Code.BRANCH, Code.BARRIER
SHARED = Space.SHARED
SELECTED, WAIT, MATH_PIPE = int(Stall.SELECTED), int(Stall.WAIT), int(Stall.MATH_PIPE_THROTTLE)
LG_THROTTLE, MIO_THROTTLE = int(Stall.LG_THROTTLE), int(Stall.MIO_THROTTLE)
NOT_SELECTED, BRANCHED = int(Stall.NOT_SELECTED), int(Stall.BRANCH_RESOLVING)
LSU_PAUSE = 6  # clocks between two accesses of one warp
QUEUE = 160  # clocks of work that L1's queue holds before warps must wait to join it
MOST_OPERATIONS = 3_000_000
Steps = tuple[list[int], list[tuple[Request, ...]]]  # basic blocks, and what their accesses moved


@dataclass
class Outcome:
    """What a replay found. Times in clocks.

    `ends`: when each thread block was over, in the order of starts; `cycles` the last of them, with what stores
    still took; `issued` operations; `busy[pipe]` clocks of all schedulers' pipes together; `stalls[line][s]`
    clocks that warps stood at a source line for reason s; `resident` warps × clocks; `cut`: the replay
    stopped before all was done.
    """

    cycles: float = 0.0
    issued: int = 0
    ends: list[float] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    stalls: list[list[float]] = field(default_factory=list)
    resident: float = 0.0
    cut: bool = False


class _Warp:
    """One warp on its way: its operations, its next step, when its registers are there and why not before."""

    __slots__ = ("block", "last", "operations", "path", "position", "queued", "ready", "requests",
                 "reserved", "rows", "scheduler", "step", "trips", "waits")  # fmt: skip

    def __init__(self, steps: Steps, registers: int, scheduler: int, block: int, at: float) -> None:
        (self.path, self.rows), self.scheduler, self.block = steps, scheduler, block
        self.operations: list[Any] = []
        self.requests: Sequence[Request] = ()
        self.step = self.position = 0
        self.ready, self.waits = [at] * registers, [WAIT] * registers
        self.trips: dict[int, int] = {}
        self.last = at  # when it may go to memory again
        self.reserved = self.queued = False


def replay(
    program: Program,
    blocks: list[list[Steps]],
    memory: Hierarchy,
    speeds: Speeds,
    *,
    schedulers: int,
    resident: int,
    block_interval: float,
    log: Callable[[int, int, float, int, Pipe, Stall, float], None] | None = None,
) -> Outcome:
    """Run the warps of `blocks` (thread block → warp → steps), `resident` thread blocks at a time.

    log: called for every operation: scheduler, warp, clock, line, pipe, why it waited before, and from when.
    """
    code, together, counted = program.blocks, program.together, program.counted
    found = Outcome(busy=[0.0] * len(Pipe), stalls=[[0.0] * len(Stall) for _ in program.lines])
    stalls, busy = found.stalls, found.busy
    free = [0.0] * schedulers
    pipes = [[0.0] * len(Pipe) for _ in range(schedulers)]
    heap: list[tuple[float, int, _Warp]] = []
    at_barrier: dict[int, list[tuple[float, int, _Warp]]] = {}
    alive: dict[int, int] = {}
    drained: dict[int, float] = {}
    began: dict[int, float] = {}
    number = next_block = 0
    last_start = -block_interval
    barrier_free = 0.0

    def start(at: float) -> None:
        nonlocal next_block, number, last_start
        at = last_start = max(at, last_start + block_interval)
        block, next_block = next_block, next_block + 1
        alive[block], drained[block], began[block] = len(blocks[block]), at, at
        for steps in blocks[block]:
            heappush(heap, (at, number, _Warp(steps, program.registers, number % schedulers, block, at)))
            number += 1

    def release(block: int) -> None:
        """All of a block that are not over are at its barrier."""
        waiting = at_barrier.pop(block)
        go = barrier_free + speeds.barrier_latency
        for at, age, warp in waiting:
            line = warp.operations[warp.position - 1].line
            stalls[line][Stall.BARRIER] += go - at
            warp.ready[MET] = go
            heappush(heap, (go, age, warp))

    for _ in range(min(resident, len(blocks))):
        start(0.0)
    while heap:
        at, age, warp = heappop(heap)
        while True:
            # the warp's next operation
            while warp.position >= len(warp.operations):
                step, path = warp.step, warp.path
                if step >= len(path):
                    break
                index = path[step]
                for run, operations in together.get(index, ()):
                    if path[step : step + len(run)] == run:
                        warp.operations = operations
                        warp.step += len(run)
                        warp.requests = [each for row in warp.rows[step : warp.step] for each in row]
                        break
                else:
                    trip = warp.trips.get(index, 0)
                    warp.operations = code[index][1 if trip % TRIPS and index in counted else 0]
                    if index in counted:
                        warp.trips[index] = trip + 1
                    warp.step += 1
                    warp.requests = warp.rows[step]
                warp.position = 0
            else:
                operation = warp.operations[warp.position]
                what, pipe, slots, interval, latency, target, sources, line, waits, space, kind, access = operation
                ready = warp.ready
                # its registers
                when, why = at, WAIT
                for source in sources:
                    if ready[source] > when:
                        when, why = ready[source], warp.waits[source]
                if what is RENAME:
                    ready[target] = when
                    warp.waits[target] = why
                    warp.position += 1
                    continue
                if what is MEMORY and not warp.queued:
                    throttled = MIO_THROTTLE if space is SHARED else LG_THROTTLE
                    if warp.last > when:
                        when, why = warp.last, throttled
                    if memory.l1_free - QUEUE > when:
                        when, why = memory.l1_free - QUEUE, throttled
                        warp.queued = True
                if when > at:
                    stalls[line][why] += when - at
                    if heap and heap[0][0] < when:
                        at, age, warp = heappushpop(heap, (when, age, warp))
                        continue
                    at = when
                # its pipe
                scheduler = warp.scheduler
                if interval:
                    own = pipes[scheduler]
                    if warp.reserved:
                        warp.reserved = False
                    else:
                        begin = own[pipe] if own[pipe] > at else at
                        own[pipe] = begin + interval
                        busy[pipe] += interval
                        if begin > at:
                            stalls[line][MATH_PIPE] += begin - at
                            warp.reserved = True
                            if heap and heap[0][0] < begin:
                                at, age, warp = heappushpop(heap, (begin, age, warp))
                                continue
                            at = begin
                            warp.reserved = False
                # its scheduler
                if free[scheduler] > at:
                    stalls[line][NOT_SELECTED] += free[scheduler] - at
                    at = free[scheduler]
                free[scheduler] = issued = at + slots
                found.issued += slots
                stalls[line][SELECTED] += slots
                if log is not None:
                    log(scheduler, age, at, line, pipe, why, when)
                warp.position += 1
                if what is COMPUTE:
                    if target >= 0:
                        ready[target] = at + latency
                        warp.waits[target] = waits
                elif what is MEMORY:
                    request = warp.requests[access]
                    warp.last, warp.queued = at + LSU_PAUSE, False
                    if request.pieces:
                        if kind == "load":
                            done = memory.load(at, request, space)
                        elif kind == "store":
                            done = memory.store(at, request, space)
                            drained[warp.block] = max(drained[warp.block], done)
                        else:
                            done = memory.atomic(at, request)
                            drained[warp.block] = max(drained[warp.block], done)
                    elif space is SHARED or space is Space.CONSTANT or request.passes > 1:
                        done = memory.shared(at, request, space)
                    else:
                        done = issued
                    if target >= 0:
                        ready[target] = done
                        warp.waits[target] = waits
                elif what is BRANCH:
                    issued += BRANCH_LATENCY
                    stalls[line][BRANCHED] += BRANCH_LATENCY
                elif what is BARRIER:
                    waiting = at_barrier.setdefault(warp.block, [])
                    barrier_free = max(barrier_free, issued) + speeds.barrier_interval
                    waiting.append((issued, age, warp))
                    if len(waiting) == alive[warp.block]:
                        release(warp.block)
                    break
                if found.issued > MOST_OPERATIONS:
                    found.cut = True
                    found.cycles = at
                    heap.clear()
                    break
                if heap and heap[0][0] < issued:
                    at, age, warp = heappushpop(heap, (issued, age, warp))
                else:
                    at = issued
                continue
            # the warp is over
            block = warp.block
            alive[block] -= 1
            if not alive[block]:
                end = max(at, drained[block])
                found.resident += len(blocks[block]) * (at - began[block])
                found.ends.append(end)
                found.durations.append(end - began[block])
                if next_block < len(blocks):
                    start(end + speeds.block_replacement)
            elif len(at_barrier.get(block, ())) == alive[block]:
                release(block)
            break
    if not found.cut:
        found.cycles = max(found.ends, default=0.0)
    return found
