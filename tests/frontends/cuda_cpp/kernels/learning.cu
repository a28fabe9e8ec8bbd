// Kernels of machine learning.
#include <cuda_fp16.h>
#include <float.h>
#include <stdint.h>

#define THREADS 64

template <typename Combine>
__device__ float block_combine(float value, float* scratch, Combine combine)
{
    int t = threadIdx.x;
    scratch[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            scratch[t] = combine(scratch[t], scratch[t + half]);
        __syncthreads();
    }
    float result = scratch[0];
    __syncthreads();
    return result;
}

struct Add {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// A row a block; the maximum is subtracted so that no exponential overflows.
__global__ void softmax(const float* in, float* out, int columns)
{
    __shared__ float scratch[THREADS];
    const float* row = in + blockIdx.x * columns;
    float largest = -FLT_MAX;
    for (int c = threadIdx.x; c < columns; c += THREADS)
        largest = fmaxf(largest, row[c]);
    largest = block_combine(largest, scratch, Max());
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += THREADS)
        sum += expf(row[c] - largest);
    sum = block_combine(sum, scratch, Add{});
    for (int c = threadIdx.x; c < columns; c += THREADS)
        out[blockIdx.x * columns + c] = expf(row[c] - largest) / sum;
}

__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int columns, float eps)
{
    __shared__ float scratch[THREADS];
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float sum = 0.f, squares = 0.f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        sum += x[c];
        squares += x[c] * x[c];
    }
    const float mean = block_combine(sum, scratch, Add()) / columns;
    const float variance = block_combine(squares, scratch, Add()) / columns - mean * mean;
    const float scale = rsqrtf(variance + eps);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}

// One query against all keys, with a running maximum and a running sum.
template <int D>
__global__ void attention_row(const float* q, const float* k, const float* v, float* out, int tokens)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= tokens)
        return;
    float query[D], accumulator[D] = {};
    for (int d = 0; d < D; d++)
        query[d] = q[row * D + d];
    float largest = -FLT_MAX, sum = 0.0f;
    const float scale = rsqrtf((float)D);
    for (int t = 0; t <= row; t++) {
        float score = 0;
#pragma unroll
        for (int d = 0; d < D; d++)
            score += query[d] * k[t * D + d];
        score *= scale;
        float previous = largest;
        largest = max(largest, score);
        float shrink = __expf(previous - largest), weight = __expf(score - largest);
        sum = sum * shrink + weight;
#pragma unroll
        for (int d = 0; d < D; d++)
            accumulator[d] = accumulator[d] * shrink + weight * v[t * D + d];
    }
    for (int d = 0; d < D; d++)
        out[row * D + d] = accumulator[d] / sum;
}

__global__ void quantise(const float* x, int8_t* q, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = __float2int_rn(x[i] / scale);
        v = v > 127 ? 127 : (v < -128 ? -128 : v);
        q[i] = static_cast<int8_t>(v);
    }
}

// Rows of bytes, four at a time.
__global__ void int8_matmul(const int8_t* a, const int8_t* b, int32_t* c, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    const int* a4 = reinterpret_cast<const int*>(a + row * k);
    const int* b4 = reinterpret_cast<const int*>(b + column * k);
    int sum = 0;
    for (int i = 0; i < k / 4; i++)
        sum = __dp4a(a4[i], b4[i], sum);
    c[row * n + column] = sum;
}

__global__ void k_means_assign(const float2* points, const float2* centres, int clusters, int* labels, float* sums,
                               int* sizes, int n)
{
    extern __shared__ float2 shared_centres[];
    if (threadIdx.x < clusters)
        shared_centres[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = points[i];
    int best = 0;
    float nearest = INFINITY;
    for (int c = 0; c < clusters; ++c) {
        float dx = p.x - shared_centres[c].x, dy = p.y - shared_centres[c].y, d = dx * dx + dy * dy;
        if (d < nearest)
            nearest = d, best = c;
    }
    labels[i] = best;
    atomicAdd(&sums[2 * best], p.x);
    atomicAdd(&sums[2 * best + 1], p.y);
    atomicAdd(&sizes[best], 1);
}

__global__ void relu_half(const __half* x, __half* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = __half2float(x[i]);
        y[i] = __float2half_rn(v > 0.f ? v : 0.01f * v);
    }
}

// Adam with its state in two arrays.
__global__ void adam(float* __restrict__ w, const float* __restrict__ g, float* m, float* v, int n, float rate, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float b1 = 0.9f, b2 = 0.999f;
    m[i] = b1 * m[i] + (1 - b1) * g[i];
    v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
    float mhat = m[i] / (1 - powf(b1, step)), vhat = v[i] / (1 - powf(b2, step));
    w[i] -= rate * mhat / (sqrtf(vhat) + 1e-8f);
}
