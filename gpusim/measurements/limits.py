"""What do the limits of launches in kernels say of a program: what fits, which call fails? Closed rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

from gpusim.devices import Device
from gpusim.devices.launch_limits import (
    LAUNCH_BYTES,
    MOST_LEVELS,
    PUBLISHED_LEVEL_BYTES,
    REFUSALS,
    LaunchFigures,
    Settings,
    figures,
    refused,
    reserved,
    virtual_launches,
)
from gpusim.ir.device_errors import DeviceError
from gpusim.reports.limits import LimitedCall, LimitsVariant, ReservedMemory
from gpusim.whole import number_of

# what the host sets, in this order -> what it is called
SET = {
    "heap_bytes": "cudaLimitMallocHeapSize",
    "stack_bytes": "cudaLimitStackSize",
    "pending_launches": "cudaLimitDevRuntimePendingLaunchCount",
    "synchronization_depth": "cudaLimitDevRuntimeSyncDepth",
}
SENTENCES = {
    # how the rows are worked out
    "error correction": "by the data sheet: memory without room of its own for ECC",
    "heap": "as it is set",
    "stacks of running threads": "{threads} threads × {stack} bytes",
    "pending launches": f"{{pending}} launches × {LAUNCH_BYTES:,} bytes (assumed)",
    "levels that wait": "{levels} × ({chip} bytes on chip + {threads} threads × {stack} bytes) (assumed; the "
    f"guide says up to {PUBLISHED_LEVEL_BYTES >> 20} MB a level)",
    # what the calls say
    "set": "{reserved} bytes are reserved then",
    "beyond": "the device has {memory} bytes",
    "no room": "{reserved} bytes would be reserved; the device has {memory}",
    "no levels": "no kernel of CDP2 waits for its children",
    "too deep": f"launches nest {MOST_LEVELS} deep",
    "nested": "grids at depth {depth} begin",
    "deepest": "grids at depth {deepest} are the deepest",
    "pool": "{pool} in the pool",
    "in heap": "{pool} in the pool, {heap} in the heap, which is slower",
    "refused": "{pool} in the pool, {heap} in the heap, {refused} not launched",
    "waits": "grids down to depth {last} may wait",
    "none waits": "no grid may wait",
    "not compiled": "nvcc refuses it: CDP2 does not have it",
}
DEEP = DeviceError.cudaErrorLaunchMaxDepthExceeded.name
FULL = DeviceError.cudaErrorLaunchPendingCountExceeded.name


class Program(NamedTuple):
    """What is asked of the device."""

    cdp: int
    depth: int
    launches: int
    settings: Settings


def variant(device: Device, program: Program) -> LimitsVariant:
    """What comes of it on one device."""
    gpu, calls, given = figures(device), list[LimitedCall](), Settings()
    for name, limit in SET.items():
        call, given = _set(gpu, program, given, name, limit)
        calls.append(call)
    calls += _launch(program, given)
    kept = reserved(gpu, given, program.cdp)
    rows = tuple(ReservedMemory(*row, _how(gpu, given, program.cdp, row.name)) for row in kept)
    free = gpu.memory_bytes - sum(row.bytes for row in rows)
    return LimitsVariant(label=device.name, **asdict(gpu), reserved=rows, free_bytes=free, calls=tuple(calls))


def _says(sentence: str, **numbers: int) -> str:
    return SENTENCES[sentence].format(**{name: f"{number:,}" for name, number in numbers.items()})


def _how(gpu: LaunchFigures, given: Settings, cdp: int, name: str) -> str:
    return _says(
        name,
        threads=gpu.resident_threads,
        stack=given.stack_bytes,
        pending=given.pending_launches,
        levels=given.synchronization_depth if cdp == 1 else 0,
        chip=gpu.on_chip_bytes,
    )


def _set(
    gpu: LaunchFigures, program: Program, given: Settings, name: str, limit: str
) -> tuple[LimitedCall, Settings]:
    """One call of `cudaDeviceSetLimit`, and what is set then."""
    value = getattr(program.settings, name)
    wanted, why = given._replace(**{name: value}), refused(gpu, given, name, value, program.cdp)
    total = sum(row.bytes for row in reserved(gpu, wanted, program.cdp))
    says = _says(why or "set", reserved=total, memory=gpu.memory_bytes)
    call = LimitedCall(f"cudaDeviceSetLimit({limit}, {value:,})", REFUSALS.get(why, ""), says)
    return call, given if why else wanted


def _launch(program: Program, given: Settings) -> Iterator[LimitedCall]:
    """The chain of launches, those of its last parent, and its wait: two calls only if that parent begins."""
    cdp, depth, launches, _ = program
    virtual = virtual_launches(given.heap_bytes, cdp)
    room = max(given.pending_launches + virtual - 1, 0)  # the host's launch is one of them
    deepest = min(room, MOST_LEVELS) if cdp == 1 else room
    error = ""
    if depth > deepest:
        error = DEEP if cdp == 1 and deepest == MOST_LEVELS else FULL
    sentence = "deepest" if error else "nested"
    yield LimitedCall("child<<<…>>>()", error, _says(sentence, depth=depth, deepest=deepest))
    many = f"child<<<…>>>(), {number_of(launches, 'time')}"
    if depth > deepest + 1:
        return
    if error:
        yield LimitedCall(many, error, _says("deepest", deepest=deepest))
    else:
        pool = min(launches, max(given.pending_launches - depth, 0))
        heap = min(launches - pool, room + 1 - max(depth, given.pending_launches))
        refused = launches - pool - heap
        sentence = "refused" if refused else "in heap" if heap else "pool"
        yield LimitedCall(
            many, FULL if refused else "", _says(sentence, pool=pool, heap=heap, refused=refused)
        )
    wait, levels = "cudaDeviceSynchronize()", given.synchronization_depth
    if cdp > 1:
        yield LimitedCall(wait, "not compiled", SENTENCES["not compiled"])
    else:
        says = _says("waits", last=levels - 1) if levels else SENTENCES["none waits"]
        yield LimitedCall(wait, DEEP if depth - 1 >= levels else "", says)
