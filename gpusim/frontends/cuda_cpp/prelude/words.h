// Who compiles, as the macros of the toolkit say it.
#undef __NVCC__
#undef __CUDACC__
#define __NVCC__ 1
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 93
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#if __GPUSIM_WARP_SIZE == 64
#define __MACA__ 1
#define __MACACC__ 1
#define __MACA_ARCH__ 1000
#endif

// CUDA's words, as attributes of clang's; annotations that change no result.
// Functions are of both sides unless the text says __host__ alone: no side prefers an overload.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device, host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared, annotate("__shared__")))
#define _aligns _Alignas  // for `__shared__ alignas(16)`, where C++ takes no `alignas` behind an attribute
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, annotate("managed")))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((annotate("cluster")))
#define __maxnreg__(registers)
#define __block_size__(...)
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __forceinline inline
#define __inline_hint__
#define __nv_pure__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __device_builtin__
#define __thread__ thread_local
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define __cdecl
#define _Pragma(text)
#define register
#define __builtin_expect(value, expected) (value)
#define __builtin_assume(condition) ((void)0)
#define __builtin_popcount(x) __popc(x)
#define __builtin_popcountll(x) __popcll(x)
#define __builtin_clz(x) __clz(x)
#define __builtin_clzll(x) __clzll(x)
#define __builtin_ffs(x) __ffs(x)
#define __builtin_ctz(x) (__ffs(x) - 1)
#define __builtin_abs(x) abs(x)
#define __builtin_add_overflow gpusim_add_overflow
#define __builtin_sub_overflow gpusim_sub_overflow
#define __builtin_mul_overflow gpusim_mul_overflow
#define __builtin_bit_cast(type, x) gpusim_bit_cast<type>(x)
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#define offsetof(type, member) __builtin_offsetof(type, member)
#define __builtin_assume_aligned(pointer, ...) (pointer)

// claims of tools that verify kernels: each is an expression, since it may stand in a loop's condition
#define __requires(condition) ((void)0)
#define __ensures(condition) ((void)0)
#define __invariant(condition) ((void)0)
#define __global_invariant(condition) ((void)0)
#define __function_wide_invariant(condition) ((void)0)
#define __function_wide_candidate_invariant(condition) ((void)0)
#define __candidate_invariant(condition) ((void)0)
#define __candidate_assert(condition) ((void)0)
#define __candidate_global_assert(condition) ((void)0)
#define __global_requires(condition) ((void)0)
#define __global_ensures(condition) ((void)0)
#define __non_temporal(condition) ((void)0)
#define __assume(condition) ((void)0)
#define __assert(condition) assert(condition)
#define __global_assert(condition) assert(condition)
#define __axiom(condition)

#include "../include/assert.h"

#pragma clang force_cuda_host_device begin
