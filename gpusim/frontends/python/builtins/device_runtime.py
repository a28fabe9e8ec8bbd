"""Which calls of the CUDA runtime may a kernel make? By the names of `gpusim.cudart`, those that CUDA offers.

They give what they give on the host: a tuple that begins with the error, a number. Streams and events are
numbers, too, and belong to the thread block that created them. What is said of a kernel is said of what was
compiled of it last. Some are written here in the dialect of kernels, as CUDA's own headers write them in C++.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from gpusim.frontends.python.builtins import intrinsics
from gpusim.frontends.python.builtins.groups import Group, Number
from gpusim.frontends.python.builtins.intrinsics import Intrinsic

cuda: Any = intrinsics  # as kernels name it
MULTIPROCESSORS, LARGEST_BLOCK = 16, 3  # cudaDevAttrMultiProcessorCount; the member of cudaFuncAttributes


class Runtime(NamedTuple):
    """A call of the device runtime. Does it give something beside the error?"""

    name: str
    gives: bool = False


def _call(usage: str, gives: bool = False, name: str = "", family: str = "runtime") -> Intrinsic:
    return Intrinsic(usage, family, Runtime(name or usage.partition("(")[0], gives), home="cudart.")


# to, bytes from row to row, from plane to plane; of a copy: from where, likewise, kind, else the value;
# bytes of a row, rows, planes; stream
_copy: Any = _call(
    "_copy(to, pitch, plane, source, its_pitch, its_plane, kind, width, rows, planes, stream)",
    name="cudaMemcpyAsync",
)
_set: Any = _call("_set(to, pitch, plane, value, width, rows, planes, stream)", name="cudaMemsetAsync")
_need: Any = _call("_need(func, which)", True, "cudaFuncGetAttributes")
CALLS = {
    call.name: call
    for call in (
        _call("cudaGetLastError()"),
        _call("cudaPeekAtLastError()"),
        _call("cudaStreamCreateWithFlags(flags)", True),
        _call("cudaStreamDestroy(stream)"),
        _call("cudaStreamWaitEvent(stream, event, flags=0)"),
        _call("cudaEventCreateWithFlags(flags)", True),
        _call("cudaEventRecord(event, stream)"),
        _call("cudaEventDestroy(event)"),
        _call("cudaDeviceSynchronize()"),
        _call("cudaDeviceGetCacheConfig()", True),
        _call("cudaDeviceGetLimit(limit)", True),
        _call("cudaDeviceGetAttribute(attr, device)", True),
        _call("cudaGetDeviceCount()", True),
        _call("cudaGetDevice()", True),
        _call("cudaRuntimeGetVersion()", True),
        _call("cudaOccupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize)", True),
    )
}
_attribute: Any = CALLS["cudaDeviceGetAttribute"]
_resident: Any = CALLS["cudaOccupancyMaxActiveBlocksPerMultiprocessor"]


def _written(function: Callable[..., Any]) -> Any:
    """A function for kernels that is written in their dialect."""
    parameters = inspect.signature(function).parameters.values()
    names = ", ".join(str(one.replace(annotation=one.empty)) for one in parameters)
    made = Intrinsic(f"{function.__name__}({names})", "written", function, home="cudart.")
    object.__setattr__(made, "__doc__", f"cudart.{made.usage}\n\n{function.__doc__ or ''}".rstrip())
    if made.name[0] != "_":
        CALLS[made.name] = made
    return made


# memory: arrays in place of addresses, (array, pitch, xsize, ysize) in place of a cudaPitchedPtr ------------


@_written
def cudaMemcpyAsync(dst: Any, src: Any, count: Number, kind: Number = 4, stream: Any = 0) -> Any:
    """Copy bytes on the device, as a child in a stream."""
    return _copy(dst, count, count, src, count, count, kind, count, 1, 1, stream)


@_written
def cudaMemcpy2DAsync(
    dst: Any, dpitch: Number, src: Any, spitch: Number, width: Number, height: Number, kind: Number = 4,
    stream: Any = 0,
) -> Any:  # fmt: skip
    """Copy rows of `width` bytes that lie so many bytes apart."""
    return _copy(dst, dpitch, dpitch * height, src, spitch, spitch * height, kind, width, height, 1, stream)


@_written
def cudaMemcpy3DAsync(dstPtr: Any, srcPtr: Any, extent: Any, kind: Number = 4, stream: Any = 0) -> Any:
    """Copy planes of rows: extent is (bytes, rows, planes). To begin elsewhere, give a part of the array."""
    to, pitch, _, rows = dstPtr
    source, its_pitch, _, its_rows = srcPtr
    width, height, depth = extent
    return _copy(
        to, pitch, pitch * rows, source, its_pitch, its_pitch * its_rows, kind, width, height, depth, stream
    )


@_written
def cudaMemsetAsync(devPtr: Any, value: Number, count: Number, stream: Any = 0) -> Any:
    """Set bytes, as a child in a stream."""
    return _set(devPtr, count, count, value, count, 1, 1, stream)


@_written
def cudaMemset2DAsync(
    devPtr: Any, pitch: Number, value: Number, width: Number, height: Number, stream: Any = 0
) -> Any:
    """Set rows of `width` bytes that lie so many bytes apart."""
    return _set(devPtr, pitch, pitch * height, value, width, height, 1, stream)


@_written
def cudaMemset3DAsync(pitchedDevPtr: Any, value: Number, extent: Any, stream: Any = 0) -> Any:
    """Set planes of rows: extent is (bytes, rows, planes)."""
    to, pitch, _, rows = pitchedDevPtr
    width, height, depth = extent
    return _set(to, pitch, pitch * rows, value, width, height, depth, stream)


# kernels ----------------------------------------------------------------------------------------------------


class cudaFuncAttributes(Group):
    """What a kernel needs, and what was asked for it; sizes in bytes."""

    PARTS: ClassVar[tuple[str, ...]] = (
        "sharedSizeBytes", "constSizeBytes", "localSizeBytes", "maxThreadsPerBlock", "numRegs",
        "maxDynamicSharedSizeBytes", "preferredShmemCarveout",
    )  # fmt: skip


attributes_of: Any = cudaFuncAttributes


@_written
def cudaFuncGetAttributes(func: Any) -> Any:
    """What a kernel needs, and what was asked for it."""
    return 0, attributes_of(
        _need(func, 0)[1], _need(func, 1)[1], _need(func, 2)[1], _need(func, 3)[1], _need(func, 4)[1],
        _need(func, 5)[1], _need(func, 6)[1] - 1,
    )  # fmt: skip


@_written
def _none(_threads: Number) -> Number:
    return 0


@_written
def _fullest(func: Any, bytes_of: Any, more: Number, limit: Number) -> Any:
    most = _need(func, LARGEST_BLOCK)[1]
    if 0 < limit < most:
        most = limit
    size = (most + cuda.warpsize - 1) // cuda.warpsize * cuda.warpsize
    best = fullest = blocks = 0
    while size > 0:
        threads = min(size, most)
        resident = _resident(func, threads, bytes_of(threads) + more)[1]
        if resident * threads > fullest:
            best, fullest, blocks = threads, resident * threads, resident
        size -= cuda.warpsize
    return 0, blocks * _attribute(MULTIPROCESSORS, 0)[1], best


@_written
def cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    func: Any, blockSizeToDynamicSMemSize: Any, blockSizeLimit: Number = 0
) -> Any:
    """The blocks that fill the device, and the size with which it is fullest, the largest of equals."""
    return _fullest(func, blockSizeToDynamicSMemSize, 0, blockSizeLimit)


@_written
def cudaOccupancyMaxPotentialBlockSize(
    func: Any, dynamicSMemSize: Number = 0, blockSizeLimit: Number = 0
) -> Any:
    """The same where every block has as much dynamic shared memory."""
    return _fullest(func, _none, dynamicSMemSize, blockSizeLimit)
