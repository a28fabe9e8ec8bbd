"""When does each grid of a tree of launches begin, and when is it over? The grids' own times, put together.

A thread that launches goes on when the call returns (`gpusim.devices.launching`). Its grid begins a little
later, after those that its stream was given before, and when there is room: grids run side by side while
their blocks fit on the device together, each as fast as if alone; one that fits in part gets on with that
part until others end. A grid is over when its threads have left, then its children are over, and last its
tail launches, one after the other. All times are in clocks from where the tree begins.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from gpusim.devices.launching import Launching
from gpusim.ir.launched import LaunchedBy
from gpusim.timing.model import Grid

WAITS = -1  # in place of a launch's turn: for what the block launched
LITTLE = 1e-9  # of the device


class Returned(NamedTuple):
    """A call returns `at` clocks after its grid began: launch number `turn` of a warp."""

    at: float
    warp: int  # of its block
    turn: int


@dataclass(frozen=True)
class Own:
    """What a grid's own threads take: so many `clocks`, and when those of recorded blocks ask the runtime.

    Block b of others is taken to be like the recorded one that has as many before it on its multiprocessor.
    """

    clocks: float
    calls: dict[int, list[Returned]]
    multiprocessors: int
    turns: int  # how many blocks a multiprocessor has, one after the other or side by side
    issue: float
    asking: float  # for so long a warp is kept by what it launches, at most

    def asks(self, block: int, launched: set[tuple[int, int]]) -> list[Returned]:
        """When do the launches return that a block is known to have made, and when does it wait for them?"""
        place = block // self.multiprocessors
        like = self.calls.get(block, self.calls.get(place * self.multiprocessors, []))
        known = {each[1:] for each in like}
        start = self.clocks * place / self.turns
        others = [Returned(start + (turn + 1) * self.issue, warp, turn) for warp, turn in launched - known]
        return sorted([*others, *(each for each in like if each.turn == WAITS or each[1:] in launched)])


def own(grid: Grid, launching: Launching) -> Own:
    """The time of a recorded grid's threads, without the start and end that a launch of the host takes."""
    (outcome, memory), recorder = grid.found, grid.recorder
    blocks = sorted({warp // recorder.launched.warps_per_block for warp in grid.steps})
    calls: defaultdict[int, list[Returned]] = defaultdict(list)
    turns: Counter[tuple[int, int]] = Counter()
    for place, warp, at, launches in sorted(outcome.asked, key=lambda each: each[2]):
        turn = WAITS
        if launches:
            turn = turns[place, warp]
            turns[place, warp] += 1
        calls[blocks[place]].append(Returned(at, warp, turn))
    many, asking = grid.multiprocessors, launching.issue * max(turns.values(), default=0)
    last = max((at for *_, at, _ in outcome.asked), default=0.0)
    clocks = max(grid.cycles(outcome, memory) - grid.speeds.grid_start, last)
    return Own(clocks, dict(calls), many, -(-len(recorder.work) // many), launching.issue, asking)


def computing(grids: Sequence[TimedGrid]) -> float:
    """For how many clocks did the threads of any grid compute, and not just launch others?"""
    spans = sorted((one.left - max(one.own.clocks - one.own.asking, 0.0), one.left) for one in grids)
    clocks = until = 0.0
    for begin, end in spans:
        clocks += max(end - max(begin, until), 0.0)
        until = max(until, end)
    return clocks


@dataclass
class TimedGrid:
    """A grid of a tree: the number of its parent, who launched it, how often its `blocks` fill the device.

    Found: when it begins, when its threads have `left`, and when all that they launched is over (`end`).
    """

    parent: int | None
    by: LaunchedBy | None
    blocks: int
    fills: float
    own: Own
    warps_per_block: int
    begin: float = 0.0
    left: float = 0.0
    end: float = 0.0
    # on the way
    missing: int = 0
    earliest: float = 0.0
    has_left: bool = False
    unfinished: int = 0  # children
    tails: deque[int] = field(default_factory=deque)
    after_tail: bool = False
    followers: list[int] = field(default_factory=list)
    share: float = 0.0  # of the device, that it has
    work: float = 0.0  # clocks of the whole device that its threads still need
    since: float = 0.0
    version: int = 0
    asking: int = 0  # blocks whose calls are still to come
    delay: float = 0.0
    stretch: float = 1.0  # how much longer its threads take, with the part of the device that it got

    @property
    def needs(self) -> float:
        """The part of the device that its blocks fill."""
        return min(self.fills, 1.0)


class _Blocks(NamedTuple):
    """What a block asks for, in turn."""

    grid: int
    block: int
    calls: list[Returned]


class Tree:
    """One launch of the host, `grids[0]`, and all that it led to, parents before their children."""

    def __init__(self, grids: Sequence[TimedGrid], launching: Launching) -> None:
        self.grids, self._speeds = grids, launching
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._number = count()
        self._free, self._last = 1.0, -launching.interval
        self._queue: deque[int] = deque()
        self._short: list[int] = []
        self._open: Counter[tuple[int, int]] = Counter()  # children that are not over, by grid and block
        self._waiting: dict[tuple[int, int], tuple[_Blocks, int, float, float]] = {}
        self._launched_by: defaultdict[int, defaultdict[int, defaultdict[tuple[int, int], list[int]]]] = (
            defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        )
        numbers = {one.by: number for number, one in enumerate(grids)}
        for number, one in enumerate(grids):
            if one.by is None or one.parent is None:
                continue
            block, warp = divmod(one.by.warp, grids[one.parent].warps_per_block)
            self._launched_by[one.parent][block][warp, one.by.turn].append(number)
            if not one.by.is_tail:
                for before in one.by.after:
                    if before in numbers:
                        grids[numbers[before]].followers.append(number)
                        one.missing += 1

    def run(self) -> float:
        """When is all over?"""
        self._at(0.0, self._enter, 0)
        at = 0.0
        while self._events:
            at, _, what, given = heappop(self._events)
            what(at, *given)
        return self.grids[0].end

    def _at(self, when: float, what: Callable[..., None], *given: Any) -> None:
        """Do something then: its first argument is when."""
        heappush(self._events, (when, next(self._number), what, given))

    # room ---------------------------------------------------------------------------------------------------

    def _enter(self, at: float, number: int) -> None:
        """All that it comes after is over: is there room? Grids begin one after the other."""
        if number:
            start = max(at, self._last + self._speeds.interval)
            self._last = start
            self._at(start, self._take_room, number)
        else:
            self._take_room(at, number)

    def _take_room(self, at: float, number: int) -> None:
        if self._queue or self._free <= LITTLE:
            self._queue.append(number)
        else:
            self._begin(at, number)

    def _give_room(self, at: float, share: float) -> None:
        """To those that have less than they need, and then to those that have none."""
        self._free += share
        for number in list(self._short):
            one = self.grids[number]
            more = min(self._free, one.needs - one.share)
            if more > LITTLE:
                one.work -= (at - one.since) * one.share
                self._free, one.share, one.since = self._free - more, one.share + more, at
                self._leaves(at, number)
            if one.needs - one.share <= LITTLE:
                self._short.remove(number)
        while self._queue and self._free > LITTLE:
            self._begin(at, self._queue.popleft())

    def _begin(self, at: float, number: int) -> None:
        one = self.grids[number]
        one.begin = one.since = at
        one.share = min(self._free, one.needs)
        self._free -= one.share
        one.work = one.own.clocks * one.needs
        blocks = self._launched_by[number]
        one.asking, one.stretch = len(blocks), one.needs / max(one.share, LITTLE)
        for block, launched in blocks.items():
            asks = _Blocks(number, block, one.own.asks(block, set(launched)))
            self._at(at + asks.calls[0].at * one.stretch, self._ask, asks, 0, 0.0)
        if not blocks:
            if one.needs - one.share > LITTLE:
                self._short.append(number)
            self._leaves(at, number)
        full = int(one.fills)
        if one.fills > full >= 1:  # in its last turn some of the device is free
            self._at(at + one.own.clocks * full / (full + 1), self._last_turn, number)

    def _last_turn(self, at: float, number: int) -> None:
        one = self.grids[number]
        rest = one.fills - int(one.fills)
        if not one.has_left and one.share > rest:
            idle = one.share - rest
            one.share = one.fills = rest
            self._give_room(at, idle)

    def _leaves(self, at: float, number: int) -> None:
        """As it has its share now, when will its threads have left?"""
        one = self.grids[number]
        one.version += 1
        self._at(at + max(one.work, 0.0) / max(one.share, LITTLE), self._leave, number, one.version)

    # asking -------------------------------------------------------------------------------------------------

    def _ask(self, at: float, asks: _Blocks, place: int, delay: float) -> None:
        """A block's call number `place` returns, `delay` clocks later than if it had never waited."""
        number, block, calls = asks
        call, key = calls[place], (number, block)
        if call.turn == WAITS and self._open[key]:
            self._waiting[key] = asks, place, delay, at
            self._give_room(at, self._put_aside(number))
            return
        for child in self._launched_by[number][block].get((call.warp, call.turn), ()):
            self._launch(at, number, child)
        self._go_on(at, asks, place, delay)

    def _put_aside(self, number: int) -> float:
        """A block of it makes room for the grids that it waits for: how much?"""
        one = self.grids[number]
        share = min(one.fills / one.blocks, one.share)
        one.share -= share
        return share

    def _go_on(self, at: float, asks: _Blocks, place: int, delay: float) -> None:
        one, calls = self.grids[asks.grid], asks.calls
        if place + 1 < len(calls):
            later = max(at, one.begin + calls[place + 1].at * one.stretch + delay)
            self._at(later, self._ask, asks, place + 1, delay)
            return
        one.delay = max(one.delay, delay)
        one.asking -= 1
        if not one.asking:
            end = one.begin + one.own.clocks * one.stretch + one.delay
            self._at(max(at, end), self._leave, asks.grid, one.version)

    def _launch(self, at: float, parent: int, number: int) -> None:
        by = self.grids[number].by
        assert by is not None
        if by.is_tail:
            self.grids[parent].tails.append(number)
            return
        self.grids[parent].unfinished += 1
        self._open[parent, by.warp // self.grids[parent].warps_per_block] += 1
        self._ready(number, at + self._speeds.begin)

    def _ready(self, number: int, earliest: float) -> None:
        """One of those things has happened after which it begins."""
        one = self.grids[number]
        one.earliest = max(one.earliest, earliest)
        one.missing -= 1
        if one.missing < 0:
            self._at(one.earliest, self._enter, number)

    # over ---------------------------------------------------------------------------------------------------

    def _leave(self, at: float, number: int, version: int) -> None:
        one = self.grids[number]
        if version != one.version:
            return
        one.has_left, one.left = True, at
        self._give_room(at, one.share)
        self._complete(at, number)

    def _complete(self, at: float, number: int) -> None:
        """Is it over, and its parent with it?"""
        while True:
            one = self.grids[number]
            if not one.has_left or one.unfinished:
                return
            if one.tails:
                wait = self._speeds.follow if one.after_tail else self._speeds.tail
                one.after_tail, one.unfinished = True, 1
                self._at(at + wait, self._enter, one.tails.popleft())
                return
            one.end = at
            for follower in one.followers:
                self._ready(follower, at + self._speeds.follow)
            if one.parent is None or one.by is None:
                return
            if not one.by.is_tail:
                self._child_over(at, one.parent, one.by.warp // self.grids[one.parent].warps_per_block)
            number = one.parent
            self.grids[number].unfinished -= 1

    def _child_over(self, at: float, parent: int, block: int) -> None:
        """A block that waits for its children goes on after the last of them."""
        key = parent, block
        self._open[key] -= 1
        if not self._open[key] and key in self._waiting:
            asks, place, delay, since = self._waiting.pop(key)
            back = self.grids[parent].fills / self.grids[parent].blocks
            self._free, self.grids[parent].share = self._free - back, self.grids[parent].share + back
            self._go_on(at, asks, place, delay + at - since)
