// Exactly as much room as the points need, without a launch in a kernel: count, then write.
#include "bezier.h"

__global__ void count_points(const float* curves, int* counts) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    counts[c] = segments_of(curves + 6 * c) + 1;
}

__global__ void write_points(const float* curves, const int* first, const int* counts, float* points) {
    int c = blockIdx.x, n = counts[c] - 1;
    for (int i = threadIdx.x; i <= n; i += blockDim.x) put_point(curves + 6 * c, i, n, points, first[c]);
}
