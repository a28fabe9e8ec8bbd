"""What do lanes get from a shuffle, a vote, a match? By hand; tests/hardware has what an H200 got."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import Deadlock, InvalidMask, KernelTypeError

ALL = 0xFFFFFFFF
SCHEDULES = [None, "serial", 1, 2]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("device", ["H200", "MetaX C500"])
def test_a_butterfly_sums_a_warp(device, schedule):
    @cuda.jit
    def total(x, out):
        i = cuda.grid(1)
        value = x[i]
        distance = cuda.warpsize // 2
        while distance > 0:
            value += cuda.shfl_xor_sync(-1, value, distance)
            distance //= 2
        out[i] = value

    x, out = np.arange(192, dtype=np.float32), np.zeros(192, np.float32)
    with gpusim.use(device, schedule=schedule):
        total[3, 64](x, out)
    lanes = gpusim.devices.get(device).warp_size
    assert out.tolist() == np.repeat(x.reshape(-1, lanes).sum(axis=1), lanes).tolist()


@pytest.mark.parametrize("device", ["H200", "MetaX C500"])
def test_all_warps_read_from_one_lane(device):
    @cuda.jit
    def broadcast(x, out):
        i = cuda.grid(1)
        out[i] = cuda.shfl_sync(-1, x[i], 5)

    x, out = np.arange(192), np.zeros(192, np.int64)
    with gpusim.use(device):
        broadcast[1, 192](x, out)
    lanes = gpusim.devices.get(device).warp_size
    assert out.tolist() == [i // lanes * lanes + 5 for i in range(192)]


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64]
)
def test_a_shuffle_keeps_every_bit(dtype):
    @cuda.jit
    def reverse(x, out):
        i = cuda.laneid
        out[i] = cuda.shfl_sync(0xFFFFFFFF, x[i], 31 - i)

    x = (np.arange(32) * 1.1 - 16).astype(dtype)
    out = np.zeros_like(x)
    reverse[1, 32](x, out)
    assert out.tolist() == x[::-1].tolist()


def test_an_atomics_old_value_can_be_exchanged_at_once():
    @cuda.jit
    def last_ticket(tickets, out):
        i = cuda.laneid
        out[i] = cuda.shfl_sync(0xFFFFFFFF, cuda.atomic.add(tickets, 0, 1), 31)

    tickets, out = np.zeros(1, np.int64), np.zeros(32, np.int64)
    last_ticket[1, 32](tickets, out)
    assert out.tolist() == 32 * [31]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_independent_lanes_exchange_across_a_branch(schedule):
    @cuda.jit
    def swap(out):
        i = cuda.laneid
        if i % 2 == 0:
            out[i] = cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)
        else:
            out[i] = cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)

    out = np.zeros(32, np.int32)
    with gpusim.use("H200", schedule=schedule):
        swap[1, 32](out)
    assert out.tolist() == [lane ^ 1 for lane in range(32)]
    with (
        gpusim.use("P100"),
        pytest.raises(InvalidMask, match="one program counter has only the lanes 0x55555555"),
    ):
        swap[1, 32](out)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_groups_of_one_warp_meet_on_their_own(schedule):
    @cuda.jit
    def quarters(out):
        i = cuda.laneid
        mask = 0xFF << (i // 8 * 8)
        out[i] = cuda.ballot_sync(mask, i % 3 == 0)

    out = np.zeros(32, np.int64)
    with gpusim.use("H200", schedule=schedule):
        quarters[1, 32](out)
    threes = sum(1 << lane for lane in range(0, 32, 3))
    assert [int(mask) & ALL for mask in out] == [threes & (0xFF << (lane // 8 * 8)) for lane in range(32)]


def test_lanes_that_left_are_not_waited_for():
    @cuda.jit
    def early(out):
        i = cuda.laneid
        if i >= 10:
            return
        out[i] = cuda.ballot_sync(0xFFFFFFFF, 1)

    out = np.zeros(32, np.int32)
    early[1, 32](out)
    assert out.tolist() == 10 * [0x3FF] + 22 * [0]


def test_lanes_that_wait_for_a_lane_elsewhere_are_named():
    @cuda.jit
    def stuck():
        if cuda.laneid == 0:
            cuda.syncthreads()
        else:
            cuda.syncwarp()
            cuda.syncthreads()

    with pytest.raises(Deadlock, match=r"lane\(s\) wait for others at line"):
        stuck[1, 32]()


def test_a_lane_must_name_itself():
    @cuda.jit
    def selfless(out):
        out[cuda.laneid] = cuda.ballot_sync(0xFFFE, 1)

    with pytest.raises(InvalidMask, match=r"thread \(0, 0, 0\) of block \(0, 0, 0\) is lane 0") as error:
        selfless[1, 16](np.zeros(16, np.int32))
    assert "cuda.ballot_sync(0xFFFE, 1)" in str(error.value)


def test_masks_of_sixty_four_lanes():
    @cuda.jit
    def high(out, below):
        i = cuda.laneid
        out[i] = cuda.ballot_sync(-1, i >= 60)
        below[i] = cuda.lanemask_lt()

    out, below = np.zeros(64, np.int64), np.zeros(64, np.int64)
    with gpusim.use("MetaX C500"):
        high[1, 64](out, below)
    assert set(out.tolist()) == {-(1 << 60)}
    assert below.tolist() == [(1 << lane) - 1 for lane in range(64)]


def test_a_mask_is_an_integer():
    @cuda.jit
    def wrong(x):
        x[0] = cuda.any_sync(0.5, 1)

    with pytest.raises(KernelTypeError, match="a mask of type float64"):
        wrong[1, 32](np.zeros(1))


def test_the_listing_shows_the_exchange():
    @cuda.jit
    def first(x):
        x[cuda.laneid] = cuda.shfl_sync(0xFFFFFFFF, x[cuda.laneid], 0)

    text = first.inspect_ir(np.zeros(32, np.float32))
    assert "shfl.sync.idx 4294967295, %" in text
    assert "mov.f32" in text
    assert "%exchanged" in text
