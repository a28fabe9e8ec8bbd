// What do loads, stores, atomics, fences and constants find in the caches? The GPU and the simulator run this text: the GPU with
// the operators as PTX, which the compiler keeps as they are; the simulator (-DINTRINSICS) with the functions of the same names.
//   nvcc -O1 -arch=sm_90 caches.cu && ncu --csv --clock-control none --metrics … ./a.out     one launch a record, in their order
enum Operator { CA, CG, CS, LU, CV, NC };
enum StoreOperator { WB, SCG, SCS, WT };
#ifdef INTRINSICS
template <int O> __device__ int ld(const int* p) {
    if (O == CA) return __ldca(p);
    if (O == CG) return __ldcg(p);
    if (O == CS) return __ldcs(p);
    if (O == LU) return __ldlu(p);
    if (O == CV) return __ldcv(p);
    return __ldg(p);
}
template <int O> __device__ void st(int* p, int v) {
    if (O == WB) __stwb(p, v);
    if (O == SCG) __stcg(p, v);
    if (O == SCS) __stcs(p, v);
    if (O == WT) __stwt(p, v);
}
__device__ void add(int* p, int v) { atomicAdd(p, v); }
#else
#include <cstdio>
template <int O> __device__ __forceinline__ int ld(const int* p) {
    int v = 0;
    if (O == CA) asm volatile("ld.global.ca.s32 %0,[%1];" : "=r"(v) : "l"(p));
    if (O == CG) asm volatile("ld.global.cg.s32 %0,[%1];" : "=r"(v) : "l"(p));
    if (O == CS) asm volatile("ld.global.cs.s32 %0,[%1];" : "=r"(v) : "l"(p));
    if (O == LU) asm volatile("ld.global.lu.s32 %0,[%1];" : "=r"(v) : "l"(p));
    if (O == CV) asm volatile("ld.global.cv.s32 %0,[%1];" : "=r"(v) : "l"(p));
    if (O == NC) asm volatile("ld.global.nc.s32 %0,[%1];" : "=r"(v) : "l"(p));
    return v;
}
template <int O> __device__ __forceinline__ void st(int* p, int v) {
    if (O == WB) asm volatile("st.global.wb.s32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
    if (O == SCG) asm volatile("st.global.cg.s32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
    if (O == SCS) asm volatile("st.global.cs.s32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
    if (O == WT) asm volatile("st.global.wt.s32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ void add(int* p, int v) { asm volatile("red.global.add.s32 [%0],%1;" ::"l"(p), "r"(v) : "memory"); }
#endif

__constant__ int table[16384];
__device__ int sink;
#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define KEEP(v) if (v == 77) sink = v  // memory holds zeros, which the compiler cannot know: an address waits for the load before it

// one word of every STRIDE, over many blocks
template <int STRIDE> __global__ void sparse_loads(const int* p) { int v = ld<CA>(p + I * STRIDE); KEEP(v); }

// one operator after the other
template <int A, int B> __global__ void two_loads(const int* p) { int v = ld<A>(p + T); v = ld<B>(p + T + v); KEEP(v); }
template <int A, int B, int C> __global__ void three_loads(const int* p) { int v = ld<A>(p + T); v = ld<B>(p + T + v); v = ld<C>(p + T + v); KEEP(v); }

// stores, and loads after them
template <int A, int STRIDE> __global__ void store_load(int* p) { st<A>(p + T * STRIDE, 0); int v = ld<CA>(p + T * STRIDE); KEEP(v); }
template <int A, int STRIDE> __global__ void store_load_beside(int* p) { st<A>(p + T * STRIDE, 0); int v = ld<CA>(p + T * STRIDE + 1); KEEP(v); }
template <int A> __global__ void load_store_load(int* p) { int v = ld<CA>(p + T); st<A>(p + T + v, 0); v = ld<CA>(p + T); KEEP(v); }
template <int A> __global__ void load_store_half_load(int* p) { int v = ld<CA>(p + T); if (T % 2) st<A>(p + T + v, 0); v = ld<CA>(p + T); KEEP(v); }
template <int A> __global__ void store_half_load_load(int* p) { if (T % 2) st<A>(p + T, 0); int v = ld<CA>(p + T); v = ld<CA>(p + T + v); KEEP(v); }
template <int A, int STRIDE> __global__ void store_fence_load(int* p) { st<A>(p + T * STRIDE, 0); __threadfence(); int v = ld<CA>(p + T * STRIDE); KEEP(v); }
template <int A, int STRIDE> __global__ void store_fence_load_beside(int* p) { st<A>(p + T * STRIDE, 0); __threadfence(); int v = ld<CA>(p + T * STRIDE + 1); KEEP(v); }
template <int A> __global__ void load_store_fence_load(int* p) { int v = ld<CA>(p + T); st<A>(p + T + v, 0); __threadfence(); v = ld<CA>(p + T); KEEP(v); }
template <int A> __global__ void store_fence_store(int* p) { st<A>(p + T, 0); __threadfence(); st<A>(p + T, 0); }

// atomics, fences, barriers; two warps; two sectors of a line
__global__ void load_add_load(int* p) { int v = ld<CA>(p + T); add(p + T + v, 0); v = ld<CA>(p + T); KEEP(v); }
__global__ void load_block_fence_load(const int* p) { int v = ld<CA>(p + T); __threadfence_block(); v = ld<CA>(p + T + v); KEEP(v); }
__global__ void load_fence_load(const int* p) { int v = ld<CA>(p + T); __threadfence(); v = ld<CA>(p + T + v); KEEP(v); }
__global__ void load_system_fence_load(const int* p) { int v = ld<CA>(p + T); __threadfence_system(); v = ld<CA>(p + T + v); KEEP(v); }
__global__ void load_barrier_load(const int* p) { int v = ld<CA>(p + T); __syncthreads(); v = ld<CA>(p + T + v); KEEP(v); }
__global__ void load_syncwarp_load(const int* p) { int v = ld<CA>(p + T); __syncwarp(); v = ld<CA>(p + T + v); KEEP(v); }
__global__ void two_warps_load_the_same(const int* p) { int v = ld<CA>(p + T % 32); KEEP(v); }
__global__ void a_sector_and_the_next(const int* p) { int v = ld<CA>(p + T % 8); v = ld<CA>(p + 8 + T % 8 + v); KEEP(v); }

// constants: k different elements a warp, `apart` words from each other, twice; of other types; of some lanes; line after line
__global__ void constants(int k, int apart) { int i = T % k * apart; int v = table[i]; v += table[i + v]; KEEP(v); }
template <class V> __global__ void typed_constants(int k) { V v = ((const V*)table)[T % k]; KEEP(v); }
__global__ void constants_of_some(unsigned mask) { int v = 0; if (mask >> T & 1) v = table[T]; KEEP(v); }
__global__ void constant_lines(int lines, int apart) { int v = 0; for (int pass = 0; pass < 2; pass++) for (int i = 0; i < lines; i++) v += table[i * apart * 16 + v]; KEEP(v); }

// `lines` lines of global memory, `apart` lines from each other, twice
__global__ void lines_twice(int lines, int apart, const int* p) { int v = 0; for (int pass = 0; pass < 2; pass++) for (int i = 0; i < lines; i++) v += ld<CA>(p + i * apart * 32 + v); KEEP(v); }

#ifndef INTRINSICS
int main() {
    int* p;
    cudaMalloc(&p, 1 << 26);
    cudaMemset(p, 0, 1 << 26);
    sparse_loads<1><<<1024, 256>>>(p); sparse_loads<8><<<1024, 256>>>(p); sparse_loads<16><<<1024, 256>>>(p); sparse_loads<32><<<1024, 256>>>(p); sparse_loads<64><<<1024, 256>>>(p);
#define LOADS(A) two_loads<A, CA><<<1, 32>>>(p); two_loads<A, CG><<<1, 32>>>(p); two_loads<A, CS><<<1, 32>>>(p); two_loads<A, LU><<<1, 32>>>(p); two_loads<A, CV><<<1, 32>>>(p); two_loads<A, NC><<<1, 32>>>(p);
    LOADS(CA) LOADS(CG) LOADS(CS) LOADS(LU) LOADS(CV) LOADS(NC)
#define FENCED(A) store_fence_load<A, 1><<<1, 32>>>(p); store_fence_load<A, 2><<<1, 32>>>(p); store_fence_load_beside<A, 2><<<1, 32>>>(p); load_store_fence_load<A><<<1, 32>>>(p); store_fence_store<A><<<1, 32>>>(p);
    FENCED(WB) FENCED(SCG) FENCED(SCS) FENCED(WT)
    two_warps_load_the_same<<<1, 64>>>(p); a_sector_and_the_next<<<1, 32>>>(p);
#define STORES(A) store_load<A, 1><<<1, 32>>>(p); store_load<A, 2><<<1, 32>>>(p); store_load_beside<A, 2><<<1, 32>>>(p); load_store_load<A><<<1, 32>>>(p); load_store_half_load<A><<<1, 32>>>(p); store_half_load_load<A><<<1, 32>>>(p);
    STORES(WB) STORES(SCG) STORES(SCS) STORES(WT)
    three_loads<CA, LU, CA><<<1, 32>>>(p); three_loads<CA, CG, CA><<<1, 32>>>(p); three_loads<CA, CV, CA><<<1, 32>>>(p); three_loads<CA, CS, CA><<<1, 32>>>(p); three_loads<LU, LU, LU><<<1, 32>>>(p);
    load_add_load<<<1, 32>>>(p); load_block_fence_load<<<1, 32>>>(p); load_fence_load<<<1, 32>>>(p); load_system_fence_load<<<1, 32>>>(p); load_barrier_load<<<1, 32>>>(p); load_syncwarp_load<<<1, 32>>>(p);
    for (int apart : {1, 16, 64}) for (int k : {1, 2, 3, 4, 8, 16, 32}) constants<<<1, 32>>>(k, apart);
    for (int k : {1, 2, 3, 4, 8, 16, 32}) { typed_constants<unsigned char><<<1, 32>>>(k); typed_constants<unsigned short><<<1, 32>>>(k); typed_constants<int><<<1, 32>>>(k); typed_constants<double><<<1, 32>>>(k); }
    for (unsigned mask : {0u, 1u, 3u, 0x80000001u, 0xffff0000u, 0x55555555u}) constants_of_some<<<1, 32>>>(mask);
    for (int apart : {1, 2, 4, 8, 16, 32}) for (int lines : {2, 4, 5, 8, 9, 16, 17, 24, 31, 32}) constant_lines<<<1, 1>>>(lines, apart);
    for (int lines : {256, 1024, 1536, 1600, 1664, 1700, 1728, 1744, 1760, 1776, 1792, 1800, 1824, 1856, 1920, 1984, 2016, 2048, 2304}) lines_twice<<<1, 1>>>(lines, 1, p);
    for (int apart : {2, 4, 8, 16, 32, 64, 128, 256, 448, 512, 1024}) for (int lines : {4, 5, 8, 16, 64, 256}) lines_twice<<<1, 1>>>(lines, apart, p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
