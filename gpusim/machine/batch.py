"""How does a batch of warps get through a kernel? Choose a block, run it for all that stand there."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import GpuSimError
from gpusim.events import (
    BarrierPassed,
    BarrierReached,
    BlockIssued,
    BranchTaken,
    GridObserver,
    Lanes,
    LanesSynchronized,
    NamedBarrierUsed,
    WarpState,
)
from gpusim.ir.instructions import Opcode
from gpusim.ir.terminators import ARRIVES, Barrier, Branch, Exchange, Jump, Terminator
from gpusim.machine.asking import Misasked
from gpusim.machine.audience import NOBODY
from gpusim.machine.diagnosis import Diagnosis
from gpusim.machine.foresight import Foresight
from gpusim.machine.functions.exchange import Exchanges, reads_absent
from gpusim.machine.functions.votes import Votes
from gpusim.machine.layout import Layout
from gpusim.machine.memory.bad_access import BadAccess
from gpusim.machine.memory.binding import AnyMemory
from gpusim.machine.models.scheduling import Masks, Rows, SchedulingModel, pack, unpack
from gpusim.machine.named_barriers import Misused, NamedBarriers, Passage
from gpusim.machine.policy import Policy
from gpusim.machine.special_registers import SpecialRegisters
from gpusim.machine.step import Step, Trapped
from gpusim.machine.translate import Registers, Translation
from gpusim.machine.watch import Watch


class Turn(Enum):
    """What came of a step? `WAITS`: nobody here changes anything any more, but others could.

    `COUNTS`: the same, but for memory in which others may look at what changes.
    """

    RAN = "ran"
    WAITS = "waits"
    COUNTS = "counts"
    OVER = "over"


@dataclass(eq=False)
class Batch:
    """The resident warps: registers, positions, arrays of blocks and threads. `stuck`: why they wait.

    `blamed`: in which row is the thread that did what it must not?
    """

    translation: Translation
    layout: Layout
    registers: Registers
    arrays: list[AnyMemory]
    special_registers: SpecialRegisters
    model: SchedulingModel
    policy: Policy
    step: Step
    exchanges: Exchanges | None
    votes: Votes | None
    named_barriers: NamedBarriers | None
    audience: GridObserver
    step_budget: int
    diagnosis: Diagnosis
    stuck: GpuSimError | None = None
    blamed: int | None = None

    def __post_init__(self) -> None:
        self.wants = self.audience.wants
        pieces = [piece for array in self.arrays for piece in array.reachable]
        foresight = Foresight(self.translation, self.arrays, self.special_registers, self.step)
        steps_at_most = self.step_budget * len(self.layout.parts)
        self._watch = Watch(self.model, self.policy, pieces, self.translation, foresight, steps_at_most)
        self._everyone = np.arange(len(self.model.present), dtype=np.int64)
        self._full = np.iinfo(self.model.present.dtype).max
        self._first_lanes = unpack(self.model.present)
        self._whole = bool(self._first_lanes.all())
        self._steps = 0
        self._awaiting: list[tuple[Rows, Masks, int, int]] = []  # warps that wait for grids of their blocks
        self._steps_of: npt.NDArray[np.int64] | None = None
        if len(self.layout.parts) > 1:
            self._steps_of = np.zeros(len(self.layout.parts), np.int64)

    @property
    def blocks_over(self) -> int:
        """Of how many thread blocks has every thread left?"""
        return self.layout.blocks - self.layout.count_blocks(self.model.alive != 0)

    @property
    def awaits(self) -> bool:
        """Do lanes wait for grids that their blocks launched?"""
        return bool(self._awaiting)

    @property
    def members_alive(self) -> list[int]:
        """Which of the grids that run side by side have lanes that have not left?"""
        members: list[int] = np.unique(self.layout.members[self.model.alive != 0]).tolist()
        return members

    def copy(self) -> Batch:
        """The same warps at the same place, to run on unobserved. Memory of the device is not copied."""
        lasting = self.translation, self.translation.blocks, self.layout, self.special_registers
        others = {id(self.audience): NOBODY, id(self.wants): NOBODY.wants}
        twin = deepcopy(self, {id(thing): thing for thing in lasting} | others)
        twin.step.watched, twin.step.emit = False, NOBODY.observe
        return twin

    def advance(self, at_most: int = 1) -> Turn:
        """Run one basic block for those who stand there, or so many in a row, unless all leave before.

        Raises what they do wrong, and `Deadlock`.
        """
        model, step, everyone, choose = self.model, self.step, self._everyone, self.policy.choose
        if self._awaiting:
            self._go_on_after_children()
        for _ in range(at_most):
            if model.together is not None:
                block, rows, masks = model.together, everyone, model.present
                step.rows, step.active = None, None if self._whole else self._first_lanes
            else:
                choice = choose(model)
                if choice is None:
                    if model.release_waiting():
                        continue
                    if self._awaiting:
                        self.stuck = self.diagnosis.deadlock(self.named_barriers)
                        return Turn.WAITS
                    raise self.diagnosis.deadlock(self.named_barriers)
                block, rows, masks = choice
                step.rows = None if len(rows) == len(everyone) else rows
                step.active = None if (masks == self._full).all() else unpack(masks)
            self._execute(block, rows, masks)
            self._steps += 1
            if self._steps > self.step_budget or self._steps_of is not None:
                self._check_budget(block, rows)
            why = self._watch.goes_round(block, self.registers, step)
            if why and not model.release_waiting():
                self.stuck = self.diagnosis.endless(block, why)
                return Turn.COUNTS if self._watch.changes_memory else Turn.WAITS
            if model.over:
                return Turn.OVER
        return Turn.RAN

    def _check_budget(self, block: int, rows: Rows) -> None:
        if self._steps_of is not None:  # each of several grids has its own
            parts = np.unique(self.layout.part_of[rows])
            self._steps_of[parts] += 1
            self._steps = int(self._steps_of[parts].max())
        if self._steps > self.step_budget:
            raise self.diagnosis.endless(block, f"more than {self.step_budget:,} steps")

    def _execute(self, block: int, rows: Rows, masks: Masks) -> None:
        wants, step, model = self.wants, self.step, self.model
        end = self.translation.blocks[block].terminator
        if BlockIssued in wants:
            lanes = step.mask.size if step.active is None else int(np.count_nonzero(step.active))

            def state(position: int) -> WarpState:
                return model.state(int(rows[position]), int(masks[position]))

            self.audience.observe(BlockIssued(block, step.warps, step.mask, lanes, state))
        try:
            function = self.translation.functions[block]
            outcome = function(self.registers, self.arrays, self.special_registers, step)
        except Misasked as found:
            self.blamed = found.row
            raise found.error from None
        except Trapped as found:
            self._blame(rows, step.mask)
            raise self.diagnosis.trapped(found, rows, step.mask) from None
        except BadAccess as found:
            self._blame(rows, np.broadcast_to(found.lanes, step.mask.shape) & step.mask)
            raise self.diagnosis.bad_access(found, rows, step.mask) from None
        match end:
            case Branch(then=then, otherwise=otherwise):
                uniform = np.ndim(outcome) == 0 or outcome.shape[1] == 1
                chosen = np.where(np.ravel(outcome), masks, 0) if uniform else pack(outcome) & masks
                taken = chosen.astype(masks.dtype)
                if BranchTaken in wants:
                    self.audience.observe(BranchTaken(block, step.warps, step.mask, unpack(taken), end.span))
                model.branch(rows, masks, taken, block, then, otherwise)
            case Jump(target=target):
                model.jump(rows, masks, block, target)
            case Barrier(opcode=Opcode.CHILDREN, target=target):
                self._await_children(block, rows, masks, target)
            case Barrier(target=target):
                if BarrierReached in wants:
                    self.audience.observe(BarrierReached(step.warps, step.mask, end.span, end.named))
                if end.named:
                    self._come(block, rows, masks, end, outcome)
                    return
                if end.operands and self.votes is not None:
                    self.votes.cast(rows, masks, end, *outcome)
                whole_grid = end.opcode is Opcode.GRID_BARRIER
                self._pass_barrier(model.wait(rows, masks, block, target, whole_grid))
            case Exchange():
                self._exchange(block, rows, masks, end, outcome)
            case _:
                self._pass_barrier(model.leave(rows, masks, block))
                self._finish_exchanges(rows)
                if self.named_barriers is not None:
                    for passage in self.named_barriers.left(model.alive):
                        self._go_on(passage, passage.goes)

    def _blame(self, rows: Rows, lanes: Lanes) -> None:
        self.blamed = int(rows[np.argwhere(lanes)[0][0]])

    def _await_children(self, block: int, rows: Rows, masks: Masks, target: int) -> None:
        """Lanes go on once all grids are over that their block has launched so far."""
        model, runtime = self.model, self.step.runtime
        assert runtime is not None
        late = runtime.awaited(self.layout, rows)
        if not late.any():
            model.jump(rows, masks, block, target)
            return
        model.spread()
        if not late.all():
            model.jump(rows[~late], masks[~late], block, target)
        model.hold(rows[late], masks[late], block)
        self._awaiting.append((rows[late], masks[late], block, target))

    def _go_on_after_children(self) -> None:
        waiting, self._awaiting, runtime = self._awaiting, [], self.step.runtime
        assert runtime is not None
        for rows, masks, block, target in waiting:
            late = runtime.awaited(self.layout, rows)
            if not late.all():
                self.model.resume(rows[~late], masks[~late], block, target)
            if late.any():
                self._awaiting.append((rows[late], masks[late], block, target))

    def _pass_barrier(self, released: Masks | None) -> None:
        """A barrier opened for these lanes, (W,), or for nobody."""
        if released is None:
            return
        self._watch.barrier_opened()
        if self.votes is not None:
            self.votes.count(released)
        if BarrierPassed in self.wants:
            rows = np.flatnonzero(released)
            warps = self.step.numbers(rows)
            self.audience.observe(BarrierPassed(warps, unpack(released[rows]), self.model.whole_grid_passed))

    def _come(self, block: int, rows: Rows, masks: Masks, end: Barrier, values: Any) -> None:
        """Lanes come to barriers that parts of their blocks share; they go on, and others, or wait."""
        model, barriers = self.model, self.named_barriers
        assert barriers is not None
        try:
            passages = list(barriers.come(rows, masks, end, values, model.alive))
        except Misused as found:
            raise self.diagnosis.misused(found, end) from None
        goes = masks.copy() if end.opcode in ARRIVES else np.zeros_like(masks)
        for passage in passages:
            goes |= passage.goes[rows] & masks
        stays = masks & ~goes
        if not stays.any():
            model.jump(rows, masks, block, end.target)
        else:
            model.spread()
            if not model.lanes_can_wait and (goes[stays != 0] != 0).any():
                raise self.diagnosis.parted(rows[stays != 0], stays[stays != 0], end)
            some, late = goes != 0, stays != 0
            model.jump(rows[some], goes[some], block, end.target)
            barriers.site[rows] = np.where(unpack(stays), block, barriers.site[rows])
            model.hold(rows[late], stays[late], block)
        for passage in passages:
            others = passage.goes.copy()
            others[rows] &= ~masks
            self._go_on(passage, others)

    def _go_on(self, passage: Passage, waited: Masks) -> None:
        """A named barrier opened, for those who `waited` elsewhere, too: masks (W,)."""
        barriers, model = self.named_barriers, self.model
        assert barriers is not None
        if NamedBarrierUsed in self.wants:
            self._tell_passage(passage)
        if passage.goes.any():
            self._watch.barrier_opened()
        if waited.any():
            lanes = unpack(waited)
            for site in np.unique(barriers.site[lanes]).tolist():
                here = pack(lanes & (barriers.site == site))
                rows = np.flatnonzero(here)
                end = self.translation.blocks[site].terminator
                assert isinstance(end, Barrier)
                model.resume(rows, here[rows], site, end.target)

    def _tell_passage(self, passage: Passage) -> None:
        """Who came comes first: then they know of each other who go on."""
        for masks, arrives in ((passage.came, True), (passage.goes, False)):
            rows = np.flatnonzero(masks)
            if rows.size:
                warps, lanes = self.step.numbers(rows), unpack(masks[rows])
                self.audience.observe(
                    NamedBarrierUsed(passage.number, warps, lanes, passage.joined[rows], arrives)
                )

    def _exchange(self, block: int, rows: Rows, masks: Masks, end: Exchange, values: Any) -> None:
        """Lanes that name just each other exchange now; others wait for whom they name."""
        model, exchanges = self.model, self.exchanges
        assert exchanges is not None
        self.diagnosis.check_named(rows, masks, end, values[0])
        complete, groups = exchanges.at_once(rows, masks, model.alive, end, values)
        if LanesSynchronized in self.wants:
            argument = np.broadcast_to(
                values[2] if len(values) > 2 else 0, (len(rows), exchanges.site.shape[1])
            )
            for where, members in groups:
                self._tell_met(end, rows[where], members, argument[where])
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
        warps, lanes = self.step.numbers(rows), unpack(masks)
        absent = reads_absent(end.opcode, lanes, argument)
        self.audience.observe(LanesSynchronized(end.opcode, warps, lanes, end.span, absent))
