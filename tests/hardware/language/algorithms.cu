// Whole kernels of whole numbers, as textbooks and samples write them: hashes, sums, sorts, searches, automata.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define FULL 0xffffffffu
#define BLOCK 128

typedef unsigned int uint32;
typedef unsigned long long uint64;

__device__ __forceinline__ uint32 rotate_left(uint32 x, int by) { return (x << by) | (x >> (32 - by)); }

__device__ uint32 murmur(const uint32* words, int n, uint32 seed) {
    uint32 h = seed;
    for (int i = 0; i < n; ++i) {
        uint32 k = words[i] * 0xcc9e2d51u;
        k = rotate_left(k, 15) * 0x1b873593u;
        h = rotate_left(h ^ k, 13) * 5 + 0xe6546b64u;
    }
    h ^= n * 4;
    h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    return h;
}

struct Xorshift {
    uint64 state;
    __device__ explicit Xorshift(uint64 seed) : state(seed * 2685821657736338717ull + 1) {}
    __device__ uint64 operator()() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 2685821657736338717ull;
    }
    __device__ int below(int n) { return (int)((*this)() % n); }
};

__global__ void hashes(const int* x, uint32* out) {
    uint32 words[5];
    for (int i = 0; i < 5; i++) words[i] = x[(I + i) % 256];
    out[I] = murmur(words, 5, I);
}

__global__ void random_numbers(const int* x, int* out) {
    Xorshift next(x[I]);
    int sum = 0;
    for (int i = 0; i < 20; i++) sum += next.below(1000 + i);
    out[I] = sum;
}

__global__ void philox(const int* x, uint4* out) {
    uint4 c = make_uint4(I, 0, x[I], 7);
    uint2 key = make_uint2(0xdeadbeef, x[0]);
    #pragma unroll
    for (int round = 0; round < 10; ++round) {
        const uint32 high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        const uint32 high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = {high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0};
        key.x += 0x9E3779B9u; key.y += 0xBB67AE85u;
    }
    out[I] = c;
}

__global__ void crc32(const int* x, uint32* out) {
    __shared__ uint32 table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        uint32 c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    __syncthreads();
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(x + I);
    uint32 crc = ~0u;
    for (size_t i = 0; i < sizeof(int) * (1 + I % 3); i++) crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
    out[I] = ~crc;
}

__global__ void collatz(const int* x, int* out) {
    long long n = x[I] < 0 ? -x[I] : x[I] + 1ll;
    int steps = 0;
    while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
    out[I] = steps;
}

__device__ int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
__device__ uint64 power_mod(uint64 base, uint32 exponent, uint64 modulus) {
    uint64 result = 1;
    for (; exponent; exponent >>= 1, base = base * base % modulus) if (exponent & 1) result = result * base % modulus;
    return result;
}

__global__ void number_theory(const int* x, int* out) {
    int a = x[I], b = x[(I + 1) % 256];
    bool prime = abs(a) > 1;
    for (int d = 2; d * d <= abs(a); ++d) if (abs(a) % d == 0) { prime = false; break; }
    out[3 * I] = gcd(a, b);
    out[3 * I + 1] = (int)power_mod(abs(a) + 2, abs(b), 1000003);
    out[3 * I + 2] = prime;
}

template <class T, int SIZE> __device__ T block_scan(T value, T* space) {
    space[threadIdx.x] = value;
    __syncthreads();
    for (int offset = 1; offset < SIZE; offset <<= 1) {
        T other = threadIdx.x >= offset ? space[threadIdx.x - offset] : T(0);
        __syncthreads();
        space[threadIdx.x] += other;
        __syncthreads();
    }
    return space[threadIdx.x];
}

__global__ void scans(const int* x, int* out) {
    __shared__ int space[BLOCK];
    __shared__ uint64 wide[BLOCK];
    out[2 * I] = block_scan<int, BLOCK>(x[I], space);
    out[2 * I + 1] = (int)(block_scan<uint64, BLOCK>((uint64)x[I] << 30, wide) >> 28);
}

