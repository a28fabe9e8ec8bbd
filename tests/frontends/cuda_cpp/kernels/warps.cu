// Lanes of a warp of 32 exchange values: votes, matches, shuffles, reductions.

#define FULL_MASK 0xffffffffu

__global__ void votes(const int* x, unsigned* ballots, int* any, int* all)
{
    int i = threadIdx.x, warp = i / warpSize;
    unsigned ballot = __ballot_sync(FULL_MASK, x[i] > 0);
    any[i] = __any_sync(FULL_MASK, x[i] > 90);
    all[i] = __all_sync(FULL_MASK, x[i] < 100);
    if (i % warpSize == 0)
        ballots[warp] = ballot;
}

__global__ void matches(const int* x, unsigned* same, unsigned* agreed, int* predicates)
{
    int i = threadIdx.x, everyone;
    same[i] = __match_any_sync(FULL_MASK, x[i]);
    agreed[i] = __match_all_sync(0xffffffff, i / 32, &everyone);
    predicates[i] = everyone;
    agreed[i] ^= __match_all_sync(0xffffffff, (unsigned long long)x[i], &everyone);
    predicates[i] += 2 * everyone;
}

__global__ void shuffles(const int* x, int* from_lane, int* up, int* down, int* crossed)
{
    int i = threadIdx.x, lane = i & 31;
    from_lane[i] = __shfl_sync(FULL_MASK, x[i], 5);
    up[i] = __shfl_up_sync(FULL_MASK, x[i], 2);
    down[i] = __shfl_down_sync(FULL_MASK, x[i], 3);
    crossed[i] = __shfl_xor_sync(FULL_MASK, x[i], lane < 40 ? 9 : 0);
}

// A width cuts the warp into parts that exchange among themselves.
__global__ void shuffles_in_parts(const float* x, float* first, float* sums, double* doubles, long long* wide)
{
    int i = threadIdx.x;
    first[i] = __shfl_sync(FULL_MASK, x[i], 0, 8);
    float sum = x[i];
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_down_sync(FULL_MASK, sum, offset, 8);
    sums[i] = sum;
    doubles[i] = __shfl_xor_sync(FULL_MASK, (double)x[i] / 3, 1, 2);
    wide[i] = __shfl_up_sync(FULL_MASK, (long long)i << 33, 1, 16);
}

__inline__ __device__ float warp_sum(float value)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        value += __shfl_xor_sync(FULL_MASK, value, mask);
    return value;
}

// A block's sum: each warp reduces, then the first warp reduces the warps' sums.
__global__ void block_reduce(const float* x, float* out)
{
    static __shared__ float shared[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float value = warp_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0)
        shared[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    if (warp == 0) {
        value = warp_sum(value);
        if (lane == 0)
            out[blockIdx.x] = value;
    }
}

__global__ void warp_scan(const int* x, int* out)
{
    int lane = threadIdx.x & 31, value = x[threadIdx.x];
#pragma unroll
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(0xffffffff, value, offset);
        if (lane >= offset)
            value += other;
    }
    out[threadIdx.x] = value;
}

__global__ void reductions(const unsigned* x, const int* y, unsigned* out, int* extremes)
{
    unsigned v = x[threadIdx.x];
    unsigned sum = __reduce_add_sync(FULL_MASK, v), low = __reduce_min_sync(FULL_MASK, v);
    unsigned high = __reduce_max_sync(FULL_MASK, v), both = __reduce_and_sync(FULL_MASK, v);
    unsigned either = __reduce_or_sync(FULL_MASK, v), odd = __reduce_xor_sync(FULL_MASK, v);
    int lowest = __reduce_min_sync(FULL_MASK, y[threadIdx.x]), highest = __reduce_max_sync(FULL_MASK, y[threadIdx.x]);
    if (threadIdx.x == 0) {
        out[0] = sum, out[1] = low, out[2] = high, out[3] = both, out[4] = either, out[5] = odd;
        extremes[0] = lowest, extremes[1] = highest;
    }
}

// Only the lanes that took this branch are named by its mask.
__global__ void partial_masks(const int* x, int* out)
{
    int i = threadIdx.x;
    unsigned mask = __ballot_sync(FULL_MASK, x[i] % 2 == 0);
    out[i] = -1;
    if (x[i] % 2 == 0) {
        int leader = __ffs(mask) - 1, rank = __popc(mask & ((1u << i) - 1));
        out[i] = __shfl_sync(mask, x[i], leader) * 1000 + rank;
        __syncwarp(mask);
    } else if (__activemask() != 0) {
        __syncwarp(~mask);
    }
    __syncwarp();
}

// One atomic for all lanes that append: the leader reserves, the others count.
__device__ int reserve(int* counter)
{
    unsigned active = __activemask();
    int lane = threadIdx.x % 32, leader = __ffs(active) - 1, base = 0;
    if (lane == leader)
        base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void aggregated_append(const int* x, int n, int* kept, int* count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0)
        kept[reserve(count)] = x[i];
}

// Sorts 32 numbers in registers.
__global__ void bitonic_in_registers(int* x)
{
    int lane = threadIdx.x & 31, value = x[threadIdx.x];
    for (int size = 2; size <= 32; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            int other = __shfl_xor_sync(FULL_MASK, value, stride);
            bool ascending = (lane & size) == 0, lower = (lane & stride) == 0;
            value = lower == ascending ? min(value, other) : max(value, other);
        }
    x[threadIdx.x] = value;
}

// Barriers of a block that also count and vote.
__global__ void block_votes(const int* x, int* counts, int* all, int* any)
{
    int i = threadIdx.x;
    counts[i] = __syncthreads_count(x[i] > 0);
    all[i] = __syncthreads_and(x[i] < 100) != 0;
    any[i] = __syncthreads_or(x[i] == 1000) != 0;
}
