"""What goes wrong with memory across launches? Small kernels, each wrong in one way; one is right."""

from __future__ import annotations

from typing import Any

import gpusim
from course.memory_across_launches import arrays
from gpusim import cuda, cudart
from gpusim.views.table import Table, table


@cuda.jit
def adds_one(x: Any) -> None:
    x[cuda.threadIdx.x] += 1


@cuda.jit
def copies(x: Any, out: Any) -> None:
    out[cuda.threadIdx.x] = x[cuda.threadIdx.x]


@cuda.jit
def no_barrier(x: Any, out: Any) -> None:
    x[cuda.threadIdx.x] = cuda.threadIdx.x
    if cuda.threadIdx.x == 0:
        adds_one[1, 8](x)
        copies[1, 8](x, out)


@cuda.jit
def writes_on(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    x[t] = t
    cuda.syncthreads()
    if t == 0:
        adds_one[1, 8](x)
        copies[1, 8](x, out)
    cuda.syncthreads()
    x[t] = 9


@cuda.jit
def reads_behind_a_barrier(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    x[t] = t
    cuda.syncthreads()
    if t == 0:
        adds_one[1, 8](x)
    cuda.syncthreads()
    out[t] = x[t]


@cuda.jit
def forgets_the_stream(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    x[t] = t
    cuda.syncthreads()
    if t == 0:
        adds_one[1, 8](x)
        copies[1, 8, cudart.cudaStreamFireAndForget](x, out)


@cuda.jit
def two_launch(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    x[t] = t
    cuda.syncthreads()
    if t == 0:
        adds_one[1, 8](x)
    if t == 1:
        copies[1, 8](x, out)


RIGHT = list(range(1, 9))  # what the parent wrote, and one more
MISTAKES = (
    ("no barrier before the launch", no_barrier),
    ("the parent writes on what its child reads", writes_on),
    ("the parent reads behind a barrier of its own", reads_behind_a_barrier),
    ("the reader is in another stream", forgets_the_stream),
    ("two threads launch into one stream, in whatever order", two_launch),
)


def mistakes() -> Table:
    """How does each mistake end in the usual order, and how many others go wrong? What says racecheck?"""
    rows = []
    for what, kernel in MISTAKES:
        x, out = arrays(8)
        with gpusim.use("H200"):
            kernel[1, 8](x, out)
        usual = "right" if out.tolist() == RIGHT else "wrong"
        orders, wrong = tried(kernel)
        with gpusim.sanitize("racecheck", device="H200") as report:
            kernel[1, 8](*arrays(8))
        hazards = ", ".join(sorted({one.hazard for one in report.findings})) or "nothing"
        rows.append((what, usual, wrong, hazards))
    return table(rows, ["mistake", "usual order", f"wrong, of {orders} orders", "racecheck"])


def tried(kernel: Any) -> tuple[int, int]:
    """In how many orders was a kernel tried, and in how many of them is `out` wrong?"""
    found = gpusim.explore_schedules(kernel[1, 8], *arrays(8), device="H200")
    wrong = (one.count for one in found.outcomes if one.arguments["out"].tolist() != RIGHT)
    return found.schedules, sum(wrong)


def certain_readers() -> int:
    """Of the block, a fire-and-forget grid and a tail grid: how many see in all orders what a child wrote?"""
    readers = reads_behind_a_barrier, forgets_the_stream, reads_in_the_tail
    return sum(tried(kernel)[1] == 0 for kernel in readers)


@cuda.jit
def reads_in_the_tail(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    x[t] = t
    cuda.syncthreads()
    if t == 0:
        adds_one[1, 8](x)
        copies[1, 8, cudart.cudaStreamTailLaunch](x, out)
