"""Runs whose kernels launch kernels: chains, tails, waiting, recursion, many, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import GpuSimError
from gpusim.profile import Run

PENDING = cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount


@cuda.jit
def child(x, k):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += k


@cuda.jit
def parent(x):
    i, n = cuda.grid(1), x.size // 4
    child[1, n](x[i * n : (i + 1) * n], 10 * i)


@cuda.jit
def halves(x, depth):
    i, n = cuda.threadIdx.x, x.size // 2
    if depth > 0:
        halves[1, 2](x[i * n : (i + 1) * n], depth - 1)
    elif i == 0:
        x[0] += 1


@cuda.jit
def in_streams(x):
    """A launch a thread, into three streams in turn."""
    i, streams = cuda.threadIdx.x, cuda.shared.array(3, np.uint64)
    if i < 3:
        _, streams[i] = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    cuda.syncthreads()
    child[1, 32, streams[i % 3]](x[32 * i : 32 * (i + 1)], i)


@cuda.jit
def tails(x):
    child[1, 1](x, 1)
    child[1, 1](x, 2)
    child[1, 1, cudart.cudaStreamFireAndForget](x[1:], 3)
    child[1, 1, cudart.cudaStreamTailLaunch](x, 4)
    child[1, 1, cudart.cudaStreamTailLaunch](x, 5)


@cuda.jit
def waits(x):
    """Under CDP1, a thread waits for two children."""
    if cuda.threadIdx.x == 0:
        child[1, 1](x, 7)
        child[1, 1](x, 8)
        cudart.cudaDeviceSynchronize()
        x[1] = x[0]


@cuda.jit
def then(x):
    x[1] = x[0]


@cuda.jit
def goes_on(x):
    """Under CDP2, a tail launch does what comes after the two."""
    if cuda.threadIdx.x == 0:
        child[1, 1](x, 7)
        child[1, 1](x, 8)
        then[1, 1, cudart.cudaStreamTailLaunch](x)


@cuda.jit
def of_each_block(x):
    i = cuda.grid(1)
    child[1, 1](x[i : i + 1], i)
    (error,) = cudart.cudaGetLastError()
    if error:
        x[i] = -error


@cuda.jit
def far(x, i):
    x[i] = 1


@cuda.jit
def nearer(x, i):
    if cuda.threadIdx.x == 1:
        far[1, 1](x, i * (1 + cuda.blockIdx.x))


@cuda.jit
def fails(x):
    nearer[2, 2](x, 3)
    child[1, 4](x, 1)


@cuda.jit
def by_event(x):
    _, a = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, b = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, event = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
    child[1, 1, a](x, 1)
    cudart.cudaEventRecord(event, a)
    cudart.cudaStreamWaitEvent(b, event, 0)
    child[1, 1, b](x, 2)


def profiled(launch: Callable[[], Any], pending: int = 2048, **how: Any) -> Run:
    """A run of one launch, however it ends."""
    cudart.cudaDeviceSetLimit(PENDING, pending)
    try:
        with gpusim.use(**how), gpusim.profile() as run:
            launch()
    except GpuSimError:
        pass
    finally:
        cudart.cudaDeviceSetLimit(PENDING, 2048)
    return run


def four(**how: Any) -> Run:
    """A parent with four children."""
    return profiled(lambda: parent[1, 4](np.zeros(32)), **how)


def recursive(depth: int, **how: Any) -> Run:
    """Two children each."""
    return profiled(lambda: halves[1, 2](np.zeros(4 * 2**depth), depth), **how)


def of_streams(children: int) -> Run:
    """Three chains."""
    return profiled(lambda: in_streams[1, children](np.zeros(32 * children)))


def with_tails(**how: Any) -> Run:
    """Two in the default stream, one fired and forgotten, two tail launches."""
    return profiled(lambda: tails[1, 1](np.zeros(2)), **how)


def waiting(cdp: int) -> Run:
    """The same, under each runtime."""
    kernel = waits if cdp == 1 else goes_on
    return profiled(lambda: kernel[1, 64](np.zeros(2)), cdp=cdp)


def refused() -> Run:
    """More launches than may be pending."""
    return profiled(lambda: of_each_block[4, 32](np.zeros(128)), pending=100)


def faulting() -> Run:
    """A grandchild is wrong."""
    return profiled(lambda: fails[1, 1](np.zeros(4)))


def many(children: int) -> Run:
    """A child a block."""
    return profiled(lambda: of_each_block[children, 1](np.zeros(children)), pending=2 * children)


def ordered_by_event() -> Run:
    """Two streams."""
    return profiled(lambda: by_event[1, 1](np.zeros(1)))
