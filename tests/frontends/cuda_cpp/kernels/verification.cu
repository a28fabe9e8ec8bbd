// In the style of suites for verification tools: annotations that mean nothing to a compiler, small grids,
// one property each.

#define __requires(condition)
#define __ensures(condition)
#define __invariant(condition)
#define __assert(condition)
#define __global_assert(condition)
#define N 64
#define __1D_grid
#define __1D_threads

// pass: --blockDim=64 --gridDim=1
__global__ void swap_with_barrier(int* A)
{
    __requires(blockDim.x == N);
    __requires(gridDim.x == 1);
    int next = A[(threadIdx.x + 1) % N];
    __syncthreads();
    A[threadIdx.x] = next;
    __ensures(A[threadIdx.x] == __old(A[(threadIdx.x + 1) % N]));
}

// All threads write the same value: a race without consequences.
__global__ void benign_race(int* flag, const int* x)
{
    __requires(__no_write(x));
    if (x[threadIdx.x] < 0)
        *flag = 1;
}

__device__ int nondeterministic(int seed) { return seed & 1; }

__global__ void barrier_in_a_loop(unsigned* x, const unsigned iterations)
{
    __shared__ unsigned A[2][N];
    unsigned current = 0;
    A[current][threadIdx.x] = x[threadIdx.x];
    for (unsigned i = 0; __invariant(i <= iterations) i < iterations; ++i) {
        __syncthreads();
        A[1 - current][threadIdx.x] = A[current][(threadIdx.x + 1) % N] + nondeterministic(i);
        current = 1 - current;
    }
    __syncthreads();
    x[threadIdx.x] = A[current][threadIdx.x];
}

// Uniform conditions around a barrier are fine.
__global__ void uniform_barrier(int* p, int a, int b)
{
    int shift = 0;
    if (a > b) {
        __syncthreads();
        shift = 1;
        __syncthreads();
    }
    __assert(shift <= 1);
    p[threadIdx.x] = shift + blockDim.x;
}

typedef struct s {
    int x;
    struct {
        char a, b;
    } y;
} S;

__device__ int* pick(int* p, int* q, bool first) { return first ? p : q; }

// Pointers chosen by threads, a struct inside a struct, a union of sizes.
__global__ void pointer_choice(int* p, int* q, S* s)
{
    int* r = pick(p, q, threadIdx.x % 2 == 0);
    r[threadIdx.x] = s[threadIdx.x].x + s[threadIdx.x].y.b;
    s[threadIdx.x].y.a = (char)r[threadIdx.x];
}

// Each thread owns the elements with its own remainder.
__global__ void strided_ownership(int* A, unsigned length)
{
    for (unsigned i = threadIdx.x; i < length; i += blockDim.x) {
        __global_assert(i % blockDim.x == threadIdx.x);
        A[i] = A[i] * 2 + i;
    }
}

__device__ inline __attribute__((always_inline)) int attributed(int x) { return x * 2; }

__global__ void __attribute__((reqd_work_group_size(64, 1, 1))) attributes(int* x)
{
    x[threadIdx.x] = attributed(x[threadIdx.x]);
}
