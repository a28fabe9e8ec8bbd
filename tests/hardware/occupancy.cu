// Kernels whose limits the occupancy calculator was asked for: launch bounds, and static shared memory.
template <int MT, int MB> __global__ void __launch_bounds__(MT, MB) klb(float* p, int n) {
    constexpr int NV = 120;
    float v[NV];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    #pragma unroll
    for (int i = 0; i < NV; i++) v[i] = p[t + i * 1024];
    for (int k = 0; k < n; k++) {
        float x = v[0];
        #pragma unroll
        for (int i = 0; i < NV - 1; i++) v[i] = v[i] * v[i + 1] + (float)k;
        v[NV - 1] = v[NV - 1] * x + 1.f;
    }
    #pragma unroll
    for (int i = 0; i < NV; i++) p[t + i * 1024] = v[i];
}

template <int S> __global__ void kstat(float* p) {  // static shared memory
    __shared__ float s[S / 4];
    s[threadIdx.x % (S / 4)] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[(threadIdx.x + 1) % (S / 4)];
}
