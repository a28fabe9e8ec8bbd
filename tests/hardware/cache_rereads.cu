// One block reads the same words again and again: what does L1 keep? The GPU and the simulator run this text.
template <int N> __device__ float get(const float* p);
template <> __device__ float get<0>(const float* p) { return *p; }
template <> __device__ float get<1>(const float* p) { return __ldca(p); }
template <> __device__ float get<2>(const float* p) { return __ldcg(p); }
template <> __device__ float get<3>(const float* p) { return __ldcs(p); }
template <> __device__ float get<4>(const float* p) { return __ldlu(p); }
template <> __device__ float get<5>(const float* p) { return __ldcv(p); }
template <> __device__ float get<6>(const float* p) { return __ldg(p); }

// `count` floats, `stride` floats apart, `passes` times over
template <int N> __global__ void reread(float* x, int count, int stride, int passes, float* sink) {
    float sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) sum += get<N>(x + i * stride);
        __syncthreads();
    }
    if (sum == -1) *sink = sum;  // it never is
}

// `before` passes of reading, one of writing, `after` passes of reading
__global__ void rewrite(float* x, int count, int before, int after, float* sink) {
    float sum = 0;
    for (int pass = 0; pass < before; pass++) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) sum += x[i];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < count; i += blockDim.x) x[i] = threadIdx.x;
    __syncthreads();
    for (int pass = 0; pass < after; pass++) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) sum += x[i];
        __syncthreads();
    }
    if (sum == -1) *sink = sum;
}
