"""A matrix product in tiles of shared memory: `python matrices.py EDGE`."""

import sys

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def product(a, b, c):
    rows = cuda.shared.array((TILE, TILE), float32)
    columns = cuda.shared.array((TILE, TILE), float32)
    i, j = cuda.grid(2)
    ty, tx = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for tile in range(a.shape[1] // TILE):
        rows[ty, tx] = a[i, tile * TILE + tx]
        columns[ty, tx] = b[tile * TILE + ty, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += rows[ty, k] * columns[k, tx]
        cuda.syncthreads()
    c[i, j] = total


edge = int(sys.argv[1]) // TILE * TILE
a = (np.arange(edge * edge, dtype=np.float32) % 7).reshape(edge, edge)
b = (np.arange(edge * edge, dtype=np.float32) % 5).reshape(edge, edge)
c = np.zeros_like(a)
product[(edge // TILE, edge // TILE), (TILE, TILE)](a, b, c)
assert np.array_equal(c, a @ b)
print(int(c.sum()))
