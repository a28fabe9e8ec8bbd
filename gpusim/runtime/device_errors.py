"""Which errors does a call in a kernel answer with? CUDA's, by name and number, and what they mean."""

from __future__ import annotations

from enum import IntEnum


class DeviceError(IntEnum):
    """CUDA's numbers."""

    cudaSuccess = 0
    cudaErrorInvalidValue = 1
    cudaErrorMemoryAllocation = 2
    cudaErrorInvalidConfiguration = 9
    cudaErrorLaunchMaxDepthExceeded = 65
    cudaErrorSyncDepthExceeded = 68
    cudaErrorLaunchPendingCountExceeded = 69
    cudaErrorInvalidDeviceFunction = 98
    cudaErrorInvalidResourceHandle = 400


REMEDIES = {
    DeviceError.cudaErrorInvalidConfiguration: "the device takes no such grid, block or shared memory",
    DeviceError.cudaErrorInvalidDeviceFunction: "a null pointer is no kernel: take its address, (void*)child",
    DeviceError.cudaErrorLaunchMaxDepthExceeded: "launches are nested deeper than 24 levels",
    DeviceError.cudaErrorLaunchPendingCountExceeded: (
        "so many launches may be pending at once; make room before the first launch with "
        "cudart.cudaDeviceSetLimit(cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount, …)"
    ),
}
