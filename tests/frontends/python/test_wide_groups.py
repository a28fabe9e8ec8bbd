"""Do tiles of several warps, tokens and copies to shared memory work in Python as in CUDA, on both widths?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import BarrierMisused, Deadlock, KernelTypeError, UnsupportedConstruct
from tests.from_text import define

cg = cuda.cg
SIZE = 128


@cuda.jit(device=True)
def further(a, b):
    return b if abs(a) < abs(b) else a


@cuda.jit(device=True)
def more(number):
    return number + 1


@cuda.jit
def wide(out, given, lanes):
    block = cg.this_thread_block()
    tile = cg.tiled_partition(block, SIZE)
    mine = given[block.thread_rank()]
    row = out[block.thread_rank()]
    for _ in range(tile.meta_group_rank() + 1):
        row[0] = cg.reduce(tile, mine, cg.plus())
        row[1] = cg.reduce(tile, mine, further)
        row[2] = cg.inclusive_scan(tile, mine)
        row[3] = cg.exclusive_scan(tile, mine)
        row[4] = tile.shfl(mine, 100)
        row[5] = 2 * tile.any(mine == 7) + tile.all(mine < 40)
        row[6] = cg.invoke_one_broadcast(tile, more, mine)
        token = tile.barrier_arrive()
        row[7] = tile.thread_rank() + 1000 * tile.meta_group_size()
        tile.barrier_wait(token)
        warp = cg.tiled_partition(tile, lanes)
        row[8] = warp.meta_group_rank() * 100 + warp.all(1) + warp.size()
        cg.sync(tile)
    token = block.barrier_arrive()
    row[9] = mine
    block.barrier_wait(token)


def test_a_tile_of_several_warps_works_like_one_of_lanes(machine):
    lanes = gpusim.devices.get(machine).warp_size
    given = np.random.default_rng(7).integers(-50, 50, 256).astype(np.int32)
    out = np.zeros((256, 10), np.int32)
    with gpusim.sanitize("racecheck", "synccheck") as report:
        wide[1, 256](out, given, lanes)
    assert report.clean, report
    tiles = given.reshape(-1, SIZE)
    sums = tiles.cumsum(axis=1)
    furthest = [max(tile, key=abs) for tile in tiles]
    assert (abs(out[:, 1]) == np.repeat(np.abs(furthest), SIZE)).all()
    expected = {
        0: sums[:, -1:], 2: sums, 3: sums - tiles, 4: tiles[:, 100:101],
        5: 2 * (tiles == 7).any(axis=1, keepdims=True) + (tiles < 40).all(axis=1, keepdims=True),
        6: tiles[:, :1] + 1, 7: np.arange(SIZE) + 1000 * len(tiles),
        8: np.arange(SIZE) // lanes * 100 + 1 + lanes, 9: tiles,
    }  # fmt: skip
    for field, wanted in expected.items():
        assert (out[:, field].reshape(tiles.shape) == wanted).all(), field


@pytest.mark.parametrize("dtype", ["uint8", "bool", "float32", "float64", "int64"])
def test_values_keep_their_type(dtype):
    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        tile = cg.tiled_partition(cg.this_thread_block(), 64)
        out[0, i] = cg.reduce(tile, x[i], cg.greater())
        out[1, i] = tile.shfl(x[i], 40)

    x, out = np.random.default_rng(1).integers(0, 200, 64).astype(dtype), np.zeros((2, 64))
    kernel[1, 64](x, out)
    assert (out == np.array([x.max(), x[40]], float)[:, None]).all()


CPP = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void nested(int* out) {
    auto block = cg::this_thread_block();
    auto outer = cg::tiled_partition<128>(block);
    auto inner = cg::tiled_partition<64>(outer);
    int i = block.thread_rank(), sum = cg::reduce(inner, i, cg::plus<int>());
    out[i] = sum + outer.shfl(i, 100) + inner.meta_group_rank();
}"""


@cuda.jit
def nested(out):
    block = cg.this_thread_block()
    outer = cg.tiled_partition(block, 128)
    inner = cg.tiled_partition(outer, 64)
    i = block.thread_rank()
    added = cg.reduce(inner, i, cg.plus())
    out[i] = added + outer.shfl(i, 100) + inner.meta_group_rank()


@pytest.mark.parametrize("language", ["Python", "C++"])
def test_tiles_of_tiles_do_not_meet_in_what_they_exchange(language):
    kernel = nested if language == "Python" else gpusim.RawModule(code=CPP).get_function("nested")
    ranks, out = np.arange(256), np.zeros(256, np.int32)
    expected = ranks.reshape(4, 64).sum(axis=1).repeat(64) + ranks // 128 * 128 + 100 + ranks // 64 % 2
    with gpusim.use(schedule=3), gpusim.sanitize("racecheck") as report:
        if language == "Python":
            kernel[1, 256](out)
        else:
            kernel((1,), (256,), (out,))
    assert (out == expected).all()
    assert report.clean, report


