"""What orders what? Pairs of streams, and hand-overs with a part left out."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

import gpusim
from gpusim import cuda, cudart

eight, sixteen = np.arange(8, dtype=np.int32), np.arange(16, dtype=np.int32)
many = np.arange(64, dtype=np.int32)


def zeros(size: int = 1) -> Any:
    """Elements of 32 bits."""
    return np.zeros(size, np.int32)


def watched(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """What the host asked for in a call, and what streamcheck says to it."""
    with gpusim.profile() as run, gpusim.sanitize("streamcheck") as report:
        function(*arguments)
    return run.streams(), report


def non_blocking() -> Any:
    """A stream that has nothing to do with the default stream."""
    return cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)[1]


def urgent() -> Any:
    """A stream of the greatest priority."""
    return cudart.cudaStreamCreateWithPriority(0, -5)[1]


@cuda.jit
def triple(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = 3 * x[i]


def with_own_lines(function: Any) -> Any:
    """The function or kernel as if it were a cell: what is said of it counts lines from its beginning."""
    own, name = getattr(function, "py_func", function), f"{function.__name__} of the page"
    source = inspect.getsource(own).partition("\n")[2]
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), names := dict(own.__globals__))
    return names[function.__name__]


@with_own_lines
def pipeline(wait: bool) -> Any:
    loading, computing = cuda.stream(), cuda.stream()
    there = cuda.event()
    x, result = (cuda.pinned_array(8, np.int32) for _ in range(2))
    d_x, d_out = (cuda.device_array(8, np.int32) for _ in range(2))
    d_x.copy_to_device(x, stream=loading)
    there.record(loading)
    if wait:
        there.wait(computing)
    triple[1, 8, computing](d_x, d_out)
    d_out.copy_to_host(result, stream=computing)
    computing.synchronize()
    return result[0]


# the stream of the first of two launches, and that of the second
KINDS: dict[str, Callable[[], Any]] = {
    "default": cuda.default_stream,
    "created": cuda.stream,
    "non-blocking": non_blocking,
    "per-thread default": cuda.per_thread_default_stream,
    "highest priority": urgent,
}


def pairs_of_streams(kernel: Any) -> Iterator[tuple[str, ...]]:
    """For each two kinds of streams, two of them: does the second launch wait for the first?"""
    x, out = cuda.to_device(eight), cuda.to_device(zeros(8))
    for name, make in KINDS.items():
        row = [name]
        for other in KINDS.values():
            first, second = make(), other()
            with gpusim.profile() as run:
                kernel[1, 8, first](x, out)
                kernel[1, 8, second](x, out)
            streams = run.streams()
            before, after = (call for call in streams.calls if call.what == "launch")
            row.append("waits" if streams.happens_before(before, after) else "free")
        yield tuple(row)


def between(make: Callable[[], Any]) -> tuple[Any, ...]:
    """Write in one stream, something in the default stream, read in another: what does streamcheck find?"""
    x, y, z, other = (cuda.to_device(eight) for _ in range(4))

    def three() -> None:
        triple[1, 8, make()](x, y)
        triple[1, 8](other, other)
        triple[1, 8, make()](y, z)

    return tuple(watched(three)[1].findings)


def by_an_event(make: Callable[[], Any]) -> bool:
    """Does an event order two launches in streams of this kind?"""
    x, y, z = (cuda.to_device(eight) for _ in range(3))
    first, second, there = make(), make(), cuda.event()

    def both() -> None:
        triple[1, 8, first](x, y)
        there.record(first)
        there.wait(second)
        triple[1, 8, second](y, z)

    return not watched(both)[1].findings


def races(kernel: Any, grid: int, block: int, *arrays: Any, device: str = "H200") -> Any:
    """What racecheck says of a launch on copies."""
    with gpusim.use(device), gpusim.sanitize("racecheck") as report:
        kernel[grid, block](*(array.copy() for array in arrays))
    return report


def raced(kernel: Any, grid: int, block: int, *arrays: Any, device: str = "H200") -> int:
    """How many accesses have an earlier one that nothing orders before them?"""
    return sum(finding.count for finding in races(kernel, grid, block, *arrays, device=device).findings)


def hazards(kernel: Any, grid: int, block: int, *arrays: Any) -> str:
    """`RAW`, `WAR`, or both; `none` without a race."""
    return (
        ", ".join(sorted({finding.hazard for finding in races(kernel, grid, block, *arrays).findings}))
        or "none"
    )


def stopped(launch: Any, *arguments: Any, device: str) -> str:
    """What a launch that does not end is told; empty if it ends."""
    try:
        with gpusim.use(device):
            launch(*arguments)
    except gpusim.errors.GpuSimError as error:
        return str(error)
    return ""


def results(kernel: Any, grid: int, block: int, *arrays: Any) -> int:
    """How many different results do 64 orders give?"""
    return len(gpusim.explore_schedules(kernel[grid, block], *arrays))


def verdicts(*cases: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Each (name, kernel, grid, block, arrays): its results in 64 orders, and what racecheck says to one."""
    for name, *case in cases:
        yield name, results(*case), hazards(*case)


def largest_grid(device: str, kernel: Any, *arguments: Any) -> int:
    """How many blocks of one thread are resident at once?"""
    with gpusim.profile(device=device) as run:
        kernel[1, 1](*arguments)
    fits = gpusim.occupancy(device, threads=1, registers_per_thread=run.kernels[0].registers_per_thread)
    return fits.blocks * gpusim.devices.get(device).multiprocessors


