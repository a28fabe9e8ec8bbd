"""Streams, events, asynchronous copies and host functions, by the names of NVIDIA's cuda-python.

Where cuda-python gives and takes an address, these give and take the array: `cudaMalloc` an array of bytes
on the device, `cudaMallocHost` a pinned one of NumPy's; `.view(np.float32)` makes it floats, and a slice is
what C++ writes as `pointer + n`. A stream is what `cudaStreamCreate` or `cuda.stream()` gave, or 0.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from gpusim.cudart.spelling import SUCCESS, Spelled, cudaError_t, member
from gpusim.errors import LaunchError
from gpusim.machine.memory.address_space import Allocation, AnyArray
from gpusim.runtime import streams
from gpusim.runtime.device_array import DeviceNDArray, device_array, elements
from gpusim.runtime.host_memory import pinned_array
from gpusim.runtime.pieces import is_pinned, pin, unpin
from gpusim.runtime.streams import DEFAULT, PER_THREAD, Event, Stream, note_copy
from gpusim.whole import is_whole, whole

Done = tuple[cudaError_t]
cudaStreamDefault, cudaStreamNonBlocking = 0, 1
cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming, cudaEventInterprocess = 0, 1, 2, 4
cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocWriteCombined = 0, 1, 4
cudaStreamLegacy, cudaStreamPerThread = DEFAULT, PER_THREAD
LEAST, GREATEST = 0, -5  # priorities, as on an H200
INVALID, NO_STREAM = "cudaErrorInvalidValue", "cudaErrorInvalidResourceHandle"


class cudaMemcpyKind(IntEnum, metaclass=Spelled):
    """From where to where? By default, it is seen from the arrays."""

    cudaMemcpyHostToHost = 0
    cudaMemcpyHostToDevice = 1
    cudaMemcpyDeviceToHost = 2
    cudaMemcpyDeviceToDevice = 3
    cudaMemcpyDefault = 4


# streams ----------------------------------------------------------------------------------------------------


def cudaStreamCreate() -> tuple[cudaError_t, Stream]:
    """A stream that waits for the legacy default stream, and lets it wait."""
    return SUCCESS, Stream()


def cudaStreamCreateWithFlags(flags: int) -> tuple[cudaError_t, Stream]:
    """The same, or with `cudaStreamNonBlocking` one that has nothing to do with the legacy default stream."""
    return cudaStreamCreateWithPriority(flags, 0)


def cudaStreamCreateWithPriority(flags: int, priority: int) -> tuple[cudaError_t, Stream]:
    """The same with a priority, which is a hint: the lower, the sooner. It is brought into range."""
    _flags(flags, cudaStreamNonBlocking, "cudaStreamDefault (0) or cudaStreamNonBlocking (1)")
    hint = whole(priority, f"{INVALID}: a priority is a whole number")
    return SUCCESS, Stream(blocking=not flags, priority=max(GREATEST, min(hint, LEAST)))


def cudaDeviceGetStreamPriorityRange() -> tuple[cudaError_t, int, int]:
    """The least and the greatest priority."""
    return SUCCESS, LEAST, GREATEST


def cudaStreamGetPriority(hStream: Any) -> tuple[cudaError_t, int]:
    """Its priority."""
    return SUCCESS, _stream(hStream).priority


def cudaStreamGetFlags(hStream: Any) -> tuple[cudaError_t, int]:
    """`cudaStreamDefault` or `cudaStreamNonBlocking`."""
    return SUCCESS, cudaStreamDefault if _stream(hStream).blocking else cudaStreamNonBlocking


def cudaStreamDestroy(stream: Stream) -> Done:
    """Its work goes on; no more can be given to it."""
    if _stream(stream) in (DEFAULT, PER_THREAD):
        raise LaunchError(f"{NO_STREAM}: {stream!r} was not created, and cannot be destroyed")
    stream.destroyed = True
    return (SUCCESS,)


def cudaStreamSynchronize(stream: Any) -> Done:
    """Let the host wait for all work of a stream."""
    _stream(stream).synchronize()
    return (SUCCESS,)


def cudaStreamQuery(stream: Any) -> Done:
    """Is all its work done? Here always; who is told so may go on as after `cudaStreamSynchronize`."""
    _stream(stream).synchronize()
    return (SUCCESS,)


def cudaStreamWaitEvent(stream: Any, event: Event, flags: int = 0) -> Done:
    """Let later work of a stream wait for what an event stands for."""
    _flags(flags, 1, "cudaEventWaitDefault (0) or cudaEventWaitExternal (1)")
    _event(event).wait(_stream(stream))
    return (SUCCESS,)


def cudaLaunchHostFunc(stream: Any, fn: Callable[[Any], Any], userData: Any) -> Done:
    """Let the host call `fn(userData)` once all work of the stream so far is done."""
    if not callable(fn):
        raise LaunchError(f"{INVALID}: {fn!r} is no function of one argument")
    _stream(stream).host_function(lambda: fn(userData))
    return (SUCCESS,)


def cudaDeviceSynchronize() -> Done:
    """Let the host wait for all work of the device."""
    streams.synchronize()
    return (SUCCESS,)


# events -----------------------------------------------------------------------------------------------------


def cudaEventCreate() -> tuple[cudaError_t, Event]:
    """An event that keeps its time."""
    return SUCCESS, Event()


def cudaEventCreateWithFlags(flags: int) -> tuple[cudaError_t, Event]:
    """The same, or with `cudaEventDisableTiming` one that keeps none."""
    _flags(
        flags, 7, "a sum of cudaEventBlockingSync (1), cudaEventDisableTiming (2), cudaEventInterprocess (4)"
    )
    return SUCCESS, Event(timing=not flags & cudaEventDisableTiming)


def cudaEventRecord(event: Event, stream: Any) -> Done:
    """Let the event stand for all work that the stream was given so far."""
    _event(event).record(_stream(stream))
    return (SUCCESS,)


def cudaEventSynchronize(event: Event) -> Done:
    """Let the host wait for it."""
    _event(event).synchronize()
    return (SUCCESS,)


def cudaEventQuery(event: Event) -> Done:
    """Is it done? Here always; who is told so may go on as after `cudaEventSynchronize`."""
    _event(event).synchronize()
    return (SUCCESS,)


def cudaEventElapsedTime(start: Event, end: Event) -> tuple[cudaError_t, float]:
    """Milliseconds between two: see `gpusim.cuda.event_elapsed_time`."""
    return SUCCESS, streams.event_elapsed_time(start, end)


def cudaEventDestroy(event: Event) -> Done:
    """It is no longer needed."""
    _event(event)
    return (SUCCESS,)


# memory -----------------------------------------------------------------------------------------------------


def cudaMalloc(size: int) -> tuple[cudaError_t, DeviceNDArray]:
    """So many bytes on the device."""
    return SUCCESS, device_array(whole(size, f"{INVALID}: a number of bytes", least=0), np.uint8)


def cudaFree(devPtr: DeviceNDArray) -> Done:
    """Give it back, after the host has waited for all work."""
    streams.synchronize()
    if not isinstance(devPtr, DeviceNDArray):
        raise LaunchError(f"{INVALID}: {devPtr!r} is not what cudaMalloc gave")
    devPtr.gpu_data.free()
    return (SUCCESS,)


def cudaMallocHost(size: int) -> tuple[cudaError_t, Any]:
    """So many bytes of pinned memory: an array of NumPy's."""
    return SUCCESS, pinned_array(whole(size, f"{INVALID}: a number of bytes", least=0), np.uint8)


