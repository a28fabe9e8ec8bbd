"""Is a kernel the same in both languages? Equal results, and equal counts of what reaches memory.

Each pair has one name, one launch and one set of arguments. What the languages count differently on purpose
is the number of instructions: Python computes indices with 64 bits, C++ with 32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from tests.frontends.cuda_cpp.launches import (
    DIFFERENT,
    EVERYWHERE,
    LANES_32,
    Extents,
    extents,
    floats,
    integers,
)

cg = cuda.cg
I4, U4, F4, F8 = np.int32, np.uint32, np.float32, np.float64
COUNTERS = [
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "atomics",
    "barriers",
    "branches",
    "divergent_branches",
]


@dataclass(frozen=True)
class Pair:
    """One kernel in two languages."""

    python: Any
    cpp: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: Callable[[], tuple[Any, ...]]
    machines: list[tuple[str, str]]

    @property
    def name(self) -> str:
        return self.python.__name__


PAIRS: list[Pair] = []


def pair(
    cpp: str,
    grid: Extents,
    block: Extents,
    arguments: Callable[[], tuple[Any, ...]],
    *,
    machines: list[tuple[str, str]] = EVERYWHERE,
) -> Callable[[Any], Any]:
    """Put the decorated Python kernel beside its form in C++."""

    def decorate(python: Any) -> Any:
        PAIRS.append(Pair(cuda.jit(python), cpp, extents(grid), extents(block), arguments, machines))
        return python

    return decorate


def zeros(shape: Any, dtype: Any = I4) -> Any:
    return np.zeros(shape, dtype)


# global memory --------------------------------------------------------------------------------------------


@pair(
    """
    __global__ void saxpy(int n, float a, const float* x, float* y)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
    """,
    4,
    64,
    lambda: (200, F4(2.5), floats(200), floats(201)[:200]),
)
def saxpy(n, a, x, y):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        y[i] = a * x[i] + y[i]


@pair(
    """
    __global__ void strided(const float* x, float* y, int stride)
    {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
        y[i] = x[i];
    }
    """,
    2,
    64,
    lambda: (floats(1024), zeros(1024, F4), 8),
)
def strided(x, y, stride):
    i = cuda.grid(1) * stride
    y[i] = x[i]


@pair(
    """
    __global__ void shifted(const double* x, double* y, int offset)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        y[i] = x[i + offset] - x[i];
    }
    """,
    2,
    64,
    lambda: (floats(160, dtype=F8), zeros(128, F8), 3),
)
def shifted(x, y, offset):
    i = cuda.grid(1)
    y[i] = x[i + offset] - x[i]


@pair(
    """
    __global__ void gather(const int* index, const float* x, float* y)
    {
        int i = threadIdx.x;
        y[i] = x[index[i]];
    }
    """,
    1,
    128,
    lambda: (integers(128, 0, 500), floats(500), zeros(128, F4)),
)
def gather(index, x, y):
    i = cuda.threadIdx.x
    y[i] = x[index[i]]


@pair(
    """
    __global__ void scatter(const int* index, const int* x, int* y)
    {
        int i = threadIdx.x;
        y[index[i]] = x[i];
    }
    """,
    1,
    128,
    lambda: (np.random.default_rng(1).permutation(128).astype(I4), integers(128), zeros(128)),
)
def scatter(index, x, y):
    i = cuda.threadIdx.x
    y[index[i]] = x[i]


@pair(
    """
    __global__ void bytes(const unsigned char* x, unsigned char* y, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            y[i] = x[i] + 100;
    }
    """,
    3,
    64,
    lambda: (integers(150, 0, 256, np.uint8), zeros(150, np.uint8), 150),
)
def bytes(x, y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = x[i] + 100


@pair(
    """
    __global__ void triples(float* points, float s, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n)
            return;
        points[3 * i] *= s;
        points[3 * i + 1] *= s;
        points[3 * i + 2] *= s;
    }
    """,
    2,
    64,
    lambda: (floats(300), F4(3), 100),
)
def triples(points, s, n):
    i = cuda.grid(1)
    if i >= n:
        return
    points[3 * i] *= s
    points[3 * i + 1] *= s
    points[3 * i + 2] *= s


@pair(
    """
    __global__ void grid_stride(const float* x, float* y, int n)
    {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
            y[i] = 2.0f * x[i];
    }
    """,
    2,
    48,
    lambda: (floats(500), zeros(500, F4), 500),
)
def grid_stride(x, y, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = F4(2) * x[i]


@pair(
    """
    __global__ void rows(const float* m, float* sums, int columns)
    {
        int r = blockIdx.x * blockDim.x + threadIdx.x;
        float sum = 0.0f;
        for (int c = 0; c < columns; c++)
            sum += m[r * columns + c];
        sums[r] = sum;
    }
    """,
    1,
    64,
    lambda: (floats(64, 20).ravel(), zeros(64, F4), 20),
)
def rows(m, sums, columns):
    r = cuda.grid(1)
    total = F4(0)
    for c in range(columns):
        total += m[r * columns + c]
    sums[r] = total


@pair(
    """
    __global__ void columns(const float* m, float* sums, int n)
    {
        int c = blockIdx.x * blockDim.x + threadIdx.x;
        float sum = 0.0f;
        for (int r = 0; r < n; r++)
            sum += m[r * 64 + c];
        sums[c] = sum;
    }
    """,
    1,
    64,
    lambda: (floats(20, 64).ravel(), zeros(64, F4), 20),
)
def columns(m, sums, n):
    c = cuda.grid(1)
    total = F4(0)
    for r in range(n):
        total += m[r * 64 + c]
    sums[c] = total


# control flow ---------------------------------------------------------------------------------------------


@pair(
    """
    __global__ void even_odd(int* x)
    {
        int i = threadIdx.x;
        if (i % 2 == 0)
            x[i] = x[i] * 2;
        else
            x[i] = x[i] + 100;
    }
    """,
    1,
    96,
    lambda: (integers(96),),
)
def even_odd(x):
    i = cuda.threadIdx.x
    if i % 2 == 0:
        x[i] = x[i] * 2
    else:
        x[i] = x[i] + 100


@pair(
    """
    __global__ void four_ways(const int* x, int* y)
    {
        int i = threadIdx.x, v = x[i];
        if (v < -50)
            y[i] = 1;
        else if (v < 0)
            y[i] = 2;
        else if (v < 50)
            y[i] = 3;
        else
            y[i] = 4;
    }
    """,
    1,
    128,
    lambda: (integers(128), zeros(128)),
)
def four_ways(x, y):
    i = cuda.threadIdx.x
    v = x[i]
    if v < -50:
        y[i] = 1
    elif v < 0:
        y[i] = 2
    elif v < 50:
        y[i] = 3
    else:
        y[i] = 4


@pair(
    """
    __global__ void collatz(const int* x, int* steps)
    {
        int i = threadIdx.x, n = x[i], count = 0;
        while (n != 1) {
            if (n % 2 == 0)
                n = n / 2;
            else
                n = 3 * n + 1;
            count++;
        }
        steps[i] = count;
    }
    """,
    1,
    64,
    lambda: (np.arange(64, dtype=I4) % 20 + 1, zeros(64)),
)
def collatz(x, steps):
    i = cuda.threadIdx.x
    n = x[i]
    count = 0
    while n != 1:
        if n % 2 == 0:  # noqa: SIM108
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    steps[i] = count


@pair(
    """
    __global__ void first_match(const int* x, int n, int wanted, int* found)
    {
        int i = threadIdx.x;
        found[i] = -1;
        for (int k = i; k < n; k += 64) {
            if (x[k] < 0)
                continue;
            if (x[k] % 16 == wanted) {
                found[i] = k;
                break;
            }
        }
    }
    """,
    1,
    64,
    lambda: (integers(256), 256, 5, zeros(64)),
)
def first_match(x, n, wanted, found):
    i = cuda.threadIdx.x
    found[i] = -1
    for k in range(i, n, 64):
        if x[k] < 0:
            continue
        if x[k] % 16 == wanted:
            found[i] = k
            break


@pair(
    """
    __global__ void mandelbrot(int* image, int width, int limit)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        double cx = -2.0 + (i % width) * 0.1, cy = -1.2 + (i / width) * 0.1, x = 0, y = 0;
        int k = 0;
        while (x * x + y * y <= 4.0 && k < limit) {
            double next = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = next;
            k++;
        }
        image[i] = k;
    }
    """,
    5,
    96,
    lambda: (zeros(480), 30, 20),
)
def mandelbrot(image, width, limit):
    i = cuda.grid(1)
    cx, cy, x, y = -2.0 + (i % width) * 0.1, -1.2 + (i // width) * 0.1, 0.0, 0.0
    k = 0
    while x * x + y * y <= 4.0 and k < limit:
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        k += 1
    image[i] = k


# shared memory and barriers -------------------------------------------------------------------------------


@pair(
    """
    __global__ void reversed(int* x)
    {
        __shared__ int tile[64];
        int i = threadIdx.x;
        tile[i] = x[i];
        __syncthreads();
        x[i] = tile[63 - i];
    }
    """,
    1,
    64,
    lambda: (integers(64),),
)
def reversed(x):
    tile = cuda.shared.array(64, I4)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    cuda.syncthreads()
    x[i] = tile[63 - i]


@pair(
    """
    __global__ void transpose(const float* in, float* out, int width, int height)
    {
        __shared__ float tile[8][9];
        int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
        __syncthreads();
        x = blockIdx.y * 8 + threadIdx.x;
        y = blockIdx.x * 8 + threadIdx.y;
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
    }
    """,
    (3, 2),
    (8, 8),
    lambda: (floats(16, 24).ravel(), zeros(384, F4), 24, 16),
)
def transpose(source, out, width, height):
    tile = cuda.shared.array((8, 9), F4)
    x = cuda.blockIdx.x * 8 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 8 + cuda.threadIdx.y
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = source[y * width + x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 8 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 8 + cuda.threadIdx.y
    out[y * height + x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@pair(
    """
    __global__ void interleaved(const int* x, int* sums)
    {
        __shared__ int s[128];
        int t = threadIdx.x;
        s[t] = x[blockIdx.x * blockDim.x + t];
        __syncthreads();
        for (int k = 1; k < blockDim.x; k *= 2) {
            if (t % (2 * k) == 0)
                s[t] += s[t + k];
            __syncthreads();
        }
        if (t == 0)
            sums[blockIdx.x] = s[0];
    }
    """,
    3,
    128,
    lambda: (integers(384), zeros(3)),
)
def interleaved(x, sums):
    s = cuda.shared.array(128, I4)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    k = 1
    while k < cuda.blockDim.x:
        if t % (2 * k) == 0:
            s[t] += s[t + k]
        cuda.syncthreads()
        k *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


@pair(
    """
    __global__ void halved(const float* x, float* sums)
    {
        extern __shared__ float s[];
        unsigned t = threadIdx.x;
        s[t] = x[blockIdx.x * blockDim.x + t];
        __syncthreads();
        for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
            if (t < k)
                s[t] += s[t + k];
            __syncthreads();
        }
        if (t == 0)
            sums[blockIdx.x] = s[0];
    }
    """,
    3,
    128,
    lambda: (floats(384), zeros(3, F4)),
)
def halved(x, sums):
    s = cuda.shared.array(0, F4)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    k = cuda.blockDim.x // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k >>= 1
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


@pair(
    """
    __global__ void hillis_steele(int* x, int n)
    {
        __shared__ int s[96];
        int t = threadIdx.x;
        s[t] = x[t];
        __syncthreads();
        for (int k = 1; k < n; k *= 2) {
            int add = 0;
            if (t >= k)
                add = s[t - k];
            __syncthreads();
            s[t] += add;
            __syncthreads();
        }
        x[t] = s[t];
    }
    """,
    1,
    96,
    lambda: (integers(96), 96),
)
def hillis_steele(x, n):
    s = cuda.shared.array(96, I4)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    k = 1
    while k < n:
        add = I4(0)
        if t >= k:
            add = s[t - k]
        cuda.syncthreads()
        s[t] += add
        cuda.syncthreads()
        k *= 2
    x[t] = s[t]


@pair(
    """
    __global__ void stencil(const int* in, int* out)
    {
        __shared__ int tile[64 + 4];
        int g = blockIdx.x * 64 + threadIdx.x + 2, l = threadIdx.x + 2;
        tile[l] = in[g];
        if (threadIdx.x < 2) {
            tile[l - 2] = in[g - 2];
            tile[l + 64] = in[g + 64];
        }
        __syncthreads();
        int sum = 0;
        for (int k = -2; k <= 2; k++)
            sum += tile[l + k];
        out[g] = sum;
    }
    """,
    2,
    64,
    lambda: (integers(132), zeros(132)),
)
def stencil(source, out):
    tile = cuda.shared.array(68, I4)
    g = cuda.blockIdx.x * 64 + cuda.threadIdx.x + 2
    place = cuda.threadIdx.x + 2
    tile[place] = source[g]
    if cuda.threadIdx.x < 2:
        tile[place - 2] = source[g - 2]
        tile[place + 64] = source[g + 64]
    cuda.syncthreads()
    total = 0
    for k in range(-2, 3):
        total += tile[place + k]
    out[g] = total


@pair(
    """
    __global__ void matmul(const float* A, const float* B, float* C, int n)
    {
        int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
        if (row < n && col < n) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += A[row * n + k] * B[k * n + col];
            C[row * n + col] = sum;
        }
    }
    """,
    (2, 2),
    (8, 8),
    lambda: (floats(12, 12).ravel(), floats(13, 12)[:12].ravel(), zeros(144, F4), 12),
)
def matmul(a, b, c, n):
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    col = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if row < n and col < n:
        total = F4(0)
        for k in range(n):
            total += a[row * n + k] * b[k * n + col]
        c[row * n + col] = total


@pair(
    """
    __global__ void matmul_tiled(const float* A, const float* B, float* C, int n)
    {
        __shared__ float As[8][8], Bs[8][8];
        int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
        float sum = 0.0f;
        for (int t = 0; t < n / 8; t++) {
            As[ty][tx] = A[row * n + t * 8 + tx];
            Bs[ty][tx] = B[(t * 8 + ty) * n + col];
            __syncthreads();
            for (int k = 0; k < 8; k++)
                sum += As[ty][k] * Bs[k][tx];
            __syncthreads();
        }
        C[row * n + col] = sum;
    }
    """,
    (2, 2),
    (8, 8),
    lambda: (floats(16, 16).ravel(), floats(17, 16)[:16].ravel(), zeros(256, F4), 16),
)
def matmul_tiled(a, b, c, n):
    left, right = cuda.shared.array((8, 8), F4), cuda.shared.array((8, 8), F4)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * 8 + ty, cuda.blockIdx.x * 8 + tx
    total = F4(0)
    for t in range(n // 8):
        left[ty, tx] = a[row * n + t * 8 + tx]
        right[ty, tx] = b[(t * 8 + ty) * n + col]
        cuda.syncthreads()
        for k in range(8):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    c[row * n + col] = total


@pair(
    """
    __global__ void counted(const int* x, int* counts)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        counts[i] = __syncthreads_count(x[i] > 0);
    }
    """,
    2,
    64,
    lambda: (integers(128), zeros(128)),
)
def counted(x, counts):
    i = cuda.grid(1)
    counts[i] = cuda.syncthreads_count(x[i] > 0)


# atomics --------------------------------------------------------------------------------------------------


@pair(
    """
    __global__ void histogram(const unsigned char* x, int n, int* bins)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            atomicAdd(&bins[x[i] / 16], 1);
    }
    """,
    4,
    64,
    lambda: (integers(230, 0, 256, np.uint8), 230, zeros(16)),
)
def histogram(x, n, bins):
    i = cuda.grid(1)
    if i < n:
        cuda.atomic.add(bins, x[i] // 16, 1)


@pair(
    """
    __global__ void private_histogram(const int* x, int n, int* bins)
    {
        __shared__ int mine[16];
        int t = threadIdx.x;
        if (t < 16)
            mine[t] = 0;
        __syncthreads();
        for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
            atomicAdd(&mine[x[i]], 1);
        __syncthreads();
        if (t < 16)
            atomicAdd(&bins[t], mine[t]);
    }
    """,
    2,
    64,
    lambda: (integers(300, 0, 16), 300, zeros(16)),
)
def private_histogram(x, n, bins):
    mine = cuda.shared.array(16, I4)
    t = cuda.threadIdx.x
    if t < 16:
        mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(bins, t, mine[t])


@pair(
    """
    __global__ void extremes(const float* x, int n, int* high, float* sum, int* winner)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {
            atomicMax(high, (int)(x[i] * 1000.0f));
            atomicAdd(sum, 0.5f);
            atomicCAS(winner, -1, 7);
        }
    }
    """,
    2,
    64,
    lambda: (floats(100), 100, zeros(1), zeros(1, F4), np.full(1, -1, I4)),
)
def extremes(x, n, high, total, winner):
    i = cuda.grid(1)
    if i < n:
        cuda.atomic.max(high, 0, I4(x[i] * F4(1000)))
        cuda.atomic.add(total, 0, F4(0.5))
        cuda.atomic.cas(winner, 0, -1, 7)


@pair(
    """
    __global__ void last_block(const int* x, int* partial, int* ticket, int* result)
    {
        __shared__ int s[64];
        __shared__ int last;
        int t = threadIdx.x;
        s[t] = x[blockIdx.x * blockDim.x + t];
        __syncthreads();
        for (int k = 32; k > 0; k /= 2) {
            if (t < k)
                s[t] += s[t + k];
            __syncthreads();
        }
        if (t == 0) {
            partial[blockIdx.x] = s[0];
            __threadfence();
            last = atomicAdd(ticket, 1);
            if (last == gridDim.x - 1) {
                int sum = 0;
                for (int b = 0; b < gridDim.x; b++)
                    sum += partial[b];
                result[0] = sum;
            }
        }
    }
    """,
    4,
    64,
    lambda: (integers(256), zeros(4), zeros(1), zeros(1)),
)
def last_block(x, partial, ticket, result):
    s, last = cuda.shared.array(64, I4), cuda.shared.array(1, I4)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    k = 32
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = s[0]
        cuda.threadfence()
        last[0] = cuda.atomic.add(ticket, 0, 1)
        if last[0] == cuda.gridDim.x - 1:
            total = 0
            for b in range(cuda.gridDim.x):
                total += partial[b]
            result[0] = total


# warps ----------------------------------------------------------------------------------------------------


@pair(
    """
    __global__ void warp_sum(const int* x, int* sums)
    {
        int i = threadIdx.x, v = x[i];
        for (int k = 16; k > 0; k /= 2)
            v += __shfl_down_sync(0xffffffff, v, k);
        if (i % 32 == 0)
            sums[i / 32] = v;
    }
    """,
    1,
    96,
    lambda: (integers(96), zeros(3)),
    machines=LANES_32,
)
def warp_sum(x, sums):
    i = cuda.threadIdx.x
    v = x[i]
    k = 16
    while k > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, k)
        k //= 2
    if i % 32 == 0:
        sums[i // 32] = v


@pair(
    """
    __global__ void warp_compact(const int* x, int* kept, int* counts)
    {
        int i = threadIdx.x, lane = i % 32;
        unsigned mask = __ballot_sync(0xffffffff, x[i] > 0);
        if (x[i] > 0)
            kept[i - lane + __popc(mask & ((1u << lane) - 1))] = x[i];
        if (lane == 0)
            counts[i / 32] = __popc(mask);
    }
    """,
    1,
    96,
    lambda: (integers(96), zeros(96), zeros(3)),
    machines=LANES_32,
)
def warp_compact(x, kept, counts):
    i = cuda.threadIdx.x
    lane = i % 32
    mask = cuda.ballot_sync(0xFFFFFFFF, x[i] > 0)
    if x[i] > 0:
        kept[i - lane + cuda.popc(mask & ((1 << lane) - 1))] = x[i]
    if lane == 0:
        counts[i // 32] = cuda.popc(mask)


# data structures ------------------------------------------------------------------------------------------


@pair(
    """
    __global__ void spmv(const int* offsets, const int* columns, const float* values,
                         const float* x, float* y, int n)
    {
        int row = blockIdx.x * blockDim.x + threadIdx.x;
        if (row < n) {
            float sum = 0.0f;
            int end = offsets[row + 1];
            for (int k = offsets[row]; k < end; k++)
                sum += values[k] * x[columns[k]];
            y[row] = sum;
        }
    }
    """,
    1,
    64,
    lambda: (
        np.cumsum([0, *(integers(50, 0, 6))]).astype(I4),
        integers(300, 0, 40),
        floats(300),
        floats(40),
        zeros(50, F4),
        50,
    ),
)
def spmv(offsets, columns, values, x, y, n):
    row = cuda.grid(1)
    if row < n:
        total = F4(0)
        for k in range(offsets[row], offsets[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


@pair(
    """
    __global__ void jumps(const int* next, int* ends, int* lengths)
    {
        int at = threadIdx.x, length = 0;
        while (next[at] >= 0) {
            at = next[at];
            length++;
        }
        ends[threadIdx.x] = at;
        lengths[threadIdx.x] = length;
    }
    """,
    1,
    64,
    lambda: (np.maximum(np.arange(64) - integers(64, 1, 9), -1).astype(I4), zeros(64), zeros(64)),
)
def jumps(following, ends, lengths):
    at = cuda.threadIdx.x
    length = 0
    while following[at] >= 0:
        at = following[at]
        length += 1
    ends[cuda.threadIdx.x] = at
    lengths[cuda.threadIdx.x] = length


@pair(
    """
    __global__ void local_bins(const int* x, int n, int* out)
    {
        int bins[4];
        for (int b = 0; b < 4; b++)
            bins[b] = 0;
        for (int k = threadIdx.x; k < n; k += blockDim.x)
            bins[x[k]] += 1;
        for (int b = 0; b < 4; b++)
            out[threadIdx.x * 4 + b] = bins[b];
    }
    """,
    1,
    64,
    lambda: (integers(500, 0, 4), 500, zeros(256)),
)
def local_bins(x, n, out):
    bins = cuda.local.array(4, I4)
    for b in range(4):
        bins[b] = 0
    for k in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        bins[x[k]] += 1
    for b in range(4):
        out[cuda.threadIdx.x * 4 + b] = bins[b]


# groups of threads -----------------------------------------------------------------------------------------


@pair(
    """
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    __global__ void sums_of_tiles(const int* x, int* y, int* total)
    {
        cg::thread_block block = cg::this_thread_block();
        auto tile = cg::tiled_partition<16>(block);
        int i = block.thread_rank();
        int sum = cg::reduce(tile, x[i], cg::plus<int>());
        y[i] = sum - cg::inclusive_scan(tile, x[i]) + tile.shfl_xor(x[i], 5);
        if (tile.thread_rank() == 0)
            atomicAdd(total, tile.meta_group_rank() * 100 + tile.meta_group_size());
        auto four = cg::tiled_partition<4>(tile);
        y[i] += four.shfl_down(x[i], 1) + four.shfl(x[i], 3) + four.any(x[i] < 0) + four.ballot(x[i] > 0);
        block.sync();
        y[i] += x[block.size() - 1 - i];
    }
    """,
    1,
    (20, 4),
    lambda: (integers(80), zeros(80), zeros(1)),
)
def sums_of_tiles(x, y, total):
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 16)
    i = block.thread_rank()
    added = cg.reduce(tile, x[i], cg.plus())
    y[i] = added - cg.inclusive_scan(tile, x[i]) + tile.shfl_xor(x[i], 5)
    if tile.thread_rank() == 0:
        cuda.atomic.add(total, 0, tile.meta_group_rank() * 100 + tile.meta_group_size())
    four = cg.tiled_partition(tile, 4)
    y[i] += four.shfl_down(x[i], 1) + four.shfl(x[i], 3) + four.any(x[i] < 0) + four.ballot(x[i] > 0)
    block.sync()
    y[i] += x[block.size() - 1 - i]


@pair(
    """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __global__ void kept_positive(const int* x, int* out, int* count)
    {
        int i = threadIdx.x;
        if (x[i] > 0) {
            cg::coalesced_group active = cg::coalesced_threads();
            int first = 0;
            if (active.thread_rank() == 0)
                first = atomicAdd(count, active.size());
            out[active.shfl(first, 0) + active.thread_rank()] = x[i];
        }
    }
    """,
    1,
    64,
    lambda: (integers(64), zeros(64), zeros(1)),
    machines=EVERYWHERE[1:2] + EVERYWHERE[2:3],
)
def kept_positive(x, out, count):
    i = cuda.threadIdx.x
    if x[i] > 0:
        active = cg.coalesced_threads()
        first = 0
        if active.thread_rank() == 0:
            first = cuda.atomic.add(count, 0, active.size())
        out[active.shfl(first, 0) + active.thread_rank()] = x[i]


@pair(
    """
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    __global__ void by_label(const int* x, int* out)
    {
        int i = threadIdx.x;
        auto warp = cg::tiled_partition<32>(cg::this_thread_block());
        auto same = cg::labeled_partition(warp, x[i] & 3);
        auto half = cg::binary_partition(same, x[i] > 0);
        out[i] = cg::reduce(same, x[i], cg::greater<int>()) * 100 + half.size() + same.meta_group_rank();
        half.sync();
    }
    """,
    1,
    64,
    lambda: (integers(64), zeros(64)),
)
def by_label(x, out):
    i = cuda.threadIdx.x
    warp = cg.tiled_partition(cg.this_thread_block(), 32)
    same = cg.labeled_partition(warp, x[i] & 3)
    half = cg.binary_partition(same, x[i] > 0)
    out[i] = cg.reduce(same, x[i], cg.greater()) * 100 + half.size() + same.meta_group_rank()
    half.sync()


@pair(
    """
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    __global__ void tiles_of_warps(const int* x, int* y)
    {
        cg::thread_block block = cg::this_thread_block();
        auto tile = cg::tiled_partition<128>(block);
        int i = block.thread_rank();
        int most = cg::reduce(tile, x[i], cg::greater<int>());
        y[i] = most - cg::inclusive_scan(tile, x[i]) * tile.any(x[i] > 9);
        y[i] += cg::exclusive_scan(tile, x[i]) * tile.shfl(x[i], 70) + tile.thread_rank();
        auto token = tile.barrier_arrive();
        auto sixteen = cg::tiled_partition<16>(tile);
        y[i] += sixteen.meta_group_rank() * tile.meta_group_size() + sixteen.shfl(x[i], 3);
        tile.barrier_wait(std::move(token));
        y[i] += x[i / 128 * 128] & 1;
        cg::sync(tile);
        if (tile.meta_group_rank() == 1)
            tile.sync();
    }
    """,
    1,
    (32, 8),
    lambda: (integers(256), zeros(256)),
    machines=DIFFERENT,
)
def tiles_of_warps(x, y):
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, 128)
    i = block.thread_rank()
    most = cg.reduce(tile, x[i], cg.greater())
    y[i] = most - cg.inclusive_scan(tile, x[i]) * tile.any(x[i] > 9)
    y[i] += cg.exclusive_scan(tile, x[i]) * tile.shfl(x[i], 70) + tile.thread_rank()
    token = tile.barrier_arrive()
    sixteen = cg.tiled_partition(tile, 16)
    y[i] += sixteen.meta_group_rank() * tile.meta_group_size() + sixteen.shfl(x[i], 3)
    tile.barrier_wait(token)
    y[i] += x[i // 128 * 128] & 1
    cg.sync(tile)
    if tile.meta_group_rank() == 1:
        tile.sync()


CASES = [
    pytest.param(pair, device, model, id=f"{pair.name}-{device}-{model}")
    for pair in PAIRS
    for device, model in pair.machines
]


def measured(launch: Callable[..., None], arguments: tuple[Any, ...], device: str, model: str) -> Any:
    with gpusim.profile(device=device, scheduling=model) as run:
        launch(*arguments)
    return run.counters()


@pytest.mark.parametrize(("pair", "device", "model"), CASES)
def test_both_languages_say_the_same(pair, device, model):
    module = gpusim.RawModule(code=pair.cpp)
    python, cpp = pair.arguments(), pair.arguments()
    stream, shared = 0, 4 * np.prod(pair.block).item() if "extern __shared__" in pair.cpp else 0
    configuration = pair.grid, pair.block, stream, shared
    before = measured(pair.python[configuration], python, device, model)
    after = measured(module.get_function(pair.name)[configuration], cpp, device, model)
    for ours, theirs in zip(python, cpp, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    changed = [
        ours for ours, fresh in zip(python, pair.arguments(), strict=True) if not np.array_equal(ours, fresh)
    ]
    assert changed, "the kernel must do something"
    assert {name: after[name] for name in COUNTERS} == {name: before[name] for name in COUNTERS}
