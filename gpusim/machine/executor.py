"""How does a batch of warps get through a kernel? Choose a block, run it for all that stand there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from gpusim.errors import Deadlock, InvalidMask, Livelock, OutOfBounds
from gpusim.events import BarrierReached, BlockIssued, BranchTaken, WarpState
from gpusim.ir.instructions import Barrier, Branch, Exchange, Jump
from gpusim.machine.exchange import Exchanges
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
    exchanges: Exchanges | None
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
                        if model.release_waiting():
                            continue
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
            outcome = self.translation.functions[block](self.registers, self.arrays, self.specials, step)
        except OutsideArray as found:
            self._outside(found, rows)
        match end:
            case Branch(then=then, otherwise=otherwise):
                uniform = np.ndim(outcome) == 0 or outcome.shape[1] == 1
                chosen = np.where(np.ravel(outcome), masks, 0) if uniform else pack(outcome) & masks
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
            case Exchange():
                self._exchange(block, rows, masks, end, outcome)
            case _:
                model.leave(rows, masks, block)
                self._finish_exchanges(rows)

    def _exchange(self, block: int, rows: Rows, masks: Masks, end: Exchange, values: Any) -> None:
        """Lanes that name just each other exchange now; others wait for whom they name."""
        model, exchanges = self.model, self.exchanges
        assert exchanges is not None
        self._check_named(rows, masks, end, values[0])
        complete = exchanges.at_once(rows, masks, model.alive, end, values)
        if complete.all():
            model.jump(rows, masks, block, end.target)
            return
        if not model.lanes_can_wait:
            self._not_converged(rows[~complete], masks[~complete], end)
        model.spread()
        model.jump(rows[complete], masks[complete], block, end.target)
        late = ~complete
        some = [np.broadcast_to(value, (len(rows), self.lanes))[late] for value in values]
        exchanges.arrive(rows[late], masks[late], block, end, some)
        model.hold(rows[late], masks[late], block)
        self._finish_exchanges(rows[late])

    def _finish_exchanges(self, rows: Rows) -> None:
        """Let those go on whose last missing lane has come, or has left the kernel."""
        if self.exchanges is None:
            return
        for where, masks in self.exchanges.complete(rows, self.model.alive):
            lanes, sites = unpack(masks)[0], self.exchanges.site[where[0]]
            for site in np.unique(sites[lanes]):
                here = pack((lanes & (sites == site))[None, :])
                end = self.translation.blocks[site].terminator
                assert isinstance(end, Exchange)
                self.model.resume(where, here, int(site), end.target)

    def _check_named(self, rows: Rows, masks: Masks, end: Exchange, named: Any) -> None:
        """Every lane must be among the lanes that it names."""
        own = np.uint64(1) << np.arange(self.lanes, dtype=np.uint64)
        missing = unpack(masks) & (np.broadcast_to(named, (len(rows), self.lanes)) & own == 0)
        if missing.any():
            position, lane = np.argwhere(missing)[0]
            thread, block = self._thread(int(rows[position]), int(lane))
            raise InvalidMask(
                f"thread {thread} of block {block} is lane {lane} of its warp, and its mask does not name it",
                end.span,
                "a lane may only meet others with a mask that holds its own bit",
            )

    def _not_converged(self, rows: Rows, masks: Masks, end: Exchange) -> NoReturn:
        thread, block = self._thread(int(rows[0]), int(unpack(masks[:1])[0].argmax()))
        raise InvalidMask(
            f"the mask names lanes that do not run with thread {thread} of block {block}; a warp with one "
            f"program counter has only the lanes {int(masks[0]):#x} here",
            end.span,
            "call it where all lanes of the mask are together, or on a device with independent lanes",
        )

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
        waiting = unpack((self.model.at_barrier() | self.model.held()) & self.model.alive)
        elsewhere = unpack(self.model.alive) & ~waiting
        blocks = self.translation.blocks
        positions = self.model.positions()
        row, lane = np.argwhere(waiting if waiting.any() else elsewhere)[0]
        span = blocks[positions[row, lane]].terminator.span
        lines = sorted({blocks[position].terminator.span.line for position in np.unique(positions[waiting])})
        places = " and of line ".join(map(str, lines))
        exchange = bool(self.model.held().any())
        what = "for others at line" if exchange else "at the barrier of line"
        message = f"{int(waiting.sum())} lane(s) wait {what} {places}"
        if elsewhere.any():
            message += f"; they miss {self._places(elsewhere)}"
        elif len(lines) > 1:
            rule = "must name each other" if exchange else "of one warp must wait at the same barrier"
            message += f": lanes {rule}"
        raise Deadlock(
            message,
            span,
            "let every lane that the mask names come here"
            if exchange
            else "let every thread of the block reach the same barrier",
        )

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
