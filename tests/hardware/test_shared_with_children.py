"""Does `gpusim` say of a parent's memory what an H200 said? It tells of mistakes where a GPU is lucky."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.cpp.program import HostCodeWarning
from gpusim.errors import GpuSimError, OutOfBounds

HERE = Path(__file__).parent
TESTS = json.loads((HERE / "shared_with_children.json").read_text(encoding="utf-8"))["tests"]


@pytest.fixture(scope="module")
def module():
    found = gpusim.RawModule(path=HERE / "shared_with_children.cu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HostCodeWarning)  # its main() is what ran on the H200
        found.get_function("increase")[1, 1](np.zeros(1, np.int32))
    return found


def recorded(test, **what):
    """The row of a test."""
    (row,) = (one for one in TESTS if one["test"] == test and what.items() <= one.items())
    return row


def test_is_global_answers_the_same(module):
    out = np.zeros(7, np.int32)
    module.get_function("ask")[1, 1](np.zeros(1, np.int32), cuda.mapped_array(1, np.int32), out)
    assert (out != 0).tolist() == [*map(bool, recorded("__isGlobal")["answers"])]


def test_a_child_reads_constant_memory_and_neither_shared_nor_local_memory(module):
    for memory in ("constant", "shared", "local"):
        there = recorded(f"a child reads through a pointer to {memory} memory")
        out, parent = np.zeros(2, np.int32), module.get_function(f"of_{memory}")
        if there["sync"] == "cudaSuccess":
            parent[1, 1](out)
            assert out[0] == there["read"]
        else:
            with pytest.raises(GpuSimError, match=f"{memory} memory"):
                parent[1, 1](out)


def test_the_heap_and_the_hosts_memory_do_not_mix(module):
    assert recorded("the host frees a block of the heap")["error"] != "cudaSuccess"
    module.get_function("ask")[1, 1](*(np.zeros(7, np.int32) for _ in range(3)))
    with pytest.raises(GpuSimError):
        cudart.cudaFree(int(module.get_global("kept").copy_to_host().view(np.uint64)[0]))
    assert recorded("a kernel frees a block of the host")["sync"] != "cudaSuccess"
    with pytest.raises(GpuSimError):
        module.get_function("frees")[1, 1](cudart.cudaMalloc(16)[1])


@pytest.mark.parametrize("late", [0, 20000])
def test_without_the_barrier_racecheck_tells_where_a_gpu_is_lucky(module, late):
    assert (recorded("no barrier before the launch", threads=256, late_ns=late)["wrong"] > 0) == (late > 0)
    with gpusim.sanitize("racecheck", device="H200") as report:
        module.get_function("no_barrier")[1, 256](np.zeros(256, np.int32), 5000, late)
    assert {one.hazard for one in report.findings} == {"RAW", "WAW"}


def test_permute_as_it_is_printed_leaves_its_memory(module):
    right, printed = (recorded("permute of 256 numbers", all_threads=all_threads) for all_threads in (0, 1))
    assert (right["sync"], right["wrong"], printed["sync"]) == ("cudaSuccess", 0, "cudaErrorIllegalAddress")
    numbers = np.arange(256, dtype=np.int32)
    module.get_function("permute")[1, 256, 0, 1024](256, numbers, False)
    assert numbers.tolist() == [int(f"{place:08b}"[::-1], 2) for place in range(256)]
    with pytest.raises(OutOfBounds):
        module.get_function("permute")[1, 256, 0, 1024](256, numbers, True)


def test_a_room_that_is_freed_too_early_goes_to_the_next(module):
    early = recorded("jobs", own=0)
    assert early["wrong"] == 0  # lucky, 2,000 times
    out, rooms = np.zeros(128, np.int32), np.zeros(4, np.uint64)
    module.get_function("jobs")[1, 1](out, rooms, False)
    assert len({*rooms.tolist()}) == early["most_addresses"]
