// Sums in seven steps, each faster than the one before.

// 1: interleaved addresses, divergent branches.
__global__ void reduce1(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = in[i];
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

// 2: neighbouring threads work, on interleaved addresses: bank conflicts.
__global__ void reduce2(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    sdata[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x)
            sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

// 3: neighbouring addresses.
__global__ void reduce3(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    sdata[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

// 4: the first addition while loading.
__global__ void reduce4(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sdata[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

__device__ void warp_reduce(volatile int* sdata, unsigned int tid)
{
    int v = sdata[tid];
    v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 16]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 8]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 4]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 2]; __syncwarp(); sdata[tid] = v; __syncwarp();
    v += sdata[tid + 1]; __syncwarp(); sdata[tid] = v;
}

// 5: the last warp needs no barrier of the block.
__global__ void reduce5(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sdata[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32)
        warp_reduce(sdata, tid);
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

// 6: unrolled by the compiler, which knows the size of the block.
template <unsigned int blockSize>
__global__ void reduce6(const int* in, int* out)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    sdata[tid] = in[i] + in[i + blockSize];
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }
    if (tid < 32)
        warp_reduce(sdata, tid);
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

// 7: several elements a thread.
template <class T, unsigned int blockSize>
__global__ void reduce7(const T* in, T* out, unsigned int n)
{
    __shared__ T sdata[blockSize];
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + tid, gridSize = blockSize * 2 * gridDim.x;
    T sum = 0;
    while (i < n) {
        sum += in[i];
        if (i + blockSize < n)
            sum += in[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] = sum = sum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sum;
}

// The place of the smallest element, as a pair that moves together.
struct Candidate {
    float value;
    int index;
};

__device__ Candidate better(Candidate a, Candidate b)
{
    return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__global__ void argmin(const float* x, int n, Candidate* out)
{
    __shared__ Candidate best[64];
    Candidate mine = {1e30f, -1};
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine = better(mine, Candidate{x[i], i});
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            best[threadIdx.x] = better(best[threadIdx.x], best[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = best[0];
}
