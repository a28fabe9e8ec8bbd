// What does a real GPU do with groups that are used wrongly? tests/hardware/groups_misused.json holds what it said.
//
//     nvcc -O2 -std=c++17 -arch=sm_90 -o groups_misused groups_misused.cu && timeout 15 ./groups_misused block
//
// The kernels are those of the book's page on cooperative groups. The argument says which one is launched.
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;

template <class Group> __device__ int sum_of(const Group& group, int* s, int value) {
    unsigned rank = group.thread_rank();
    s[rank] = value;
    group.sync();
    for (unsigned step = group.size() / 2; step > 0; step /= 2) {
        if (rank < step) s[rank] += s[rank + step];
        group.sync();
    }
    return s[0];
}

__global__ void first_four(const int* x, int* out, bool tiled) {
    __shared__ int s[8];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<4>(block);
    unsigned t = block.thread_rank();
    if (t < 4) out[t] = tiled ? sum_of(tile, s, x[t]) : sum_of(block, s, x[t]);
    block.sync();
    out[t] += 100;
}

__global__ void large_ones(const int* x, int* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = tile.thread_rank();
    if (x[t] > 3) out[t] = cg::reduce(tile, x[t], cg::plus<int>());
    tile.sync();
}

__global__ void ragged(const int* x, int* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    out[t] = cg::reduce(tile, x[t], cg::plus<int>());
}

__global__ void too_early(const int* x, int* out) {
    __shared__ int s[8];
    auto block = cg::this_thread_block();
    unsigned t = block.thread_rank();
    cg::memcpy_async(block, s, x, sizeof s);
    block.sync();
    out[t] = s[7 - t];
}

int main(int count, char** words) {
    const char* which = count > 1 ? words[1] : "block";
    int *x, *out;
    cudaMallocManaged(&x, 64);
    cudaMallocManaged(&out, 64);
    for (int i = 0; i < 12; i++) x[i] = i + 1, out[i] = 0;
    if (!strcmp(which, "block")) first_four<<<1, 8>>>(x, out, false);
    if (!strcmp(which, "tile")) first_four<<<1, 8>>>(x, out, true);
    if (!strcmp(which, "large_ones")) large_ones<<<1, 8>>>(x, out);
    if (!strcmp(which, "ragged")) ragged<<<1, 12>>>(x, out);
    if (!strcmp(which, "too_early")) too_early<<<1, 8>>>(x, out);
    printf("%s %s:", which, cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 12; i++) printf(" %d", out[i]);
    puts("");
}
