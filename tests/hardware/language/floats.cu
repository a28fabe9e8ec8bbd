// What do C++'s floating-point numbers give at the edges: NaN, infinities, signed zeros, subnormals, roundings?
#define I (blockIdx.x * blockDim.x + threadIdx.x)

template <class T> __global__ void real_arithmetic(const T* x, T* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[4 * I] = a + b;
    out[4 * I + 1] = a - b;
    out[4 * I + 2] = a * b;
    out[4 * I + 3] = a / b;
}

template <class T> __global__ void comparisons(const T* x, int* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[I] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | !(a < b) << 6 |
             (a && b) << 7 | !a << 8 | (a ? 1 : 0) << 9;
}

template <class T> __global__ void extremes(const T* x, T* out) {
    T a = x[2 * I], b = x[2 * I + 1];
    out[6 * I] = fmin(a, b);
    out[6 * I + 1] = fmax(a, b);
    out[6 * I + 2] = min(a, b);
    out[6 * I + 3] = max(a, b);
    out[6 * I + 4] = a < b ? a : b;
    out[6 * I + 5] = copysign(a, b);
}

__global__ void extremes_f(const float* x, float* out) {
    float a = x[2 * I], b = x[2 * I + 1];
    out[4 * I] = fminf(a, b);
    out[4 * I + 1] = fmaxf(a, b);
    out[4 * I + 2] = fdimf(a, b);
    out[4 * I + 3] = copysignf(a, b);
}

template <class T> __global__ void roundings(const T* x, T* out) {
    T a = x[I];
    out[7 * I] = floor(a);
    out[7 * I + 1] = ceil(a);
    out[7 * I + 2] = trunc(a);
    out[7 * I + 3] = rint(a);
    out[7 * I + 4] = round(a);
    out[7 * I + 5] = nearbyint(a);
    out[7 * I + 6] = fabs(a);
}

__global__ void roundings_f(const float* x, float* out) {
    float a = x[I];
    out[8 * I] = floorf(a);
    out[8 * I + 1] = ceilf(a);
    out[8 * I + 2] = truncf(a);
    out[8 * I + 3] = rintf(a);
    out[8 * I + 4] = roundf(a);
    out[8 * I + 5] = nearbyintf(a);
    out[8 * I + 6] = fabsf(a);
    out[8 * I + 7] = __saturatef(a);
}

template <class T> __global__ void classes(const T* x, int* out) {
    T a = x[I];
    out[I] = (isnan(a) ? 1 : 0) | (isinf(a) ? 2 : 0) | (isfinite(a) ? 4 : 0) | (signbit(a) ? 8 : 0) | (a ? 16 : 0) | ((bool)a ? 32 : 0);
}

__global__ void float_to_integers(const float* x, long long* out) {
    float a = x[I];
    long long* o = out + 16 * I;
    o[0] = __float2int_rn(a); o[1] = __float2int_rz(a); o[2] = __float2int_ru(a); o[3] = __float2int_rd(a);
    o[4] = __float2uint_rn(a); o[5] = __float2uint_rz(a); o[6] = __float2uint_ru(a); o[7] = __float2uint_rd(a);
    o[8] = __float2ll_rn(a); o[9] = __float2ll_rz(a); o[10] = __float2ll_ru(a); o[11] = __float2ll_rd(a);
    o[12] = __float2ull_rn(a); o[13] = __float2ull_rd(a); o[14] = __float_as_int(a); o[15] = __float_as_uint(a);
}

__global__ void double_to_integers(const double* x, long long* out) {
    double a = x[I];
    long long* o = out + 16 * I;
    o[0] = __double2int_rn(a); o[1] = __double2int_rz(a); o[2] = __double2int_ru(a); o[3] = __double2int_rd(a);
    o[4] = __double2uint_rn(a); o[5] = __double2uint_rz(a); o[6] = __double2uint_ru(a); o[7] = __double2uint_rd(a);
    o[8] = __double2ll_rn(a); o[9] = __double2ll_rz(a); o[10] = __double2ll_ru(a); o[11] = __double2ll_rd(a);
    o[12] = __double2ull_rn(a); o[13] = __double2ull_rz(a); o[14] = __double2hiint(a); o[15] = __double2loint(a);
}

__global__ void nearest_integers(const float* x, long long* out) {
    float a = x[I];
    double d = a;
    out[6 * I] = lrintf(a);
    out[6 * I + 1] = lroundf(a);
    out[6 * I + 2] = llrintf(a);
    out[6 * I + 3] = llroundf(a);
    out[6 * I + 4] = lrint(d);
    out[6 * I + 5] = llround(d);
}

__global__ void integers_to_float(const long long* x, float* out) {
    long long a = x[I];
    float* o = out + 16 * I;
    o[0] = __int2float_rn((int)a); o[1] = __int2float_rz((int)a); o[2] = __int2float_ru((int)a); o[3] = __int2float_rd((int)a);
    o[4] = __uint2float_rn((unsigned)a); o[5] = __uint2float_rz((unsigned)a); o[6] = __uint2float_ru((unsigned)a);
    o[7] = __uint2float_rd((unsigned)a);
    o[8] = __ll2float_rn(a); o[9] = __ll2float_rz(a); o[10] = __ll2float_ru(a); o[11] = __ll2float_rd(a);
    o[12] = __ull2float_rn(a); o[13] = (float)(unsigned long long)a; o[14] = (float)a; o[15] = (int)a;
}

