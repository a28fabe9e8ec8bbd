"""How does a batch of warps get through a kernel? Choose a block, run it for all that stand there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.events import (
    BarrierPassed,
    BarrierReached,
    BlockIssued,
    BranchTaken,
    LanesSynchronized,
    WarpState,
)
from gpusim.ir.instructions import Barrier, Branch, Exchange, Jump, Opcode, Terminator
from gpusim.machine.bad_access import BadAccess
from gpusim.machine.binding import AnyMemory
from gpusim.machine.diagnosis import Diagnosis
from gpusim.machine.exchange import Exchanges, reads_absent
from gpusim.machine.policy import Policy
from gpusim.machine.scheduling import Masks, Rows, SchedulingModel, pack, unpack
from gpusim.machine.step import Step, Trapped
from gpusim.machine.translate import Registers, Translation
from gpusim.machine.votes import Votes
from gpusim.machine.watch import Watch

STEPS_BETWEEN_LOOKS = 16


@dataclass
class Batch:
    """The resident warps: registers, arrays, positions. All that changes while a kernel runs is here.

    `looked_at` is called every few steps, by which a progress bar learns how far the batch has come.
    """

    translation: Translation
    registers: Registers
    arrays: list[AnyMemory]
    specials: Any
    model: SchedulingModel
    policy: Policy
    step: Step
    exchanges: Exchanges | None
    votes: Votes | None
    wants: frozenset[type]
    step_budget: int
    diagnosis: Diagnosis
    looked_at: Callable[[Batch], None] | None = None

    @property
    def blocks_over(self) -> int:
        """Of how many thread blocks has every thread left?"""
        return int((~self.model.alive.reshape(-1, self.model.warps_per_block).any(axis=1)).sum())

    def run(self) -> None:
        """Until every lane has left. Raises `OutOfBounds`, `Deadlock`, `Livelock`."""
        model, step = self.model, self.step
        pieces = [piece for array in self.arrays for piece in array.reachable]
        translation = self.translation
        watch = Watch(model, self.policy, pieces, translation.blocks, translation.stored)
        steps = 0
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
                        raise self.diagnosis.deadlock()
                    block, rows, masks = choice
                    step.rows = None if len(rows) == len(everyone) else rows
                    step.active = None if (masks == full).all() else unpack(masks)
                self._execute(block, rows, masks)
                steps += 1
                if steps % STEPS_BETWEEN_LOOKS == 0 and self.looked_at is not None:
                    self.looked_at(self)
                if steps > self.step_budget:
                    raise self.diagnosis.endless(block, f"more than {self.step_budget:,} steps")
                why = watch.goes_round(block, self.registers)
                if why and not model.release_waiting():
                    raise self.diagnosis.endless(block, why)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self.diagnosis.interrupted()) from None

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
        except Trapped as found:
            raise self.diagnosis.trapped(found, rows, step.mask) from None
        except BadAccess as found:
            raise self.diagnosis.bad_access(found, rows, step.mask) from None
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
                if end.operands and self.votes is not None:
                    self.votes.cast(rows, masks, end, *outcome)
                whole_grid = end.opcode is Opcode.GRID_BARRIER
                self._pass_barrier(model.wait(rows, masks, block, target, whole_grid))
            case Exchange():
                self._exchange(block, rows, masks, end, outcome)
            case _:
                self._pass_barrier(model.leave(rows, masks, block))
                self._finish_exchanges(rows)

    def _pass_barrier(self, released: Masks | None) -> None:
        """A barrier opened for these lanes, (W,), or for nobody."""
        if released is None:
            return
        if self.votes is not None:
            self.votes.count(released)
        if BarrierPassed in self.wants:
            rows = np.flatnonzero(released)
            warps = rows + self.step.first_warp
            self.step.emit(BarrierPassed(warps, unpack(released[rows]), self.model.whole_grid_passed))

    def _exchange(self, block: int, rows: Rows, masks: Masks, end: Exchange, values: Any) -> None:
        """Lanes that name just each other exchange now; others wait for whom they name."""
        model, exchanges = self.model, self.exchanges
        assert exchanges is not None
        self.diagnosis.check_named(rows, masks, end, values[0])
        complete = exchanges.at_once(rows, masks, model.alive, end, values)
        if LanesSynchronized in self.wants and complete.any():
            argument = np.broadcast_to(
                values[2] if len(values) > 2 else 0, (len(rows), exchanges.site.shape[1])
            )
            self._tell_met(end, rows[complete], masks[complete], argument[complete])
        if complete.all():
            model.jump(rows, masks, block, end.target)
            return
        if not model.lanes_can_wait:
            raise self.diagnosis.not_converged(rows[~complete], masks[~complete], end)
        model.spread()
        model.jump(rows[complete], masks[complete], block, end.target)
        late = ~complete
        shape = len(rows), exchanges.site.shape[1]
        some = [np.broadcast_to(value, shape)[late] for value in values]
        exchanges.arrive(rows[late], masks[late], block, end, some)
        model.hold(rows[late], masks[late], block)
        self._finish_exchanges(rows[late])

    def _finish_exchanges(self, rows: Rows) -> None:
        """Let those go on whose last missing lane has come, or has left the kernel."""
        if self.exchanges is None:
            return
        for where, masks in self.exchanges.complete(rows, self.model.alive):
            lanes, sites = unpack(masks)[0], self.exchanges.site[where[0]]
            if LanesSynchronized in self.wants:
                met_at = self.translation.blocks[sites[lanes][0]].terminator
                self._tell_met(met_at, where, masks, self.exchanges.argument[where])
            for site in np.unique(sites[lanes]):
                here = pack((lanes & (sites == site))[None, :])
                end = self.translation.blocks[site].terminator
                assert isinstance(end, Exchange)
                self.model.resume(where, here, int(site), end.target)

    def _tell_met(self, end: Terminator, rows: Rows, masks: Masks, argument: Any) -> None:
        """Lanes of each warp have met: they named each other. argument: (n, L), as shuffles are given it."""
        assert isinstance(end, Exchange)
        warps, lanes = rows + self.step.first_warp, unpack(masks)
        absent = reads_absent(end.opcode, lanes, argument)
        self.step.emit(LanesSynchronized(end.opcode, warps, lanes, end.span, absent))
