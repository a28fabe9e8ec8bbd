"""How full is a multiprocessor, and which resource lets no more in?"""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.devices.occupancy import blocks_per_multiprocessor, shares
from gpusim.errors import LaunchError

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
    found = gpusim.occupancy("H200", **asked)
    assert (found.blocks, found.warps, found.theoretical_occupancy, found.limited_by) == expected


def test_a_block_of_half_a_warp_counts_as_a_warp_of_either_width():
    assert gpusim.occupancy("H200", threads=16, registers_per_thread=16).warps == 32
    assert gpusim.occupancy("MetaX C500", threads=16, registers_per_thread=16).theoretical_occupancy == 1.0


def test_what_must_go_for_one_block_more():
    found = gpusim.occupancy("H200", threads=256, registers_per_thread=64)
    registers = found["registers"]
    # 5 blocks are 40 warps, 10 in each of four files of 16384 registers: 1638 for a warp, rounded to 1536
    assert (registers.blocks, registers.at_most, registers.must_go) == (4, 48, 16)
    assert (registers.taken, registers.capacity) == (65536, 65536)
    assert [limit.at_most for limit in found.limits if limit is not registers] == [None] * 3
    assert found.smaller_block == 192  # 32 warps fit, and 5 blocks of 6 are 30
    assert (found.best_block, found.best_occupancy) == (1024, 0.5)


def test_in_a_terminal():
    found = gpusim.occupancy("H200", threads=256, registers_per_thread=40, shared_bytes=TILE)
    assert str(found).splitlines() == [
        "H200: 256 threads per block, 40 registers per thread, 49,152 shared bytes",
        "                 lets in  a block    taken       of  one more: at most",
        "  warps                8        8       32       64",
        "  blocks              32        1        4       32",
        "> shared memory        4   50,176  200,704  233,472  45,568 (3,584 fewer)",
        "  registers            6   10,240   40,960   65,536",
        "4 blocks, 32 of 64 warps. Shared memory lets no more in: one block more",
        "needs at most 45,568 bytes of shared memory per block (3,584 fewer).",
    ]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"threads": 32, "registers_per_thread": 16},
            "32 blocks, 32 of 64 warps. A multiprocessor takes no more than 32 blocks: only larger ones "
            "bring more warps.",
        ),
        # of seven warps 9 fit, with 32 registers, too
        (
            {"threads": 256, "registers_per_thread": 32},
            "8 blocks, 64 of 64 warps. Warps and registers let no more in: one block more needs blocks of at "
            "most 224 threads.",
        ),
        (
            {"threads": 1024, "registers_per_thread": 64, "shared_bytes": 120 * KIB},
            "1 block, 32 of 64 warps. Shared memory and registers let no more in: one block more needs at "
            "most 115,712 bytes of shared memory per block (7,168 fewer) and at most 32 registers per thread "
            "(32 fewer).",
        ),
        (
            {"threads": 128, "registers_per_thread": 32, "shared_capacity_bytes": 8 * KIB},
            "8 blocks, 32 of 64 warps. Shared memory lets no more in: one block more does not fit, however "
            "little it asks for.",
        ),
    ],
)
def test_the_sentence(asked, says):
    assert gpusim.occupancy("H200", **asked).says == says


UNITS = {
    "warps": ("threads", 0),
    "registers": ("registers_per_thread", 1),
    "shared memory": ("shared_bytes", 1),
}
WIDE = ("P100", "V100", "A100", "H200", "MetaX C500", "G80", "C2050", "K80", "TX2")


def test_no_less_would_do():
    """Of each resource that limits: `at_most` lets one more in, and one unit more of it does not."""
    chance = random.Random(1)
    seen = set()
    for _ in range(1500):
        device = devices.get(chance.choice(WIDE))
        asked = {
            "threads": chance.randint(1, device.max_threads_per_block),
            "registers_per_thread": chance.randint(1, device.max_registers_per_thread),
            "shared_bytes": chance.choice((0, chance.randint(0, device.shared_bytes_per_block_optin + 2000))),
        }
        found = gpusim.occupancy(device, **asked)
        assert found.blocks == blocks_per_multiprocessor(device, **asked)
        for limit in found.limits:
            if limit.blocks != found.blocks or limit.resource == "blocks":
                assert limit.must_go is None
                continue
            name, unit = UNITS[limit.resource]
            seen.add((limit.resource, limit.at_most is None))
            least = limit.at_most or 0
            for value in {least or 1, least + 1}:
                share = shares(device, **asked | {name: value * (unit or device.warp_size)})[limit.resource]
                lets_in = share.blocks is None or share.blocks > found.blocks
                assert lets_in == (value == limit.at_most)
            assert limit.at_most is None or limit.must_go == limit.asked - least > 0
        smaller = [
            size
            for size in range(device.warp_size, asked["threads"], device.warp_size)
            if blocks_per_multiprocessor(device, **asked | {"threads": size}) > found.blocks
        ]
        assert found.smaller_block == max(smaller, default=None)
        if needs := re.findall(r"at most ([\d,]+) (thread|register|byte)", found.says):
            names = {"thread": "threads", "register": "registers_per_thread", "byte": "shared_bytes"}
            done = {names[what]: int(most.replace(",", "")) for most, what in needs}
            assert blocks_per_multiprocessor(device, **asked | done) > found.blocks
    assert seen > {(resource, False) for resource in ("warps", "registers", "shared memory")}


def kernel_in(language):
    if language == "cpp":
        code = """extern "C" __global__ void tile(float* x) {
            __shared__ float t[1024]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = t[1]; }"""
        return gpusim.RawModule(code=code).get_function("tile")

    @cuda.jit("void(float32[:])")
    def tile(x):
        t = cuda.shared.array(1024, np.float32)
        t[cuda.threadIdx.x] = x[cuda.threadIdx.x]
        cuda.syncthreads()
        x[0] = t[1]

    return tile


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_of_a_kernel(language):
    kernel = kernel_in(language)
    found = kernel.occupancy((16, 16), 44 * KIB)
    assert (found.device, found.threads, found.shared_bytes) == ("H200", 256, 48 * KIB)
    assert (found.blocks, found.limited_by) == (4, "shared memory")
    # 228 KiB / 5 = 46694 bytes, 364 units of 128, of which 1 KiB is reserved
    assert found["shared memory"].must_go == 48 * KIB - (364 * 128 - 1024)
    assert kernel.occupancy(256, device="V100").device == "V100"
    with pytest.raises(LaunchError, match="dynamic shared memory is a number of bytes, not -1"):
        kernel.occupancy(256, -1)


def test_of_what_cannot_be():
    for asked, message in (
        ({"threads": 0, "registers_per_thread": 1}, "a block has a positive number of threads, not 0"),
        ({"threads": 1, "registers_per_thread": 256}, "a thread of H200 has at most 255 registers"),
        ({"threads": 1, "registers_per_thread": 1, "shared_bytes": -1}, "a block has 0 bytes"),
    ):
        with pytest.raises(LaunchError, match=message):
            gpusim.occupancy("H200", **asked)
