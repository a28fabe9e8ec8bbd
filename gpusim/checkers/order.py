"""Which access of a thread happens before which of another, and by what? For the happens-before view.

Racecheck's `Knowledge` is asked at every access which earlier ones happen before it. What each box comes
*directly* after is read from the events themselves: program order, barriers, and hand-overs from one fence to
another by the atomics between them. Where threads that are not shown pass on what is known, an arrow says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.checkers.between_grids import DID
from gpusim.checkers.findings import Findings
from gpusim.checkers.races import CONFLICTS, OTHER_BLOCKS, Races
from gpusim.events import (
    BarrierPassed,
    BarrierReached,
    Event,
    FenceExecuted,
    GridLaunched,
    LanesSynchronized,
    MemoryAccess,
    NamedBarrierUsed,
    barrier_name,
)
from gpusim.ir.details import Scope
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import Space
from gpusim.reports.order import Arrow, OrderBox, OrderReport, OrderRow, OrderVariant, Pair, nexts
from gpusim.source import Span, spelled

MOST_ACCESSES, MOST_ROWS = 40, 60
WHYS = {
    "program order": "the thread does it afterwards",
    "barrier": "all threads wait for each other",
    "syncwarp": "the lanes that it names wait for each other",
    "named barrier": "it waits for those who come to the barrier",
    "hand-over": "atomics between the two fences hand it over",
    "seen": "the atomic sees what the other left",
    "others": "threads that are not shown pass it on",
}
LOCK_STEP = "the lanes of a warp run in lock-step"
KINDS = {"load": "read", "store": "write", "atomic": "atomic", "block atomic": "atomic"}
DOES = {
    "read": "read{s} {what}",
    "write": "write{s} {what}",
    "atomic": "update{s} {what} atomically",
    "fence": "execute{s} a fence",
    "barrier": "meet{s} at the {what}",
    "syncwarp": "meet{s} at {what}",
    "named barrier": "{be} {what}",
}
APART = "either may come first. They share no bytes that one of them writes."
ATOMIC = "either may come first, but both are atomic: that is no race."
Reasons = dict[int, tuple[str, tuple[int, ...]]]  # earlier box -> why, and by which boxes


@dataclass
class _Box:
    """`accessed`: (space, block, first byte, end, kind); `known`: earlier accesses that happen before it."""

    row: int
    threads: list[int]
    kind: str
    text: str
    called: str
    time: int
    after: Reasons
    before: int
    accessed: tuple[Any, ...] = ()
    done: Any = None  # an access, by which instruction
    known: set[int] = field(default_factory=set)
    seen: dict[int, int] = field(default_factory=dict)  # atomics -> the later ones that saw them


@dataclass(frozen=True)
class _Release:
    """An atomic, and the last fence before it: of any scope, and of device scope."""

    box: int
    block: int
    wide: bool
    fences: tuple[int, int | None]


class Order(Races):
    """Racecheck that keeps what some threads did. threads: their numbers in the grid; array: its name."""

    wants = Races.wants | {BarrierReached}

    def __init__(self, launched: GridLaunched, threads: Iterable[int], array: str | None = None) -> None:
        super().__init__(Findings(), launched)
        self.boxes: list[_Box] = []
        self.rows: list[OrderRow] = []
        self.left_out = 0
        self._array = array
        geometry, (x, y, z) = self._regions.geometry, launched.block
        per_block, self._several = x * y * z, launched.grid != (1, 1, 1)
        blocks = (divmod(thread, per_block) for thread in threads)
        self._shown = [block * geometry.threads_per_block + thread for block, thread in blocks]
        self._last: dict[int, list[int]] = {}
        self._last_before = self._last
        self._again = 1
        self._came: dict[tuple[int, int, int], list[int]] = {}
        self._fences: dict[int, tuple[int, int | None]] = {}
        self._releases: dict[Any, list[_Release]] = defaultdict(list)
        self._heard: dict[int, dict[Any, tuple[int, int]]] = defaultdict(dict)
        self._line: Span | None = None

    def observe(self, event: Event) -> None:
        """Keep what the shown threads do."""
        super().observe(event)
        if self.left_out or len(self.rows) == MOST_ROWS:
            self.left_out += len(self._shown_of(event)) if isinstance(event, MemoryAccess) else 0
            return
        match event:
            case BarrierReached(span=span, named=False):
                self._line = span
            case MemoryAccess():
                self._accesses(event)
            case BarrierPassed(whole_grid=True):
                self._meet("barrier", "barrier of the grid", [self._shown], self._line)
            case BarrierPassed(warps=warps):
                blocks = set((warps // self._regions.geometry.warps_per_block).tolist())
                groups = [[t for t in self._shown if self._block(t) == block] for block in sorted(blocks)]
                self._meet("barrier", "barrier", groups, self._line)
            case LanesSynchronized(opcode=Opcode.SYNC_WARP, warps=warps, active=active, span=span):
                lanes = self._regions.geometry.lanes
                of = self._of(warps, active)
                groups = [[t for t in of if t // lanes == warp] for warp in warps.tolist()]
                self._meet("syncwarp", "syncwarp", groups, span)
            case NamedBarrierUsed():
                self._named(event)
            case FenceExecuted(scope=scope, warps=warps, active=active, span=span):
                wide, agents = scope is not Scope.CTA, {}
                for thread in self._of(warps, active):
                    after = self._acquired([thread], wide)
                    called = f"fence of {self._name(thread)} (line {span.line})"
                    agents[thread] = self._add([thread], "fence", "fence", called, after)
                for thread, box in agents.items():
                    agent = self._agent(thread)
                    self._fences[agent] = box, box if wide else self._fences.get(agent, (0, None))[1]
                self._end_row(span, "What {} did before can be handed over by an atomic from here on.")

    # who ----------------------------------------------------------------------------------------------------

    def _agent(self, thread: int) -> int:
        return thread // self._knowledge.lanes_per_agent

    def _block(self, thread: int) -> int:
        return thread // self._regions.geometry.threads_per_block

    def _of(self, warps: Any, active: Any) -> list[int]:
        threads = set(self._regions.geometry.threads_of(warps, active).tolist())
        return [thread for thread in self._shown if thread in threads]

    def _name(self, thread: int, short: bool = False) -> str:
        block, number = divmod(thread, self._regions.geometry.threads_per_block)
        if short:
            return f"b{block} t{number}" if self._several else f"thread {number}"
        return f"thread {number} of block {block}" if self._several else f"thread {number}"

    # what it comes after ------------------------------------------------------------------------------------

    def _add(self, threads: list[int], kind: str, text: str, called: str, after: Reasons) -> int:
        """A box of the row that is being made; of what it comes after, only the direct is kept."""
        for thread in threads:
            for box in self._last.get(self._agent(thread), ()):
                after.setdefault(box, ("program order", ()))
        before = 0
        for box in after:
            before |= self.boxes[box].before
        direct = {box: why for box, why in sorted(after.items()) if not before >> box & 1}
        for box in direct:
            before |= 1 << box
        time = len(self._done) - 1
        called = called or f"{text} for {self._names(threads)}"
        self.boxes.append(_Box(len(self.rows), threads, kind, text, called, time, direct, before))
        return len(self.boxes) - 1

    def _end_row(self, span: Span | None, says: str = "") -> None:
        """All boxes since the last row were made at once."""
        made = [number for number, box in enumerate(self.boxes) if box.row == len(self.rows)]
        if not made:
            return
        last: dict[int, list[int]] = defaultdict(list)
        for number in made:
            for agent in {self._agent(thread) for thread in self.boxes[number].threads}:
                last[agent].append(number)
        self._last_before, self._last = self._last, self._last | last
        handed = [
            f"{self._names(box.threads)} now know{'s' * (len(box.threads) == 1)} what "
            f"{self._names(self.boxes[fence].threads)} knew at the {self.boxes[fence].called}."
            for box in self.boxes[made[0] :]
            for fence, (why, _via) in box.after.items()
            if why == "hand-over"
        ]
        who = [thread for number in made for thread in self.boxes[number].threads]
        done = list(dict.fromkeys(self.boxes[number].text for number in made))
        what = ", ".join(done) if len(done) < 4 else f"{done[0]} to {done[-1]}"
        kind, one = self.boxes[made[0]].kind, len(who) == 1
        does = DOES[kind].format(s="s" * one, be="is" if one else "are", what=what)
        often = f" {self._again} times in a row" if self._again > 1 and self.boxes[-1].accessed else ""
        told = f"{self._names(who)} {does}{often}{f' (line {span.line})' if span else ''}."
        sentences = [told, *([says.format("it" if one else "they")] if says else []), *handed]
        told = " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)
        self.rows.append(OrderRow(span.line if span else 0, span.text.strip() if span else "", told))

    def _names(self, threads: Sequence[int]) -> str:
        """`thread 3`, `threads 0 to 7 of block 1`."""
        if len(threads) == 1:
            return self._name(threads[0])
        per_block, named = self._regions.geometry.threads_per_block, list[str]()
        for block in sorted({self._block(thread) for thread in threads}):
            own = sorted(thread % per_block for thread in threads if self._block(thread) == block)
            together = len(own) > 2 and own[-1] - own[0] == len(own) - 1
            numbers = f"{own[0]} to {own[-1]}" if together else ", ".join(map(str, own))
            of_block = f" of block {block}" if self._several else ""
            named.append(f"thread{'s' * (len(own) > 1)} {numbers}{of_block}")
        return " and ".join(named)

    def _acquired(self, threads: Iterable[int], across_blocks: bool) -> Reasons:
        """Fences whose knowledge was handed over to atomics that these threads did before."""
        found: Reasons = {}
        for agent in dict.fromkeys(map(self._agent, threads)):
            block = self._block(agent * self._knowledge.lanes_per_agent)
            for (cell, across), (box, count) in list(self._heard[agent].items()):
                for release in self._releases[cell][:count] if across <= across_blocks else ():
                    fence = release.fences[across]
                    if (release.block != block) == across and fence is not None and across <= release.wide:
                        found[fence] = "hand-over", (release.box, box)
                if across <= across_blocks:
                    del self._heard[agent][cell, across]
        return found

    def _meet(self, kind: str, text: str, groups: Iterable[list[int]], span: Span | None) -> None:
        for threads in groups:
            if threads:
                after = self._acquired(threads, True)
                for thread in threads:
                    for box in self._last.get(self._agent(thread), ()):
                        after[box] = kind, ()
                line = f" (line {span.line})" if span else ""
                self._add(threads, kind, text, f"{text}{line}", after)
        self._end_row(span, "What each of them did before, happens before what all of them do now.")

    def _named(self, event: NamedBarrierUsed) -> None:
        for block, phase, _agents in self._knowledge.parties(event.warps, event.active, event.phases):
            party = set(self._of(event.warps, event.active & (event.phases == phase)))
            own = [t for t in self._shown if t in party and self._block(t) == block]
            key, name = (block, event.number, phase), barrier_name(event.number, self._launch.arrays)
            came = self._came.setdefault(key, [])
            if event.arrives:
                for thread in own:
                    after = self._acquired([thread], True)
                    came.append(self._add([thread], "named barrier", f"at {name}", "", after))
                continue
            # who did nothing since they came know the same, and each other: they go on as one
            as_one = all(set(self._last.get(self._agent(thread), [-1])) <= {*came} for thread in own)
            for together in [own] if as_one and own else [[thread] for thread in own]:
                reasons: Reasons = dict.fromkeys(came, ("named barrier", ()))
                self._add(together, "named barrier", f"past {name}", "", reasons)
        self._end_row(None)

    # accesses -----------------------------------------------------------------------------------------------

    def _accesses(self, event: MemoryAccess) -> None:
        array, who = event.instruction.array, self._shown_of(event)
        if sum(bool(box.accessed) for box in self.boxes) + len(who) > MOST_ACCESSES:
            self.left_out += len(who)
            return
        kind, made = self._kind(event), list[tuple[int, int]]()
        self._again = self._again + 1 if self._polled(event, who) else 1
        threads = self._regions.geometry.threads_of(event.warps, event.active).tolist()
        addresses = dict(zip(threads, event.addresses[event.active].tolist(), strict=True))
        for thread in who:
            first = addresses[thread]
            place = self._places.element(event.space, first, array.memory.name if array else "")
            text = place.removeprefix(f"{event.space.value} ")
            called = f"{KINDS[kind]} of {text} by {self._name(thread)} (line {event.instruction.span.line})"
            box = self._add([thread], KINDS[kind], text, called, {})
            block = self._block(thread) if event.space is Space.SHARED else None
            self.boxes[box].accessed = event.space, block, first, first + event.width, kind
            self.boxes[box].done = event.instruction
            made.append((thread, box))
        for thread, box in made:
            self._judge(thread, box)
        for thread, box in made if kind.endswith("atomic") else ():
            self._hand_over(thread, box, kind == "atomic")
        self._end_row(event.instruction.span)

    def _polled(self, event: MemoryAccess, who: list[int]) -> bool:
        """Did the same threads do the same just now, as in a loop that waits? Then the last time counts."""
        last = [number for number, box in enumerate(self.boxes) if box.row == len(self.rows) - 1]
        boxes = [self.boxes[number] for number in last]
        if not who or event.kind == "store" or who != [box.threads[0] for box in boxes]:
            return False
        same = all(box.done is event.instruction for box in boxes)
        if not same or {*event.addresses[event.active].tolist()} != {box.accessed[2] for box in boxes}:
            return False
        del self.boxes[last[0] :]
        self.rows.pop()
        self._last = self._last_before
        for cell, releases in self._releases.items():
            self._releases[cell] = [one for one in releases if one.box < last[0]]
        return True

    def _shown_of(self, event: MemoryAccess) -> list[int]:
        """Threads whose access is shown."""
        array = event.instruction.array
        wanted = event.kind == "atomic" or self._array in (None, array.memory.name if array else "")
        written = any(region in self._watched for region, _ in self._regions.of(event))
        return self._of(event.warps, event.active) if wanted and written else []

    def _judge(self, thread: int, box: int) -> None:
        """Ask which earlier accesses happen before this one, and add arrows where no others lead to it."""
        new = self.boxes[box]
        earlier = [n for n, one in enumerate(self.boxes) if one.accessed and one.time < new.time]
        known = np.array([self.boxes[n].threads[0] for n in earlier], np.int64)
        times = np.array([self.boxes[n].time for n in earlier], np.int64)
        orders = self._knowledge.orders(np.full_like(known, thread), known, times)
        new.known = {n for n, ordered in zip(earlier, orders.tolist(), strict=True) if ordered}
        for number in sorted(new.known, reverse=True):
            if not new.before >> number & 1:
                new.after[number] = "others", ()
                new.before |= self.boxes[number].before | 1 << number
        atomics = [n for n in earlier if self._same(n, box) and self.boxes[n].kind == "atomic"]
        for y in reversed(atomics):
            for x in atomics if y in new.known or y in new.seen else ():
                if x < y and x not in new.known and self._same(x, y) and self._include(x, y):
                    new.seen.setdefault(x, y)

    def _same(self, one: int, other: int) -> bool:
        a, b = self.boxes[one].accessed, self.boxes[other].accessed
        return bool(a[:2] == b[:2] and a[2] < b[3] and b[2] < a[3])

    def _include(self, one: int, other: int) -> bool:
        """Do the scopes of two atomics include both?"""
        a, b = self.boxes[one], self.boxes[other]
        wide = a.accessed[4] == b.accessed[4] == "atomic"
        return wide or self._block(a.threads[0]) == self._block(b.threads[0])

    def _hand_over(self, thread: int, box: int, wide: bool) -> None:
        agent, cell = self._agent(thread), self.boxes[box].accessed[:3]
        for across in (False, True)[: 1 + wide]:
            self._heard[agent][cell, across] = box, len(self._releases[cell])
        if agent in self._fences:
            self._releases[cell].append(_Release(box, self._block(thread), wide, self._fences[agent]))

    # the report ---------------------------------------------------------------------------------------------

    def _pair(self, first: int, second: int) -> Pair | None:
        """What is to be said of two accesses that nothing orders."""
        a, b, boxes = self.boxes[first], self.boxes[second], (first, second)
        kinds = a.accessed[4], b.accessed[4]
        apart = self._block(a.threads[0]) != self._block(b.threads[0])
        meets = CONFLICTS[kinds[1]].get(kinds[0], None)
        if not self._same(first, second) or kinds == ("load", "load"):
            return None
        if meets is None or (meets is OTHER_BLOCKS and not apart):
            return Pair(boxes, False, ATOMIC, "")
        did = [f"{self._name(one.threads[0])} {DID[one.accessed[4].split()[-1]]}" for one in (a, b)]
        says = f"both touch {b.text}, which is a race: {did[0]} it, {did[1]} it."
        hint = self._hint(a.threads[0], b.threads[0], a.done, b.done)
        return Pair(boxes, True, says, spelled(hint, self._launch.function.source.language))

    def _drawn(self, box: _Box, way: Iterable[int]) -> OrderBox:
        lanes = tuple(sorted(self._shown.index(thread) for thread in box.threads))
        after = tuple(Arrow(at, *why) for at, why in sorted(box.after.items()))
        return OrderBox(box.row, lanes, box.kind, box.text, box.called, after, tuple(way))

    def report(self, title: str = "") -> OrderReport:
        """All of it, for the view."""
        boxes, name = self.boxes, self._launch.function.name
        ways = [list(way) for way in nexts([list(box.after) for box in boxes])]
        for box, way in zip(boxes, ways, strict=True):
            for x, y in box.seen.items():
                way[x] = y
                boxes[y].after.setdefault(x, ("seen", ()))
        whys = {why for box in boxes for why, _via in box.after.values()}
        said = WHYS | ({"program order": LOCK_STEP} if self._knowledge.lock_step else {})
        accesses = [number for number, box in enumerate(boxes) if box.accessed]
        pairs = (self._pair(a, b) for b in accesses for a in accesses if a < b and ways[b][a] < 0)
        variant = OrderVariant(
            label=name,
            what="accesses",
            lanes=tuple(self._name(thread, short=True) for thread in self._shown),
            whys={why: says for why, says in said.items() if why in whys},
            rows=tuple(self.rows),
            boxes=tuple(self._drawn(box, way) for box, way in zip(boxes, ways, strict=True)),
            pairs=tuple(pair for pair in pairs if pair is not None),
            apart=APART,
            left_out=f"More accesses, left out: {self.left_out:,}." if self.left_out else "",
        )
        return OrderReport(title or name, (variant,))
