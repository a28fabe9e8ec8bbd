"""Which kinds of groups of threads are there in Python, and what can each do? Those of C++, by its names.

Methods are written in Numba's dialect, and compiled into the kernel. A group within a warp is the mask of its
lanes, an int64: bits of all 64 lanes, and of 32 with zeros above. Its kind is known while compiling, the size
of a tile, too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gpusim.frontends.python.builtins import intrinsics
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.builtins.vectors import VECTORS
from gpusim.ir.instructions import Opcode

Number = Any
cuda: Any = intrinsics  # as kernels name it
dim3 = VECTORS["int32x3"]
MAX_THREADS = 1024  # of a block
CUT = "tiles exchange values: cut the block with cuda.cg.tiled_partition(block, 32)"


def written(function: Callable[..., Any]) -> Any:
    """A function for kernels that is written in their dialect; a method's usage names its class."""
    parameters = inspect.signature(function).parameters.values()
    names = [str(one.replace(annotation=one.empty)) for one in parameters if one.name != "self"]
    made = Intrinsic(f"cg.{function.__qualname__}({', '.join(names)})", "written", function)
    object.__setattr__(made, "__doc__", f"cuda.{made.usage}\n\n{function.__doc__ or ''}".rstrip())
    return made


# numbers ----------------------------------------------------------------------------------------------------

# what another lane of the same segment of the warp brings; 0: the whole warp is one
shfl_idx, shfl_up, shfl_down, shfl_xor = (
    Intrinsic(f"shfl_{way}(mask, value, lane, width=0)", "exchange", Opcode[f"SHFL_{way.upper()}"])
    for way in ("idx", "up", "down", "xor")
)
grid_barrier = Intrinsic("grid_barrier()", "barrier", Opcode.GRID_BARRIER)
cooperative = Intrinsic("cooperative()", "cooperative")  # is the kernel launched so?
# a barrier of some threads of a block, by its number; 0 threads: all that have not left
part_arrive = Intrinsic("part_arrive(number, threads)", "barrier", Opcode.NAMED_ARRIVE)
part_wait = Intrinsic("part_wait(number)", "barrier", Opcode.NAMED_WAIT)


def _like(call: Any) -> tuple[Any, ...]:
    number, sample = call.arguments
    return call.lowering.number(sample, call.node).type.dtype.type, number


like = Intrinsic("like(number, sample)", "chosen", _like)  # a number in the type of another


@written
def rank_in_block() -> Number:
    return cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)


@written
def threads_in_block() -> Number:
    return cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z


@written
def nth(lanes: Number, rank: Number) -> Number:
    """The lane that comes as number `rank`."""
    for _ in range(rank):
        lanes &= lanes - 1
    return cuda.ffs(lanes) - 1


@written
def packed(word: Number, lanes: Number) -> Number:
    """The bits that a word has at these lanes, side by side."""
    found = 0
    k = 0
    while lanes != 0:
        found |= (word >> cuda.ffs(lanes) - 1 & 1) << k
        k += 1
        lanes &= lanes - 1
    return found


@written
def leading(count: Number) -> Number:
    """The first lanes of a warp, one at least."""
    return (2 << count - 1) - 1


@written
def tile_of_block(size: Number) -> Number:
    """The lanes of this thread's tile; the last tile of a block may have fewer."""
    in_warp = threads_in_block() - (rank_in_block() - cuda.laneid)
    return leading(size) << (cuda.laneid & ~(size - 1)) & leading(min(in_warp, cuda.warpsize))


def _part_wait(call: Any) -> tuple[Any, ...]:
    group, token = call.arguments
    if getattr(token, "type", None) is not group.type.TOKEN:
        raise call.wrong(
            f"this is no token of a {group.type.__name__}", "wait with what its barrier_arrive() gave"
        )
    return part_wait, token[0]


# groups -----------------------------------------------------------------------------------------------------


