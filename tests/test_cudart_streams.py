"""What do the runtime's calls of streams, events and copies do, and what do they refuse?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda, cudart
from gpusim.errors import LaunchError, UseAfterFree
from gpusim.runtime.streams import HostTimeWarning

DONE = (cudart.cudaError_t.cudaSuccess,)
TO_DEVICE = cudart.cudaMemcpyKind.cudaMemcpyHostToDevice
TO_HOST = cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost


@cuda.jit
def scale(x):
    x[cuda.grid(1)] *= 2


def test_a_program_in_streams():
    _, host = cudart.cudaMallocHost(4 * 32)
    floats = host.view(np.float32)
    floats[:] = np.arange(32)
    _, there = cudart.cudaMalloc(4 * 32)
    _, one = cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)
    _, two = cudart.cudaStreamCreate()
    _, ready = cudart.cudaEventCreateWithFlags(cudart.cudaEventDisableTiming)
    assert cudart.cudaMemcpyAsync(there, floats, 4 * 32, TO_DEVICE, one) == DONE
    assert cudart.cudaEventRecord(ready, one) == DONE
    assert cudart.cudaStreamWaitEvent(two, ready, 0) == DONE
    scale[1, 32, two](there.view(np.float32))
    assert cudart.cudaMemcpyAsync(floats[:16], there[: 4 * 16], 4 * 16, TO_HOST, two) == DONE
    called = []
    assert cudart.cudaLaunchHostFunc(two, called.append, "done") == DONE
    assert cudart.cudaStreamSynchronize(two) == cudart.cudaStreamQuery(two) == DONE
    assert cudart.cudaEventSynchronize(ready) == cudart.cudaEventQuery(ready) == DONE
    assert floats.tolist() == [*range(0, 32, 2), *range(16, 32)]
    assert called == ["done"]
    assert cudart.cudaMemsetAsync(there[4:], 0xFF, 4, two) == cudart.cudaDeviceSynchronize() == DONE
    assert cudart.cudaMemset(there, 1, 1) == DONE
    back = np.zeros(2, np.uint32)
    assert cudart.cudaMemcpy(back, there, 8) == DONE
    assert back.tolist() == [1, 0xFFFFFFFF]
    for destroy, given in ((cudart.cudaStreamDestroy, one), (cudart.cudaEventDestroy, ready)):
        assert destroy(given) == DONE
    assert cudart.cudaFree(there) == cudart.cudaFreeHost(host) == DONE
    with pytest.raises(UseAfterFree):
        cudart.cudaMemcpy(back, there, 8)


def test_priorities_are_hints_in_a_range_and_flags_are_kept():
    assert cudart.cudaDeviceGetStreamPriorityRange() == (*DONE, 0, -5)
    _, stream = cudart.cudaStreamCreateWithPriority(cudart.cudaStreamNonBlocking, -9)
    assert cudart.cudaStreamGetPriority(stream) == (*DONE, -5)
    assert cudart.cudaStreamGetFlags(stream) == (*DONE, cudart.cudaStreamNonBlocking)
    assert cudart.cudaStreamGetFlags(0) == (*DONE, cudart.cudaStreamDefault)


def test_mxmacas_names():
    assert cudart.mcStreamCreate()[0] is cudart.mcError_t.mcSuccess
    assert cudart.mcMemcpyKind.mcMemcpyHostToDevice is TO_DEVICE
    for name in ("mcMemcpyAsync", "mcEventRecord", "mcStreamWaitEvent", "mcLaunchHostFunc", "mcMallocHost"):
        assert getattr(cudart, name) is getattr(cudart, name.replace("mc", "cuda", 1))


def test_without_a_profile_the_time_is_this_computers():
    (_, start), (_, end) = cudart.cudaEventCreate(), cudart.cudaEventCreate()
    cudart.cudaEventRecord(start, 0)
    cudart.cudaEventRecord(end, 0)
    with pytest.warns(HostTimeWarning, match=r"record both events in one gpusim\.profile\(\)"):
        assert cudart.cudaEventElapsedTime(start, end)[1] > 0


def destroyed():
    _, stream = cudart.cudaStreamCreate()
    cudart.cudaStreamDestroy(stream)
    return stream


def there():
    return cuda.device_array(4)


HERE = np.zeros(4)
INVALID = "cudaErrorInvalidValue: "


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cudart.cudaStreamCreateWithFlags(2), INVALID + "flags are cudaStreamDefault"),
        (lambda: cudart.cudaStreamCreateWithPriority(0, "high"), INVALID + "a priority is a whole number"),
        (
            lambda: cudart.cudaStreamSynchronize(destroyed()),
            "cudaErrorInvalidResourceHandle: .* was destroyed",
        ),
        (lambda: cudart.cudaStreamDestroy(0), "cudaErrorInvalidResourceHandle: .* was not created"),
        (lambda: cudart.cudaEventRecord(3, 0), "cudaErrorInvalidResourceHandle: an event is"),
        (lambda: cudart.cudaEventCreateWithFlags(8), INVALID + "flags are a sum"),
        (lambda: cudart.cudaLaunchHostFunc(0, 3, None), INVALID + "3 is no function"),
        (
            lambda: cudart.cudaMemcpy(there(), HERE, 33),
            INVALID + "cudaMemcpy is asked for 33 bytes; the array has 32",
        ),
        (lambda: cudart.cudaMemcpy(there(), HERE, -1), INVALID + "cudaMemcpy takes a number of bytes"),
        (
            lambda: cudart.cudaMemcpy(there(), HERE, 8, TO_HOST),
            "cudaErrorInvalidMemcpyDirection: .* cudaMemcpyDeviceToHost; this is cudaMemcpyHostToDevice",
        ),
        (lambda: cudart.cudaMemcpy(there(), HERE[::2], 8), INVALID + "cudaMemcpy takes one piece of memory"),
        (lambda: cudart.cudaMemcpy(there(), 3, 8), INVALID + "3 is no array"),
        (lambda: cudart.cudaMemcpyAsync(there(), HERE, 8, 4, "s"), "a stream is what"),
        (lambda: cudart.cudaMemset(HERE, 0, 8), INVALID + "cudaMemset sets bytes of an array on the device"),
        (lambda: cudart.cudaMalloc(-1), INVALID + "a number of bytes"),
        (lambda: cudart.cudaFree(HERE), INVALID + ".* is not what cudaMalloc gave"),
        (lambda: cudart.cudaHostRegister(HERE, 33, 0), INVALID + "cudaHostRegister is asked for 33 bytes"),
        (lambda: cudart.cudaHostRegister(HERE, 32, 16), INVALID + "flags are a sum of"),
        (lambda: cudart.cudaFreeHost(HERE), INVALID + "this array is not pinned"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(LaunchError, match=message):
        call()


@pytest.mark.parametrize(
    "use",
    [
        lambda kernel, stream: kernel(np.zeros(32)),
        lambda kernel, stream: stream.synchronize(),
        lambda kernel, stream: stream.add_callback(lambda *_: None),
    ],
)
def test_a_stream_that_was_destroyed_takes_no_work(use):
    _, stream = cudart.cudaStreamCreate()
    kernel = scale[1, 32, stream]
    kernel(np.zeros(32))
    cudart.cudaStreamDestroy(stream)
    with pytest.raises(LaunchError, match=r"cudaErrorInvalidResourceHandle: <stream .*> was destroyed"):
        use(kernel, stream)
