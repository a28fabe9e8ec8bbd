// What do more warps buy a kernel that computes? Prints what tests/hardware/attract.json holds.
//
//     nvcc -O3 -arch=sm_90 -o attract attract.cu && ./attract 2026-11-21 > attract.json
//
// The kernel is that of the book's page on occupancy; only the first `others` bodies pull, so that every thread count
// below is a whole number of full multiprocessors: no tail. The argument is the date.
#include "common.h"

const int THREADS = 132 * 6144, OTHERS = 6144, TIMES = 11;

__device__ __forceinline__ void attract(const double* bodies, double* forces, int n, int others) {
    extern __shared__ double tile[];
    int t = threadIdx.x, threads = blockDim.x;
    int i = blockIdx.x * threads + t;
    double x = bodies[i], y = bodies[n + i], z = bodies[2 * n + i];
    double fx = 0.0, fy = 0.0, fz = 0.0;
    for (int first = 0; first < others; first += threads) {
        for (int row = 0; row < 4; row++)
            tile[row * threads + t] = bodies[row * n + first + t];
        __syncthreads();
        for (int k = 0; k < threads; k++) {
            double dx = tile[k] - x;
            double dy = tile[threads + k] - y;
            double dz = tile[2 * threads + k] - z;
            double near = 1.0 / (dx * dx + dy * dy + dz * dz + 0.01);
            double pull = tile[3 * threads + k] * near * sqrt(near);
            fx += pull * dx;
            fy += pull * dy;
            fz += pull * dz;
        }
        __syncthreads();
    }
    forces[i] = fx;
    forces[n + i] = fy;
    forces[2 * n + i] = fz;
}
__global__ void plain(const double* bodies, double* forces, int n, int others) { attract(bodies, forces, n, others); }
__global__ void __launch_bounds__(1024, 2) bounded(const double* bodies, double* forces, int n, int others) { attract(bodies, forces, n, others); }

static const char* comma = "";
static double *bodies, *forces;

static void row(const char* name, void (*kernel)(const double*, double*, int, int), int block, int resident) {
    cudaFuncAttributes has;
    cudaEvent_t begun, ended;
    std::vector<float> all;
    int found, dynamic = 32 * block;
    if (resident) dynamic = std::max(dynamic, (233472 / resident - 1024) / 128 * 128);
    CK(cudaFuncGetAttributes(&has, kernel));
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, kernel, block, dynamic));
    CK(cudaEventCreate(&begun));
    CK(cudaEventCreate(&ended));
    for (int k = 0; k < TIMES + 2; k++) {
        float ms;
        CK(cudaEventRecord(begun));
        kernel<<<THREADS / block, block, dynamic>>>(bodies, forces, THREADS, OTHERS);
        CK(cudaEventRecord(ended));
        CK(cudaEventSynchronize(ended));
        CK(cudaEventElapsedTime(&ms, begun, ended));
        if (k > 1) all.push_back(ms);
    }
    std::sort(all.begin(), all.end());
    printf("%s\n  [\"%s\", %d, %d, %d, %d, %d, %.4f, %.4f]", comma, name, block, dynamic, has.numRegs, (int)has.localSizeBytes, found, all[TIMES / 2], all.back());
    comma = ",";
}

int main(int count, char** words) {
    cudaDeviceProp gpu;
    int runtime;
    std::vector<double> values(4ull * THREADS);
    for (size_t i = 0; i < values.size(); i++) values[i] = 0.1 + (i * 2654435761ull >> 8) % 900 / 1000.0;
    CK(cudaGetDeviceProperties(&gpu, 0));
    CK(cudaRuntimeGetVersion(&runtime));
    CK(cudaMalloc(&bodies, values.size() * 8));
    CK(cudaMalloc(&forces, values.size() * 6));
    CK(cudaMemcpy(bodies, values.data(), values.size() * 8, cudaMemcpyHostToDevice));
    printf("{\n \"header\": {\n  \"what\": \"The kernel attract of the book's page on occupancy: time over block size, registers and blocks on a multiprocessor\",\n");
    printf("  \"machine\": {\"device\": \"%s\", \"cuda\": \"%d.%d (-O3 -arch=sm_90)\", \"date\": \"%s\"},\n", gpu.name, runtime / 1000, runtime % 1000 / 10, count > 1 ? words[1] : "");
    printf("  \"source\": \"tests/hardware/probes/attract.cu; %d threads, each pulled by %d bodies; bounded: __launch_bounds__(1024, 2)\",\n", THREADS, OTHERS);
    printf("  \"achieved\": \"sm__warps_active.avg.pct_of_peak_sustained_active with blocks of 256, from ncu --clock-control none\",\n");
    printf("  \"local\": \"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum and …_st.sum with blocks of 256, from ncu, for each warp and each body that pulls\"\n },\n");
    printf(" \"rows\": [\n  [\"fields\", \"kernel\", \"block\", \"dyn\", \"registers\", \"local_bytes\", \"blocks_per_sm\", \"ms\", \"slowest\", \"ms: median of %d\"]", TIMES);
    comma = ",";
    for (int block : {64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
        row("plain", plain, block, 0);
        row("bounded", bounded, block, 0);
    }
    for (int resident : {1, 2, 3, 4, 6, 8, 12, 16}) {
        row("plain", plain, 128, resident);
        row("bounded", bounded, 128, resident);
    }
    printf("\n ],\n \"achieved\": {},\n \"local\": {}\n}\n");  // both are filled in from ncu
}
