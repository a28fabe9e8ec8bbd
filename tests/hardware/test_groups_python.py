"""Do groups in Python tell their threads, and exchange, what they did on an H200, with the counters of C++?

Of a size that Python checks as the kernel runs, there are more branches.
"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import LaunchError
from gpusim.reports.counters import COUNTERS
from tests.hardware import groups
from tests.hardware.intrinsics import RECORDED, group_arguments
from tests.hardware.test_groups import module
from tests.hunting import ALL

WARP = 32
GROUPS = RECORDED["groups"]
FIRST = {record["name"]: record for record in reversed(GROUPS)}  # of each kernel
MAY_DIFFER = ("instructions", "thread_instructions")  # integers of Numba have 64 bits: it converts more


@pytest.mark.parametrize("scheduling", ["independent", "stack"])
@pytest.mark.parametrize("record", GROUPS, ids=lambda each: f"{each['name']} {each['args']}")
def test_every_thread_gets_what_it_got(record, scheduling):
    name, given, columns = record["name"], record["args"], record["cols"]
    size = given.get("N", given.get("tile"))
    threads = given.get("block", WARP)
    fields = 2 if name == "tiled_partition_runtime" else 8
    arguments = group_arguments(record)
    of_a_size = "coalesced" not in name and name not in (
        "tiled_partition_runtime",
        "tiled_partition_over_warp",
    )
    kernel = groups.of_size(name, size) if of_a_size else getattr(groups, name)
    out = np.zeros((threads, fields), np.uint32)
    counted = scheduling == "independent" and (ALL or record in FIRST.values())
    with (gpusim.profile if counted else gpusim.use)("H200", scheduling=scheduling) as run:
        kernel[1, threads](out, *arguments)
    for field, column in enumerate(columns):
        took_part = [thread for thread, value in enumerate(column) if value is not None]
        assert [int(out[thread, field]) for thread in took_part] == [
            column[thread] % (1 << 32) for thread in took_part
        ], record["fields"][field]
    if not counted:
        return
    with gpusim.profile("H200", scheduling=scheduling) as cpp:
        module().get_function(f"{name}<{size}>" if of_a_size else name)((1,), (threads,), (out, *arguments))
    equal = set(COUNTERS).difference(MAY_DIFFER, ["branches"] if name == "tiled_partition_runtime" else [])
    assert {one: getattr(run, one) for one in equal} == {one: getattr(cpp, one) for one in equal}


def others(kind):
    return [record for record in RECORDED["other"] if record["kind"] == kind]


def test_floats_are_added_in_the_same_order():
    (record,) = others("float_reduce_scan_bits")
    out = np.zeros((3, WARP), np.float32)
    groups.sums_of_floats[1, WARP](out, np.array(record["in"], np.uint32).view(np.float32))
    assert out.view(np.uint32).ravel().tolist() == record["out_reduce_inclusive_exclusive"]


@pytest.mark.parametrize("record", others("grid_sync"), ids=lambda each: each["grid"])
def test_a_grid_waits_if_it_is_resident(record):
    blocks, threads = record["grid"], record["block"]
    most = groups.neighbours.compile("(int32[::1], int32[::1], int64)").max_cooperative_grid_blocks(threads)
    assert most == 132 * record["blocks_per_sm"]
    wrong, phases = np.zeros(1, np.int32), 2 if blocks > 1 else record["phases"]
    x = np.zeros(blocks * threads, np.int32)
    if record["launch"] == "cudaSuccess":
        groups.neighbours[blocks, threads](x, wrong, phases)
        assert wrong[0] == record["mismatches"]
        assert x.tolist() == list(range(phases - 1, phases - 1 + x.size))
    else:
        with pytest.raises(LaunchError, match=f"holds {most} of them at once"):
            groups.neighbours[blocks, threads](x, wrong, phases)
