"""What went wrong, where, in whose thread, and what to do? The errors of a batch that cannot go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.errors import (
    Deadlock,
    GpuSimError,
    InvalidMask,
    KernelRaised,
    Livelock,
    MisalignedAccess,
    OutOfBounds,
    UseAfterFree,
)
from gpusim.events import Lanes
from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import Exchange
from gpusim.machine.exchange import register_bits
from gpusim.machine.memory import BadAccess, Freed, Misaligned, OutsideArray, OutsideMemory
from gpusim.machine.scheduling import Masks, Rows, SchedulingModel, pack, unpack
from gpusim.machine.step import Trapped, coordinates
from gpusim.source import Span

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Diagnosis:
    """Names threads and lines of a batch: its first thread block is number `first_block` of the grid."""

    kernel: str
    grid: Dim3
    block: Dim3
    first_block: int
    lanes: int
    blocks: Sequence[Block]
    model: SchedulingModel

    def check_named(self, rows: Rows, masks: Masks, end: Exchange, named: Any) -> None:
        """Every lane must be among the lanes that it names."""
        names = register_bits(named, len(rows))
        own = np.uint64(1) << np.arange(self.lanes, dtype=np.uint64)
        themselves = pack(names & own != 0) if names.shape[1] > 1 else names[:, 0].astype(masks.dtype)
        missing = masks & ~themselves
        if missing.any():
            position, lane = np.argwhere(unpack(missing))[0]
            thread, block = self._thread(int(rows[position]), int(lane))
            raise InvalidMask(
                f"thread {thread} of block {block} is lane {lane} of its warp, and its mask does not name it",
                end.span,
                "a lane may only meet others with a mask that holds its own bit",
            )

    def not_converged(self, rows: Rows, masks: Masks, end: Exchange) -> InvalidMask:
        """A warp with one program counter executes an exchange without lanes that it names."""
        thread, block = self._thread(int(rows[0]), int(unpack(masks[:1])[0].argmax()))
        return InvalidMask(
            f"the mask names lanes that do not run with thread {thread} of block {block}; a warp with one "
            f"program counter has only the lanes {int(masks[0]):#x} here",
            end.span,
            "call it where all lanes of the mask are together, or on a device with independent lanes",
        )

    def _thread(self, row: int, lane: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(thread, block) coordinates of a lane."""
        number, warp = divmod(row, self.model.warps_per_block)
        linear = warp * self.lanes + lane
        return coordinates(linear, self.block), coordinates(self.first_block + number, self.grid)

    def trapped(self, found: Trapped, rows: Rows, active: Lanes) -> KernelRaised:
        """Lanes reached a `raise`, or an `assert` that does not hold."""
        row, lane = np.argwhere(active)[0]
        thread, block = self._thread(int(rows[row]), int(lane))
        count = int(active.sum())
        others = f" (and {count - 1} other lanes in this step)" if count > 1 else ""
        return KernelRaised(
            f"thread {thread} of block {block}{others}: {found.instruction.name}",
            found.instruction.span,
            "on a GPU, Numba checks this with debug=True only",
            thread=thread,
            block=block,
        )

    def bad_access(self, found: BadAccess, rows: Rows, active: Lanes) -> GpuSimError:
        """Active lanes mean no element of the array, or none that can be read at once."""
        shape = (len(rows), self.lanes)
        lanes = np.broadcast_to(found.lanes, shape) & active
        place = tuple(np.argwhere(lanes)[0])
        thread, block = self._thread(int(rows[place[0]]), int(place[1]))
        count = int(lanes.sum())
        others = f" (and {count - 1} other lanes in this step)" if count > 1 else ""
        who, storage, span = f"thread {thread} of block {block}", found.storage, found.instruction.span

        def at(values: Any) -> int:
            return int(np.broadcast_to(values, shape)[place])

        if isinstance(found, Misaligned):
            address, width = at(found.addresses), storage.element.bytes
            return MisalignedAccess(
                f"{who} uses {width} bytes of {storage.name!r} at address {address:#x}, "
                f"which is not a multiple of {width}{others}",
                span,
                f"let the view begin at a multiple of {width} bytes",
                thread=thread,
                block=block,
                array=storage.name,
                address=address,
            )
        if isinstance(found, Freed):
            return UseAfterFree(
                f"{who} uses {storage.name!r}, whose memory was freed{others}",
                span,
                "free it after the last kernel that uses it",
                thread=thread,
                block=block,
                array=storage.name,
            )
        index: tuple[int, ...] = ()
        match found:
            case OutsideArray(axis=number):
                index = (at(found.index),)
                axis = f" along axis {number}" if storage.dimensions > 1 else ""
                what = f"uses index {index[0]} of {storage.name!r}, whose length{axis} is {at(found.length)}"
                hint = "guard it, for example with `if i < n`"
            case OutsideMemory():
                first, size = at(found.first_bytes), storage.region[1]
                what = f"uses byte {first} of the {size} bytes that {storage.name!r} is a part of"
                hint = "a view cannot be larger than its array"
            case _:
                raise AssertionError(f"no message for {found!r}")
        return OutOfBounds(
            f"{who} {what}{others}", span, hint, thread=thread, block=block, array=storage.name, index=index
        )

    def _places(self, lanes: Any) -> str:
        """`8 lanes at saxpy.py:14 (threads (0, 0, 0), …)` for each line where some of the lanes stand."""
        self.model.spread()
        positions = self.model.positions()
        places: dict[str, list[tuple[int, int]]] = {}
        for row, lane in np.argwhere(lanes):
            places.setdefault(self._place(int(positions[row, lane])), []).append((int(row), int(lane)))
        parts = []
        for place, members in sorted(places.items()):
            thread, block = self._thread(*members[0])
            parts.append(f"{len(members)} lane(s) at {place}, first thread {thread} of block {block}")
        return "; ".join(parts)

    def _place(self, block: int) -> str:
        span = self._span(block)
        return f"line {span.line} `{span.source.line(span.line).strip()}`"

    def _span(self, block: int) -> Span:
        found = self.blocks[block]
        return found.instructions[0].span if found.instructions else found.terminator.span

    def deadlock(self) -> Deadlock:
        """No lane can run."""
        waiting = unpack((self.model.at_barrier() | self.model.held()) & self.model.alive)
        elsewhere = unpack(self.model.alive) & ~waiting
        positions = self.model.positions()
        row, lane = np.argwhere(waiting if waiting.any() else elsewhere)[0]
        span = self.blocks[positions[row, lane]].terminator.span
        lines = sorted(
            {self.blocks[position].terminator.span.line for position in np.unique(positions[waiting])}
        )
        exchange = bool(self.model.held().any())
        before, between = (
            ("for others at line ", " and line ")
            if exchange
            else ("at the barrier of line ", " and of line ")
        )
        message = f"{int(waiting.sum())} lane(s) wait {before}{between.join(map(str, lines))}"
        if elsewhere.any():
            message += f"; they miss {self._places(elsewhere)}"
        elif len(lines) > 1:
            rule = "must name each other" if exchange else "of one warp must wait at the same barrier"
            message += f": lanes {rule}"
        return Deadlock(
            message,
            span,
            "let every lane that the mask names come here"
            if exchange
            else "let every thread of the block reach the same barrier",
        )

    def endless(self, why: str) -> Livelock:
        """Lanes run on and on."""
        alive = unpack(self.model.alive)
        row, lane = np.argwhere(alive)[0]
        self.model.spread()
        span = self._span(int(self.model.positions()[row, lane]))
        return Livelock(
            f"{self.kernel} does not end ({why}): {self._places(alive)}",
            span,
            "check the loop's condition; a kernel that is only long needs gpusim.use(step_budget=…)",
        )

    def interrupted(self) -> str:
        """Where the lanes stood when the user had enough."""
        return f"{self.kernel} was interrupted; its lanes stood at {self._places(unpack(self.model.alive))}"
