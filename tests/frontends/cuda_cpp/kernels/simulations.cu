// Simulations: bodies, sets, random walks.

__device__ float3 interact(float4 bi, float4 bj, float3 ai)
{
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distance = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    float inverse = rsqrtf(distance * distance * distance);
    float s = bj.w * inverse;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

// Bodies are read a tile at a time; every thread of the block uses the whole tile.
__global__ void n_body(const float4* positions, float4* accelerations, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = positions[i];
    float3 acceleration = {0.0f, 0.0f, 0.0f};
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = positions[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < blockDim.x; k++)
            acceleration = interact(mine, tile[k], acceleration);
        __syncthreads();
    }
    accelerations[i] = make_float4(acceleration.x, acceleration.y, acceleration.z, 0.0f);
}

__global__ void mandelbrot(int* image, int width, int height, double x0, double y0, double step, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    double cx = x0 + px * step, cy = y0 + py * step, zx = 0, zy = 0;
    int iterations = 0;
    while (zx * zx + zy * zy <= 4.0 && iterations < limit) {
        double next = zx * zx - zy * zy + cx;
        zy = 2.0 * zx * zy + cy;
        zx = next;
        ++iterations;
    }
    image[py * width + px] = iterations;
}

__device__ unsigned int lcg(unsigned int* state)
{
    *state = 1664525u * *state + 1013904223u;
    return *state;
}

// Points in the quarter circle: an estimate of pi with a generator of our own.
__global__ void monte_carlo(unsigned int seed, int tries, int* hits)
{
    unsigned int state = seed + 977u * (blockIdx.x * blockDim.x + threadIdx.x);
    int inside = 0;
    for (int k = 0; k < tries; k++) {
        unsigned int x = lcg(&state) >> 16, y = lcg(&state) >> 16;
        if (x * x / 4 + y * y / 4 < 65536u * (65536u / 4))
            inside++;
    }
    atomicAdd(hits, inside);
}

// Walkers on a ring; the generator is xorshift with 64 bits.
__global__ void random_walk(unsigned long long* states, int* positions, int steps, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = positions[i];
    unsigned long long x = states[i];
    for (int s = 0; s < steps; ++s) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        at += x & 1 ? 1 : cells - 1;
        at %= cells;
    }
    states[i] = x;
    positions[i] = at;
}

// A wave on a string; the leap-frog scheme with three buffers that change roles.
__global__ void wave(float* before, float* now, float* after, int n, int steps, float c)
{
    int i = threadIdx.x;
    for (int s = 0; s < steps; s++) {
        if (i > 0 && i < n - 1)
            after[i] = 2 * now[i] - before[i] + c * (now[i + 1] - 2 * now[i] + now[i - 1]);
        __syncthreads();
        float* oldest = before;
        before = now;
        now = after;
        after = oldest;
    }
}

struct Option {
    float price, strike, years;
};

__device__ float normal(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__global__ void black_scholes(const Option* options, float2* values, float rate, float volatility, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    const Option& o = options[i];
    const float root = sqrtf(o.years);
    const float d1 = (logf(o.price / o.strike) + (rate + 0.5f * volatility * volatility) * o.years) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float discount = expf(-rate * o.years);
    values[i].x = o.price * normal(d1) - o.strike * discount * normal(d2);
    values[i].y = o.strike * discount * normal(-d2) - o.price * normal(-d1);
}
