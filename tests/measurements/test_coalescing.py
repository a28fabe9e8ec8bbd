"""How many sectors does a warp touch? Counted by hand, and as Nsight Compute counted on an H200."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.measurements.coalescing import transactions

RECORDING = json.loads((Path(__file__).parent.parent / "hardware" / "global_patterns.json").read_text())
LOADS_AND_STORES = [row for row in RECORDING["rows"] if row[3] in ("load", "store")]


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def strided(x, stride, offset):
    i = cuda.grid(1)
    x[i * stride + offset] = 1


# The rule alone.


def test_every_recorded_load_and_store_is_reproduced():
    assert len(LOADS_AND_STORES) > 400
    wrong = []
    for number, name, _family, operation, width, mask, offsets, requests, sectors, *_ in LOADS_AND_STORES:
        active = [int(mask, 16) >> lane & 1 for lane in range(32)]
        counted = transactions(offsets, active, width, "H200")
        if (counted.requests.tolist(), counted.sectors.tolist()) != ([requests], [sectors]):
            wrong.append((number, name, operation, counted, requests, sectors))
    assert wrong == []


@pytest.mark.parametrize(
    ("addresses", "width", "sectors"),
    [
        (lambda lane: 4 * lane, 4, {32: 4, 64: 8}),  # neighbours: 128 or 256 bytes
        (lambda lane: 4 * lane + 4, 4, {32: 5, 64: 9}),  # one float further: one sector more
        (lambda lane: 8 * lane, 4, {32: 8, 64: 16}),  # every second float
        (lambda lane: 32 * lane, 4, {32: 32, 64: 64}),  # a sector for each lane
        (lambda lane: 4096 * lane, 1, {32: 32, 64: 64}),
        (lambda lane: 0 * lane, 8, {32: 1, 64: 1}),  # all the same
        (lambda lane: -4 * lane, 4, {32: 5, 64: 9}),  # 0, then down from -4
        (lambda lane: lane % 2 * 64, 4, {32: 2, 64: 2}),
        (lambda lane: lane, 1, {32: 1, 64: 2}),
        (lambda lane: 16 * lane, 16, {32: 16, 64: 32}),
        (lambda lane: 24 * lane, 16, {32: 24, 64: 48}),  # some lie across a boundary: 24 × 32 bytes in all
        (lambda lane: 30 + 0 * lane, 4, {32: 2, 64: 2}),  # across a boundary
        (lambda lane: 0 * lane, 100, {32: 4, 64: 4}),  # an element larger than a sector
    ],
)
def test_sectors_by_hand(device, addresses, width, sectors):
    lanes = devices.get(device).warp_size
    counted = transactions(addresses(np.arange(lanes)), np.ones(lanes, bool), width, device)
    assert (counted.requests.tolist(), counted.sectors.tolist()) == ([1], [sectors[lanes]])


def test_lanes_that_are_off_touch_nothing():
    active = np.zeros((3, 32), bool)
    active[0, :8] = True
    active[1, [0, 31]] = True
    addresses = np.tile(4 * np.arange(32), (3, 1))
    addresses[~active] = -1
    counted = transactions(addresses, active, 4)
    assert counted.requests.tolist() == [1, 1, 0]
    assert counted.sectors.tolist() == [1, 2, 0]


def test_against_a_set_of_sectors_for_each_warp():
    random = np.random.default_rng(5)
    for width in (1, 2, 4, 8, 16):
        addresses = random.integers(0, 40, (200, 64)) * random.integers(1, 40, (200, 1))
        active = random.random((200, 64)) < 0.6
        counted = transactions(addresses, active, width, "MetaX C500").sectors
        for warp in range(200):
            touched = {byte // 32 for a in addresses[warp][active[warp]] for byte in range(a, a + width)}
            assert counted[warp] == len(touched)


@pytest.mark.parametrize(("addresses", "active"), [(np.zeros(64), np.ones(64)), (np.zeros(32), np.ones(16))])
def test_shapes_that_are_no_warp_are_refused(addresses, active):
    with pytest.raises(ValueError, match=r"must both be \(warps, 32\)"):
        transactions(addresses, active, 4, "H200")


# Counted in a run.


def test_saxpy_takes_4_sectors_per_request_with_32_lanes_and_8_with_64(machine):
    x, y = np.ones(1024, np.float32), np.ones(1024, np.float32)
    with gpusim.profile() as run:
        saxpy[4, 256](np.float32(2), x, y)
    warps = 1024 // devices.get(machine).warp_size
    assert (run.global_load_requests, run.global_store_requests) == (2 * warps, warps)
    assert (run.global_load_sectors, run.global_store_sectors) == (2 * 128, 128)
    assert run.sectors_per_request == {32: 4, 64: 8}[devices.get(machine).warp_size]


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (3, 12), (8, 32), (100, 32)])
def test_stride_two_doubles_the_sectors(stride, sectors):
    with gpusim.profile("H200") as run:
        strided[2, 64](np.zeros(128 * stride, np.float32), stride, 0)
    assert run.sectors_per_request == sectors


def test_an_array_starts_where_a_sector_does_and_an_offset_costs_one_more():
    with gpusim.profile("H200") as run:
        strided[1, 32](np.zeros(33, np.float32), 1, 0)
        strided[1, 32](np.zeros(33, np.float32), 1, 1)
    assert [kernel.lines[-1]["global_store_sectors"] for kernel in run.kernels] == [4, 5]


def test_a_view_touches_the_sectors_of_its_own_elements():
    with gpusim.profile("H200") as run:
        strided[1, 32](np.zeros(64, np.float32)[::2], 1, 0)
        strided[1, 32](np.zeros(32, np.float32)[::-1], 1, 0)
    assert [kernel.lines[-1]["global_store_sectors"] for kernel in run.kernels] == [8, 4]


def test_a_partial_warp_touches_only_what_its_threads_do(machine):
    with gpusim.profile() as run:
        strided[1, 8](np.zeros(8, np.float32), 1, 0)
    assert (run.global_store_requests, run.global_store_sectors) == (1, 1)


def test_a_uniform_load_takes_one_sector(machine):
    @cuda.jit
    def spread(x, y):
        y[cuda.grid(1)] = x[3]

    with gpusim.profile() as run:
        spread[1, 64](np.zeros(9), np.zeros(64))
    assert run.global_load_sectors == run.global_load_requests


def test_shared_memory_and_atomics_are_not_global_loads_and_stores(machine):
    @cuda.jit
    def other(counts):
        tile = cuda.shared.array(64, np.int32)
        t = cuda.threadIdx.x
        tile[t] = t
        cuda.atomic.add(counts, tile[t] % 2, 1)
        cuda.atomic.add(tile, t, 1)

    with gpusim.profile() as run:
        other[1, 64](np.zeros(2, np.int32))
    assert (run.global_load_requests, run.global_store_requests, run.sectors_per_request) == (0, 0, 0)
    assert run.atomics == 2 * 64 // devices.get(machine).warp_size
