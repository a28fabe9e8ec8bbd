// Mathematical functions, in double, in float, and approximate; numbers of 16 bits.
#include <cmath>
#include <cuda_fp16.h>
#include <cfloat>
#include <climits>
#include <math_constants.h>

__global__ void elementary(const double* x, double* out)
{
    int i = threadIdx.x;
    double v = x[i], *o = out + i * 16;
    o[0] = sin(v), o[1] = cos(v), o[2] = tan(v), o[3] = asin(v);
    o[4] = acos(v), o[5] = atan(v), o[6] = sinh(v), o[7] = cosh(v);
    o[8] = tanh(v), o[9] = exp(v), o[10] = exp2(v), o[11] = expm1(v);
    o[12] = log(v + 2), o[13] = log2(v + 2), o[14] = log10(v + 2), o[15] = log1p(v + 1);
}

__global__ void elementary_single(const float* x, float* out)
{
    int i = threadIdx.x;
    float v = x[i], *o = out + i * 16;
    o[0] = sinf(v), o[1] = cosf(v), o[2] = tanf(v), o[3] = asinf(v);
    o[4] = acosf(v), o[5] = atanf(v), o[6] = sinhf(v), o[7] = coshf(v);
    o[8] = tanhf(v), o[9] = expf(v), o[10] = exp2f(v), o[11] = expm1f(v);
    o[12] = logf(v + 2), o[13] = log2f(v + 2), o[14] = log10f(v + 2), o[15] = log1pf(v + 1);
}

__global__ void powers_and_roots(const float* x, const float* y, float* out)
{
    int i = threadIdx.x;
    float a = fabsf(x[i]) + 0.5f, b = y[i], *o = out + i * 12;
    o[0] = powf(a, b), o[1] = sqrtf(a), o[2] = rsqrtf(a), o[3] = cbrtf(b);
    o[4] = hypotf(a, b), o[5] = atan2f(b, a), o[6] = fmodf(b * 10, a), o[7] = fmaf(a, b, 1.0f);
    o[8] = erff(b), o[9] = exp10f(b), o[10] = copysignf(a, b), o[11] = fdimf(a, b);
}

// Functions without f take the type of their argument in C++; std:: names mean the same.
__global__ void overloaded_functions(const float* x, const int* n, double* out)
{
    int i = threadIdx.x;
    float v = x[i];
    double *o = out + i * 8;
    o[0] = sqrt(fabs(v)), o[1] = std::abs(n[i]), o[2] = abs(v), o[3] = std::sqrt(4.0) + std::fabs(-1.f);
    o[4] = min(n[i], 3) + max(v, 0.0f), o[5] = pow(2.0, n[i] % 5), o[6] = fmin(v, 0.25f) + fmaxf(v, 0.75f);
    o[7] = floor(v * 10) + ceil(v * 10) + trunc(v * 10) + round(v * 10) + rint(v * 10);
}

__global__ void rounding(const float* x, int* out)
{
    int i = threadIdx.x;
    float v = x[i];
    out[i * 7] = floorf(v), out[i * 7 + 1] = ceilf(v), out[i * 7 + 2] = truncf(v), out[i * 7 + 3] = roundf(v);
    out[i * 7 + 4] = rintf(v), out[i * 7 + 5] = lroundf(v), out[i * 7 + 6] = __float2int_rn(v);
}

__global__ void classified(const float* x, int* out)
{
    float v = x[threadIdx.x];
    out[threadIdx.x] = (isnan(v) ? 1 : 0) + (isinf(v) ? 2 : 0) + (isfinite(v) ? 4 : 0) + (signbit(v) ? 8 : 0);
}

__global__ void out_of_line(const float* x, float* out, int* exponents)
{
    int i = threadIdx.x;
    float s, c, whole;
    sincosf(x[i], &s, &c);
    float fraction = modff(x[i] * 10, &whole);
    int e;
    float mantissa = frexpf(x[i], &e);
    out[i * 5] = s, out[i * 5 + 1] = c, out[i * 5 + 2] = fraction, out[i * 5 + 3] = whole;
    out[i * 5 + 4] = ldexpf(mantissa, e + 1);
    exponents[i] = e;
}

// The fast functions of -use_fast_math, called by name.
__global__ void fast_functions(const float* x, float* out)
{
    int i = threadIdx.x;
    float v = x[i], *o = out + i * 8;
    o[0] = __sinf(v), o[1] = __cosf(v), o[2] = __expf(v), o[3] = __logf(v + 2);
    o[4] = __powf(v + 2, 1.5f), o[5] = __fdividef(v, 3.0f), o[6] = __saturatef(v * 2), o[7] = __frcp_rn(v + 2);
}

__global__ void constants(double* out)
{
    out[0] = FLT_MAX, out[1] = INT_MAX, out[2] = DBL_EPSILON, out[3] = M_PI, out[4] = CUDART_PI_F;
    out[5] = INT_MIN, out[6] = UINT_MAX, out[7] = -INFINITY < 0, out[8] = isnan(NAN), out[9] = FLT_EPSILON;
}

__global__ void halves(const __half* a, const __half* b, __half* out)
{
    int i = threadIdx.x;
    __half sum = a[i] + b[i], product = __hmul(a[i], b[i]);
    out[i * 4] = __hfma(a[i], b[i], sum);
    out[i * 4 + 1] = __hgt(a[i], b[i]) ? __hsub(a[i], b[i]) : -product;
    out[i * 4 + 2] = __float2half(__half2float(a[i]) * 2.0f + 1.0f);
    out[i * 4 + 3] = a[i] < b[i] ? hsqrt(__habs(b[i])) : __hdiv(a[i], __float2half(4.0f));
}

// Two numbers of 16 bits in one register.
__global__ void half_pairs(const half2* x, const half2* y, half2* out, float* sums)
{
    int i = threadIdx.x;
    half2 v = __hfma2(x[i], y[i], __float2half2_rn(0.5f));
    out[i] = __hadd2(v, __halves2half2(__low2half(x[i]), __float2half(1.f)));
    float2 wide = __half22float2(v);
    sums[i] = wide.x + wide.y + __low2float(x[i]) + __high2float(y[i]);
}

__global__ void half_saxpy(half a, const half* x, half* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
