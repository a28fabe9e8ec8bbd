// What does a real GPU give, and what does it say, when a kernel makes the two calls of a launch itself?
// tests/hardware/parameter_buffers.json holds what it said. Each case is a process of its own, since an error stays:
//
//     nvcc -O2 -std=c++17 -arch=sm_90 -rdc=true -o parameter_buffers parameter_buffers.cu -lcudadevrt
//     timeout 60 ./parameter_buffers tight
//
// The kernels are those of the book's page on launching from PTX. `said` holds what a parent was told:
// numbers of errors, places of first failures. A line: case, `said`, the host's error, `x`.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

typedef unsigned long long word;
__device__ void* buffer(size_t alignment, size_t size) { return cudaGetParameterBuffer(alignment, size); }

__global__ void child(char c, double d, int n, int* x) { x[threadIdx.x] = c + (int)d + n; }
__global__ void by_hand(int* x) {
    char* b = (char*)cudaGetParameterBufferV2((void*)child, dim3(1), dim3(4), 0);
    if (b) {
        *b = 1;
        *(double*)(b + 8) = 2.0;
        *(int*)(b + 16) = 3;
        *(int**)(b + 24) = x;
        cudaLaunchDeviceV2(b, 0);
    }
}

__global__ void ask(const int* sizes, word* got, int alignment, int* said) {
    int i = threadIdx.x;
    got[i] = (word)buffer(alignment, sizes[i]);
    said[i] = cudaGetLastError();
}

__global__ void add_last(int* x, char c, int n, int m) { x[0] = c + n; }
__global__ void tight(int* x) {
    char* b = (char*)buffer(8, 20);
    char c = 1;
    int n = 2, m = 1;
    memcpy(b, &x, 8);
    memcpy(b + 8, &c, 1);
    memcpy(b + 9, &n, 4);
    memcpy(b + 13, &m, 4);
    cudaLaunchDevice((void*)add_last, b, dim3(1), dim3(1), 0, 0);
}

__global__ void square(int* x, int i) { x[i] *= x[i]; }
__global__ void negate(int* x, int i) { x[i] = -x[i]; }
__global__ void by_table(int* x, const int* code, int size) {
    void* kernels[] = {(void*)square, (void*)negate};
    int i = threadIdx.x;
    char* b = (char*)buffer(8, size);
    if (!b) return;
    *(int**)b = x;
    *(int*)(b + 8) = i;
    cudaLaunchDevice(kernels[code[i]], b, dim3(1), dim3(1), 0, 0);
}
__global__ void by_pointer(int* x, const int* code) {
    void (*kernels[])(int*, int) = {square, negate};
    kernels[code[threadIdx.x]]<<<1, 1>>>(x, threadIdx.x);
}

// said: buffers given, number of the first null, its error; launches that were told of no error, the first that was
// told of one, and that error. Launches from every `step`th buffer, from none if 0
__global__ void none() {}
__global__ void count_one(int* x) { atomicAdd(x, 1); }
__global__ void many(int* x, int* said, int n, int step, int version) {
    int given = 0, null = -1, error = 0, launched = 0, first = -1, told = 0;
    for (int i = 0; i < n; i++) {
        char* b = (char*)(version == 2 ? cudaGetParameterBufferV2((void*)count_one, dim3(1), dim3(1), 0) : buffer(8, 8));
        if (b) given++;
        else if (null < 0) null = i, error = cudaGetLastError();
        if (!b || step == 0 || i % step) continue;
        *(int**)b = x;
        int now = version == 2 ? cudaLaunchDeviceV2(b, 0) : cudaLaunchDevice((void*)count_one, b, dim3(1), dim3(1), 0, 0);
        if (now == cudaSuccess) launched++;
        else if (first < 0) first = i, told = now;
    }
    said[0] = given, said[1] = null, said[2] = error, said[3] = launched, said[4] = first, said[5] = told;
}

__global__ void brackets(int* x, int* said, int n) {
    int given = 0, first = -1, error = 0;
    for (int i = 0; i < n; i++) {
        count_one<<<1, 1>>>(x);
        int told = cudaGetLastError();
        if (told == cudaSuccess) given++;
        else if (first < 0) first = i, error = told;
    }
    said[3] = given, said[4] = first, said[5] = error;
}

