// What do atomics return and leave behind? One thread, so that the order is certain; then many.
#define I (blockIdx.x * blockDim.x + threadIdx.x)

template <class T> __global__ void in_turn(const T* x, T* out) {
    T* p = out + 20;
    *p = 10;
    out[0] = atomicAdd(p, x[7]); out[1] = atomicAdd(p, -x[2]); out[2] = atomicExch(p, x[30]); out[3] = atomicMin(p, x[20]);
    out[4] = atomicMax(p, x[25]); out[5] = atomicCAS(p, x[25], x[3]); out[6] = atomicCAS(p, x[25], x[4]); out[7] = atomicOr(p, x[12]);
    out[8] = atomicXor(p, x[5]); out[9] = atomicAnd(p, x[14]); out[10] = atomicAdd(p, (T)-20); out[11] = atomicMin(p, x[9]);
    out[12] = atomicMax(p, x[8]); out[13] = *p;
}

template <class T> __global__ void subtractions(const T* x, T* out) {
    out[5] = x[3];
    out[0] = atomicSub(&out[5], x[2]); out[1] = atomicSub(&out[5], x[2]); out[2] = atomicSub(&out[5], -x[1]);
}

__global__ void signed_extremes(const long long* x, long long* out) {
    out[9] = -5;
    out[0] = atomicMin(&out[9], x[3]); out[1] = atomicMax(&out[9], x[3]); out[2] = atomicMin(&out[9], -x[9] << 40); out[3] = atomicMax(&out[9], -x[1]);
}

__global__ void counting_round(const unsigned* x, unsigned* out) {
    unsigned* p = out + 60;
    *p = 0;
    for (int i = 0; i < 8; i++) out[i] = atomicInc(p, x[5]);
    *p = 9;
    out[8] = atomicInc(p, x[5]); out[9] = *p;
    *p = 2;
    for (int i = 10; i < 20; i++) out[i] = atomicDec(p, x[4]);
    *p = 9;
    out[20] = atomicDec(p, x[4]); out[21] = *p;
    out[22] = atomicInc(p, x[0]); out[23] = *p;
}

template <class T> __global__ void real_sums(const T* x, T* out) {
    out[10] = x[1] / 3;
    for (int i = 0; i < 6; i++) out[i] = atomicAdd(&out[10], x[i] / 7);
    out[6] = out[10];
}

__global__ void narrow_swaps(const unsigned short* x, unsigned short* out) {
    out[10] = 3;
    out[0] = atomicCAS(&out[10], x[3], x[9]);
    out[1] = atomicCAS(&out[10], x[3], x[8]);
    out[2] = out[10];
}

__global__ void scopes(const int* x, int* out) {
    int* p = out + 40;
    atomicAdd_block(p, x[I]);
    atomicMax_system(p + 1, x[I]);
    atomicOr_block(p + 2, 1 << (x[I] & 15));
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

__global__ void votes_of_many(const int* x, int* out) {
    __shared__ int bins[5];
    if (I < 5) bins[I] = 0;
    __syncthreads();
    atomicAdd(&bins[x[I] * x[I] % 5], 1);
    atomicMin(&out[10], -x[I]);
    atomicMax(&out[11], x[I] * 3);
    atomicInc((unsigned*)&out[12], 6);
    atomicAdd((unsigned long long*)&out[14], 1ull << 31);
    __syncthreads();
    if (I < 5) out[I] = bins[I];
}

__device__ double maximum(double* address, double value) {
    unsigned long long* p = (unsigned long long*)address;
    unsigned long long old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, __double_as_longlong(fmax(value, __longlong_as_double(assumed))));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void own_atomic(const double* x, double* out) { maximum(out, x[I] * (I % 3)); }
