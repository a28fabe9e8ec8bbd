"""What happened? The machine tells its observers, for many warps at once, in arrays.

W warps, L lanes a warp. `warps` are numbers within the grid: block number × warps per block + warp in block.
An observer is asked once of each grid who follows it. That one takes the grid's events, and hears of its end:

>>> class Barriers(GridObserver):
...     wants = frozenset({BarrierPassed})
...     def observe(self, event): print("passed by", event.active.sum(), "lanes")
>>> class OfLargeGrids:
...     def watches(self, launched): return Barriers() if launched.grid[0] > 1000 else None
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gpusim.devices import Device
from gpusim.devices.carveout import Carveout
from gpusim.devices.device import Dim3
from gpusim.ir.control_flow import Block
from gpusim.ir.details import Scope
from gpusim.ir.instructions import Instruction, Opcode
from gpusim.ir.launched import LaunchedBy
from gpusim.ir.program import Function
from gpusim.ir.types import Space
from gpusim.source import Span

Warps = npt.NDArray[np.int64]
Lanes = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
MAX_THREADS = 1024  # of a tile


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an array lies: `bytes` from `first`, with element [i, …] at `address` + i·strides_bytes[0] + …

    Addresses of shared and local arrays count from the start of the block's or thread's window. `written`
    says of each byte whether anybody has written to it; None where all were.
    """

    name: str
    space: Space
    first: int
    bytes: int
    address: int
    shape: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    written: Lanes | None = None

    def index(self, address: Numbers) -> tuple[list[Numbers], Numbers]:
        """Which element lies at each address? Its index along every axis, and how many bytes into it.

        From the widest stride to the narrowest, each axis counted from its low end. A pointer into the middle
        of its memory has negative indices before it.
        """
        extents = list(zip(self.shape, self.strides_bytes, strict=True))
        rest = address - self.address - sum((length - 1) * stride for length, stride in extents if stride < 0)
        index = [np.zeros_like(address)] * len(extents)
        for axis in sorted(range(len(extents)), key=lambda axis: -abs(self.strides_bytes[axis])):
            length, stride = extents[axis]
            if stride and length > 1:
                steps, rest = np.divmod(rest, abs(stride))
                index[axis] = length - 1 - steps if stride < 0 else steps
        return index, rest


def is_of_group(number: int) -> bool:
    """Is this the barrier of a block, or of a tile of several warps? `64 << 32 | 1` is: of tile 1 of 64."""
    size, low = divmod(number, 1 << 32)
    return size.bit_count() == 1 and low < size <= MAX_THREADS


def barrier_name(number: int, arrays: Iterable[Placement] = ()) -> str:
    """What a reader calls a barrier: the number that the program gave it, whose it is among groups, or the
    variable in shared memory whose address is its number, one of `arrays`.

    >>> barrier_name(3), barrier_name(64 << 32 | 1)
    ('barrier 3', 'the barrier of tile 1 of 64 threads')
    """
    size, low = divmod(number, 1 << 32)
    if size == 1:
        return "the block's barrier"
    if is_of_group(number):
        return f"the barrier of tile {low} of {size} threads"
    is_pipeline = size >> 16 > 0  # an address, and behind it a stage, which is full or empty
    address = (number >> 8 if is_pipeline else number) % (1 << 32)
    for one in arrays if size else ():
        if one.space is Space.SHARED and one.first <= address < one.first + one.bytes:
            index = ", ".join(map(str, one.index(np.asarray(address))[0]))
            name = f"`{one.name}`" if one.shape == (1,) else f"`{one.name}[{index}]`"
            stage = f"stage {number % 256 // 2} of pipeline " if is_pipeline else "barrier "
            return stage + name
    return f"barrier {number}"


@dataclass(frozen=True, slots=True, eq=False)
class GridLaunched:
    """A grid starts. `grid` and `block` are (x, y, z); `blocks` are the basic blocks as they run.

    Batches of `blocks_at_once` thread blocks run one after the other: as many as are resident, or where none
    waits for another fewer, which suit the host's caches. `dynamic_shared_bytes` come on top of the shared
    arrays that the kernel declares; `carveout` is how the launch finds shared memory and L1 split. Arrays of
    the host lie at addresses from `host_arrays_from` on. Two launches are two grids, however alike;
    `launched_by` says which thread of which grid launched this one, None where the host did; `cdp` 1 or 2, by
    which rules of dynamic parallelism.
    """

    function: Function
    blocks: tuple[Block, ...]
    reconvergence: tuple[int | None, ...]
    device: Device
    scheduling: str
    grid: Dim3
    block: Dim3
    warps_per_block: int
    blocks_at_once: int
    arrays: tuple[Placement, ...]
    dynamic_shared_bytes: int
    carveout: Carveout
    host_arrays_from: int
    launched_by: LaunchedBy | None = None
    cdp: int = 2


@dataclass(frozen=True, slots=True)
class StackEntry:
    """One entry of a warp's mask stack: its lanes (`mask`, bool (L,)), where they go on and meet others."""

    what: str
    mask: Lanes
    block: int
    meeting: int | None


@dataclass(frozen=True, slots=True)
class WarpState:
    """How one warp stands: its stack (bottom first), lanes that left, lanes at a barrier; all bool (L,)."""

    stack: tuple[StackEntry, ...]
    present: Lanes
    left: Lanes
    at_barrier: Lanes


