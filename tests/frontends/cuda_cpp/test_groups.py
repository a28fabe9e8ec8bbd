"""Do cooperative groups work together as in CUDA? Kernels as one writes them for a GPU, on both widths."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import AssertionFailed, LaunchError
from tests.hunting import some

SUMS = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
using namespace cooperative_groups;
namespace cg = cooperative_groups;

__device__ int sum_of(thread_group group, int* room, int value) {
    int rank = group.thread_rank();
    for (int step = group.size() / 2; step > 0; step /= 2) {
        room[rank] = value;
        group.sync();
        if (rank < step) value += room[rank + step];
        group.sync();
    }
    return value;
}

__device__ int first_of(const thread_block_tile<16>& half, cg::thread_block_tile<4> four) {
    return four.shfl(half.thread_rank(), 0);
}

extern "C" __global__ void sums(int* out, const int* given) {
    __shared__ int room[256];
    thread_block block = this_thread_block();
    int mine = given[block.thread_rank()];
    int sum = sum_of(block, room, mine);
    if (block.thread_rank() == 0) out[0] = sum;
    auto warp = tiled_partition<WIDTH>(block);
    int of_warp = cg::reduce(warp, mine, cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(out + 1, of_warp);
    thread_group eight = tiled_partition(block, 8);
    int of_eight = sum_of(eight, room + block.thread_rank() / 8 * 8, mine);
    if (eight.thread_rank() == 0) atomicAdd(out + 2, of_eight);
    thread_block_tile<16> half = tiled_partition<16>(block);
    cg::thread_block_tile<4, thread_block_tile<16>> four = tiled_partition<4>(half);
    if (first_of(half, four) != (int)(four.meta_group_rank() * 4)) atomicAdd(out + 6, 1);
    invoke_one(half, [&] { atomicAdd(out + 3, 1); });
    int first = invoke_one_broadcast(half, [&] { return (int)block.thread_rank(); });
    if (half.thread_rank() == 5) atomicAdd(out + 4, first);
    if (four.meta_group_rank() == 3 && four.thread_rank() == 0) atomicAdd(out + 5, 1);
    if (mine % 3 == 0) {
        coalesced_group some = coalesced_threads();
        int before = cg::exclusive_scan(some, 1);
        if (before != (int)some.thread_rank()) atomicAdd(out + 6, 1);
        coalesced_group pair = tiled_partition(some, 2);
        if (pair.size() > 2 || pair.shfl(mine, pair.thread_rank()) != mine) atomicAdd(out + 6, 1);
    }
}
"""

