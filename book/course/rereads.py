"""What does a larger L1 gain? One block reads the same memory again and again, under every carve-out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import gpusim
from gpusim import cuda, cudart, devices

PASSES = 4
CARVEOUT = cudart.cudaFuncAttribute.cudaFuncAttributePreferredSharedMemoryCarveout


@cuda.jit
def reread(x: Any, passes: Any, sink: Any) -> None:
    total = 0.0
    for _ in range(passes):
        for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
            total += x[i]
    if total < 0:
        sink[0] = total


def hit_rates(names: Sequence[str], kilobytes: int) -> dict[str, list[float | None]]:
    """Per cent of the sectors loaded that L1 has, for each capacity; None for one that no launch gets."""
    capacities = {name: devices.get(name).carveouts_bytes for name in names}
    return {name: [_hit_rate(name, size, kilobytes) for size in sizes] for name, sizes in capacities.items()}


def _hit_rate(name: str, capacity: int, kilobytes: int) -> float | None:
    largest = devices.get(name).carveouts_bytes[-1]
    cudart.cudaFuncSetAttribute(reread, CARVEOUT, 100 * capacity // largest)
    with gpusim.profile(name, caches=True) as run:
        reread[1, 1024](np.zeros(256 * kilobytes, np.float32), PASSES, np.zeros(1, np.float32))
    if run.kernels[0].carveout_bytes != capacity:  # what is reserved for one block does not fit into 0 KB
        return None
    return round(100 * run.l1_load_sector_hits / run.global_load_sectors, 1)
