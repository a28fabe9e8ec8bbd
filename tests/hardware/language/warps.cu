// What do a warp's and a block's intrinsics give: widths, signs, types, branches?
#define FULL 0xffffffffu
#define LANE (threadIdx.x & 31)

__global__ void shuffles_with_width(const int* x, int* out) {
    int t = threadIdx.x, v = x[t] * 10;
    int* o = out + 8 * t;
    o[0] = __shfl_sync(FULL, v, 5, 8); o[1] = __shfl_sync(FULL, v, -1, 16); o[2] = __shfl_sync(FULL, v, 40); o[3] = __shfl_up_sync(FULL, v, 3, 8);
    o[4] = __shfl_down_sync(FULL, v, 3, 8); o[5] = __shfl_xor_sync(FULL, v, 12, 8); o[6] = __shfl_down_sync(FULL, v, 0); o[7] = __shfl_xor_sync(FULL, v, 31, 32);
}

template <class T> __global__ void shuffled(const T* x, T* out) {
    T v = x[threadIdx.x];
    out[2 * threadIdx.x] = __shfl_xor_sync(FULL, v, 3);
    out[2 * threadIdx.x + 1] = v + __shfl_up_sync(FULL, v, 1);
}

__global__ void votes(const int* x, unsigned* out) {
    int t = threadIdx.x;
    unsigned* o = out + 6 * t;
    o[0] = __ballot_sync(FULL, x[t] & 2); o[1] = __any_sync(FULL, x[t] == 7); o[2] = __all_sync(FULL, x[t] >= 0); o[3] = __all_sync(FULL, t & 1);
    o[4] = __ballot_sync(FULL, x[t] > 40 ? 0.5 : 0); o[5] = __popc(__activemask());
}

__global__ void votes_in_branches(const int* x, unsigned* out) {
    int t = threadIdx.x;
    if (x[t] % 3 == 0) out[t] = __ballot_sync(__activemask(), x[t] & 1);
    else out[t] = __activemask();
    if (t >= 20) return;
    out[t + 32] = __ballot_sync((1u << 20) - 1, true);
}

__global__ void matches(const int* x, unsigned* out) {
    int t = threadIdx.x, all;
    unsigned* o = out + 5 * t;
    o[0] = __match_any_sync(FULL, x[t] / 5); o[1] = __match_any_sync(FULL, (long long)x[t] << 33 & 1ll << 34);
    o[2] = __match_all_sync(FULL, x[t] / 32, &all); o[3] = all; o[4] = __match_all_sync(FULL, 1.5f * (t & 1), &all) + all;
}

__global__ void reductions(const int* x, unsigned* out) {
    int t = threadIdx.x, v = x[t] * 7 - 50;
    unsigned* o = out + 8 * t;
    o[0] = __reduce_add_sync(FULL, v); o[1] = __reduce_min_sync(FULL, v); o[2] = __reduce_max_sync(FULL, v); o[3] = __reduce_min_sync(FULL, (unsigned)v);
    o[4] = __reduce_max_sync(FULL, (unsigned)v); o[5] = __reduce_and_sync(FULL, (unsigned)v); o[6] = __reduce_or_sync(FULL, (unsigned)v);
    o[7] = __reduce_xor_sync(FULL, (unsigned)v);
}

__global__ void reductions_in_halves(const int* x, int* out) {
    int t = threadIdx.x;
    if (t < 16) out[t] = __reduce_add_sync(0xffff, x[t]);
    else out[t] = __reduce_max_sync(0xffff0000, -x[t]);
}

__global__ void block_votes(const int* x, int* out) {
    int t = threadIdx.x;
    out[3 * t] = __syncthreads_count(x[t] % 3 == 1);
    out[3 * t + 1] = __syncthreads_and(x[t] >= 0);
    out[3 * t + 2] = __syncthreads_or(x[t] == 63 ? 8 : 0);
}

__global__ void places(const int* x, int* out) {
    unsigned lane;
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    lane = LANE;
    out[t] = lane + 100 * (gridDim.x * 10 + warpSize) + blockIdx.x;
}

__global__ void warp_sum(const int* x, int* out) {
    __shared__ int sums[2];
    int v = x[threadIdx.x];
    #pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) v += __shfl_down_sync(FULL, v, offset);
    if (LANE == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 2) out[threadIdx.x] = sums[threadIdx.x] + sums[1 - threadIdx.x] * 10000;
}
