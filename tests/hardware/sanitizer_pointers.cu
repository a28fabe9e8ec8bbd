// What does compute-sanitizer's memcheck say about pointers that lead astray? `sanitizer_pointers <case>` runs one;
//   nvcc -arch=sm_90 -lineinfo -O1 -o sanitizer_pointers sanitizer_pointers.cu
//   compute-sanitizer --tool memcheck ./sanitizer_pointers <case>        verdict of each: sanitizer_pointers.json
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct Row { int key; short value[3]; };
__device__ int counter[4];
__constant__ int table[4];

__global__ void within(int* x, int* y) { ((float4*)y)[threadIdx.x] = ((const float4*)x)[threadIdx.x]; }

__global__ void null_pointer(int* x, int* y) {
    int* p = x[3] == 3 ? nullptr : y;
    p[threadIdx.x] = 1;
}

__global__ void first_page(int* x, int* y) { *(int*)(size_t)(16 * x[1]) = 1; }

__global__ void misaligned_float4(int* x, int* y) { ((float4*)y)[0] = *(const float4*)&x[x[1]]; }

__global__ void misaligned_double(int* x, int* y) { *(double*)&y[x[1]] = 2.0; }

__global__ void float2_at_every_second(int* x, int* y) { *(float2*)&y[2 * threadIdx.x] = make_float2(1, 2); }

__global__ void short_at_odd_address(int* x, int* y) { *(short*)((char*)y + x[3]) = 1; }

__global__ void bytes_anywhere(int* x, int* y) { ((char*)y)[3 + threadIdx.x] = ((char*)x)[threadIdx.x]; }

__global__ void one_past_the_end(int* x, int* y) { y[1024 + threadIdx.x - 31] = 1; }

__global__ void before_the_start(int* x, int* y) { y[(int)threadIdx.x - 1] = 1; }

__global__ void float4_over_the_end(int* x, int* y) { *(float4*)(y + 1020 + 4 * x[threadIdx.x]) = make_float4(1, 2, 3, 4); }

__global__ void atomic_past_the_end(int* x, int* y) { atomicAdd(&y[1020 + threadIdx.x], 1); }

__global__ void row_past_the_end(int* x, int* y) { ((Row*)y)[340 + threadIdx.x].value[2] = 1; }

__global__ void pointer_past_the_end_unused(int* x, int* y) {
    for (int *p = y, *end = y + 1024; p != end; ++p) *p = 1;
}

__global__ void shared_past_the_end(int* x, int* y) {
    __shared__ int s[32];
    s[threadIdx.x + x[8]] = 1;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x];
}

__global__ void dynamic_past_the_end(int* x, int* y) {
    extern __shared__ int s[];
    s[threadIdx.x + x[1]] = 1;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x + 1];
}

__global__ void shared_misaligned(int* x, int* y) {
    __shared__ __align__(16) int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = ((int2*)&s[x[1]])->x;
}

__global__ void symbol_past_the_end(int* x, int* y) {
    int* p = counter;
    p[(size_t)x[100] << 20] = 1;
}

__global__ void failing_assertion(int* x, int* y) { assert(x[threadIdx.x] < 20); }

__global__ void wild_pointer(int* x, int* y) { *(int*)((char*)y + ((size_t)x[64] << 34)) = 1; }

struct Case {
    const char* name;
    void (*kernel)(int*, int*);
    int blocks, threads;
};
#define CASE(name, blocks, threads) {#name, name, blocks, threads}
static Case cases[] = {
    CASE(within, 1, 256), CASE(null_pointer, 1, 32), CASE(first_page, 1, 1), CASE(misaligned_float4, 1, 1),
    CASE(misaligned_double, 1, 1), CASE(float2_at_every_second, 1, 32), CASE(short_at_odd_address, 1, 1),
    CASE(bytes_anywhere, 1, 32), CASE(one_past_the_end, 1, 32), CASE(before_the_start, 1, 32),
    CASE(float4_over_the_end, 1, 2), CASE(atomic_past_the_end, 1, 32), CASE(row_past_the_end, 1, 128),
    CASE(pointer_past_the_end_unused, 1, 1), CASE(shared_past_the_end, 1, 32), CASE(dynamic_past_the_end, 1, 32),
    CASE(shared_misaligned, 1, 32), CASE(symbol_past_the_end, 1, 1), CASE(failing_assertion, 1, 32), CASE(wild_pointer, 1, 1),
};

int main(int argc, char** argv) {
    int *x, *y, host[1024];
    for (int i = 0; i < 1024; i++) host[i] = i;
    cudaMalloc(&x, 4096);
    cudaMalloc(&y, 4096);
    cudaMemcpy(x, host, 4096, cudaMemcpyHostToDevice);
    cudaMemset(y, 0, 4096);
    for (auto& c : cases)
        if (argc > 1 && !strcmp(c.name, argv[1])) {
            c.kernel<<<c.blocks, c.threads, 128>>>(x, y);
            printf("%s: %s\n", c.name, cudaGetErrorString(cudaDeviceSynchronize()));
        }
    if (argc == 1) for (auto& c : cases) printf("%s %d %d\n", c.name, c.blocks, c.threads);
}
