// What does compute-sanitizer say about each of these kernels? `sanitizer <case>` runs one;
//   nvcc -arch=sm_90 -lineinfo -O1 -o sanitizer sanitizer.cu
//   compute-sanitizer --tool <tool> ./sanitizer <case>        tool and verdict of each: sanitizer.json
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define FULL 0xffffffffu
__device__ unsigned ticket;

__global__ void reduce_right(int* x, int* y) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) y[0] = s[0];
}

__global__ void reduce_missing_barrier(int* x, int* y) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    for (int d = 64; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) y[0] = s[0];
}

__global__ void warp_no_syncwarp(int* x, int* y) {
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    for (int d = 16; d > 0; d /= 2) {
        int v = (t < d) ? s[t + d] : 0;
        s[t] += v;
    }
    if (t == 0) y[0] = s[0];
}

__global__ void warp_syncwarp(int* x, int* y) {
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int v = (t < d) ? s[t + d] : 0;
        __syncwarp();
        s[t] += v;
        __syncwarp();
    }
    if (t == 0) y[0] = s[0];
}

__global__ void warp_shuffle_as_barrier(int* x, int* y) {
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    int v = __shfl_xor_sync(FULL, t, 1);
    y[t] = s[v];
}

__global__ void same_value_stores(int* x, int* y) {
    __shared__ int s[1];
    s[0] = 7;
    __syncthreads();
    y[threadIdx.x] = s[0];
}

__global__ void same_value_one_warp(int* x, int* y) {
    __shared__ int s[1];
    if (threadIdx.x < 32) s[0] = 7;
    __syncthreads();
    y[threadIdx.x] = s[0];
}

__global__ void histogram_plain(int* x, int* y) {
    __shared__ int s[4];
    int t = threadIdx.x;
    if (t < 4) s[t] = 0;
    __syncthreads();
    s[x[t] & 3]++;
    __syncthreads();
    if (t < 4) y[t] = s[t];
}

__global__ void histogram_atomic(int* x, int* y) {
    __shared__ int s[4];
    int t = threadIdx.x;
    if (t < 4) s[t] = 0;
    __syncthreads();
    atomicAdd(&s[x[t] & 3], 1);
    __syncthreads();
    if (t < 4) y[t] = s[t];
}

__global__ void scan_in_place(int* x, int* y) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }
    y[t] = s[t];
}

__global__ void exit_then_read(int* x, int* y) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t >= 64) return;
    __syncthreads();
    y[t] = s[t + 64];
}

__global__ void exit_in_warp_then_syncwarp(int* x, int* y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t >= 16) return;
    __syncwarp();
    y[t] = s[t + 16];
}

__global__ void barrier_in_branch_lanes(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 16) {
        y[t] = 1;
        __syncthreads();
    }
    y[t] += 1;
}

__global__ void barrier_in_branch_warps(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 32) {
        y[t] = 1;
        __syncthreads();
    }
    y[t] += 1;
}

__global__ void barrier_both_branches_warps(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 32) {
        y[t] = 1;
        __syncthreads();
    } else {
        y[t] = 2;
        __syncthreads();
    }
    y[t] += 1;
}

__global__ void barrier_both_branches_lanes(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 16) {
        y[t] = 1;
        __syncthreads();
    } else {
        y[t] = 2;
        __syncthreads();
    }
    y[t] += 1;
}

__global__ void barrier_after_return_lanes(int* x, int* y) {
    int t = threadIdx.x;
    if (t >= 100) return;
    y[t] = 1;
    __syncthreads();
    y[t] += 1;
}

__global__ void barrier_after_return_warps(int* x, int* y) {
    int t = threadIdx.x;
    if (t >= 64) return;
    y[t] = 1;
    __syncthreads();
    y[t] += 1;
}

__global__ void syncwarp_not_named(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 32) {
        __syncwarp(0xffff);
        y[t] = 1;
    }
}

__global__ void shuffle_not_named(int* x, int* y) {
    int t = threadIdx.x;
    y[t] = __shfl_sync(0xffff, t, 0);
}

__global__ void shuffle_from_absent(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 16) y[t] = __shfl_sync(0xffff, t, 20);
}

