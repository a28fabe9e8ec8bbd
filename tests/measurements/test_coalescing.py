"""How many sectors does a warp touch? Counted by hand, and as Nsight Compute counted on an H200."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.measurements.coalescing import local_sectors, transactions, transfers

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


LANES = np.arange(32)
EVERY = np.ones(32, bool)


def moved(addresses, width, device, active=EVERY):
    """Transactions and 32-byte units of one warp."""
    counted = transactions(addresses, active, width, device)
    return int(counted.transactions[0]), int(counted.sectors[0])


# Compute capability 1.0: in order from a multiple of 16 × size, or a transaction for each lane.


@pytest.mark.parametrize(
    ("addresses", "width", "expected"),
    [
        (4 * LANES, 4, (2, 4)),  # 64 bytes for each half-warp
        (8 * LANES, 8, (2, 8)),  # 128 bytes
        (16 * LANES, 16, (4, 16)),  # twice 128 bytes
        (4 * LANES + 4, 4, (32, 32)),  # starts 4 bytes too late
        (4 * LANES + 64, 4, (2, 4)),  # a multiple of 64 again
        (8 * LANES + 64, 8, (32, 32)),  # but words of 8 bytes start at multiples of 128
        (4 * (LANES ^ 1), 4, (32, 32)),  # neighbours have changed places
        (4 * (LANES // 2), 4, (32, 32)),  # two lanes on each word
        (12 * LANES, 4, (32, 32)),  # the x of a struct of three floats
        (2 * LANES, 2, (32, 32)),  # words of 2 bytes never are
        (np.where(LANES < 16, 4 * LANES, 4 * LANES + 4), 4, (17, 18)),  # one half-warp keeps the rule
    ],
)
def test_the_rule_of_1_0(addresses, width, expected):
    assert moved(addresses, width, "G80") == expected


def test_on_1_0_idle_lanes_do_not_spoil_the_order():
    assert moved(4 * LANES, 4, "G80", active=LANES != 3) == (2, 4)
    assert moved(4 * LANES, 4, "G80", active=LANES % 16 == 5) == (2, 4)
    assert moved(4 * LANES + 4, 4, "G80", active=LANES != 3) == (31, 31)
    assert moved(4 * LANES, 4, "G80", active=LANES < 16) == (1, 2)
    assert moved(4 * LANES, 4, "G80", active=LANES < 0) == (0, 0)


# Compute capability 1.2: the segments that a half-warp touches, as small as may be.


@pytest.mark.parametrize(
    ("addresses", "width", "expected"),
    [
        (4 * LANES, 4, (2, 4)),
        (4 * LANES + 4, 4, (3, 7)),  # 128; then 64 up to the boundary and 32 behind it
        (4 * (LANES ^ 1), 4, (2, 4)),  # order does not matter
        (0 * LANES, 4, (2, 2)),  # one word: 32 bytes for each half-warp
        (12 * LANES, 4, (4, 12)),  # 192 bytes: a segment of 128 and half of one
        (8 * LANES, 4, (2, 8)),
        (8 * LANES, 8, (2, 8)),
        (16 * LANES, 16, (4, 16)),
        (128 * LANES, 4, (32, 32)),
        (LANES, 1, (2, 2)),  # segments of 32 bytes
        (2 * LANES, 2, (2, 2)),  # of 64, halved
        (40 * (LANES % 2), 1, (4, 4)),
        (40 * (LANES % 2), 2, (2, 4)),
        (96 * (LANES % 2), 4, (2, 8)),
    ],
)
def test_the_rule_of_1_2(addresses, width, expected):
    assert moved(addresses, width, "GT200") == expected


def test_three_rules_for_one_pattern():
    """The source's array of structs: three floats a thread, of which each reads the first."""
    addresses = 12 * LANES
    assert {device: moved(addresses, 4, device)[1] for device in ("G80", "GT200", "H200")} == {
        "G80": 32,
        "GT200": 12,
        "H200": 12,
    }


