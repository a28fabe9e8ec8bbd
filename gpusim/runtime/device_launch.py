"""What do kernels ask the device runtime? To launch kernels, for streams of their block, for their errors.

A launch has the grid of its thread as parent, and begins when that grid's threads have left, and all that
its stream was given before is over. A GPU may begin it sooner: a seed draws which launches do. It comes after
all that its thread wrote before it either way. Sources: CUDA C++ Programming Guide, "CUDA Dynamic
Parallelism"; tests/hardware/dynamic_parallelism.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.devices.launch_limits import MOST_LEVELS, virtual_launches
from gpusim.errors import LaunchError
from gpusim.ir.details import Callee, Launch
from gpusim.ir.device_errors import DeviceError
from gpusim.ir.instructions import Opcode
from gpusim.ir.program import Function
from gpusim.ir.types import S64
from gpusim.machine import limits
from gpusim.machine.asking import Asked, Misasked
from gpusim.machine.attributes import UNASKED, Attributes
from gpusim.machine.layout import Layout
from gpusim.runtime.device_arguments import BadArgument, passed
from gpusim.runtime.device_calls import CALLS
from gpusim.runtime.device_moves import move
from gpusim.runtime.device_thread import Runtime, Thread, Wanted, known, wrong
from gpusim.runtime.parameter_buffers import parameters_of
from gpusim.runtime.submitted import DeviceStream

CONFIGURED = 8  # operands in front of the arguments

Numbers = npt.NDArray[np.int64]


@dataclass(eq=False)
class Launches(Runtime):
    """Answers threads, all that ask at once."""

    _fit: dict[Wanted, bool] = field(default_factory=dict)

    def answer(self, asked: Asked) -> npt.NDArray[Any]:
        """One answer for each thread."""
        if asked.instruction.opcode is Opcode.LAUNCH:
            return self._child(asked)
        callee = asked.instruction.the(Callee)
        if callee.moves:
            return self._move(asked, callee.name)
        call = CALLS[callee.name]
        members, blocks = self._whose(asked.layout, asked.rows)
        answers, may_be_less = [], asked.instruction.type is S64
        for position, (member, block) in enumerate(zip(members, blocks, strict=True)):
            given = [int(operand[position]) for operand in asked.operands]
            thread = Thread(self, asked, position, member, block)
            found = call(thread, *given)
            if found < 0:
                thread.error = -found
            answers.append(found if may_be_less else abs(found))
        return np.array(answers, asked.instruction.type.dtype)

    def awaited(self, layout: Layout, rows: Numbers) -> npt.NDArray[np.bool_]:
        """Has the block of each of these warps launched grids that are not over?"""
        members, blocks = self._whose(layout, rows)
        unfinished = (
            self.grids[member].submitted.unfinished[block] > 0 and self.may_wait(member)
            for member, block in zip(members, blocks, strict=True)
        )
        return np.fromiter(unfinished, bool, len(rows))

    def unread(self, layout: Layout, errors: npt.NDArray[np.int32]) -> None:
        """Threads left with errors that they did not ask for."""
        rows, lanes = np.nonzero(errors > 0)
        for member, error in zip(layout.members[rows].tolist(), errors[rows, lanes].tolist(), strict=True):
            self.grids[member].submitted.tree.unread[DeviceError(error)] += 1

    def _whose(self, layout: Layout, rows: Numbers) -> tuple[list[int], list[int]]:
        return layout.members[rows].tolist(), layout.block_numbers[rows, 0].tolist()

    # launching --------------------------------------------------------------------------------------------

    def _child(self, asked: Asked) -> npt.NDArray[Any]:
        """Launch a kernel of the program, whose arguments may lie in a buffer; each one's error."""
        launch = asked.instruction.the(Launch)
        child, members = known(launch.child), self._whose(asked.layout, asked.rows)[0]
        configured, brought = asked.operands[:CONFIGURED], asked.operands[CONFIGURED:]
        buffers = [self.grids[member].submitted.tree.buffers for member in members]
        try:
            given = parameters_of(launch, brought, buffers, self.grids[0].configuration.cdp)
        except BadArgument as bad:
            raise _bad(asked, bad, child.function) from None
        codes = self._launch(asked, child.function, child.attributes, child.added(), (*configured, *given))
        if launch.number:
            for one, address, code in zip(buffers, brought[0].tolist(), codes.tolist(), strict=True):
                if not code:
                    one.give_back(address)
        return codes

    def _move(self, asked: Asked, name: str) -> npt.NDArray[Any]:
        """Copy or set memory of the device, which takes a launch."""
        try:
            made = move(name, asked.operands, self.grids[0].configuration.device.warp_size)
        except BadArgument as bad:
            raise wrong(asked, bad.position, bad.what, bad.hint) from None
        return self._launch(asked, made.function, UNASKED, (), made.operands)

    def _launch(
        self,
        asked: Asked,
        function: Function,
        attributes: Attributes,
        added: Sequence[Any],
        operands: Sequence[npt.NDArray[Any]],
    ) -> npt.NDArray[Any]:
        """Launch a kernel with these operands; each one's error."""
        parameters = function.parameters[: len(function.parameters) - len(added)]
        shapes = list(zip(*(operand.tolist() for operand in operands[:6]), strict=True))
        sizes, streams = (operand.tolist() for operand in operands[6:CONFIGURED])
        codes = np.zeros(len(asked.rows), np.int32)
        members, blocks = self._whose(asked.layout, asked.rows)
        try:
            given = passed(parameters, operands[CONFIGURED:], self.state.memory) if parameters else []
        except BadArgument as bad:
            tree = self.grids[members[bad.position]].submitted.tree
            for what, known in (("a stream", tree.streams), ("an event", tree.events)):
                if bad.handle in known:
                    bad.what, bad.hint = (
                        f"passes {what}, which no other grid may use",
                        "let it create its own",
                    )
            raise _bad(asked, bad, function) from None
        tick = next(self.numbers)
        warps = asked.layout.numbers[asked.rows].tolist()
        for which in dict.fromkeys(zip(members, warps, strict=True)):
            self.turns[which] += 1
        for position in range(len(asked.rows)):
            thread = Thread(self, asked, position, members[position], blocks[position])
            stream = thread.stream(streams[position])
            grid, block = shapes[position][:3], shapes[position][3:]
            wanted = Wanted(function, attributes, grid, block, sizes[position])
            error = self._refusal(thread, wanted, stream)
            by = thread.launcher(streams[position], stream)
            if error:
                codes[position] = thread.fails(error)
                thread.tells(wanted, by, tick, error=error.name)
                continue
            brought = given[position] if given else []
            thread.launch(wanted, brought, added, stream, by, tick)
        for tree in {id(one.tree): one.tree for one in (self.grids[m].submitted for m in members)}.values():
            self.hurry(tree)
        return codes

    def _refusal(self, thread: Thread, wanted: Wanted, stream: DeviceStream | None) -> DeviceError:
        """Why does a launch not come about? 0: it does."""
        configuration, parent = thread.configuration, thread.parent
        if wanted not in self._fit:
            self._fit[wanted] = True
            try:
                limits.check_shape(configuration.device, wanted.grid, wanted.block)
                of, attributes, _, block, dynamic_shared_bytes = wanted
                limits.fitted(of, attributes, configuration.device, block, dynamic_shared_bytes)
            except LaunchError:
                self._fit[wanted] = False
        if not self._fit[wanted]:
            return DeviceError.cudaErrorInvalidConfiguration
        if configuration.cdp == 1 and thread.depth >= MOST_LEVELS:
            return DeviceError.cudaErrorLaunchMaxDepthExceeded
        if stream is not None and self.pool_is_full(parent):
            room = virtual_launches(self.state.free_heap_bytes, configuration.cdp)
            if parent.tree.pending >= self.state.pending_launches + room:
                return DeviceError.cudaErrorLaunchPendingCountExceeded
        return DeviceError.cudaSuccess


def _bad(asked: Asked, bad: BadArgument, function: Function) -> Misasked:
    return wrong(asked, bad.position, f"{bad.what}, to {function.name}", bad.hint)