__global__ void syncwarp_names_exited(int* x, int* y) {
    int t = threadIdx.x;
    if (t >= 16) return;
    __syncwarp(FULL);
    y[t] = 1;
}

__global__ void syncwarp_full_in_branch(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 16) {
        y[t] = 1;
        __syncwarp(FULL);
    } else {
        y[t] = 2;
        __syncwarp(FULL);
    }
}

__global__ void syncwarp_full_in_one_branch(int* x, int* y) {
    int t = threadIdx.x;
    if (t < 16) {
        y[t] = 1;
        __syncwarp(FULL);
    }
    y[t] += 2;
}

__global__ void out_of_bounds(int* x, int* y) {
    y[threadIdx.x + 1000000] = x[0];
}

__global__ void misaligned(int* x, int* y) {
    *(int*)((char*)y + 1) = x[0];
}

__global__ void shared_uninit(int* x, int* y) {
    __shared__ int s[128];
    y[threadIdx.x] = s[threadIdx.x];
}

__global__ void global_uninit(int* x, int* y) {
    y[threadIdx.x] = x[threadIdx.x + 512];
}

__global__ void global_race_blocks(int* x, int* y) {
    y[threadIdx.x] = blockIdx.x;
}

__global__ void global_race_in_block(int* x, int* y) {
    int t = threadIdx.x;
    y[t] = x[t];
    x[t + 128] = y[(t + 37) % 128];
}

__global__ void ticket_no_fence(int* x, int* y) {
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        x[256 + blockIdx.x] = 5;
        last = atomicInc(&ticket, 3) == 3;
    }
    __syncthreads();
    if (last && t == 0) for (int b = 0; b < 4; b++) y[0] += x[256 + b];
}

struct Case {
    const char* name;
    void (*kernel)(int*, int*);
    int blocks, threads;
};
#define CASE(name, blocks, threads) {#name, name, blocks, threads}
static Case cases[] = {
    CASE(reduce_right, 1, 128),
    CASE(reduce_missing_barrier, 1, 128),
    CASE(warp_no_syncwarp, 1, 32),
    CASE(warp_syncwarp, 1, 32),
    CASE(warp_shuffle_as_barrier, 1, 32),
    CASE(same_value_stores, 1, 128),
    CASE(same_value_one_warp, 1, 128),
    CASE(histogram_plain, 1, 128),
    CASE(histogram_atomic, 1, 128),
    CASE(scan_in_place, 1, 128),
    CASE(exit_then_read, 1, 128),
    CASE(exit_in_warp_then_syncwarp, 1, 32),
    CASE(barrier_in_branch_lanes, 1, 128),
    CASE(barrier_in_branch_warps, 1, 128),
    CASE(barrier_both_branches_warps, 1, 64),
    CASE(barrier_both_branches_lanes, 1, 32),
    CASE(barrier_after_return_lanes, 1, 128),
    CASE(barrier_after_return_warps, 1, 128),
    CASE(syncwarp_not_named, 1, 32),
    CASE(shuffle_not_named, 1, 32),
    CASE(shuffle_from_absent, 1, 32),
    CASE(syncwarp_names_exited, 1, 32),
    CASE(syncwarp_full_in_branch, 1, 32),
    CASE(syncwarp_full_in_one_branch, 1, 32),
    CASE(out_of_bounds, 1, 32),
    CASE(misaligned, 1, 1),
    CASE(shared_uninit, 1, 128),
    CASE(global_uninit, 1, 128),
    CASE(global_race_blocks, 2, 32),
    CASE(global_race_in_block, 1, 128),
    CASE(ticket_no_fence, 4, 32),
};

int main(int argc, char** argv) {
    int *x, *y, host[512];
    for (int i = 0; i < 512; i++) host[i] = i;
    cudaMalloc(&x, 4096);
    cudaMalloc(&y, 4096);
    cudaMemcpy(x, host, 2048, cudaMemcpyHostToDevice);  // the rest of x stays uninitialised
    cudaMemset(y, 0, 4096);
    for (auto& c : cases)
        if (argc > 1 && !strcmp(c.name, argv[1])) {
            c.kernel<<<c.blocks, c.threads>>>(x, y);
            printf("%s: %s\n", c.name, cudaGetErrorString(cudaDeviceSynchronize()));
        }
}
