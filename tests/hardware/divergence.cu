// What the recorded sources of divergence.json stand in: LOG, LG, heavy, body and KSWITCH as their probe had them.
#define FULL 0xffffffffu
#define PRE LOG(0);
#define POST data[lane] = c.x;
#define LOG(...) LG<T>(c, __VA_ARGS__)
#define SCENARIO(name) \
    template <bool T> __global__ void name(int* rows, float* data, int n8)
#define OPEN \
    __shared__ int lock, flag; \
    const float* in = data; \
    int lane = threadIdx.x; \
    if (lane == 0) lock = flag = 0; \
    __syncthreads(); \
    Ctx c = {rows, in[lane]}; \
    PRE
#define COUNTED(name) \
    __global__ void name(float* out, int k, int n)
#define BEGIN \
    int lane = threadIdx.x % 32, wid = threadIdx.x / 32; \
    float x = out[threadIdx.x];
#define END out[threadIdx.x] = x;

struct Ctx {
    int* rows;
    float x;
};

// lanes that pass a point together take tickets in a row; row 0 holds the next ticket
template <bool T> __device__ __forceinline__ void LG(Ctx& c, int point, int value = 0) {
    unsigned mask = __activemask();
    int ticket = atomicAdd(c.rows, 1);
    int* row = c.rows + 4 * ticket;
    row[0] = point;
    row[1] = (int)mask;
    row[2] = threadIdx.x;
    row[3] = value;
}

template <int C> __device__ __forceinline__ void heavy(Ctx& c, int n = 8) {
    #pragma unroll 1
    for (int i = 0; i < n; i++) c.x = c.x * 0.5f + C;
}

template <int C> __device__ __forceinline__ float body(float x, int n) {
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        x = x * 0.5f + C;
        x = x * 0.5f + C;
        x = x * 0.5f + C;
        x = x * 0.5f + C;
    }
    return x;
}

#define WAY(i) case i: x = body<i>(x, n); break;
#define FOUR_WAYS(i) WAY(i) WAY(i + 1) WAY(i + 2) WAY(i + 3)
#define KSWITCH(e) \
    switch (e) { \
        FOUR_WAYS(0) FOUR_WAYS(4) FOUR_WAYS(8) FOUR_WAYS(12) FOUR_WAYS(16) FOUR_WAYS(20) FOUR_WAYS(24) FOUR_WAYS(28) \
    }
