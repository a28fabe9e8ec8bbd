"""Which launches stand behind the pictures of the chapter on the multiprocessor? Walks, spills, samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim import cuda
from gpusim.devices import get
from gpusim.profile import profile
from gpusim.profile.run import Run
from gpusim.reports.timeline import Timeline

FIRST, CLOCKS = 1500, 776  # of a picture: a load from DRAM and what follows


@cuda.jit
def walk(link, out, hops):  # type: ignore[no-untyped-def]
    """Each thread goes along a list: what it loads is where it loads next."""
    i = cuda.threadIdx.x
    total = np.float32(0)
    for _ in range(hops):
        i = link[i]
        if i < 0:
            break
        total = total * total + total
    out[cuda.threadIdx.x] = total


def walks() -> dict[tuple[int, str], Timeline]:
    """1 to 32 warps on a multiprocessor of an H200: lists that go round in L1, or on through L2 or DRAM."""
    found, hops = {}, 40
    for warps in (1, 2, 4, 8, 16, 32):
        threads = np.arange(32 * warps, dtype=np.int32)
        around = launched(walk, threads ^ 1, threads * 0.0, hops, threads=32 * warps)
        on = np.arange(32 * warps * hops, dtype=np.int32) + 32 * warps
        along = launched(walk, on, threads * 0.0, hops, threads=32 * warps)
        found[warps, "L1"] = around.timeline(first=FIRST, clocks=CLOCKS)
        found[warps, "L2"] = along.timeline(first=FIRST, clocks=CLOCKS)
        found[warps, "DRAM"] = along.timeline(first=FIRST, clocks=CLOCKS, warm=False)
    return found


@cuda.jit(max_registers=16)
def crowded(x, out):  # type: ignore[no-untyped-def]
    """More values than registers."""
    i = cuda.grid(1)
    a, b, c, d, e = x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4]
    f, g, h, j, k = x[i + 5], x[i + 6], x[i + 7], x[i + 8], x[i + 9]
    p, q, r, s, t = a * b, b * c, c * d, d * e, e * f
    u, v, w, y, z = f * g, g * h, h * j, j * k, k * a
    cuda.syncthreads()
    left = (p + k) * (q + j) * (r + h) * (s + g) * (t + f)
    out[i] = left * (u + e) * (v + d) * (w + c) * (y + b) * (z + a)


def spilling() -> Run:
    """Four blocks on each multiprocessor of an H200 that spill registers; with caches."""
    threads = 4 * get("H200").multiprocessors * 256
    with profile("H200", caches=True) as run:
        crowded[threads // 256, 256](np.zeros(threads + 9, np.float32), np.zeros(threads, np.float32))
    return run


@cuda.jit
def smooth_at_once(x, out):  # type: ignore[no-untyped-def]
    """The chapter's `smooth`, without the barrier in its loop."""
    tile = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    tile[t] = x[i]
    cuda.syncthreads()
    total = np.float32(0)
    for k in range(16):
        total += tile[(t + k) % 256]
    out[i] = total


def smoothed() -> float:
    """How many clocks does that take, eight blocks on each multiprocessor of an H200?"""
    blocks = 8 * get("H200").multiprocessors
    run = launched(smooth_at_once, *np.ones((2, 256 * blocks), np.float32), blocks=blocks, threads=256)
    return run.timing().cycles


def launched(kernel: Any, *arguments: Any, blocks: int = 1, threads: int = 32, caches: bool = False) -> Run:
    """A launch on an H200."""
    with profile("H200", caches=caches) as run:
        kernel[blocks, threads](*arguments)
    return run


def sampled(kernel: Any) -> dict[str, str]:
    """What the kernel `sample` finds between and outside the elements of a table, and its instructions."""
    table, places = np.array([10, 20, 40, 80], np.float32), np.array([1.0, 9.0] * 16, np.float32)
    found = np.zeros(32, np.float32)
    instructions = sum(launched(kernel, table, places, found).flight().pipes.values())
    return {"between": f"{found[0]:g}", "outside": f"{found[1]:g}", "by_hand": f"{instructions:.0f}"}
