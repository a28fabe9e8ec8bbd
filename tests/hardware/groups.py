"""The kernels of `groups.cu` in Python: what groups of threads tell, and what they exchange."""

from __future__ import annotations

import functools

import numpy as np

from gpusim import cuda

cg = cuda.cg


@cuda.jit(device=True)
def tell_rank(group, out, thread):
    out[thread, 0] = group.thread_rank()
    out[thread, 1] = group.size()


@cuda.jit(device=True)
def tell_meta(group, out, thread):
    tell_rank(group, out, thread)
    out[thread, 2] = group.meta_group_rank()
    out[thread, 3] = group.meta_group_size()


@cuda.jit(device=True)
def tell_part(part, lane, out):
    tell_meta(part, out, lane)
    out[lane, 4] = part.shfl(lane, 0)
    out[lane, 5] = part.ballot(1)
    out[lane, 7] = cg.reduce(part, lane, cg.plus())


@cuda.jit
def tiled_partition_over_warp(out):
    block = cg.this_thread_block()
    t64 = cg.tiled_partition(block, 64)
    t128 = cg.tiled_partition(block, 128)
    thread = block.thread_rank()
    tell_meta(t64, out, thread)
    out[thread, 4] = t128.thread_rank()
    out[thread, 5] = t128.meta_group_rank()
    out[thread, 6] = cg.reduce(t64, thread, cg.plus())
    out[thread, 7] = cg.reduce(t128, thread, cg.plus())


@cuda.jit
def tiled_partition_runtime(out, size):
    block = cg.this_thread_block()
    tell_rank(cg.tiled_partition(block, size), out, block.thread_rank())


@cuda.jit
def coalesced_threads(out, mask, inner):
    lane = cuda.threadIdx.x
    if not mask >> lane & 1:
        return
    group = cg.coalesced_threads()
    tell_meta(group, out, lane)
    out[lane, 4] = group.shfl(lane, 0)
    out[lane, 5] = group.shfl(lane, group.size() - 1)
    out[lane, 6] = group.ballot(lane & 1)
    out[lane, 7] = group.shfl_up(lane, 1)
    if inner and group.thread_rank() < 3:
        few = cg.coalesced_threads()
        out[lane, 2] = few.thread_rank()
        out[lane, 3] = few.size()


@cuda.jit
def binary_partition_of_coalesced(out, mask, flags):
    lane = cuda.threadIdx.x
    if not mask >> lane & 1:
        return
    group = cg.coalesced_threads()
    tell_part(cg.binary_partition(group, flags >> lane & 1), lane, out)
    out[lane, 6] = flags >> lane & 1


@cuda.jit
def coalesced_reduce_scan(out, mask, given):
    lane = cuda.threadIdx.x
    x = given[lane]
    if not mask >> lane & 1:
        return
    group = cg.coalesced_threads()
    out[lane, 0] = cg.reduce(group, x, cg.plus())
    out[lane, 1] = cg.reduce(group, np.int32(x), cg.less())
    out[lane, 2] = cg.reduce(group, np.int32(x), cg.greater())
    out[lane, 3] = cg.reduce(group, x, cg.bit_xor())
    out[lane, 4] = cg.inclusive_scan(group, x)
    out[lane, 5] = cg.exclusive_scan(group, x)
    out[lane, 6] = cg.inclusive_scan(group, np.int32(x), cg.greater())


@cuda.jit
def sums_of_floats(out, x):
    lane = cuda.threadIdx.x
    warp = cg.tiled_partition(cg.this_thread_block(), 32)
    out[0, lane] = cg.reduce(warp, x[lane], cg.plus())
    out[1, lane] = cg.inclusive_scan(warp, x[lane])
    out[2, lane] = cg.exclusive_scan(warp, x[lane])


@cuda.jit
def neighbours(x, wrong, phases):
    grid = cg.this_grid()
    i = grid.thread_rank()
    for phase in range(phases):
        x[i] = i + phase
        grid.sync()
        if x[(i + 1) % grid.size()] != (i + 1) % grid.size() + phase:
            wrong[0] = 1
        grid.sync()


@functools.cache
def of_size(name, size):
    """A kernel for tiles of this size, as a template is."""

    @cuda.jit
    def tiled_partition(out):
        block = cg.this_thread_block()
        tile = cg.tiled_partition(block, size)
        thread = block.thread_rank()
        tell_meta(tile, out, thread)
        out[thread, 4] = tile.shfl(thread, 0)
        out[thread, 5] = tile.shfl_down(thread, 1)
        out[thread, 6] = tile.ballot(thread % 3 == 0)
        out[thread, 7] = tile.match_any(thread // 3)

    @cuda.jit
    def binary_partition(out, flags):
        tile = cg.tiled_partition(cg.this_thread_block(), size)
        lane = cuda.threadIdx.x
        tell_part(cg.binary_partition(tile, flags >> lane & 1), lane, out)
        out[lane, 6] = flags >> lane & 1

    @cuda.jit
    def labeled_partition(out, labels):
        tile = cg.tiled_partition(cg.this_thread_block(), size)
        lane = cuda.threadIdx.x
        tell_part(cg.labeled_partition(tile, labels[lane]), lane, out)
        out[lane, 6] = labels[lane]

    @cuda.jit
    def reduce(out, given):
        tile = cg.tiled_partition(cg.this_thread_block(), size)
        lane = cuda.threadIdx.x
        x = given[lane]
        out[lane, 0] = cg.reduce(tile, x, cg.plus())
        out[lane, 1] = cg.reduce(tile, np.int32(x), cg.less())
        out[lane, 2] = cg.reduce(tile, np.int32(x), cg.greater())
        out[lane, 3] = cg.reduce(tile, x, cg.bit_and())
        out[lane, 4] = cg.reduce(tile, x, cg.bit_or())
        out[lane, 5] = cg.reduce(tile, x, cg.bit_xor())
        out[lane, 6] = cg.reduce(tile, x, cg.less())
        out[lane, 7] = cg.reduce(tile, x, cg.greater())

    @cuda.jit
    def scan(out, given):
        tile = cg.tiled_partition(cg.this_thread_block(), size)
        lane = cuda.threadIdx.x
        x = given[lane]
        out[lane, 0] = cg.inclusive_scan(tile, x)
        out[lane, 1] = cg.exclusive_scan(tile, x)
        out[lane, 2] = cg.inclusive_scan(tile, np.int32(x), cg.less())
        out[lane, 3] = cg.exclusive_scan(tile, np.int32(x), cg.less())
        out[lane, 4] = cg.inclusive_scan(tile, np.int32(x), cg.greater())
        out[lane, 5] = cg.inclusive_scan(tile, x, cg.bit_xor())
        out[lane, 6] = cg.inclusive_scan(tile, x, cg.bit_or())
        out[lane, 7] = cg.exclusive_scan(tile, x, cg.bit_and())

    return locals()[name]
