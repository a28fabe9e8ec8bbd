"""How few sectors would have done, and what does the request look like that took more?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import devices
from gpusim.measurements.coalescing import ideal_sectors, transactions
from gpusim.measurements.ledger import worst
from gpusim.reports.launch import Example

LANES = np.arange(32)
EVERYONE = np.ones(32, bool)


@pytest.mark.parametrize(
    ("active", "width", "expected"),
    [
        (EVERYONE, 4, 4),
        (EVERYONE, 1, 1),
        (EVERYONE, 16, 16),
        (LANES == 31, 4, 1),
        (LANES % 2 == 0, 4, 4),  # the lanes between do nothing, but their bytes lie in the same sectors
        (LANES < 9, 4, 2),
        (~EVERYONE, 4, 0),
    ],
)
def test_the_sectors_of_neighbouring_elements(active, width, expected):
    assert ideal_sectors(active, width).tolist() == [expected]


def test_the_first_devices_move_whole_segments_for_half_warps():
    # 16 floats are 64 bytes, two sectors; of chars a half-warp gets 32 bytes at least, on a G80 each lane
    assert ideal_sectors(EVERYONE, 4, "GT200").tolist() == [4]
    assert ideal_sectors(EVERYONE, 1, "GT200").tolist() == [2]
    assert ideal_sectors(EVERYONE, 1, "G80").tolist() == [32]


@pytest.mark.parametrize("device", devices.names())
@pytest.mark.parametrize("kind", ["load", "store", "atomic"])
def test_what_is_coalesced_takes_no_more_whatever_the_mask(device, kind):
    lanes = devices.get(device).warp_size
    active = np.random.default_rng(7).random((40, lanes)) < np.linspace(0, 1, 40)[:, None]
    for width in (4, 8):
        addresses = 4096 + np.tile(np.arange(lanes) * width, (40, 1))
        took = transactions(addresses, active, width, device, kind).sectors
        assert (took == ideal_sectors(active, width, device, kind)).all()


def example(addresses, active=EVERYONE, width=4):
    addresses = np.asarray(addresses, np.int64)
    return worst(addresses[None], np.asarray(active)[None], width, np.array([9]), np.array([4]))


def test_a_stride_is_what_at_least_half_of_the_neighbours_are_apart():
    assert example(LANES * 12).stride_bytes == 12
    assert example(LANES[::-1] * 4).stride_bytes == -4
    assert example(np.zeros(32)).stride_bytes == 0
    assert example(LANES % 16 * 4096 + LANES // 16 * 4).stride_bytes == 4096
    assert example(LANES**2 * 4).stride_bytes is None
    assert example(LANES * 8, LANES % 2 == 0).stride_bytes is None  # no two neighbours are active
    assert example(LANES * 4, LANES == 3) == Example(9, 4, 1, 4, None, 12)


def test_the_example_is_the_request_that_exceeds_its_ideal_by_most():
    addresses = np.stack([LANES * 8, LANES * 128, LANES * 4])
    active = np.ones((3, 32), bool)
    found = worst(addresses, active, 4, np.array([8, 32, 4]), np.array([4, 4, 4]))
    assert (found.took, found.ideal, found.stride_bytes) == (32, 4, 128)
