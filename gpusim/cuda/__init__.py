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

from typing import Any

from gpusim.cuda import config, errors, random, types
from gpusim.cuda.dispatcher import jit
from gpusim.cuda.missing import MISSING
from gpusim.cuda.reduction import Reduce, reduce
from gpusim.cuda.types import OF_CUDA
from gpusim.cuda.ufuncs import guvectorize, vectorize
from gpusim.errors import NotOffered, suggestion
from gpusim.frontends.python.builtins.cooperative import cg
from gpusim.frontends.python.builtins.intrinsics import PUBLIC
from gpusim.frontends.python.builtins.libdevice import libdevice
from gpusim.frontends.python.builtins.vectors import VECTORS
from gpusim.runtime.device import (
    close,
    cuda_error,
    current_context,
    defer_cleanup,
    detect,
    get_current_device,
    gpus,
    is_available,
    is_bfloat16_supported,
    is_float16_supported,
    is_fp8_supported,
    is_supported_version,
    list_devices,
    select_device,
)
from gpusim.runtime.device_array import (
    as_cuda_array,
    device_array,
    device_array_like,
    is_cuda_array,
    to_device,
)
from gpusim.runtime.host_memory import (
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
)
from gpusim.runtime.passing import In, InOut, Out
from gpusim.runtime.streams import (
    default_stream,
    event,
    event_elapsed_time,
    external_stream,
    legacy_default_stream,
    per_thread_default_stream,
    stream,
    synchronize,
)

__all__ = [
    "HAS_NUMBA", "In", "InOut", "Out", "Reduce", "as_cuda_array", "cg", "close", "config", "cuda_error",
    "current_context", "default_stream", "defer_cleanup", "detect", "device_array", "device_array_like",
    "errors", "event", "event_elapsed_time", "external_stream", "get_current_device", "gpus", "guvectorize",
    "is_available", "is_bfloat16_supported", "is_cuda_array", "is_float16_supported", "is_fp8_supported",
    "is_supported_version", "jit", "legacy_default_stream", "libdevice", "list_devices", "managed_array",
    "mapped", "mapped_array", "mapped_array_like", "none", "per_thread_default_stream", "pinned",
    "pinned_array", "pinned_array_like",
    "random", "reduce", "select_device", "stream", "synchronize", "to_device", "types",
    "vectorize", "void", *PUBLIC,
]  # fmt: skip

HAS_NUMBA = False  # where it is installed, `python -m gpusim` uses it
vars().update(PUBLIC | VECTORS | OF_CUDA)  # grid and so on; float32x4 and so on; float32 and so on


def __getattr__(name: str) -> Any:
    if name in MISSING:
        raise NotOffered(f"cuda.{name} is not simulated: {MISSING[name]}")
    raise AttributeError(
        f"gpusim.cuda has no {name!r}; {suggestion(name, __dir__(), 'dir(cuda) lists its names')}"
    )


def __dir__() -> list[str]:
    return [*__all__, *VECTORS, *OF_CUDA]