def cudaHostAlloc(size: int, flags: int) -> tuple[cudaError_t, Any]:
    """The same; the flags make no difference here. For memory that the device reads: `cuda.mapped_array`."""
    _flags(flags, 5, "a sum of cudaHostAllocPortable (1) and cudaHostAllocWriteCombined (4)")
    return cudaMallocHost(size)


def cudaFreeHost(ptr: Any) -> Done:
    """Pinned memory is no longer needed; the host waits for all work."""
    streams.synchronize()
    return cudaHostUnregister(ptr)


def cudaHostRegister(ptr: Any, size: int, flags: int) -> Done:
    """Pin all memory of an array of the host, be it a part of it; the flags make no difference here."""
    _flags(flags, 15, "a sum of cudaHostRegisterPortable (1), …Mapped (2), …IoMemory (4) and …ReadOnly (8)")
    octets_of("cudaHostRegister", _host(ptr), size)
    pin(ptr)
    return (SUCCESS,)


def cudaHostUnregister(ptr: Any) -> Done:
    """It is pinned no longer."""
    if not is_pinned(_host(ptr)):
        raise LaunchError(f"{INVALID}: this array is not pinned")
    unpin(ptr)
    return (SUCCESS,)


def cudaMemcpy(dst: Any, src: Any, count: int, kind: int = cudaMemcpyKind.cudaMemcpyDefault) -> Done:
    """Copy bytes in the default stream; the host waits, unless both are on the device."""
    _copy("cudaMemcpy", dst, src, count, kind, DEFAULT, waits=True)
    return (SUCCESS,)


