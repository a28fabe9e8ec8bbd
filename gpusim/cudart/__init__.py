"""Which calls does a host program make? The CUDA runtime's, by the names of NVIDIA's cuda-python.

There it is `from cuda.bindings import runtime as cudart`. Every call returns a tuple that begins with
`cudaError_t.cudaSuccess`, as there. A request that CUDA answers with an error raises `LaunchError` here: its
text begins with CUDA's name of the error and says which limit was passed. `func` is the kernel itself, in
either language, where cuda-python takes a handle of it. `cudaOccupancyMaxPotentialBlockSize` and its
variants, which cuda-python lacks, take what they take in C++ and return what is stored there by pointers.

`help(cudart.streams)` has the host's calls for streams, events and memory, `help(cudart.textures)` those for
textures; memory is an array, of the device or of NumPy's, where cuda-python takes an address. Every name may
be spelled as in MXMACA, with `mc` for `cuda`: `mcGetDeviceProperties`, `mcError_t.mcSuccess`.

>>> from gpusim import cuda, cudart
>>> @cuda.jit
... def kernel(x):
...     x[cuda.grid(1)] = 0
>>> percent = cudart.cudaFuncAttribute.cudaFuncAttributePreferredSharedMemoryCarveout
>>> cudart.cudaFuncSetAttribute(kernel, percent, 50)
(<cudaError_t.cudaSuccess: 0>,)

A kernel launches kernels with `child[grid, block, stream, bytes](…)`, the last two if you like. The stream
is a number: 0, `cudaStreamTailLaunch`, `cudaStreamFireAndForget`, or one that the thread block created.
Every call gives there, too, a tuple that begins with the error, a number. A kernel may call:

    cudaGetLastError, cudaPeekAtLastError, cudaStreamCreateWithFlags, cudaStreamDestroy, cudaStreamWaitEvent,
    cudaEventCreateWithFlags, cudaEventRecord, cudaEventDestroy, cudaDeviceSynchronize (CDP1),
    cudaDeviceGetCacheConfig, cudaDeviceGetLimit, cudaDeviceGetAttribute, cudaGetDeviceCount, cudaGetDevice,
    cudaRuntimeGetVersion, cudaOccupancyMaxActiveBlocksPerMultiprocessor, cudaMemcpyAsync, cudaMemcpy2DAsync,
    cudaMemcpy3DAsync, cudaMemsetAsync, cudaMemset2DAsync, cudaMemset3DAsync, cudaFuncGetAttributes,
    cudaOccupancyMaxPotentialBlockSizeVariableSMem, cudaOccupancyMaxPotentialBlockSize

>>> @cuda.jit
... def parent(x, errors):
...     if cuda.grid(1) == 0:
...         kernel[1, 32](x)
...         (errors[0],) = cudart.cudaGetLastError()
>>> x, errors = cuda.to_device([1] * 32), cuda.to_device([1])
>>> parent[1, 32](x, errors)
>>> x.copy_to_host().sum().item(), errors.copy_to_host().item()
(0, 0)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from gpusim.cudart import streams, textures
from gpusim.cudart.spelling import SUCCESS, cudaError_t, member
from gpusim.devices import carveout
from gpusim.devices.launch_limits import MOST_LEVELS, REFUSALS, figures, refused
from gpusim.errors import LaunchError, NotOffered, absent, suggestion
from gpusim.frontends.python.builtins import device_runtime
from gpusim.ir import device_errors
from gpusim.runtime import launching, settings
from gpusim.runtime.device import PROPERTIES, current_context
from gpusim.runtime.device_figures import ATTRIBUTES, FIGURES, LIMITS, Spelled, cudaDeviceAttr, cudaLimit
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


for _part in (streams, textures):
    vars().update({name: value for name, value in vars(_part).items() if name.startswith("cuda")})
cudaOccupancyDefault, cudaOccupancyDisableCachingOverride = 0, 1
# limit -> its name in messages, and what is counted
_LIMITS = {
    cudaLimit.cudaLimitStackSize: ("the stack of a thread", "bytes"),
    cudaLimit.cudaLimitPrintfFifoSize: ("the buffer of printf", "bytes"),
    cudaLimit.cudaLimitMallocHeapSize: ("a heap", "bytes"),
    cudaLimit.cudaLimitDevRuntimeSyncDepth: ("launches that are waited for", "levels"),
    cudaLimit.cudaLimitDevRuntimePendingLaunchCount: ("the pool", "pending launches"),
}
# a kernel launches into these; the host has no such streams
cudaStreamTailLaunch, cudaStreamFireAndForget = 3, 4
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
        raise absent(self, name)


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


# errors -----------------------------------------------------------------------------------------------------


def cudaGetErrorName(error: int) -> tuple[cudaError_t, bytes]:
    """CUDA's name of an error that a call in a kernel gave: `b"cudaErrorInvalidConfiguration"`, of 9."""
    known = {int(one): one.name for one in device_errors.DeviceError}
    return SUCCESS, known.get(error, device_errors.UNKNOWN).encode()


