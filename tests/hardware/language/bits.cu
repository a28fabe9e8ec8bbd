// What do the intrinsics on bits and bytes give?
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void counting(const unsigned long long* x, int* out) {
    unsigned long long a = x[I];
    unsigned low = (unsigned)a;
    int* o = out + 8 * I;
    o[0] = __popc(low); o[1] = __popcll(a); o[2] = __clz((int)low); o[3] = __clzll((long long)a); o[4] = __ffs((int)low);
    o[5] = __ffsll((long long)a); o[6] = (int)__brev(low); o[7] = (int)(__brevll(a) >> 20);
}

__global__ void products(const unsigned* x, long long* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    unsigned long long wide = (unsigned long long)a << 32 | b;
    long long* o = out + 10 * I;
    o[0] = __mulhi((int)a, (int)b); o[1] = __umulhi(a, b); o[2] = __mul64hi((long long)wide, (long long)a * -3); o[3] = (long long)__umul64hi(wide, ~wide);
    o[4] = __mul24((int)a, (int)b); o[5] = __umul24(a, b); o[6] = __hadd((int)a, (int)b); o[7] = __rhadd((int)a, (int)b);
    o[8] = __uhadd(a, b); o[9] = __urhadd(a, b);
}

__global__ void differences(const unsigned* x, unsigned* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    out[4 * I] = __sad((int)a, (int)b, 5u);
    out[4 * I + 1] = __usad(a, b, 7u);
    out[4 * I + 2] = min((int)a, (int)b);
    out[4 * I + 3] = umax(a, b);
}

__global__ void permutations(const unsigned* x, unsigned* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    unsigned* o = out + 9 * I;
    o[0] = __byte_perm(a, b, 0x0123); o[1] = __byte_perm(a, b, 0x7531); o[2] = __byte_perm(a, b, 0xfa60); o[3] = __byte_perm(a, b, a);
    o[4] = __funnelshift_l(a, b, 5); o[5] = __funnelshift_l(a, b, 37); o[6] = __funnelshift_lc(a, b, 40); o[7] = __funnelshift_r(a, b, 36);
    o[8] = __funnelshift_rc(a, b, b);
}

__global__ void dot_products(const unsigned* x, unsigned* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    unsigned* o = out + 6 * I;
    o[0] = __dp4a((int)a, (int)b, 100); o[1] = __dp4a(a, b, 100u); o[2] = __dp2a_lo((int)a, (int)b, -1); o[3] = __dp2a_hi((int)a, (int)b, -1);
    o[4] = __dp2a_lo(a, b, 1u); o[5] = __dp2a_hi(a, b, 1u);
}

__global__ void two_halves(const unsigned* x, unsigned* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    unsigned* o = out + 14 * I;
    o[0] = __vadd2(a, b); o[1] = __vsub2(a, b); o[2] = __vaddss2(a, b); o[3] = __vaddus2(a, b); o[4] = __vsubss2(a, b); o[5] = __vsubus2(a, b);
    o[6] = __vabsdiffs2(a, b); o[7] = __vabsdiffu2(a, b); o[8] = __vmaxs2(a, b); o[9] = __vmaxu2(a, b); o[10] = __vmins2(a, b); o[11] = __vminu2(a, b);
    o[12] = __vabs2(a); o[13] = __vneg2(a);
}

__global__ void four_bytes(const unsigned* x, unsigned* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    unsigned* o = out + 20 * I;
    o[0] = __vadd4(a, b); o[1] = __vsub4(a, b); o[2] = __vaddss4(a, b); o[3] = __vaddus4(a, b); o[4] = __vsubss4(a, b); o[5] = __vsubus4(a, b);
    o[6] = __vabsdiffs4(a, b); o[7] = __vabsdiffu4(a, b); o[8] = __vmaxs4(a, b); o[9] = __vmaxu4(a, b); o[10] = __vmins4(a, b); o[11] = __vminu4(a, b);
    o[12] = __vcmpeq4(a, b); o[13] = __vcmpgts4(a, b); o[14] = __vcmpltu4(a, b); o[15] = __vseteq4(a, b); o[16] = __vsadu4(a, b); o[17] = __vsads4(a, b);
    o[18] = __vavgu4(a, b); o[19] = __vabs4(a);
}

__global__ void reinterpreted(const unsigned* x, unsigned* out) {
    unsigned a = x[2 * I], b = x[2 * I + 1];
    double d = __hiloint2double(a & 0x3fffffff, b);
    long long l = __double_as_longlong(d);
    float f = __int_as_float(a & 0x3fffffff), g = __uint_as_float(b & 0x3fffffff);
    out[6 * I] = __float_as_uint(f);
    out[6 * I + 1] = (unsigned)(l >> 32);
    out[6 * I + 2] = __double2loint(__longlong_as_double(l));
    out[6 * I + 3] = *(unsigned*)&g;
    out[6 * I + 4] = reinterpret_cast<unsigned&>(f);
    union { float f; unsigned u; } both;
    both.f = -f;
    out[6 * I + 5] = both.u;
}
