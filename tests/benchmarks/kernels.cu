// The kernels of kernels.py as one writes them in CUDA C++: lengths are arguments, indices are int.

#define THREADS 256
#define STEPS 50
#define TILE 16
#define WARP 32
#define BINS THREADS
#define QUEUE 1024

extern "C" __global__ void saxpy(int n, float a, const float *x, const float *y, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * x[i] + y[i];
}

extern "C" __global__ void block_sum(const float *values, float *sums, int n)
{
    __shared__ float partial[THREADS];
    int thread = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[thread] = i < n ? values[i] : 0.0f;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (thread < stride)
            partial[thread] += partial[thread + stride];
        __syncthreads();
    }
    if (thread == 0)
        sums[blockIdx.x] = partial[0];
}

extern "C" __global__ void mandelbrot(int *counts, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width) {
        double real = -2.0 + 3.0 * column / width;
        double imaginary = -1.5 + 3.0 * row / height;
        double x = 0.0, y = 0.0;
        int steps = 0;
        while (steps < STEPS && x * x + y * y <= 4.0) {
            double next = x * x - y * y + real;
            y = 2.0 * x * y + imaginary;
            x = next;
            ++steps;
        }
        counts[row * width + column] = steps;
    }
}

extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int inner, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    int x = threadIdx.x, y = threadIdx.y;
    float total = 0.0f;
    for (int k = 0; k < inner; k += TILE) {
        tile_a[y][x] = a[row * inner + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int j = 0; j < TILE; ++j)
            total += tile_a[y][j] * tile_b[j][x];
        __syncthreads();
    }
    c[row * n + column] = total;
}

extern "C" __global__ void histogram(const unsigned char *values, int *counts, int n)
{
    __shared__ int own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[values[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

__device__ float sum_of_warp(float value)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

extern "C" __global__ void shuffle_sum(const float *values, float *sums)
{
    __shared__ float partial[THREADS / WARP];
    int thread = threadIdx.x;
    float value = sum_of_warp(values[blockIdx.x * blockDim.x + thread]);
    if (thread % WARP == 0)
        partial[thread / WARP] = value;
    __syncthreads();
    if (thread < WARP) {
        value = sum_of_warp(thread < THREADS / WARP ? partial[thread] : 0.0f);
        if (thread == 0)
            sums[blockIdx.x] = value;
    }
}

// One level of a breadth-first search: the block gathers what it finds in a queue of its own.
extern "C" __global__ void search_level(const int *first_edge, const int *target, int *level, int depth,
                                        const int *frontier, int size, int *following, int *found)
{
    __shared__ int queue[QUEUE];
    __shared__ int length, start;
    int thread = threadIdx.x;
    if (thread == 0)
        length = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + thread;
    if (i < size) {
        int node = frontier[i];
        for (int edge = first_edge[node], last = first_edge[node + 1]; edge < last; ++edge) {
            int other = target[edge];
            if (atomicCAS(&level[other], -1, depth) == -1) {
                int place = atomicAdd(&length, 1);
                if (place < QUEUE)
                    queue[place] = other;
                else
                    following[atomicAdd(found, 1)] = other;
            }
        }
    }
    __syncthreads();
    if (thread == 0) {
        length = min(length, QUEUE);
        start = atomicAdd(found, length);
    }
    __syncthreads();
    for (int j = thread, size = length; j < size; j += THREADS)
        following[start + j] = queue[j];
}
