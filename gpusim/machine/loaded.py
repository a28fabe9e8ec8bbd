"""What of a grid stays the same while it runs? Its code, its arrays, and who follows it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.events import GridLaunched, GridObserver, MemoryAccess, Observer
from gpusim.ir.instructions import Barrier, Exchange
from gpusim.machine.audience import NOBODY, Audience
from gpusim.machine.batch import Batch
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.diagnosis import Diagnosis
from gpusim.machine.functions.exchange import Exchanges
from gpusim.machine.functions.votes import Votes
from gpusim.machine.layout import Layout, Part
from gpusim.machine.memory.address_space import AddressSpace
from gpusim.machine.memory.binding import Binding
from gpusim.machine.memory.side_by_side import SideBySide
from gpusim.machine.models.independent import IndependentModel
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.machine.models.stack import StackModel
from gpusim.machine.policy import Adversary, Friendly, Policy, Serial
from gpusim.machine.special_registers import SpecialRegisters
from gpusim.machine.split_events import SplitEvents
from gpusim.machine.step import Step

MODELS: dict[str, type[SchedulingModel]] = {"stack": StackModel, "independent": IndependentModel}


def bound(configuration: Configuration, memory: AddressSpace) -> Binding:
    """The arrays of a grid that runs alone."""
    return Binding(
        configuration.function,
        configuration.arguments,
        configuration.dynamic_shared_bytes,
        configuration.device.warp_size,
        memory,
    )


def bound_side_by_side(configurations: Sequence[Configuration], memory: AddressSpace) -> SideBySide:
    """The arrays of several grids of one kernel."""
    return SideBySide(
        configurations[0].function,
        [one.arguments for one in configurations],
        [one.dynamic_shared_bytes for one in configurations],
        configurations[0].device.warp_size,
        memory,
    )


class Loaded:
    """One launch, or several of one kernel that run side by side, ready to run on a device.

    Observers are asked when it is made; the device is configured for it.
    """

    def __init__(
        self,
        configurations: Sequence[Configuration],
        binding: Binding,
        device_state: DeviceState,
        observers: Sequence[Sequence[Observer]],
    ) -> None:
        self.configurations, self.binding = tuple(configurations), binding
        self._several, self._first = len(configurations) > 1, configurations[0]
        form = self._first.form._replace(several=self._several)
        self.translation = device_state.loaded(self._first.function, form)
        ends = [block.terminator for block in self.translation.blocks]
        self._exchanges = any(isinstance(end, Exchange) for end in ends)
        self._votes = any(isinstance(end, Barrier) and end.operands for end in ends)
        self._special_registers: dict[Any, Any] = {}
        self.audiences: list[Audience] = []
        try:
            for configuration, whose in zip(configurations, observers, strict=True):
                self.audiences.append(self._audience(configuration, whose, device_state))
        except BaseException as error:
            for audience in self.audiences:
                audience.ended(error)
            raise

    def _audience(
        self, configuration: Configuration, observers: Sequence[Observer], device_state: DeviceState
    ) -> Audience:
        """Who follows this grid?"""
        carveout = device_state.configure(configuration.carveout)
        if not observers:
            return NOBODY
        memory, translation = device_state.memory, self.translation
        alone = bound(configuration, memory) if self._several else self.binding
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
            configuration.parent,
        )
        return Audience.of(observers, launched)

    def batch(self, parts: Sequence[Part]) -> Batch:
        """These thread blocks, about to start."""
        first, translation = self._first, self.translation
        layout = Layout(parts, first.device.warp_size)
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
        audience: GridObserver = self.audiences[parts[0].member]
        if len(parts) > 1:
            audience = SplitEvents(self.audiences, layout)
        step = Step(layout)
        exchanges = Exchanges(model.present, layout.lanes) if self._exchanges else None
        step.exchanged = [] if exchanges is None else exchanges.received
        step.emit, step.watched = audience.observe, MemoryAccess in audience.wants
        return Batch(
            translation=translation,
            layout=layout,
            registers=self._registers(layout),
            arrays=self.binding.of_batch(translation.arrays, layout),
            special_registers=special_registers,
            model=model,
            policy=self._policy(layout),
            step=step,
            exchanges=exchanges,
            votes=Votes(model.present, layout, step.voted) if self._votes else None,
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
            return Serial(layout.warps, standing_back)
        return Friendly(first.function.may_wait, standing_back)

    def _registers(self, layout: Layout) -> list[npt.NDArray[Any]]:
        """What registers hold at the start: parameters; one value, or one for each warp's grid."""
        translation = self.translation
        places = {operand: place for place, operand in enumerate(self._first.function.parameters)}
        registers: list[npt.NDArray[Any]] = []
        for register in translation.stored:
            place = places.get(register)
            if register in translation.constant and place is not None:
                registers.append(register.type.dtype.type(self._first.arguments[place]))
                continue
            width = layout.lanes if register in translation.per_lane else 1
            store = np.zeros((layout.warps, width), register.type.dtype)
            if place is not None and self._several:
                values = [one.arguments[place] for one in self.configurations]
                store[...] = np.array(values, register.type.dtype)[layout.members][:, None]
            elif place is not None:
                store[...] = self._first.arguments[place]
            registers.append(store)
        return registers

    @property
    def unseen(self) -> bool:
        """Has nobody followed it, and has it worked on copies?"""
        return self.binding.works_on_copies and all(audience is NOBODY for audience in self.audiences)

    def ended(self, error: BaseException | None, unfinished: Collection[int]) -> None:
        """All is over; where something went wrong, for these grids because of that.

        What a kernel writes to counts as written whole, unless an observer knows better.
        """
        self.binding.finish()
        self.binding.count_as_written([audience.notes_writes for audience in self.audiences])
        with ExitStack() as telling:  # all of them, whatever one makes of it
            for member, audience in reversed(list(enumerate(self.audiences))):
                telling.callback(audience.ended, error if member in unfinished else None)
