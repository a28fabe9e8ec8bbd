// The warp intrinsics and operations on bits whose results intrinsics.json holds, as its fields describe them.
#define LANES_OF(mask) unsigned i = threadIdx.x; if (!((mask) >> i & 1)) return;
#define SHUFFLE(name) \
    __global__ void name(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) { \
        LANES_OF(mask) \
        out[i] = __##name##_sync(mask, x[i], argument[i], width); \
    }
#define VOTE(name) \
    __global__ void name(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) { \
        LANES_OF(mask) \
        out[i] = __##name##_sync(mask, x[i] & 1); \
    }
#define REDUCTION(name, operation, type) \
    __global__ void reduce_##name(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) { \
        LANES_OF(mask) \
        out[i] = __reduce_##operation##_sync(mask, (type)x[i]); \
    }

SHUFFLE(shfl) SHUFFLE(shfl_up) SHUFFLE(shfl_down) SHUFFLE(shfl_xor)
VOTE(ballot) VOTE(all) VOTE(any)
REDUCTION(add_u, add, unsigned) REDUCTION(add_s, add, int) REDUCTION(min_u, min, unsigned) REDUCTION(min_s, min, int)
REDUCTION(max_u, max, unsigned) REDUCTION(max_s, max, int)
REDUCTION(and, and, unsigned) REDUCTION(or, or, unsigned) REDUCTION(xor, xor, unsigned)

__global__ void activemask(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) {
    LANES_OF(mask)
    out[i] = __activemask();
}

__global__ void match_any(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) {
    LANES_OF(mask)
    out[i] = __match_any_sync(mask, x[i]);
}

__global__ void match_all(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) {
    LANES_OF(mask)
    int same;
    out[i] = __match_all_sync(mask, x[i], &same);
}

__global__ void match_all_pred(unsigned mask, int width, const unsigned* x, const int* argument, unsigned* out) {
    LANES_OF(mask)
    int same;
    __match_all_sync(mask, x[i], &same);
    out[i] = same;
}

// operations on bits: a, b and c as they are recorded; ...ll take b and a as one number of 64 bits
#define BITS(name, result) \
    __global__ void name(const unsigned* as, const unsigned* bs, const unsigned* cs, unsigned* out) { \
        unsigned i = threadIdx.x, a = as[i], b = bs[i], c = cs[i]; \
        unsigned long long ab = (unsigned long long)b << 32 | a; \
        out[i] = (unsigned)(result); \
    }

BITS(popc, __popc(a))
BITS(ffs, __ffs((int)a))
BITS(popcll, __popcll(ab))
BITS(ffsll, __ffsll((long long)ab))
BITS(brevll_hi, __brevll(ab) >> 32)
BITS(byte_perm, __byte_perm(a, b, c))
BITS(funnelshift_lc, __funnelshift_lc(a, b, c))
BITS(funnelshift_rc, __funnelshift_rc(a, b, c))
BITS(vabsdiffs4, __vabsdiffs4(a, b))
BITS(dp4a, __dp4a((int)a, (int)b, (int)c))
BITS(hadd, __hadd((int)a, (int)b))
BITS(sad, __sad((int)a, (int)b, c))
BITS(umul24, __umul24(a, b))
