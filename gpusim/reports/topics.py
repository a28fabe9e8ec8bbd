"""In which order, and under which heading, do reports show what was measured? Counters stand by topic.

>>> topic("global_load_sectors"), metric("registers_per_thread")
('global memory', 'launch__registers_per_thread')
"""

from __future__ import annotations

from functools import cache

from gpusim.reports import counters

# of a launch: name -> (Nsight Compute's metric, what it says)
RESOURCES = {
    "registers_per_thread": ("launch__registers_per_thread", "32-bit registers"),
    "spilled_registers_per_thread": (
        "no metric of its own; the compiler tells with -Xptxas -v",
        "32-bit values that live in local memory because registers were bounded",
    ),
    "shared_bytes_per_block": (
        "launch__shared_mem_per_block_static + launch__shared_mem_per_block_dynamic",
        "shared memory that a block declares and is given by the launch",
    ),
    "carveout_bytes": (
        "launch__shared_mem_config_size",
        "shared memory that a multiprocessor is configured for",
    ),
    "l1_bytes": ("no metric of its own", "what that leaves for L1 and textures"),
    "blocks_per_multiprocessor": (
        "the least of launch__occupancy_limit_blocks, _registers, _shared_mem and _warps",
        "thread blocks that fit on a multiprocessor at once",
    ),
    "theoretical_occupancy": (
        "sm__maximum_warps_per_active_cycle_pct (in percent)",
        "their warps, over the most that the multiprocessor holds; 1 is all",
    ),
}
DESCRIBED = {
    **counters.COUNTERS,
    **counters.CACHE_COUNTERS,
    **{name: (metric, meaning) for name, (_, _, metric, meaning) in counters.ALL_RATIOS.items()},
    **RESOURCES,
}
# topic -> how the names of its counters begin
TOPICS: dict[str, tuple[str, ...]] = {
    "execution": ("instructions", "thread_instr", "active_lanes", "branches", "divergent_branches"),
    "global memory": ("global_load_", "global_store_", "sectors_per_request"),
    "shared memory": ("shared_load_", "shared_store_", "shared_wavefronts_per_request"),
    "local memory": ("local_load_", "local_store_"),
    "textures": ("texture_",),
    "constant memory": ("constant_load_",),
    "atomics": ("atomics", "global_atomic_", "shared_atomic_"),
    "synchronisation": ("barriers",),
    "caches": ("l1_", "l2_", "dram_"),
    "resources": tuple(RESOURCES),
}


def topic(name: str) -> str:
    """Under which heading does a counter, a ratio or a resource stand?"""
    if name in RESOURCES:
        return "resources"
    return next(topic for topic, beginnings in TOPICS.items() if name.startswith(beginnings))


def metric(name: str) -> str:
    """What does Nsight Compute call it? A sentence where it has no such metric."""
    return DESCRIBED[name][0]


def meaning(name: str) -> str:
    """What does it count?"""
    return DESCRIBED[name][1]


@cache
def in_order(*, caches: bool = False) -> tuple[str, ...]:
    """All counters and ratios by topic, and within one as the ledger has them: the order of every export."""
    names = counters.names(caches=caches)
    return tuple(name for heading in TOPICS for name in names if topic(name) == heading)
