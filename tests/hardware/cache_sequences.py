"""Sequences of loads, stores, atomics and fences, and constant loads: what an H200 found in its caches, and
what the simulator finds. Both run the text of caches.cu.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import gpusim
from course.kept import kept
from gpusim import cuda
from tests.hardware.memory import HERE, recording

GLOBAL = (
    "global_load_sectors",
    "l1_load_sector_hits",
    "global_store_sectors",
    "l1_store_sector_hits",
    "l2_load_sectors",
    "l2_load_sector_hits",
    "l2_store_sectors",
)


class Sequence(NamedTuple):
    """One launch: the counters of `GLOBAL`, and sectors read from DRAM (None where nobody looked)."""

    kernel: str
    recorded: tuple[int, ...]
    simulated: tuple[int, ...]
    dram_recorded: int | None
    dram_simulated: int


class Constants(NamedTuple):
    """One launch: passes of its constant loads, and those that hit; recorded ones with the parameters'."""

    kernel: str
    arguments: tuple[int, ...]
    passes: int
    passes_here: int
    hits: int
    hits_here: int


@cache
def _module() -> gpusim.RawModule:
    return gpusim.RawModule(path=HERE / "caches.cu", options=("-DINTRINSICS",))


@kept
def sequences() -> list[Sequence]:
    """Every recorded launch that goes to global memory."""
    found = []
    for kernel, blocks, threads, *recorded, dram in recording("caches")["global"]:
        memory = cuda.to_device(np.zeros(blocks * threads * 64, np.int32))
        run = _counted(kernel, blocks, threads, memory)
        simulated = tuple(getattr(run, name) for name in GLOBAL)
        found.append(Sequence(kernel, tuple(recorded), simulated, dram, run.dram_load_sectors))
    return found


@kept
def constants() -> list[Constants]:
    """Every recorded launch that reads constants."""
    found = []
    for kernel, arguments, threads, _instructions, passes, hits in recording("caches")["constants"]:
        run = _counted(kernel, 1, threads, *map(np.uint32, arguments))
        here = run.constant_load_passes, run.constant_load_pass_hits
        found.append(Constants(kernel, tuple(arguments), passes, here[0], hits, here[1]))
    return found


def _counted(kernel: str, blocks: int, threads: int, *arguments: Any) -> Any:
    with gpusim.profile("H200", caches=True) as run:
        _module().get_function(kernel)((blocks,), (threads,), arguments)
    return run
