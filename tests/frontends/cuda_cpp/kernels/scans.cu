// Prefix sums and what is built from them.

// Hillis and Steele: log n rounds, two buffers.
__global__ void hillis_steele(const int* in, int* out, int n)
{
    extern __shared__ int temp[];
    int thid = threadIdx.x, pout = 0, pin = 1;
    temp[pout * n + thid] = in[thid];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    out[thid] = temp[pout * n + thid];
}

#define BANKS 32
#define PADDED(k) ((k) + (k) / BANKS)

// Blelloch: up the tree, then down; exclusive. A gap after every 32 words keeps the banks apart.
__global__ void blelloch(const int* in, int* out, int n)
{
    extern __shared__ int tree[];
    int t = threadIdx.x, offset = 1;
    tree[PADDED(2 * t)] = in[2 * t];
    tree[PADDED(2 * t + 1)] = in[2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            tree[PADDED(right)] += tree[PADDED(left)];
        }
        offset *= 2;
    }
    if (t == 0)
        tree[PADDED(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            int old = tree[PADDED(left)];
            tree[PADDED(left)] = tree[PADDED(right)];
            tree[PADDED(right)] += old;
        }
    }
    __syncthreads();
    out[2 * t] = tree[PADDED(2 * t)];
    out[2 * t + 1] = tree[PADDED(2 * t + 1)];
}

// A scan of many blocks needs their sums.
__global__ void scan_blocks(int* data, int* sums)
{
    __shared__ int temp[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    temp[threadIdx.x] = data[i];
    for (unsigned stride = 1; stride < blockDim.x; stride <<= 1) {
        __syncthreads();
        int add = threadIdx.x >= stride ? temp[threadIdx.x - stride] : 0;
        __syncthreads();
        temp[threadIdx.x] += add;
    }
    data[i] = temp[threadIdx.x];
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = temp[threadIdx.x];
}

__global__ void add_sums(int* data, const int* sums)
{
    if (blockIdx.x > 0)
        data[blockIdx.x * blockDim.x + threadIdx.x] += sums[blockIdx.x - 1];
}

// Compaction: what is kept moves to where the prefix sum says.
__global__ void compact(const int* in, int* out, int* count)
{
    __shared__ int offsets[64];
    int i = threadIdx.x, keep = in[i] % 3 == 0;
    offsets[i] = keep;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int value = offsets[i] + (i >= stride ? offsets[i - stride] : 0);
        __syncthreads();
        offsets[i] = value;
        __syncthreads();
    }
    if (keep)
        out[offsets[i] - 1] = in[i];
    if (i == blockDim.x - 1)
        *count = offsets[i];
}

// One pass of radix sort: zeros of this bit first, in their order.
__global__ void radix_step(unsigned* keys, int bit)
{
    __shared__ unsigned values[64], zeros[64];
    int i = threadIdx.x, n = blockDim.x;
    unsigned key = keys[i];
    int is_zero = !(key >> bit & 1);
    zeros[i] = is_zero;
    __syncthreads();
    for (int stride = 1; stride < n; stride *= 2) {
        unsigned sum = i < stride ? zeros[i] : zeros[i] + zeros[i - stride];
        __syncthreads();
        zeros[i] = sum;
        __syncthreads();
    }
    int place = is_zero ? zeros[i] - 1 : i - zeros[i] + zeros[n - 1];
    values[place] = key;
    __syncthreads();
    keys[i] = values[i];
}
