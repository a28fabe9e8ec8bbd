"""Configuring on-chip memory: every kernel in Python and in CUDA C++."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpusim
from course.chapters import Kernels
from course.pairs import Pairs
from gpusim.errors import LaunchError

TOO_MUCH = "98304 bytes of shared memory"


def check(both: Pairs, of: Kernels) -> None:
    cpp = of.cpp
    floats, out = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    three_tiles = np.arange(3072, dtype=np.float32)
    both.check(of.reverse_tiles[3, 128, 0, 4096], cpp.reverse_tiles[3, 128, 0, 4096], three_tiles, 1024)
    shuffled = np.random.default_rng(0).permutation(1024).astype(np.int32)
    both.check(of.look_up[4, 256], cpp.look_up[4, 256], floats, shuffled, out)
    both.check(of.reread[2, 64], cpp.reread[2, 64], floats[:500], 500, 2, out[:128])
    for kernel in (of.reverse_fixed, cpp.reverse_fixed):
        for device in ("P100", "V100", "H200"):
            refused(kernel, device)


def refused(kernel: Any, device: str) -> None:
    """An array of a fixed size has 48 KB at most, in both languages."""
    with gpusim.use(device):
        try:
            kernel[1, 256](np.zeros(24576, np.float32))
        except LaunchError as error:
            said = str(error)
        else:
            said = "no error"
    if TOO_MUCH not in said:
        raise AssertionError(f"{kernel} on {device}: {said}")
