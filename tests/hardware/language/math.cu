// What do the functions of the CUDA math library give, in single and in double precision?
#define ONE(name) \
    __global__ void name##_f(const float* x, float* out) { out[threadIdx.x] = name##f(x[threadIdx.x]); } \
    __global__ void name##_d(const double* x, double* out) { out[threadIdx.x] = name(x[threadIdx.x]); }
#define TWO(name) \
    __global__ void name##_f(const float* x, float* out) { out[threadIdx.x] = name##f(x[2 * threadIdx.x], x[2 * threadIdx.x + 1]); } \
    __global__ void name##_d(const double* x, double* out) { out[threadIdx.x] = name(x[2 * threadIdx.x], x[2 * threadIdx.x + 1]); }

ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p)
ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(rcbrt) ONE(erf) ONE(erfc) ONE(erfcx) ONE(erfinv) ONE(erfcinv) ONE(normcdf) ONE(normcdfinv)
ONE(tgamma) ONE(lgamma) ONE(sinpi) ONE(cospi) ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(cyl_bessel_i0) ONE(cyl_bessel_i1)
TWO(pow) TWO(atan2) TWO(hypot) TWO(rhypot) TWO(fmod) TWO(remainder) TWO(fdim) TWO(nextafter)

__global__ void overloads_f(const float* x, float* out) {
    float a = x[threadIdx.x];
    float* o = out + 6 * threadIdx.x;
    o[0] = sin(a); o[1] = exp(a); o[2] = sqrt(a); o[3] = pow(a, 3); o[4] = pow(a, 0.5f); o[5] = log(a);
}

__global__ void in_parts(const double* x, double* out) {
    double a = x[threadIdx.x], sine, cosine, whole;
    int exponent, quotient;
    double* o = out + 8 * threadIdx.x;
    sincos(a, &sine, &cosine);
    o[0] = sine; o[1] = cosine; o[2] = modf(a, &whole); o[3] = whole; o[4] = frexp(a, &exponent); o[5] = isfinite(a) ? exponent : 0;
    o[6] = remquo(a, 0.75, &quotient); o[7] = isfinite(a) ? quotient & 7 : 0;
}

__global__ void lengths(const float* x, float* out) {
    float a = x[2 * threadIdx.x], b = x[2 * threadIdx.x + 1];
    float* o = out + 4 * threadIdx.x;
    o[0] = norm3df(a, b, 2.0f); o[1] = rnorm3df(a, b, 2.0f); o[2] = norm4df(a, b, 1.0f, 1.0f); o[3] = fmaf(a, 2.0f, b);
}
