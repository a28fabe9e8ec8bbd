// Points of Bézier curves, as "Memory across launches" has them: for its cells with more ways to draw them.
#pragma once
constexpr int MOST = 256;

__device__ int segments_of(const float* p) {
    float x = p[0] - p[2] - p[2] + p[4], y = p[1] - p[3] - p[3] + p[5];
    return min(MOST, 1 + (int)sqrtf(sqrtf(x * x + y * y)));
}

__device__ void put_point(const float* p, int i, int n, float* line,
                          int at) {
    float t = (float)i / n, s = (float)(n - i) / n;
    for (int k = 0; k < 2; k++) {
        float middle = s * t * (p[2 + k] + p[2 + k]);
        line[2 * (at + i) + k] = s * s * p[k] + middle + t * t * p[4 + k];
    }
}

__global__ void draw(const float* curves, int c, int n, float* line,
                     int at) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) put_point(curves + 6 * c, i, n, line, at);
}
