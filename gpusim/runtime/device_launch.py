"""What do kernels ask the device runtime? To launch kernels, for streams of their block, for their errors.

A launch has the grid of its thread as parent, and begins when that grid's threads have left, and all that
its stream was given before is over. A GPU may begin it sooner: a seed draws which launches do. It comes after
all that its thread wrote before it either way. Sources: CUDA C++ Programming Guide, "CUDA Dynamic
Parallelism"; tests/hardware/dynamic_parallelism.json.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpusim.devices.device import Dim3
from gpusim.errors import GpuSimError, LaunchError, StreamMisused
from gpusim.events import GridLaunched
from gpusim.ir.details import Callee, Launch
from gpusim.ir.instructions import Opcode
from gpusim.ir.launched import LaunchedBy
from gpusim.ir.parameters import MOST_BYTES
from gpusim.ir.program import Function
from gpusim.machine import limits
from gpusim.machine.asking import Asked, Misasked
from gpusim.machine.attributes import Attributes
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.machine.layout import Layout
from gpusim.runtime.device_arguments import BadArgument, passed
from gpusim.runtime.device_errors import DeviceError
from gpusim.runtime.parameter_buffers import parameters_of
from gpusim.runtime.submitted import DeviceEvent, DeviceStream, Submitted, Waiting

NULL, TAIL, FIRE_AND_FORGET = 0, 3, 4  # streams that nobody creates
NAMED = {NULL: "default", TAIL: "tail launch", FIRE_AND_FORGET: "fire and forget"}
MOST_LEVELS = 24  # under CDP1
NON_BLOCKING, DISABLE_TIMING = 1, 2
CONFIGURED = 8  # operands in front of the arguments
_handles = itertools.count(0x1000, 0x10)

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
            return self._launch(asked)
        call = CALLS[asked.instruction.the(Callee).name]
        members, blocks = self._whose(asked.layout, asked.rows)
        answers = []
        for position, (member, block) in enumerate(zip(members, blocks, strict=True)):
            given = [int(operand[position]) for operand in asked.operands]
            answers.append(call(self, _Thread(self, asked, position, member, block), *given))
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

    def _launch(self, asked: Asked) -> npt.NDArray[Any]:
        launch = asked.instruction.the(Launch)
        child, brought = launch.child, asked.operands[CONFIGURED:]
        assert isinstance(child, ChildKernel)
        function, attributes, added = child.function, child.attributes, child.added()
        parameters = function.parameters[: len(function.parameters) - len(added)]
        shapes = list(zip(*(operand.tolist() for operand in asked.operands[:6]), strict=True))
        sizes, streams = (operand.tolist() for operand in asked.operands[6:CONFIGURED])
        members, blocks = self._whose(asked.layout, asked.rows)
        results = np.zeros(len(members), np.int32)
        buffers = [self._grids[member].submitted.tree.buffers for member in members]
        try:
            brought = parameters_of(launch, brought, buffers, self._grids[0].configuration.cdp)
            given = passed(parameters, brought, self._state.memory) if parameters else []
        except BadArgument as bad:
            raise _wrong(asked, bad.position, f"{bad.what}, to {function.name}", bad.hint) from None
        for position in range(len(asked.rows)):
            thread = _Thread(self, asked, position, members[position], blocks[position])
            stream = thread.stream(streams[position])
            grid, block = shapes[position][:3], shapes[position][3:]
            error = self._refusal(thread, function, attributes, grid, block, sizes[position], stream)
            if error:
                results[position] = thread.fails(error)
                continue
            arguments = [*(given[position] if given else ()), *added]
            thread.launch(
                function, attributes, grid, block, sizes[position], streams[position], stream, arguments
            )
            if launch.number:
                buffers[position].give_back(int(asked.operands[CONFIGURED][position]))
        return results

    def _refusal(
        self,
        thread: _Thread,
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

    def submit(self, waiting: Waiting, after: Sequence[Submitted]) -> None:
        """Give the device a child."""
        self._submit(waiting, after)


class _Thread:
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


def _depth(configuration: Configuration) -> int:
    by = configuration.launched_by
    return 0 if by is None else by.depth


def _wrong(asked: Asked, position: int, what: str, hint: str) -> Misasked:
    thread, block = asked.who(position)
    text = f"thread {thread} of block {block} {what}"
    error = StreamMisused(text, asked.instruction.span, hint, thread=thread, block=block)
    return Misasked(int(asked.rows[position]), error)


# what else there is -----------------------------------------------------------------------------------------


def _last_error(_runtime: Launches, thread: _Thread) -> int:
    """The last error, which is forgotten."""
    code, thread.error = thread.error, 0
    return code


def _peek(_runtime: Launches, thread: _Thread) -> int:
    return thread.error


def _create_stream(_runtime: Launches, thread: _Thread, _flags: int) -> int:
    """A handle. The flags make no difference: no stream of a block waits for another by itself."""
    handle = next(_handles)
    thread.parent.tree.streams[handle] = DeviceStream(thread.parent, thread.block)
    return handle


def _destroy_stream(_runtime: Launches, thread: _Thread, handle: int) -> int:
    """Its work goes on."""
    thread.own(thread.parent.tree.streams, handle, "stream").destroyed = True
    return 0


def _wait_event(_runtime: Launches, thread: _Thread, handle: int, event: int, _flags: int) -> int:
    """Later launches into a stream come after what the event stands for."""
    stream = thread.stream(handle)
    if stream is None:
        thread.error = DeviceError.cudaErrorInvalidResourceHandle
        return thread.error
    found: DeviceEvent = thread.own(thread.parent.tree.events, event, "event")
    stream.last = (*stream.before_next(), *found.after)
    return 0


def _create_event(_runtime: Launches, thread: _Thread, flags: int) -> int:
    """A handle; 0 where the event would keep its time, which none does here."""
    if flags != DISABLE_TIMING:
        thread.error = DeviceError.cudaErrorInvalidValue
        return 0
    handle = next(_handles)
    thread.parent.tree.events[handle] = DeviceEvent(thread.parent, thread.block)
    return handle


def _record_event(_runtime: Launches, thread: _Thread, event: int, handle: int) -> int:
    found: DeviceEvent = thread.own(thread.parent.tree.events, event, "event")
    stream = thread.stream(handle)
    if stream is None:
        thread.error = DeviceError.cudaErrorInvalidResourceHandle
        return thread.error
    found.after = stream.before_next()
    return 0


def _destroy_event(_runtime: Launches, thread: _Thread, handle: int) -> int:
    thread.own(thread.parent.tree.events, handle, "event").destroyed = True
    return 0


def _synchronize(runtime: Launches, thread: _Thread) -> int:
    """Before it waits: may it?"""
    if runtime.may_wait(thread.member):
        return 0
    thread.error = DeviceError.cudaErrorLaunchMaxDepthExceeded
    return thread.error


def _buffer(_runtime: Launches, thread: _Thread, size: int, *planned: int) -> int:
    """Its address; 0 where it would be larger than all parameters of a kernel may be."""
    fits = size <= MOST_BYTES[thread.configuration.cdp]
    return thread.parent.tree.buffers.take(size, planned) if fits else 0


def _planned(_runtime: Launches, thread: _Thread, address: int, which: int) -> int:
    """What `cudaGetParameterBufferV2` was told: the kernel, an extent of its grid or block, shared bytes."""
    try:
        return thread.parent.tree.buffers.planned(address)[which]
    except BadArgument as bad:
        raise thread.wrong(bad.what, bad.hint) from None


CALLS: dict[str, Callable[..., int]] = {
    "cudaGetLastError": _last_error,
    "cudaPeekAtLastError": _peek,
    "cudaStreamCreateWithFlags": _create_stream,
    "cudaStreamDestroy": _destroy_stream,
    "cudaStreamWaitEvent": _wait_event,
    "cudaEventCreateWithFlags": _create_event,
    "cudaEventRecord": _record_event,
    "cudaEventDestroy": _destroy_event,
    "cudaDeviceSynchronize": _synchronize,
    "cudaGetParameterBuffer": _buffer,
    "cudaLaunchDeviceV2": _planned,
    "cudaLaunchDevice": lambda _, thread: thread.fails(DeviceError.cudaErrorInvalidDeviceFunction),  # of null
}
