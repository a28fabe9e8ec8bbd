// What comes of copies and sets in a kernel that the guide forbids? Each test runs in a process of its own.
// nvcc -arch=sm_90 -rdc=true -lcudadevrt copies_in_kernels.cu -o copies && for i in 0 1 2 3 4 5 6 7 8 9; do ./copies $i; done
#include <cstdio>
#include <cstdlib>

enum Test { ALLOWED, TO_SHARED, FROM_SHARED, TO_LOCAL, FROM_LOCAL, TO_HOST, FROM_PINNED, FROM_HOST, SET_SHARED, LIMITS };

__global__ void tried(int test, int* device, int* other, int* pinned, int* pageable, int* out) {
    __shared__ int shared[8];
    int local[8];
    for (int i = 0; i < 8; ++i) shared[i] = 40 + i, local[i] = 50 + i + out[0];
    __syncthreads();
    size_t bytes = 8 * sizeof(int), limit = 0;
    cudaError_t error = cudaSuccess;
    switch (test) {
        case ALLOWED: error = cudaMemcpyAsync(device, other, bytes, cudaMemcpyDeviceToDevice, 0); break;
        case TO_SHARED: error = cudaMemcpyAsync(shared, other, bytes, cudaMemcpyDeviceToDevice, 0); break;
        case FROM_SHARED: error = cudaMemcpyAsync(device, shared, bytes, cudaMemcpyDeviceToDevice, 0); break;
        case TO_LOCAL: error = cudaMemcpyAsync(local, other, bytes, cudaMemcpyDeviceToDevice, 0); break;
        case FROM_LOCAL: error = cudaMemcpyAsync(device, local, bytes, cudaMemcpyDeviceToDevice, 0); break;
        case TO_HOST: error = cudaMemcpyAsync(pinned, other, bytes, cudaMemcpyDeviceToHost, 0); break;
        case FROM_PINNED: error = cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, 0); break;
        case FROM_HOST: error = cudaMemcpyAsync(device, pageable, bytes, cudaMemcpyHostToDevice, 0); break;
        case SET_SHARED: error = cudaMemsetAsync(shared, 0, bytes, 0); break;
        case LIMITS:
            for (int which = 0; which < 6; ++which) {
                limit = 0;
                error = cudaDeviceGetLimit(&limit, (cudaLimit)which);
                out[2 + 2 * which] = error, out[3 + 2 * which] = (int)limit;
            }
    }
    out[0] = error, out[1] = cudaGetLastError();
    if (out[15] == 1) out[14] = local[threadIdx.x] + shared[threadIdx.x];  // neither is optimised away
}

int main(int count, char** words) {
    int test = count > 1 ? atoi(words[1]) : 0, *device, *other, *pinned, *out, pageable[8] = {}, found[8] = {}, said[16] = {};
    cudaMalloc(&device, 64), cudaMalloc(&other, 64), cudaMalloc(&out, 64);
    cudaHostAlloc((void**)&pinned, 64, cudaHostAllocMapped);
    for (int i = 0; i < 8; ++i) pinned[i] = 60 + i, pageable[i] = 70 + i, found[i] = 30 + i;
    cudaMemcpy(other, found, 32, cudaMemcpyHostToDevice), cudaMemset(device, 0, 64), cudaMemset(out, 0, 64);
    tried<<<1, 1>>>(test, device, other, pinned, pageable, out);
    cudaError_t launch = cudaGetLastError(), end = cudaDeviceSynchronize();
    cudaMemcpy(said, out, 64, cudaMemcpyDeviceToHost), cudaMemcpy(found, device, 32, cudaMemcpyDeviceToHost);
    printf("{\"test\": %d, \"call\": %d, \"last\": %d, \"host\": \"%s\", \"device_0\": %d, \"pinned_0\": %d, \"limits\": [", test, said[0], said[1],
           cudaGetErrorName(launch ? launch : end), end ? -1 : found[0], pinned[0]);
    for (int i = 0; i < 12; ++i) printf("%s%d", i ? ", " : "", said[2 + i]);
    printf("]}\n");
}