def cudaGetErrorString(error: int) -> tuple[cudaError_t, bytes]:
    """What it means: `b"invalid configuration argument"`."""
    known = {int(one): text for one, text in device_errors.TEXTS.items()}
    return SUCCESS, known.get(error, device_errors.UNKNOWN).encode()


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
    return SUCCESS, FIGURES[chosen](settings.current().device)


def cudaDeviceSetLimit(limit: int, value: int) -> tuple[cudaError_t]:
    """Set how many bytes the heap of the device has, before the first kernel takes memory from it.

    Or the buffer that holds what kernels print until the host waits for them; or how many launches by kernels
    may be pending at once; or the stack of a thread; or, of CDP1, at how many levels of nested launches a
    thread can wait for others. Set them before the first launch that needs them; a kernel may only ask.
    Raises `LaunchError` for what the device does not have, `cudaErrorMemoryAllocation` where its memory does
    not suffice for all that is reserved (`gpusim.explore_limits`).
    """
    chosen, now = member(cudaLimit, limit), settings.current()
    (what, counts), name, state, device = _LIMITS[chosen], LIMITS[chosen], now.grids.state, now.device
    why = "" if is_whole(value) and 0 <= value <= device.memory_bytes else "beyond"
    if not why and name in state.limits._fields:
        why = refused(figures(device), state.limits, name, int(value), now.device_runtime)
    if why:
        asked = f"{value:,}" if is_whole(value) else repr(value)
        most = f"{device.memory_bytes} ({device.cited('memory_bytes')})"
        said, hint = {
            "no levels": (
                "no kernel waits for others that it launched",
                "gpusim.use(cdp=1) has such kernels",
            ),
            "beyond": (f"{what} cannot have {asked} {counts}: {device.name} has {most}", ""),
            "too deep": (f"launches nest {MOST_LEVELS} levels deep, not {value}", ""),
            "no room": (
                f"with {asked} {counts} for {what} more would be reserved than {device.name} has",
                "gpusim.explore_limits() works it out row by row",
            ),
        }[why]
        raise LaunchError(f"{REFUSALS[why]}: {said}", hint=hint)
    setattr(state, name, int(value))
    return (SUCCESS,)


def cudaDeviceGetLimit(limit: int) -> tuple[cudaError_t, int]:
    """What it is: see `cudaDeviceSetLimit`."""
    return SUCCESS, getattr(settings.current().grids.state, LIMITS[member(cudaLimit, limit)])


for _name, _call in device_runtime.CALLS.items():
    if _name in vars():
        vars()[_name].in_kernels = _call  # what the host's function means in a kernel
    else:
        vars()[_name] = _call


def __getattr__(name: str) -> Any:
    """MXMACA's spelling."""
    if name.startswith("mc") and (same := "cuda" + name[2:]) in globals():
        return globals()[same]
    hint = "" if name.startswith("_") else f"; {suggestion(name, __dir__(), 'dir(cudart) lists its names')}"
    raise AttributeError(f"gpusim.cudart has no {name!r}{hint}")


def __dir__() -> list[str]:
    return [name for name in globals() if name.startswith(("cuda", "__"))]


def _checked_device(device: Any) -> None:
    if not is_whole(device) or device != 0:
        raise LaunchError(
            f"cudaErrorInvalidDevice: there is no device {device!r}, only 0; gpusim.use(…) chooses which GPU "
            'that is, for example gpusim.use("V100")'
        )
