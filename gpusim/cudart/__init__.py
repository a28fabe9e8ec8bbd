"""Which calls does a host program make? The CUDA runtime's, by the names of NVIDIA's cuda-python.

There it is `from cuda.bindings import runtime as cudart`. Every call returns a tuple that begins with
`cudaError_t.cudaSuccess`, as there. A request that CUDA answers with an error raises `LaunchError` here: its
text begins with CUDA's name of the error and says which limit was passed. `func` is the kernel itself, in
either language, where cuda-python takes a handle of it. `cudaOccupancyMaxPotentialBlockSize` and its
variants, which cuda-python lacks, take what they take in C++ and return what is stored there by pointers.

Memory is an array, of the device or of NumPy's, where cuda-python takes an address: see
`gpusim.cudart.streams`; textures are in `gpusim.cudart.textures`. What kernels may call, which launch
kernels, is in `gpusim.frontends.python.builtins.device_runtime`. Every name may be spelled as in MXMACA,
with `mc` for `cuda`: `mcGetDeviceProperties`, `mcError_t.mcSuccess`.

>>> from gpusim import cuda, cudart
>>> @cuda.jit
... def kernel(x):
...     x[cuda.grid(1)] = 0
>>> percent = cudart.cudaFuncAttribute.cudaFuncAttributePreferredSharedMemoryCarveout
>>> cudart.cudaFuncSetAttribute(kernel, percent, 50)
(<cudaError_t.cudaSuccess: 0>,)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from gpusim.cudart import streams, textures
from gpusim.cudart.spelling import SUCCESS, Spelled, cudaError_t, member
from gpusim.devices import carveout
from gpusim.errors import LaunchError, NotOffered
from gpusim.frontends.python.builtins import device_runtime
from gpusim.runtime import launching, settings
from gpusim.runtime.device import ATTRIBUTES, PROPERTIES, current_context
from gpusim.runtime.launching import Launchable, kernel_of
from gpusim.whole import is_whole


class cudaFuncAttribute(IntEnum, metaclass=Spelled):
    """Which attribute of a kernel can be set?"""

    cudaFuncAttributeMaxDynamicSharedMemorySize = 8
    cudaFuncAttributePreferredSharedMemoryCarveout = 9


class cudaSharedCarveout(IntEnum, metaclass=Spelled):
    """Carve-outs that have a name; every other one is a number of percent."""

    cudaSharedmemCarveoutDefault = carveout.DEFAULT
    cudaSharedmemCarveoutMaxL1 = carveout.MAX_L1
    cudaSharedmemCarveoutMaxShared = carveout.MAX_SHARED


class cudaFuncCache(IntEnum, metaclass=Spelled):
    """How did devices before Volta split shared memory and L1?"""

    cudaFuncCachePreferNone = 0
    cudaFuncCachePreferShared = 1
    cudaFuncCachePreferL1 = 2
    cudaFuncCachePreferEqual = 3


class cudaDeviceAttr(IntEnum, metaclass=Spelled):
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
    cudaDevAttrGlobalL1CacheSupported = 79
    cudaDevAttrLocalL1CacheSupported = 80
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81
    cudaDevAttrMaxRegistersPerMultiprocessor = 82
    cudaDevAttrSingleToDoublePrecisionPerfRatio = 87
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
    cudaDevAttrMaxBlocksPerMultiprocessor = 106
    cudaDevAttrReservedSharedMemoryPerBlock = 111


class cudaLimit(IntEnum, metaclass=Spelled):
    """Which limit of the device can be set?"""

    cudaLimitPrintfFifoSize = 1
    cudaLimitMallocHeapSize = 2
    cudaLimitDevRuntimeSyncDepth = 3
    cudaLimitDevRuntimePendingLaunchCount = 4


for _part in (streams, textures):
    vars().update({name: value for name, value in vars(_part).items() if name.startswith("cuda")})
cudaOccupancyDefault, cudaOccupancyDisableCachingOverride = 0, 1
_FIGURES = {name.replace("_", "").lower(): figure for name, figure in ATTRIBUTES.items()}
# limit -> what of the device's state it is, its name in messages, and what is counted
_LIMITS = {
    cudaLimit.cudaLimitPrintfFifoSize: ("print_buffer_bytes", "the buffer of printf", "bytes"),
    cudaLimit.cudaLimitMallocHeapSize: ("heap_bytes", "a heap", "bytes"),
    cudaLimit.cudaLimitDevRuntimeSyncDepth: (
        "synchronization_depth",
        "launches that are waited for",
        "levels",
    ),
    cudaLimit.cudaLimitDevRuntimePendingLaunchCount: ("pending_launches", "the pool", "pending launches"),
}
# a kernel launches into these; the host has no such streams
cudaStreamTailLaunch, cudaStreamFireAndForget = 3, 4
for _name, _call in device_runtime.CALLS.items():
    if _name in vars():
        vars()[_name].in_kernels = _call  # what the host's function means in a kernel
    else:
        vars()[_name] = _call
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
    kernel = kernel_of(func)
    chosen = member(cudaFuncAttribute, attr)
    if chosen is cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize:
        kernel.max_dynamic_shared_size_bytes = value
    else:
        kernel.preferred_shared_memory_carveout = value
    return (SUCCESS,)


def cudaFuncSetCacheConfig(func: Launchable, cacheConfig: int) -> tuple[cudaError_t]:
    """Require a split of shared memory and L1, as before Volta; launches that differ wait for each other."""
    kernel, chosen = kernel_of(func), member(cudaFuncCache, cacheConfig)
    configuration = carveout.CACHE_CONFIGS[chosen]
    kernel.launch_attributes = replace(kernel.launch_attributes, cache_config=configuration)
    return (SUCCESS,)


def cudaFuncGetAttributes(func: Launchable) -> tuple[cudaError_t, cudaFuncAttributes]:
    """What does a kernel need, and what was asked for it?"""
    kernel = kernel_of(func)
    function = kernel.function
    return SUCCESS, cudaFuncAttributes(
        function.shared_bytes,
        kernel.const_size_bytes,
        function.local_bytes,
        launching.max_threads_per_block(function, settings.current().device),
        function.registers_per_thread,
        kernel.max_dynamic_shared_size_bytes,
        kernel.preferred_shared_memory_carveout,
    )


# occupancy --------------------------------------------------------------------------------------------------


def cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    func: Launchable, blockSize: int, dynamicSMemSize: int
) -> tuple[cudaError_t, int]:
    """How many blocks of a kernel fit on a multiprocessor, split as it prefers? 0: not even one."""
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(func, blockSize, dynamicSMemSize, 0)


def cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    func: Launchable, blockSize: int, dynamicSMemSize: int, flags: int
) -> tuple[cudaError_t, int]:
    """The same; `flags` is `cudaOccupancyDefault` or `cudaOccupancyDisableCachingOverride`."""
    blocks = current_context().get_active_blocks_per_multiprocessor(func, blockSize, dynamicSMemSize, flags)
    return SUCCESS, blocks


def cudaOccupancyMaxPotentialBlockSize(
    func: Launchable, dynamicSMemSize: int = 0, blockSizeLimit: int = 0
) -> tuple[cudaError_t, int, int]:
    """The blocks that fill the device, and the block size with which it is fullest; 0 and 0: none fits."""
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(func, dynamicSMemSize, blockSizeLimit)


def cudaOccupancyMaxPotentialBlockSizeWithFlags(
    func: Launchable, dynamicSMemSize: int = 0, blockSizeLimit: int = 0, flags: int = 0
) -> tuple[cudaError_t, int, int]:
    """The same, with flags."""
    best = current_context().get_max_potential_block_size(func, None, dynamicSMemSize, blockSizeLimit, flags)
    return SUCCESS, *best


def cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    func: Launchable, blockSizeToDynamicSMemSize: Callable[[int], int], blockSizeLimit: int = 0
) -> tuple[cudaError_t, int, int]:
    """The same where a function of the block size, such as `lambda size: 8 * size`, says the bytes."""
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        func, blockSizeToDynamicSMemSize, blockSizeLimit
    )


def cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    func: Launchable,
    blockSizeToDynamicSMemSize: Callable[[int], int],
    blockSizeLimit: int = 0,
    flags: int = 0,
) -> tuple[cudaError_t, int, int]:
    """The same, with flags."""
    bytes_of = blockSizeToDynamicSMemSize
    if not callable(bytes_of):
        raise LaunchError(
            f"cudaErrorInvalidValue: {bytes_of!r} is no function of the block size, such as "
            "lambda size: 8 * size"
        )
    return SUCCESS, *current_context().get_max_potential_block_size(func, bytes_of, 0, blockSizeLimit, flags)


# the device -------------------------------------------------------------------------------------------------


def cudaGetDeviceCount() -> tuple[cudaError_t, int]:
    """How many devices are there? One; `gpusim.use(…)` chooses which GPU it is."""
    return SUCCESS, 1


def cudaGetDevice() -> tuple[cudaError_t, int]:
    """Which device is in force? Number 0."""
    return SUCCESS, 0


def cudaSetDevice(device: int) -> tuple[cudaError_t]:
    """Use the device of this number; there is only 0."""
    _checked_device(device)
    return (SUCCESS,)


class cudaDeviceProp:
    """The figures of the device in force, by the names that `PROPERTIES` in `gpusim.runtime.device` lists."""

    name: str
    totalGlobalMem: int
    maxThreadsDim: tuple[int, int, int]
    maxGridSize: tuple[int, int, int]

    def __init__(self) -> None:
        device = settings.current().device
        self.name, self.totalGlobalMem = device.product_name, device.memory_bytes
        self.maxThreadsDim, self.maxGridSize = device.max_block_dim, device.max_grid_dim
        vars(self).update({name: ATTRIBUTES[attribute](device) for name, attribute in PROPERTIES.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotOffered(f"cudaDeviceProp has no figure for {name!r}; there are {', '.join(vars(self))}")

    def __repr__(self) -> str:
        return "\n".join(f"{name:32}  {value}" for name, value in vars(self).items())


def cudaGetDeviceProperties(device: int) -> tuple[cudaError_t, cudaDeviceProp]:
    """The figures of the device in force, which has number 0, such as `.maxThreadsPerMultiProcessor`."""
    _checked_device(device)
    return SUCCESS, cudaDeviceProp()


def cudaDeviceGetAttribute(attr: int, device: int) -> tuple[cudaError_t, int]:
    """A figure of the device in force, which has number 0."""
    _checked_device(device)
    chosen = member(cudaDeviceAttr, attr)
    return SUCCESS, _FIGURES[chosen.name.removeprefix("cudaDevAttr").lower()](settings.current().device)


def cudaDeviceSetLimit(limit: int, value: int) -> tuple[cudaError_t]:
    """Set how many bytes the heap of the device has, before the first kernel takes memory from it.

    Or the buffer that holds what kernels print until the host waits for them; or how many launches by kernels
    may be pending at once; or, of CDP1, at how many levels of nested launches a thread can wait for others.
    """
    chosen, now = member(cudaLimit, limit), settings.current()
    if chosen is cudaLimit.cudaLimitDevRuntimeSyncDepth and now.device_runtime > 1:
        raise LaunchError(
            f"cudaErrorUnsupportedLimit: no kernel on {now.device.name} waits for others that it launched",
            hint="gpusim.use(cdp=1) has such kernels",
        )
    name, what, counts = _LIMITS[chosen]
    if not is_whole(value) or not 0 <= value <= now.device.memory_bytes:
        raise LaunchError(
            f"cudaErrorInvalidValue: {what} cannot have {value!r} {counts}: {now.device.name} has "
            f"{now.device.memory_bytes} ({now.device.cited('memory_bytes')})"
        )
    setattr(now.grids.state, name, int(value))
    return (SUCCESS,)


def cudaDeviceGetLimit(limit: int) -> tuple[cudaError_t, int]:
    """What the limit is: at first 8 MiB of heap, 1 MiB of printed text, 2,048 pending launches, 2 levels."""
    return SUCCESS, getattr(settings.current().grids.state, _LIMITS[member(cudaLimit, limit)][0])


def __getattr__(name: str) -> Any:
    """MXMACA's spelling."""
    if name.startswith("mc") and (same := "cuda" + name[2:]) in globals():
        return globals()[same]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _checked_device(device: Any) -> None:
    if not is_whole(device) or device != 0:
        raise LaunchError(
            f"cudaErrorInvalidDevice: there is no device {device!r}, only 0; gpusim.use(…) chooses which GPU "
            'that is, for example gpusim.use("V100")'
        )