@pytest.mark.parametrize("device", ["G80", "GT200", "H200", "MetaX C500"])
def test_what_moves_holds_what_every_active_lane_wants_and_is_what_is_counted(device):
    random, lanes = np.random.default_rng(6), devices.get(device).warp_size
    for number in range(120):
        width = (1, 2, 4, 8, 16)[number % 5]
        addresses = width * (random.integers(0, 64) + np.arange(lanes) * random.integers(0, 3))
        if number % 3:
            addresses = width * random.integers(0, 200, lanes)
        active = random.random(lanes) < random.random() + 0.4
        (moves,) = transfers(addresses, active, width, device)
        counted = transactions(addresses, active, width, device)
        assert (len(moves), sum(move.bytes // 32 for move in moves)) == (
            counted.transactions,
            counted.sectors,
        )
        bytes_of = {lane: set() for lane in range(lanes)}
        for move in moves:
            assert move.address % 32 == 0
            moved = set(range(move.address, move.address + move.bytes))
            for lane in move.lanes:
                assert moved & set(range(addresses[lane], addresses[lane] + width)), "it serves this lane"
                bytes_of[lane] |= moved
        for lane in range(lanes):
            wanted = set(range(addresses[lane], addresses[lane] + width)) if active[lane] else set()
            assert bytes_of[lane] >= wanted
            assert bool(bytes_of[lane]) == bool(wanted)


def test_what_moves_for_a_few_lanes():
    assert transfers(40 * LANES, LANES < 3, 4, "H200") == [[(0, 32, (0,)), (32, 32, (1,)), (64, 32, (2,))]]
    assert transfers(40 * LANES, LANES < 3, 4, "GT200") == [[(0, 128, (0, 1, 2))]]
    assert transfers(4 * LANES, LANES < 17, 4, "G80") == [[(0, 64, tuple(range(16))), (64, 64, (16,))]]
    with pytest.raises(ValueError, match="only loads and stores are transfers"):
        transfers(4 * LANES, EVERY, 4, "H200", "atomic")


# Atomics and local memory.


@pytest.mark.parametrize(
    ("addresses", "sectors"),
    [
        (4 * LANES, 4),  # a word for each lane
        (0 * LANES, 32),  # all lanes on one word: one after the other
        (4 * (LANES // 2), 4),  # two lanes on each of 16 words, in two sectors
        (4 * np.where(LANES < 3, 0, LANES), 3 + 3),  # three on word 0; the others alone
    ],
)
def test_an_atomic_works_on_a_sector_for_each_lane_on_its_most_wanted_word(addresses, sectors):
    assert transactions(addresses, EVERY, 4, "H200", "atomic").sectors.tolist() == [sectors]


def test_recorded_atomics_are_reproduced_but_for_two():
    rows = [row for row in RECORDING["rows"] if row[3] == "atomic_add"]
    wrong = []
    for number, _name, _family, _operation, width, mask, offsets, requests, sectors, *_ in rows:
        active = [int(mask, 16) >> lane & 1 for lane in range(32)]
        counted = transactions(offsets, active, width, "H200", "atomic")
        assert counted.requests.tolist() == [requests]
        if counted.sectors.tolist() != [sectors]:
            wrong.append((number, int(counted.sectors[0]), sectors))
    assert wrong == [(3202, 11, 12), (3214, 17, 18)]


@pytest.mark.parametrize(("lanes", "together", "apart"), [(32, 4, 32), (64, 8, 64)])
def test_local_memory_is_interleaved_by_words(lanes, together, apart):
    everyone = np.ones((1, lanes), bool)
    same, own = np.full((1, lanes), 40), 4 * np.arange(lanes)[None]
    assert local_sectors(same, everyone, 4).tolist() == [together]
    assert local_sectors(same, everyone, 8).tolist() == [2 * together]
    assert local_sectors(same, everyone, 1).tolist() == [together]
    assert local_sectors(own, everyone, 4).tolist() == [apart]
    assert local_sectors(same, everyone & (np.arange(lanes) < 8), 4).tolist() == [1]


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


def test_a_local_array_is_counted_by_itself(machine):
    @cuda.jit
    def scratch(out):
        own = cuda.local.array(8, np.float32)
        i = cuda.threadIdx.x
        own[i % 8] = i
        out[i] = own[i % 8]

    with gpusim.profile() as run:
        scratch[1, 64](np.zeros(64, np.float32))
    warps = 64 // devices.get(machine).warp_size
    assert (run.local_load_requests, run.local_store_requests) == (warps, warps)
    assert (
        run.local_load_sectors == run.local_store_sectors == 64
    )  # 8 words in different places, lane by lane
    assert run.global_load_requests == 0


def test_the_source_reads_all_but_one_element_and_keeps_the_rule():
    @cuda.jit
    def all_but_three(data, out):
        i = cuda.threadIdx.x
        if i != 3:
            out[i] = data[i]

    with gpusim.profile("G80") as run:
        all_but_three[1, 32](np.ones(32, np.float32), np.zeros(32, np.float32))
    assert (run.global_load_transactions, run.global_load_sectors) == (2, 4)
    assert (run.global_store_transactions, run.global_store_sectors) == (2, 4)
