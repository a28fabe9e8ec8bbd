"""What does one thread know that asks the device runtime, and what does it do? It launches, waits, fails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gpusim.devices.device import Dim3
from gpusim.errors import GpuSimError, LaunchError, StreamMisused
from gpusim.events import ChildLaunched, ChildrenAwaited, GridLaunched
from gpusim.ir.details import Callee, Child
from gpusim.ir.device_errors import DeviceError
from gpusim.ir.launched import NAMED, NULL, LaunchedBy
from gpusim.ir.program import Function
from gpusim.machine.asking import Asked, Misasked
from gpusim.machine.attributes import Attributes
from gpusim.machine.configuration import Configuration
from gpusim.machine.device_state import DeviceState
from gpusim.runtime.device_queries import About
from gpusim.runtime.submitted import DeviceStream, Submitted, Tree, Waiting
from gpusim.runtime.told_arguments import arguments_of
from gpusim.tree_events import Blocker, Launched, Synchronizes

OF_HOST = {1: "cudaStreamLegacy", 2: "cudaStreamPerThread"}

Submit = Callable[[Waiting, Sequence[Submitted]], bool]


class Wanted(NamedTuple):
    """What is to be launched, as `Configuration` calls it."""

    function: Function
    attributes: Attributes
    grid: Dim3
    block: Dim3
    dynamic_shared_bytes: int


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


@dataclass(eq=False)
class Runtime:
    """The device runtime, for `grids` side by side.

    `submit` gives the device a child, and says whether that waits for its parent's threads to leave; `hurry`
    lets some of a tree get on before the threads do that launched. `launched`: what observers were told of
    the grids, by place; `numbers`: those of what happens. `turns`: launches of each warp, by its grid's place
    and its number.
    """

    grids: Sequence[Waiting]
    state: DeviceState
    submit: Submit
    hurry: Callable[[Tree], None]
    numbers: Iterator[int]
    launched: Mapping[int, GridLaunched] = field(default_factory=dict)
    turns: Counter[tuple[int, int]] = field(default_factory=Counter)

    def may_wait(self, member: int) -> bool:
        """Is there memory to put a grid aside that waits for others?"""
        return depth_of(self.grids[member].configuration) < self.state.synchronization_depth

    def pool_is_full(self, parent: Submitted) -> bool:
        """Are so many launches pending as there is room for, but in CDP1's virtualised pool?"""
        return parent.tree.pending >= self.state.pending_launches


