"""Does the report of limits say what the simulator does, and does it say it?"""

from __future__ import annotations

import random

import numpy as np
import pytest

import gpusim
from gpusim import cuda, cudart
from gpusim.errors import LaunchError, ReportError
from gpusim.ir.device_errors import DeviceError

LIMITS = {
    "heap_bytes": cudart.cudaLimit.cudaLimitMallocHeapSize,
    "stack_bytes": cudart.cudaLimit.cudaLimitStackSize,
    "pending_launches": cudart.cudaLimit.cudaLimitDevRuntimePendingLaunchCount,
    "synchronization_depth": cudart.cudaLimit.cudaLimitDevRuntimeSyncDepth,
}
TEXT = """
__global__ void nop(int* found) { ++found[0]; }
__global__ void chain(int at, int depth, int launches, int* found) {
  if (at + 1 < depth) {
    chain<<<1, 1>>>(at + 1, depth, launches, found);
    found[1] = cudaGetLastError();
    return;
  }
  for (int i = 0; i < launches; ++i) {
    nop<<<1, 1>>>(found);
    const int error = cudaGetLastError();
    if (error) ++found[2], found[3] = error;
  }
  WAIT
}"""


def answers(report):
    return [call.error for call in report.variants[0].calls]


def test_by_hand():
    report = gpusim.explore_limits("K40", depth=3, launches=5000)
    (k40,) = report.variants
    assert {row.name: row.bytes for row in k40.reserved} == {
        "error correction": 768 << 20,
        "heap": 8 << 20,
        "stacks of running threads": 15 * 2048 * 1024,
        "pending launches": 2048 * 4096,
        "levels that wait": 2 * 36_126_720,
    }
    assert k40.free_bytes == k40.memory_bytes - sum(row.bytes for row in k40.reserved)
    assert answers(report) == [
        "",
        "",
        "",
        "",
        "",
        "cudaErrorLaunchPendingCountExceeded",
        "cudaErrorLaunchMaxDepthExceeded",
    ]
    assert k40.calls[5].says == "2,045 in the pool, 2,048 in the heap, 907 not launched"
    assert k40.calls[6].says == "grids down to depth 1 may wait"


@pytest.mark.parametrize(
    ("asked", "call", "error"),
    [
        ({"depth": 25}, 4, "cudaErrorLaunchMaxDepthExceeded"),
        ({"depth": 24}, 4, ""),
        ({"depth": 25, "cdp": 2}, 4, ""),
        ({"depth": 2048, "cdp": 2}, 4, "cudaErrorLaunchPendingCountExceeded"),
        ({"depth": 2047, "cdp": 2}, 4, ""),
        ({"launches": 2048, "cdp": 2}, 5, "cudaErrorLaunchPendingCountExceeded"),
        ({"launches": 2047, "cdp": 2}, 5, ""),
        ({"launches": 4095}, 5, ""),
        ({"depth": 2}, 6, ""),
        ({"depth": 3}, 6, "cudaErrorLaunchMaxDepthExceeded"),
        ({"depth": 3, "synchronization_depth": 3}, 6, ""),
        ({"cdp": 2}, 6, "not compiled"),
        ({"synchronization_depth": 25}, 3, "cudaErrorInvalidValue"),
        ({"synchronization_depth": 24}, 3, ""),
        ({"cdp": 2}, 3, "cudaErrorUnsupportedLimit"),
        ({"stack_bytes": 1 << 20, "device": "K40"}, 1, "cudaErrorMemoryAllocation"),
        ({"heap_bytes": 1 << 60}, 0, "cudaErrorInvalidValue"),
    ],
)
def test_which_call_fails(asked, call, error):
    assert answers(gpusim.explore_limits(**{"device": "H200", **asked}))[call] == error


def random_cases(many, seed):
    chance = random.Random(seed)
    for number in range(many):
        yield {
            "device": chance.choice(("K40", "H200")),
            "cdp": 1 + number % 2,
            "depth": chance.choice((1, 2, 3, 5, 23, 24, 25, 26)),
            "launches": chance.choice((1, 3, 9, 30)),
            "synchronization_depth": chance.choice((0, 1, 2, 4, 24, 25)),
            "pending_launches": chance.choice((0, 1, 2, 4, 9, 24, 40, 1 << 22)),
            "stack_bytes": chance.choice((0, 1024, 1 << 19)),
            "heap_bytes": chance.choice((0, 4096, 5 * 4096, 8 << 20, 1 << 33)),
        }


@pytest.mark.parametrize("asked", list(random_cases(40, 5)), ids=str)
def test_the_simulator_does_the_same(asked):
    """All calls of the host, the chain of launches, those of its last parent, and its wait."""
    report = gpusim.explore_limits(**asked)
    (variant,) = report.variants
    wait = "found[4] = cudaDeviceSynchronize(); found[5] = 1;" if asked["cdp"] == 1 else ""
    found, codes = np.zeros(6, np.int32), []
    cuda.current_context().reset()
    try:
        with gpusim.use(asked["device"], cdp=asked["cdp"]):
            for name, limit in LIMITS.items():
                try:
                    cudart.cudaDeviceSetLimit(limit, asked[name])
                    codes.append("")
                except LaunchError as error:
                    codes.append(error.message.split(":")[0])
            chain = gpusim.RawModule(code=TEXT.replace("WAIT", wait)).get_function("chain")
            chain[1, 1](0, asked["depth"], asked["launches"], found)
    finally:
        cuda.current_context().reset()
    assert [call.error for call in variant.calls[:4]] == codes
    nested, *by_last_parent = variant.calls[4:]
    if not by_last_parent:  # it does not begin, and nobody calls
        assert DeviceError(found[1]).name == nested.error
        assert found[3:].tolist() == [0, 0, 0]
        return
    many, waited = by_last_parent
    kept = [int(word) for word in many.says.replace(",", "").split() if word.isdigit()]
    assert (DeviceError(found[3]).name if found[3] else "") == many.error
    if nested.error:
        assert found[0] == 0
    else:
        assert found[0] + found[2] == asked["launches"]
        assert found[2] == (kept[2] if many.says.endswith("not launched") else 0)
    if asked["cdp"] == 1:
        assert found[5] == 1
        assert (DeviceError(found[4]).name if found[4] else "") == waited.error


def test_the_report_shows_itself():
    report = gpusim.explore_limits("V100", depth=2, stack_bytes=2048)
    told = repr(report)
    assert told.startswith("Limits of launches in kernels under CDP1: depth 2, 1 launched at once")
    assert "163,840 threads × 2,048 bytes" in told
    assert "cudaDeviceSetLimit(cudaLimitStackSize, 2,048)" in report._repr_html_()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"device": "G80"}, "kernels on G80 launch nothing: that needs compute capability 3.5"),
        ({"device": []}, "limits are those of a device"),
        ({"depth": 0}, "depth is a whole number from 1"),
        ({"stack_bytes": 0.5}, "stack_bytes is a whole number from 0"),
        ({"cdp": 3}, "cdp is 1 or 2"),
    ],
)
def test_what_means_nothing_is_refused(asked, message):
    with pytest.raises(ReportError, match=message):
        gpusim.explore_limits(**asked)


def test_one_launch_is_made_one_time():
    names = [
        [call.call for call in gpusim.explore_limits("H200", launches=n).variants[0].calls] for n in (1, 2)
    ]
    assert "child<<<…>>>(), 1 time" in names[0]
    assert "child<<<…>>>(), 2 times" in names[1]