def largest_grids(kernel: Any) -> tuple[int, int, str]:
    """How many blocks that wait for the next end on a T4, how many with tickets; what stops the rest?"""
    limit = largest_grid("T4", kernel, zeros(2), zeros(2))
    assert not stopped(kernel[limit, 1], zeros(limit + 1), zeros(limit + 1), device="T4")
    told = stopped(kernel[limit + 1, 1], zeros(limit + 2), zeros(limit + 2), device="T4")
    size = limit + 200
    assert not stopped(by_ticket[size, 1], zeros(), zeros(size + 1), zeros(size + 1), device="T4")
    return limit, size, told.split(": ", 1)[1]


# hand-overs with a part left out ----------------------------------------------------------------------------


@cuda.jit
def no_fences(data: Any, ready: Any, out: Any) -> None:
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.atomic.exch(ready, 0, 1)
    else:
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        out[0] = data[0]


@cuda.jit
def one_fence(data: Any, ready: Any, out: Any) -> None:
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence()
        cuda.atomic.exch(ready, 0, 1)
    else:
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        out[0] = data[0]


@cuda.jit
def fences_of_the_block(data: Any, ready: Any, out: Any) -> None:
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence_block()
        cuda.atomic.exch(ready, 0, 1)
    else:
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        cuda.threadfence_block()
        out[0] = data[0]


@cuda.jit
def fences_of_the_system(data: Any, ready: Any, out: Any) -> None:
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence_system()
        cuda.atomic.exch(ready, 0, 1)
    else:
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        cuda.threadfence_system()
        out[0] = data[0]


@cuda.jit
def fences_alone(data: Any, ready: Any, out: Any) -> None:
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence()
        cuda.atomic.exch(ready, 0, 1)
    else:
        cuda.threadfence()
        out[0] = data[0]


@cuda.jit
def plain_flag(data: Any, ready: Any, out: Any) -> None:
    if cuda.blockIdx.x == 0:
        data[0] = 42
        cuda.threadfence()
        ready[0] = 1
    else:
        while ready[0] == 0:
            pass
        cuda.threadfence()
        out[0] = data[0]


@with_own_lines
@cuda.jit
def slot_given_back_at_once(x: Any, out: Any) -> None:
    slot = cuda.shared.array(1, np.int32)
    full = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        full[0] = 0
    cuda.syncthreads()
    if t == 0:
        for k in range(x.size):
            while cuda.atomic.add(full, 0, 0) == 1:
                pass
            cuda.threadfence_block()
            slot[0] = x[k]
            cuda.threadfence_block()
            cuda.atomic.exch(full, 0, 1)
    elif t == 32:
        for k in range(x.size):
            while cuda.atomic.add(full, 0, 0) == 0:
                pass
            cuda.threadfence_block()
            out[k] = slot[0]
            cuda.atomic.exch(full, 0, 0)


@cuda.jit
def four_lanes(x: Any, out: Any) -> None:
    s = cuda.shared.array(8, np.int32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    if i < 4:
        cuda.syncwarp(0x0F)
    out[i] = s[i ^ 1]


@cuda.jit
def half_a_warp_away(x: Any, out: Any) -> None:
    s = cuda.shared.array(128, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    out[t] = s[t ^ 32]


def across_the_halves() -> tuple[int, int]:
    """With a barrier of the warp, how many reads 32 threads away come too early on a C500, on an H200?"""
    x, out = np.arange(128, dtype=np.int32), zeros(128)
    c500, h200 = (raced(half_a_warp_away, 1, 128, x, out, device=name) for name in ("MetaX C500", "H200"))
    return c500, h200


@cuda.jit
def many_words(data: Any, ready: Any, out: Any, fences: Any) -> None:
    if cuda.blockIdx.x == 0:
        for k in range(data.size):
            data[k] = k
        if fences[0]:
            cuda.threadfence()
        cuda.atomic.exch(ready, 0, 1)
    else:
        while cuda.atomic.add(ready, 0, 0) == 0:
            pass
        if fences[1]:
            cuda.threadfence()
        for k in range(data.size):
            out[k] = data[k]


def fewest_fences() -> int:
    """How many fences do a writer and a reader of 100 words need, with one flag?"""
    sides = [np.array(each, np.int32) for each in ((0, 0), (0, 1), (1, 0), (1, 1))]
    words, flag = zeros(100), zeros()
    return min(
        int(each.sum()) for each in sides if hazards(many_words, 2, 1, words, flag, words, each) == "none"
    )


@cuda.jit
def forwards(done: Any) -> None:
    b = cuda.blockIdx.x
    if b > 0:
        while cuda.atomic.add(done, b - 1, 0) == 0:
            pass
    cuda.atomic.exch(done, b, 1)


@cuda.jit
def by_ticket(counter: Any, done: Any, out: Any) -> None:
    b = cuda.gridDim.x - 1 - cuda.atomic.add(counter, 0, 1)
    if b + 1 < cuda.gridDim.x:
        while cuda.atomic.add(done, b + 1, 0) == 0:
            pass
    cuda.threadfence()
    out[b] = 1
    cuda.threadfence()
    cuda.atomic.exch(done, b, 1)


@cuda.jit
def above(x: Any, low: Any, found: Any) -> None:
    mine = np.int32(x[cuda.threadIdx.x] > low)
    found[0] = cuda.syncthreads_count(mine)
    found[1] = cuda.syncthreads_and(mine)
    found[2] = cuda.syncthreads_or(mine)


def summed_twice(kernel: Any, x: Any) -> list[int]:
    """The total after each of two launches that share a counter that nobody sets back."""
    partial, arrived, found = zeros(x.size), zeros(), []
    for _ in range(2):
        total = zeros()
        with suppress(gpusim.errors.GpuSimError):
            kernel[x.size, 1](x, partial, arrived, total)
        found.append(int(total[0]))
    return found
