// Fourteen sums of four arrays at once, under three launch bounds: 28 registers are in use through the whole loop.
#define BODY                                                                                                       \
    int g = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;                                  \
    double sa = 0, sb = 0, sc = 0, sd = 0, aa = 0, ab = 0, ac = 0, ad = 0, bb = 0, bc = 0, bd = 0, cc = 0, cd = 0, \
           dd = 0;                                                                                                 \
    for (int i = g; i < n; i += step) {                                                                            \
        double a = w[i], b = x[i], c = y[i], d = z[i];                                                             \
        sa += a; sb += b; sc += c; sd += d;                                                                        \
        aa += a * a; ab += a * b; ac += a * c; ad += a * d;                                                        \
        bb += b * b; bc += b * c; bd += b * d; cc += c * c; cd += c * d; dd += d * d;                              \
    }                                                                                                              \
    double all[14] = {sa, sb, sc, sd, aa, ab, ac, ad, bb, bc, bd, cc, cd, dd};                                     \
    for (int k = 0; k < 14; k++) out[k * step + g] = all[k];

#define ARGUMENTS                                                                                                  \
    (const double* __restrict__ w, const double* __restrict__ x, const double* __restrict__ y,                     \
     const double* __restrict__ z, double* out, int n)

extern "C" __global__ void unbounded ARGUMENTS { BODY }
extern "C" __global__ void __launch_bounds__(1024, 1) one_block ARGUMENTS { BODY }
extern "C" __global__ void __launch_bounds__(1024, 2) two_blocks ARGUMENTS { BODY }
extern "C" __global__ void __launch_bounds__(512, 1) half_block ARGUMENTS { BODY }
