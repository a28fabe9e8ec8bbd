"""What may a launch ask for, which thread is which, and what does a grid of any size cost?"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import LaunchError


@cuda.jit
def places(out):
    thread, block, width, grid = cuda.threadIdx, cuda.blockIdx, cuda.blockDim, cuda.gridDim
    number = block.x + grid.x * (block.y + grid.y * block.z)
    linear = thread.x + width.x * (thread.y + width.y * thread.z)
    place = number * (width.x * width.y * width.z) + linear
    out[place, 0] = thread.x + 100 * thread.y + 10000 * thread.z
    out[place, 1] = block.x + 100 * block.y + 10000 * block.z
    out[place, 2] = width.x + 100 * width.y + 10000 * width.z
    out[place, 3] = grid.x + 100 * grid.y + 10000 * grid.z
    out[place, 4] = cuda.laneid
    out[place, 5] = cuda.warpsize


@cuda.jit
def fill(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit
def grid_stride(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] += i


@cuda.jit
def box(x):
    i, j, k = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        x[i, j, k] = 10000 * i + 100 * j + k


@pytest.mark.parametrize("schedule", [None, "serial", 4])
@pytest.mark.parametrize(
    ("grid", "block"),
    [((3, 1, 1), (70, 1, 1)), ((2, 3, 1), (5, 7, 1)), ((2, 1, 2), (3, 4, 6)), ((1, 1, 1), (1, 1, 64))],
)
def test_threads_are_numbered_with_x_fastest(machine, grid, block, schedule):
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    out = np.full((blocks * threads, 6), -1)
    with gpusim.use(schedule=schedule):
        places[grid, block](out)
    lanes = gpusim.devices.get(machine).warp_size
    expected = [
        [
            x + 100 * y + 10000 * z,
            bx + 100 * by + 10000 * bz,
            block[0] + 100 * block[1] + 10000 * block[2],
            grid[0] + 100 * grid[1] + 10000 * grid[2],
            (x + block[0] * (y + block[1] * z)) % lanes,
            lanes,
        ]
        for bz, by, bx in np.ndindex(grid[::-1])
        for z, y, x in np.ndindex(block[::-1])
    ]
    assert out.tolist() == expected


@pytest.mark.parametrize("threads", [1, 31, 32, 33, 63, 64, 65, 1024])
def test_the_last_warp_may_be_partial(machine, threads):
    x = np.zeros(2 * threads, np.int64)
    fill[2, threads](x)
    assert (x == 1).all()


def test_each_element_once_in_a_grid_stride_loop(machine):
    x = np.zeros(1000, np.int64)
    grid_stride[3, 70](x)
    assert (x == np.arange(1000)).all()


def test_a_grid_of_three_dimensions(machine):
    x = np.zeros((5, 6, 7), np.int64)
    box[(2, 3, 4), (3, 2, 2)](x)
    i, j, k = np.indices(x.shape)
    assert (x == 10000 * i + 100 * j + k).all()


@pytest.mark.parametrize(
    ("device", "grid", "block", "message"),
    [
        (
            "H200",
            1,
            1025,
            r"block \(1025, 1, 1\): x is 1025, and H200 takes 1 to 1024 there \(max_block_dim\)",
        ),
        ("G80", 1, 513, r"block \(513, 1, 1\): x is 513, and G80 takes 1 to 512 there \(max_block_dim\)"),
        ("H200", 1, (1, 1, 65), r"z is 65, and H200 takes 1 to 64 there \(max_block_dim\)"),
        (
            "H200",
            1,
            (64, 17),
            r"\(64, 17, 1\) has 1088 threads; H200 allows 1024 a block \(max_threads_per_block\)",
        ),
        ("H200", 0, 32, r"grid \(0, 1, 1\): x is 0, and H200 takes 1 to 2147483647 there \(max_grid_dim\)"),
        (
            "H200",
            (1, 65536),
            32,
            r"grid \(1, 65536, 1\): y is 65536, and H200 takes 1 to 65535 there \(max_grid_dim\)",
        ),
        ("G80", (1, 1, 2), 32, r"grid \(1, 1, 2\): z is 2, and G80 takes 1 to 1 there \(max_grid_dim\)"),
        ("H200", -1, 32, r"grid \(-1, 1, 1\): x is -1"),
    ],
)
def test_a_launch_outside_the_limits_names_the_limit(device, grid, block, message):
    x = np.zeros(4)
    with gpusim.use(device), pytest.raises(LaunchError, match=message):
        fill[grid, block](x)
    assert not x.any()


def test_too_much_shared_memory_names_the_limit():
    @cuda.jit
    def greedy(x):
        tile = cuda.shared.array(20_000, np.uint8)
        tile[0] = 1

    greedy[1, 1](np.zeros(1))
    with (
        gpusim.use("G80"),
        pytest.raises(LaunchError, match=r"20000 bytes of shared memory; G80 allows 16384 a block"),
    ):
        greedy[1, 1](np.zeros(1))


@pytest.mark.parametrize("schedule", [None, "serial", 4])
def test_a_grid_larger_than_the_device_runs_in_batches(scheduling, schedule):
    """A G80 holds 16 × 8 blocks, so 300 blocks take three batches; each block has its own shared memory."""

    @cuda.jit
    def sums(x, out):
        tile = cuda.shared.array(40, np.int64)
        t = cuda.threadIdx.x
        tile[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        if t == 0:
            total = 0
            for k in range(40):
                total += tile[k]
            out[cuda.blockIdx.x, cuda.blockIdx.y] = total

    x, out = np.arange(100 * 40), np.zeros((100, 3), np.int64)
    with gpusim.use("G80", scheduling=scheduling, schedule=schedule):
        sums[(100, 3), 40](x, out)
    assert (out == x.reshape(100, 40).sum(axis=1)[:, None]).all()


def test_memory_does_not_grow_with_the_grid(device):
    """Ten times the blocks, in the same space: both grids are larger than what is resident at once."""

    def peak(blocks):
        x = np.zeros(1)
        fill[blocks, 256](x)
        tracemalloc.start()
        fill[blocks, 256](x)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    with gpusim.use(device):
        assert peak(20_000) < 1.1 * peak(2_000)
