"""What orders what? Pairs of streams, hand-overs with a part left out, and an H200 without a wait."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

import gpusim
from course import figures
from course.records import recorded
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
    """The function as if it were a cell: what is said of it counts lines from its `def`."""
    source, name = inspect.getsource(function).partition("\n")[2], f"{function.__name__} of the page"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), names := dict(function.__globals__))
    return names[function.__name__]


@with_own_lines
def pipeline(wait):
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
    """What racecheck finds in a launch on copies."""
    with gpusim.use(device), gpusim.sanitize("racecheck") as report:
        kernel[grid, block](*(array.copy() for array in arrays))
    return report.findings


def raced(kernel: Any, grid: int, block: int, *arrays: Any, device: str = "H200") -> int:
    """How many accesses have an earlier one that nothing orders before them?"""
    return sum(finding.count for finding in races(kernel, grid, block, *arrays, device=device))


def hazards(kernel: Any, grid: int, block: int, *arrays: Any) -> str:
    """`RAW`, `WAR`, or both; `none` without a race."""
    return ", ".join(sorted({finding.hazard for finding in races(kernel, grid, block, *arrays)})) or "none"


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
    """How many blocks that wait for the next end on a V100, how many with tickets; what stops the rest?"""
    limit = largest_grid("V100", kernel, zeros(2), zeros(2))
    assert not stopped(kernel[limit, 1], zeros(limit + 1), zeros(limit + 1), device="V100")
    told = stopped(kernel[limit + 1, 1], zeros(limit + 2), zeros(limit + 2), device="V100")
    size = limit + 200
    assert not stopped(by_ticket[size, 1], zeros(), zeros(size + 1), zeros(size + 1), device="V100")
    return limit, size, told.split(": ", 1)[1].split("\n")[0].replace("`", "")


MEGABYTES_64 = 64 << 20


def copied(what: str) -> str:
    """How many milliseconds did an H200 take for 64 MB?"""
    took = {(name, size): whole for name, size, _, whole in recorded("streams", "copies")}
    return f"{took[what, MEGABYTES_64] / 1000:.2f}"


def quick_pair() -> str:
    """Which two copies of 64 MB overlapped on the H200?"""
    both = copied("to device and to host, two streams"), copied("twice to device, two streams")
    return ("one to the device, one to the host", "both to the device")[both.index(min(both))]


def begun(order: str, tag: int) -> str:
    """How many milliseconds after the first did an H200 begin (10 k + 1) or end (10 k + 2) launch k?"""
    return f"{dict(dict(recorded('streams', 'orders'))[order][0])[tag] / 1e6:.2f}"


# what the page calls it -> the record's name, and the stream of each launch
ASKED = {
    "two streams": ("a, b", ("stream 1", "stream 2")),
    "the default stream in between": ("a, default, b", ("stream 1", "default", "stream 2")),
    "and a non-blocking stream": ("a, default, non-blocking", ("stream 1", "default", "non-blocking")),
}


def side_by_side() -> tuple[Any, str, str]:
    """When did an H200 run launches that streams order, and that they leave free? Figure, caption, words."""
    figure, axes = figures.new(height=4.0)
    row, names, words = 0.0, [], []
    for title, (order, streams) in ASKED.items():
        at = dict(dict(recorded("streams", "orders"))[order][0])
        axes.text(4, row, title, fontweight="bold", va="center")
        for launch, stream in enumerate(streams, 1):
            row += 1
            begin, end = at[10 * launch + 1] / 1000, at[10 * launch + 2] / 1000
            colour = "#d55e00" if stream == "default" else "#0072b2"
            axes.broken_barh([(begin, end - begin)], (row - 0.35, 0.7), color=colour)
            names.append((row, stream))
            words.append(f"{title}, {stream}: {begin:.0f} to {end:.0f}")
        row += 1.4
    axes.set_yticks([at for at, _ in names], [name for _, name in names])
    axes.set(xlabel="microseconds on an H200", ylim=(row - 0.6, -0.6), xlim=(0, 420))
    axes.tick_params(axis="y", length=0)
    caption = (
        "Kernels in two streams ran at once. A kernel in the default stream waited for the one before it, "
        "and the one after it waited in its turn, unless its stream was non-blocking."
    )
    return figure, caption, "When kernels ran, in microseconds. " + "; ".join(words) + "."


def h200() -> dict[str, Any]:
    """What an H200 did, each under the name by which the page says it."""
    host = {(row["memory"], row["elements"]): row["early"] for row in recorded("levels", "host")}
    warp = {(row["barrier"], row["data"]): row["wrong"] for row in recorded("levels", "warp")}
    block = {row["blocks"]: row["wrong"] for row in recorded("levels", "block")}
    grids = {row["blocks"]: row["stuck"] for row in recorded("levels", "backwards")}
    assert not any(sum(each) for key, each in host.items() if key[0] == "pageable")
    assert warp["syncwarp", "the same"] == warp["syncthreads", "new"] == [0, 0, 0]
    assert not any(sum(row["wrong"]) for row in recorded("levels", "last_block"))
    ends, stuck = (next(n for n, times in grids.items() if times[0] == many) for many in (0, 20))
    assert max(n for n, times in grids.items() if not any(times)) == stuck - 1 > ends
    return {
        "pinned": copied("pinned to device, async"),
        "pageable": copied("pageable to device, async"),
        "beside": copied("to device beside a kernel of 1000 us"),
        "twice": copied("twice to device, two streams"),
        "full": begun("a fills the GPU, b one block", 21),
        "high": begun("low fills the GPU, low again, high fills it", 31),
        "low": begun("low fills the GPU, low again, high fills it", 21),
        "early_pinned": host["pinned", 8][0],
        "early_pageable": host["pageable", 8][0],
        "wrong_same": warp["syncwarp", "the same"][0],
        "wrong_new": warp["syncwarp", "new"][0],
        "wrong_two": block[2][0],
        "wrong_sixteen": f"{block[16][0]:,}",
        "grid_ends": f"{stuck - 1:,}",
        "grid_stuck": f"{stuck:,}",
        "sanitizer": recorded("levels", "racecheck")[1].split("[")[1].rstrip("]"),
    }


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
def eight_away(x: Any, out: Any) -> None:
    s = cuda.shared.array(128, np.int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncwarp()
    out[t] = s[t ^ 8]


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
    mine = x[cuda.threadIdx.x] > low
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
