"""The kernels that both simulators run, in the same words: only the line that imports `cuda` is exchanged."""

from __future__ import annotations

import numpy as np

from gpusim import cuda

THREADS = 256
STEPS = 50


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
