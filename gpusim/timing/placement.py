"""Which multiprocessor has which thread block, from when to when? The rule of placement.

Blocks start in the order of their numbers. The next one goes to the multiprocessor with most room, of equals
to that with the lowest number: at first one to each, then a second, and later to whoever has room first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Stay(NamedTuple):
    """A block is on a multiprocessor, from when to when."""

    multiprocessor: int
    start: float
    end: float


class Tail(NamedTuple):
    """From `start` on, places are free for which no block is left.

    `idle`: the part of the multiprocessors' time until the end in which one has no block; `empty`: the part
    of the places'.
    """

    start: float
    idle: float
    empty: float


def placed(
    work: npt.NDArray[np.float64],
    rate: float,
    alone: float,
    multiprocessors: int,
    resident: int,
    *,
    in_turn: bool = False,
) -> list[Stay]:
    """Where and when is each block, `resident` of them at a time on a multiprocessor?

    work: (blocks,), instructions. A multiprocessor gets through `rate` of them a clock, of which each of its
    blocks has its share, but no block more than `alone`. in_turn: block b waits for multiprocessor b mod
    their number, whoever else has room.

    >>> placed(np.array([8.0, 1, 1]), 2.0, 1.0, 2, 1)  # block 2 goes where block 1 has left
    [Stay(multiprocessor=0, start=0.0, end=8.0), Stay(multiprocessor=1, start=0.0, end=1.0), \
Stay(multiprocessor=1, start=1.0, end=2.0)]
    """
    amounts: list[float] = work.tolist()
    queues = multiprocessors if in_turn else 1
    waiting = [deque(range(first, len(amounts), queues)) for first in range(queues)]
    left: list[dict[int, float]] = [{} for _ in range(multiprocessors)]
    stays = [Stay(0, 0.0, 0.0)] * len(amounts)
    ends: list[tuple[float, int]] = []
    at, changed = 0.0, list(range(multiprocessors))
    while True:
        room = [(len(left[index]), index) for index in changed]
        heapify(room)
        while room:
            there, index = heappop(room)
            if waiting[index % queues] and there < resident:
                block = waiting[index % queues].popleft()
                left[index][block], stays[block] = amounts[block], Stay(index, at, at)
                heappush(room, (there + 1, index))
        for index in changed:
            if blocks := left[index]:
                heappush(ends, (at + min(blocks.values()) / min(alone, rate / len(blocks)), index))
        if not ends:
            return stays
        at, changed = ends[0][0], []
        while ends and ends[0][0] == at:
            index = heappop(ends)[1]
            changed.append(index)
            done = min(left[index].values())
            for block, rest in list(left[index].items()):
                if rest > done:
                    left[index][block] = rest - done
                else:
                    del left[index][block]
                    stays[block] = stays[block]._replace(end=at)


def tail(stays: Sequence[Stay], multiprocessors: int, resident: int) -> Tail:
    """When does the end of a grid begin, and how much is free in it?"""
    last_start, end = max(stay.start for stay in stays), max(stay.end for stay in stays)
    running = [stay for stay in stays if stay.end > last_start]
    start = last_start
    if len(running) == multiprocessors * resident:
        start = min(stay.end for stay in running)
    if start >= end:
        return Tail(end, 0.0, 0.0)
    until = dict[int, float]()
    for stay in running:
        until[stay.multiprocessor] = max(until.get(stay.multiprocessor, start), stay.end)
    whole = multiprocessors * (end - start)
    busy, taken = (sum(each - start for each in ends) for ends in (until.values(), (s.end for s in running)))
    return Tail(start, 1 - busy / whole, 1 - taken / (whole * resident))
