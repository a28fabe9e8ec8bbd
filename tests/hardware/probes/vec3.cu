// Arrays of three floats, 67108864 of them: one launch of each kernel, which ncu counts; or their times, with a file to write to.
#include "common.h"
#include "../vec3_struct.cu"
static const size_t ELEMENTS = 67108864;

int main(int count, char** arguments) {
    float *a, *b, *c, *out;
    CK(cudaMalloc(&a, ELEMENTS * 16)); CK(cudaMalloc(&b, ELEMENTS * 4)); CK(cudaMalloc(&c, ELEMENTS * 4)); CK(cudaMalloc(&out, ELEMENTS * 4));
    for (float* p : {b, c, out}) CK(cudaMemset(p, 0, ELEMENTS * 4));
    CK(cudaMemset(a, 0, ELEMENTS * 16));
    int grid = ELEMENTS / 256;
    auto launch = [&](int kernel) {
        switch (kernel) {
            case 0: sum_of_fields<<<grid, 256>>>((Vec3*)a, out); break;
            case 1: sum_of_wide<<<grid, 256>>>((Wide3*)a, out); break;
            case 2: sum_of_arrays<<<grid, 256>>>(a, b, c, out); break;
            case 3: staged<<<grid, 256>>>((Vec3*)a, out); break;
            case 4: staged_by_16_bytes<<<grid, 256>>>((Vec3*)a, out); break;
            case 5: first_field<<<grid, 256>>>((Vec3*)a, out); break;
            case 6: first_field<<<grid, 256>>>((Wide3*)a, out); break;
            case 7: write_fields<<<grid, 256>>>((Vec3*)a, out); break;
            case 8: write_wide<<<grid, 256>>>((Wide3*)a, out); break;
        }
        CK(cudaGetLastError());
    };
    if (count < 2) {
        for (int k = 0; k < 9; k++) launch(k);
        CK(cudaDeviceSynchronize());
        return 0;
    }
    lines = opened(arguments[1], "w");
    cudaEvent_t start, stop; CK(cudaEventCreate(&start)); CK(cudaEventCreate(&stop));
    for (int k = 0; k < 9; k++) {
        float runs[2];
        for (float& run : runs) {
            std::vector<float> times;
            for (int i = 0; i < 14; i++) {  // the first three warm up
                CK(cudaEventRecord(start)); launch(k); CK(cudaEventRecord(stop)); CK(cudaEventSynchronize(stop));
                float ms; CK(cudaEventElapsedTime(&ms, start, stop));
                if (i > 2) times.push_back(ms);
            }
            run = median(times);
        }
        J("[%.4f,%.4f]", runs[0], runs[1]);
    }
    return 0;
}
