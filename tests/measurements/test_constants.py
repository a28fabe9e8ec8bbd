"""How many passes does a constant load take? By hand, and against a set of addresses for each warp."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda, devices
from gpusim.measurements.constants import passes

TABLE = np.arange(64, dtype=np.float32)


@pytest.mark.parametrize("different", [1, 2, 3, 4, 8, 16, 32])
def test_k_different_words_take_k_passes(different):
    assert passes(4 * (np.arange(32) % different), np.ones(32, bool), 4).tolist() == [different]


@pytest.mark.parametrize(
    ("width", "each", "count"),
    [(1, 1, 32), (2, 2, 32), (4, 4, 32), (8, 8, 32), (16, 16, 32), (1, 0, 1), (16, 0, 1)],
)
def test_the_width_does_not_matter(width, each, count):
    assert passes(each * np.arange(32), np.ones(32, bool), width).tolist() == [count]


def test_lanes_that_are_off_ask_for_nothing():
    active = np.zeros((3, 32), bool)
    active[1, [4, 9]] = True
    active[2] = True
    addresses = np.tile(4 * np.arange(32), (3, 1))
    assert passes(addresses, active, 4).tolist() == [0, 2, 32]


def test_a_warp_of_1_x_asks_in_halves_and_one_of_64_lanes_together():
    same = np.zeros((1, 32), np.int64)
    assert passes(same, same == 0, 4, "GT200").tolist() == [2]
    wide = np.zeros((1, 64), np.int64)
    assert passes(wide, wide == 0, 4, "C500").tolist() == [1]


def test_against_a_set_of_addresses_for_each_warp():
    random = np.random.default_rng(2)
    for name, group in (("H200", 32), ("G80", 16), ("C500", 64)):
        lanes = devices.get(name).warp_size
        for width in (1, 4, 8):
            addresses = random.integers(0, 30, (100, lanes)) * width
            active = random.random((100, lanes)) < 0.5
            expected = [
                sum(
                    len(set(addresses[warp, half][active[warp, half]].tolist()))
                    for half in (slice(first, first + group) for first in range(0, lanes, group))
                )
                for warp in range(100)
            ]
            assert passes(addresses, active, width, name).tolist() == expected


# in a run


def test_a_table_that_all_lanes_read_together_and_one_that_each_reads_for_itself(machine):
    @cuda.jit
    def both(out):
        table = cuda.const.array_like(TABLE)
        i = cuda.grid(1)
        together = table[5]
        alone = table[i % 64]
        out[i] = together + alone

    with gpusim.profile() as run:
        both[2, 64](np.zeros(128, np.float32))
    lanes = devices.get(machine).warp_size
    warps = 128 // lanes
    assert run.constant_load_requests == 2 * warps
    assert run.constant_load_passes == warps + 128
    passes_by_line = [line["constant_load_passes"] for line in run.kernels[0].lines]
    assert {warps, 128} < set(passes_by_line)
    assert run.global_load_requests == 0


def test_constants_in_cpp():
    code = """
    __constant__ int table[32];
    extern "C" __global__ void look_up(int* out, int different) {
        out[threadIdx.x] = table[threadIdx.x % different];
    }
    """
    kernel = gpusim.RawModule(code=code).get_function("look_up")
    for different in (1, 5, 32):
        with gpusim.profile("H200") as run:
            kernel((1,), (32,), (np.zeros(32, np.int32), different))
        assert (run.constant_load_requests, run.constant_load_passes) == (1, different)
