"""Do carve-outs come out as the H200's driver chose them? The launches that differ are listed."""

from __future__ import annotations

from gpusim.devices import carveout, occupancy
from tests.hardware import limits
from tests.hardware.memory import recording

# (percent, cudaFuncCache, dynamic bytes, threads) -> KiB of shared memory on the H200, and here. It takes
# more for small blocks: it adds the 1 KiB that it reserves in each block to what the blocks ask for.
MORE_THERE = {
    **{(percent, -1, 0, 128): (32, 8) for percent in range(4)},
    **{(percent, -1, 0, 128): (32, 16) for percent in range(4, 8)},
    (10, -1, 1024, 128): (64, 32),
    (25, -1, 1024, 128): (132, 64),
    (25, -1, 4096, 128): (100, 64),
    (50, -1, 1024, 128): (228, 132),
    (50, -1, 4096, 128): (164, 132),
    (57, -1, 1024, 128): (228, 132),
    (57, -1, 4096, 128): (164, 132),
    (57, -1, 8192, 128): (164, 132),
    (57, -1, 16384, 128): (164, 132),
    (58, -1, 1024, 128): (228, 164),
    (58, -1, 4096, 128): (196, 164),
    (75, -1, 1024, 128): (228, 196),
    (75, -1, 4096, 128): (228, 196),
    (-1, -1, 0, 128): (32, 16),
    (-1, -1, 0, 256): (32, 8),
    (-1, -1, 1024, 128): (64, 32),
    (-1, -1, 1024, 256): (32, 16),
    (-1, -1, 4096, 128): (132, 100),
    (-1, -1, 4096, 256): (100, 64),
    (-1, -1, 8192, 256): (132, 100),
    (-2, 0, 0, 128): (32, 16),
    (-2, 0, 1024, 128): (64, 32),
    (-2, 0, 4096, 128): (132, 100),
    (-2, 2, 0, 128): (32, 8),
    (-2, 2, 1024, 128): (16, 8),
    (-2, 2, 4096, 128): (16, 8),
    (-2, 2, 8192, 128): (32, 16),
    (-2, 2, 16384, 128): (64, 32),
    (-2, 2, 32768, 128): (100, 64),
    (-2, 3, 1024, 128): (228, 132),
    (-2, 3, 4096, 128): (164, 132),
}


def test_the_capacity_of_a_launch_is_that_of_the_h200_but_for_those_listed():
    launches = list(limits.chosen())
    assert len(launches) == 302
    others = {
        launch.asked: (launch.bytes // 1024, launch.bytes_here // 1024)
        for launch in launches
        if launch.bytes != launch.bytes_here
    }
    assert others == MORE_THERE


def test_as_many_blocks_fit_as_the_driver_says():
    assert [launch for launch in limits.chosen() if launch.blocks != launch.blocks_here] == []


def test_blocks_under_a_preference_are_those_of_the_calculator_or_more():
    recorded = recording("overlap")["resident"]
    assert len(recorded) == 72
    for percent, shared_bytes, answer, most, fewest in recorded:
        chosen = carveout.choose(
            limits.H200,
            block_bytes=occupancy.shared_allocation(limits.H200, shared_bytes),
            blocks=occupancy.blocks_per_multiprocessor(
                limits.H200, threads=128, registers_per_thread=16, shared_bytes=shared_bytes
            ),
            percent=percent,
        )
        assert answer == chosen.blocks <= fewest <= most, (percent, shared_bytes)


def test_answers_of_the_driver_are_reproduced():
    for asked in (limits.block_sizes, limits.variable_block_sizes, limits.resident, limits.carveouts):
        answers = list(asked())
        assert len(answers) >= 90
        assert [answer for answer in answers if answer.recorded != answer.simulated] == []
