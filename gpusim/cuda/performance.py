"""When does a launch bring a `NumbaPerformanceWarning`? In a program for Numba, under Numba's conditions.

`python -m gpusim` asks for them. The course's own launches are small on purpose, and say nothing.
"""

from __future__ import annotations

import math
import sys
import warnings
from contextvars import ContextVar
from typing import Any, NamedTuple

from gpusim.devices.device import Dim3
from gpusim.runtime import passing

LEAST_BLOCKS, OURS = 128, "gpusim"


class Asked(NamedTuple):
    """Numba's settings, or what stands for them, and the class of its warning."""

    config: Any
    category: type[Warning]


asked: ContextVar[Asked | None] = ContextVar("asked", default=None)  # where a program for Numba runs


def tell_of_grid(grid: Dim3) -> None:
    """A launch is configured."""
    blocks = math.prod(grid)
    if blocks < LEAST_BLOCKS:
        _tell(
            "CUDA_LOW_OCCUPANCY_WARNINGS",
            f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy.",
        )


def tell_of_arguments(given: tuple[Any, ...]) -> None:
    """A kernel is launched: for each array of the host that is copied to the device."""
    for _array, into, _back in passing.copied(given):
        if into:
            _tell(
                "CUDA_WARN_ON_IMPLICIT_COPY",
                "Host array used in CUDA kernel will incur copy overhead to/from device.",
            )


def _tell(setting: str, message: str) -> None:
    """In the line of the program that led here."""
    found = asked.get()
    if found and getattr(found.config, setting) and not found.config.DISABLE_PERFORMANCE_WARNINGS:
        frame, calls = sys._getframe(), 1
        while frame.f_back and frame.f_globals["__name__"].startswith(f"{OURS}."):
            frame, calls = frame.f_back, calls + 1
        warnings.warn(found.category(message), stacklevel=calls)
