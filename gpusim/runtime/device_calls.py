"""What does each call of the device runtime do, launches and moves of memory apart?

Each function takes the thread that asks, and the numbers that it brings. It answers with a number: a handle,
a figure or an error's; below zero it is an error's, negated, which becomes the thread's last.
"""

from __future__ import annotations

from collections.abc import Callable

from gpusim.ir.device_errors import DeviceError
from gpusim.ir.parameters import MOST_BYTES
from gpusim.runtime.device_arguments import BadArgument
from gpusim.runtime.device_queries import QUERIES
from gpusim.runtime.device_thread import Thread
from gpusim.runtime.submitted import DeviceEvent, DeviceStream

DISABLE_TIMING = 2


def _last_error(thread: Thread) -> int:
    """The last error, which is forgotten."""
    code, thread.error = abs(thread.error), 0
    return code


def _peek(thread: Thread) -> int:
    """The last error, which stays; as a negative number, since the thread has asked for it."""
    thread.error = -abs(thread.error)
    return -thread.error


def _create_stream(thread: Thread, _flags: int) -> int:
    """A handle. The flags make no difference: no stream of a block waits for another by itself."""
    handle = thread.new_handle()
    streams = thread.parent.tree.streams
    streams[handle] = DeviceStream(thread.parent, thread.block, f"stream {len(streams) + 1}")
    return handle


def _destroy_stream(thread: Thread, handle: int) -> int:
    """Its work goes on."""
    thread.own(thread.parent.tree.streams, handle, "stream").destroyed = True
    return 0


def _wait_event(thread: Thread, handle: int, event: int, _flags: int) -> int:
    """Later launches into a stream come after what the event stands for."""
    stream = thread.stream(handle)
    if stream is None:
        return -DeviceError.cudaErrorInvalidValue
    found: DeviceEvent = thread.own(thread.parent.tree.events, event, "event")
    stream.wait_for(found)
    return 0


def _create_event(thread: Thread, flags: int) -> int:
    """A handle; an error where the event would keep its time, which none does here."""
    if flags != DISABLE_TIMING:
        return -DeviceError.cudaErrorInvalidValue
    handle = thread.new_handle()
    thread.parent.tree.events[handle] = DeviceEvent(thread.parent, thread.block)
    return handle


def _record_event(thread: Thread, event: int, handle: int) -> int:
    found: DeviceEvent = thread.own(thread.parent.tree.events, event, "event")
    stream = thread.stream(handle)
    if stream is None:
        return -DeviceError.cudaErrorInvalidValue
    found.after = stream.last
    return 0


def _destroy_event(thread: Thread, handle: int) -> int:
    thread.own(thread.parent.tree.events, handle, "event").destroyed = True
    return 0


def _synchronize(thread: Thread) -> int:
    """Before it waits: may it?"""
    if not thread.may_wait():
        return -DeviceError.cudaErrorLaunchMaxDepthExceeded
    thread.waits()
    return 0


def _no_memory(_thread: Thread) -> int:
    """The heap is exhausted: `malloc` of the text's own prelude found nothing."""
    return -DeviceError.cudaErrorMemoryAllocation


def _buffer(thread: Thread, size: int, *planned: int) -> int:
    """Its address; 0 where it would be larger than all parameters of a kernel may be."""
    fits = size <= MOST_BYTES[thread.configuration.cdp]
    return thread.parent.tree.buffers.take(size, planned) if fits else 0


def _planned(thread: Thread, address: int, which: int) -> int:
    """What `cudaGetParameterBufferV2` was told: the kernel, an extent of its grid or block, shared bytes."""
    try:
        return thread.parent.tree.buffers.planned(address)[which]
    except BadArgument as bad:
        raise thread.wrong(bad.what, bad.hint) from None


CALLS: dict[str, Callable[..., int]] = {
    name: lambda thread, *given, query=query: query(thread.asks(), *given) for name, query in QUERIES.items()
} | {
    "cudaMalloc": _no_memory,
    "cudaGetLastError": _last_error,
    "cudaPeekAtLastError": _peek,
    "cudaStreamCreateWithFlags": _create_stream,
    "cudaStreamDestroy": _destroy_stream,
    "cudaStreamWaitEvent": _wait_event,
    "cudaEventCreateWithFlags": _create_event,
    "cudaEventRecord": _record_event,
    "cudaEventDestroy": _destroy_event,
    "cudaDeviceSynchronize": _synchronize,
    "cudaGetParameterBuffer": _buffer,
    "cudaLaunchDeviceV2": _planned,
    "cudaLaunchDevice": lambda thread: thread.fails(DeviceError.cudaErrorInvalidDeviceFunction),  # of null
}
