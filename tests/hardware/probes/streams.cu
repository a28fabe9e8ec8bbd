// What runs beside what, and how long do copies take? One object a line.
// usage: streams answers.jsonl
#include <chrono>
#include "common.h"

static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
struct Mark { int tag; unsigned long long at; };
__device__ unsigned ticket;
__device__ Mark marks[256];
__device__ static void tell(int tag) {
    unsigned mine = atomicAdd(&ticket, 1);
    if (mine < 256) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(marks[mine].at));
    if (mine < 256) marks[mine].tag = tag;
}
__device__ static void spin(unsigned nanoseconds) {
    unsigned long long begin, here;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(here)); while (here - begin < nanoseconds);
}
// tag 10 k + 1 when its first block begins, 10 k + 2 when that ends
__global__ void work(int k, unsigned nanoseconds) {
    if (blockIdx.x == 0 && threadIdx.x == 0) tell(10 * k + 1);
    spin(nanoseconds);
    if (blockIdx.x == 0 && threadIdx.x == 0) tell(10 * k + 2);
}
__global__ void nothing() {}
static void CUDART_CB host(void*) {}
static void told(const char* test) {
    CK(cudaDeviceSynchronize());
    unsigned n, zero = 0;
    std::vector<Mark> found(256);
    CK(cudaMemcpyFromSymbol(&n, ticket, 4));
    CK(cudaMemcpyFromSymbol(found.data(), marks, sizeof(Mark) * 256));
    CK(cudaMemcpyToSymbol(ticket, &zero, 4));
    std::string s;
    for (unsigned i = 0; i < n; i++) s += (i ? ",[" : "[") + std::to_string(found[i].tag) + "," + std::to_string((long long)(found[i].at - found[0].at)) + "]";
    J("{\"order\":\"%s\",\"tags_ns\":[%s]}", test, s.c_str());
}
int main(int, char** arguments) {
    lines = opened(arguments[1], "w");
    cudaStream_t a, b, free_, low, high;
    CK(cudaStreamCreate(&a)); CK(cudaStreamCreate(&b)); CK(cudaStreamCreateWithFlags(&free_, cudaStreamNonBlocking));
    int least, most;
    CK(cudaDeviceGetStreamPriorityRange(&least, &most));
    CK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least)); CK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, most));
    J("{\"priorities\":[%d,%d]}", least, most);
    work<<<1, 32>>>(0, 1000); told("warm");
    for (int again = 0; again < 3; again++) {
        work<<<1, 32, 0, a>>>(1, 200000); work<<<1, 32, 0, b>>>(2, 200000); told("a, b");
        work<<<1, 32, 0, a>>>(1, 200000); work<<<1, 32>>>(2, 100000); work<<<1, 32, 0, b>>>(3, 100000); told("a, default, b");
        work<<<1, 32, 0, a>>>(1, 200000); work<<<1, 32>>>(2, 100000); work<<<1, 32, 0, free_>>>(3, 100000); told("a, default, non-blocking");
        work<<<1, 32, 0, a>>>(1, 200000); work<<<1, 32, 0, cudaStreamPerThread>>>(2, 100000); work<<<1, 32, 0, b>>>(3, 100000); told("a, per-thread, b");
        work<<<1, 32, 0, cudaStreamPerThread>>>(1, 200000); work<<<1, 32>>>(2, 100000); told("per-thread, default");
        work<<<1, 32, 0, a>>>(1, 200000); work<<<1, 32, 0, a>>>(2, 100000); told("a, a");
        work<<<132 * 16, 128, 0, low>>>(1, 50000); work<<<132 * 16, 128, 0, low>>>(2, 50000); work<<<132 * 16, 128, 0, high>>>(3, 50000); told("low fills the GPU, low again, high fills it");
        work<<<132 * 16, 128, 0, a>>>(1, 200000); work<<<1, 32, 0, b>>>(2, 20000); told("a fills the GPU, b one block");
        work<<<132 * 8, 128, 0, a>>>(1, 200000); work<<<132 * 8, 128, 0, b>>>(2, 200000); told("a half of the GPU, b half");
        work<<<132 * 8, 128, 0, a>>>(1, 200000); work<<<132 * 12, 128, 0, b>>>(2, 200000); told("a half of the GPU, b three quarters");
        cudaEvent_t e; CK(cudaEventCreate(&e));
        work<<<1, 32, 0, a>>>(1, 200000); CK(cudaEventRecord(e, a)); CK(cudaStreamWaitEvent(free_, e, 0)); work<<<1, 32, 0, free_>>>(2, 20000); told("a, event, non-blocking waits");
        work<<<1, 32, 0, a>>>(1, 200000); CK(cudaLaunchHostFunc(a, host, nullptr)); work<<<1, 32, 0, a>>>(2, 20000); work<<<1, 32, 0, b>>>(3, 20000); told("a, host function in a, a, b");
        CK(cudaEventDestroy(e));
    }
    const size_t most_bytes = 256 << 20;
    char *pinned, *pinned2, *pageable = (char*)malloc(most_bytes), *device, *device2;
    memset(pageable, 1, most_bytes);
    CK(cudaMallocHost(&pinned, most_bytes)); CK(cudaMallocHost(&pinned2, most_bytes)); CK(cudaMalloc(&device, most_bytes)); CK(cudaMalloc(&device2, most_bytes));
    auto timed = [&](auto f) { std::vector<double> call, whole; for (int k = 0; k < 7; k++) { CK(cudaDeviceSynchronize()); double t = now(); f(); double u = now(); CK(cudaDeviceSynchronize()); call.push_back(u - t); whole.push_back(now() - t); }
        return std::make_pair(median(call), median(whole)); };
    auto tell_time = [&](const char* what, size_t bytes, std::pair<double, double> t) { J("{\"copy\":\"%s\",\"bytes\":%zu,\"call_us\":%.2f,\"whole_us\":%.2f}", what, bytes, t.first, t.second); };
    for (size_t bytes = 4; bytes <= most_bytes; bytes *= 8) {
        tell_time("pinned to device, async", bytes, timed([&] { CK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, a)); }));
        tell_time("device to pinned, async", bytes, timed([&] { CK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, a)); }));
        tell_time("pageable to device, async", bytes, timed([&] { CK(cudaMemcpyAsync(device, pageable, bytes, cudaMemcpyHostToDevice, a)); }));
        tell_time("device to pageable, async", bytes, timed([&] { CK(cudaMemcpyAsync(pageable, device, bytes, cudaMemcpyDeviceToHost, a)); }));
        tell_time("pinned to device", bytes, timed([&] { CK(cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice)); }));
        tell_time("pageable to device", bytes, timed([&] { CK(cudaMemcpy(device, pageable, bytes, cudaMemcpyHostToDevice)); }));
        tell_time("device to device, async", bytes, timed([&] { CK(cudaMemcpyAsync(device2, device, bytes, cudaMemcpyDeviceToDevice, a)); }));
        tell_time("memset, async", bytes, timed([&] { CK(cudaMemsetAsync(device, 0, bytes, a)); }));
    }
    size_t bytes = 64 << 20;
    tell_time("to device and to host, two streams", bytes, timed([&] { CK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, a)); CK(cudaMemcpyAsync(pinned2, device2, bytes, cudaMemcpyDeviceToHost, b)); }));
    tell_time("twice to device, two streams", bytes, timed([&] { CK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, a)); CK(cudaMemcpyAsync(device2, pinned2, bytes, cudaMemcpyHostToDevice, b)); }));
    tell_time("to device beside a kernel of 1000 us", bytes, timed([&] { CK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, a)); work<<<1, 32, 0, b>>>(1, 1000000); }));
    tell_time("launch of nothing", 0, timed([&] { nothing<<<1, 32, 0, a>>>(); }));
    tell_time("1000 launches of nothing", 0, timed([&] { for (int k = 0; k < 1000; k++) nothing<<<1, 32, 0, a>>>(); }));
    tell_time("10 launches of 100 us in one stream", 0, timed([&] { for (int k = 0; k < 10; k++) work<<<1, 32, 0, a>>>(1, 100000); }));
    tell_time("10 launches of 100 us in two streams", 0, timed([&] { for (int k = 0; k < 10; k++) work<<<1, 32, 0, k % 2 ? a : b>>>(1, 100000); }));
    std::vector<float> elapsed; cudaEvent_t e, f; CK(cudaEventCreate(&e)); CK(cudaEventCreate(&f));
    for (int k = 0; k < 7; k++) { float ms; CK(cudaEventRecord(e, a)); work<<<1, 32, 0, a>>>(1, 100000); CK(cudaEventRecord(f, a)); CK(cudaEventSynchronize(f)); CK(cudaEventElapsedTime(&ms, e, f)); elapsed.push_back(ms); }
    J("{\"event\":\"around a kernel of 100 us\",\"ms\":%.5f}", median(elapsed));
}
