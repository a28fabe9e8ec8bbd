"""How does a batch of warps get through a kernel? Choose a block, run it for all that stand there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from gpusim.errors import Deadlock, Livelock, OutOfBounds
from gpusim.events import BarrierReached, BlockIssued, BranchTaken, WarpState
from gpusim.ir.instructions import Barrier, Branch, Jump
from gpusim.machine.memory import OutsideArray, Storage
from gpusim.machine.policy import Policy
from gpusim.machine.scheduling import Masks, Rows, SchedulingModel, pack, unpack
from gpusim.machine.step import Step
from gpusim.machine.translate import Registers, Translation
from gpusim.machine.watch import Watch
from gpusim.source import Span


@dataclass
class Batch:
    """The resident warps: registers, arrays, positions. All that changes while a kernel runs is here."""

    translation: Translation
    registers: Registers
    arrays: list[Storage]
    specials: Any
    model: SchedulingModel
    policy: Policy
    step: Step
    wants: frozenset[type]
    step_budget: int
    first_block: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    lanes: int
    kernel: str

    def run(self) -> None:
        """Until every lane has left. Raises `OutOfBounds`, `Deadlock`, `Livelock`."""
        model, step = self.model, self.step
        steps, watch = 0, Watch(model, self.policy, self.arrays)
        everyone = np.arange(len(model.present))
        full = np.iinfo(model.present.dtype).max
        first_lanes = unpack(model.present)
        whole = bool(first_lanes.all())
        try:
            while not model.over:
                if model.together is not None:
                    block, rows, masks = model.together, everyone, model.present
                    step.rows, step.active = None, None if whole else first_lanes
                else:
                    choice = self.policy.choose(model)
                    if choice is None:
                        self._deadlock()
                    block, rows, masks = choice
                    step.rows = None if len(rows) == len(everyone) else rows
                    step.active = None if (masks == full).all() else unpack(masks)
                self._execute(block, rows, masks)
                steps += 1
                if steps > self.step_budget:
                    self._endless(f"more than {self.step_budget:,} steps")
                if watch.goes_round(block, self.registers) and not model.release_waiting():
                    self._endless("no lane changes anything any more")
        except KeyboardInterrupt:
            where = self._places(unpack(model.alive))
            raise KeyboardInterrupt(f"{self.kernel} was interrupted; its lanes stood at {where}") from None

    def _execute(self, block: int, rows: Rows, masks: Masks) -> None:
        wants, step, model = self.wants, self.step, self.model
        end = self.translation.blocks[block].terminator
        if BlockIssued in wants:
            lanes = step.mask.size if step.active is None else int(np.count_nonzero(step.active))

            def state(position: int) -> WarpState:
                return model.state(int(rows[position]), int(masks[position]))

            step.emit(BlockIssued(block, step.warps, step.mask, lanes, state))
        try:
            condition = self.translation.functions[block](self.registers, self.arrays, self.specials, step)
        except OutsideArray as found:
            self._outside(found, rows)
        match end:
            case Branch(then=then, otherwise=otherwise):
                uniform = np.ndim(condition) == 0 or condition.shape[1] == 1
                chosen = np.where(np.ravel(condition), masks, 0) if uniform else pack(condition) & masks
                taken = chosen.astype(masks.dtype)
                if BranchTaken in wants:
                    step.emit(BranchTaken(block, step.warps, step.mask, unpack(taken), end.span))
                model.branch(rows, masks, taken, block, then, otherwise)
            case Jump(target=target):
                model.jump(rows, masks, block, target)
            case Barrier(target=target):
                if BarrierReached in wants:
                    step.emit(BarrierReached(step.warps, step.mask, end.span))
                model.wait(rows, masks, block, target)
            case _:
                model.leave(rows, masks, block)

    # what went wrong --------------------------------------------------------------------------------------

    def _thread(self, row: int, lane: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(thread, block) coordinates of a lane."""
        number, warp = divmod(row, self.model.warps_per_block)
        linear = warp * self.lanes + lane
        return _coordinates(linear, self.block), _coordinates(self.first_block + number, self.grid)

    def _outside(self, found: OutsideArray, rows: Rows) -> NoReturn:
        shape = (len(rows), self.lanes)
        outside = np.broadcast_to(found.outside, shape) & self.step.mask
        position, lane = np.argwhere(outside)[0]
        index = int(np.broadcast_to(found.index, shape)[position, lane])
        thread, block = self._thread(int(rows[position]), int(lane))
        storage, span = found.storage, found.instruction.span
        length = storage.shape[found.axis]
        count = int(outside.sum())
        others = f" (and {count - 1} other lanes in this step)" if count > 1 else ""
        axis = f" along axis {found.axis}" if len(storage.shape) > 1 else ""
        raise OutOfBounds(
            f"thread {thread} of block {block} uses index {index} of {storage.name!r}, "
            f"whose length{axis} is {length}{others}",
            span,
            "guard it, for example with `if i < n`",
            thread=thread,
            block=block,
            array=storage.name,
            index=(index,),
        ) from None

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
        found = self.translation.blocks[block]
        return found.instructions[0].span if found.instructions else found.terminator.span

    def _deadlock(self) -> NoReturn:
        waiting = unpack(self.model.at_barrier() & self.model.alive)
        elsewhere = unpack(self.model.alive) & ~waiting
        blocks = self.translation.blocks
        positions = self.model.positions()
        row, lane = np.argwhere(waiting if waiting.any() else elsewhere)[0]
        span = blocks[positions[row, lane]].terminator.span
        lines = sorted({blocks[position].terminator.span.line for position in np.unique(positions[waiting])})
        places = " and of line ".join(map(str, lines))
        message = f"{int(waiting.sum())} lane(s) wait at the barrier of line {places}"
        if elsewhere.any():
            message += f"; they miss {self._places(elsewhere)}"
        elif len(lines) > 1:
            message += ": lanes of one warp must wait at the same barrier"
        raise Deadlock(message, span, "let every thread of the block reach the same barrier")

    def _endless(self, why: str) -> NoReturn:
        alive = unpack(self.model.alive)
        row, lane = np.argwhere(alive)[0]
        self.model.spread()
        span = self._span(int(self.model.positions()[row, lane]))
        raise Livelock(
            f"{self.kernel} does not end ({why}): {self._places(alive)}",
            span,
            "check the loop's condition; a kernel that is only long needs gpusim.use(step_budget=…)",
        )


def _coordinates(linear: int, extents: tuple[int, int, int]) -> tuple[int, ...]:
    x, y, _z = extents
    return linear % x, linear // x % y, linear // (x * y)
