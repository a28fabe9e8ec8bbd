"""What is one machine operation, and in which order does a compiler put some? Loads first, their users later.

A scheduler of the hardware issues a warp's operations in order, so that the first that needs a value which is
not there stops the warp. Compilers therefore put between a load and what needs it all that does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from heapq import heappop, heappush
from typing import NamedTuple

from gpusim.ir.types import Space
from gpusim.timing.pipes import Pipe


class Stall(IntEnum):
    """Why does a warp issue nothing? Nsight Compute's reasons, `smsp__average_warps_issue_stalled_…`."""

    SELECTED = 0
    LONG_SCOREBOARD = 1
    SHORT_SCOREBOARD = 2
    WAIT = 3
    BARRIER = 4
    MATH_PIPE_THROTTLE = 5
    LG_THROTTLE = 6
    MIO_THROTTLE = 7
    NOT_SELECTED = 8
    BRANCH_RESOLVING = 9


class Code(IntEnum):
    """What happens when an operation is issued?"""

    COMPUTE = 0
    RENAME = 1  # nothing: its destination is there when its sources are
    MEMORY = 2
    BRANCH = 3
    BARRIER = 4
    EXIT = 5
    NAMED = 6  # a barrier of a part of a thread block
    LAUNCH = 7  # of a grid, by the device runtime
    CHILDREN = 8  # wait for the grids that the block launched


class Operation(NamedTuple):
    """One machine operation: registers are slots of a warp's scoreboard, -1 is none.

    `pipe` and `waits` are numbers of `Pipe` and `Stall`. `access`: which of the requests of its basic block,
    or of several together, is its own.
    """

    code: Code
    pipe: int
    slots: int
    interval: float
    latency: float
    destination: int
    sources: tuple[int, ...]
    line: int
    waits: int  # why somebody waits who needs its result
    space: Space | None = None
    kind: str = ""
    access: int = 0


MET, THERE = 0, 1  # slots: what a warp's last exchange gave it; what is always there
FIRST_SLOT = 2
LAST = (Code.BRANCH, Code.BARRIER, Code.EXIT, Code.NAMED, Code.CHILDREN)
LONG, SHORT = 300, 30  # clocks that a compiler expects of loads, from far and near


def arranged(operations: Iterable[Operation], lasting: set[int], fresh: int) -> list[Operation]:
    """The same operations in the order of a compiler.

    Each value gets a slot of its own, from `fresh` on, so that a later one need not wait for the readers of
    an earlier; what is in a slot of `lasting` at the end gets there. Moves are no operations any more.
    """
    given = _in_own_slots(operations, lasting, fresh)
    followers, waiting = _dependences(given)
    length = [0.0] * len(given)  # from here to the end
    for index in reversed(range(len(given))):
        after = max((length[each] for each in followers[index]), default=0.0)
        length[index] = after + _expected(given[index])
    ready: list[tuple[float, float, int]] = []
    begin = [0.0] * len(given)
    for index, count in enumerate(waiting):
        if not count:
            heappush(ready, (0.0, -length[index], index))
    clock, order = 0.0, []
    later: list[tuple[float, int]] = []
    while ready or later:
        while later and (later[0][0] <= clock or not ready):
            clock = max(clock, later[0][0]) if not ready else clock
            _, index = heappop(later)
            heappush(ready, (0.0, -length[index], index))
        _, _, index = heappop(ready)
        order.append(given[index])
        clock += given[index].slots
        for each in followers[index]:
            begin[each] = max(begin[each], clock + _expected(given[index]) - 1)
            waiting[each] -= 1
            if not waiting[each]:
                heappush(later, (begin[each], each))
    return order


def slots_needed(operations: Iterable[Operation]) -> int:
    """One more than the highest slot."""
    return 1 + max((max((each.destination, *each.sources)) for each in operations), default=MET)


def _expected(operation: Operation) -> float:
    if operation.code is Code.MEMORY and operation.kind == "load":
        return SHORT if operation.space in (Space.SHARED, Space.CONSTANT) else LONG
    return max(operation.latency, operation.slots)


def _in_own_slots(operations: Iterable[Operation], lasting: set[int], fresh: int) -> list[Operation]:
    now: dict[int, int] = {}
    found: list[Operation] = []
    for operation in operations:
        sources = tuple(now.get(each, each) for each in operation.sources)
        target = operation.destination
        if operation.code is Code.RENAME:
            sources = tuple(each for each in sources if each != THERE)
            if len(sources) <= 1:
                now[target] = sources[0] if sources else THERE
                continue
        if target > THERE:
            now[target] = target = fresh
            fresh += 1
        found.append(operation._replace(sources=sources, destination=target))
    last = [found.pop()] if found and found[-1].code in LAST else []
    held = {slot: now[slot] for slot in sorted(lasting) if now.get(slot, slot) != slot}
    moved = {value: value for value in held.values()}
    for value in held.keys() & moved:  # as in `a = b; b = c`: put aside before it is overwritten
        moved[value] = fresh
        fresh += 1
    line = found[-1].line if found else 0
    moves = [(place, value) for value, place in moved.items() if place != value]
    moves += [(slot, moved[value]) for slot, value in held.items()]
    rename = Operation(Code.RENAME, int(Pipe.CONTROL), 0, 0.0, 0.0, -1, (), line, int(Stall.WAIT))
    found += [rename._replace(destination=to, sources=(of,)) for to, of in moves]
    return found + last


def _dependences(given: Sequence[Operation]) -> tuple[list[list[int]], list[int]]:
    """Who must come after each operation, and how many must come before it?

    Whoever needs its result; stores after stores, and loads not before the store ahead of them to such
    memory; a launch after all, and all after a launch; what ends the block after all; what a slot is to hold
    at the end after those who need what it held.
    """
    followers: list[list[int]] = [[] for _ in given]
    waiting = [0] * len(given)

    def after(earlier: int, later: int) -> None:
        followers[earlier].append(later)
        waiting[later] += 1

    made: dict[int, int] = {}
    read: dict[int, list[int]] = {}
    stored: dict[Space | None, int] = {}
    loaded: dict[Space | None, list[int]] = {}
    launch = None
    for index, operation in enumerate(given):
        if launch is not None:
            after(launch, index)
        for source in operation.sources:
            if source in made:
                after(made[source], index)
            read.setdefault(source, []).append(index)
        if operation.code is Code.RENAME:
            for reader in read.get(operation.destination, ()):
                if reader != index:
                    after(reader, index)
        if operation.destination >= 0:
            made[operation.destination] = index
        if operation.code is Code.MEMORY:
            space = operation.space
            if space in stored:
                after(stored[space], index)
            if operation.kind == "load":
                loaded.setdefault(space, []).append(index)
            else:
                for each in loaded.pop(space, ()):
                    after(each, index)
                stored[space] = index
        elif operation.code in (*LAST, Code.LAUNCH):
            for each in range(index):
                after(each, index)
            launch = index
    return followers, waiting
