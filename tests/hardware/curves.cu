// What do conflicts, strides, widths, barriers, resident warps and independent work cost? Each kernel does one
// thing, over and over; twice as many rounds less once as many is what the thing itself takes (curves.py).
// Read by nvcc and by gpusim alike.

extern "C" {

// shared memory: lane l has word l % d * down + l / d * right --------------------------------------------------

__device__ int word_of_lane(int d, int down, int right) {
    int lane = threadIdx.x % 32;
    return lane % d * down + lane / d * right;
}

__global__ void shared_chain(int* out, int d, int down, int right, int rounds) {
    __shared__ int words[1088];
    for (int i = threadIdx.x; i < 1088; i += blockDim.x) words[i] = i;
    __syncthreads();
    int at = word_of_lane(d, down, right);
    for (int r = 0; r < rounds; r++) at = words[at];
    out[threadIdx.x] = at;
}

__global__ void shared_loads(int* out, int d, int down, int right, int rounds) {
    __shared__ int words[1088 + 224];
    for (int i = threadIdx.x; i < 1312; i += blockDim.x) words[i] = i;
    __syncthreads();
    int at = word_of_lane(d, down, right), sum = 0;
    for (int r = 0; r < rounds; r++) {
        sum += words[at] + words[at + 32] + words[at + 64] + words[at + 96];
        sum += words[at + 128] + words[at + 160] + words[at + 192] + words[at + 224];
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}

__global__ void shared_stores(int* out, int d, int down, int right, int rounds) {
    __shared__ int words[1088 + 224];
    int at = word_of_lane(d, down, right);
    for (int r = 0; r < rounds; r++) {
        words[at] = r, words[at + 32] = r, words[at + 64] = r, words[at + 96] = r;
        words[at + 128] = r, words[at + 160] = r, words[at + 192] = r, words[at + 224] = r;
        __syncwarp();
    }
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x];
}

#define SHARED_LOADS_OF(NAME, TYPE)                                                  \
    __global__ void NAME(int* out, int rounds) {                                     \
        __shared__ TYPE words[128];                                                  \
        int* first = (int*)words;                                                    \
        for (int i = threadIdx.x; i < sizeof(words) / 4; i += blockDim.x) first[i] = i; \
        __syncthreads();                                                             \
        int at = threadIdx.x % 32, sum = 0;                                          \
        for (int r = 0; r < rounds; r++) {                                           \
            TYPE a = words[at], b = words[at + 32], c = words[at + 64], e = words[at + 96]; \
            sum += a.x + b.x + c.x + e.x;                                            \
            __syncwarp();                                                            \
        }                                                                            \
        out[threadIdx.x] = sum;                                                      \
    }
SHARED_LOADS_OF(shared_loads_of_4, int1)
SHARED_LOADS_OF(shared_loads_of_8, int2)
SHARED_LOADS_OF(shared_loads_of_16, int4)

__global__ void shared_adds(int* out, int d, int down, int right, int rounds) {
    __shared__ int words[1088];
    int at = word_of_lane(d, down, right);
    for (int r = 0; r < rounds; r++) atomicAdd(&words[at], 1);
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x];
}

__global__ void shared_add_chain(int* out, int d, int down, int right, int rounds) {
    __shared__ int words[1088];
    for (int i = threadIdx.x; i < 1088; i += blockDim.x) words[i] = i;
    __syncthreads();
    int at = word_of_lane(d, down, right);
    for (int r = 0; r < rounds; r++) at = atomicAdd(&words[at], 0);
    out[threadIdx.x] = at;
}

__global__ void shared_swap_chain(int* out, int d, int down, int right, int rounds) {
    __shared__ int words[1088];
    for (int i = threadIdx.x; i < 1088; i += blockDim.x) words[i] = i;
    __syncthreads();
    int at = word_of_lane(d, down, right);
    for (int r = 0; r < rounds; r++) at = atomicCAS(&words[at], -1, 0);
    out[threadIdx.x] = at;
}

// caches, atomics, barriers -----------------------------------------------------------------------------------

__global__ void chain_in_l1(int* out, const int* next, int rounds) {
    int at = 0;
    for (int r = 0; r < rounds; r++) at = next[at];
    out[0] = at;
}

__global__ void global_add_chain(int* words, int lanes, int rounds) {
    int at = threadIdx.x % 32 / lanes;
    for (int r = 0; r < rounds; r++) at += atomicAdd(&words[at], 0);
    words[64 + threadIdx.x] = at;
}

__global__ void global_adds(int* words, int lanes, int apart, int rounds) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int* mine = words + warp * apart + threadIdx.x % 32 / lanes;
    for (int r = 0; r < rounds; r++) atomicAdd(mine, 1);
}

__global__ void barriers(int* out, int rounds) {
    for (int r = 0; r < rounds; r++) __syncthreads();
    out[threadIdx.x] = rounds;
}

// arithmetic: chains, and how many of them ---------------------------------------------------------------------

#define CHAIN(NAME, TYPE, STEP)                            \
    __global__ void NAME(TYPE* x, TYPE a, int rounds) {    \
        int i = blockIdx.x * blockDim.x + threadIdx.x;     \
        TYPE p = x[i];                                     \
        for (int r = 0; r < rounds; r++) p = STEP(p);      \
        x[i] = p;                                          \
    }
