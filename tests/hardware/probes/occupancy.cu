// The occupancy calculator's answers, device properties, and resident blocks as really seen.
#include "common.h"
#include "../occupancy.cu"
// kernels whose register count is forced from above by __maxnreg__ and from below by live values
template <int R> __global__ void __maxnreg__(R) kreg(float* p, int n) {
    constexpr int NV = R > 24 ? R - 14 : 6;
    float v[NV]; int t = blockIdx.x * blockDim.x + threadIdx.x;
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
// resident blocks, measured: every block bumps its multiprocessor's counter, keeps the maximum, waits, leaves
__device__ int present[256], most[256];
template <int R> __global__ void __maxnreg__(R) resident(float* p, int n, long long wait) {
    constexpr int NV = R > 40 ? R - 30 : 4;
    __shared__ int dummy;
    unsigned sm; asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    if (threadIdx.x == 0) { dummy = 0; int c = atomicAdd(&present[sm], 1) + 1; atomicMax(&most[sm], c); long long t0 = clock64(); while (clock64() - t0 < wait); }
    __syncthreads();
    float v[NV]; int t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < NV; i++) v[i] = p[t + i * 1024];
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < NV - 1; i++) v[i] = v[i] * v[i + 1] + (float)k;
        v[NV - 1] = v[NV - 1] * v[0] + 1.f;
    }
    if (n > 1000) {
#pragma unroll
        for (int i = 0; i < NV; i++) p[t + i * 1024] = v[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicSub(&present[sm], 1);
}
static int multiprocessors, most_shared;
static std::vector<int> block_sizes;
static std::vector<int> dynamic_sizes;
static void props() {
    cudaDeviceProp p; CK(cudaGetDeviceProperties(&p, 0));
    int drv, rt; cudaDriverGetVersion(&drv); cudaRuntimeGetVersion(&rt);
    J("{\"kind\":\"props\",\"name\":\"%s\",\"cc\":\"%d.%d\",\"driver_api\":%d,\"runtime\":%d,\"multiProcessorCount\":%d,\"warpSize\":%d,\"regsPerMultiprocessor\":%d,\"regsPerBlock\":%d,"
        "\"sharedMemPerMultiprocessor\":%zu,\"sharedMemPerBlock\":%zu,\"sharedMemPerBlockOptin\":%zu,\"reservedSharedMemPerBlock\":%zu,\"maxThreadsPerMultiProcessor\":%d,\"maxBlocksPerMultiProcessor\":%d,"
        "\"maxThreadsPerBlock\":%d,\"maxThreadsDim\":[%d,%d,%d],\"maxGridSize\":[%d,%d,%d],\"l2CacheSize\":%d,\"totalGlobalMem\":%zu,\"totalConstMem\":%zu,\"memoryBusWidth\":%d,\"persistingL2CacheMaxSize\":%d,\"concurrentKernels\":%d,\"asyncEngineCount\":%d,\"globalL1CacheSupported\":%d,\"localL1CacheSupported\":%d,\"accessPolicyMaxWindowSize\":%d,\"cooperativeLaunch\":%d,\"clusterLaunch\":%d}",
        p.name, p.major, p.minor, drv, rt, p.multiProcessorCount, p.warpSize, p.regsPerMultiprocessor, p.regsPerBlock, p.sharedMemPerMultiprocessor, p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
        p.reservedSharedMemPerBlock, p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor, p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2],
        p.l2CacheSize, p.totalGlobalMem, p.totalConstMem, p.memoryBusWidth, p.persistingL2CacheMaxSize, p.concurrentKernels, p.asyncEngineCount, p.globalL1CacheSupported, p.localL1CacheSupported, p.accessPolicyMaxWindowSize, p.cooperativeLaunch, p.clusterLaunch);
    struct { const char* n; cudaDeviceAttr a; } A[] = {{"clockRate_kHz", cudaDevAttrClockRate}, {"memoryClockRate_kHz", cudaDevAttrMemoryClockRate}, {"computeMode", cudaDevAttrComputeMode}, {"singleToDoublePrecisionPerfRatio", cudaDevAttrSingleToDoublePrecisionPerfRatio}};
    for (auto& a : A) { int v = -1; cudaError_t e = cudaDeviceGetAttribute(&v, a.a, 0); J("{\"kind\":\"attr\",\"name\":\"%s\",\"value\":%d,\"err\":\"%s\"}", a.n, v, cudaGetErrorName(e)); }
    struct { const char* n; cudaLimit l; } LM[] = {{"StackSize", cudaLimitStackSize}, {"PrintfFifoSize", cudaLimitPrintfFifoSize}, {"MallocHeapSize", cudaLimitMallocHeapSize}, {"DevRuntimeSyncDepth", cudaLimitDevRuntimeSyncDepth}, {"DevRuntimePendingLaunchCount", cudaLimitDevRuntimePendingLaunchCount}, {"MaxL2FetchGranularity", cudaLimitMaxL2FetchGranularity}, {"PersistingL2CacheSize", cudaLimitPersistingL2CacheSize}};
    for (auto& a : LM) { size_t v = 0; cudaError_t e = cudaDeviceGetLimit(&v, a.l); J("{\"kind\":\"limit\",\"name\":\"%s\",\"value\":%zu,\"err\":\"%s\"}", a.n, v, cudaGetErrorName(e)); }
    cudaGetLastError();
}
static void table(const char* name, const void* k, int forced) {
    cudaFuncAttributes a; CK(cudaFuncGetAttributes(&a, k));
    int most_dynamic = most_shared - (int)a.sharedSizeBytes;
    cudaError_t e0 = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, most_dynamic);
    J("{\"kind\":\"kernel\",\"name\":\"%s\",\"forced\":%d,\"numRegs\":%d,\"static\":%zu,\"local\":%zu,\"maxThreadsPerBlock\":%d,\"maxDyn\":%d,\"set\":\"%s\"}", name, forced, a.numRegs, a.sharedSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, most_dynamic, cudaGetErrorName(e0));
    for (int s : dynamic_sizes) {
        std::vector<int> o;
        for (int b : block_sizes) { int n = -1; cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, b, s); if (e != cudaSuccess) { n = -(int)e; cudaGetLastError(); } o.push_back(n); }
        J("{\"kind\":\"occ\",\"name\":\"%s\",\"dyn\":%d,\"blocks\":%s}", name, s, list(o.data(), o.size()).c_str());
    }
    for (int s : {0, 1024, 16384, 49152, 102400, most_shared - (int)a.sharedSizeBytes}) for (int lim : {0, 256, 1000}) {
        int g, b; cudaError_t e = cudaOccupancyMaxPotentialBlockSize(&g, &b, (void (*)(float*, int))k, s, lim); cudaGetLastError();
        J("{\"kind\":\"pot\",\"name\":\"%s\",\"dyn\":%d,\"limit\":%d,\"grid\":%d,\"block\":%d,\"err\":\"%s\"}", name, s, lim, g, b, cudaGetErrorName(e));
    }
    for (int per : {4, 8, 40, 100, 256}) {
        int g, b; cudaError_t e = cudaOccupancyMaxPotentialBlockSizeVariableSMem(&g, &b, (void (*)(float*, int))k, [per](int bs) { return (size_t)bs * per; }, 0); cudaGetLastError();
        J("{\"kind\":\"potvar\",\"name\":\"%s\",\"bytes_per_thread\":%d,\"grid\":%d,\"block\":%d,\"err\":\"%s\"}", name, per, g, b, cudaGetErrorName(e));
    }
    for (int nb : {1, 2, 4, 8}) for (int b : {128, 256, 512}) {
        size_t d = 0; cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(&d, k, nb, b); cudaGetLastError();
        J("{\"kind\":\"avail\",\"name\":\"%s\",\"nblocks\":%d,\"block\":%d,\"bytes\":%zu,\"err\":\"%s\"}", name, nb, b, d, cudaGetErrorName(e));
    }
}
template <int R> static void table_of() { char name[32]; snprintf(name, 32, "kreg%d", R); table(name, (const void*)kreg<R>, R); }
template <int R> static void residents_of(float* buf) {
    cudaFuncAttributes a; const void* k = (const void*)resident<R>; CK(cudaFuncGetAttributes(&a, k));
    CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (int b : {32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024}) for (int s : {0, 4096, 8192, 20000, 33000, 65536, 110000}) {
        int n; CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, b, s)); if (!n) continue;
        std::vector<int> z(256, 0); CK(cudaMemcpyToSymbol(present, z.data(), 1024)); CK(cudaMemcpyToSymbol(most, z.data(), 1024));
        resident<R><<<multiprocessors * n * 3 + 7, b, s>>>(buf, 1, 40000); CK(cudaDeviceSynchronize());
        CK(cudaMemcpyFromSymbol(z.data(), most, 1024)); int hi = *std::max_element(z.begin(), z.begin() + multiprocessors), lo = *std::min_element(z.begin(), z.begin() + multiprocessors);
        J("{\"kind\":\"resident\",\"numRegs\":%d,\"block\":%d,\"dyn\":%d,\"static\":%zu,\"api\":%d,\"seen_max\":%d,\"seen_min\":%d}", a.numRegs, b, s, a.sharedSizeBytes, n, hi, lo);
    }
}
int main(int, char** v) {
    lines = opened(v[1], "w");
    cudaDeviceProp device; CK(cudaGetDeviceProperties(&device, 0)); multiprocessors = device.multiProcessorCount; most_shared = (int)device.sharedMemPerBlockOptin;
    props();
    for (int b = 32; b <= 1024; b += 32) block_sizes.push_back(b);
    for (int b : {1, 16, 33, 48, 65, 100, 250, 500, 1000, 1023}) block_sizes.push_back(b);
    for (int s : {0, 1, 512, 1024, 2048, 3000, 4096, 6144, 7168, 8192, 10240, 12288, 16384, 20480, 24576, 30000, 32768, 40960, 49152, 57344, 65536, 75000, 81920, 98304, 114688, 115000, 131072, 163840, 196608, 229376, 232448, 232449, 233472}) dynamic_sizes.push_back(s);
    J("{\"kind\":\"axes\",\"block_sizes\":%s}", list(block_sizes.data(), block_sizes.size()).c_str());
    table_of<24>(); table_of<28>(); table_of<32>(); table_of<33>(); table_of<36>(); table_of<40>(); table_of<42>(); table_of<48>(); table_of<50>(); table_of<56>(); table_of<64>(); table_of<72>(); table_of<80>(); table_of<90>(); table_of<96>(); table_of<100>(); table_of<112>(); table_of<128>(); table_of<129>(); table_of<144>(); table_of<160>(); table_of<168>(); table_of<192>(); table_of<200>(); table_of<224>(); table_of<240>(); table_of<255>();
    table("klb1024_1", (const void*)klb<1024, 1>, 0); table("klb1024_2", (const void*)klb<1024, 2>, 0); table("klb512_2", (const void*)klb<512, 2>, 0); table("klb256_4", (const void*)klb<256, 4>, 0); table("klb256_8", (const void*)klb<256, 8>, 0); table("klb128_1", (const void*)klb<128, 1>, 0);
    table("kstat1024", (const void*)kstat<1024>, 0); table("kstat10000", (const void*)kstat<10000>, 0); table("kstat49152", (const void*)kstat<49152>, 0);
    // carve-out preference
    for (int c : {-1, 0, 10, 25, 50, 75, 100}) {
        CK(cudaFuncSetAttribute((const void*)kreg<32>, cudaFuncAttributePreferredSharedMemoryCarveout, c));
        std::vector<int> o; for (int s : dynamic_sizes) { int n = -1; if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void*)kreg<32>, 128, s) != cudaSuccess) n = -1; o.push_back(n); }
        cudaGetLastError();
        J("{\"kind\":\"carveout\",\"name\":\"kreg32\",\"block\":128,\"carveout_percent\":%d,\"dyn\":%s,\"blocks\":%s}", c, list(dynamic_sizes.data(), dynamic_sizes.size()).c_str(), list(o.data(), o.size()).c_str());
    }
    float* buf; CK(cudaMalloc(&buf, 64 << 20)); CK(cudaMemset(buf, 0, 64 << 20));
    residents_of<32>(buf); residents_of<64>(buf); residents_of<128>(buf); residents_of<96>(buf);
    return 0;
}
