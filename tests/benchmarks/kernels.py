"""The kernels that both simulators run, in the same words: only the line that imports `cuda` is exchanged."""

from __future__ import annotations

import numpy as np

from gpusim import cuda

THREADS = 256
STEPS = 50
TILE = 16
WARP = 32
WARPS = THREADS // WARP
BINS = THREADS
QUEUE = 1024


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def block_sum(values, sums):
    partial = cuda.shared.array(THREADS, np.float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    partial[thread] = values[i] if i < values.size else 0.0
    cuda.syncthreads()
    stride = THREADS // 2
    while stride > 0:
        if thread < stride:
            partial[thread] += partial[thread + stride]
        cuda.syncthreads()
        stride //= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = partial[0]


@cuda.jit
def mandelbrot(counts):
    column, row = cuda.grid(2)
    height, width = counts.shape
    if row < height and column < width:
        real = -2.0 + 3.0 * column / width
        imaginary = -1.5 + 3.0 * row / height
        x = 0.0
        y = 0.0
        steps = 0
        while steps < STEPS and x * x + y * y <= 4.0:
            x, y = x * x - y * y + real, 2.0 * x * y + imaginary
            steps += 1
        counts[row, column] = steps


@cuda.jit
def fill(x, value):
    x[cuda.grid(1) % x.size] = value


@cuda.jit
def matrix_product(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), np.float32)
    tile_b = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(0, a.shape[1], TILE):
        tile_a[y, x] = a[row, k + x]
        tile_b[y, x] = b[k + y, column]
        cuda.syncthreads()
        for j in range(TILE):
            total += tile_a[y, j] * tile_b[j, x]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def histogram(values, counts):
    own = cuda.shared.array(BINS, np.int32)
    thread = cuda.threadIdx.x
    own[thread] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, thread, own[thread])


@cuda.jit
def shuffle_sum(values, sums):
    partial = cuda.shared.array(WARPS, np.float32)
    thread = cuda.threadIdx.x
    value = values[cuda.grid(1)]
    distance = WARP // 2
    while distance > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, distance)
        distance //= 2
    if thread % WARP == 0:
        partial[thread // WARP] = value
    cuda.syncthreads()
    if thread < WARP:
        value = partial[thread] if thread < THREADS // WARP else np.float32(0)
        distance = WARP // 2
        while distance > 0:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, distance)
            distance //= 2
        if thread == 0:
            sums[cuda.blockIdx.x] = value


@cuda.jit
def search_level(first_edge, target, level, depth, frontier, size, following, found):
    """One level of a breadth-first search: the block gathers what it finds in a queue of its own."""
    queue = cuda.shared.array(QUEUE, np.int32)
    bounds = cuda.shared.array(2, np.int32)
    thread = cuda.threadIdx.x
    if thread == 0:
        bounds[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < size:
        node = frontier[i]
        for edge in range(first_edge[node], first_edge[node + 1]):
            other = target[edge]
            if cuda.atomic.cas(level, other, -1, depth) == -1:
                place = cuda.atomic.add(bounds, 0, 1)
                if place < QUEUE:
                    queue[place] = other
                else:
                    following[cuda.atomic.add(found, 0, 1)] = other
    cuda.syncthreads()
    if thread == 0:
        bounds[0] = min(bounds[0], QUEUE)
        bounds[1] = cuda.atomic.add(found, 0, bounds[0])
    cuda.syncthreads()
    for j in range(thread, bounds[0], THREADS):
        following[bounds[1] + j] = queue[j]
