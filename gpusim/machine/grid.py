"""How does a grid get from its launch to its end? In batches of resident blocks, step by step.

A batch holds at most what is resident on the device at once, so a grid of any size runs in constant space.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.errors import GpuSimError
from gpusim.events import GridLaunched, MemoryAccess, Observer
from gpusim.ir.instructions import Barrier, Exchange, Register
from gpusim.machine.audience import NOBODY, Audience
from gpusim.machine.batch import Batch, Turn
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.diagnosis import Diagnosis
from gpusim.machine.functions.exchange import Exchanges
from gpusim.machine.functions.votes import Votes
from gpusim.machine.layout import Layout, Part
from gpusim.machine.memory.binding import Binding
from gpusim.machine.models.independent import IndependentModel
from gpusim.machine.models.scheduling import SchedulingModel
from gpusim.machine.models.stack import StackModel
from gpusim.machine.policy import Adversary, Friendly, Policy, Serial
from gpusim.machine.special_registers import SpecialRegisters
from gpusim.machine.step import Step

MODELS: dict[str, type[SchedulingModel]] = {"stack": StackModel, "independent": IndependentModel}


@dataclass
class State:
    """How far a grid has come: the number of its next block to become resident, and those that are."""

    next_block: int = 0
    batch: Batch | None = None

    def copy(self) -> State:
        """The same, to go on by itself."""
        return replace(self, batch=None if self.batch is None else self.batch.copy())


class Grid:
    """A grid that runs: what does not change (`configuration`, arrays, translated code) beside its `state`.

    Its observers are asked when it is made, and told of its end by `close`. Memory is the device's.
    """

    def __init__(
        self, configuration: Configuration, device_state: DeviceState, observers: Iterable[Observer] = ()
    ) -> None:
        self.configuration, self.state = configuration, State()
        function, device = configuration.function, configuration.device
        self._translation = device_state.loaded(function, configuration.form)
        self._binding = Binding(
            function,
            configuration.arguments,
            configuration.dynamic_shared_bytes,
            device.warp_size,
            device_state.memory,
        )
        self._special_registers: dict[Any, Any] = {}
        carveout = device_state.configure(configuration.carveout)
        self._audience = NOBODY
        if observers:
            launched = GridLaunched(
                function,
                self._translation.blocks,
                self._translation.reconvergence,
                device,
                configuration.scheduling,
                configuration.grid,
                configuration.block,
                configuration.warps_per_block,
                configuration.blocks_at_once,
                self._binding.placements(self._translation.arrays),
                configuration.dynamic_shared_bytes,
                carveout,
                device_state.memory.end,
                configuration.parent,
            )
            self._audience = Audience.of(observers, launched)

    @property
    def blocks_over(self) -> int:
        """Of how many thread blocks has every thread left?"""
        batch = self.state.batch
        return self.state.next_block - (0 if batch is None else batch.layout.blocks - batch.blocks_over)

    @property
    def stuck(self) -> GpuSimError | None:
        """Why does it wait?"""
        return None if self.state.batch is None else self.state.batch.stuck

    def step(self, at_most: int = 1) -> Turn:
        """Run one basic block, or up to `at_most` in a row. Raises what the kernel does wrong.

        What lanes wrote until then stays.
        """
        with np.errstate(all="ignore"):
            for _ in range(at_most):
                turn = self._step()
                if turn is not Turn.RAN:
                    break
        return turn

    def _step(self) -> Turn:
        state = self.state
        if state.batch is None:
            state.batch = self._next_batch()
        turn = state.batch.advance()
        if turn is not Turn.OVER:
            return turn
        state.batch = None
        return Turn.OVER if state.next_block == self.configuration.blocks else Turn.RAN

    def close(self, error: BaseException | None = None) -> None:
        """The grid is over: what it writes to counts as written whole, unless an observer knows better."""
        if not self._audience.notes_writes:
            self._binding.count_as_written()
        self._audience.ended(error)

    def interrupted(self) -> str:
        """Where its lanes stood when the user had enough."""
        batch = self.state.batch
        return f"{self.configuration.function.name} was interrupted" if batch is None else batch.interrupted()

    def copy(self) -> Grid:
        """The same grid as it stands, to run on by itself. What it does to memory, both do."""
        twin = object.__new__(Grid)
        twin.__dict__.update(self.__dict__, state=self.state.copy())
        return twin

    def _next_batch(self) -> Batch:
        """The thread blocks that become resident next, about to start."""
        configuration, translation = self.configuration, self._translation
        first = self.state.next_block
        count = min(configuration.blocks_at_once, configuration.blocks - first)
        self.state.next_block += count
        layout = Layout(
            [Part(configuration.grid, configuration.block, first, count)], configuration.device.warp_size
        )
        special_registers = SpecialRegisters(layout, self._special_registers)
        model = MODELS[configuration.scheduling](
            special_registers("present", bool, None),
            layout,
            translation.reconvergence,
            translation.unreconverged,
            configuration.convergent,
        )
        if configuration.schedule is not None:
            model.spread()
        step = Step(layout)
        ends = [block.terminator for block in translation.blocks]
        exchanges = votes = None
        if any(isinstance(end, Exchange) for end in ends):
            exchanges = Exchanges(model.present, layout.lanes)
            step.exchanged = exchanges.received
        if any(isinstance(end, Barrier) and end.operands for end in ends):
            votes = Votes(model.present, layout, step.voted)
        step.emit, step.watched = self._audience.observe, MemoryAccess in self._audience.wants
        return Batch(
            translation=translation,
            layout=layout,
            registers=self._registers(layout),
            arrays=self._binding.of_batch(translation.arrays, layout.blocks, layout.warps),
            special_registers=special_registers,
            model=model,
            policy=self._policy(layout, first),
            step=step,
            exchanges=exchanges,
            votes=votes,
            audience=self._audience,
            step_budget=configuration.step_budget,
            diagnosis=Diagnosis(configuration.function.name, layout, translation.blocks, model),
        )

    def _policy(self, layout: Layout, first: int) -> Policy:
        configuration = self.configuration
        standing_back = configuration.function.standing_back
        if configuration.seed is not None:
            return Adversary(configuration.seed + first)
        if configuration.schedule == "serial":
            return Serial(layout.warps, standing_back)
        return Friendly(configuration.function.may_wait, standing_back)

    def _registers(self, layout: Layout) -> list[npt.NDArray[Any]]:
        configuration, translation = self.configuration, self._translation
        given = {
            operand: argument
            for operand, argument in zip(
                configuration.function.parameters, configuration.arguments, strict=True
            )
            if isinstance(operand, Register)
        }
        registers: list[npt.NDArray[Any]] = []
        for register in translation.stored:
            if register in translation.constant:
                registers.append(register.type.dtype.type(given[register]))
                continue
            width = layout.lanes if register in translation.per_lane else 1
            store = np.zeros((layout.warps, width), register.type.dtype)
            if register in given:
                store[...] = given[register]
            registers.append(store)
        return registers