# copies -----------------------------------------------------------------------------------------------------


@cuda.jit
def reversed_in_blocks(out, x, waits):
    s = cuda.shared.array(256, np.float32)
    block = cg.this_thread_block()
    cg.memcpy_async(block, s, x[256 * cuda.blockIdx.x :], 256)
    if waits:
        cg.wait(block)
    else:
        block.sync()
    for i in range(block.thread_rank(), 256, block.size()):
        out[256 * cuda.blockIdx.x + i] = s[255 - i]


@cuda.jit
def staged(out, x, n, left):
    s = cuda.shared.array((2, SIZE), np.int64)
    tile = cg.tiled_partition(cg.this_thread_block(), SIZE)
    mine = x[tile.meta_group_rank()]
    cg.memcpy_async(tile, s[0], mine, SIZE)
    total = 0
    for i in range(n):
        if i + 1 < n:
            cg.memcpy_async(tile, s[(i + 1) % 2], mine[SIZE * (i + 1) :], SIZE)
            cg.wait_prior(tile, left)
        else:
            cg.wait(tile)
        total += s[i % 2, (tile.thread_rank() + 1) % SIZE]
        tile.sync()
    out[tile.thread_rank()] = total


def test_what_was_waited_for_is_there(machine):
    x, out = np.random.default_rng(1).random(512, np.float32), np.zeros(512, np.float32)
    numbers, sums = np.arange(5 * SIZE, dtype=np.int64)[None] ** 2, np.zeros(SIZE, np.int64)
    with gpusim.sanitize("racecheck", "synccheck") as report:
        reversed_in_blocks[2, 128](out, x, True)
        staged[1, SIZE](sums, numbers, 5, 1)
    assert report.clean, report
    assert (out.reshape(2, 256) == x.reshape(2, 256)[:, ::-1]).all()
    assert (sums == np.roll(numbers.reshape(5, SIZE), -1, 1).sum(axis=0)).all()


def test_a_barrier_alone_does_not_bring_a_copy(machine):
    with gpusim.sanitize("racecheck") as report:
        reversed_in_blocks[1, 256](np.zeros(256, np.float32), np.zeros(256, np.float32), False)
        staged[1, SIZE](np.zeros(SIZE, np.int64), np.zeros((1, 5 * SIZE), np.int64), 5, 2)
    assert {(found.kernel, found.hazard, found.count) for found in report.findings} == {
        ("reversed_in_blocks", "not delivered", 256),
        ("staged", "not delivered", 4 * SIZE),  # uses
        ("staged", "not delivered", 3 * SIZE),  # copies to where one is on its way
    }
    assert "thread (0, 0, 0) of block (0, 0, 0) uses shared s[255]" in report.findings[0].message
    assert report.findings[0].hint == "wait first: cuda.cg.wait(group)"


@pytest.mark.parametrize("dtype", ["uint8", "float16", "complex64", "float64"])
def test_a_group_within_a_warp_copies_some_elements(dtype):
    @cuda.jit
    def kernel(out, x):
        s = cuda.shared.array(40, x.dtype)
        tile = cg.tiled_partition(cg.this_thread_block(), 8)
        if cuda.threadIdx.x < 8:
            cg.memcpy_async(tile, s[1:], x, 21)
            cg.wait(tile)
            for i in range(1 + tile.thread_rank(), 22, 8):
                out[i] = s[i]

    x, out = np.arange(40).astype(dtype), np.zeros(40, dtype)
    kernel[1, 32](out, x)
    assert (out[1:22] == x[:21]).all()
    assert not out[22:].any()


# the grid ---------------------------------------------------------------------------------------------------


def test_a_grid_is_valid_where_it_is_launched_cooperatively():
    def asks(out):
        out[0] = cg.this_grid().is_valid()

    @cuda.jit
    def asks_and_syncs(out):
        grid = cg.this_grid()
        if grid.is_valid():
            grid.sync()
            out[0] = 1

    for kernel, expected in (
        (cuda.jit(asks), 0),
        (cuda.jit(asks, cooperative=True), 1),
        (asks_and_syncs, 1),
    ):
        out = np.zeros(1, np.int32)
        kernel[2, 32](out)
        assert out[0] == expected


# misuse -----------------------------------------------------------------------------------------------------

