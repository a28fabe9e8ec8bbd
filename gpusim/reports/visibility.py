"""What do a parent and its children see of each other's writes, and which barrier or launch makes it so?

Boxes are what threads did, and where grids begin and end; arrows say what each comes directly after. An arrow
with a guard, the number of a barrier, launch, wait or stream, falls away when a reader removes that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpusim.devices.device import Dim3
from gpusim.reports.launch_tree import Launcher
from gpusim.reports.order import OrderRow
from gpusim.reports.report import Report, Titled


@dataclass(frozen=True, slots=True)
class SeenGrid(Report):
    """A lane: one grid of the tree, as text and by who launched it; None where the host did."""

    number: int
    called: str
    kernel: str
    grid: Dim3
    block: Dim3
    stream: str
    by: Launcher | None


@dataclass(frozen=True, slots=True)
class Guard(Report):
    """What orders, and can be taken away: a barrier, a launch, a wait or a stream; `without`: what then?"""

    kind: str
    called: str
    without: str


@dataclass(frozen=True, slots=True)
class GuardedArrow(Report):
    """From an earlier box, by number; why: a key of `VisibilityReport.whys`; guard: its number, or -1."""

    box: int
    why: str
    guard: int = -1


@dataclass(frozen=True, slots=True)
class VisibilityBox(Report):
    """What was done in a grid at a row. `cell` is what was read or written, "" for none; `called` names it.

    kind: "write", "read", "atomic", "launch", "barrier", "wait", "begin" or "end".
    """

    row: int
    grid: int
    kind: str
    who: str
    cell: str
    called: str
    after: tuple[GuardedArrow, ...]


@dataclass(frozen=True, slots=True)
class Sight(Report):
    """What a read sees: writes that come before it, none of which another one replaces (`sees`; nothing:
    what was there at first), and writes that nothing orders with it, which it may see or not (`may_see`).

    `certain`: there are none of these, and of several that it sees none need be the last: all are atomics.
    """

    box: int
    sees: tuple[int, ...]
    may_see: tuple[int, ...]
    certain: bool


@dataclass(frozen=True, slots=True, repr=False)
class VisibilityReport(Titled):
    """The grids of one tree, what they did in order, and what reads see. `left_out`: accesses after that."""

    cdp: int
    grids: tuple[SeenGrid, ...]
    rows: tuple[OrderRow, ...]
    boxes: tuple[VisibilityBox, ...]
    guards: tuple[Guard, ...]
    whys: Mapping[str, str]
    reads: tuple[Sight, ...]
    left_out: int

    def without(self, *guards: int) -> tuple[Sight, ...]:
        """What each read sees if these guards were not there, by number."""
        return sights(self.boxes, frozenset(guards))


def before(boxes: Sequence[VisibilityBox], removed: frozenset[int] = frozenset()) -> list[int]:
    """Of each box, the earlier ones that come before it, as bits."""
    found: list[int] = []
    for box in boxes:
        bits = 0
        for arrow in box.after:
            if arrow.guard not in removed:
                bits |= found[arrow.box] | 1 << arrow.box
        found.append(bits)
    return found


def sights(boxes: Sequence[VisibilityBox], removed: frozenset[int] = frozenset()) -> tuple[Sight, ...]:
    """What each read sees, when some guards are removed."""
    earlier = before(boxes, removed)
    writes = [number for number, box in enumerate(boxes) if box.kind in ("write", "atomic")]
    found = []
    for read, box in enumerate(boxes):
        if box.kind not in ("read", "atomic"):
            continue
        others = [write for write in writes if write != read and boxes[write].cell == box.cell]
        known = [write for write in others if earlier[read] >> write & 1]
        sees = tuple(one for one in known if not any(earlier[two] >> one & 1 for two in known))
        may = (one for one in others if one not in known and not earlier[one] >> read & 1)
        atomic = box.kind == "atomic"
        unordered = tuple(one for one in may if not (atomic and boxes[one].kind == "atomic"))
        one_result = len(sees) < 2 or all(boxes[one].kind == "atomic" for one in sees)
        found.append(Sight(read, sees, unordered, one_result and not unordered))
    return tuple(found)