@dataclass(frozen=True, slots=True)
class BlockIssued:
    """Warps execute basic block `block` under `active`: bool (W, L). `state(k)` describes `warps[k]`."""

    block: int
    warps: Warps
    active: Lanes
    active_lanes: int
    state: Callable[[int], WarpState]


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """One memory instruction of some warps. `addresses`: int64 (W, L) bytes; inactive lanes hold anything.

    `memory[elements]`, int64 (W, L), is what the lanes mean: before a store or an atomic, for the event comes
    first. Every copy of a shared or local array has its own place there. Where an access through addresses
    goes to several arrays of one space, `memory` is a copy of what was there.
    """

    space: Space
    kind: str
    width: int
    warps: Warps
    active: Lanes
    addresses: npt.NDArray[np.int64]
    instruction: Instruction
    memory: npt.NDArray[Any]
    elements: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TexelsAccessed:
    """One access of some warps by a texture or surface object: every element that each lane's takes, at once.

    `addresses`, `active`: (W, K), K one, two or four times the lanes. For a picture of the lanes there is a
    `MemoryAccess` for each of them, too.
    """

    space: Space
    kind: str
    width: int
    warps: Warps
    active: Lanes
    addresses: npt.NDArray[np.int64]
    instruction: Instruction


@dataclass(frozen=True, slots=True)
class RegisterWritten:
    """An instruction gave a variable of the kernel its `values`, (W, L); inactive lanes hold anything."""

    instruction: Instruction
    warps: Warps
    active: Lanes
    values: npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class BranchTaken:
    """Warps executed a branch: `taken` (W, L) are the lanes of `active` that go to its `then` side."""

    block: int
    warps: Warps
    active: Lanes
    taken: Lanes
    span: Span


@dataclass(frozen=True, slots=True)
class BarrierReached:
    """Lanes of warps arrived at a barrier: their block's or the grid's, or one with a number, if `named`."""

    warps: Warps
    active: Lanes
    span: Span
    named: bool = False


@dataclass(frozen=True, slots=True)
class BarrierPassed:
    """A barrier opened for `active` lanes: all of whole thread blocks, or of the `whole_grid`."""

    warps: Warps
    active: Lanes
    whole_grid: bool = False


@dataclass(frozen=True, slots=True)
class NamedBarrierUsed:
    """Lanes came to a barrier that parts of their blocks share (`arrives`), or went on from it.

    `phases`: int64 (W, L), how often the barrier had opened when each lane came.
    """

    number: int
    warps: Warps
    active: Lanes
    phases: npt.NDArray[np.int64]
    arrives: bool


@dataclass(frozen=True, slots=True)
class LanesSynchronized:
    """Lanes of each warp met at an exchange: those of `active` that named each other.

    `absent`: bool (W, L), the lanes that a shuffle gives the value of a lane that took no part.
    """

    opcode: Opcode
    warps: Warps
    active: Lanes
    span: Span
    absent: Lanes | None = None


@dataclass(frozen=True, slots=True)
class CopiesAwaited:
    """Lanes waited for their asynchronous copies, but for the last `left` groups of them, (W, L).

    With None they closed a group: the copies since the last.
    """

    warps: Warps
    active: Lanes
    span: Span
    left: npt.NDArray[Any] | None = None


@dataclass(frozen=True, slots=True)
class FenceExecuted:
    """Lanes executed a memory fence."""

    scope: Scope
    warps: Warps
    active: Lanes
    span: Span


@dataclass(frozen=True, slots=True)
class ChildLaunched:
    """A lane, the only one that is active, launched a grid: `by` is what that grid's `launched_by` will be.

    It begins once those launches are over that it comes `after`, of streams of its block; else see `stream`.
    """

    warps: Warps
    active: Lanes
    by: LaunchedBy
    after: tuple[LaunchedBy, ...]


@dataclass(frozen=True, slots=True)
class ChildrenAwaited:
    """A lane, the only one that is active, goes on once all is over that its block has launched (CDP1)."""

    warps: Warps
    active: Lanes
    span: Span


Event = (
    BlockIssued
    | MemoryAccess
    | TexelsAccessed
    | RegisterWritten
    | BranchTaken
    | BarrierReached
    | BarrierPassed
    | NamedBarrierUsed
    | LanesSynchronized
    | FenceExecuted
    | CopiesAwaited
    | ChildLaunched
    | ChildrenAwaited
)


class GridObserver:
    """Follows one grid. `wants` names the kinds of event to be given: no other is formed for its sake.

    `notes_writes`: at the end it marks in `Placement.written` what the kernel wrote; nobody need assume all.
    """

    wants: frozenset[type] = frozenset()
    notes_writes = False

    def observe(self, event: Event) -> None:
        """Take one event. Its `memory` and `elements` change as the kernel runs on: copy what is kept."""

    def ended(self, error: BaseException | None) -> None:
        """The grid is over, told once: every thread has left the kernel, or this ended it."""


class Observer(Protocol):
    """Anything that follows launches."""

    def watches(self, launched: GridLaunched) -> GridObserver | None:
        """Who follows this grid? None: nobody, and that costs nothing. What is raised ends the launch."""