class Thread:
    """One thread that asks: of which grid (`parent`), in which block."""

    def __init__(self, runtime: Runtime, asked: Asked, position: int, member: int, block: int) -> None:
        self._runtime, self._asked, self._position = runtime, asked, position
        self.member, self.block = member, block
        self._grid = runtime.grids[member]
        self.parent, self.configuration = self._grid.submitted, self._grid.configuration

    @property
    def depth(self) -> int:
        """How many launches led to its grid, after the host's?"""
        return depth_of(self.configuration)

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

    def new_handle(self) -> int:
        """Of a stream or an event: no other on this device has it, nor had it before."""
        return next(self._runtime.state.handles)

    def asks(self) -> About:
        """Whom it asks about its device, or about a kernel."""
        kernel = self._asked.instruction.the(Callee).kernel
        child = None if kernel is None else known(kernel.child)
        about = None if child is None else (child.function, child.attributes, child.constant_bytes)
        return About(self._runtime.state, self.configuration.device, self.configuration.cdp, about)

    def fails(self, error: DeviceError) -> int:
        """A launch of it does not come about."""
        many, first = self.parent.tree.failed.get(error, (0, self._asked.instruction.span))
        self.parent.tree.failed[error], self.error = (many + 1, first), error
        return error

    def wrong(self, what: str, hint: str) -> Misasked:
        """It does what it must not."""
        return wrong(self._asked, self._position, what, hint)

    def stream(self, handle: int) -> DeviceStream | None:
        """The stream that this means, or its block's default one; None for those that keep no order."""
        if handle == NULL:
            return self.parent.streams.setdefault(self.block, DeviceStream(self.parent, self.block))
        if handle in NAMED:
            if self.configuration.cdp == 1:
                raise self.wrong(
                    f"launches into the {NAMED[handle]} stream, which only CDP2 has", "use gpusim.use(cdp=2)"
                )
            return None
        if handle in OF_HOST:
            what, hint = (
                f"launches into {OF_HOST[handle]}",
                "leave the stream out: each block has a default one",
            )
            raise self.wrong(f"{what}, which the host has", hint)
        found: DeviceStream = self.own(self.parent.tree.streams, handle, "stream")
        return found

    def own(self, known: Mapping[int, Any], handle: int, what: str) -> Any:
        """What its grid has created, and not destroyed; under CDP1, what its block has.

        Source: NVIDIA's programming guide, scope of CUDA primitives, as of CDP1 and of CDP2.
        """
        found, one = known.get(handle), "an event" if what == "event" else f"a {what}"
        blocks_own = self.configuration.cdp == 1
        owner = "block" if blocks_own else "grid"
        hint = f"{what}s belong to the {owner} that created them, until it ends or destroys them"
        if handle == NULL:
            hint = "look at the error of the call that was to create it"
            hint += "; cudaEventCreateWithFlags takes cudaEventDisableTiming" if what == "event" else ""
            raise self.wrong(f"uses {what} 0, which was not created", hint)
        if found is None:
            raise self.wrong(f"uses {handle:#x} as {what}, which no block of this launch has created", hint)
        if found.owner is not self.parent or (blocks_own and found.block != self.block):
            whose = f"block {found.block}" if found.owner is self.parent else "another grid"
            raise self.wrong(f"uses {one} that {whose} has created", hint)
        if found.destroyed:
            raise self.wrong(f"uses {one} after it was destroyed", hint)
        return found

    def launcher(self, handle: int, stream: DeviceStream | None) -> LaunchedBy:
        """What its grids know of it, where they go into the stream of this handle."""
        thread, block = self._asked.who(self._position)
        warp = int(self._asked.layout.numbers[self._row])
        last = () if stream is None else stream.last
        return LaunchedBy(
            kernel=self.configuration.function.name,
            block=block,
            thread=thread,
            span=self._asked.instruction.span,
            stream=NAMED[handle] if stream is None else stream.name,
            depth=self.depth + 1,
            by=self.configuration.launched_by,
            grid=self._runtime.launched.get(self.member),
            warp=warp,
            turn=self._runtime.turns[self.member, warp] - 1,
            after=tuple(one.by for one in last if one.by is not None),
            in_heap=stream is not None and self._runtime.pool_is_full(self.parent),
        )

    def tells(self, wanted: Wanted, by: LaunchedBy, tick: int, **more: Any) -> int:
        """Tell who follows the tree of a launch; its number."""
        number, tree = next(self._runtime.numbers), self.parent.tree
        if tree.followers:
            shape = wanted.function.name, wanted.grid, wanted.block, wanted.dynamic_shared_bytes
            cdp = self.configuration.cdp
            tree.tell(Launched(number, tick, self.parent.number, by, self.block, *shape, cdp, **more))
        return number

    def waits(self) -> None:
        """It waits for the grids of its block."""
        span = self._asked.instruction.span
        self._asked.emit(ChildrenAwaited(*self._asked.alone(self._position), span))
        if self.parent.unfinished[self.block]:
            tick = next(self._runtime.numbers)
            self.parent.tree.tell(Synchronizes(self.parent.number, tick, self.block, span))

    def launch(
        self,
        wanted: Wanted,
        brought: Sequence[Any],
        added: Sequence[Any],
        stream: DeviceStream | None,
        by: LaunchedBy,
        tick: int,
    ) -> None:
        """Give the device a grid."""
        mine = self.configuration
        if wanted.function.cooperative or wanted.attributes.cooperative:
            hint = "let the host launch it, or launch two kernels, one after the other"
            raise self.wrong(f"launches {wanted.function.name}, which waits for its whole grid", hint)
        try:
            configuration = replace(mine, **wanted._asdict(), arguments=[*brought, *added], launched_by=by)
        except LaunchError as error:
            raise Misasked(self._row, LaunchError(error.message, by.span, error.hint)) from None
        except GpuSimError as error:
            raise Misasked(self._row, error) from None
        submitted = Submitted(self.parent.tree, self.parent, block=self.block, by=by)
        waiting = Waiting(submitted, configuration, self._grid.observers)
        after = () if stream is None else stream.before_next
        by_event = () if stream is None else stream.by_event
        before = [Blocker(one.number, "event" if one in by_event else "stream") for one in after]
        self._asked.emit(ChildLaunched(*self._asked.alone(self._position), by, by.after))
        if stream is not None:
            stream.add(submitted)
            self.parent.pending += 1
            self.parent.tree.pending += 1
        if by.is_tail:
            before = [Blocker(self.parent.number, "tail")]
            before += [Blocker(one.submitted.number, "stream") for one in list(self.parent.tails)[-1:]]
            self.parent.tails.append(waiting)
        elif self._runtime.submit(waiting, after):
            before.insert(0, Blocker(self.parent.number, "parent"))
        told = arguments_of(configuration, mine)[: len(brought)] if self.parent.tree.followers else ()
        submitted.number = self.tells(wanted, by, tick, arguments=told, after=tuple(before))

    @property
    def _row(self) -> int:
        return int(self._asked.rows[self._position])


def known(child: Child) -> ChildKernel:
    """The same, as the device runtime knows it."""
    assert isinstance(child, ChildKernel)
    return child


def depth_of(configuration: Configuration) -> int:
    """How many launches led to a grid, after the host's?"""
    by = configuration.launched_by
    return 0 if by is None else by.depth


def wrong(asked: Asked, position: int, what: str, hint: str) -> Misasked:
    """Thread number `position` of those who ask does what it must not."""
    thread, block = asked.who(position)
    text = f"thread {thread} of block {block} {what}"
    error = StreamMisused(text, asked.instruction.span, hint, thread=thread, block=block)
    return Misasked(int(asked.rows[position]), error)
