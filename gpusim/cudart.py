"""Which calls does a host program make? The CUDA runtime's, by the names of NVIDIA's cuda-python.

There it is `from cuda.bindings import runtime as cudart`. Every call returns a tuple that begins with
`cudaError_t.cudaSuccess`, as there. A request that CUDA answers with an error raises `LaunchError` here: its
text begins with CUDA's name of the error and says which limit was passed. `func` is the kernel itself, in
either language, where cuda-python takes a handle of it.

>>> from gpusim import cuda, cudart
>>> @cuda.jit
... def kernel(x):
...     x[cuda.grid(1)] = 0
>>> percent = cudart.cudaFuncAttribute.cudaFuncAttributePreferredSharedMemoryCarveout
>>> cudart.cudaFuncSetAttribute(kernel, percent, 50)
(<cudaError_t.cudaSuccess: 0>,)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from gpusim.devices import carveout
from gpusim.errors import LaunchError, NotOffered
from gpusim.machine.limits import block_shared_bytes, configured
from gpusim.runtime import launching, settings
from gpusim.runtime.device import ATTRIBUTES
from gpusim.runtime.launching import Launchable
from gpusim.whole import is_whole, whole


class cudaError_t(IntEnum):
    """What became of a call?"""

    cudaSuccess = 0
    cudaErrorInvalidValue = 1
    cudaErrorInvalidConfiguration = 9
    cudaErrorInvalidDeviceFunction = 98
    cudaErrorInvalidDevice = 101


class cudaFuncAttribute(IntEnum):
    """Which attribute of a kernel can be set?"""

    cudaFuncAttributeMaxDynamicSharedMemorySize = 8
    cudaFuncAttributePreferredSharedMemoryCarveout = 9


class cudaSharedCarveout(IntEnum):
    """Carve-outs that have a name; every other one is a number of percent."""

    cudaSharedmemCarveoutDefault = carveout.DEFAULT
    cudaSharedmemCarveoutMaxL1 = carveout.MAX_L1
    cudaSharedmemCarveoutMaxShared = carveout.MAX_SHARED


class cudaFuncCache(IntEnum):
    """How did devices before Volta split shared memory and L1?"""

    cudaFuncCachePreferNone = 0
    cudaFuncCachePreferShared = 1
    cudaFuncCachePreferL1 = 2
    cudaFuncCachePreferEqual = 3


class cudaDeviceAttr(IntEnum):
    """Which figures of a device can be asked for?"""

    cudaDevAttrMaxThreadsPerBlock = 1
    cudaDevAttrMaxBlockDimX = 2
    cudaDevAttrMaxBlockDimY = 3
    cudaDevAttrMaxBlockDimZ = 4
    cudaDevAttrMaxGridDimX = 5
    cudaDevAttrMaxGridDimY = 6
    cudaDevAttrMaxGridDimZ = 7
    cudaDevAttrMaxSharedMemoryPerBlock = 8
    cudaDevAttrTotalConstantMemory = 9
    cudaDevAttrWarpSize = 10
    cudaDevAttrMaxRegistersPerBlock = 12
    cudaDevAttrClockRate = 13
    cudaDevAttrMultiProcessorCount = 16
    cudaDevAttrL2CacheSize = 38
    cudaDevAttrMaxThreadsPerMultiProcessor = 39
    cudaDevAttrComputeCapabilityMajor = 75
    cudaDevAttrComputeCapabilityMinor = 76
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81
    cudaDevAttrMaxRegistersPerMultiprocessor = 82
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
    cudaDevAttrMaxBlocksPerMultiprocessor = 106
    cudaDevAttrReservedSharedMemoryPerBlock = 111


class cudaLimit(IntEnum):
    """Which limit of the device can be set?"""

    cudaLimitMallocHeapSize = 2


_SUCCESS = cudaError_t.cudaSuccess
_FIGURES = {name.replace("_", "").lower(): figure for name, figure in ATTRIBUTES.items()}
_NO_CODE = ("ptxVersion", "binaryVersion", "cacheModeCA")


@dataclass(frozen=True)
class cudaFuncAttributes:
    """What does a kernel need, and what was asked for it? Sizes in bytes."""

    sharedSizeBytes: int
    constSizeBytes: int
    localSizeBytes: int
    maxThreadsPerBlock: int
    numRegs: int
    maxDynamicSharedSizeBytes: int
    preferredShmemCarveout: int

    def __getattr__(self, name: str) -> Any:
        if name in _NO_CODE:
            raise NotOffered(f"{name} is not simulated: there is no machine code")
        raise AttributeError(f"cudaFuncAttributes has no {name!r}")


def cudaFuncSetAttribute(func: Launchable, attr: int, value: int) -> tuple[cudaError_t]:
    """Allow a kernel more dynamic shared memory, or say how it prefers shared memory and L1 to be split.

    `cudaFuncAttributeMaxDynamicSharedMemorySize`: bytes, beyond 48 KiB, too; a launch asks for them.
    `cudaFuncAttributePreferredSharedMemoryCarveout`: percent of the largest shared memory, a hint.
    """
    kernel = _kernel(func)
    chosen = _member(cudaFuncAttribute, attr)
    if chosen is cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize:
        kernel.max_dynamic_shared_size_bytes = value
    else:
        kernel.preferred_shared_memory_carveout = value
    return (_SUCCESS,)


def cudaFuncSetCacheConfig(func: Launchable, cacheConfig: int) -> tuple[cudaError_t]:
    """Require a split of shared memory and L1, as before Volta; launches that differ wait for each other."""
    kernel, chosen = _kernel(func), _member(cudaFuncCache, cacheConfig)
    configuration = carveout.CACHE_CONFIGS[chosen]
    kernel.launch_attributes = replace(kernel.launch_attributes, cache_config=configuration)
    return (_SUCCESS,)


def cudaFuncGetAttributes(func: Launchable) -> tuple[cudaError_t, cudaFuncAttributes]:
    """What does a kernel need, and what was asked for it?"""
    kernel = _kernel(func)
    function = kernel.function
    return _SUCCESS, cudaFuncAttributes(
        function.shared_bytes,
        kernel.const_size_bytes,
        function.local_bytes,
        launching.max_threads_per_block(function, settings.current().device),
        function.registers_per_thread,
        kernel.max_dynamic_shared_size_bytes,
        kernel.preferred_shared_memory_carveout,
    )


def cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    func: Launchable, blockSize: int, dynamicSMemSize: int
) -> tuple[cudaError_t, int]:
    """How many blocks of a kernel fit on a multiprocessor, split as it prefers? 0: not even one."""
    kernel, device = _kernel(func), settings.current().device
    function = kernel.function
    whole(blockSize, "cudaErrorInvalidValue: blockSize is a positive number of threads", least=1)
    whole(dynamicSMemSize, "cudaErrorInvalidValue: dynamicSMemSize is a number of bytes, 0 or more", least=0)
    if block_shared_bytes(function, dynamicSMemSize) > device.shared_bytes_per_block_optin:
        return _SUCCESS, 0
    return _SUCCESS, configured(function, kernel.launch_attributes, device, blockSize, dynamicSMemSize).blocks


def cudaDeviceGetAttribute(attr: int, device: int) -> tuple[cudaError_t, int]:
    """A figure of the device in force, which has number 0."""
    if not is_whole(device) or device != 0:
        raise LaunchError(
            f"cudaErrorInvalidDevice: there is no device {device!r}, only 0; gpusim.use(…) chooses which GPU "
            'that is, for example gpusim.use("V100")'
        )
    chosen = _member(cudaDeviceAttr, attr)
    return _SUCCESS, _FIGURES[chosen.name.removeprefix("cudaDevAttr").lower()](settings.current().device)


def cudaDeviceSetLimit(limit: int, value: int) -> tuple[cudaError_t]:
    """Set how many bytes the heap of the device has, before the first kernel takes memory from it."""
    _member(cudaLimit, limit)
    device = settings.current().device
    if not is_whole(value) or not 0 <= value <= device.memory_bytes:
        raise LaunchError(
            f"cudaErrorInvalidValue: a heap cannot have {value!r} bytes: {device.name} has "
            f"{device.memory_bytes} ({device.cited('memory_bytes')})"
        )
    settings.current().grids.state.heap_bytes = int(value)
    return (_SUCCESS,)


def cudaDeviceGetLimit(limit: int) -> tuple[cudaError_t, int]:
    """How many bytes has the heap of the device? 8 MiB unless it was set."""
    _member(cudaLimit, limit)
    return _SUCCESS, settings.current().grids.state.heap_bytes


def _kernel(func: Any) -> Launchable:
    if not isinstance(func, Launchable) or hasattr(func, "device_function"):
        raise LaunchError(
            f"cudaErrorInvalidDeviceFunction: {func!r} is no kernel; pass what @cuda.jit or RawModule gave"
        )
    return func


def _member(kind: type[IntEnum], value: Any) -> Any:
    """The member of an enumeration, or a number of one."""
    known = {int(member): member for member in kind}
    if not is_whole(value) or value not in known:
        raise LaunchError(
            f"cudaErrorInvalidValue: {value!r} is no {kind.__name__}; there are {', '.join(kind.__members__)}"
        )
    return known[value]
