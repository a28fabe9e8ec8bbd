// What do structs, references, lambdas and casts do: copies, returns, constructors, members, ranges?
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define CLAMP(v, low, high) do { if ((v) < (low)) (v) = (low); else if ((v) > (high)) (v) = (high); } while (0)

struct Complex {
    float re, im;
    __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    __device__ Complex& operator+=(Complex o) { re += o.re; im += o.im; return *this; }
    __device__ float norm() const { return re * re + im * im; }
};

struct Box {
    int low[2] = {0, 1}, high[2];
    Complex corner;
    union { int tag; float weight; };
    __device__ Box(int h = 9) : high{h, h + 1}, corner{0.5f, 2} { tag = 3; }
    __device__ int width(int k) const { return high[k] - low[k]; }
    static __device__ int twice(int a) { return 2 * a; }
};

template <class T> struct Pair {
    T first, second;
    __device__ Pair swapped() const { return Pair{second, first}; }
};

__device__ Complex made(float a) {
    Complex c;
    c.re = a;
    c.im = -a;
    return c;
}

__device__ float by_value(Complex c) { c.re += 100; return c.re; }
__device__ void by_reference(Complex& c) { c.re += 100; }
__device__ int total(const int (&a)[3]) { return a[0] + a[1] + a[2]; }
__device__ int corner_of(int a[][4], int n) { return a[n - 1][3]; }

__global__ void copies_of_structs(const int* x, float* out) {
    Complex a = made(x[2]), b = a, c{3, 4}, d[2] = {{1, 2}, {5, 6}};
    b.re = 7;
    by_reference(c);
    out[0] = a.re; out[1] = b.re * 10 + b.im; out[2] = by_value(a); out[3] = c.re; out[4] = (a * b).im; out[5] = (a += d[1]).norm();
    d[0] = x[1] ? c : a;
    out[6] = d[0].re; out[7] = made(5).im; out[8] = Complex{2, 3}.norm();
    Complex* p = d + 1;
    *p = d[0];
    p->im *= 2;
    out[9] = d[1].re + d[1].im;
    Pair<int> pair = Pair<int>{1, 2}.swapped();
    out[10] = pair.first * 10 + pair.second;
}

__global__ void constructed(const int* x, int* out) {
    Box a, b(20), c = Box(5), d[2];
    Box e = b;
    e.low[0] = 5;
    out[0] = a.width(0); out[1] = b.width(1); out[2] = c.width(0) * 10 + c.tag; out[3] = e.width(0) * 100 + b.width(0); out[4] = d[1].high[1];
    out[5] = Box::twice(4) + a.twice(1); out[6] = a.corner.im; b.weight = 1; out[7] = b.tag; out[8] = sizeof(Box);
}

__global__ void structs_in_shared_memory(const int* x, float* out) {
    __shared__ Complex s[32];
    int t = threadIdx.x;
    s[t] = {(float)x[t], 1};
    __syncthreads();
    Complex c = s[31 - t];
    c += s[t] * s[(t + 1) % 32];
    out[2 * t] = c.re;
    out[2 * t + 1] = c.im;
}

__global__ void references(const int* x, int* out) {
    int a[3] = {1, 2, 3}, m[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    int& last = a[2];
    last += 10;
    int &r = m[1][0], *p = &r;
    r = 50;
    p[1] += 100;
    const int& c = x[5];
    auto& row = m[0];
    row[3] = 40;
    out[0] = total(a); out[1] = corner_of(m, 2); out[2] = m[1][0] + m[1][1]; out[3] = c; out[4] = corner_of(m, 1);
}

__global__ void lambdas(const int* x, int* out) {
    int base = 100, n = 0;
    auto add = [=](int a) { return base + a; };
    auto count = [&](int by) { n += by; };
    base = 5;
    count(add(1));
    count(2);
    out[0] = n; out[1] = add(x[3]);
    out[2] = [](int a, int b) { return a * b; }(6, 7);
}

__global__ void ranges(const int* x, int* out) {
    int a[4] = {3, 1, 4, 1}, s = 0;
    for (int v : a) s = s * 10 + v;
    for (auto& v : a) v *= 2;
    out[0] = s; out[1] = a[2];
}

template <class T, int N> __device__ T chosen(T a) {
    static_assert(N > 0, "at least one");
    if constexpr (N == 1) return a;
    else return a + chosen<T, N - 1>(a);
}

__global__ void casts(const int* x, double* out) {
    double d = 3.99;
    const int* p = x + 2;
    constexpr int table[] = {1, 10, 100};
    unsigned u = static_cast<unsigned>(-1);
    decltype(d) e = 0.5;
    out[0] = static_cast<int>(d); out[1] = u; out[2] = *const_cast<int*>(p); out[3] = *reinterpret_cast<const short*>(p); out[4] = int(d) + float(1) / 2;
    out[5] = (unsigned char)-1; out[6] = chosen<int, 4>(x[3]); out[7] = table[x[2]]; out[8] = e; out[9] = (char)(x[1] + 300); out[10] = unsigned(2) - 3 > 0;
    out[11] = (float)16777217; out[12] = (long long)1e18; out[13] = !d; out[14] = -(unsigned char)1; out[15] = (bool)0.1 + true;
}

__global__ void macros(const int* x, int* out) {
    int v = x[I] - 10;
    if (v % 2) CLAMP(v, -3, 12);
    else v = 77;
    out[I] = v;
}
