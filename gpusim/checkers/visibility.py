"""What of a parent's writes do its children see, and the reverse? Keeps what a small tree of grids did.

What orders two boxes is read from the events themselves, and once more asked of racecheck: what that knows
to be ordered besides, by fences and atomics or by `syncwarp`, gets an arrow of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gpusim.checkers.findings import Findings
from gpusim.checkers.launch_order import Requested
from gpusim.checkers.races import Races, Trees
from gpusim.events import (
    BarrierPassed,
    BarrierReached,
    ChildLaunched,
    ChildrenAwaited,
    Event,
    GridLaunched,
    MemoryAccess,
)
from gpusim.ir.types import Space
from gpusim.reports.launch_tree import Launcher
from gpusim.reports.order import OrderRow
from gpusim.reports.source import SourceLine
from gpusim.reports.visibility import Guard, GuardedArrow, SeenGrid, VisibilityBox, VisibilityReport, sights
from gpusim.source import Span

MOST_BOXES, SHOWN = 160, 8
KINDS = {"load": "read", "store": "write", "atomic": "atomic"}
DOES = {"read": "read{s}", "write": "write{s}", "atomic": "update{s}"}
WHYS = {
    "program order": "the thread does it afterwards",
    "barrier": "all threads of the block wait for each other",
    "launch": "a child sees what its launching thread knew",
    "begin": "no thread of a grid is earlier than the grid",
    "end": "a grid is over when its threads have left and its children are over",
    "wait": "cudaDeviceSynchronize() waits for the children of the block",
    "stream": "a grid begins when the one before it in its stream, or that of an event, is over",
    "tail launch": "it begins when its parent's threads have left and all else is over that they launched",
    "others": "a fence and an atomic, syncwarp, or threads that are not shown pass it on",
}
WITHOUT = {
    "barrier": "threads of the block know only what they did themselves",
    "launch": "the child would know nothing of what its parent did before",
    "wait": "the thread goes on while the children run",
    "stream": "both may run at once",
    "tail launch": "it may begin while its parent and the others run",
}


@dataclass
class Story:
    """The boxes of one tree: the first in which a kernel launches another."""

    tree: object = None
    cdp: int = 2
    grids: list[Teller] = field(default_factory=list)
    rows: list[OrderRow] = field(default_factory=list)
    boxes: list[VisibilityBox] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    left_out: int = 0

    def report(self) -> VisibilityReport | None:
        """All of it; None where no kernel launched any."""
        if not self.boxes:
            return None
        grids = tuple(grid.seen for grid in self.grids)
        whys = {arrow.why for box in self.boxes for arrow in box.after}
        return VisibilityReport(
            grids[0].kernel,
            self.cdp,
            grids,
            tuple(self.rows),
            tuple(self.boxes),
            tuple(self.guards),
            {why: says for why, says in WHYS.items() if why in whys},
            sights(self.boxes),
            self.left_out,
        )

    def guard(self, kind: str, called: str) -> int:
        """One more that can be taken away."""
        self.guards.append(Guard(kind, called, WITHOUT[kind]))
        return len(self.guards) - 1

    def end_row(self, span: Span | None, says: str) -> None:
        """All boxes since the last row were made at once."""
        line, text = (span.line, span.text.strip()) if span else (0, "")
        self.rows.append(OrderRow(line, text, says[:1].upper() + says[1:]))


class Teller(Races):
    """Racecheck that also keeps what the first threads of each block did, of a grid of the story's tree."""

    wants = Races.wants | {BarrierReached}

    def __init__(self, findings: Findings, launched: GridLaunched, trees: Trees, story: Story) -> None:
        super().__init__(findings, launched, trees)
        self._story, tree, above = story, self.grid.tree, self.grid.requested
        if story.tree is None and not tree.alone:
            story.tree, story.cdp = tree, launched.cdp
        self._shown = story.tree is tree and self._has_room()
        if not self._shown:
            return
        self.above = next((one for one in story.grids if one.grid is self.grid.parent), None)
        self._last: dict[int, list[int]] = defaultdict(list)
        self._waits: dict[int, ChildrenAwaited] = {}
        self._accesses: list[tuple[int, int, int]] = []  # box, thread, time
        self._launches: dict[Requested, int] = {}
        self._ends: dict[Requested, int] = {}
        self._left = False
        self._line: Span | None = None
        number, name = len(story.grids), launched.function.name
        same = sum(one._launch.function.name == name for one in story.grids)
        called = name if not same else f"{name} ({same + 1})"
        self.seen: SeenGrid = SeenGrid(
            number,
            called,
            name,
            launched.grid,
            launched.block,
            above.by.stream if above else "",
            self._launcher(above),
        )
        story.grids.append(self)
        self._begin = self._begins(above) if above and self.above else -1

    def observe(self, event: Event) -> None:
        """Keep what the shown threads do."""
        super().observe(event)
        if self._story.tree is not self.grid.tree:
            return
        room = self._shown and self._has_room()
        match event:
            case MemoryAccess(space=Space.GLOBAL) if not room:
                self._story.left_out += bool(self._of(event.warps, event.active))
            case _ if not room:
                return
            case BarrierReached(span=span):
                self._line = span
            case MemoryAccess(space=Space.GLOBAL):
                self._uses(event)
            case BarrierPassed(warps=warps, active=active):
                self._come_together(self._of(warps, active))
            case ChildLaunched(warps=warps, active=active):
                for thread in self._of(warps, active):
                    self._launches_one(thread, self.grid.order.requested[event.by])
            case ChildrenAwaited(warps=warps, active=active):
                self._waits.update(dict.fromkeys(self._of(warps, active), event))

    def ended(self, error: BaseException | None) -> None:
        """Its threads have left."""
        super().ended(error)
        if self._shown and error is None and self._has_room():
            for thread in list(self._waits):
                self._go_on(thread)
            self._left = True
            self._finish()

    # boxes --------------------------------------------------------------------------------------------------

    def _has_room(self) -> bool:
        return len(self._story.boxes) < MOST_BOXES

    def _add(
        self, threads: list[int], kind: str, cell: str, arrows: Iterable[GuardedArrow], span: Span | None
    ) -> int:
        number, who = (
            len(self._story.boxes),
            f"{self._names(threads)} of {self.seen.called}" if threads else "",
        )
        known = {arrow.box: arrow for arrow in arrows}
        what = (
            f"{kind} of {cell} by {who}"
            if cell
            else f"{kind} of {self.seen.called}"
            if not who
            else f"{kind} by {who}"
        )
        called = what + (f" (line {span.line})" if span else "")
        ordered = tuple(arrow for _, arrow in sorted(known.items()))
        self._story.boxes.append(
            VisibilityBox(len(self._story.rows), self.seen.number, kind, who, cell, called, ordered)
        )
        return number

    def _after(self, thread: int) -> list[GuardedArrow]:
        """What a thread did before."""
        last = self._last.get(thread, [self._begin] if self._begin >= 0 else [])
        return [GuardedArrow(box, "begin" if box == self._begin else "program order") for box in last]

    def _of(self, warps: np.ndarray, active: np.ndarray) -> list[int]:
        found = self._regions.geometry.threads_of(warps, active).tolist()
        return [thread for thread in found if thread % self._regions.geometry.threads_per_block < SHOWN]

    def _names(self, threads: list[int]) -> str:
        """As in "threads 0, 1 of blocks 0, 1", or "thread 0 of block 0 and thread 1 of block 1"."""
        per_block = self._regions.geometry.threads_per_block
        alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for block in sorted({thread // per_block for thread in threads}):
            own = sorted(thread % per_block for thread in threads if thread // per_block == block)
            alike[tuple(own)].append(block)
        one_block = self._launch.grid == (1, 1, 1)
        return " and ".join(
            _numbered("thread", own) + ("" if one_block else f" of {_numbered('block', blocks)}")
            for own, blocks in alike.items()
        )

    def _uses(self, event: MemoryAccess) -> None:
        threads = self._of(event.warps, event.active)
        if not threads:
            return
        for thread in threads:
            self._go_on(thread)
        kind, array = KINDS[event.kind], event.instruction.array
        lanes = self._regions.geometry.threads_of(event.warps, event.active).tolist()
        addresses = dict(zip(lanes, event.addresses[event.active].tolist(), strict=True))
        time, span, made = len(self._done) - 1, event.instruction.span, dict[int, int]()
        name = array.memory.name if array else ""
        root = self._story.grids[0].grid.places
        for thread in threads:
            cell = root.element(event.space, addresses[thread], name).removeprefix("global ")
            arrows = [*self._after(thread), *self._passed_on(thread, time)]
            made[thread] = self._add([thread], kind, cell, arrows, span)
        for thread, box in made.items():
            self._last[thread] = [box]
            self._accesses.append((box, thread, time))
        cells = list(dict.fromkeys(self._story.boxes[box].cell for box in made.values()))
        does = DOES[kind].format(s="s" * (len(threads) == 1))
        what = ", ".join(cells) if len(cells) < 4 else f"{cells[0]} to {cells[-1]}"
        says = f"{self._names(threads)} of {self.seen.called} {does} {what} (line {span.line})."
        self._story.end_row(span, says)

    def _passed_on(self, thread: int, time: int) -> list[GuardedArrow]:
        """Accesses of this grid that racecheck knows to come before, and no arrow leads from."""
        earlier = [
            (box, other, then) for box, other, then in self._accesses if other != thread and then < time
        ]
        if not earlier:
            return []
        boxes, known, times = np.array(earlier).T
        orders = self._knowledge.orders(np.full_like(known, thread), known, times)
        reached, queue = set[int](), [arrow.box for arrow in self._after(thread)]
        while queue:
            box = queue.pop()
            if box not in reached:
                reached.add(box)
                queue += [arrow.box for arrow in self._story.boxes[box].after]
        return [GuardedArrow(box, "others") for box in boxes[orders].tolist() if box not in reached]

    def _come_together(self, threads: list[int]) -> None:
        per_block = self._regions.geometry.threads_per_block
        for block in sorted({thread // per_block for thread in threads}):
            own = [thread for thread in threads if thread // per_block == block]
            for thread in own:
                self._go_on(thread)
            line = f" at line {self._line.line}" if self._line else ""
            whose = f"of {self.seen.called}" if self._launch.grid == (1, 1, 1) else f"of block {block}"
            guard = self._story.guard("barrier", f"the barrier{line} {whose}")
            arrows = [GuardedArrow(a.box, "barrier", guard) for thread in own for a in self._after(thread)]
            box = self._add(own, "barrier", "", arrows, self._line)
            for thread in own:  # what a thread did itself comes before, with the barrier or without it
                last = self._last.get(thread, [self._begin] if self._begin >= 0 else [])
                self._last[thread] = [*last, box]
            says = f"{self._names(own)} of {self.seen.called} meet{'s' * (len(own) == 1)} at the barrier"
            self._story.end_row(self._line, f"{says}: what each of them knew, all know now.")

    def _launches_one(self, thread: int, requested: Requested) -> None:
        self._go_on(thread)
        by = requested.by
        box = self._add([thread], "launch", "", self._after(thread), by.span)
        self._last[thread], self._launches[requested] = [box], box
        stream = f"into {by.stream.replace('default', 'its default stream')}"
        stream = "as a tail launch" if by.is_tail else "to fire and forget" if by.is_free else stream
        says = (
            f"{self._names([thread])} of {self.seen.called} launches a grid {stream} (line {by.span.line})."
        )
        self._story.end_row(by.span, f"{says} That grid will see what the thread knows now.")

    def _go_on(self, thread: int) -> None:
        """A thread that waited for its block's grids does something again."""
        event = self._waits.pop(thread, None)
        if event is None:
            return
        waits = [one for one in self.grid.order.waited_by(thread) if one.span == event.span][-1:]
        guard = self._story.guard(
            "wait", f"cudaDeviceSynchronize() of {self._names([thread])}, line {event.span.line}"
        )
        arrows = [
            GuardedArrow(box, "wait", guard)
            for one, box in self._ends.items()
            if any(wait.over.get(one.stream, -1) >= one.number for wait in waits)
        ]
        box = self._add([thread], "wait", "", [*self._after(thread), *arrows], event.span)
        self._last[thread] = [box]
        says = f"{self._names([thread])} of {self.seen.called} goes on behind cudaDeviceSynchronize()"
        says += f" (line {event.span.line}): it sees what its children wrote. Other threads do not yet."
        self._story.end_row(event.span, says)

    # grids --------------------------------------------------------------------------------------------------

    def _launcher(self, above: Requested | None) -> Launcher | None:
        if above is None or self.above is None:
            return None
        by = above.by
        return Launcher(self.above.seen.number, by.block, by.thread, SourceLine.of(by.span))

    def _begins(self, above: Requested) -> int:
        story, parent = self._story, self.above
        assert parent is not None
        arrows = list[GuardedArrow]()
        if above in parent._launches:
            guard = story.guard("launch", f"the launch of {self.seen.called} at line {above.by.span.line}")
            arrows.append(GuardedArrow(parent._launches[above], "launch", guard))
        queued = set(above.by.all_after)
        before = [box for one, box in parent._ends.items() if one.by in queued or above.follows_as_tail(one)]
        kind = "tail launch" if above.by.is_tail else "stream"
        if before or above.by.is_tail:
            guard = story.guard(kind, f"the {kind} of {self.seen.called}")
            arrows += [GuardedArrow(box, kind, guard) for box in before]
        if above.by.is_tail:
            lasts = [box for boxes in parent._last.values() for box in boxes]
            arrows += [GuardedArrow(box, kind, guard) for box in lasts]
        box = self._add([], "begin", "", arrows, None)
        knows = f"what thread {above.by.thread} knew at line {above.by.span.line}"
        knows += ", and what those did that came before it in its stream" if before else ""
        knows = "all that its parent and the others did" if above.by.is_tail else knows
        story.end_row(above.by.span, f"Grid {self.seen.called} begins. It sees {knows}.")
        return box

    def _finish(self) -> None:
        """Its threads have left: is it over, and its parent with it?"""
        if not self._left or len(self._ends) < len(self._launches) or not self._has_room():
            return
        lasts = [box for boxes in self._last.values() for box in boxes] or [self._begin] * (self._begin >= 0)
        arrows = [GuardedArrow(box, "end") for box in [*lasts, *self._ends.values()]]
        box = self._add([], "end", "", arrows, None)
        above, parent = self.grid.requested, self.above
        who = "the host sees all that the tree wrote"
        if parent is not None:
            who = "only a tail launch, a later grid of its stream, or the host is to see what it wrote"
            if self._launch.cdp == 1:
                who = "who waits for it with cudaDeviceSynchronize() sees what it wrote"
        self._story.end_row(None, f"Grid {self.seen.called} is over: {who}.")
        if parent is not None and above is not None:
            parent._ends[above] = box
            parent._finish()


def _numbered(name: str, numbers: Sequence[int]) -> str:
    together = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
    shown = f"{numbers[0]} to {numbers[-1]}" if together else ", ".join(map(str, numbers))
    return f"{name}{'s' * (len(numbers) > 1)} {shown}"
