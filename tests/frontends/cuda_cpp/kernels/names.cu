// Names: namespaces, macros, conditional text, includes, qualifiers of kernels.
#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cmath>
#include <cstdio>
#include <math.h>
#include <stdint.h>
#ifndef BLOCK
#define BLOCK 64
#endif
#define SQUARE(x) ((x) * (x))
#define LOOP(k, n) for (int k = 0; k < (n); ++k)
#define JOIN(a, b) a##b
#define SET(index, value)      \
    do {                       \
        out[index] = (value);  \
    } while (0)
#define SUM(...) sum_of(__VA_ARGS__)
#define CHECK(condition) /* nothing in a release build */

namespace physics {
constexpr float G = 9.81f;
__device__ float fall(float t) { return G * SQUARE(t) / 2; }
namespace units {
__device__ float kilo(float x) { return x / 1000; }
enum Unit { METRE, FOOT };
}
}

namespace {
__device__ int hidden(int x) { return x + 40; }
const int OFFSET = 2;
}

namespace outer::inner {
struct Point {
    int x, y;
};
__device__ int area(Point p) { return p.x * p.y; }
}

__global__ void namespaces(const float* t, float* out)
{
    using namespace physics;
    using outer::inner::Point;
    namespace u = physics::units;
    Point p{3, (int)threadIdx.x};
    out[threadIdx.x] = u::kilo(fall(t[threadIdx.x])) + ::physics::G + hidden(OFFSET) + outer::inner::area(p) + u::FOOT;
}

__device__ int sum_of(int a, int b, int c) { return a + b + c; }

__global__ void macros(int* out)
{
    int JOIN(tem, p) = 0;
    LOOP (k, 5)
        temp += SQUARE(k + 1);
    CHECK(temp > 0);
    if (threadIdx.x == 0)
        SET(0, temp);
    else
        SET(threadIdx.x, SUM(1, 2, threadIdx.x));
}

#if BLOCK >= 128
#define KIND 3
#elif BLOCK > 32 && defined(SQUARE)
#define KIND 2
#else
#define KIND 1
#endif

#undef CHECK
#ifdef CHECK
#error "CHECK is gone"
#endif

__global__ void conditional_text(int* out)
{
#ifdef __CUDA_ARCH__
    out[threadIdx.x] = KIND * 100 + BLOCK;
#else
    out[threadIdx.x] = -1;
#endif
#if 0
    this is not C
#endif
}

extern "C" __global__ void __launch_bounds__(256, 2) launch_bounds(int* out)
{
    out[threadIdx.x] = blockDim.x;
}

extern "C" {
__launch_bounds__(BLOCK) __global__ void launch_bounds_first(int* out) { out[threadIdx.x] = 2 * blockDim.x; }
}

static const int UNROLL = 4;

__global__ void unrolled_loops(const float* __restrict__ x, float* __restrict__ out)
{
    float sum = 0.f;
#pragma unroll UNROLL
    for (int k = 0; k < 8; k++)
        sum += x[threadIdx.x * 8 + k];
#pragma unroll 1
    for (int k = 0; k < 2; k++)
        sum *= 2;
    out[threadIdx.x] = sum;
}

__global__ void qualifiers([[maybe_unused]] int unused, int* out)
{
    register int r = threadIdx.x;
    const auto twice = 2 * r;
    [[maybe_unused]] constexpr int ignored = 3;
    decltype(twice) again = twice;
    (void)unused;
    out[r] = again;
}
