"""What is computed? Three problems, each for gpusim, for Numba's CUDA simulator and for NumPy by hand.

Inputs are chosen so that all three give the same bits: sums of small whole numbers are exact in any order.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.benchmarks import kernels

IMPORT_OF_GPUSIM = "from gpusim import cuda"
TILE = 16


@dataclass(frozen=True)
class Case:
    """A problem at one size: how it is launched, where its result lands, and the same with NumPy alone."""

    kernel: str
    threads: int
    grid: Any
    block: Any
    arguments: tuple[Any, ...]
    result: np.ndarray
    by_hand: Callable[[], np.ndarray]

    def launch(self, simulator: ModuleType) -> None:
        """Run the kernel of this name as `simulator` compiled it."""
        getattr(simulator, self.kernel)[self.grid, self.block](*self.arguments)


def saxpy(threads: int) -> Case:
    random = np.random.default_rng(1)
    x, y = (random.random(threads, dtype=np.float32) for _ in range(2))
    out, a = np.zeros_like(x), np.float32(2.5)
    blocks = threads // kernels.THREADS
    return Case("saxpy", threads, blocks, kernels.THREADS, (a, x, y, out), out, lambda: a * x + y)


def block_sum(threads: int) -> Case:
    values = np.random.default_rng(2).integers(0, 16, threads).astype(np.float32)
    blocks = threads // kernels.THREADS
    sums = np.zeros(blocks, np.float32)
    return Case(
        "block_sum",
        threads,
        blocks,
        kernels.THREADS,
        (values, sums),
        sums,
        lambda: values.reshape(blocks, kernels.THREADS).sum(axis=1),
    )


def mandelbrot(threads: int) -> Case:
    side = round(threads**0.5)
    counts = np.zeros((side, side), np.int32)
    tiles = (side // TILE, side // TILE)
    return Case(
        "mandelbrot", side * side, tiles, (TILE, TILE), (counts,), counts, lambda: _mandelbrot_by_hand(side)
    )


def _mandelbrot_by_hand(side: int) -> np.ndarray:
    """Points that have escaped are dropped, so that no step computes them again."""
    along = np.arange(side)
    real, imaginary = np.tile(-2.0 + 3.0 * along / side, side), np.repeat(-1.5 + 3.0 * along / side, side)
    x, y = np.zeros(side * side), np.zeros(side * side)
    point, counts = np.arange(side * side), np.zeros(side * side, np.int32)
    for _ in range(kernels.STEPS):
        bounded = x * x + y * y <= 4.0
        x, y, real, imaginary, point = (values[bounded] for values in (x, y, real, imaginary, point))
        x, y = x * x - y * y + real, 2.0 * x * y + imaginary
        counts[point] += 1
    return counts.reshape(side, side)


def kernels_in_numba() -> ModuleType:
    """`kernels.py` with Numba's `cuda` in place of gpusim's. Numba must not have been imported before."""
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    path = Path(kernels.__file__)
    text = path.read_text(encoding="utf-8")
    assert text.count(IMPORT_OF_GPUSIM) == 1
    module = ModuleType("kernels_in_numba")
    exec(compile(text.replace(IMPORT_OF_GPUSIM, "from numba import cuda"), path, "exec"), vars(module))
    return module
