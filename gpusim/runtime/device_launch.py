"""What do kernels ask the device runtime? To launch kernels, for streams of their block, for their errors.

A launch has the grid of its thread as parent, and begins when that grid's threads have left, and all that
its stream was given before is over. A GPU may begin it sooner: a seed draws which launches do. It comes after
all that its thread wrote before it either way. Sources: CUDA C++ Programming Guide, "CUDA Dynamic
Parallelism"; tests/hardware/dynamic_parallelism.json.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.devices.device import Dim3
from gpusim.errors import GpuSimError, LaunchError, StreamMisused
from gpusim.events import GridLaunched
from gpusim.ir.details import Callee, Child, Launch
from gpusim.ir.instructions import Opcode
from gpusim.ir.launched import LaunchedBy
from gpusim.ir.program import Function
from gpusim.ir.types import S64
from gpusim.machine import limits
from gpusim.machine.asking import Asked, Misasked
from gpusim.machine.attributes import UNASKED, Attributes
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.layout import Layout
from gpusim.runtime.device_arguments import BadArgument, passed
from gpusim.runtime.device_calls import CALLS
from gpusim.runtime.device_errors import DeviceError
from gpusim.runtime.device_moves import BadMove, move
from gpusim.runtime.device_queries import About
from gpusim.runtime.parameter_buffers import parameters_of
from gpusim.runtime.submitted import DeviceStream, Submitted, Waiting

NULL, TAIL, FIRE_AND_FORGET = 0, 3, 4  # streams that nobody creates
NAMED = {NULL: "default", TAIL: "tail launch", FIRE_AND_FORGET: "fire and forget"}
MOST_LEVELS = 24  # under CDP1
CONFIGURED = 8  # operands in front of the arguments

Numbers = npt.NDArray[np.int64]
Submit = Callable[[Waiting, Sequence[Submitted]], None]
Fits = tuple[Function, Attributes, Dim3, Dim3, int]


class ChildKernel(ABC):
    """A kernel that kernels launch: what the host's launch of it would take from the kernel."""

    @property
    @abstractmethod
    def function(self) -> Function: ...

    @property
    @abstractmethod
    def attributes(self) -> Attributes: ...

    @property
    def constant_bytes(self) -> int:
        """What it takes of constant memory."""
        return self.function.constant_bytes

    def added(self) -> Sequence[Any]:
        """What follows its arguments: variables of its text, and the heap."""
        return ()


