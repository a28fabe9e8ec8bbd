"""What went wrong, where, in whose thread, and what to do? The errors of a batch that cannot go on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.errors import (
    BarrierMisused,
    Deadlock,
    GpuSimError,
    InvalidMask,
    KernelRaised,
    Livelock,
    raised_as,
)
from gpusim.events import Lanes
from gpusim.ir.control_flow import Block, reachable_from, successors
from gpusim.ir.terminators import Barrier, Exchange
from gpusim.machine.functions.exchange import register_bits
from gpusim.machine.layout import Layout
from gpusim.machine.memory.bad_access import BadAccess
from gpusim.machine.models.scheduling import Masks, Rows, SchedulingModel, pack, unpack
from gpusim.machine.named_barriers import Misused, NamedBarriers
from gpusim.machine.step import Trapped
from gpusim.machine.watch import NOTHING_CHANGES, NOTHING_DECIDES
from gpusim.source import Span

PROVEN = "nothing that runs changes what the loop's condition tests: check the condition"
ONLY_LONG = (
    "check the loop's condition; for a kernel that is only long, write gpusim.use(step_budget=…) with a "
    "larger number in a line before its launch"
)
MOST_BARRIERS = 3  # that are told of, where lanes wait at many


@dataclass(frozen=True)
class Diagnosis:
    """Names threads and lines of a batch."""

    kernel: str
    layout: Layout
    blocks: Sequence[Block]
    model: SchedulingModel

    def check_named(self, rows: Rows, masks: Masks, end: Exchange, named: Any) -> None:
        """Every lane must be among the lanes that it names."""
        names = register_bits(named, len(rows))
        own = np.uint64(1) << np.arange(self.layout.lanes, dtype=np.uint64)
        themselves = pack(names & own != 0) if names.shape[1] > 1 else names[:, 0].astype(masks.dtype)
        missing = masks & ~themselves
        if missing.any():
            position, lane = np.argwhere(unpack(missing))[0]
            thread, block = self.layout.thread(int(rows[position]), int(lane))
            raise InvalidMask(
                f"thread {thread} of block {block} is lane {lane} of its warp, and its mask does not name it",
                end.span,
                "a lane may only meet others with a mask that holds its own bit",
            )

    def not_converged(self, rows: Rows, masks: Masks, end: Exchange) -> InvalidMask:
        """A warp with one program counter executes an exchange without lanes that it names."""
        thread, block = self.layout.thread(int(rows[0]), int(unpack(masks[:1])[0].argmax()))
        return InvalidMask(
            f"the mask names lanes that do not run with thread {thread} of block {block}; a warp with one "
            f"program counter has only the lanes {int(masks[0]):#x} here",
            end.span,
            "call it where all lanes of the mask are together, or on a device with independent lanes",
        )

    def misused(self, found: Misused, end: Barrier) -> BarrierMisused:
        """A lane came to a named barrier that does not expect it."""
        thread, block = self.layout.thread(found.row, found.lane)
        return BarrierMisused(f"thread {thread} of block {block} {found}", end.span, found.hint)

    def parted(self, rows: Rows, masks: Masks, end: Barrier) -> BarrierMisused:
        """Some lanes of a warp with one program counter could go on from a named barrier, others not."""
        thread, block = self.layout.thread(int(rows[0]), int(unpack(masks[:1])[0].argmax()))
        return BarrierMisused(
            f"thread {thread} of block {block} would wait without other lanes of its warp, which has one "
            "program counter",
            end.span,
            "let whole warps come to one barrier, or use a device with independent lanes",
        )

    def trapped(self, found: Trapped, rows: Rows, active: Lanes) -> KernelRaised:
        """Lanes reached a `raise`, or an `assert` that does not hold."""
        row, lane = np.argwhere(active)[0]
        thread, block = self.layout.thread(int(rows[row]), int(lane))
        count = int(active.sum())
        others = f" (and {count - 1} other lanes in this step)" if count > 1 else ""
        return raised_as(found.kind)(
            f"thread {thread} of block {block}{others}: {found}",
            found.instruction.span,
            "with debug=True, Numba checks this on a GPU, too",
            thread=thread,
            block=block,
        )

    def bad_access(self, found: BadAccess, rows: Rows, active: Lanes) -> GpuSimError:
        """Active lanes mean no element of the array, or none that can be read at once."""
        shape = (len(rows), self.layout.lanes)
        lanes = np.broadcast_to(found.lanes, shape) & active
        place = tuple(np.argwhere(lanes)[0])
        thread, block = self.layout.thread(int(rows[place[0]]), int(place[1]))
        count = int(lanes.sum())
        others = f" (and {count - 1} other lanes in this step)" if count > 1 else ""

        def at(values: Any) -> int:
            return int(np.broadcast_to(values, shape)[place])

        what, hint, details = found.told(at)
        return found.error(
            f"thread {thread} of block {block} {what}{others}",
            found.instruction.span,
            hint,
            thread=thread,
            block=block,
            array=found.name,
            **details,
        )

    def _places(self, lanes: Any) -> str:
        """`8 lanes at saxpy.py:14 (threads (0, 0, 0), …)` for each line where some of the lanes stand."""
        self.model.spread()
        positions = self.model.positions()
        places: dict[str, list[tuple[int, int]]] = {}
        for row, lane in np.argwhere(lanes):
            span = self.blocks[positions[row, lane]].span
            place = f"line {span.line} `{span.source.line(span.line).strip()}`"
            places.setdefault(place, []).append((int(row), int(lane)))
        parts = []
        for place, members in sorted(places.items()):
            thread, block = self.layout.thread(*members[0])
            parts.append(f"{len(members)} lane(s) at {place}, first thread {thread} of block {block}")
        return "; ".join(parts)

    def deadlock(self, barriers: NamedBarriers | None = None) -> Deadlock:
        """No lane can run. `barriers`: those that parts of blocks share."""
        waiting = unpack((self.model.at_barrier() | self.model.held()) & self.model.alive)
        elsewhere = unpack(self.model.alive) & ~waiting
        positions = self.model.positions()
        exchange = bool(self.model.held().any())
        asking = unpack(self.model.held() & self.model.alive) if exchange else waiting
        row, lane = np.argwhere(asking if asking.any() else elsewhere)[0]
        span = self.blocks[positions[row, lane]].terminator.span
        short = [] if barriers is None else barriers.missing(int(row))
        lines = sorted(
            {_line(self.blocks[position].terminator.span) for position in np.unique(positions[waiting])}
        )
        before, between = (
            ("for others at line ", " and line ")
            if exchange
            else ("at the barrier of line ", " and of line ")
        )
        message = f"{int(waiting.sum())} lane(s) wait {before}{between.join(text for _, text in lines)}"
        for name, came, needs in short[:MOST_BARRIERS]:
            of = f"of the {needs} threads that {name} counts have come"
            to_all = f"threads have come to {name}, which waits for all that have not left"
            message += f"; {came} {of if needs else to_all}"
        if elsewhere.any():
            message += f"; they miss {self._places(elsewhere)}"
        elif len(lines) > 1:
            rule = "must name each other" if exchange else "of one warp must wait at the same barrier"
            if exchange and unpack(self.model.at_barrier() & self.model.alive).any():
                rule = "that wait at a barrier do not come"
            message += f": lanes {rule}"
        return Deadlock(
            message,
            span,
            "let all threads that it counts come to the barrier"
            if short
            else "let every lane that the mask names come here"
            if exchange
            else "let every thread of the block reach the same barrier",
        )

    def endless(self, last: int, why: str) -> Livelock:
        """Lanes run on and on; the block `last` was what some of them just executed."""
        model, ready = self.model, np.zeros_like(self.model.alive)
        model.spread()
        for block in model.blocks():
            ready |= model.standing(block)
        loop = [each for each in self._after(last) if last in self._after(each)]
        looks = any(one.opcode.accesses_memory for each in loop for one in self.blocks[each].instructions)
        hint = PROVEN if why in (NOTHING_CHANGES, NOTHING_DECIDES) else ONLY_LONG
        if looks and not model.lanes_can_wait and (model.alive & ~ready & ~model.at_barrier()).any():
            hint = (
                "other lanes of the warp wait where its branches meet, perhaps with what the loop waits for; "
                'gpusim.use(scheduling="independent") lets them run'
            )
        begun = sum(part.first + part.blocks for part in self.layout.parts)
        waiting = sum(math.prod(part.grid) for part in self.layout.parts) - begun
        later = ""
        if waiting and looks:  # perhaps for what one of those would write
            later = (
                f"; {waiting:,} {'block has' if waiting == 1 else 'blocks have'} not begun: "
                f"{self.layout.blocks} are all that are resident at once, and one of these must end first"
            )
            hint = (
                "a block must not wait for one that may not be resident: launch as many as fit at once "
                "(a cooperative launch checks it), or let each block take its work from a counter"
            )
        return Livelock(
            f"{self.kernel} does not end ({why}): {self._places(unpack(self.model.alive))}{later}",
            self.blocks[last].span,
            hint,
        )

    def _after(self, block: int) -> set[int]:
        """The blocks that may run after this one; itself, if it is in a loop."""
        following = successors(self.blocks[block].terminator)
        return set(following).union(*(reachable_from(self.blocks, each) for each in following))

    def interrupted(self) -> str:
        """Where the lanes stood when the user had enough."""
        return f"{self.kernel} was interrupted; its lanes stood at {self._places(unpack(self.model.alive))}"


def _line(span: Span) -> tuple[int, str]:
    """A line by its number, and from where it is called: two calls of one function are two places."""
    called = "".join(f" (called from line {caller.line})" for caller in span.callers)
    return span.line, f"{span.line}{called}"
