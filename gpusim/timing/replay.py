"""How long does one multiprocessor take for what its warps did? A replay of the recording, warp against warp.

Warps belong to schedulers for good. A scheduler issues one operation per clock, of a warp whose registers are
there (the scoreboard) and whose pipe is free; of several the oldest. Time jumps from event to event: the heap
holds, for every warp that waits for nothing but time, when it goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush, heappushpop
from itertools import chain

from gpusim.devices.speeds import Speeds
from gpusim.ir.types import Space
from gpusim.timing.code import Program
from gpusim.timing.hierarchy import Hierarchy
from gpusim.timing.operations import MET, Code, Operation, Stall
from gpusim.timing.pipes import Pipe
from gpusim.timing.recording import Request, Steps
from gpusim.timing.unrolling import TRIPS

BRANCH_LATENCY = 2  # clocks until a warp that branched has its next instruction
LSU_PAUSE = 6  # clocks between two accesses of one warp
QUEUE = 160  # clocks of work that L1's queue holds before warps must wait to join it
MOST_OPERATIONS = 1_000_000
# a warp that issues its next operation, the number of the warp, and the clock
Log = Callable[["Warp", int, float], None]

# read millions of times: as plain names
COMPUTE, RENAME, MEMORY, BRANCH, BARRIER = Code.COMPUTE, Code.RENAME, Code.MEMORY, Code.BRANCH, Code.BARRIER
NAMED, LAUNCH, CHILDREN, LONG = Code.NAMED, Code.LAUNCH, Code.CHILDREN, int(Stall.LONG_SCOREBOARD)
SHARED, CONSTANT = Space.SHARED, Space.CONSTANT
SELECTED, WAIT, MATH_PIPE = int(Stall.SELECTED), int(Stall.WAIT), int(Stall.MATH_PIPE_THROTTLE)
LG_THROTTLE, MIO_THROTTLE = int(Stall.LG_THROTTLE), int(Stall.MIO_THROTTLE)
NOT_SELECTED, BRANCHED = int(Stall.NOT_SELECTED), int(Stall.BRANCH_RESOLVING)
AT_BARRIER = int(Stall.BARRIER)


@dataclass
class Outcome:
    """What a replay found. Times in clocks.

    `cycles`: when all was over, stores included; `ends`: when each thread block was; `issued`: operations;
    `busy[pipe]`: clocks of all schedulers' pipes together; `stalls[line][s]`: clocks that warps stood at a
    source line for reason s; `resident`: warps × clocks, each until it left, and `held`: thread blocks
    × clocks; `asked`: of launches, and of waiting for what was launched, the block, its warp, the clock at
    which the call returned, and whether it was a launch; `lives`: for how long each was there that is over,
    by its place among those replayed. `cut`: it stopped after a `share` of all was done.
    """

    busy: list[float]
    stalls: list[list[float]]
    cycles: float = 0.0
    issued: int = 0
    ends: list[float] = field(default_factory=list)
    resident: float = 0.0
    held: float = 0.0
    asked: list[tuple[int, int, float, bool]] = field(default_factory=list)
    lives: dict[int, float] = field(default_factory=dict)
    cut: bool = False
    share: float = 1.0


Meeting = tuple[int, int, int]  # the barrier of a block, its number, how often it had opened


def _meetings(blocks: list[list[Steps]], program: Program) -> Counter[Meeting]:
    """How many warps come to each barrier of a part of a block, each time?"""
    found: Counter[Meeting] = Counter()
    if any(operation.code is NAMED for pair in program.blocks for operation in pair[0]):
        for block, warps in enumerate(blocks):
            for _, rows in warps:
                for request in chain.from_iterable(rows):
                    if request.meeting is not None:
                        found[block, *request.meeting] += 1
    return found


class Warp:
    """One warp on its way: its operations, its next step, when its registers are there and why not before."""

    __slots__ = ("block", "last", "meetings", "operations", "path", "position", "queued", "ready", "requests",
                 "reserved", "rows", "scheduler", "step", "trips", "waited", "waits")  # fmt: skip

    def __init__(self, steps: Steps, registers: int, scheduler: int, block: int, at: float) -> None:
        (self.path, self.rows), self.scheduler, self.block = steps, scheduler, block
        self.operations: Sequence[Operation] = ()
        self.requests: Sequence[Request] = ()
        self.step = self.position = 0
        self.ready, self.waits = [at] * registers, [WAIT] * registers
        self.trips: dict[int, int] = {}
        self.last = at  # when it may go to memory again
        self.reserved = self.queued = False  # it has its turn in a pipe, in the queue to memory
        self.meetings: list[Meeting] = []  # barriers of parts of its block at which it has still to wait
        # for the log: why it waited since it issued, each with the clock from when on
        self.waited: list[tuple[int, float]] = []

    def go_on(self, program: Program) -> bool:
        """Take the operations of the next basic block, or of several that were arranged together."""
        step, path = self.step, self.path
        if step >= len(path):
            return False
        index = path[step]
        self.position = 0
        for run, operations in program.together.get(index, ()):
            if path[step : step + len(run)] == run:
                self.operations = operations
                self.step += len(run)
                self.requests = [each for row in self.rows[step : self.step] for each in row]
                return True
        trip = 0
        if index in program.counted:
            trip = self.trips.get(index, 0)
            self.trips[index] = trip + 1
        self.operations = program.blocks[index][1 if trip % TRIPS else 0]
        self.requests = self.rows[step]
        self.step += 1
        return True


def replay(
    program: Program,
    blocks: list[list[Steps]],
    memory: Hierarchy,
    speeds: Speeds,
    *,
    schedulers: int,
    resident: int,
    block_interval: float,
    further_lane: float = 0.0,
    log: Log | None = None,
) -> Outcome:
    """Run the warps of `blocks` (thread block → warp → steps), `resident` thread blocks at a time.

    A block starts at least `block_interval` clocks after the one before. A launch takes `further_lane` clocks
    more for each lane of the warp but the first. `log` hears of every operation.
    """
    found = Outcome([0.0] * len(Pipe), [[0.0] * len(Stall) for _ in program.lines])
    stalls, busy = found.stalls, found.busy
    free = [0.0] * schedulers
    pipes = [[0.0] * len(Pipe) for _ in range(schedulers)]
    heap: list[tuple[float, int, Warp]] = []
    at_barrier: dict[int | Meeting, list[tuple[float, int, Warp]]] = {}
    expected = _meetings(blocks, program)
    met: dict[Meeting, float] = {}
    alive, drained, began = [0] * len(blocks), [0.0] * len(blocks), [0.0] * len(blocks)
    first = [0] * len(blocks)  # its first warp
    warps = next_block = 0
    last_start, barrier_free = -block_interval, 0.0

    def start(at: float) -> None:
        nonlocal next_block, warps, last_start
        at = last_start = max(at, last_start + block_interval)
        block, next_block = next_block, next_block + 1
        alive[block], drained[block], began[block] = len(blocks[block]), at, at
        first[block] = warps
        for steps in blocks[block]:
            heappush(heap, (at, warps, Warp(steps, program.registers, warps % schedulers, block, at)))
            warps += 1

    def release(block: int | Meeting, at: float) -> None:
        """All of a block that are not over are at its barrier, or all that share one with a number."""
        opens = max(barrier_free, at) + speeds.barrier_latency
        if isinstance(block, tuple):
            met[block] = opens
        for since, age, warp in at_barrier.pop(block, ()):
            stalls[warp.operations[warp.position - 1].line][AT_BARRIER] += opens - since
            warp.ready[MET] = opens
            heappush(heap, (opens, age, warp))

    def leave(block: int, at: float) -> None:
        """One of its warps is over."""
        alive[block] -= 1
        found.resident += at - began[block]
        if alive[block]:
            if len(at_barrier.get(block, ())) == alive[block]:
                release(block, at)
            return
        found.held += at - began[block]
        found.lives[block] = at - began[block]
        found.ends.append(max(at, drained[block]))
        if next_block < len(blocks):
            start(found.ends[-1] + speeds.block_replacement)

    for _ in range(min(resident, len(blocks))):
        start(0.0)
    while heap:
        at, age, warp = heappop(heap)
        while True:
            if warp.position >= len(warp.operations):
                if warp.go_on(program):
                    continue
                if heap and heap[0][0] < at:
                    at, age, warp = heappushpop(heap, (at, age, warp))
                    continue
                leave(warp.block, at)
                break
            code, pipe, slots, interval, latency, target, sources, line, waits, space, kind, access = (
                warp.operations[warp.position]
            )
            # its registers, and its own access before
            ready = warp.ready
            when, why = at, WAIT
            for source in sources:
                if ready[source] > when:
                    when, why = ready[source], warp.waits[source]
            if code is RENAME:
                ready[target], warp.waits[target] = when, why
                warp.position += 1
                continue
            if code is MEMORY and warp.last > when:
                when, why = warp.last, MIO_THROTTLE if space is SHARED else LG_THROTTLE
            if when > at:
                stalls[line][why] += when - at
                if log is not None:
                    warp.waited.append((why, at))
                at = when
            # others may be earlier
            if heap and heap[0][0] < at:
                at, age, warp = heappushpop(heap, (at, age, warp))
                continue
            # for an access the queue to memory
            if code is MEMORY and memory.l1_free - QUEUE > at and not warp.queued:
                warp.queued, why = True, MIO_THROTTLE if space is SHARED else LG_THROTTLE
                when = memory.l1_free - QUEUE
                stalls[line][why] += when - at
                if log is not None:
                    warp.waited.append((why, at))
                if heap and heap[0][0] < when:
                    at, age, warp = heappushpop(heap, (when, age, warp))
                    continue
                at = when
            # its pipe: whoever comes first has the next turn
            scheduler = warp.scheduler
            if warp.reserved:
                warp.reserved = False
            elif interval:
                turns = pipes[scheduler]
                turn = turns[pipe] if turns[pipe] > at else at
                turns[pipe] = turn + interval
                if turn > at:
                    why = MATH_PIPE if interval > 1 else NOT_SELECTED  # one as wide as a warp is never busy
                    stalls[line][why] += turn - at
                    if log is not None:
                        warp.waited.append((why, at))
                    if heap and heap[0][0] < turn:
                        warp.reserved = True
                        at, age, warp = heappushpop(heap, (turn, age, warp))
                        continue
                    at = turn
            # its scheduler
            if free[scheduler] > at:
                stalls[line][NOT_SELECTED] += free[scheduler] - at
                if log is not None:
                    warp.waited.append((NOT_SELECTED, at))
                at = free[scheduler]
            free[scheduler] = issued = at + slots
            busy[pipe] += interval
            found.issued += slots
            stalls[line][SELECTED] += slots
            if log is not None:
                log(warp, age, at)
                warp.waited = []
            warp.position += 1
            if code is COMPUTE:
                if target >= 0:
                    ready[target], warp.waits[target] = at + latency, waits
            elif code is MEMORY:
                request = warp.requests[access]
                warp.last, warp.queued = at + LSU_PAUSE, False
                if request.space is SHARED or request.space is CONSTANT:
                    done = memory.shared(at, request)
                elif not request.pieces:  # no lane of it was there
                    done = issued
                elif kind == "load":
                    done = memory.load(at, request)
                else:
                    done = memory.store(at, request) if kind == "store" else memory.atomic(at, request)
                    if done > drained[warp.block]:
                        drained[warp.block] = done
                if target >= 0:
                    ready[target], warp.waits[target] = done, waits
            elif code is BRANCH:
                if log is not None:
                    warp.waited.append((BRANCHED, issued))
                issued += BRANCH_LATENCY
                stalls[line][BRANCHED] += BRANCH_LATENCY
            elif code is LAUNCH or code is CHILDREN:
                if code is LAUNCH:
                    lanes = warp.requests[access].passes
                    returned = at + latency + further_lane * (lanes - 1)
                    stalls[line][LONG] += returned - issued
                    if log is not None:
                        warp.waited.append((LONG, issued))
                    issued = returned
                    if target >= 0:
                        ready[target] = returned
                found.asked.append((warp.block, age - first[warp.block], issued, code is LAUNCH))
            elif code is BARRIER:
                if log is not None:
                    warp.waited.append((AT_BARRIER, issued))
                waiting = at_barrier.setdefault(warp.block, [])
                waiting.append((issued, age, warp))
                barrier_free = max(barrier_free, issued) + speeds.barrier_interval
                if len(waiting) == alive[warp.block]:
                    release(warp.block, issued)
                break
            elif code is NAMED:
                barrier_free = max(barrier_free, issued) + speeds.barrier_interval
                meeting: Meeting | None = None
                if (came := warp.requests[access].meeting) is not None:
                    meeting = warp.block, *came
                    expected[meeting] -= 1
                    if not expected[meeting]:
                        release(meeting, issued)
                if kind == "barrier.arrive" and meeting is not None:
                    warp.meetings.append(meeting)
                elif kind == "barrier.wait" and warp.meetings:
                    meeting = warp.meetings.pop(0)  # the one to which it came first
                if kind != "barrier.arrive" and meeting is not None:
                    if meeting not in met:
                        if log is not None:
                            warp.waited.append((AT_BARRIER, issued))
                        at_barrier.setdefault(meeting, []).append((issued, age, warp))
                        break
                    stalls[line][AT_BARRIER] += max(met[meeting] - issued, 0.0)
                    ready[MET] = issued = max(met[meeting], issued)
            if found.issued > MOST_OPERATIONS:
                waiting = [each for there in at_barrier.values() for each in there]
                left = [warp, *(each for _, _, each in (*heap, *waiting))]
                found.resident += sum(max(at - began[each.block], 0.0) for each in left)
                found.held += sum(max(at - began[each], 0.0) for each in {each.block for each in left})
                steps = sum(len(path) for block in blocks for path, _ in block)
                undone = sum(len(each.path) - each.step for each in left)
                undone += sum(len(path) for block in blocks[next_block:] for path, _ in block)
                found.cut, found.cycles, found.share = True, at, max(1 - undone / steps, 1 / steps)
                return found
            at = issued
    found.cycles = max(found.ends, default=0.0)
    return found