__global__ void warp_scans(const int* x, int* out) {
    const int lane = threadIdx.x % warpSize;
    int v = x[I];
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += below;
    }
    unsigned positive = __ballot_sync(FULL, x[I] > 0);
    int place = __popc(positive & ((1u << lane) - 1));
    __shared__ int packed[BLOCK], totals[BLOCK / 32];
    if (lane == 31) totals[threadIdx.x / 32] = v;
    __syncthreads();
    for (int w = 0; w < threadIdx.x / 32; w++) v += totals[w];
    packed[threadIdx.x] = -1;
    __syncwarp();
    if (x[I] > 0) packed[threadIdx.x - lane + place] = x[I];
    __syncwarp();
    out[2 * I] = v;
    out[2 * I + 1] = packed[threadIdx.x];
}

__global__ void bitonic_sort(const int* x, int* out) {
    extern __shared__ int s[];
    const unsigned t = threadIdx.x;
    s[t] = x[I];
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k <<= 1)
        for (unsigned j = k >> 1; j; j >>= 1) {
            const unsigned other = t ^ j;
            if (other > t) {
                const bool up = (t & k) == 0;
                if ((s[t] > s[other]) == up) {
                    int swapped = s[t];
                    s[t] = s[other];
                    s[other] = swapped;
                }
            }
            __syncthreads();
        }
    out[I] = s[t];
}

__global__ void radix_ranks(const int* x, int* out) {
    __shared__ int counts[4], starts[4];
    const int lane = threadIdx.x, digit = (x[lane] >> 1) & 3;
    const unsigned same = __match_any_sync(FULL, digit);
    const int rank = __popc(same & ((1u << lane) - 1));
    if (lane < 4) counts[lane] = 0;
    __syncwarp();
    if (rank == 0) counts[digit] = __popc(same);
    __syncwarp();
    if (lane == 0) { int sum = 0; for (int d = 0; d < 4; ++d) { starts[d] = sum; sum += counts[d]; } }
    __syncwarp();
    out[starts[digit] + rank] = x[lane];
}

__global__ void searches(const int* x, int* out) {
    __shared__ int sorted[64];
    if (threadIdx.x < 64) sorted[threadIdx.x] = threadIdx.x * threadIdx.x - 300;
    __syncthreads();
    int low = 0, high = 64;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < x[I]) low = middle + 1;
        else high = middle;
    }
    out[I] = low;
}

__global__ void transpose(const int* x, int* out) {
    __shared__ int tile[16][17];
    for (int row = threadIdx.y; row < 16; row += blockDim.y) tile[row][threadIdx.x] = x[row * 16 + threadIdx.x];
    __syncthreads();
    for (int row = threadIdx.y; row < 16; row += blockDim.y) out[row * 16 + threadIdx.x] = tile[threadIdx.x][row];
}

__global__ void matrix_product(const int* x, int* out) {
    __shared__ short a[16][16], b[16][16];
    const int row = threadIdx.y, column = threadIdx.x;
    for (int r = row; r < 16; r += blockDim.y) {
        a[r][column] = x[r * 16 + column];
        b[r][column] = x[column * 16 + r] >> 1;
    }
    __syncthreads();
    for (int r = row; r < 16; r += blockDim.y) {
        int sum = 0;
        #pragma unroll 4
        for (int k = 0; k < 16; ++k) sum += a[r][k] * b[k][column];
        out[r * 16 + column] = sum;
    }
}

__global__ void life(const int* x, int* out) {
    __shared__ unsigned char cells[2][16][16];
    const int i = threadIdx.x / 16, j = threadIdx.x % 16;
    cells[0][i][j] = x[threadIdx.x] > 200;
    int now = 0;
    for (int generation = 0; generation < 6; ++generation, now ^= 1) {
        __syncthreads();
        int alive = 0;
        for (int di = -1; di <= 1; ++di)
            for (int dj = -1; dj <= 1; ++dj)
                if (di || dj) alive += cells[now][(i + di) & 15][(j + dj) & 15];
        cells[now ^ 1][i][j] = alive == 3 || (alive == 2 && cells[now][i][j]);
    }
    out[threadIdx.x] = cells[now][i][j] + 10 * __syncthreads_count(cells[now][i][j]);
}

