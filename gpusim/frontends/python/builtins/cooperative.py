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
from gpusim.frontends.python.builtins.wide_tiles import tile_of, wide_tile
from gpusim.ir.instructions import Constant, Opcode

cuda: Any = intrinsics  # as kernels name it
kinds: Any = groups
POWERS = "a tile has 1, 2, 4, 8, … threads"


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
def wide(group: Number, kind: Number) -> Number:
    return kind(group.thread_rank() // kind.SIZE, (group.size() + kind.SIZE - 1) // kind.SIZE)


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
    of_a_block = isinstance(kind, type) and issubclass(kind, kinds.thread_group | wide_tile)
    if not of_a_block:
        raise call.wrong("tiled_partition() takes a group of a block's threads", f"cuda.{call.called.usage}")
    if not isinstance(size, Constant):
        return cut, group, size
    threads, lanes = size.value if size.type.is_integer else 0, call.lowering.warp_size
    if threads < 1 or threads.bit_count() != 1:
        raise call.wrong(POWERS, f"not {size.value}")
    if threads > kinds.MAX_THREADS:
        raise call.wrong(f"a tile of {threads} threads", f"it has at most {kinds.MAX_THREADS}, a whole block")
    if kind.SIZE and threads > kind.SIZE:
        raise call.wrong(f"a tile of {threads} threads within one of {kind.SIZE}", "cut the block instead")
    if threads > lanes and not (kind.SIZE or kind is kinds.thread_block):
        raise call.wrong(f"a tile of {threads} threads of a {kind.__name__}", "cut the block instead")
    if kind in (kinds.thread_block, kinds.thread_group):
        call.site.builder.tiles[call.site.span.outermost, threads] = None  # synccheck looks at them
    if kind.SIZE or kind is kinds.thread_block:
        return wide if threads > lanes else tile, group, tile_of(threads, lanes)
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
    return group._reduced(value, operation)


@written
def inclusive_scan(group: Number, value: Number, operation: Number = None) -> Number:
    """The values of the threads up to this one, combined, by `plus()` unless another operation is given."""
    return group._scanned(value, plus() if operation is None else operation)


@written
def exclusive_scan(group: Number, value: Number, operation: Number = None) -> Number:
    """The values of the threads before this one, combined; the first gets 0, as on an H200."""
    return group._scanned_before(value, plus() if operation is None else operation)


@written
def sync(group: Number) -> None:
    """Wait for all threads of the group: `group.sync()`."""
    group.sync()


# copies to shared memory ------------------------------------------------------------------------------------

store_async = Intrinsic("store_async(array, index, value)", "store_async")
copies_commit = Intrinsic("copies_commit()", "effect", Opcode.COPIES_COMMIT)
copies_wait = Intrinsic("copies_wait(copies)", "effect", Opcode.COPIES_WAIT)


@written
def copy(group: Number, destination: Number, source: Number, count: Number) -> None:
    i = group.thread_rank()
    size = group.size()
    while i < count:
        store_async(destination, i, source[i])
        i += size
    copies_commit()


def _memcpy_async(call: Any) -> tuple[Any, ...]:
    _, *arrays, _ = call.arguments
    if any(getattr(one, "dimensions", 0) != 1 for one in arrays):
        raise call.wrong("memcpy_async() copies between arrays of one dimension", f"cuda.{call.called.usage}")
    to, source = (one.array.element for one in arrays)
    if to != source:
        hint = "elements are copied as they are: convert them in a loop"
        raise call.wrong(f"memcpy_async() of {source.dtype} to {to.dtype}", hint)
    return copy, *call.arguments


memcpy_async = Intrinsic("cg.memcpy_async(group, destination, source, count)", "chosen", _memcpy_async)


@written
def wait_prior(group: Number, copies: Number) -> None:
    """Wait until all but the last so many copies are there, for all threads of the group."""
    copies_wait(copies)
    group.sync()


@written
def wait(group: Number) -> None:
    """Wait until all copies are there, for all threads of the group."""
    copies_wait(0)
    group.sync()


# combinations -----------------------------------------------------------------------------------------------


def operation(name: str, combine: Callable[..., Any]) -> Any:
    """What gives this combination of two values: `plus()`, as CUDA spells it."""
    return Intrinsic(f"cg.{name}()", "operation", written(combine))


plus = operation("plus", lambda a, b: a + b)
less = operation("less", lambda a, b: b if b < a else a)
greater = operation("greater", lambda a, b: b if a < b else a)
bit_and = operation("bit_and", lambda a, b: a & b)
bit_or = operation("bit_or", lambda a, b: a | b)
bit_xor = operation("bit_xor", lambda a, b: a ^ b)

GIVES = {  # what help() adds: the methods of what they give
    this_thread_block: groups.thread_block,
    this_grid: groups.GridGroup,
    coalesced_threads: groups.coalesced_group,
    tiled_partition: groups.thread_block_tile,
}
for _maker, _kind in GIVES.items():
    _usages = {
        name: name + found.usage[found.usage.index("(") :].replace("(group, ", "(")
        for known in _kind.__mro__[::-1]
        for name, found in vars(known).items()
        if isinstance(found, Intrinsic) and not name.startswith("_")
    }
    object.__setattr__(_maker, "__doc__", f"{_maker.__doc__}\n\nIt has {', '.join(_usages.values())}.")

cg = Namespace(
    binary_partition=binary_partition, bit_and=bit_and, bit_or=bit_or, bit_xor=bit_xor,
    coalesced_threads=coalesced_threads, exclusive_scan=exclusive_scan, greater=greater,
    inclusive_scan=inclusive_scan, invoke_one=invoke_one, invoke_one_broadcast=invoke_one_broadcast,
    labeled_partition=labeled_partition, less=less, memcpy_async=memcpy_async, plus=plus, reduce=reduce,
    sync=sync, this_grid=this_grid, this_thread_block=this_thread_block, tiled_partition=tiled_partition,
    wait=wait, wait_prior=wait_prior,
)  # fmt: skip
