"""How does a launch end under each scheduling model? What did an H200 do? And kernels for self-checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import gpusim
from course.records import recorded
from gpusim import cuda

n, eight = np.arange(32, dtype=np.int32), 10 * np.arange(8, dtype=np.int32)
data, packed = np.arange(12, dtype=np.int32) % 3, np.array([0x24, 0x09], np.uint8)
halves_met = np.where(n < 16, n, 2 * n)[n ^ 16]


def zeros(size: int, dtype: Any = np.int32) -> Any:
    return np.zeros(size, dtype)


def launch(kernel: Any, threads: int, *arguments: Any, device: str = "H200", **settings: Any) -> Any:
    """A profiled launch of one block, up to its end or its error."""
    with gpusim.profile(device=device, **settings) as run, suppress(gpusim.errors.GpuSimError):
        kernel[1, threads](*arguments)
    return run


def outcome(kernel: Any, threads: int, *arrays: Any, device: str) -> Any:
    """What the last array holds after a launch on copies, or the name of the error."""
    copies = [array.copy() for array in arrays]
    with gpusim.use(device):
        try:
            kernel[1, threads](*copies)
        except gpusim.errors.GpuSimError as error:
            return type(error).__name__
    return copies[-1]


def verdict(kernel: Any, threads: int, arrays: Sequence[Any], expected: Any, model: str) -> str:
    """Is the last array right in every order that a model allows, by luck, or never? Or which error is it?"""
    found = gpusim.explore_schedules(
        kernel[1, threads],
        *arrays,
        schedules=["friendly", *range(3)],
        device="V100",
        scheduling=model,
        step_budget=2000,
    )
    (first, *others) = found.outcomes
    if others:
        return "depends on the order"
    if first.error:
        return type(first.error).__name__
    return "right" if np.array_equal(list(first.arguments.values())[-1], expected) else "always wrong"


# For each kernel of the page: its threads, its arrays, and what the last of them should hold.
CASES: dict[str, tuple[int, tuple[Any, ...], Any]] = {
    "ping_pong": (32, (zeros(1), zeros(1)), [1]),
    "cpu_lock": (32, (zeros(1), zeros(1)), [32]),
    "swap_halves": (32, (n, zeros(32)), np.where(n < 16, 10 * n, n)[n ^ 16]),
    "pack_observed": (8, (data, 1, zeros(2, np.uint8)), packed),
    "pack_decided": (8, (data, 1, zeros(2, np.uint8)), packed),
    "rotate": (8, (eight,), np.roll(eight, -1)),
    "rotate_in_step": (8, (eight,), np.roll(eight, -1)),
    "two_barriers": (32, (n,), halves_met),
}


def poster(*kernels: Any) -> Iterator[tuple[str, str, str]]:
    """How does each kernel end with a stack, and with a program counter for each lane?"""
    for kernel in kernels:
        case = CASES[kernel.__name__]
        yield kernel.__name__, verdict(kernel, *case, "stack"), verdict(kernel, *case, "independent")


def h200() -> dict[str, Any]:
    """What an H200, its compiler and its sanitizer did, each under the name by which the page says it."""
    kernels = {kernel["name"]: kernel for kernel in recorded("scheduling")["kernels"]}
    events = {run["name"]: run["events"] for run in recorded("divergence")["scenarios"]}
    (added,) = {event[4] for event in events["reduce_both_branches_full_mask"] if event[1] in (2, 4)}
    owners = [event[2] for event in events["spin_lock_naive"] if event[1] == 1]
    assert owners == [f"{1 << lane:08x}" for lane in range(32)], "in the order of the lanes"
    turns = recorded("ping_pong")
    assert list(turns["orders"]) == ["0 3 1 2 4"]
    assert turns["ended"] == turns["launches"]
    clocks = {point: f"{clock:,}" for clock, point, *_ in turns["events"]}
    no_code, no_arch = (
        attempt["output"].removeprefix("nvcc fatal   : ") for attempt in recorded("scheduling")["compiler"]
    )
    tools = {report["tool"]: report["output"][0] for report in recorded("scheduling")["tools"]}
    return {
        "swapped": kernels["swap_halves"]["result"],
        "reduce_both": added,
        "turns": f"{turns['launches']:,}",
        "clock_got": clocks[2],
        "clock_reply": clocks[4],
        "pack_lost": f"0x{kernels['packed']['result'][0]}",
        "pack_whole": f"0x{sum(1 << i for i in range(32) if i % 3 > 1):08x}",
        "apart_ended": kernels["apart"]["ended"],
        "apart_barriers": kernels["apart"]["barriers"],
        "function_barriers": kernels["barrier_in_function"]["barriers"],
        "no_code": f"“{no_code}”",
        "no_arch": f"“{no_arch}”",
        "synccheck": f"“{tools['synccheck']}”",
    }


@cuda.jit
def two_rounds(x: Any, out: Any) -> None:
    i = cuda.threadIdx.x
    value = x[i]
    value += cuda.shfl_xor_sync(0xFF, value, 4)
    value += cuda.shfl_xor_sync(0xFF, value, 2)
    out[i] = value


@cuda.jit
def two_warps(message: Any, reply: Any) -> None:
    if cuda.threadIdx.x < 32:
        while message[0] == 0:
            pass
        reply[0] = 1
    else:
        message[0] = 7
        while reply[0] == 0:
            pass


@cuda.jit
def odd_lanes(x: Any, out: Any) -> None:
    i = cuda.threadIdx.x
    if i % 2 == 1:
        out[i] = cuda.ballot_sync(0xAA, x[i] > 0)


@cuda.jit
def mirror(x: Any) -> None:
    s = cuda.shared.array(8, np.int32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    x[i] = s[7 - i]


@cuda.jit
def early_return(x: Any) -> None:
    i = cuda.threadIdx.x
    if i >= 40:
        return
    cuda.syncthreads()
    x[i] = 1
