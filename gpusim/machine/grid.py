"""How does a grid get from its launch to its end? In batches of resident blocks, step by step.

A batch holds at most what is resident on the device at once, so a grid of any size runs in constant space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import GpuSimError, LaunchError
from gpusim.events import GridLaunched, GridObserver, MemoryAccess, Observer, RegisterWritten, barrier_name
from gpusim.ir.instructions import ArrayOperand
from gpusim.machine.asking import DeviceRuntime
from gpusim.machine.audience import NOBODY, Audience
from gpusim.machine.batch import Batch, Turn
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.diagnosis import Diagnosis
from gpusim.machine.functions.exchange import Exchanges
from gpusim.machine.functions.votes import Votes
from gpusim.machine.layout import Layout, MixedLayout, Part
from gpusim.machine.memory.binding import Binding
from gpusim.machine.memory.side_by_side import Places
from gpusim.machine.models.independent import IndependentModel
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.machine.models.stack import StackModel
from gpusim.machine.named_barriers import NamedBarriers
from gpusim.machine.policy import Adversary, Friendly, Policy, Serial
from gpusim.machine.special_registers import SpecialRegisters
from gpusim.machine.split_events import SplitEvents
from gpusim.machine.step import Step

ROUNDING = 1e-9
MODELS: dict[str, type[SchedulingModel]] = {"stack": StackModel, "independent": IndependentModel}


class Grid:
    """A launch that runs, or several of one kernel side by side, whose arrays lie in shared `places`.

    The device is configured for it, and observers are asked, when it is made. What changes is `batch`, the
    blocks that are resident, and which comes next: number `next_block` of the grid `member`. The memory that
    it changes is the device's.
    """

    def __init__(
        self,
        configurations: Sequence[Configuration],
        device_state: DeviceState,
        observers: Sequence[Sequence[Observer]] = ((),),
        places: Mapping[ArrayOperand, Places] | None = None,
        runtime: DeviceRuntime | None = None,
    ) -> None:
        self.configurations, self._first = configurations, configurations[0]
        self._state, self._printed = device_state, [0, 0]
        self._several = len(configurations) > 1
        self._binding = Binding(configurations, device_state.memory, places)
        form = self._first.form._replace(several=self._several)
        self._translation = device_state.loaded(self._first.function, form)
        self._special_registers: dict[Any, Any] = {}
        self._runtime = runtime if self._first.function.asks_runtime else None
        self.launched: dict[int, GridLaunched] = {}  # as observers were told, by member
        self.batch: Batch | None = None
        self.member = self.next_block = 0
        self._audiences: list[Audience] = []
        try:
            for configuration, whose in zip(configurations, observers, strict=True):
                self._audiences.append(self._audience(configuration, whose, device_state))
        except BaseException as error:
            for audience in self._audiences:
                audience.ended(error)
            raise
        if any(RegisterWritten in audience.wants for audience in self._audiences):
            self._translation = device_state.loaded(self._first.function, form._replace(tells=True))

    def _audience(
        self, configuration: Configuration, observers: Sequence[Observer], device_state: DeviceState
    ) -> Audience:
        """Who follows this grid?"""
        carveout = device_state.configure(configuration.carveout)
        if not observers:
            return NOBODY
        memory, translation = device_state.memory, self._translation
        alone = Binding([configuration], memory) if self._several else self._binding
        launched = GridLaunched(
            configuration.function,
            translation.blocks,
            translation.reconvergence,
            configuration.device,
            configuration.scheduling,
            configuration.grid,
            configuration.block,
            configuration.warps_per_block,
            configuration.blocks_at_once,
            alone.placements(translation.arrays),
            configuration.dynamic_shared_bytes,
            carveout,
            memory.end,
            configuration.launched_by,
            configuration.cdp,
        )
        self.launched[len(self._audiences)] = launched
        return Audience.of(observers, launched)

    @property
    def awaits(self) -> bool:
        """Do some of its lanes wait for grids that it launched?"""
        return self.batch is not None and self.batch.awaits

    @property
    def blamed(self) -> int:
        """Which of the grids that run side by side has the thread that did what it must not?"""
        batch = self.batch
        if batch is None:
            return min(self.member, len(self.configurations) - 1)
        return int(batch.layout.members[batch.blamed or 0])

    def copy(self) -> Grid:
        """The same grid as it stands, to run on by itself, unobserved: its observers were told of one grid.

        Registers and the memory of blocks and threads are copied. Device memory is not: both write to that.
        """
        if self._runtime is not None:
            raise LaunchError(
                f"{self._first.function.name} launches kernels: it cannot be copied as it stands"
            )
        twin = copy(self)
        twin._audiences = [NOBODY] * len(self._audiences)
        twin.batch = None if self.batch is None else self.batch.copy()
        return twin

    @property
    def blocks_over(self) -> int:
        """Of how many thread blocks has every thread left?"""
        running = 0 if self.batch is None else self.batch.layout.blocks - self.batch.blocks_over
        before = sum(configuration.blocks for configuration in self.configurations[: self.member])
        return before + self.next_block - running

    @property
    def stuck(self) -> GpuSimError | None:
        """Why does it wait?"""
        return None if self.batch is None else self.batch.stuck

    def step(self, at_most: int = 1) -> Turn:
        """Run one basic block, or up to `at_most` in a row of one batch. Raises what the kernel does wrong.

        What lanes wrote until then stays.
        """
        with np.errstate(all="ignore"):
            if self.batch is None:
                if self.member == len(self.configurations):
                    return Turn.OVER
                self.batch = self._batch(self._next_parts())
            turn = self.batch.advance(at_most)
        if turn is not Turn.OVER:
            return turn
        if self._runtime is not None and self.batch.step.errors.any():
            self._runtime.unread(self.batch.layout, self.batch.step.errors)
        self._printed = [sum(both) for both in zip(self._printed, self.batch.step.printed, strict=True)]
        self.batch = None
        if self.member < len(self.configurations):
            return Turn.RAN
        self._state.note_printed(*self._printed)
        return Turn.OVER

    def _next_parts(self) -> list[Part]:
        """The thread blocks that become resident together next; each grid in the portions it has alone."""
        parts, room = list[Part](), 1.0
        for configuration in self.configurations[self.member :]:
            count = min(configuration.blocks_at_once, configuration.blocks - self.next_block)
            room -= count / configuration.most_blocks_at_once
            if parts and room < -ROUNDING:
                break
            parts.append(Part(configuration.grid, configuration.block, self.next_block, count, self.member))
            self.next_block += count
            if self.next_block < configuration.blocks:
                break
            self.member, self.next_block = self.member + 1, 0
        return parts

    def _batch(self, parts: Sequence[Part]) -> Batch:
        """These thread blocks, about to start."""
        first, translation = self._first, self._translation
        lanes, mixed = first.device.warp_size, len(parts) > 1
        layout = MixedLayout(parts, lanes) if mixed else Layout(parts[0], lanes)
        special_registers = SpecialRegisters(layout, {} if self._several else self._special_registers)
        model = MODELS[first.scheduling](
            special_registers("present", bool, None),
            layout,
            translation.reconvergence,
            translation.unreconverged,
            first.convergent,
        )
        if first.schedule is not None:
            model.spread()
        audience: GridObserver = self._audiences[parts[0].member]
        if mixed:
            audience = SplitEvents(self._audiences, layout)
        step = Step(layout)
        exchanges = Exchanges(model.present, lanes) if translation.exchanges else None
        step.exchanged = [] if exchanges is None else exchanges.received
        step.emit, step.watched = audience.observe, MemoryAccess in audience.wants
        if self._runtime is not None:
            step.runtime, step.errors = self._runtime, np.zeros((layout.warps, lanes), np.int32)

        def called(number: int) -> str:  # no method: a copy of the batch is to have the same
            return barrier_name(number, self._binding.placements(translation.arrays))

        return Batch(
            translation=translation,
            layout=layout,
            registers=self._registers(layout),
            arrays=self._binding.of_batch(translation.arrays, layout),
            special_registers=special_registers,
            model=model,
            policy=self._policy(layout),
            step=step,
            exchanges=exchanges,
            votes=Votes(model.present, layout, step.voted) if translation.votes else None,
            named_barriers=NamedBarriers(model.present, layout, not model.lanes_can_wait, called)
            if translation.named_barriers
            else None,
            audience=audience,
            step_budget=first.step_budget,
            diagnosis=Diagnosis(first.function.name, layout, translation.blocks, model),
        )

    def _policy(self, layout: Layout) -> Policy:
        first = self._first
        standing_back = first.function.standing_back
        if first.seed is not None:
            return Adversary(first.seed + layout.parts[0].first)
        if first.schedule == "serial":
            return Serial(standing_back)
        return Friendly(first.function.may_wait, standing_back)

    def _registers(self, layout: Layout) -> list[npt.NDArray[Any]]:
        """What registers hold at the start: parameters; one value, or one for each warp's grid."""
        translation = self._translation
        places = {operand: place for place, operand in enumerate(self._first.function.parameters)}
        registers: list[npt.NDArray[Any]] = []
        for register in translation.stored:
            place = places.get(register)
            if register in translation.constant and place is not None:
                registers.append(register.type.dtype.type(self._first.arguments[place]))
                continue
            width = layout.lanes if register in translation.per_lane else 1
            store = np.zeros((layout.warps, width), register.type.dtype)
            if place is not None:
                values = [one.arguments[place] for one in self.configurations]
                store[...] = np.array(values, register.type.dtype)[layout.members, None]
            registers.append(store)
        return registers

    def close(self, error: BaseException | None = None) -> None:
        """It runs no more: it is over, or `error` has ended it. Its observers are told.

        What a kernel writes to counts as written whole, unless an observer knows better.
        """
        unfinished = set(range(self.member, len(self.configurations)))
        if self.batch is not None:
            unfinished.update(self.batch.members_alive)
        self._binding.count_as_written([audience.notes_writes for audience in self._audiences])
        with ExitStack() as telling:  # all of them, whatever one makes of it
            for member, audience in reversed(list(enumerate(self._audiences))):
                telling.callback(audience.ended, error if member in unfinished else None)

    def interrupted(self) -> str:
        """Where its lanes stood when the user had enough."""
        if self.batch is None:
            return f"{self._first.function.name} was interrupted"
        return self.batch.diagnosis.interrupted()