REFUSED = {
    "cg.tiled_partition(block, 2048)": ("a tile of 2048 threads", "at most 1024, a whole block"),
    "cg.tiled_partition(block, 96)": ("a tile has 1, 2, 4, 8, … threads", "not 96"),
    "cg.tiled_partition(wide, 128)": ("a tile of 128 threads within one of 64", "cut the block instead"),
    "cg.tiled_partition(lanes, 64)": ("a tile of 64 threads of a coalesced_group", "cut the block instead"),
    "wide.ballot(1)": ("'ballot' of a thread_block_tile<64>", "cuda.cg.tiled_partition(tile, 32)"),
    "cg.binary_partition(wide, 1)": ("a collective of a thread_block_tile<64>", "tiled_partition(tile, 32)"),
    "block.barrier_wait(3)": ("this is no token of a thread_block", "what its barrier_arrive() gave"),
    "wide.barrier_wait(block.barrier_arrive())": ("this is no token of a thread_block_tile<64>", "gave"),
    "block.barrier_wait()": ("wrong arguments", "cuda.cg.thread_block.barrier_wait(group, token)"),
    "lanes.barrier_arrive()": ("'barrier_arrive' of a coalesced_group is not supported", "or the block have"),
    "cg.this_grid().barrier_arrive()": (
        "'barrier_arrive' of a GridGroup is not supported",
        "a grid has sync",
    ),
    "cg.memcpy_async(block, s, x, 8)": ("memcpy_async() of float64 to float32", "convert them in a loop"),
    "cg.memcpy_async(block, s, 3, 8)": ("memcpy_async() copies between arrays of one dimension", "count)"),
    "cg.memcpy_async(block, s, x[0], 8)": ("memcpy_async() copies between arrays of one dimension", "count)"),
    "cg.wait_prior(block)": ("wrong arguments", "use cuda.cg.wait_prior(group, copies)"),
}


@pytest.mark.parametrize("expression", REFUSED)
def test_misuse_is_refused_at_its_line(expression):
    message, hint = REFUSED[expression]
    text = (
        "def kernel(x):\n    block = cg.this_thread_block()\n    lanes = cg.coalesced_threads()\n"
        "    wide = cg.tiled_partition(block, 64)\n    s = cuda.shared.array(8, np.float32)\n"
    )
    with pytest.raises((KernelTypeError, UnsupportedConstruct)) as raised:
        cuda.jit(define(f"{text}    y = {expression}\n", cg=cg, cuda=cuda, np=np))[1, 64](np.zeros(3))
    assert message in raised.value.message
    assert hint in raised.value.hint
    assert (raised.value.span.line, raised.value.span.callers) == (6, ())


def test_a_token_is_waited_for_once():
    @cuda.jit
    def twice(tiled):
        block = cg.this_thread_block()
        tile = cg.tiled_partition(block, 64)
        if tiled:
            token = tile.barrier_arrive()
            tile.barrier_wait(token)
            tile.barrier_wait(token)
        else:
            other = block.barrier_arrive()
            block.barrier_wait(other)
            block.barrier_wait(other)

    for tiled, line in ((True, 7), (False, 11)):
        with pytest.raises(BarrierMisused, match="has not arrived since it last waited") as raised:
            twice[1, 128](tiled)
        assert raised.value.span.line == twice.py_func.__code__.co_firstlineno + line


@pytest.mark.parametrize("device", ["H200", "C500"])
def test_a_token_is_waited_for_before_the_next(device):
    """Two arrivals and one wait, or two phases later none: whoever comes again still owes a wait."""

    @cuda.jit
    def again(tiled):
        block = cg.this_thread_block()
        tile = cg.tiled_partition(block, 128)
        if tiled:
            tile.barrier_arrive()
            token = tile.barrier_arrive()
            tile.barrier_wait(token)
        else:
            block.barrier_arrive()
            other = block.barrier_arrive()
            block.barrier_wait(other)

    for tiled, line in ((True, 6), (False, 10)):
        with (
            gpusim.use(device),
            pytest.raises(BarrierMisused, match="again, and has not waited since it last arrived") as raised,
        ):
            again[1, 128](tiled)
        assert raised.value.span.line == again.py_func.__code__.co_firstlineno + line


def test_a_collective_that_a_warp_does_not_reach_tells_which_tile():
    @cuda.jit
    def kernel():
        tile = cg.tiled_partition(cg.this_thread_block(), 64)
        if cuda.threadIdx.x != 70:
            tile.sync()

    with pytest.raises(
        Deadlock, match="63 of the 64 threads that the barrier of tile 1 of 64 threads counts"
    ):
        kernel[1, 128]()


def test_a_last_tile_that_is_cut_short_is_told_of():
    @cuda.jit
    def kernel(some):
        block = cg.this_thread_block()
        group = block
        if some:
            group = cg.tiled_partition(block, 4)
        cg.tiled_partition(group, 8)
        cg.tiled_partition(block, 64)

    for threads, told in ((100, [8, 64]), (96, [64]), (128, [])):
        with gpusim.sanitize("synccheck") as found:
            kernel[1, threads](False)
        sizes = [size for size in (8, 64) if any(f"tiles of {size}:" in str(one) for one in found.findings)]
        assert sizes == told