// the mistakes of the page; said: what the launch returned, and the error after it
__global__ void add(int* x, int n) { x[0] += n; }
__global__ void other(int* x, int n) { x[0] -= n; }
__device__ char* filled(char* b, int* x) {
    *(int**)b = x;
    *(int*)(b + 8) = 1;
    return b;
}
__device__ int launch(char* b) { return cudaLaunchDevice((void*)add, b, dim3(1), dim3(1), 0, 0); }
__global__ void wrong(int* x, int* said, int which) {
    char* b = nullptr;
    int mine = 0;
    if (which == 0) b = (char*)buffer(8, 8), *(int**)b = x;
    if (which == 1) b = filled((char*)buffer(8, 16), x), said[2] = launch(b);
    if (which == 3) b = filled((char*)buffer(8, 16), x) + 8;
    if (which == 4) b = filled((char*)buffer(8, 16), x), *(int*)(b + 16) = 1;
    if (which == 5) b = filled((char*)cudaGetParameterBufferV2((void*)other, dim3(1), dim3(1), 0), x);
    if (which == 6) b = (char*)(x + 16);
    if (which == 7) b = filled((char*)buffer(8, 16), &mine);
    said[0] = launch(b);
    said[1] = cudaGetLastError();
    said[3] = mine;
}

// clocks of one warp that launches, lane by lane another of 20 kernels: by brackets in branches, by a table
template <int N> __global__ void one_of(int* x, int i) { x[i] += N; }
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) \
                 DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19)
__global__ void twenty_branches(int* x, const int* code, int* said) {
    int i = threadIdx.x;
    word begin = clock64();
#define BRANCH(N) if (code[i] == N) one_of<N><<<1, 1>>>(x, i);
    EACH(BRANCH)
    __syncwarp();
    said[i] = (int)(clock64() - begin);
}
__global__ void twenty_pointers(int* x, const int* code, int* said) {
    int i = threadIdx.x;
    word begin = clock64();
#define NAME(N) one_of<N>,
    void (*kernels[])(int*, int) = {EACH(NAME)};
    kernels[code[i]]<<<1, 1>>>(x, i);
    __syncwarp();
    said[i] = (int)(clock64() - begin);
}

int main(int words, char** word_) {
    const char* which = words > 1 ? word_[1] : "tight";
    int n = words > 2 ? atoi(word_[2]) : 0, step = words > 3 ? atoi(word_[3]) : 0, version = words > 4 ? atoi(word_[4]) : 1;
    int *x, *said, *code, *sizes;
    word* got;
    for (void** each : {(void**)&x, (void**)&said, (void**)&code, (void**)&sizes, (void**)&got})
        cudaHostAlloc(each, 256, cudaHostAllocMapped);  // of the host: it can be read behind an error, too
    for (int i = 0; i < 64; i++) x[i] = said[i] = sizes[i] = 0, code[i] = i % 20;
    for (int i = 0; i < 8; i++) got[i] = 0;
    if (!strcmp(which, "by_hand")) by_hand<<<1, 1>>>(x);
    if (!strcmp(which, "tight")) tight<<<1, 1>>>(x);
    if (!strcmp(which, "ask")) {
        int small[] = {1, 5, 64, 65, 4096, 4097, 32764, 32765};
        int large[] = {32768, 40000, 65536, 131072, 229376, 262144, 1 << 20, 1 << 28};
        memcpy(sizes, step ? large : small, sizeof small);
        ask<<<1, 8>>>(sizes, got, n, said);
    }
    if (!strcmp(which, "by_table") || !strcmp(which, "by_pointer")) {
        for (int i = 0; i < 4; i++) x[i] = 3 + i, code[i] = i == 1 || i == 2;
        if (n) by_table<<<1, 4>>>(x, code, n);
        else by_pointer<<<1, 4>>>(x, code);
    }
    if (!strcmp(which, "many")) many<<<1, 1>>>(x, said, n, step, version);
    if (!strcmp(which, "brackets")) brackets<<<1, 1>>>(x, said, n);
    if (!strcmp(which, "wrong")) wrong<<<1, 1>>>(x, said, n);
    for (int again = 0; again < 3; again++) {  // the last is kept: the others load
        if (!strcmp(which, "branches")) twenty_branches<<<1, 32>>>(x, code, said), cudaDeviceSynchronize();
        if (!strcmp(which, "pointers")) twenty_pointers<<<1, 32>>>(x, code, said), cudaDeviceSynchronize();
    }
    std::thread([=] {  // a launch may never end
        std::this_thread::sleep_for(std::chrono::seconds(8));
        printf("{\"case\": \"%s %d %d %d\", \"host\": \"no end\", \"said\": [%d, %d, %d, %d], \"x\": [%d]}\n", which, n, step, version,
               said[0], said[1], said[2], said[3], x[0]);
        fflush(stdout), _exit(1);
    }).detach();
    const char* error = cudaGetErrorName(cudaDeviceSynchronize());
    printf("{\"case\": \"%s %d %d %d\", \"host\": \"%s\", \"said\": [", which, n, step, version, error);
        for (int i = 0; i < 8; i++) printf("%s%d", i ? ", " : "", said[i]);
    printf("], \"x\": [");
    for (int i = 0; i < 8; i++) printf("%s%d", i ? ", " : "", x[i]);
    printf("], \"got\": [");
    for (int i = 0; i < 8; i++) printf("%s%llu", i ? ", " : "", got[i]);
    puts("]}");
}
