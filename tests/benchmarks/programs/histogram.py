"""How often does each byte occur, of EDGE x EDGE? In shared memory first: `python histogram.py EDGE`."""

import sys

import numpy as np
from numba import cuda, int32

BINS = 256


@cuda.jit
def histogram(data, bins):
    mine = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, data[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, mine[t])


size = int(sys.argv[1]) ** 2
data = (np.arange(size) * 37 % 251).astype(np.uint8)
bins = np.zeros(BINS, np.int32)
histogram[max(1, size // 4096), BINS](data, bins)
assert np.array_equal(bins, np.bincount(data, minlength=BINS))
print(bins.max())
