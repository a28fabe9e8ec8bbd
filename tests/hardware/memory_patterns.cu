// One access to memory per lane and no other (two to local memory): where it lies comes from constant memory.
// The GPU and the simulator run this text. `magic` is an argument, so that a compiler cannot know that no loaded value equals it.
#define LOCAL_BYTES 512
__constant__ unsigned offsets[32];
__constant__ unsigned others[32];
__constant__ unsigned mask;
__constant__ unsigned table[2048];
extern __shared__ __align__(128) char window[];

__device__ unsigned word(unsigned v) { return v; }
__device__ unsigned word(uint2 v) { return v.x ^ v.y; }
__device__ unsigned word(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
template <class T> __device__ T filled(unsigned v) { return v; }
template <> __device__ uint2 filled<uint2>(unsigned v) { return make_uint2(v, v + 1); }
template <> __device__ uint4 filled<uint4>(unsigned v) { return make_uint4(v, v + 1, v + 2, v + 3); }

template <class T> __global__ void load(char* base, unsigned* sink, unsigned magic) {
    unsigned lane = threadIdx.x;
    if (mask >> lane & 1) {
        T v = *(const T*)(base + offsets[lane]);
        if (word(v) == magic) *sink = word(v);  // memory never holds it
    }
}

template <class T> __global__ void store(char* base, unsigned* sink, unsigned magic) {
    unsigned lane = threadIdx.x;
    if (mask >> lane & 1) *(T*)(base + offsets[lane]) = filled<T>(lane);
}

template <class T> __global__ void shared_load(char* base, unsigned* sink, unsigned magic) {
    unsigned lane = threadIdx.x;
    if (mask >> lane & 1) {
        T v = *(const T*)(window + offsets[lane]);
        if (word(v) == magic) *sink = word(v);
    }
}

template <class T> __global__ void shared_store(char* base, unsigned* sink, unsigned magic) {
    unsigned lane = threadIdx.x;
    if (mask >> lane & 1) *(T*)(window + offsets[lane]) = filled<T>(lane);
}

// each thread writes one element of its own array and reads one
template <class T> __global__ void local_access(char* base, unsigned* sink, unsigned magic) {
    unsigned lane = threadIdx.x;
    T own[LOCAL_BYTES / sizeof(T)];
    if (mask >> lane & 1) {
        own[offsets[lane] / sizeof(T)] = filled<T>(lane);
        T v = own[others[lane] / sizeof(T)];
        if (word(v) == magic) *sink = word(v);
    }
}

// `times` loads of constant memory, one after the other; `distinct` words, `stride` words apart, in a warp
__global__ void constant_loads(unsigned distinct, unsigned stride, int times, unsigned* sink, unsigned magic) {
    unsigned i = threadIdx.x % distinct * stride;  // table[i] is i
    #pragma unroll 1
    for (int k = 0; k < times; k++) i = table[i];
    if (i == magic) *sink = i;
}

#define ATOMIC(name, T, call) \
    __global__ void global_##name(char* base, unsigned* sink, unsigned magic) { \
        unsigned lane = threadIdx.x; \
        if (mask >> lane & 1) { T* p = (T*)(base + offsets[lane]); call; } \
    } \
    __global__ void global_##name##_result(char* base, unsigned* sink, unsigned magic) { \
        unsigned lane = threadIdx.x; \
        if (mask >> lane & 1) { T* p = (T*)(base + offsets[lane]); T old = call; if (old == (T)magic) *sink = lane; } \
    } \
    __global__ void shared_##name(char* base, unsigned* sink, unsigned magic) { \
        unsigned lane = threadIdx.x; \
        if (mask >> lane & 1) { T* p = (T*)(window + offsets[lane]); call; } \
    } \
    __global__ void shared_##name##_result(char* base, unsigned* sink, unsigned magic) { \
        unsigned lane = threadIdx.x; \
        if (mask >> lane & 1) { T* p = (T*)(window + offsets[lane]); T old = call; if (old == (T)magic) *sink = lane; } \
    }

ATOMIC(add_u32, unsigned, atomicAdd(p, lane + 2))
ATOMIC(max_s32, int, atomicMax(p, (int)lane + 2))
ATOMIC(exch_u32, unsigned, atomicExch(p, lane + 2))
ATOMIC(cas_u32, unsigned, atomicCAS(p, lane, lane + 2))
ATOMIC(add_f32, float, atomicAdd(p, lane + 2.0f))
ATOMIC(add_u64, unsigned long long, atomicAdd(p, (unsigned long long)lane + 2))
ATOMIC(exch_u64, unsigned long long, atomicExch(p, (unsigned long long)lane + 2))
ATOMIC(cas_u64, unsigned long long, atomicCAS(p, (unsigned long long)lane, (unsigned long long)lane + 2))
ATOMIC(add_f64, double, atomicAdd(p, lane + 2.0))
