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
from gpusim.machine.scheduling import Rows, SchedulingModel
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
    kernel: str

    def run(self) -> None:
        """Until every lane has left. Raises `OutOfBounds`, `Deadlock`, `Livelock`."""
        steps, watch = 0, Watch(self.model, self.policy, self.arrays)
        all_rows = np.arange(len(self.model.alive))
        whole = bool(self.model.present.all())
        try:
            while not self.model.over:
                if self.model.together is not None:
                    block, rows, active = self.model.together, all_rows, self.model.present
                    self.step.rows, self.step.active = None, None if whole else active
                else:
                    choice = self.policy.choose(self.model)
                    if choice is None:
                        self._deadlock()
                    block, rows, active = choice
                    self.step.rows = None if len(rows) == len(all_rows) else rows
                    self.step.active = None if active.all() else active
                self._execute(block, rows, active)
                steps += 1
                if steps > self.step_budget:
                    self._endless(f"more than {self.step_budget:,} steps")
                if watch.goes_round(block, self.registers) and not self.model.release_waiting():
                    self._endless("no lane changes anything any more")
        except KeyboardInterrupt:
            where = self._places(self.model.alive)
            raise KeyboardInterrupt(f"{self.kernel} was interrupted; its lanes stood at {where}") from None

    def _execute(self, block: int, rows: Rows, active: Any) -> None:
        wants, step = self.wants, self.step
        end = self.translation.blocks[block].terminator
        if BlockIssued in wants:
            lanes = active.size if step.active is None else int(np.count_nonzero(active))

            def state(position: int) -> WarpState:
                return self.model.state(int(rows[position]), active[position])

            step.emit(BlockIssued(block, step.warps, active, lanes, state))
        try:
            condition = self.translation.functions[block](self.registers, self.arrays, self.specials, step)
        except OutsideArray as found:
            self._outside(found, rows)
        match end:
            case Branch(then=then, otherwise=otherwise):
                taken = np.broadcast_to(condition, active.shape)
                if BranchTaken in wants:
                    step.emit(BranchTaken(block, step.warps, active, taken & active, end.span))
                self.model.branch(rows, active, taken, block, then, otherwise)
            case Jump(target=target):
                self.model.jump(rows, active, target)
            case Barrier(target=target):
                if BarrierReached in wants:
                    step.emit(BarrierReached(step.warps, active, end.span))
                self.model.wait(rows, active, target)
            case _:
                self.model.leave(rows, active)

    # what went wrong --------------------------------------------------------------------------------------

    def _thread(self, row: int, lane: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(thread, block) coordinates of a lane."""
        number, warp = divmod(row, self.model.warps_per_block)
        linear = warp * self.model.alive.shape[1] + lane
        return _coordinates(linear, self.block), _coordinates(self.first_block + number, self.grid)

    def _outside(self, found: OutsideArray, rows: Rows) -> NoReturn:
        shape = (len(rows), self.model.alive.shape[1])
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
        positions = self.model.position_of_lanes()
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
        waiting = self.model.at_barrier() & self.model.alive
        elsewhere = self.model.alive & ~waiting
        barrier_blocks = {
            block.terminator.target: block.terminator.span
            for block in self.translation.blocks
            if isinstance(block.terminator, Barrier)
        }
        positions = self.model.position_of_lanes()
        row, lane = np.argwhere(waiting if waiting.any() else self.model.alive)[0]
        span = barrier_blocks.get(int(positions[row, lane]), self._span(int(positions[row, lane])))
        lines = sorted({barrier_blocks[int(p)].line for p in np.unique(positions[waiting])})
        places = " and of line ".join(map(str, lines))
        message = f"{int(waiting.sum())} lane(s) wait at the barrier of line {places}"
        if elsewhere.any():
            message += f"; they miss {self._places(elsewhere)}"
        elif len(lines) > 1:
            message += ": lanes of one warp must wait at the same barrier"
        raise Deadlock(message, span, "let every thread of the block reach the same barrier")

    def _endless(self, why: str) -> NoReturn:
        alive = self.model.alive
        row, lane = np.argwhere(alive)[0]
        self.model.spread()
        span = self._span(int(self.model.position_of_lanes()[row, lane]))
        raise Livelock(
            f"{self.kernel} does not end ({why}): {self._places(alive)}",
            span,
            "check the loop's condition; a kernel that is only long needs gpusim.use(step_budget=…)",
        )


def _coordinates(linear: int, extents: tuple[int, int, int]) -> tuple[int, ...]:
    x, y, _z = extents
    return linear % x, linear // x % y, linear // (x * y)