WHOLE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void turned(int* x, int* y) {
    cg::grid_group grid = cg::this_grid();
    unsigned i = grid.thread_rank();
    for (int round = 0; round < 3; round++) {
        x[i] = i + round;
        cg::sync(grid);
        y[i] = x[(i + 77) % grid.size()];
        grid.sync();
    }
    if (!grid.is_valid()) y[i] = -1;
}
"""


@pytest.mark.parametrize(("device", "width"), [("H200", 32), ("P100", 32), ("MetaX C500", 64)])
@pytest.mark.parametrize("schedule", [None, 3])
def test_groups_of_every_size_add_up(device, width, schedule):
    out, given = np.zeros(7, np.int32), np.arange(256, dtype=np.int32)
    with gpusim.use(device, schedule=schedule):
        kernel = gpusim.RawModule(code=SUMS, options=(f"-DWIDTH={width}",)).get_function("sums")
        kernel((1,), (256,), (out, given))
    total = int(given.sum())
    assert out.tolist() == [total, total, total, 16, int(given[::16].sum()), 16, 0]


def test_the_checkers_see_that_groups_order_their_threads():
    kernel = gpusim.RawModule(code=SUMS, options=("-DWIDTH=32",)).get_function("sums")
    with gpusim.sanitize() as found:
        kernel((1,), (256,), (np.zeros(7, np.int32), np.arange(256, dtype=np.int32)))
    assert not found.findings
    unordered = SUMS.replace("group.sync();", "")
    kernel = gpusim.RawModule(code=unordered, options=("-DWIDTH=32",)).get_function("sums")
    with gpusim.sanitize() as found:
        kernel((1,), (256,), (np.zeros(7, np.int32), np.arange(256, dtype=np.int32)))
    assert found.findings


def test_the_whole_grid_waits_if_it_was_launched_so():
    x, y = np.zeros(1024, np.int32), np.zeros(1024, np.int32)
    kernel = gpusim.RawModule(code=WHOLE, enable_cooperative_groups=True).get_function("turned")
    kernel((4,), (256,), (x, y))
    assert (y == (np.arange(1024) + 77) % 1024 + 2).all()
    with pytest.raises(LaunchError, match="H200 holds 1056 of them at once"):
        kernel((1057,), (256,), (np.zeros(1057 * 256, np.int32), np.zeros(1057 * 256, np.int32)))


def test_a_grid_that_was_launched_otherwise_cannot_wait():
    kernel = gpusim.RawModule(code=WHOLE).get_function("turned")
    with pytest.raises(LaunchError, match="was not launched cooperatively") as raised:
        kernel((4,), (256,), (np.zeros(1024, np.int32), np.zeros(1024, np.int32)))
    assert "enable_cooperative_groups=True" in str(raised.value)


def test_two_kernels_of_a_text_cut_the_same_tiles():
    one = "__global__ void {}(int* x) {{ x[0] = cg::tiled_partition<8>(cg::this_thread_block()).size(); }}\n"
    head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    module = gpusim.RawModule(code=head + one.format("first") + one.format("second"))
    for name in ("first", "second"):
        x = np.zeros(1, np.int32)
        module.get_function(name)((1,), (8,), (x,))
        assert x[0] == 8


WIDE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct Furthest { __device__ int operator()(int a, int b) const { return abs(a) < abs(b) ? b : a; } };

template <int Size> __global__ void wide(int* out, const int* given, int rounds) {
    __shared__ cg::block_tile_memory<512> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
    int mine = given[block.thread_rank()];
    for (int round = 0; round <= rounds + (int)tile.meta_group_rank(); round++) {
        out = out + (round == 0 ? 10 * block.thread_rank() : 0);
        out[0] = cg::reduce(tile, mine, cg::plus<int>());
        out[1] = cg::reduce(tile, mine, Furthest());
        out[2] = cg::inclusive_scan(tile, mine);
        out[3] = cg::exclusive_scan(tile, mine);
        out[4] = tile.shfl(mine, (round + 5) % Size);
        out[5] = 2 * tile.any(mine == 7) + tile.all(mine < 40);
        out[6] = cg::invoke_one_broadcast(tile, [&] { return mine + 1; });
        auto token = tile.barrier_arrive();
        out[7] = tile.thread_rank() + 1000 * tile.meta_group_size();
        tile.barrier_wait(std::move(token));
        auto warp = cg::tiled_partition<WIDTH>(tile);
        out[8] = warp.meta_group_rank() * 100 + cg::reduce(warp, 1, cg::plus<int>());
        tile.sync();
    }
    auto token = block.barrier_arrive();
    out[9] = mine;
    block.barrier_wait(std::move(token));
}
"""


@pytest.mark.parametrize("schedule", some([None, "serial", 3], 2))
def test_a_tile_of_several_warps_works_like_one_of_lanes(machine, schedule):
    size = 128
    lanes = gpusim.devices.get(machine).warp_size
    kernel = gpusim.RawModule(code=WIDE.replace("WIDTH", str(lanes))).get_function(f"wide<{size}>")
    given = np.random.default_rng(7).integers(-50, 50, 256).astype(np.int32)
    out = np.zeros((256, 10), np.int32)
    with gpusim.use(schedule=schedule), gpusim.sanitize("racecheck", "synccheck") as report:
        kernel((1,), (256,), (out, given, np.int32(0)))
    assert report.clean, report
    tiles = given.reshape(-1, size)
    sums = tiles.cumsum(axis=1)
    furthest = [max(tile, key=lambda n: abs(n)) for tile in tiles]
    assert (abs(out[:, 1]) == np.repeat(np.abs(furthest), size)).all()
    rounds = np.arange(len(tiles))
    picked = tiles[np.arange(len(tiles)), (rounds + 5) % size]
    expected = {
        0: sums[:, -1:], 2: sums, 3: sums - tiles, 4: picked[:, None],
        5: 2 * (tiles == 7).any(axis=1, keepdims=True) + (tiles < 40).all(axis=1, keepdims=True),
        6: tiles[:, :1] + 1, 7: np.arange(size) + 1000 * len(tiles),
        8: np.arange(size) // lanes * 100 + lanes, 9: tiles,
    }  # fmt: skip
    for field, wanted in expected.items():
        assert (out[:, field].reshape(tiles.shape) == wanted).all(), field


