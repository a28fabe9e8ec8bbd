"""Which calls of the CUDA runtime does the host have alone, and what does a kernel do instead?

Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", whose API reference lists those of kernels.
"""

from __future__ import annotations

_INSTEAD = {
    "cudaStreamCreate cudaStreamCreateWithPriority": (
        "a kernel creates a stream with cudaStreamCreateWithFlags and cudaStreamNonBlocking"
    ),
    "cudaStreamSynchronize cudaStreamQuery cudaEventSynchronize cudaEventQuery": (
        "no thread waits for a stream or an event: launch what comes after it into the same stream, behind "
        "cudaStreamWaitEvent, or into cudaStreamTailLaunch; CDP1 has cudaDeviceSynchronize"
    ),
    "cudaEventCreate cudaEventElapsedTime": (
        "an event of a kernel keeps no time: use cudaEventCreateWithFlags and cudaEventDisableTiming"
    ),
    "cudaSetDevice": "a kernel launches on its own device only",
    "cudaGetDeviceProperties": "ask for one figure after the other with cudaDeviceGetAttribute",
    "cudaMemcpy cudaMemcpy2D cudaMemcpy3D": "a kernel copies in a stream only: cudaMemcpyAsync, 2D or 3D",
    "cudaMemset cudaMemset2D cudaMemset3D": "a kernel sets bytes in a stream only: cudaMemsetAsync, 2D or 3D",
    "cudaMemcpyToSymbol cudaMemcpyFromSymbol cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync "
    "cudaGetSymbolAddress cudaGetSymbolSize": (
        "a kernel names the variable itself, and its address is &variable; what is constant stays so"
    ),
    "cudaMallocManaged cudaMallocHost cudaHostAlloc cudaHostRegister cudaHostUnregister cudaMallocPitch "
    "cudaMalloc3D cudaMallocAsync cudaFreeAsync cudaFreeHost cudaFreeArray cudaMallocArray": (
        "a kernel takes memory of the heap, with cudaMalloc in CUDA C++; the host takes all other"
    ),
    "cudaDeviceSetLimit cudaDeviceSetCacheConfig cudaDeviceReset cudaFuncSetAttribute "
    "cudaFuncSetCacheConfig": (
        "the host configures the device and its kernels before it launches, and children inherit that"
    ),
    "cudaCreateTextureObject cudaDestroyTextureObject cudaCreateSurfaceObject cudaDestroySurfaceObject": (
        "the host creates and destroys it; a kernel gets it as an argument, and may pass it on"
    ),
    "cudaLaunchKernel cudaLaunchCooperativeKernel cudaLaunchHostFunc": (
        "a kernel launches with child<<<grid, block>>>(…), in Python child[grid, block](…)"
    ),
}
INSTEAD = {name: hint for names, hint in _INSTEAD.items() for name in names.split()}
