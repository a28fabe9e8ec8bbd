// What may a child use of its parent's memory, and what comes of mistakes? Each test runs in a process of its own.
// nvcc -arch=sm_90 -rdc=true -lcudadevrt shared_with_children.cu -o shared && for i in 0 1 2 3 4 5 6 7; do ./shared $i; done
#include <cstdio>
#include <cstdlib>

__device__ int variable = 3;
__constant__ int constant = 4;
__device__ void* kept;

__global__ void ask(int* array, int* zero_copy, int* out) {
    __shared__ int shared;
    int local = threadIdx.x;
    int* heap = (int*)malloc(sizeof(int));
    out[0] = __isGlobal(array), out[1] = __isGlobal(zero_copy), out[2] = __isGlobal(&variable);
    out[3] = __isGlobal(heap), out[4] = __isGlobal(&constant), out[5] = __isGlobal(&shared);
    out[6] = __isGlobal(&local);
    kept = heap;
}
__global__ void child(const int* p, int* out) { out[0] = p[0]; }
__global__ void of_constant(int* out) { child<<<1, 1>>>(&constant, out), out[1] = cudaGetLastError(); }
__global__ void of_shared(int* out) {
    __shared__ int shared;
    shared = 5;
    child<<<1, 1>>>(&shared, out), out[1] = cudaGetLastError();
}
__global__ void of_local(int* out) {
    int local = out[0] + 5;
    child<<<1, 1>>>(&local, out), out[1] = cudaGetLastError();
}
__global__ void frees(void* p) { free(p); }

__global__ void increase(int* data) { data[threadIdx.x] += 1; }
__global__ void no_barrier(int* data, int base, int late) {
    if (late && threadIdx.x >= 32) __nanosleep(late);
    data[threadIdx.x] = base + threadIdx.x;
    if (threadIdx.x == 0) increase<<<1, blockDim.x>>>(data);
}

__global__ void permute(int n, int* data, bool all_threads) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    if (n <= 1) return;
    s[t] = data[t];
    __syncthreads();
    data[t / 2 + t % 2 * (n / 2)] = s[t];
    __syncthreads();
    if (t == 0) {
        int half = n / 2, threads = all_threads ? blockDim.x : half;
        permute<<<1, threads, half * sizeof(int)>>>(half, data, all_threads);
        permute<<<1, threads, half * sizeof(int)>>>(half, data + half, all_threads);
    }
}

__global__ void work(int* room, int job, int* out, bool own) {
    int t = threadIdx.x;
    room[t] = job;
    __syncthreads();
    out[32 * job + t] = room[31 - t];
    __syncthreads();
    if (own && t == 0) free(room);
}
__global__ void jobs(int* out, void** rooms, bool own) {
    for (int job = 0; job < 4; job++) {
        int* room = (int*)malloc(32 * sizeof(int));
        rooms[job] = room;
        work<<<1, 32, 0, cudaStreamFireAndForget>>>(room, job, out, own);
        if (!own) free(room);
    }
}

int *device, *zero_copy, host[1024];
const char* done() { return cudaGetErrorName(cudaDeviceSynchronize()); }
void fetch() { cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost); }

void pointers(const char* what, void (*parent)(int*)) {
    parent<<<1, 1>>>(device);
    const char* ended = done();
    fetch();
    printf("{\"test\": \"a child reads through a pointer to %s memory\", \"launch\": \"%s\", \"sync\": \"%s\", \"read\": %d}\n",
           what, cudaGetErrorName((cudaError_t)host[1]), ended, host[0]);
}

void barriers(int threads, int late) {
    int wrong = 0, launches = 2000;
    for (int i = 0; i < launches; i++) {
        no_barrier<<<1, threads>>>(device, 5000 * (i + 1), late);
        cudaDeviceSynchronize(), fetch();
        int missed = 0;
        for (int t = 0; t < threads; t++) missed += host[t] != 5000 * (i + 1) + t + 1;
        wrong += missed > 0;
    }
    printf("{\"test\": \"no barrier before the launch\", \"threads\": %d, \"late_ns\": %d, \"launches\": %d, \"wrong\": %d, \"sync\": \"%s\"}\n",
           threads, late, launches, wrong, done());
}

void permuted(bool all) {
    int wrong = 0;
    for (int i = 0; i < 1024; i++) host[i] = i;
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    permute<<<1, 256, 1024>>>(256, device, all);
    const char* ended = done();
    fetch();
    for (int i = 0; i < 256; i++) {
        int turned = 0;
        for (int bit = 0; bit < 8; bit++) turned |= (i >> bit & 1) << (7 - bit);
        wrong += host[i] != turned;
    }
    printf("{\"test\": \"permute of 256 numbers\", \"all_threads\": %d, \"sync\": \"%s\", \"wrong\": %d}\n", all, ended, wrong);
}

void freed(bool own) {
    int wrong = 0, addresses = 0, launches = 2000;
    void** rooms;
    cudaMallocManaged(&rooms, 4 * sizeof(void*));
    for (int i = 0; i < launches; i++) {
        cudaMemset(device, 255, sizeof host);
        jobs<<<1, 1>>>(device, rooms, own);
        cudaDeviceSynchronize(), fetch();
        int bad = 0, different = 0;
        for (int at = 0; at < 128; at++) bad += host[at] != at / 32;
        for (int a = 0; a < 4; a++) {
            different++;
            for (int b = 0; b < a; b++)
                if (rooms[a] == rooms[b]) { different--; break; }
        }
        wrong += bad > 0, addresses = different > addresses ? different : addresses;
    }
    printf("{\"test\": \"jobs\", \"own\": %d, \"launches\": %d, \"most_addresses\": %d, \"wrong\": %d, \"sync\": \"%s\"}\n",
           own, launches, addresses, wrong, done());
}

int main(int, char** argument) {
    cudaMalloc(&device, sizeof host), cudaMemset(device, 0, sizeof host);
    cudaHostAlloc(&zero_copy, 64, cudaHostAllocMapped);
    switch (atoi(argument[1])) {
    case 0: {
        ask<<<1, 1>>>(device + 16, zero_copy, device);
        const char* ended = done();
        fetch();
        printf("{\"test\": \"__isGlobal\", \"answers\": [%d, %d, %d, %d, %d, %d, %d], \"sync\": \"%s\"}\n", !!host[0], !!host[1],
               !!host[2], !!host[3], !!host[4], !!host[5], !!host[6], ended);
        void* heap;
        cudaMemcpyFromSymbol(&heap, kept, sizeof heap);
        printf("{\"test\": \"the host frees a block of the heap\", \"error\": \"%s\"}\n", cudaGetErrorName(cudaFree(heap)));
        break;
    }
    case 1: pointers("constant", of_constant); break;
    case 2: pointers("shared", of_shared); break;
    case 3: pointers("local", of_local); break;
    case 4:
        frees<<<1, 1>>>(device);
        printf("{\"test\": \"a kernel frees a block of the host\", \"sync\": \"%s\"}\n", done());
        break;
    case 5: barriers(256, 0), barriers(1024, 0), barriers(256, 20000); break;
    case 6: permuted(false), permuted(true); break;
    case 7: freed(true), freed(false); break;
    }
}
