// How many blocks are really resident under a preferred carve-out? And do kernels with different wishes wait for each other?
// usage: overlap answers.jsonl
#include <chrono>
#include "common.h"

extern __shared__ int room[];
__device__ int now_resident[512], most_resident[512];

static __device__ void spin(long long cycles) { long long start = clock64(); while (clock64() - start < cycles) {} }
__global__ void __launch_bounds__(128) stay(long long cycles) {
    unsigned sm;
    asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
    if (threadIdx.x == 0) {
        int here = atomicAdd(&now_resident[sm], 1) + 1;
        atomicMax(&most_resident[sm], here);
        spin(cycles);
        atomicSub(&now_resident[sm], 1);
    }
    __syncthreads();
}
__global__ void light(long long cycles) { spin(cycles); }
__global__ void heavy(long long cycles) { room[threadIdx.x] = 0; spin(cycles); }

static double ms(cudaStream_t a, cudaStream_t b, int pairs, int blocks, size_t bytes) {
    CK(cudaDeviceSynchronize());
    auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < pairs; k++) {
        light<<<blocks, 128, 0, a>>>(40000);
        heavy<<<blocks, 128, bytes, b>>>(40000);
    }
    CK(cudaDeviceSynchronize());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int main(int, char** arguments) {
    lines = opened(arguments[1], "w");
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    int sms = p.multiProcessorCount;
    CK(cudaFuncSetAttribute(stay, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CK(cudaFuncSetAttribute(heavy, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    for (int percent : {-1, 0, 3, 5, 10, 25, 50, 75, 100})
        for (int bytes : {0, 512, 1024, 2048, 4096, 8192, 16384, 32768}) {
            CK(cudaFuncSetAttribute(stay, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
            int answer = 0, zero[512] = {0}, most[512];
            CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&answer, stay, 128, bytes));
            CK(cudaMemcpyToSymbol(now_resident, zero, sizeof zero));
            CK(cudaMemcpyToSymbol(most_resident, zero, sizeof zero));
            stay<<<sms * 40, 128, bytes>>>(60000);
            CK(cudaDeviceSynchronize());
            CK(cudaMemcpyFromSymbol(most, most_resident, sizeof most));
            J("{\"kind\":\"resident\",\"row\":[%d,%d,%d,%d,%d]}", percent, bytes, answer, *std::max_element(most, most + sms), *std::min_element(most, most + sms));
        }
    cudaStream_t one, two;
    CK(cudaStreamCreate(&one));
    CK(cudaStreamCreate(&two));
    struct { const char* name; int light_percent, heavy_percent; cudaFuncCache light_cache, heavy_cache; } wishes[] = {
        {"none", -1, -1, cudaFuncCachePreferNone, cudaFuncCachePreferNone},
        {"0 % and 100 %", 0, 100, cudaFuncCachePreferNone, cudaFuncCachePreferNone},
        {"100 % and 100 %", 100, 100, cudaFuncCachePreferNone, cudaFuncCachePreferNone},
        {"PreferL1 and PreferShared", -1, -1, cudaFuncCachePreferL1, cudaFuncCachePreferShared},
        {"PreferShared and PreferShared", -1, -1, cudaFuncCachePreferShared, cudaFuncCachePreferShared},
    };
    const int PAIRS = 200;
    for (auto& w : wishes)
        for (int blocks : {sms / 2, sms})
            for (int bytes : {1024, 65536}) {
                // what is set last decides: the percentages first, then the configurations where there are any
                CK(cudaFuncSetAttribute(light, cudaFuncAttributePreferredSharedMemoryCarveout, w.light_percent));
                CK(cudaFuncSetAttribute(heavy, cudaFuncAttributePreferredSharedMemoryCarveout, w.heavy_percent));
                if (w.light_cache != cudaFuncCachePreferNone) {
                    CK(cudaFuncSetCacheConfig(light, w.light_cache));
                    CK(cudaFuncSetCacheConfig(heavy, w.heavy_cache));
                }
                std::vector<double> same, apart;
                ms(one, two, 10, blocks, bytes);
                for (int again = 0; again < 5; again++) {
                    same.push_back(ms(one, one, PAIRS, blocks, bytes));
                    apart.push_back(ms(one, two, PAIRS, blocks, bytes));
                }
                J("{\"kind\":\"pairs\",\"row\":[\"%s\",%d,%d,%.3f,%.3f]}", w.name, blocks, bytes, median(same), median(apart));
            }
}
