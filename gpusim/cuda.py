"""Which names does a kernel use? Numba's: `from gpusim import cuda` instead of `from numba import cuda`.

>>> import numpy as np
>>> from gpusim import cuda
>>> @cuda.jit
... def double(x):
...     i = cuda.grid(1)
...     if i < x.size:
...         x[i] *= 2
>>> x = np.arange(4)
>>> double[1, 32](x)
>>> x.tolist()
[0, 2, 4, 6]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from gpusim import context
from gpusim.errors import KernelTypeError, LaunchError
from gpusim.frontends import python_types
from gpusim.frontends.intrinsics import (
    activemask,
    all_sync,
    any_sync,
    atomic,
    ballot_sync,
    blockDim,
    blockIdx,
    brev,
    cbrt,
    clz,
    const,
    eq_sync,
    ffs,
    fma,
    fp16,
    grid,
    gridDim,
    gridsize,
    laneid,
    lanemask_lt,
    ldca,
    ldcg,
    ldcs,
    ldcv,
    ldlu,
    local,
    match_all_sync,
    match_any_sync,
    nanosleep,
    popc,
    selp,
    shared,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    stcg,
    stcs,
    stwb,
    stwt,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    syncwarp,
    threadfence,
    threadfence_block,
    threadfence_system,
    threadIdx,
    warpsize,
)
from gpusim.frontends.libdevice import libdevice
from gpusim.frontends.python import compile_kernel
from gpusim.frontends.vectors import VECTORS
from gpusim.ir.program import Function
from gpusim.ir.text import listing
from gpusim.ir.types import Array, Scalar
from gpusim.machine import launch

__all__ = [
    "activemask", "all_sync", "any_sync", "atomic", "ballot_sync", "blockDim", "blockIdx", "brev", "cbrt",
    "clz", "const", "eq_sync", "ffs", "fma", "fp16", "grid", "gridDim", "gridsize", "jit", "laneid",
    "lanemask_lt", "ldca", "ldcg", "ldcs", "ldcv", "ldlu", "libdevice", "local", "match_all_sync",
    "match_any_sync", "nanosleep", "popc", "selp", "shared", "shfl_down_sync", "shfl_sync", "shfl_up_sync",
    "shfl_xor_sync", "stcg", "stcs", "stwb", "stwt", "syncthreads", "syncthreads_and", "syncthreads_count",
    "syncthreads_or", "syncwarp", "threadIdx", "threadfence", "threadfence_block", "threadfence_system",
    "warpsize",
]  # fmt: skip

vars().update(VECTORS)  # float32x4, float4 and so on

Dim3 = tuple[int, int, int]


@overload
def jit(function: Callable[..., Any]) -> Kernel: ...
@overload
def jit(function: None = None, *, device: bool = False) -> Callable[[Callable[..., Any]], Kernel]: ...
def jit(function: Callable[..., Any] | None = None, *, device: bool = False) -> Any:
    """Make a kernel of a function, or with `device=True` a function that kernels may call.

    It is compiled at its first launch, once for each combination of argument types.
    """
    if function is None:
        return functools.partial(_kernel, device=device)
    if not callable(function):
        raise KernelTypeError(f"@cuda.jit goes on a function, not on {function!r}")
    return _kernel(function, device=device)


def _kernel(function: Callable[..., Any], *, device: bool) -> Kernel:
    return DeviceFunction(function) if device else Kernel(function)


class Kernel:
    """A kernel: `kernel[grid, block](arguments)` launches it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.__name__: str = function.__name__
        self._function = function
        self._compiled: dict[tuple[tuple[Scalar | Array | None, ...], int], Function] = {}

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise LaunchError(
                f"{self.__name__}[…] takes the grid and the block, for example {self.__name__}[4, 256]"
            )
        grid_, block = (_extents(*given) for given in zip(("grid", "block"), configuration, strict=False))
        return functools.partial(self._launch, grid_, block, (*configuration, 0, 0)[3])

    def __call__(self, *_arguments: Any, **_keywords: Any) -> None:
        raise LaunchError(
            f"{self.__name__} is a kernel: launch it with {self.__name__}[blocks, threads_per_block](…)"
        )

    def compiled(self, *arguments: Any) -> Function:
        """The IR for arguments of these types."""
        types = tuple(_type_of(self.__name__, position, a) for position, a in enumerate(arguments))
        key = types, context.current().device.warp_size
        if key not in self._compiled:
            self._compiled[key] = compile_kernel(self._function, *key)
        return self._compiled[key]

    def inspect_ir(self, *arguments: Any) -> str:
        """The instructions beside the source: for these arguments, or for the types launched last."""
        if arguments:
            return listing(self.compiled(*arguments))
        if not self._compiled:
            raise KernelTypeError(
                f"{self.__name__} has not been compiled; launch it, or pass arguments: inspect_ir(2.0, x, y)"
            )
        return listing(next(reversed(self._compiled.values())))

    def _launch(self, grid_: Dim3, block: Dim3, shared_bytes: int, *arguments: Any, **keywords: Any) -> None:
        if keywords:
            raise LaunchError(f"{self.__name__}: kernels take positional arguments, not {sorted(keywords)}")
        given = [argument for argument in arguments if argument is not None]
        launch.run(self.compiled(*arguments), grid_, block, given, context.current(), shared_bytes)


class DeviceFunction(Kernel):
    """A function for kernels to call; it is compiled into each of them."""

    @property
    def device_function(self) -> Callable[..., Any]:
        """The Python function, for the front-end to inline."""
        return self._function

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        raise LaunchError(f"{self.__name__} is a device function; call it from a kernel")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """On the host it is the plain Python function."""
        return self._function(*arguments, **keywords)


def _extents(name: str, given: Any) -> Dim3:
    """An int or a tuple of up to three as (x, y, z)."""
    extents = given if isinstance(given, tuple | list) else (given,)
    if not 1 <= len(extents) <= 3 or any(
        isinstance(e, bool) or not isinstance(e, int | np.integer) for e in extents
    ):
        raise LaunchError(f"the {name} is a whole number or a tuple of one to three, not {given!r}")
    x, y, z = (*(int(extent) for extent in extents), 1, 1)[:3]
    return x, y, z


def _type_of(kernel: str, position: int, argument: Any) -> Scalar | Array | None:
    if argument is None:
        return None
    if isinstance(argument, np.ndarray):
        array = python_types.array_of(argument)
        if array is None:
            raise KernelTypeError(
                f"argument {position + 1} of {kernel} is an array of {argument.dtype}; convert it, "
                "for example with .astype(np.float32)"
            )
        return array
    if isinstance(argument, np.void):
        return _type_of(kernel, position, np.asarray(argument))
    type_ = python_types.of_constant(argument)
    if type_ is None:
        raise KernelTypeError(
            f"argument {position + 1} of {kernel} is a {type(argument).__name__}; kernels take NumPy arrays "
            "and numbers"
        )
    return type_