class Launches:
    """The device runtime, for grids that run side by side: `launched` is what their observers were told."""

    def __init__(self, grids: Sequence[Waiting], state: DeviceState, submit: Submit) -> None:
        self._grids, self._state, self._submit = grids, state, submit
        self.launched: Mapping[int, GridLaunched] = {}
        self._fit: dict[Fits, bool] = {}

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
            self._grids[member].submitted.unfinished[block] > 0 and self.may_wait(member)
            for member, block in zip(members, blocks, strict=True)
        )
        return np.fromiter(unfinished, bool, len(rows))

    def may_wait(self, member: int) -> bool:
        """Is there memory to put a grid aside that waits for others?"""
        return _depth(self._grids[member].configuration) < self._state.synchronization_depth

    def unread(self, layout: Layout, errors: npt.NDArray[np.int32]) -> None:
        """Threads left with errors that they did not ask for."""
        rows, lanes = np.nonzero(errors)
        for member, error in zip(layout.members[rows].tolist(), errors[rows, lanes].tolist(), strict=True):
            self._grids[member].submitted.tree.unread[DeviceError(error)] += 1

    def _whose(self, layout: Layout, rows: Numbers) -> tuple[list[int], list[int]]:
        return layout.members[rows].tolist(), layout.block_numbers[rows, 0].tolist()

    # launching --------------------------------------------------------------------------------------------

    def _child(self, asked: Asked) -> npt.NDArray[Any]:
        """Launch a kernel of the program, whose arguments may lie in a buffer; each one's error."""
        launch = asked.instruction.the(Launch)
        child, members = _known(launch.child), self._whose(asked.layout, asked.rows)[0]
        configured, brought = asked.operands[:CONFIGURED], asked.operands[CONFIGURED:]
        buffers = [self._grids[member].submitted.tree.buffers for member in members]
        try:
            given = parameters_of(launch, brought, buffers, self._grids[0].configuration.cdp)
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
            made = move(name, asked.operands, self._grids[0].configuration.device.warp_size)
        except BadMove as bad:
            raise _wrong(asked, bad.position, bad.what, bad.hint) from None
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
        try:
            given = passed(parameters, operands[CONFIGURED:], self._state.memory) if parameters else []
        except BadArgument as bad:
            raise _bad(asked, bad, function) from None
        members, blocks = self._whose(asked.layout, asked.rows)
        for position in range(len(asked.rows)):
            thread = Thread(self, asked, position, members[position], blocks[position])
            stream = thread.stream(streams[position])
            grid, block = shapes[position][:3], shapes[position][3:]
            error = self._refusal(thread, function, attributes, grid, block, sizes[position], stream)
            if error:
                codes[position] = thread.fails(error)
                continue
            arguments = [*(given[position] if given else ()), *added]
            thread.launch(
                function, attributes, grid, block, sizes[position], streams[position], stream, arguments
            )
        return codes

    def _refusal(
        self,
        thread: Thread,
        function: Function,
        attributes: Attributes,
        grid: Dim3,
        block: Dim3,
        size: int,
        stream: DeviceStream | None,
    ) -> DeviceError:
        """Why does a launch not come about? 0: it does."""
        configuration, parent = thread.configuration, thread.parent
        key = function, attributes, grid, block, size
        if key not in self._fit:
            self._fit[key] = True
            try:
                limits.check_shape(configuration.device, grid, block)
                limits.fitted(function, attributes, configuration.device, block, size)
            except LaunchError:
                self._fit[key] = False
        if not self._fit[key]:
            return DeviceError.cudaErrorInvalidConfiguration
        if configuration.cdp == 1 and thread.depth >= MOST_LEVELS:
            return DeviceError.cudaErrorLaunchMaxDepthExceeded
        if stream is not None and parent.tree.pending >= self._state.pending_launches:
            return DeviceError.cudaErrorLaunchPendingCountExceeded
        return DeviceError.cudaSuccess

    def about(self, thread: Thread, kernel: Launch | None) -> About:
        """Whom a thread asks about its device, or about a kernel."""
        child = None if kernel is None else _known(kernel.child)
        known = None if child is None else (child.function, child.attributes, child.constant_bytes)
        return About(self._state, thread.configuration.device, known)

    def submit(self, waiting: Waiting, after: Sequence[Submitted]) -> None:
        """Give the device a child."""
        self._submit(waiting, after)


