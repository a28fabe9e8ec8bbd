// Warps ("waves") of 64 lanes, in MXMACA's spellings: masks have 64 bits.

__global__ void wave_votes(const int* x, unsigned long long* ballots, int* sums)
{
    int lane = threadIdx.x % 64;
    unsigned long long ballot = __ballot_sync(0xffffffffffffffffull, x[threadIdx.x] > 0);
    int value = x[threadIdx.x];
    for (int offset = 32; offset > 0; offset >>= 1)
        value += __shfl_xor_sync(0xffffffffffffffffull, value, offset);
    __syncwave();
    sums[threadIdx.x] = value + __popcll(ballot & ((1ull << lane) - 1));
    if (lane == 0)
        ballots[threadIdx.x / 64] = ballot;
}

// A block whose warps are of any width: the width is asked for.
__global__ void any_width(int* lanes, int* warps)
{
    int linear = threadIdx.x + threadIdx.y * blockDim.x;
    lanes[linear] = linear % warpSize;
    warps[linear] = linear / warpSize;
}
