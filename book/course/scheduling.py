"""How does a launch end under each scheduling model? And small kernels for self-checks of that page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import gpusim
from gpusim import cuda


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
