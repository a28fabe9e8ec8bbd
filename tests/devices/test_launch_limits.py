"""What does the device runtime reserve, and what fits? Worked by hand."""

from __future__ import annotations

import json
from pathlib import Path

from gpusim.devices import get
from gpusim.devices.launch_limits import (
    LAUNCH_BYTES,
    STACK_BYTES,
    Settings,
    figures,
    level_bytes,
    reserved,
    virtual_launches,
)


def test_a_level_of_a_k40_by_hand():
    """15 multiprocessors of 65,536 registers, 48 KB of shared memory, 2,048 threads with 1 KB of stack."""
    k40 = figures(get("K40"))
    assert k40.resident_threads == 15 * 2048
    assert level_bytes(k40, 1024) == 15 * (65536 * 4 + 48 * 1024 + 2048 * 1024) == 36_126_720
    assert k40.ecc_bytes == 12 * (1 << 30) // 16


def test_what_is_reserved_is_in_rows():
    rows = dict(reserved(figures(get("K40")), Settings(), 1))
    assert rows["levels that wait"] == 2 * 36_126_720
    assert rows["pending launches"] == 2048 * LAUNCH_BYTES == 8 << 20
    assert rows["heap"] == 8 << 20
    assert rows["stacks of running threads"] == 15 * 2048 * 1024
    assert dict(reserved(figures(get("H200")), Settings(), 2))["levels that wait"] == 0


def test_the_defaults_are_those_of_the_h200():
    recorded = json.loads((Path(__file__).parents[1] / "hardware" / "occupancy.json").read_text())
    limits = {one["name"]: one["value"] for one in recorded["limits"]}
    assert limits["StackSize"] == STACK_BYTES
    assert limits["MallocHeapSize"] == Settings().heap_bytes
    assert limits["DevRuntimePendingLaunchCount"] == Settings().pending_launches


def test_the_virtualised_pool_is_of_cdp1():
    assert virtual_launches(8 << 20, 1) == 2048
    assert virtual_launches(8 << 20, 2) == virtual_launches(-1, 1) == 0