__device__ int tickets, serving;

__global__ void ticket_lock(const int* x, int* out) {
    if (threadIdx.x % 32 == 0) {
        const int mine = atomicAdd(&tickets, 1);
        while (atomicAdd(&serving, 0) != mine) { }
        __threadfence();
        volatile int* shared_sum = out;
        *shared_sum = *shared_sum * 3 + 1;
        out[1] = max(out[1], mine);
        __threadfence();
        atomicAdd(&serving, 1);
    }
}

__global__ void union_find(const int* x, int* out) {
    __shared__ int parent[64];
    const int t = threadIdx.x;
    if (t < 64) parent[t] = t;
    __syncthreads();
    int a = (x[t] & 63), b = (x[t] * 7 >> 4) & 63;
    bool done = t % 3 != 0;
    while (!done) {
        while (parent[a] != a) a = parent[a];
        while (parent[b] != b) b = parent[b];
        const int low = min(a, b), high = max(a, b);
        done = low == high || atomicCAS(&parent[high], high, low) == high;
    }
    __syncthreads();
    if (t < 64) { int root = t; while (parent[root] != root) root = parent[root]; out[t] = root; }
}

__constant__ char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64(const int* x, unsigned char* out) {
    const int t = threadIdx.x;
    const unsigned char* in = (const unsigned char*)x + 3 * t;
    const uint32 group = in[0] << 16 | in[1] << 8 | in[2];
    uchar4 text;
    text.x = alphabet[group >> 18];
    text.y = alphabet[group >> 12 & 63];
    text.z = alphabet[group >> 6 & 63];
    text.w = alphabet[group & 63];
    ((uchar4*)out)[t] = text;
}

namespace fixed {
template <int BITS> struct Number {
    int raw;
    __device__ static Number of(int a, int b = 1) { return {(int)(((long long)a << BITS) / b)}; }
    __device__ Number operator+(Number o) const { return {raw + o.raw}; }
    __device__ Number operator-(Number o) const { return {raw - o.raw}; }
    __device__ Number operator*(Number o) const { return {(int)((long long)raw * o.raw >> BITS)}; }
    __device__ bool operator>(Number o) const { return raw > o.raw; }
};
}

__global__ void mandelbrot(const int* x, int* out) {
    using Real = fixed::Number<20>;
    const Real a = Real::of((int)(I % 16) * 3 - 32, 16), b = Real::of((int)(I / 16) * 2 - 16, 16), four = Real::of(4), two = Real::of(2);
    Real re = {0}, im = {0};
    int n = 0;
    for (; n < 60; ++n) {
        const Real re2 = re * re, im2 = im * im;
        if (re2 + im2 > four) break;
        im = two * re * im + b;
        re = re2 - im2 + a;
    }
    out[I] = n;
}

enum class Token { NUMBER, PLUS, TIMES, END };

__global__ void stack_machine(const int* x, int* out) {
    Token program[] = {Token::NUMBER, Token::NUMBER, Token::PLUS, Token::NUMBER, Token::TIMES, Token::NUMBER, Token::PLUS, Token::END};
    int stack[4], top = 0, next = I;
    for (int i = 0;; i++) {
        switch (program[i]) {
            case Token::NUMBER: stack[top++] = x[next++ % 256]; continue;
            case Token::PLUS: --top; stack[top - 1] += stack[top]; break;
            case Token::TIMES: --top; stack[top - 1] *= stack[top]; break;
            case Token::END: out[I] = stack[0]; return;
        }
    }
}

__global__ void dense_words(const int* x, int* out) {
    const char digits[] = "0123456789";
    char text[24];
    int n = 0, value = x[I];
    const bool negative = value < 0;
    uint32 rest = negative ? -(uint32)value : value;
    do text[n++] = digits[rest % 10]; while (rest /= 10);
    if (negative) text[n++] = '-';
    int sum = 0;
    while (n--) sum = sum * 31 + text[n];
    out[I] = sum;
}
