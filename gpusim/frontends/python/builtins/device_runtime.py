"""Which calls of the CUDA runtime may a kernel make? Those about launches, by the names of `gpusim.cudart`.

They give what they give on the host: a tuple that begins with the error, a number. Streams and events are
numbers, too, and belong to the thread block that created them.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.frontends.python.builtins.intrinsics import Intrinsic


class Runtime(NamedTuple):
    """A call of the device runtime. Does it `make` something: 0 where it cannot?"""

    name: str
    makes: bool = False


def _call(usage: str, makes: bool = False) -> Intrinsic:
    return Intrinsic(usage, "runtime", Runtime(usage.partition("(")[0], makes), home="cudart.")


CALLS = {
    call.name: call
    for call in (
        _call("cudaGetLastError()"),
        _call("cudaPeekAtLastError()"),
        _call("cudaStreamCreateWithFlags(flags)", makes=True),
        _call("cudaStreamDestroy(stream)"),
        _call("cudaStreamWaitEvent(stream, event, flags=0)"),
        _call("cudaEventCreateWithFlags(flags)", makes=True),
        _call("cudaEventRecord(event, stream)"),
        _call("cudaEventDestroy(event)"),
        _call("cudaDeviceSynchronize()"),
    )
}
