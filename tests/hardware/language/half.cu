// What does 16-bit floating point give?
#include <cuda_fp16.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void to_half(const float* x, unsigned short* out) {
    out[4 * I] = __half_as_ushort(__float2half(x[I]));
    out[4 * I + 1] = __half_as_ushort(__float2half_rz(x[I]));
    out[4 * I + 2] = __half_as_ushort(__float2half_ru(x[I]));
    out[4 * I + 3] = __half_as_ushort(__float2half_rd(x[I]));
}

__global__ void from_half(const unsigned short* x, float* out) { out[I] = __half2float(__ushort_as_half(x[I])); }

__global__ void half_arithmetic(const float* x, float* out) {
    __half a = __float2half(x[2 * I]), b = __float2half(x[2 * I + 1]);
    out[8 * I] = __half2float(__hadd(a, b));
    out[8 * I + 1] = __half2float(__hsub(a, b));
    out[8 * I + 2] = __half2float(__hmul(a, b));
    out[8 * I + 3] = __half2float(__hdiv(a, b));
    out[8 * I + 4] = __half2float(__hfma(a, b, a));
    out[8 * I + 5] = __half2float(__hneg(a));
    out[8 * I + 6] = __hlt(a, b) + 2 * __hge(a, b) + 4 * __heq(a, b) + 8 * __hisnan(a);
    out[8 * I + 7] = __half2float(__hmax(a, b));
}

__global__ void half_operators(const float* x, float* out) {
    half a = x[2 * I], b = x[2 * I + 1];
    half c = a * b;
    c += a;
    out[3 * I] = (float)c;
    out[3 * I + 1] = (float)(a - b);
    out[3 * I + 2] = a < b ? 1.0f : 0.0f;
}

__global__ void half_to_integers(const float* x, int* out) {
    __half a = __float2half(x[I]);
    out[4 * I] = __half2int_rn(a);
    out[4 * I + 1] = __half2int_rz(a);
    out[4 * I + 2] = __half2int_ru(a);
    out[4 * I + 3] = __half2short_rn(a);
}

__global__ void halves_in_pairs(const float* x, float* out) {
    __half2 a = __floats2half2_rn(x[2 * I], x[2 * I + 1]), b = __float2half2_rn(1.5f);
    __half2 c = __hadd2(a, b), d = __hfma2(a, b, c);
    float2 f = __half22float2(d);
    out[4 * I] = __low2float(c);
    out[4 * I + 1] = __high2float(c);
    out[4 * I + 2] = f.x;
    out[4 * I + 3] = f.y;
}