class Thread:
    """One thread that asks: of which grid (`parent`), in which block."""

    def __init__(self, runtime: Launches, asked: Asked, position: int, member: int, block: int) -> None:
        self._runtime, self._asked, self._position = runtime, asked, position
        self.member, self.block = member, block
        self._grid = runtime._grids[member]
        self.parent, self.configuration = self._grid.submitted, self._grid.configuration

    @property
    def depth(self) -> int:
        """How many launches led to its grid, after the host's?"""
        return _depth(self.configuration)

    @property
    def error(self) -> int:
        """Its last error."""
        return int(self._asked.errors[self._position])

    @error.setter
    def error(self, code: int) -> None:
        self._asked.errors[self._position] = code

    def may_wait(self) -> bool:
        """Is there memory to put its grid aside?"""
        return self._runtime.may_wait(self.member)

    def asks(self) -> About:
        """Whom it asks."""
        return self._runtime.about(self, self._asked.instruction.the(Callee).kernel)

    def fails(self, error: DeviceError) -> int:
        """A launch of it does not come about."""
        many, first = self.parent.tree.failed.get(error, (0, self._asked.instruction.span))
        self.parent.tree.failed[error], self.error = (many + 1, first), error
        return error

    def wrong(self, what: str, hint: str) -> Misasked:
        """It does what it must not."""
        return _wrong(self._asked, self._position, what, hint)

    def stream(self, handle: int) -> DeviceStream | None:
        """The stream of its block that this means; None for those that keep no order of their own."""
        if handle == NULL:
            return self.parent.streams.setdefault(self.block, DeviceStream(self.parent, self.block))
        if handle in NAMED:
            if self.configuration.cdp == 1:
                raise self.wrong(
                    f"launches into the {NAMED[handle]} stream, which CDP2 has", "use gpusim.use(cdp=2)"
                )
            return None
        found: DeviceStream = self.own(self.parent.tree.streams, handle, "stream")
        return found

    def own(self, known: Mapping[int, Any], handle: int, what: str) -> Any:
        """What its block has created, and not destroyed."""
        found = known.get(handle)
        hint = f"a {what} belongs to the block that created it, until that block or the {what} ends"
        if found is None:
            raise self.wrong(f"uses {handle:#x} as {what}, which no block of this launch has created", hint)
        if found.owner is not self.parent or found.block != self.block:
            whose = f"block {found.block}" if found.owner is self.parent else "another grid"
            raise self.wrong(f"uses a {what} that {whose} has created", hint)
        if found.destroyed:
            raise self.wrong(f"uses a {what} after it was destroyed", hint)
        return found

    def launch(
        self,
        function: Function,
        attributes: Attributes,
        grid: Dim3,
        block: Dim3,
        size: int,
        handle: int,
        stream: DeviceStream | None,
        arguments: list[Any],
    ) -> None:
        """Give the device a grid."""
        mine, by = self.configuration, self.configuration.launched_by
        thread, in_block = self._asked.who(self._position)
        span = self._asked.instruction.span
        name, depth = NAMED.get(handle, f"stream {handle:#x}"), self.depth + 1
        if function.cooperative or attributes.cooperative:
            hint = "let the host launch it, or launch two kernels, one after the other"
            raise self.wrong(f"launches {function.name}, which waits for its whole grid", hint)
        told = self._runtime.launched.get(self.member)
        try:
            configuration = Configuration(
                function,
                grid,
                block,
                arguments,
                mine.device,
                size,
                attributes,
                mine.scheduling,
                mine.schedule,
                mine.step_budget,
                LaunchedBy(mine.function.name, in_block, thread, span, name, depth, by, told),
                mine.cdp,
            )
        except LaunchError as error:
            raise Misasked(self._row, LaunchError(error.message, span, error.hint)) from None
        except GpuSimError as error:
            raise Misasked(self._row, error) from None
        submitted = Submitted(self.parent.tree, self.parent, block=self.block)
        waiting = Waiting(submitted, configuration, self._grid.observers)
        if handle == TAIL:
            self.parent.tails.append(waiting)
            return
        after = () if stream is None else stream.before_next()
        if stream is not None:
            stream.last = (submitted,)
            self.parent.pending += 1
            self.parent.tree.pending += 1
        self._runtime.submit(waiting, after)

    @property
    def _row(self) -> int:
        return int(self._asked.rows[self._position])


def _known(child: Child) -> ChildKernel:
    assert isinstance(child, ChildKernel)
    return child


def _depth(configuration: Configuration) -> int:
    by = configuration.launched_by
    return 0 if by is None else by.depth


def _bad(asked: Asked, bad: BadArgument, function: Function) -> Misasked:
    return _wrong(asked, bad.position, f"{bad.what}, to {function.name}", bad.hint)


def _wrong(asked: Asked, position: int, what: str, hint: str) -> Misasked:
    thread, block = asked.who(position)
    text = f"thread {thread} of block {block} {what}"
    error = StreamMisused(text, asked.instruction.span, hint, thread=thread, block=block)
    return Misasked(int(asked.rows[position]), error)
