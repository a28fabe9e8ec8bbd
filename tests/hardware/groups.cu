// What groups of threads within a warp tell their threads, and what they exchange: as recorded on an H200.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <class Group> __device__ void tell_rank(const Group& group, unsigned* out) {
    out[0] = group.thread_rank();
    out[1] = group.size();
}
template <class Group> __device__ void tell_meta(const Group& group, unsigned* out) {
    tell_rank(group, out);
    out[2] = group.meta_group_rank();
    out[3] = group.meta_group_size();
}

template <unsigned Size> __global__ void tiled_partition(unsigned* out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<Size>(block);
    unsigned thread = block.thread_rank();
    out += 8 * thread;
    tell_meta(tile, out);
    out[4] = tile.shfl(thread, 0);
    out[5] = tile.shfl_down(thread, 1);
    out[6] = tile.ballot(thread % 3 == 0);
    out[7] = tile.match_any(thread / 3);
}

extern "C" __global__ void tiled_partition_over_warp(unsigned* out) {
    cg::thread_block block = cg::this_thread_block();
    auto t64 = cg::tiled_partition<64>(block);
    auto t128 = cg::tiled_partition<128>(block);
    unsigned thread = block.thread_rank();
    out += 8 * thread;
    tell_meta(t64, out);
    out[4] = t128.thread_rank();
    out[5] = t128.meta_group_rank();
    out[6] = cg::reduce(t64, thread, cg::plus<unsigned>());
    out[7] = cg::reduce(t128, thread, cg::plus<unsigned>());
}

extern "C" __global__ void tiled_partition_runtime(unsigned* out, unsigned size) {
    cg::thread_block block = cg::this_thread_block();
    tell_rank(cg::tiled_partition(block, size), out + 2 * block.thread_rank());
}

extern "C" __global__ void coalesced_threads(unsigned* out, unsigned mask, int inner) {
    unsigned lane = threadIdx.x;
    if (!(mask >> lane & 1)) return;
    cg::coalesced_group group = cg::coalesced_threads();
    out += 8 * lane;
    tell_rank(group, out);
    out[2] = group.meta_group_rank();
    out[3] = group.meta_group_size();
    out[4] = group.shfl(lane, 0);
    out[5] = group.shfl(lane, group.size() - 1);
    out[6] = group.ballot(lane & 1);
    out[7] = group.shfl_up(lane, 1);
    if (inner && group.thread_rank() < 3) {
        cg::coalesced_group few = cg::coalesced_threads();
        out[2] = few.thread_rank();
        out[3] = few.size();
    }
}

template <class Group> __device__ void tell_part(const Group& part, unsigned lane, unsigned* out) {
    tell_meta(part, out);
    out[4] = part.shfl(lane, 0);
    out[5] = part.ballot(1);
    out[7] = cg::reduce(part, lane, cg::plus<unsigned>());
}

template <unsigned Size> __global__ void binary_partition(unsigned* out, unsigned flags) {
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    unsigned lane = threadIdx.x;
    tell_part(cg::binary_partition(tile, flags >> lane & 1), lane, out + 8 * lane);
    out[8 * lane + 6] = flags >> lane & 1;
}

extern "C" __global__ void binary_partition_of_coalesced(unsigned* out, unsigned mask, unsigned flags) {
    unsigned lane = threadIdx.x;
    if (!(mask >> lane & 1)) return;
    cg::coalesced_group group = cg::coalesced_threads();
    tell_part(cg::binary_partition(group, flags >> lane & 1), lane, out + 8 * lane);
    out[8 * lane + 6] = flags >> lane & 1;
}

template <unsigned Size> __global__ void labeled_partition(unsigned* out, const unsigned* labels) {
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    unsigned lane = threadIdx.x;
    tell_part(cg::labeled_partition(tile, labels[lane]), lane, out + 8 * lane);
    out[8 * lane + 6] = labels[lane];
}

template <class Group> __device__ void reduced(const Group& group, unsigned x, unsigned* out) {
    out[0] = cg::reduce(group, x, cg::plus<unsigned>());
    out[1] = cg::reduce(group, (int)x, cg::less<int>());
    out[2] = cg::reduce(group, (int)x, cg::greater<int>());
    out[3] = cg::reduce(group, x, cg::bit_and<unsigned>());
    out[4] = cg::reduce(group, x, cg::bit_or<unsigned>());
    out[5] = cg::reduce(group, x, cg::bit_xor<unsigned>());
    out[6] = cg::reduce(group, x, cg::less<unsigned>());
    out[7] = cg::reduce(group, x, cg::greater<unsigned>());
}
template <unsigned Size> __global__ void reduce(unsigned* out, const unsigned* x) {
    reduced(cg::tiled_partition<Size>(cg::this_thread_block()), x[threadIdx.x], out + 8 * threadIdx.x);
}

template <unsigned Size> __global__ void scan(unsigned* out, const unsigned* given) {
    auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
    unsigned x = given[threadIdx.x];
    out += 8 * threadIdx.x;
    out[0] = cg::inclusive_scan(tile, x);
    out[1] = cg::exclusive_scan(tile, x);
    out[2] = cg::inclusive_scan(tile, (int)x, cg::less<int>());
    out[3] = cg::exclusive_scan(tile, (int)x, cg::less<int>());
    out[4] = cg::inclusive_scan(tile, (int)x, cg::greater<int>());
    out[5] = cg::inclusive_scan(tile, x, cg::bit_xor<unsigned>());
    out[6] = cg::inclusive_scan(tile, x, cg::bit_or<unsigned>());
    out[7] = cg::exclusive_scan(tile, x, cg::bit_and<unsigned>());
}

extern "C" __global__ void coalesced_reduce_scan(unsigned* out, unsigned mask, const unsigned* given) {
    unsigned lane = threadIdx.x, x = given[lane];
    if (!(mask >> lane & 1)) return;
    cg::coalesced_group group = cg::coalesced_threads();
    out += 8 * lane;
    out[0] = cg::reduce(group, x, cg::plus<unsigned>());
    out[1] = cg::reduce(group, (int)x, cg::less<int>());
    out[2] = cg::reduce(group, (int)x, cg::greater<int>());
    out[3] = cg::reduce(group, x, cg::bit_xor<unsigned>());
    out[4] = cg::inclusive_scan(group, x);
    out[5] = cg::exclusive_scan(group, x);
    out[6] = cg::inclusive_scan(group, (int)x, cg::greater<int>());
}
