"""How do I add up an array on the device? `cuda.reduce` makes a reduction of a function of two values.

>>> from gpusim import cuda
>>> add = cuda.reduce(lambda a, b: a + b)
>>> int(add(np.arange(1000)))
499500
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.cuda.dispatcher import Kernel, jit
from gpusim.errors import ArrayError, kind_of
from gpusim.frontends.python.builtins import intrinsics as cuda
from gpusim.runtime.device_array import DeviceNDArray, device_array

THREADS = 256


class Reduce:
    """A reduction: `functor(a, b)` combines two elements, in any order and grouping."""

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        self._functor = functor
        self._kernels: dict[np.dtype[Any], Kernel] = {}

    def __call__(
        self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0
    ) -> Any:
        """The first `size` elements of `arr` and `init`, combined; written to `res[0]` where given."""
        if not isinstance(arr, np.ndarray | DeviceNDArray):
            raise ArrayError(f"a reduction takes an array, such as np.array(…), not {kind_of(arr)}")
        if arr.ndim != 1 or not (size is None or 0 <= size <= arr.size):
            raise ArrayError(f"a reduction takes up to {arr.size} elements of an array of one dimension")
        left, given = arr.size if size is None else size, arr
        kernel = self._kernel(arr.dtype)
        while left > 1:
            blocks = -(-left // THREADS)
            partials = device_array(blocks, arr.dtype)
            kernel[blocks, THREADS, stream](given, left, partials)
            left, given = blocks, partials
        result = arr.dtype.type(self._functor(arr.dtype.type(init), given[0]) if left else init)
        if res is None:
            return result
        res[0] = result
        return None

    def _kernel(self, dtype: np.dtype[Any]) -> Kernel:
        if dtype not in self._kernels:
            self._kernels[dtype] = _kernel(jit(self._functor, device=True), dtype)
        return self._kernels[dtype]


reduce = Reduce


def _kernel(combine: Kernel, dtype: np.dtype[Any]) -> Kernel:
    @jit
    def reduce_blocks(x, n, partials):  # type: ignore[no-untyped-def]
        tile = cuda.shared.array(THREADS, dtype)
        t = cuda.threadIdx.x
        first = cuda.blockIdx.x * THREADS
        if first + t < n:
            tile[t] = x[first + t]
        cuda.syncthreads()
        width = THREADS // 2
        while width:
            if t < width and first + t + width < n:
                tile[t] = combine(tile[t], tile[t + width])
            cuda.syncthreads()
            width //= 2
        if t == 0:
            partials[cuda.blockIdx.x] = tile[0]

    kernel: Kernel = reduce_blocks
    return kernel