#define TWO_CHAINS(NAME, TYPE, STEP)                               \
    __global__ void NAME(TYPE* x, TYPE a, int rounds) {            \
        int i = blockIdx.x * blockDim.x + threadIdx.x;             \
        TYPE p = x[i], q = p + 1;                                  \
        for (int r = 0; r < rounds; r++) p = STEP(p), q = STEP(q); \
        x[i] = p + q;                                              \
    }
#define FOUR_CHAINS(NAME, TYPE, STEP)                                                            \
    __global__ void NAME(TYPE* x, TYPE a, int rounds) {                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        TYPE p = x[i], q = p + 1, s = p + 2, t = p + 3;                                          \
        for (int r = 0; r < rounds; r++) p = STEP(p), q = STEP(q), s = STEP(s), t = STEP(t);     \
        x[i] = p + q + s + t;                                                                    \
    }
#define PRODUCT(v) a * v + a
#define POWER(v) exp2f(v)
#define SHUFFLED(v) __shfl_sync(0xffffffff, v, v)
#define BITS(v) __popc(v)
#define VOTES(v) (int)__ballot_sync(0xffffffff, v > a)
#define DIVIDED(v) a / v
#define ROOT(v) sqrtf(v)
CHAIN(products, float, PRODUCT)
TWO_CHAINS(products_of_2, float, PRODUCT)
FOUR_CHAINS(products_of_4, float, PRODUCT)
CHAIN(int_products, int, PRODUCT)
FOUR_CHAINS(int_products_of_4, int, PRODUCT)
CHAIN(double_products, double, PRODUCT)
FOUR_CHAINS(double_products_of_4, double, PRODUCT)
CHAIN(powers, float, POWER)
FOUR_CHAINS(powers_of_4, float, POWER)
CHAIN(shuffles, int, SHUFFLED)
CHAIN(bits, int, BITS)
CHAIN(votes, int, VOTES)
CHAIN(quotients, float, DIVIDED)
CHAIN(roots, float, ROOT)

// ways: a switch of which each path has a loop of eight products; by 0 lane % k, 1 warp % k, 2 groups of lanes ----

#define PATH(K)                                                  \
    case K:                                                      \
        for (int r = 0; r < rounds; r++) {                       \
            v = v * a + (K + 1), v = v * a + (K + 1), v = v * a + (K + 1), v = v * a + (K + 1); \
            v = v * a + (K + 1), v = v * a + (K + 1), v = v * a + (K + 1), v = v * a + (K + 1); \
        }                                                        \
        break;
#define FOUR_PATHS(K) PATH(K) PATH(K + 1) PATH(K + 2) PATH(K + 3)
__global__ void ways(float* x, int k, int by, float a, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    float v = x[i];
    switch (by == 0 ? lane % k : by == 1 ? i / 32 % k : lane * k / 32) {
        FOUR_PATHS(0) FOUR_PATHS(4) FOUR_PATHS(8) FOUR_PATHS(12)
        FOUR_PATHS(16) FOUR_PATHS(20) FOUR_PATHS(24) FOUR_PATHS(28)
    }
    x[i] = v;
}

// global memory -----------------------------------------------------------------------------------------------

__global__ void strided_reads(float* out, const float* x, int stride, int rounds) {
    int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 8; k++) sum += x[((8 * r + k) * threads + i) * stride];
    if (sum < 0) out[i] = sum;
}

__global__ void strided_writes(float* x, int stride, int rounds) {
    int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) x[(r * threads + i) * stride] = 1;
}

__global__ void strided_copy(float* to, const float* from, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    to[i] = from[i] + 1;
}

// each load waits for the one before, which says that the next lies 0 further
#define FRESH_READS(NAME, TYPE)                                              \
    __global__ void NAME(int* out, const TYPE* x, int rounds) {              \
        int threads = gridDim.x * blockDim.x;                                \
        int at = blockIdx.x * blockDim.x + threadIdx.x;                      \
        for (int r = 0; r < rounds; r++) at += threads + x[at].x;            \
        if (at < 0) out[0] = at;                                             \
    }
FRESH_READS(fresh_reads_of_4, int1)
FRESH_READS(fresh_reads_of_8, int2)
FRESH_READS(fresh_reads_of_16, int4)

__global__ void fresh_reads_two_at_once(int* out, const int4* x, int rounds) {
    int threads = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r += 2) at += 2 * threads + x[at].x + x[at + threads].x;
    if (at < 0) out[0] = at;
}

__global__ void fresh_reads_four_at_once(int* out, const int4* x, int rounds) {
    int threads = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r += 4)
        at += 4 * threads + x[at].x + x[at + threads].x + x[at + 2 * threads].x + x[at + 3 * threads].x;
    if (at < 0) out[0] = at;
}

__global__ void axpy(float* y, const float* x, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

__global__ void axpy_looping(float* y, const float* x, float a, int rounds) {
    int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++, i += threads) y[i] = a * x[i] + y[i];
}

}
