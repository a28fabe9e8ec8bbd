"""The programs that pages run with `python -m gpusim`, and that a GPU runs as they are: their texts.

It needs nothing but Python, so that a machine with a GPU can write them out (tests/hardware/commands.py).
"""

from __future__ import annotations

WARPS = """\
import numpy as np
from numba import cuda


@cuda.jit
def warp_sums(x, sums):
    i = cuda.grid(1)
    value = x[i]
    for delta in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, delta)
    if cuda.laneid == 0:
        sums[i // 32] = value


x = np.arange(256, dtype=np.float32)
sums = np.zeros(8, np.float32)
warp_sums[2, 128](x, sums)
print(sums.sum())
"""
REVERSED = """\
import numpy as np
from numba import cuda, float32


@cuda.jit
def reverse(x):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = x[i]
    x[i] = tile[63 - i]


def reversed_on_gpu(x):
    device = cuda.to_device(x)
    reverse[1, 64](device)
    return device.copy_to_host()


if __name__ == "__main__":
    print(reversed_on_gpu(np.arange(64, dtype=np.float32))[:4])
"""
TEST = """\
import numpy as np
from reversing import reversed_on_gpu


def test_the_first_is_the_last():
    x = np.arange(64, dtype=np.float32)
    assert reversed_on_gpu(x)[0] == 63
"""
SCALED = """\
extern "C" __global__ void scale(float* x, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= by;
}
"""
HERE = """\
from pathlib import Path

import gpusim
import numpy as np

module = gpusim.RawModule(code=Path("scale.cu").read_text())
x = np.arange(256, dtype=np.float32)
module.get_function("scale")((2,), (128,), (x, np.float32(3)))
print(x[:4], x.sum())
"""
THERE = """\
from pathlib import Path

import cupy
import numpy as np

module = cupy.RawModule(code=Path("scale.cu").read_text())
x = cupy.arange(256, dtype=np.float32)
module.get_function("scale")((2,), (128,), (x, np.float32(3)))
print(x[:4], x.sum())
"""
FILES = {
    "warps.py": WARPS,
    "reversing.py": REVERSED,
    "test_reversing.py": TEST,
    "scale.cu": SCALED,
    "here.py": HERE,
    "there.py": THERE,
}
