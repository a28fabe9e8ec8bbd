// Atomic functions, their scopes, loops of compare and swap, fences.

__global__ void integer_atomics(const int* x, int* sums, unsigned* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[0], x[i]);
    atomicSub(&sums[1], x[i]);
    atomicMin(&sums[2], x[i]);
    atomicMax(sums + 3, x[i]);
    atomicAnd(&out[0], ~(1u << (i % 20)));
    atomicOr(&out[1], 1u << (i % 7));
    atomicXor(&out[2], 1u << (i % 13));
    atomicInc(&out[3], 9);
    atomicDec(&out[4], 5);
    atomicExch(&out[5], 77u);
}

__global__ void wide_atomics(const float* x, float* f, double* d, unsigned long long* u, long long* s)
{
    int i = threadIdx.x;
    atomicAdd(f, x[i]);
    atomicAdd(d, (double)x[i]);
    atomicAdd(u, 1ull << 33);
    atomicMax(s, (long long)i << 34);
    atomicMin(s + 1, -(long long)i << 34);
    atomicExch(f + 1, 2.5f);
    atomicOr(u + 1, 1ull << i);
    atomicAnd(u + 2, ~(1ull << i));
    atomicXor(u + 3, 3ull << i);
}

// What was there before tells each thread its place.
__global__ void tickets(int* next, int* place)
{
    int ticket = atomicAdd(next, 1);
    place[ticket] = 1;
}

__global__ void scoped_atomics(int* block_sums, int* system_sum, float* floats, unsigned* last)
{
    __shared__ int local;
    if (threadIdx.x == 0)
        local = 0;
    __syncthreads();
    atomicAdd_block(&local, (int)threadIdx.x);
    atomicAdd_system(system_sum, 1);
    atomicMax_block(&block_sums[gridDim.x + blockIdx.x], (int)threadIdx.x);
    atomicAdd_block(&floats[blockIdx.x], 0.5f);
    atomicOr_system(last, 1u << blockIdx.x);
    atomicCAS_block(last + 1 + blockIdx.x, 0u, 42u);
    atomicExch_system(last + 5, 9u);
    __syncthreads();
    if (threadIdx.x == 0)
        block_sums[blockIdx.x] = local;
}

__device__ double atomic_add_by_cas(double* address, double value)
{
    unsigned long long* as_integer = (unsigned long long*)address;
    unsigned long long old = *as_integer, assumed;
    do {
        assumed = old;
        old = atomicCAS(as_integer, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ float atomic_maximum(float* address, float value)
{
    int* as_int = (int*)address;
    int old = *as_int, assumed;
    while (value > __int_as_float(old)) {
        assumed = old;
        old = atomicCAS(as_int, assumed, __float_as_int(value));
        if (old == assumed)
            break;
    }
    return __int_as_float(old);
}

__global__ void compare_and_swap(const float* x, double* sum, float* maximum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_add_by_cas(sum, x[i]);
    atomic_maximum(maximum, x[i]);
}

struct Lock {
    int* state;
    __device__ void acquire()
    {
        while (atomicCAS(state, 0, 1) != 0)
            ;
        __threadfence();
    }
    __device__ void release()
    {
        __threadfence();
        atomicExch(state, 0);
    }
};

// A lock that one thread of each block takes.
__global__ void locked_sum(Lock lock, volatile int* total)
{
    if (threadIdx.x == 0) {
        lock.acquire();
        *total = *total + blockIdx.x + 1;
        lock.release();
    }
}

// Every lane takes the lock; inside the loop, so that it is never waited for by the lane's own warp.
__global__ void lock_per_lane(int* lock, volatile int* total)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *total = *total + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__device__ unsigned finished = 0;

// Dot product in one launch: the block that finishes last adds the blocks' sums.
__global__ void last_block_dot(const float* x, const float* y, int n, volatile float* partial, float* result)
{
    __shared__ float cache[64];
    __shared__ bool last;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += x[i] * y[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            cache[threadIdx.x] += cache[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float total = 0;
        for (int b = 0; b < gridDim.x; b++)
            total += partial[b];
        *result = total;
        finished = 0;
    }
}

// A flag after a fence hands data from one block to another.
__global__ void producer_consumer(volatile int* data, volatile int* ready, int* out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 1234;
        __threadfence();
        *ready = 1;
    } else {
        while (*ready == 0)
            ;
        __threadfence();
        *out = *data + 1;
    }
}

__global__ void fences(int* x)
{
    x[threadIdx.x] += 1;
    __threadfence_block();
    x[threadIdx.x] *= 2;
    __threadfence();
    x[threadIdx.x] -= 1;
    __threadfence_system();
    __nanosleep(20);
}

__global__ void cached_loads(const float* in, const float4* vectors, const int* __restrict__ numbers, float* out)
{
    int i = threadIdx.x;
    float4 v = __ldg(&vectors[i]);
    float sum = __ldg(in + i) + __ldca(in + i) + __ldcg(&in[i]) + __ldcs(&in[i]) + __ldcv(in + i) + __ldlu(&in[i]);
    out[i * 4] = sum + v.x + v.w + __ldg(&numbers[i]);
    __stcg(&out[i * 4 + 1], 1.0f + i);
    __stcs(&out[i * 4 + 2], 2.0f + i);
    __stwb(&out[i * 4 + 3], 3.0f + i);
    __stwt(&out[i * 4 + 3], out[i * 4 + 3] + v.y);
}

// Histogram: private to the block first, then one atomic for each bin of each block.
__global__ void histogram(const unsigned char* x, int n, unsigned* bins)
{
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[x[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b])
            atomicAdd(bins + b, local[b]);
}
