// A whole program, as a sample would be: its host code is not run, its kernels are.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t status = (call);                                                 \
        if (status != cudaSuccess) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(EXIT_FAILURE);                                                      \
        }                                                                            \
    } while (0)

const int THREADS = 64;

__global__ void vector_add(const float* a, const float* b, float* c, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

template <typename T>
__global__ void fill(T* x, T value, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = value;
}

static float reference(float a, float b) { return a + b; }

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    size_t size = n * sizeof(float);
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
        a[i] = rand() / (float)RAND_MAX;
        b[i] = rand() / (float)RAND_MAX;
    }
    float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;
    CHECK(cudaMalloc((void**)&d_a, size));
    CHECK(cudaMalloc(&d_b, size));
    CHECK(cudaMalloc(&d_c, size));
    CHECK(cudaMemcpy(d_a, a.data(), size, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), size, cudaMemcpyHostToDevice));
    fill<float><<<4, THREADS>>>(d_c, 0.0f, n);
    vector_add<<<(n + THREADS - 1) / THREADS, THREADS>>>(d_a, d_b, d_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), d_c, size, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        if (c[i] != reference(a[i], b[i])) {
            printf("wrong at %d\n", i);
            return 1;
        }
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    printf("passed\n");
    return 0;
}