__global__ void integers_to_double(const long long* x, double* out) {
    long long a = x[I];
    double* o = out + 8 * I;
    o[0] = __ll2double_rn(a); o[1] = __ll2double_rz(a); o[2] = __ll2double_ru(a); o[3] = __ll2double_rd(a);
    o[4] = __ull2double_rn(a); o[5] = __int2double_rn((int)a); o[6] = __uint2double_rn((unsigned)a); o[7] = a;
}

__global__ void double_to_float(const double* x, float* out) {
    double a = x[I];
    out[5 * I] = a;
    out[5 * I + 1] = __double2float_rn(a);
    out[5 * I + 2] = __double2float_rz(a);
    out[5 * I + 3] = __double2float_ru(a);
    out[5 * I + 4] = __double2float_rd(a);
}

__global__ void directed_f(const float* x, float* out) {
    float a = x[2 * I], b = x[2 * I + 1];
    float* o = out + 12 * I;
    o[0] = __fadd_rn(a, b); o[1] = __fadd_rz(a, b); o[2] = __fadd_ru(a, b); o[3] = __fadd_rd(a, b);
    o[4] = __fmul_rn(a, b); o[5] = __fmul_rz(a, b); o[6] = __fmul_ru(a, b); o[7] = __fmul_rd(a, b);
    o[8] = __fsub_rn(a, b); o[9] = __fdiv_rn(a, b); o[10] = __fmaf_rn(a, b, -a); o[11] = fmaf(a, b, 1e-20f);
}

__global__ void directed_d(const double* x, double* out) {
    double a = x[2 * I], b = x[2 * I + 1];
    double* o = out + 8 * I;
    o[0] = __dadd_rn(a, b); o[1] = __dadd_rz(a, b); o[2] = __dadd_ru(a, b); o[3] = __dadd_rd(a, b);
    o[4] = __dmul_rn(a, b); o[5] = __ddiv_rn(a, b); o[6] = __fma_rn(a, b, -a); o[7] = fma(a, b, 1e-200);
}

__global__ void roots(const float* x, float* out) {
    float a = x[I];
    out[4 * I] = sqrtf(a);
    out[4 * I + 1] = __fsqrt_rn(a);
    out[4 * I + 2] = __frcp_rn(a);
    out[4 * I + 3] = (float)sqrt((double)a);
}

__global__ void pieces(const float* x, float* out) {
    float a = x[I], whole;
    int exponent;
    float* o = out + 9 * I;
    o[0] = frexpf(a, &exponent);
    o[1] = isfinite(a) ? exponent : 0;
    o[2] = modff(a, &whole);
    o[3] = whole;
    o[4] = ldexpf(a, 3);
    o[5] = ldexpf(a, -140);
    o[6] = scalbnf(a, -2);
    o[7] = nextafterf(a, 10.0f);
    o[8] = logbf(a);
}

__global__ void remainders(const float* x, float* out) {
    float a = x[2 * I], b = x[2 * I + 1];
    out[2 * I] = fmodf(a, b);
    out[2 * I + 1] = remainderf(a, b);
}

__global__ void usual_conversions(const int* x, double* out) {
    int i = x[5], seven = x[7];
    float tenth = x[1] / 10.0f, big = x[1] * 16777216.0f;
    *out++ = (double)(i / 2 * 2.0f); *out++ = i / 2.0; *out++ = 1 / 3; *out++ = 1 / 3.; *out++ = seven / 2 + seven / 2.f;
    *out++ = (double)(tenth == 0.1); *out++ = (double)(tenth == 0.1f); *out++ = tenth * 3; *out++ = tenth * 3.0; *out++ = big + 1;
    *out++ = big + 1.0; *out++ = big + i; *out++ = i * big; *out++ = (int)(seven / 1.76f); *out++ = (int)(-seven / 1.76);
    *out++ = 'a' + 0.5f; *out++ = true * 2.5; *out++ = (char)(i * 60.7f); *out++ = (unsigned)(seven * 0.99f);
    *out++ = (double)(float)0.1; *out++ = 1e10f; *out++ = 1e-3; *out++ = .5f; *out++ = 5.f; *out++ = 0x1.8p3; *out++ = 1e38f * 10;
    *out++ = -tenth; *out++ = +tenth; *out++ = tenth += 1; *out++ = (i > 2) * 0.25; *out++ = seven > 3.5f ? i : 0.25;
    *out++ = (float)i / seven; *out++ = (double)i / seven; *out++ = i / (float)seven; *out++ = (long long)(big * big);
    *out++ = abs(-i); *out++ = abs(-tenth); *out++ = fabs(-2.5f); *out++ = max(i, seven); *out++ = max(-1, 1u);
    *out++ = max(tenth, 2.0f); *out++ = min(2.0, 3.0f); *out++ = fmax((double)i, 2.5); *out++ = sqrt(16.0f); *out++ = sqrt(i + 4.);
    *out++ = min(-1LL, 1LL);
}