class Group:
    """Threads that work together: numbers, which its methods read as `self.NAME`."""

    PARTS: ClassVar[tuple[str, ...]] = ()
    HINT: ClassVar[str] = ""  # to who asks for what another kind of group has
    SIZE: ClassVar[int] = 0  # where it is known
    num_threads: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        """Its methods are for kernels; CUDA has two names for `size`."""
        for name, found in list(vars(cls).items()):
            if inspect.isfunction(found):
                setattr(cls, name, written(found))
        cls.num_threads = getattr(cls, "size", None)


class thread_group(Group):
    """What all groups within a block have: lanes of a warp, or with none in its mask the block."""

    lanes: Number
    number: Number
    groups: Number
    PARTS: ClassVar[tuple[str, ...]] = ("lanes", "number", "groups")
    HINT = f"this may be one of several kinds of groups; {CUT}"

    def sync(self) -> None:
        """Wait for all threads of the group, and see what they wrote before."""
        if self.lanes:
            cuda.syncwarp(self.lanes)
        else:
            cuda.syncthreads()

    def size(self) -> Number:
        """How many threads it has."""
        return cuda.popc(self.lanes) if self.lanes else threads_in_block()

    def thread_rank(self) -> Number:
        """The number of this thread among them."""
        return cuda.popc(self.lanes & (1 << cuda.laneid) - 1) if self.lanes else rank_in_block()

    def is_valid(self) -> Number:
        """Can its threads wait for each other?"""
        return True


class arrival_token(Group):
    """What a thread has that came to a barrier, and may wait there later."""

    HINT = "give it to barrier_wait()"


def token_of(kind: str) -> type[Group]:
    """The tokens of this kind of groups."""
    return type(f"{kind}::arrival_token", (arrival_token,), {"PARTS": ("barrier",)})


class thread_block(thread_group):
    """The threads of a block."""

    TOKEN = token_of("thread_block")
    HINT = CUT

    def _barrier(self) -> Number:
        return 1 << 32  # beyond the numbers that a program gives its own

    def sync(self) -> None:
        cuda.syncthreads()

    def size(self) -> Number:
        return threads_in_block()

    def thread_rank(self) -> Number:
        return rank_in_block()

    def group_index(self) -> Number:
        """`blockIdx`."""
        return dim3(cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z)

    def thread_index(self) -> Number:
        """`threadIdx`."""
        return dim3(cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z)

    def dim_threads(self) -> Number:
        """`blockDim`."""
        return dim3(cuda.blockDim.x, cuda.blockDim.y, cuda.blockDim.z)

    group_dim = dim_threads

    def barrier_arrive(self) -> Number:
        """Come to the group's barrier and go on; gives a token to wait with, once."""
        number = self._barrier()
        part_arrive(number, self.SIZE)
        return self.TOKEN(number)

    barrier_wait = Intrinsic("cg.thread_block.barrier_wait(group, token)", "chosen", _part_wait)


class GridGroup(Group):
    """All threads of the grid, which is launched cooperatively."""

    HINT = "a grid has sync, size, num_threads, thread_rank and is_valid; blocks have the rest"

    def is_valid(self) -> Number:
        """Is it launched cooperatively? So it is where the kernel syncs the grid, or has the option."""
        return cooperative()

    def sync(self) -> None:
        grid_barrier()

    def size(self) -> Number:
        return np.int64(cuda.gridDim.x) * cuda.gridDim.y * cuda.gridDim.z * threads_in_block()

    def thread_rank(self) -> Number:
        """The number of this thread in the grid, block by block."""
        above = cuda.blockIdx.y + np.int64(cuda.gridDim.y) * cuda.blockIdx.z
        return (cuda.blockIdx.x + cuda.gridDim.x * above) * threads_in_block() + rank_in_block()


