"""What memory do launches in kernels take from the program? Worked out by `gpusim.explore_limits`."""

from __future__ import annotations

from typing import Any

import gpusim
from gpusim.devices.launch_limits import PUBLISHED_LEVEL_BYTES
from gpusim.reports.limits import LimitsVariant
from gpusim.views.table import Table, table

DEVICES = ("K40", "V100", "A100")
LEVELS = "levels that wait"
MB = 1 << 20


def explored(device: str, **settings: Any) -> LimitsVariant:
    """One device under CDP1."""
    return gpusim.explore_limits(device, cdp=1, **settings).variants[0]


def level(device: str, stack_bytes: int = 1024) -> int:
    """Bytes that one level of parents that wait takes."""
    found = explored(device, synchronization_depth=1, stack_bytes=stack_bytes)
    return next(one.bytes for one in found.reserved if one.name == LEVELS)


def levels() -> Table:
    """What is put aside on three devices, if every thread that fits has a stack of 1 KB."""
    rows = []
    for device in DEVICES:
        one = explored(device)
        stacks = one.resident_threads * 1024
        if level(device) != one.on_chip_bytes + stacks:
            raise AssertionError(one.reserved)
        parts = (one.on_chip_bytes / MB, stacks / MB, level(device) / MB)
        rows.append((device, one.resident_threads, *(f"{part:.1f}" for part in parts)))
    headings = ("device", "threads at once", "on chip, MB", "stacks of 1 KB, MB", "a level, MB")
    return table(rows, headings, caption="What one level of parents that wait takes.")


def published() -> dict[str, Any]:
    """With which stack does a level of a K40 take the source's 860 MB? And what do 24 such levels meet?"""
    one = explored("K40")
    stack = (PUBLISHED_LEVEL_BYTES - one.on_chip_bytes) // one.resident_threads
    if not 0.99 < level("K40", stack) / PUBLISHED_LEVEL_BYTES <= 1:
        raise AssertionError(stack)
    all_levels = explored("K40", depth=24, synchronization_depth=24, stack_bytes=stack)
    v100 = explored("V100")
    chip, stacks = v100.on_chip_bytes / MB, v100.resident_threads * 1024 // MB
    four = explored("V100", synchronization_depth=4, stack_bytes=2048).reserved
    (four_bytes,) = (one.bytes for one in four if one.name == LEVELS)
    if 4 * (chip + 2 * stacks) != four_bytes / MB:
        raise AssertionError(four_bytes)
    (failed,) = (call for call in all_levels.calls if call.error and "SyncDepth" in call.call)
    return {
        "published_stack": f"{stack / 1024:.0f}",
        "levels_gb": f"{24 * PUBLISHED_LEVEL_BYTES / (1 << 30):.0f}",
        "k40_threads": f"{one.resident_threads:,}",
        "k40_memory": f"{one.memory_bytes >> 30}",
        "k40_ecc": f"{one.ecc_bytes / MB:,.0f}",
        "too_deep": failed.error,
        "v100_chip": f"{chip:g}",
        "v100_stacks": stacks,
        "v100_four": f"{four_bytes // MB:,}",
    }
