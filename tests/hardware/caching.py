"""How do the models of L1 and of the constant cache agree with what Nsight Compute counted on an H200?

A model of a cache cannot be exact: which line leaves is not published. So hits are compared as shares of all
sectors; the loads of constants, which are a rule, are compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import gpusim
from course.kept import kept
from gpusim import cuda, devices
from gpusim.measurements.caches import L1_WAYS
from gpusim.measurements.requests import SECTOR_BYTES
from gpusim.measurements.sectored_cache import SectoredCache
from tests.hardware.memory import HERE, MAGIC, recording

OPERATORS = (
    "plain",
    "__ldca",
    "__ldcg",
    "__ldcs",
    "__ldlu",
    "__ldcv",
    "__ldg",
)  # in the order of their numbers
LARGEST_BYTES = 228 * 1024
SECTOR_FLOATS = SECTOR_BYTES // 4
H200 = devices.get("H200")
CHAIN = 16  # loads one after the other in a recorded chain; another launch of the same kernel makes none


class Passes(NamedTuple):
    """Requests to the constant cache for a load of `distinct` words, `apart` words apart, by one warp."""

    distinct: int
    apart: int
    recorded: int
    simulated: int


@kept
def constants() -> list[Passes]:
    """Each recorded chain of loads, less the launch without any."""
    found = []
    rows = recording("memory_spaces")["constants"]
    requests = recording("memory_spaces")["header"]["fields"]["constants"].index("idc__requests.sum")
    module = gpusim.RawModule(path=HERE / "memory_patterns.cu")
    module.get_global("table")[:] = np.arange(2048, dtype=np.uint32)
    kernel = module.get_function("constant_loads")
    for without, chain in zip(rows[::2], rows[1::2], strict=True):
        distinct, apart, times, *_ = chain
        sink = cuda.to_device(np.zeros(1, np.uint32))
        with gpusim.profile("H200") as run:
            kernel((1,), (32,), (distinct, apart, times, sink, MAGIC))
        recorded = chain[requests] - without[requests]
        found.append(Passes(distinct, apart, recorded // CHAIN, run.constant_load_passes // CHAIN))
    return found


class Reread(NamedTuple):
    """What part of the sectors L1 has that one block loads, again and again: on the H200, and here."""

    operator: str
    bytes: int
    apart_bytes: int
    l1_bytes: int
    hits: float
    hits_here: float


@kept
def rereads() -> list[Reread]:
    """Plain loads of more and more memory, four times over, under each carve-out: by the model alone."""
    return list(_rereads())


def _rereads() -> Iterator[Reread]:
    for operator, count, apart, passes, _percent, shared, sectors, hits, *_ in recording("carveout")[
        "rereads"
    ]:
        if not operator:
            l1_bytes = H200.l1_and_shared_bytes - shared
            floats = np.tile(np.arange(count) * apart, passes)
            model = SectoredCache(l1_bytes, L1_WAYS, scattered=True)
            each = max(1, SECTOR_FLOATS // apart)  # one look for the floats of a sector
            found = model.load(floats[::each] // SECTOR_FLOATS).hits.mean()
            size, distance = count * min(4 * apart, SECTOR_BYTES), 4 * apart
            yield Reread(OPERATORS[0], size, distance, l1_bytes, hits / sectors, float(found))


@kept
def operators() -> list[Reread]:
    """Loads with each cache operator, in a kernel that runs, under the carve-out that the H200 had."""
    module, found = gpusim.RawModule(path=HERE / "cache_rereads.cu"), []
    for operator, count, apart, passes, percent, shared, sectors, hits, *_ in recording("carveout")[
        "rereads"
    ]:
        if operator and percent == 50:
            kernel = module.get_function(f"reread<{operator}>")
            kernel.preferred_shared_memory_carveout = 100 * shared // LARGEST_BYTES
            x, sink = (cuda.to_device(np.zeros(size, np.float32)) for size in (count * apart, 1))
            with gpusim.profile("H200", caches=True) as run:
                kernel((1,), (256,), (x, count, apart, passes, sink))
            l1_bytes = run.kernels[0].l1_bytes
            share = run.l1_load_sector_hits / run.global_load_sectors
            found.append(Reread(OPERATORS[operator], 4 * count, 4 * apart, l1_bytes, hits / sectors, share))
    return found