class coalesced_group(thread_group):
    """Lanes of one warp, whichever: each has its rank among them."""

    HINT = "tiles of a constant size or the block have it: cuda.cg.tiled_partition(block, 32)"

    def meta_group_rank(self) -> Number:
        """The number of this group among those that it was cut with."""
        return self.number

    def meta_group_size(self) -> Number:
        """How many groups it was cut with."""
        return self.groups

    def shfl(self, value: Number, rank: Number) -> Number:
        """The value that the thread of this rank brings."""
        return like(shfl_idx(self.lanes, value, nth(self.lanes, rank % self.size())), value)

    def shfl_down(self, value: Number, delta: Number) -> Number:
        """The value of the thread whose rank is `delta` higher; one's own where there is none."""
        other = self.thread_rank() + delta
        lane = nth(self.lanes, other) if other < self.size() else cuda.laneid
        return like(shfl_idx(self.lanes, value, lane), value)

    def shfl_up(self, value: Number, delta: Number) -> Number:
        """The value of the thread whose rank is `delta` lower; one's own where there is none."""
        rank = self.thread_rank()
        lane = nth(self.lanes, rank - delta) if rank >= delta else cuda.laneid
        return like(shfl_idx(self.lanes, value, lane), value)

    def any(self, predicate: Number) -> Number:
        """Is it not zero for one of the threads?"""
        return cuda.any_sync(self.lanes, predicate)

    def all(self, predicate: Number) -> Number:
        """Is it not zero for all threads?"""
        return cuda.all_sync(self.lanes, predicate)

    def _voted(self, predicate: Number) -> Number:
        return cuda.ballot_sync(self.lanes, predicate) & self.lanes

    def _alike(self, value: Number) -> Number:
        return cuda.match_any_sync(self.lanes, value) & self.lanes

    def ballot(self, predicate: Number) -> Number:
        """A bit for each rank, set where the predicate is not zero."""
        return packed(self._voted(predicate), self.lanes)

    def match_any(self, value: Number) -> Number:
        """The ranks that bring an equal value, a bit each."""
        return packed(self._alike(value), self.lanes)

    def match_all(self, value: Number) -> Number:
        """All ranks, a bit each, and True, if all bring an equal value; else 0 and False."""
        lanes, same = cuda.match_all_sync(self.lanes, value)
        return packed(lanes, self.lanes), same

    def _reduced(self, value: Number, combine: Number) -> Number:
        rank = self.thread_rank()
        size = self.size()
        step = 1
        while step < size:
            step *= 2
        step >>= 1
        while step > 0:
            other = self.shfl_down(value, step)
            if rank + step < size:
                value = like(combine(value, other), value)
            step >>= 1
        return self.shfl(value, 0)

    def _scanned(self, value: Number, combine: Number) -> Number:
        rank = self.thread_rank()
        step = 1
        while step < self.size():
            other = self.shfl_up(value, step)
            if rank >= step:
                value = like(combine(other, value), value)
            step *= 2
        return value

    def _scanned_before(self, value: Number, combine: Number) -> Number:
        before = self.shfl_up(self._scanned(value, combine), 1)
        nothing: Number = like(0, value)
        return nothing if self.thread_rank() == 0 else before


class thread_block_tile(coalesced_group):
    """A power of two of neighbouring lanes, `SIZE`: what is derived from it knows how many."""

    PARTS = ()
    HINT = "the block has it: cuda.cg.this_thread_block()"

    def size(self) -> Number:
        return self.SIZE

    def thread_rank(self) -> Number:
        return cuda.laneid % self.SIZE

    def shfl(self, value: Number, rank: Number) -> Number:
        return like(shfl_idx(self.lanes, value, rank, self.SIZE), value)

    def shfl_down(self, value: Number, delta: Number) -> Number:
        return like(shfl_down(self.lanes, value, delta, self.SIZE), value)

    def shfl_up(self, value: Number, delta: Number) -> Number:
        return like(shfl_up(self.lanes, value, delta, self.SIZE), value)

    def shfl_xor(self, value: Number, mask: Number) -> Number:
        """The value of the thread whose rank differs in the bits of the mask."""
        return like(shfl_xor(self.lanes, value, mask, self.SIZE), value)
