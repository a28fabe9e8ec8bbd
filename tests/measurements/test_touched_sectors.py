"""Which sectors does a warp touch, and which bytes of them? By hand, and against sets of bytes."""

from __future__ import annotations

import numpy as np

from gpusim.measurements.touched_sectors import interleaved, touched


def test_the_sectors_and_bytes_of_a_warp():
    addresses = np.array([[0, 4, 40, 30]], np.int64)
    rows, sectors, some_bytes = touched(addresses, np.ones((1, 4), bool), 4)
    assert rows.tolist() == [0, 0]
    assert sectors.tolist() == [0, 1]  # the last one goes two bytes into sector 1
    assert some_bytes.tolist() == [0xC00000FF, 0x00000F03]


def test_lanes_that_are_off_touch_nothing():
    addresses, active = np.zeros((2, 4), np.int64), np.zeros((2, 4), bool)
    active[1, 2] = True
    addresses[1, 2] = 100
    rows, sectors, some_bytes = touched(addresses, active, 1)
    assert (rows.tolist(), sectors.tolist(), some_bytes.tolist()) == ([1], [3], [1 << 4])


def test_touched_against_a_set_of_bytes():
    random = np.random.default_rng(4)
    for width in (1, 2, 4, 8, 12, 16, 100):
        addresses = random.integers(0, 500, (40, 8))
        active = random.random((40, 8)) < 0.6
        found = {}
        for row, sector, bits in zip(*touched(addresses, active, width), strict=True):
            assert (row, sector) not in found
            found[row, sector] = int(bits)
        expected = {}
        for row, lane in zip(*np.nonzero(active), strict=True):
            for byte in range(addresses[row, lane], addresses[row, lane] + width):
                key = row, byte // 32
                expected[key] = expected.get(key, 0) | 1 << byte % 32
        assert found == expected


def test_one_address_for_a_whole_warp_is_touched_once():
    addresses = np.broadcast_to(np.array([[64], [8]], np.int64), (2, 32))
    active = np.ones((2, 32), bool)
    active[1] = False
    rows, sectors, some_bytes = touched(addresses, active, 4)
    assert (rows.tolist(), sectors.tolist(), some_bytes.tolist()) == ([0], [2], [0xF])


def test_local_memories_lie_word_by_word_beside_each_other():
    """Two lanes with 8 bytes each: word 0 of both, then word 1 of both; the second warp's come behind."""
    addresses, active = np.array([[0, 0], [4, 5]]), np.array([[True, True], [True, False]])
    place, on, width = interleaved(addresses, active, 1, np.array([0, 1]), window_bytes=8)
    assert (place.tolist(), on.tolist(), width) == ([[0, 4], [24, 29]], active.tolist(), 1)
    place, on, width = interleaved(addresses[:1], active[:1], 8, np.array([0]), window_bytes=8)
    assert (place.tolist(), on.tolist(), width) == ([[0, 4, 8, 12]], [[True] * 4], 4)
