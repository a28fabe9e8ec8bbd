"""How full is a multiprocessor, and which resource lets no more in?"""

from __future__ import annotations

import pytest

from gpusim.devices.occupancy import theoretical

KIB = 1024
TILE = 48 * KIB


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        # 64 warps, 8 a block
        ({"threads": 256, "registers_per_thread": 32}, (8, 64, 1.0, "warps")),
        # 32 blocks of one warp each: half of the warps stay empty
        ({"threads": 32, "registers_per_thread": 16}, (32, 32, 0.5, "blocks")),
        # 64 registers x 32 lanes x 8 warps are 16384 of 65536
        ({"threads": 256, "registers_per_thread": 64}, (4, 32, 0.5, "registers")),
        # 48 KiB and 1 KiB reserved: 4 of them in 228 KiB
        (
            {"threads": 256, "registers_per_thread": 32, "shared_bytes": TILE},
            (4, 32, 0.5, "shared memory"),
        ),
        # both would do; more registers change nothing, so shared memory is named
        (
            {"threads": 256, "registers_per_thread": 64, "shared_bytes": TILE},
            (4, 32, 0.5, "shared memory"),
        ),
        # a carve-out of 8 KiB, of which the driver keeps 1 KiB a block
        (
            {"threads": 128, "registers_per_thread": 31, "shared_capacity_bytes": 8 * KIB},
            (8, 32, 0.5, "shared memory"),
        ),
    ],
)
def test_blocks_and_warps_on_an_h200(asked, expected):
    assert theoretical("H200", **asked) == expected


def test_a_block_of_half_a_warp_counts_as_a_warp_of_either_width():
    assert theoretical("H200", threads=16, registers_per_thread=16).warps == 32
    assert theoretical("MetaX C500", threads=16, registers_per_thread=16).theoretical_occupancy == 1.0
