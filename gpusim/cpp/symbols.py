"""Where do `__device__` and `__constant__` variables live? In device memory, as long as their module.

The host sees each as a device array: `module.get_global("coefficients")[:] = …`, `hits.copy_to_host()`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.devices import Device
from gpusim.devices.occupancy import round_up
from gpusim.errors import LaunchError
from gpusim.frontends.cuda_cpp.layout import dtype_of
from gpusim.ir.types import Space
from gpusim.runtime.device_array import DeviceNDArray, device_array

if TYPE_CHECKING:
    from gpusim.frontends.cuda_cpp.outside import Symbol


class Symbols:
    """The variables of one module. Whatever device is simulated, they are the same."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[str, np.dtype[Any], tuple[int, ...]], DeviceNDArray] = {}

    def array(self, symbol: Symbol) -> DeviceNDArray:
        """The variable's memory, at first with its initial value; a single number is an array of one."""
        dtype, shape = laid_out(symbol)
        known = self._arrays.get((symbol.name, dtype, shape))
        if known is None or not known.gpu_data.live:  # closing the device takes its modules' memory
            known = device_array(shape, dtype)
            known[...] = (
                np.zeros(shape, dtype)
                if symbol.initial is None
                else np.frombuffer(symbol.initial, dtype).reshape(shape)
            )
            known.gpu_data.constant = symbol.space is Space.CONSTANT
            self._arrays[symbol.name, dtype, shape] = known
        return known


@lru_cache(maxsize=1024)
def laid_out(symbol: Symbol) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """NumPy's type and shape of a variable: `float w[2][3]` is float32, (2, 3)."""
    dtype, shape = dtype_of(symbol.type), tuple[int, ...]()
    while dtype.subdtype is not None:
        dtype, extents = dtype.subdtype
        shape += extents
    return dtype, shape or (1,)


def constant_bytes(symbols: Iterable[Symbol]) -> int:
    """The size of those in constant memory, one behind the other."""
    size = 0
    for symbol in symbols:
        if symbol.space is Space.CONSTANT:
            size = round_up(size, symbol.type.alignment) + symbol.type.size
    return size


def check_room(symbols: Iterable[Symbol], device: Device) -> None:
    """Raise `LaunchError` where the module's `__constant__` variables do not fit in constant memory."""
    size = constant_bytes(symbols)
    if size > device.constant_bytes:
        raise LaunchError(
            f"the module has {size:,} bytes of __constant__ variables; {device.name} has "
            f"{device.constant_bytes:,} bytes of constant memory (constant_bytes)",
            hint="make the largest a __device__ variable, or pass it as an argument",
        )
