"""For how much shared memory is a multiprocessor configured, and what is left for L1?

The capacities are from the CUDA C++ Programming Guide, "Compute Capability 3.x" to "9.0"; 231 answers of an
H200's occupancy calculator under seven preferences are in tests/hardware/occupancy.json.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.devices.carveout import (
    CACHE_CONFIGS,
    bytes_of_cache_config,
    bytes_of_percent,
    capacity_for,
    choose,
    is_configurable,
)
from gpusim.devices.occupancy import blocks_per_multiprocessor, shared_allocation

RECORDING = json.loads((Path(__file__).parent.parent / "hardware" / "occupancy.json").read_text())
REGISTERS = {name: registers for name, registers, *_ in RECORDING["kernels"]}
KIB = 1024


def split(device, shared_kib=0, *, threads=256, registers=32, present_kib=None, **preference):
    """The carve-out of a kernel with so much shared memory a block."""
    found = devices.get(device)
    present = None if present_kib is None else present_kib * KIB
    chosen = choose(
        found,
        block_bytes=shared_allocation(found, round(shared_kib * KIB)),
        blocks=blocks_per_multiprocessor(
            found, threads=threads, registers_per_thread=registers, shared_bytes=round(shared_kib * KIB)
        ),
        **preference,
    )
    return chosen.after(present)


# what the documents say -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "unified", "capacities"),
    [
        ("C2050", 64, (16, 48)),
        ("K40", 64, (16, 32, 48)),
        ("K80", 128, (80, 96, 112)),
        ("V100", 128, (0, 8, 16, 32, 64, 96)),
        ("T4", 96, (32, 64)),
        ("A100", 192, (0, 8, 16, 32, 64, 100, 132, 164)),
        ("RTX 4090", 128, (0, 8, 16, 32, 64, 100)),
        ("H100", 256, (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)),
        ("H200", 256, (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)),
    ],
)
def test_the_documented_capacities(device, unified, capacities):
    """Every capacity can be had by asking for it, and what it leaves is L1."""
    for capacity in capacities:
        percent = -(-100 * capacity // capacities[-1])
        assert capacity_for(devices.get(device), capacity * KIB) == capacity * KIB
        found = split(device, registers=16, percent=percent)
        smallest_for_a_block = 8 if device in ("A100", "RTX 4090", "H100", "H200") else 0  # 1 KB is reserved
        assert found.capacity_bytes >= max(capacity, smallest_for_a_block) * KIB
        assert found.capacity_bytes + found.l1_bytes == unified * KIB
    beyond = [capacity_for(devices.get(device), c * KIB + 1) // KIB for c in capacities[:-1]]
    assert beyond == list(capacities[1:]), "one byte more takes the next capacity"


@pytest.mark.parametrize(
    ("device", "shared", "l1"),
    [("G80", 16, 0), ("GT200", 16, 0), ("P100", 64, 24), ("GTX 1080", 96, 48), ("TX2", 64, 24)],
)
def test_separate_memories_have_one_split(device, shared, l1):
    assert not is_configurable(devices.get(device))
    for preference in ({}, {"percent": 0}, {"percent": 100}, {"cache_config": "l1"}):
        found = split(device, **preference)
        assert (found.capacity_bytes, found.l1_bytes) == (shared * KIB, l1 * KIB)
        assert "a preference changes nothing" in found.why


def test_half_of_96_kib_is_rounded_up_to_64():
    """The example of the guide, and of source 000, which misprints it as "50 KB of 96 %"."""
    found = split("V100", percent=50)
    assert (found.wanted_bytes, found.capacity_bytes, found.l1_bytes) == (48 * KIB, 64 * KIB, 64 * KIB)
    assert found.why == ("50 % of 96 KB are 48 KB, which V100 does not offer; the next capacity up is 64 KB.")


@pytest.mark.parametrize(
    ("device", "percent", "capacity"),
    [
        ("V100", 0, 0), ("V100", 8, 8), ("V100", 9, 16), ("V100", 33, 32), ("V100", 34, 64), ("V100", 67, 96),
        ("T4", 0, 32), ("T4", 50, 32), ("T4", 51, 64), ("T4", 100, 64),
        ("A100", 50, 100), ("A100", 61, 132), ("H200", 50, 132), ("H200", 86, 228), ("H200", 100, 228),
        ("K40", 50, 32), ("K80", 75, 96),
    ],
)  # fmt: skip
def test_percentages_are_of_the_largest_capacity_and_rounded_up(device, percent, capacity):
    assert split(device, percent=percent).capacity_bytes == capacity * KIB


@pytest.mark.parametrize(
    ("device", "l1", "equal", "shared"),
    [
        ("C2050", 16, 48, 48),
        ("K40", 16, 32, 48),
        ("K80", 80, 80, 112),
        ("V100", 0, 64, 96),
        ("T4", 32, 32, 64),
    ],
)
def test_legacy_configurations(device, l1, equal, shared):
    for config, capacity in (("l1", l1), ("equal", equal), ("shared", shared)):
        assert bytes_of_cache_config(devices.get(device), config) == capacity * KIB
        assert split(device, cache_config=config, percent=50).capacity_bytes == capacity * KIB


# what a kernel needs goes before what it prefers ------------------------------------------------------------


@pytest.mark.parametrize(
    ("percent", "recorded"), RECORDING["carveout"], ids=[p for p, _ in RECORDING["carveout"]]
)
def test_every_recorded_answer_under_a_preference_is_reproduced(percent, recorded):
    h200 = devices.get("H200")
    for dynamic, blocks in zip(RECORDING["dynamic_shared_bytes"], recorded, strict=True):
        fits = dynamic <= h200.shared_bytes_per_block_optin
        found = split("H200", dynamic / KIB, threads=128, registers=REGISTERS["kreg32"], percent=percent)
        assert (found.blocks if fits else 0) == blocks, dynamic


def test_a_block_that_needs_more_gets_more():
    found = split("V100", 20, percent=0)
    assert (found.capacity_bytes, found.blocks) == (32 * KIB, 1)
    assert found.why == (
        "the hint asks for 0 KB, but one block takes 20 KB: the smallest capacity that holds it is 32 KB."
    )
    required = split("K40", 20, cache_config="l1")
    assert (required.capacity_bytes, required.l1_bytes) == (32 * KIB, 32 * KIB)


def test_without_a_preference_the_reason_is_true_where_the_largest_capacity_is_too_small():
    found = split("V100", 16, threads=256)
    assert (found.blocks, found.capacity_bytes) == (6, 96 * KIB)  # 8 blocks of 256 threads would fit
    assert found.why == "No preference: 96 KB is the smallest capacity that holds the most blocks."


def test_without_a_preference_no_block_is_lost_to_shared_memory():
    """8 blocks of 256 threads fill a V100; with 4 KB each they need 32 KB, with 5 KB 40, so 64."""
    for shared, capacity in ((0, 0), (4, 32), (5, 64), (12, 96), (40, 96)):
        found = split("V100", shared)
        assert (found.capacity_bytes, found.reason) == (capacity * KIB, "chosen")
        assert found.blocks == split("V100", shared, percent=100).blocks


@pytest.mark.parametrize("device", devices.names())
def test_whatever_is_asked_a_block_fits_and_the_rest_is_l1(device):
    found = devices.get(device)
    for shared in range(0, found.shared_bytes_per_block_optin // KIB + 1, 8):
        by_percent = [split(device, shared, threads=64, percent=percent) for percent in range(101)]
        legacy = [split(device, shared, threads=64, cache_config=config) for config in CACHE_CONFIGS]
        for choice in by_percent + legacy:
            assert choice.capacity_bytes in found.carveouts_bytes
            assert choice.l1_bytes == found.l1_and_shared_bytes - choice.capacity_bytes >= 0
            assert 1 <= choice.blocks <= split(device, shared, threads=64, percent=100).blocks
            assert choice.why.endswith(".")
        assert all(a.capacity_bytes <= b.capacity_bytes for a, b in pairwise(by_percent))
        if is_configurable(found):
            assert all(c.capacity_bytes >= bytes_of_percent(found, p) for p, c in enumerate(by_percent))


# launch after launch ----------------------------------------------------------------------------------------


@cuda.jit
def plain(x):
    x[cuda.grid(1)] += 1


@cuda.jit
def tiled(x):
    tile = cuda.shared.array(2048, np.float64)
    tile[cuda.threadIdx.x] = x[cuda.grid(1)]
    cuda.syncthreads()
    x[cuda.grid(1)] = tile[cuda.threadIdx.x ^ 1]


@pytest.fixture
def in_turn():
    """Launch the two kernels in turn, three times; their preferences are taken back afterwards."""
    before = plain.launch_attributes, tiled.launch_attributes

    def launch(device):
        with gpusim.profile(device) as run:
            for _ in range(3):
                plain[1, 256](np.zeros(256))
                tiled[1, 256](np.zeros(256))
        return run

    yield launch
    plain.launch_attributes, tiled.launch_attributes = before


def test_hints_that_differ_reconfigure_once(in_turn):
    """All L1 for one, 96 KB for the other: from the second launch on 96 KB suit both."""
    plain.preferred_shared_memory_carveout, tiled.preferred_shared_memory_carveout = 0, 100
    run = in_turn("V100")
    assert [kernel.carveout_bytes // KIB for kernel in run.kernels] == [0, 96, 96, 96, 96, 96]
    assert [kernel.l1_bytes // KIB for kernel in run.kernels] == [128, 32, 32, 32, 32, 32]
    assert run.reconfigurations == 1
    assert run.kernels[2].carveout_reason == (
        "V100 is configured for 96 KB already, no less than the launch asks for, and stays so."
    )


def test_requirements_that_differ_reconfigure_at_every_launch(in_turn):
    gpusim.cudart.cudaFuncSetCacheConfig(plain, gpusim.cudart.cudaFuncCache.cudaFuncCachePreferL1)
    gpusim.cudart.cudaFuncSetCacheConfig(tiled, gpusim.cudart.cudaFuncCache.cudaFuncCachePreferShared)
    run = in_turn("K40")
    assert [kernel.carveout_bytes // KIB for kernel in run.kernels] == [16, 48] * 3
    assert run.reconfigurations == 5
    assert run.as_dict()["reconfigurations"] == 5
    assert run.as_dict()["kernels"][0]["l1_bytes"] == 48 * KIB
    assert in_turn("P100").reconfigurations == 0, "its memories are separate"


def test_without_a_preference_kepler_stays_as_it_is(in_turn):
    assert [kernel.carveout_bytes // KIB for kernel in in_turn("K40").kernels] == [48] * 6
    gpusim.cudart.cudaFuncSetCacheConfig(plain, gpusim.cudart.cudaFuncCache.cudaFuncCachePreferL1)
    run = in_turn("K40")  # 16 KB hold one of the tiles, so nothing changes
    assert [kernel.carveout_bytes // KIB for kernel in run.kernels] == [16] * 6
    assert [kernel.blocks_per_multiprocessor for kernel in run.kernels[:2]] == [8, 1]


def test_each_device_is_configured_by_itself():
    with gpusim.profile() as run:
        for device in ("V100", "T4", "V100"):
            with gpusim.use(device):
                tiled[1, 256](np.zeros(256))
    assert [kernel.carveout_bytes // KIB for kernel in run.kernels] == [96, 64, 96]
    assert run.reconfigurations == 0


def test_a_profile_begins_with_a_gpu_on_which_nothing_ran_before(in_turn):
    """A cell that is run again counts the same, whatever ran in between."""
    plain.preferred_shared_memory_carveout, tiled.preferred_shared_memory_carveout = 0, 100
    first = in_turn("V100")
    assert in_turn("V100").as_dict() == first.as_dict()


@pytest.mark.usefixtures("in_turn")
def test_a_profile_inside_another_finds_the_gpu_as_the_launches_before_left_it():
    """Both tell the same of a launch; what it changes counts for those profiles that it is inside of."""
    x = np.zeros(256)
    with gpusim.profile("V100") as outer:
        tiled[1, 256](x)
        with gpusim.profile() as inner:
            plain[1, 256](x)
        gpusim.cudart.cudaFuncSetCacheConfig(plain, gpusim.cudart.cudaFuncCache.cudaFuncCachePreferL1)
        with gpusim.profile() as changing:
            plain[1, 256](x)
    assert inner.kernels[0].carveout_reason.startswith("V100 is configured for 96 KB already")
    assert (outer.reconfigurations, inner.reconfigurations, changing.reconfigurations) == (1, 0, 1)
    both = zip(outer.kernels[1:], (*inner.kernels, *changing.kernels), strict=True)
    assert all(one.as_dict() == other.as_dict() for one, other in both)


def test_a_reset_forgets_how_the_device_was_configured():
    with gpusim.profile("V100") as run:
        tiled[1, 256](np.zeros(256))
        cuda.close()
        plain[1, 256](np.zeros(256))
    assert [kernel.carveout_bytes // KIB for kernel in run.kernels] == [96, 0]
    assert run.reconfigurations == 0
