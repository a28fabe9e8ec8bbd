"""Which figures of a device, and which limits, does CUDA ask for by number? The host and kernels may ask."""

from __future__ import annotations

from collections.abc import Callable
from enum import EnumType, IntEnum
from typing import Any

from gpusim.devices import Device


class Spelled(EnumType):
    """Members whose names begin with `cuda` may be asked for with `mc` in its place."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("mc"):
            return getattr(cls, "cuda" + name[2:])
        raise AttributeError(f"{cls.__name__} has no {name!r}")


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

    cudaLimitStackSize = 0
    cudaLimitPrintfFifoSize = 1
    cudaLimitMallocHeapSize = 2
    cudaLimitDevRuntimeSyncDepth = 3
    cudaLimitDevRuntimePendingLaunchCount = 4


# CUDA's attribute -> the catalogue's figure
ATTRIBUTES: dict[str, Callable[[Device], Any]] = {
    "WARP_SIZE": lambda d: d.warp_size,
    "MULTIPROCESSOR_COUNT": lambda d: d.multiprocessors,
    "MAX_THREADS_PER_BLOCK": lambda d: d.max_threads_per_block,
    "MAX_BLOCK_DIM_X": lambda d: d.max_block_dim[0],
    "MAX_BLOCK_DIM_Y": lambda d: d.max_block_dim[1],
    "MAX_BLOCK_DIM_Z": lambda d: d.max_block_dim[2],
    "MAX_GRID_DIM_X": lambda d: d.max_grid_dim[0],
    "MAX_GRID_DIM_Y": lambda d: d.max_grid_dim[1],
    "MAX_GRID_DIM_Z": lambda d: d.max_grid_dim[2],
    "MAX_THREADS_PER_MULTI_PROCESSOR": lambda d: d.max_threads_per_multiprocessor,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": lambda d: d.max_blocks_per_multiprocessor,
    "MAX_REGISTERS_PER_BLOCK": lambda d: d.registers_per_block,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": lambda d: d.registers_per_multiprocessor,
    "MAX_SHARED_MEMORY_PER_BLOCK": lambda d: d.shared_bytes_per_block,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": lambda d: d.shared_bytes_per_block_optin,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": lambda d: d.shared_bytes_per_multiprocessor,
    "RESERVED_SHARED_MEMORY_PER_BLOCK": lambda d: d.shared_bytes_reserved_per_block,
    "TOTAL_CONSTANT_MEMORY": lambda d: d.constant_bytes,
    "L2_CACHE_SIZE": lambda d: d.l2_bytes,
    "GLOBAL_L1_CACHE_SUPPORTED": lambda d: int("loads" in d.l1_caches),
    "LOCAL_L1_CACHE_SUPPORTED": lambda d: int("local" in d.l1_caches),
    "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": lambda d: d.fp64_units and d.fp32_units // d.fp64_units,
    "CLOCK_RATE": lambda d: d.clock_mhz * 1000,  # kHz
    "COMPUTE_CAPABILITY_MAJOR": lambda d: d.compute_capability and d.compute_capability[0],
    "COMPUTE_CAPABILITY_MINOR": lambda d: d.compute_capability and d.compute_capability[1],
}
_BY_NAME = {name.replace("_", "").lower(): figure for name, figure in ATTRIBUTES.items()}
FIGURES = {one: _BY_NAME[one.name.removeprefix("cudaDevAttr").lower()] for one in cudaDeviceAttr}

# limit -> what of the device's state it is
LIMITS = {
    cudaLimit.cudaLimitStackSize: "stack_bytes",
    cudaLimit.cudaLimitPrintfFifoSize: "print_buffer_bytes",
    cudaLimit.cudaLimitMallocHeapSize: "heap_bytes",
    cudaLimit.cudaLimitDevRuntimeSyncDepth: "synchronization_depth",
    cudaLimit.cudaLimitDevRuntimePendingLaunchCount: "pending_launches",
}
