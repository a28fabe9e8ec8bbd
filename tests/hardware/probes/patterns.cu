// One launch of one warp for each row of a file, in its order: kernel, mask, 32 offsets, 32 other offsets.
// usage: patterns rows.txt, which ncu counts; or patterns rows.txt cycles.txt, which times loads and stores of shared memory
#include "common.h"
#include "../memory_patterns.cu"
static const int WINDOW = 36864;
static const size_t BASE = 8 << 20;
static const unsigned MAGIC = 0xC0FFEE11u;
struct Row { std::string kernel; unsigned mask, offsets[32], others[32]; };

static std::map<std::string, const void*> kernels() {
    std::map<std::string, const void*> k;
#define WIDTHS(name) \
    k[#name "1"] = (const void*)name<unsigned char>; k[#name "2"] = (const void*)name<unsigned short>; k[#name "4"] = (const void*)name<unsigned>; \
    k[#name "8"] = (const void*)name<uint2>; k[#name "16"] = (const void*)name<uint4>;
    WIDTHS(load) WIDTHS(store) WIDTHS(shared_load) WIDTHS(shared_store) WIDTHS(local_access)
#define ATOMICS(name) \
    k["global_" #name] = (const void*)global_##name; k["global_" #name "_result"] = (const void*)global_##name##_result; \
    k["shared_" #name] = (const void*)shared_##name; k["shared_" #name "_result"] = (const void*)shared_##name##_result;
    ATOMICS(add_u32) ATOMICS(max_s32) ATOMICS(exch_u32) ATOMICS(cas_u32) ATOMICS(add_f32)
    ATOMICS(add_u64) ATOMICS(exch_u64) ATOMICS(cas_u64) ATOMICS(add_f64)
    return k;
}

// volatile twins for timing, so that repeated accesses to one address are all issued
template <int W> __device__ __forceinline__ unsigned vld(unsigned p) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (W == 1) asm volatile("ld.volatile.shared.u8 %0,[%1];" : "=r"(a) : "r"(p));
    if (W == 2) asm volatile("ld.volatile.shared.u16 %0,[%1];" : "=r"(a) : "r"(p));
    if (W == 4) asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(a) : "r"(p));
    if (W == 8) asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(p));
    if (W == 16) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p));
    return a ^ b ^ c ^ d;
}
template <int W> __device__ __forceinline__ void vst(unsigned p, unsigned v) {
    if (W == 1) asm volatile("st.volatile.shared.u8 [%0],%1;" ::"r"(p), "r"(v) : "memory");
    if (W == 2) asm volatile("st.volatile.shared.u16 [%0],%1;" ::"r"(p), "r"(v) : "memory");
    if (W == 4) asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(p), "r"(v) : "memory");
    if (W == 8) asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%2};" ::"r"(p), "r"(v), "r"(v) : "memory");
    if (W == 16) asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%2,%3,%4};" ::"r"(p), "r"(v), "r"(v), "r"(v), "r"(v) : "memory");
}
static const int REPEATS = 128;
template <int W, bool STORE> __global__ void timed(unsigned* best_of, unsigned* sink, unsigned magic) {
    __shared__ __align__(128) char array[WINDOW];
    unsigned lane = threadIdx.x;
    for (int i = lane; i < WINDOW / 4; i += 32) ((unsigned*)array)[i] = 0;
    unsigned a = (unsigned)__cvta_generic_to_shared(array) + offsets[lane];
    unsigned on = (mask >> lane) & 1;
    __syncwarp();
    unsigned best = ~0u, sum = 0;
    for (int again = 0; again < 4; again++) {
        __syncwarp();
        if (on) {
            long long start = clock64();
#pragma unroll 1
            for (int k = 0; k < REPEATS / 16; k++) {
#pragma unroll
                for (int j = 0; j < 16; j++) { if (STORE) vst<W>(a, lane); else sum ^= vld<W>(a); }
            }
            if (sum == magic) sink[1] = sum;  // waits for the loads
            unsigned took = (unsigned)(clock64() - start);
            best = took < best ? took : best;
        }
    }
    for (int o = 16; o; o >>= 1) { unsigned x = __shfl_xor_sync(~0u, best, o); best = x < best ? x : best; }
    if (lane == 0) *best_of = best;
}
static std::map<std::string, const void*> timers() {
    std::map<std::string, const void*> k;
#define TIMED(W) k["shared_load" #W] = (const void*)timed<W, false>; k["shared_store" #W] = (const void*)timed<W, true>;
    TIMED(1) TIMED(2) TIMED(4) TIMED(8) TIMED(16)
    return k;
}

int main(int count, char** arguments) {
    FILE* f = opened(arguments[1], "r");
    std::vector<Row> rows; Row r; char name[64];
    while (fscanf(f, "%63s %x", name, &r.mask) == 2) {
        r.kernel = name;
        for (auto& o : r.offsets) if (fscanf(f, "%u", &o) != 1) return 4;
        for (auto& o : r.others) if (fscanf(f, "%u", &o) != 1) return 4;
        rows.push_back(r);
    }
    bool timing = count > 2;
    auto table_of = timing ? timers() : kernels();
    char* base; unsigned *sink, *best, magic = MAGIC;
    CK(cudaMalloc(&base, BASE)); CK(cudaMalloc(&sink, 4096)); CK(cudaMalloc(&best, 4));
    CK(cudaMemset(sink, 0, 4096));
    if (timing) lines = opened(arguments[2], "w");
    for (auto& row : rows) {
        auto found = table_of.find(row.kernel);
        if (found == table_of.end()) { fprintf(stderr, "no kernel %s\n", row.kernel.c_str()); return 5; }
        CK(cudaMemset(base, 0, BASE));
        CK(cudaMemcpyToSymbol(offsets, row.offsets, 128)); CK(cudaMemcpyToSymbol(others, row.others, 128));
        CK(cudaMemcpyToSymbol(mask, &row.mask, 4));
        void* counted[] = {&base, &sink, &magic};
        void* clocked[] = {&best, &sink, &magic};
        bool shared = row.kernel.compare(0, 6, "shared") == 0;
        CK(cudaLaunchKernel(found->second, 1, 32, timing ? clocked : counted, shared && !timing ? WINDOW : 0, 0));
        CK(cudaDeviceSynchronize());
        if (timing) {
            unsigned cycles; CK(cudaMemcpy(&cycles, best, 4, cudaMemcpyDeviceToHost));
            J("%.3f", cycles / (double)REPEATS);
        }
    }
    return 0;
}