@pytest.mark.parametrize(("size", "dynamic"), [(8, False), (64, False), (16, True)])
def test_a_tile_across_the_end_of_a_block_is_told(machine, size, dynamic):
    cut = f"(cg::this_thread_block(), {size})" if dynamic else f"<{size}>(cg::this_thread_block())"
    text = f"""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void kernel(int* out) {{
        auto tile = cg::tiled_partition{cut};
        out[threadIdx.x + 10 * threadIdx.y] = tile.thread_rank();
    }}"""
    kernel, out = gpusim.RawModule(code=text).get_function("kernel"), np.zeros(640, np.int32)
    with gpusim.sanitize("synccheck") as report:
        kernel((1,), (10, 64), (out,))
    assert report.clean
    with gpusim.sanitize("synccheck") as report:
        kernel((2,), (10, 10), (out,))
    (found,) = report.findings
    ragged = 100 % size
    assert found.hazard == "tile across the end of a block"
    first = (100 - ragged) % 10, (100 - ragged) // 10, 0
    assert f"from thread {first} on, has only {ragged}" in found.message
    assert found.accesses[0].line == 5


@pytest.mark.parametrize("size", [3, 0, -1, 128])
def test_a_size_that_no_tile_can_have_is_told_when_the_kernel_runs(machine, size):
    text = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void kernel(int* out, int size) {
        out[threadIdx.x] = cg::tiled_partition(cg::this_thread_block(), size).size();
    }"""
    kernel, out = gpusim.RawModule(code=text).get_function("kernel"), np.zeros(128, np.int32)
    kernel((1,), (128,), (out, 16))
    assert (out == 16).all()
    with pytest.raises(AssertionFailed, match="a tile has 1, 2, 4, 8, … threads, and no more than a warp"):
        kernel((1,), (128,), (out, size))


BEST = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct Best { double value; short place; };
struct Better { __device__ Best operator()(Best a, Best b) const { return b.value > a.value ? b : a; } };
extern "C" __global__ void best(const double* given, int* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    auto wide = cg::tiled_partition<128>(block);
    int t = threadIdx.x;
    Best mine = {given[t], (short)t};
    out[t] = cg::reduce(tile, mine, Better()).place;
    out[128 + t] = cg::reduce(wide, mine, Better()).place;
    out[256 + t] = cg::inclusive_scan(tile, mine, Better()).place;
    out[384 + t] = tile.shfl_xor(mine, 1).place;
    uint3 three = tile.shfl(make_uint3(t, t + 1, t + 2), 2);
    out[512 + t] = three.x + three.z;
    auto alone = cg::this_thread();
    out[768 + t] = cg::reduce(alone, t, cg::plus<int>()) + alone.size() + alone.thread_rank();
    if (t % 3 == 0) out[640 + t] = cg::coalesced_threads().shfl_down(mine, 1).place;
}
"""


def test_threads_exchange_whole_objects(machine):
    lanes = gpusim.devices.get(machine).warp_size
    given, out = np.random.default_rng(3).random(128), np.zeros((7, 128), np.int32)
    gpusim.RawModule(code=BEST).get_function("best")((1,), (128,), (given, out))
    t, tiles = np.arange(128), given.reshape(16, 8)
    first = t // 8 * 8
    assert (out[0] == first + tiles.argmax(axis=1)[t // 8]).all()
    assert (out[1] == given.argmax()).all()
    assert (out[2] == [begin + given[begin : k + 1].argmax() for k, begin in enumerate(first)]).all()
    assert (out[3] == t ^ 1).all()
    assert (out[4] == 2 * (first + 2) + 2).all()
    assert (out[6] == t + 1).all()
    some = t[t % 3 == 0]
    last = np.append(some[1:] // lanes != some[:-1] // lanes, True)
    assert (out[5, some] == np.where(last, some, some + 3)).all()
