// Integer intrinsics: bits, bytes, high halves, packed sums.

__global__ void bit_intrinsics(const unsigned* x, const unsigned long long* wide, int* out)
{
    int i = threadIdx.x;
    out[i * 6] = __popc(x[i]);
    out[i * 6 + 1] = __clz(x[i]);
    out[i * 6 + 2] = __ffs(x[i]);
    out[i * 6 + 3] = __popcll(wide[i]);
    out[i * 6 + 4] = __clzll(wide[i]);
    out[i * 6 + 5] = __ffsll(wide[i]);
}

__global__ void reversed_bits(const unsigned* x, unsigned* out, unsigned long long* wide)
{
    int i = threadIdx.x;
    out[i] = __brev(x[i]);
    wide[i] = __brevll((unsigned long long)x[i] << 8);
}

__global__ void byte_permutations(const unsigned* x, const unsigned* y, unsigned* swapped, unsigned* funnel)
{
    int i = threadIdx.x;
    swapped[i] = __byte_perm(x[i], y[i], 0x0716);
    funnel[i] = __funnelshift_l(x[i], y[i], i) ^ __funnelshift_r(x[i], y[i], 5);
}

__global__ void high_halves(const int* a, const int* b, int* high, unsigned* unsigned_high, long long* wide)
{
    int i = threadIdx.x;
    high[i] = __mulhi(a[i], b[i]);
    unsigned_high[i] = __umulhi(a[i], b[i]);
    wide[i] = __mul64hi((long long)a[i] << 32, b[i]);
}

__global__ void averages(const int* a, const int* b, int* out, unsigned* distances)
{
    int i = threadIdx.x;
    out[i] = __hadd(a[i], b[i]) * 1000 + __rhadd(a[i], b[i]) + __mul24(a[i], 3);
    distances[i] = __sad(a[i], b[i], 7u) + __usad(3u, 10u, 0u);
}

// Four products of bytes and their sum in one instruction.
__global__ void packed_dot_products(const int* a, const int* b, int* out)
{
    out[threadIdx.x] = __dp4a(a[threadIdx.x], b[threadIdx.x], 100);
}

__global__ void dot_char4(const char4* a, const char4* b, int* out)
{
    out[threadIdx.x] = __dp4a(a[threadIdx.x], b[threadIdx.x], 0);
}

__global__ void reinterpreted(const float* x, int* bits, float* next, double* doubles, float* from_unsigned)
{
    int i = threadIdx.x;
    bits[i] = __float_as_int(x[i]);
    next[i] = __int_as_float(bits[i] + 1);
    long long wide = __double_as_longlong((double)x[i]);
    doubles[i] = __longlong_as_double(wide ^ 1ll << 63);
    from_unsigned[i] = __uint_as_float(__float_as_uint(x[i]) & 0x7fffffffu);
    doubles[i] += __hiloint2double(__double2hiint(1.5), __double2loint(1.5));
}

__global__ void rounding_conversions(const float* x, int* out, float* back)
{
    int i = threadIdx.x;
    out[i * 4] = __float2int_rn(x[i]);
    out[i * 4 + 1] = __float2int_rz(x[i]);
    out[i * 4 + 2] = __float2int_ru(x[i]);
    out[i * 4 + 3] = __float2int_rd(x[i]);
    back[i] = __int2float_rn(out[i * 4]) + __double2float_rn(0.25) + __uint2float_rn(3u);
}
