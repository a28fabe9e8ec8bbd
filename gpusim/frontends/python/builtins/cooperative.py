"""What is `cuda.cg` in a kernel? CUDA's cooperative groups: how they are made, and what they do together.

Numba has `cg.this_grid().sync()`; all else is ours, by CUDA's names, and does what the headers for C++ do: it
is written in Numba's dialect, and compiled into the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpusim.frontends.python.builtins import groups, intrinsics
from gpusim.frontends.python.builtins.groups import Number, written
from gpusim.frontends.python.builtins.intrinsics import Intrinsic, Namespace
from gpusim.ir.instructions import Constant

cuda: Any = intrinsics  # as kernels name it
kinds: Any = groups
POWERS = "a tile has 1, 2, 4, 8, … threads"
SEVERAL_WARPS = "tiles of several warps are not simulated yet: use the thread block"


@written
def this_thread_block() -> Number:
    """The block of this thread, as a group."""
    return kinds.thread_block(0, 0, 1)


@written
def this_grid() -> Number:
    """The grid, as a group whose threads can wait for each other."""
    return kinds.GridGroup()


@written
def coalesced_threads() -> Number:
    """The lanes of the warp that execute this together, as a group."""
    return kinds.coalesced_group(cuda.activemask(), 0, 1)


@written
def tile(group: Number, kind: Number) -> Number:
    number = group.thread_rank() // kind.SIZE
    return kind(kinds.tile_of_block(kind.SIZE), number, (group.size() + kind.SIZE - 1) // kind.SIZE)


@written
def cut(group: Number, size: Number) -> Number:
    if size < 1 or size > cuda.warpsize or size & (size - 1):
        raise ValueError("a tile has 1, 2, 4, 8, … threads, and no more than a warp")
    number = group.thread_rank() // size
    lanes = 0
    if group.lanes:
        left = group.lanes
        rank = 0
        while left:
            if rank // size == number:
                lanes |= left & -left
            rank += 1
            left &= left - 1
    else:
        lanes = kinds.tile_of_block(size)
    return kinds.coalesced_group(lanes, number, (group.size() + size - 1) // size)


def _tiled_partition(call: Any) -> tuple[Any, ...]:
    """Of a constant size it is a `thread_block_tile`, unless the group is of whichever lanes."""
    group, size = call.arguments
    kind: Any = getattr(group, "type", None)
    of_a_block = isinstance(kind, type) and issubclass(kind, kinds.thread_group)
    if not of_a_block:
        raise call.wrong("tiled_partition() takes a group of a block's threads", f"cuda.{call.called.usage}")
    if not isinstance(size, Constant):
        return cut, group, size
    threads = size.value if size.type.is_integer else 0
    if threads < 1 or threads.bit_count() != 1:
        raise call.wrong(POWERS, f"not {size.value}")
    if threads > call.lowering.warp_size:
        raise call.wrong(SEVERAL_WARPS, f"a warp has {call.lowering.warp_size} lanes")
    if kind.SIZE and threads > kind.SIZE:
        raise call.wrong(f"a tile of {threads} threads within one of {kind.SIZE}", "cut the block instead")
    if kind is kinds.thread_block:
        call.site.builder.tiles[call.site.span.outermost, threads] = None  # synccheck looks at them
    if kind.SIZE or kind is kinds.thread_block:
        return tile, group, kinds.tile_of(threads)
    return cut, group, size


tiled_partition = Intrinsic("cg.tiled_partition(group, size)", "chosen", _tiled_partition)


@written
def binary_partition(group: Number, predicate: Number) -> Number:
    """The threads of the group for which the predicate is what it is for this one."""
    flag = bool(predicate)
    yes = group._voted(flag)
    no = group.lanes & ~yes
    return kinds.coalesced_group(yes if flag else no, flag and no != 0, 2 if yes != 0 and no != 0 else 1)


@written
def labeled_partition(group: Number, label: Number) -> Number:
    """The threads of the group that bring an equal label."""
    same = group._alike(label)
    leader = cuda.ffs(same) - 1
    leaders = group._voted(leader == cuda.laneid)
    return kinds.coalesced_group(same, cuda.popc(leaders & (1 << leader) - 1), cuda.popc(leaders))


# working together -------------------------------------------------------------------------------------------


@written
def invoke_one(group: Number, function: Number, *arguments: Number) -> None:
    """One thread of the group calls the function."""
    if group.thread_rank() == 0:
        function(*arguments)


@written
def invoke_one_broadcast(group: Number, function: Number, *arguments: Number) -> Number:
    """One thread of the group calls the function, and all get what it returns."""
    if group.thread_rank() == 0:
        result = function(*arguments)
    return group.shfl(result, 0)


@written
def reduce(group: Number, value: Number, operation: Number) -> Number:
    """All values of the group, combined; every thread gets it. `operation(a, b)` is `plus()` or your own."""
    rank = group.thread_rank()
    size = group.size()
    step = 1
    while step < size:
        step *= 2
    step >>= 1
    while step > 0:
        other = group.shfl_down(value, step)
        if rank + step < size:
            value = kinds.like(operation(value, other), value)
        step >>= 1
    return group.shfl(value, 0)


@written
def inclusive_scan(group: Number, value: Number, operation: Number = None) -> Number:
    """The values of the threads up to this one, combined, by `plus()` unless another operation is given."""
    combine = plus() if operation is None else operation
    rank = group.thread_rank()
    step = 1
    while step < group.size():
        other = group.shfl_up(value, step)
        if rank >= step:
            value = kinds.like(combine(other, value), value)
        step *= 2
    return value


@written
def exclusive_scan(group: Number, value: Number, operation: Number = None) -> Number:
    """The same of the threads before this one; the first gets 0, whatever the operation, as on an H200."""
    before = group.shfl_up(inclusive_scan(group, value, operation), 1)
    nothing: Number = kinds.like(0, value)
    return nothing if group.thread_rank() == 0 else before


def operation(name: str, combine: Callable[..., Any]) -> Any:
    """What gives this combination of two values: `plus()`, as CUDA spells it."""
    return Intrinsic(f"cg.{name}()", "operation", written(combine))


plus = operation("plus", lambda a, b: a + b)
less = operation("less", lambda a, b: b if b < a else a)
greater = operation("greater", lambda a, b: b if a < b else a)
bit_and = operation("bit_and", lambda a, b: a & b)
bit_or = operation("bit_or", lambda a, b: a | b)
bit_xor = operation("bit_xor", lambda a, b: a ^ b)

cg = Namespace(
    binary_partition=binary_partition, bit_and=bit_and, bit_or=bit_or, bit_xor=bit_xor,
    coalesced_threads=coalesced_threads, exclusive_scan=exclusive_scan, greater=greater,
    inclusive_scan=inclusive_scan, invoke_one=invoke_one, invoke_one_broadcast=invoke_one_broadcast,
    labeled_partition=labeled_partition, less=less, plus=plus, reduce=reduce, this_grid=this_grid,
    this_thread_block=this_thread_block, tiled_partition=tiled_partition,
)  # fmt: skip
