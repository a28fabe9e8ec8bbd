"""Which errors does a call in a kernel answer with? CUDA's, by name and number, and what they mean."""

from __future__ import annotations

from enum import IntEnum

from gpusim.devices.launch_limits import MOST_LEVELS


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
    cudaErrorInvalidDevice = 101
    cudaErrorUnsupportedLimit = 215
    cudaErrorInvalidResourceHandle = 400


# what CUDA's cudaGetErrorString says of them
TEXTS = {
    DeviceError.cudaSuccess: "no error",
    DeviceError.cudaErrorInvalidValue: "invalid argument",
    DeviceError.cudaErrorMemoryAllocation: "out of memory",
    DeviceError.cudaErrorInvalidConfiguration: "invalid configuration argument",
    DeviceError.cudaErrorLaunchMaxDepthExceeded: "launch would exceed maximum depth of nested launches",
    DeviceError.cudaErrorSyncDepthExceeded: (
        "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"
    ),
    DeviceError.cudaErrorLaunchPendingCountExceeded: (
        "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"
    ),
    DeviceError.cudaErrorInvalidDeviceFunction: "invalid device function",
    DeviceError.cudaErrorInvalidDevice: "invalid device ordinal",
    DeviceError.cudaErrorUnsupportedLimit: "limit is not supported on this architecture",
    DeviceError.cudaErrorInvalidResourceHandle: "invalid resource handle",
}
UNKNOWN = "unrecognized error code"

# why a launch does not come about, and what to do
WHY = {
    DeviceError.cudaErrorInvalidConfiguration: "the device takes no such grid, block or shared memory",
    DeviceError.cudaErrorLaunchMaxDepthExceeded: "grids nest no deeper",
    DeviceError.cudaErrorLaunchPendingCountExceeded: "as many launches are pending as the limit allows",
}
REMEDIES = {
    DeviceError.cudaErrorInvalidConfiguration: WHY[DeviceError.cudaErrorInvalidConfiguration],
    DeviceError.cudaErrorInvalidDeviceFunction: "a null pointer is no kernel: take its address, (void*)child",
    DeviceError.cudaErrorLaunchMaxDepthExceeded: f"launches nest {MOST_LEVELS} levels deep",
    DeviceError.cudaErrorLaunchPendingCountExceeded: (
        "so many launches may be pending at once; make room before the first launch with "
        "cudart.cudaDeviceSetLimit(cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount, …)"
    ),
}
