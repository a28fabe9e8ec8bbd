// Constant loads, carve-outs and reuse of L1: one launch for each row of a file, in its order.
// usage: on_chip rows.txt answers.jsonl; rows:
//   constant DISTINCT STRIDE TIMES
//   carveout PERCENT CONFIG DYNAMIC_BYTES BLOCK     (PERCENT -2: not set; CONFIG -1: not set, else a cudaFuncCache)
//   reread OPERATOR COUNT STRIDE PASSES PERCENT
//   rewrite COUNT BEFORE AFTER PERCENT
#include "common.h"
#include "../memory_patterns.cu"
#include "../cache_rereads.cu"

// each has its own attributes, which stay once they are set: one kernel for each launch's setting would be too many,
// so every setting is set anew before each launch
__global__ void carved(float* x) {
    float* s = (float*)window;
    if (x) { s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }
}
__global__ void clocked_constant_loads(unsigned distinct, unsigned stride, int times, unsigned* sink, unsigned magic, unsigned* cycles) {
    unsigned best = ~0u;
    for (int again = 0; again < 4; again++) {
        unsigned i = threadIdx.x % distinct * stride;
        __syncwarp();
        long long start = clock64();
#pragma unroll 1
        for (int k = 0; k < times; k++) i = table[i];
        if (i == magic) *sink = i;
        unsigned took = (unsigned)(clock64() - start);
        best = took < best ? took : best;
    }
    cycles[threadIdx.x] = best;
}

typedef void (*Reread)(float*, int, int, int, float*);
static const Reread REREADS[] = {reread<0>, reread<1>, reread<2>, reread<3>, reread<4>, reread<5>, reread<6>};

int main(int count, char** arguments) {
    FILE* f = opened(arguments[1], "r");
    lines = opened(arguments[2], "w");
    bool timing = count > 3;
    float* x; unsigned *sink, *cycles;
    const size_t BYTES = 64 << 20;
    CK(cudaMalloc(&x, BYTES)); CK(cudaMemset(x, 0, BYTES)); CK(cudaMalloc(&sink, 4096)); CK(cudaMalloc(&cycles, 128));
    unsigned identity[2048];
    for (unsigned i = 0; i < 2048; i++) identity[i] = i;
    CK(cudaMemcpyToSymbol(table, identity, sizeof identity));
    const unsigned MAGIC = 0xC0FFEE11u;
    char kind[32]; int v[5];
    while (fscanf(f, "%31s", kind) == 1) {
        int given = !strcmp(kind, "constant") ? 3 : !strcmp(kind, "reread") ? 5 : 4;
        for (int i = 0; i < given; i++) if (fscanf(f, "%d", v + i) != 1) return 4;
        if (!strcmp(kind, "constant")) {
            if (timing) {
                clocked_constant_loads<<<1, 32>>>(v[0], v[1], v[2], sink, MAGIC, cycles);
                unsigned took[32]; CK(cudaMemcpy(took, cycles, 128, cudaMemcpyDeviceToHost));
                J("%.3f", *std::max_element(took, took + 32) / (double)v[2]);
            } else constant_loads<<<1, 32>>>(v[0], v[1], v[2], sink, MAGIC);
        } else if (!strcmp(kind, "carveout")) {
            const void* k = (const void*)carved;
            // percent -1 is cudaSharedmemCarveoutDefault; a setting that is refused leaves the one before
            CK(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
            CK(cudaFuncSetCacheConfig(k, cudaFuncCachePreferNone));
            cudaError_t set = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, v[2]);
            if (set == cudaSuccess && v[0] != -2) set = cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, v[0]);
            if (set == cudaSuccess && v[1] >= 0) set = cudaFuncSetCacheConfig(k, (cudaFuncCache)v[1]);
            cudaFuncAttributes a; CK(cudaFuncGetAttributes(&a, k));
            int blocks = -1; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, v[3], v[2]);
            cudaGetLastError();  // what was refused is told by its name
            if (set == cudaSuccess) carved<<<1, v[3], v[2]>>>(nullptr);
            J("[\"%s\",%d,%d,%d]", cudaGetErrorName(set), a.preferredShmemCarveout, blocks, set == cudaSuccess);
        } else if (!strcmp(kind, "reread")) {
            if (v[0] > 6 || (size_t)v[1] * v[2] * 4 > BYTES) return 6;
            CK(cudaFuncSetAttribute((const void*)REREADS[v[0]], cudaFuncAttributePreferredSharedMemoryCarveout, v[4]));
            REREADS[v[0]]<<<1, 256>>>(x, v[1], v[2], v[3], (float*)sink);
        } else {
            CK(cudaFuncSetAttribute((const void*)rewrite, cudaFuncAttributePreferredSharedMemoryCarveout, v[3]));
            rewrite<<<1, 256>>>(x, v[0], v[1], v[2], (float*)sink);
        }
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
    }
    return 0;
}
