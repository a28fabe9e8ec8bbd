"""A picture of the Mandelbrot set: `python mandelbrot.py EDGE`."""

import sys

import numpy as np
from numba import cuda

STEPS = 50


@cuda.jit(device=True)
def steps(x, y):
    c = complex(x, y)
    z = 0j
    for i in range(STEPS):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return i
    return STEPS


@cuda.jit
def mandelbrot(image):
    i, j = cuda.grid(2)
    height, width = image.shape
    if i < height and j < width:
        image[i, j] = steps(j / width * 3 - 2, i / height * 2 - 1)


edge = int(sys.argv[1])
image = np.zeros((edge, edge), np.int32)
blocks = -(-edge // 16)
mandelbrot[(blocks, blocks), (16, 16)](image)
print(image.sum())
