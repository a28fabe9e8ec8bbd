// Who reads too early? A host, a warp and a block that do not wait; a grid one block too large; a last block without
// fences. Prints what tests/hardware/levels.json holds, of one run:
//
//     nvcc -std=c++17 -O3 -arch=sm_90 -o levels levels.cu && ./levels
//
// The kernels are those of the book's page on synchronisation; in `backwards` a block gives up after `patience` cycles.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int LAUNCHES = 1000;

__global__ void triple(const int* x, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 3 * x[i];
}

template <bool WHOLE_BLOCK>
__global__ void reverse(const int* x, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    if (WHOLE_BLOCK) __syncthreads();
    else __syncwarp();
    out[t] = s[63 - t];
}

__global__ void across(const int* x, volatile int* mid, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mid[i] = 3 * x[i];
    __syncthreads();
    out[i] = mid[n - 1 - i];
}

__global__ void backwards(int* done, int* gave_up, long long patience) {
    int b = blockIdx.x;
    long long began = clock64();
    if (b + 1 < gridDim.x)
        while (atomicAdd(&done[b + 1], 0) == 0)
            if (clock64() - began > patience) {
                atomicAdd(gave_up, 1);
                break;
            }
    __threadfence();
    atomicExch(&done[b], 1);
}

template <bool FENCES>
__global__ void last_block(const int* x, int* partial, int* arrived, int* total) {
    partial[blockIdx.x] = x[blockIdx.x];
    if (FENCES) __threadfence();
    if (atomicAdd(arrived, 1) == gridDim.x - 1) {
        if (FENCES) __threadfence();
        int sum = 0;
        for (int k = 0; k < gridDim.x; k++) sum += partial[k];
        *total = sum;
    }
}

int main() {
    const int n = 1 << 20, blocks = 1024, most = 5000;
    int *x, *out, *mid, *small, *pinned;
    std::vector<int> host(n), pageable(n);
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMalloc(&x, 4 * n), cudaMalloc(&out, 4 * n), cudaMalloc(&mid, 4 * n), cudaMalloc(&small, 4 * (most + 8));
    cudaMallocHost(&pinned, 4 * n);
    cudaMemcpy(x, host.data(), 4 * n, cudaMemcpyHostToDevice);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int size : {8, n}) {
        for (int* result : {pinned, pageable.data()}) {
            int early = 0;
            for (int k = 0; k < LAUNCHES; k++) {
                memset(result, 0xff, 4 * size);
                cudaMemset(out, 0xff, 4 * n);
                cudaDeviceSynchronize();
                triple<<<size < 1024 ? 1 : size / 1024, size < 1024 ? size : 1024, 0, stream>>>(x, out);
                cudaMemcpyAsync(result, out, 4 * size, cudaMemcpyDeviceToHost, stream);
                early += ((volatile int*)result)[size - 1] != 3 * (size - 1);
                cudaStreamSynchronize(stream);
            }
            printf("host %s %d elements: %d early of %d\n", result == pinned ? "pinned" : "pageable", size, early, LAUNCHES);
        }
    }
    auto wrong_after = [&](auto kernel, int step) {  // step: by how much the data move on from launch to launch
        int wrong = 0, got[64];
        for (int k = 0; k < LAUNCHES; k++) {
            cudaMemset(out, 0xff, 4 * 64);
            kernel<<<1, 64>>>(x + k * step, out);
            cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
            bool all = true;
            for (int t = 0; t < 64; t++) all &= got[t] == k * step + 63 - t;
            wrong += !all;
        }
        return wrong;
    };
    for (int step : {0, 1}) {
        printf("syncwarp, step %d: %d wrong\n", step, wrong_after(reverse<false>, step));
        printf("syncthreads, step %d: %d wrong\n", step, wrong_after(reverse<true>, step));
    }
    for (int grid : {1, 2, 16, blocks}) {
        int size = 8 * grid, wrong = 0;
        for (int k = 0; k < LAUNCHES; k++) {
            cudaMemset(mid, 0xff, 4 * size);
            across<<<grid, 8>>>(x, mid, out, size);
            cudaMemcpy(host.data(), out, 4 * size, cudaMemcpyDeviceToHost);
            bool all = true;
            for (int i = 0; i < size; i++) all &= host[i] == 3 * (size - 1 - i);
            wrong += !all;
        }
        printf("across %d blocks: %d wrong\n", grid, wrong);
    }
    int resident, multiprocessors;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, backwards, 1, 0);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    for (int more : {-1, 0, 1}) {
        int grid = resident * multiprocessors + more, gave_up, stuck = 0;
        for (int k = 0; k < 20; k++) {
            cudaMemset(small, 0, 4 * (most + 8));
            backwards<<<grid, 1>>>(small, small + most, 200000000LL);
            cudaMemcpy(&gave_up, small + most, 4, cudaMemcpyDeviceToHost);
            stuck += gave_up > 0;
        }
        printf("backwards %d blocks: %d of 20 stuck\n", grid, stuck);
    }
    for (int fences : {0, 1}) {
        int wrong = 0, total;
        for (int k = 0; k < LAUNCHES; k++) {
            cudaMemset(small, 0, 4 * (most + 8));
            if (fences) last_block<true><<<blocks, 1>>>(x, small, small + most, small + most + 1);
            else last_block<false><<<blocks, 1>>>(x, small, small + most, small + most + 1);
            cudaMemcpy(&total, small + most + 1, 4, cudaMemcpyDeviceToHost);
            wrong += total != blocks * (blocks - 1) / 2;
        }
        printf("last block, %d fences: %d wrong\n", 2 * fences, wrong);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