def cudaMemcpyAsync(
    dst: Any, src: Any, count: int, kind: int = cudaMemcpyKind.cudaMemcpyDefault, stream: Any = 0
) -> Done:
    """Copy bytes in a stream. The host goes on meanwhile, if its memory is pinned."""
    _copy("cudaMemcpyAsync", dst, src, count, kind, _stream(stream), waits=False)
    return (SUCCESS,)


def cudaMemset(devPtr: DeviceNDArray, value: int, count: int) -> Done:
    """Set bytes on the device, in the default stream; the host does not wait."""
    _set("cudaMemset", devPtr, value, count, DEFAULT)
    return (SUCCESS,)


def cudaMemsetAsync(devPtr: DeviceNDArray, value: int, count: int, stream: Any = 0) -> Done:
    """The same in a stream."""
    _set("cudaMemsetAsync", devPtr, value, count, _stream(stream))
    return (SUCCESS,)


def _copy(name: str, dst: Any, src: Any, count: int, kind: int, stream: Stream, *, waits: bool) -> None:
    to, of = (octets_of(name, array, count) for array in (dst, src))
    moved(name, allocation_of(dst), to, allocation_of(src), of, kind, stream, waits=waits)


def moved(
    name: str,
    dst: Allocation | None,
    to: AnyArray,
    src: Allocation | None,
    of: AnyArray,
    kind: int,
    stream: Stream = DEFAULT,
    *,
    waits: bool = True,
) -> None:
    """Copy the bytes `of` memory `to` other memory; None: the host's."""
    there, here = dst is not None, src is not None
    chosen, seen = member(cudaMemcpyKind, kind), cudaMemcpyKind(2 * here + there)
    if chosen not in (seen, cudaMemcpyKind.cudaMemcpyDefault):
        raise LaunchError(
            f"cudaErrorInvalidMemcpyDirection: {name} was told {chosen.name}; this is {seen.name}"
        )
    to[...] = of
    if dst is not None:
        dst.note_written(to)
    if here or there:
        direction = "on device" if here and there else "to device" if there else "to host"
        note_copy(name, stream, of, to, direction, waits=waits and not (here and there))


def _set(name: str, array: DeviceNDArray, value: int, count: int, stream: Stream) -> None:
    if not isinstance(array, DeviceNDArray) or not is_whole(value):
        raise LaunchError(f"{INVALID}: {name} sets bytes of an array on the device to a whole number")
    octets = octets_of(name, array, count)
    octets[...] = value & 0xFF
    array.gpu_data.note_written(octets)
    streams.note_set(name, stream, octets)


def allocation_of(array: Any) -> Allocation | None:
    return array.gpu_data if isinstance(array, DeviceNDArray) else None


def octets_of(name: str, array: Any, count: int) -> AnyArray:
    """The first bytes of an array, as they lie in memory."""
    given = array if isinstance(array, DeviceNDArray) else _host(array)
    if not given.flags["C_CONTIGUOUS"]:
        raise LaunchError(f"{INVALID}: {name} takes one piece of memory, and this array is not one")
    flat = given.reshape(-1)
    octets = (elements(flat) if isinstance(flat, DeviceNDArray) else flat).view(np.uint8)
    if whole(count, f"{INVALID}: {name} takes a number of bytes", least=0) > octets.size:
        raise LaunchError(f"{INVALID}: {name} is asked for {count:,} bytes; the array has {octets.size:,}")
    first: AnyArray = octets[:count]
    return first


def _host(array: Any) -> Any:
    if not isinstance(array, np.ndarray):
        raise LaunchError(f"{INVALID}: {array!r} is no array, of NumPy's or the device")
    return np.asarray(array)


def _stream(given: Any) -> Stream:
    return streams.of(streams.checked(given))


def _event(given: Any) -> Event:
    if not isinstance(given, Event):
        raise LaunchError(f"{NO_STREAM}: an event is what cudaEventCreate() gives, not {given!r}")
    return given


def _flags(given: Any, most: int, known: str) -> None:
    if not is_whole(given) or given < 0 or given & ~most:
        raise LaunchError(f"{INVALID}: flags are {known}, not {given!r}")
