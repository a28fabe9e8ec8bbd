// Which function is called, and with what: overloads, templates, defaults, references, members, pointers to functions?
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define SQUARE(x) ((x) * (x))
#define JOIN(a, b) a##b
#define TEXT(x) #x
#define SUM(...) sum3(__VA_ARGS__)
#if defined(SQUARE) && !defined(CUBE) && __CUDACC__
#define CHOSEN 3
#else
#define CHOSEN 4
#endif

__device__ int which(int) { return 1; }
__device__ int which(unsigned) { return 2; }
__device__ int which(long long) { return 3; }
__device__ int which(float) { return 4; }
__device__ int which(double) { return 5; }
__device__ int which(const int*) { return 6; }
__device__ int which(char) { return 7; }
__device__ int which(bool) { return 8; }

__device__ int wide(int) { return 1; }
__device__ int wide(double) { return 2; }

__global__ void overloads(const int* x, int* out) {
    short s = 1;
    unsigned char u = 2;
    out[0] = which(1); out[1] = which(1u); out[2] = which(1ll); out[3] = which(1.f); out[4] = which(1.); out[5] = which(x); out[6] = which('a');
    out[7] = which(true); out[8] = which(s); out[9] = which(u); out[10] = which(s + u); out[11] = which(x[0] == 1); out[12] = which(1.f * 2);
    out[13] = which(1.f * 2.0); out[14] = which(threadIdx.x); out[15] = wide(1.f); out[16] = wide('c'); out[17] = wide(s); out[18] = which(-u);
    out[19] = which(1 ? 1 : 2u);
}

__device__ int defaults(int a, int b = 10, int c = 100) { return a + b + c; }
__device__ int sum3(int a, int b, int c) { return a + 2 * b + 3 * c; }
__device__ void swap(int& a, int& b) { int t = a; a = b; b = t; }
__device__ int& larger(int& a, int& b) { return a > b ? a : b; }
__device__ void twice(int* p, int n) { for (int i = 0; i < n; i++) p[i] *= 2; }
__device__ int by_value(int a) { a += 100; return a; }
__device__ __forceinline__ float half_of(float a) { return a / 2; }
__device__ int first_above(const int* x, int limit) { for (int i = 0; i < 32; i++) if (x[i] > limit) return i; return -1; }
__host__ __device__ constexpr int power(int a, int n) { return n == 0 ? 1 : a * power(a, n - 1); }
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void calls(const int* x, int* out) {
    int a = 3, b = 4, c[3] = {1, 2, 3};
    swap(a, b);
    out[0] = a * 10 + b;
    larger(a, b) = 50;
    out[1] = a;
    twice(c, 3);
    out[2] = c[2];
    out[3] = by_value(a) - a;
    out[4] = defaults(1); out[5] = defaults(1, 2); out[6] = SUM(1, 2, 3); out[7] = SQUARE(b + 1); out[8] = JOIN(by_, value)(1); out[9] = sizeof(TEXT(abc));
    out[10] = CHOSEN; out[11] = half_of(7) * 2; out[12] = first_above(x, 12); out[13] = power(3, 4); constexpr int k = power(2, 5); int d[k];
    out[14] = sizeof d; out[15] = first_above(x, 99);
}

__global__ void recursion(const int* x, int* out) { out[I] = fibonacci(x[I] % 10); }

template <class T> __device__ T add(T a, T b) { return a + b; }
template <class T, int N> __device__ T sum(const T* p) { T s = 0; for (int i = 0; i < N; i++) s += p[i]; return s; }
template <int N = 4> __device__ int times(int a) { return a * N; }
template <bool UP> __device__ int step(int a) { if (UP) return a + 1; return a - 1; }
template <class T> struct Cell { T first; int second; __device__ T both() const { return first + second; } };
template <class T, int N> struct Row { T items[N]; __device__ T& operator[](int i) { return items[i]; } static const int size = N; };
template <class T> __device__ int size_of() { return sizeof(T); }
template <> __device__ int size_of<float>() { return -4; }

__global__ void templates(const int* x, double* out) {
    out[0] = add(1, 2); out[1] = add<float>(1, 2.5); out[2] = add(0.5, 0.25); out[3] = sum<int, 5>(x); out[4] = times(3); out[5] = times<7>(3);
    out[6] = step<true>(5) * 10 + step<false>(5);
    Cell<float> c = {1.5f, 2};
    Row<short, 3> r;
    for (int i = 0; i < r.size; i++) r[i] = 40000 + i;
    out[7] = c.both(); out[8] = r[2]; out[9] = sizeof(r) + sizeof(Cell<double>); out[10] = size_of<short>(); out[11] = size_of<float>(); out[12] = add<unsigned char>(200, 100);
}

namespace shapes {
    const float TAU = 6.25f;
    namespace inner { __device__ int deep() { return 42; } }
    struct Circle {
        float r;
        __device__ Circle(float r) : r(r) {}
        __device__ float around() const { return TAU * r; }
        __device__ Circle& grow(float by) { r += by; return *this; }
        __device__ Circle operator+(const Circle& other) const { return Circle(r + other.r); }
        __device__ bool operator<(const Circle& other) const { return r < other.r; }
    };
}
using shapes::Circle;
using Number = float;
typedef unsigned int word;

__global__ void members(const int* x, float* out) {
    Circle a(2), b = a;
    b.grow(1).grow(0.5f);
    Number sum = (a + b).r;
    word w = -1;
    out[0] = a.around(); out[1] = b.r; out[2] = sum; out[3] = a < b; out[4] = shapes::inner::deep(); out[5] = shapes::TAU; out[6] = w > 5;
}

__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int product(int a, int b) { return a * b; }
typedef int (*Operation)(int, int);
template <class F> __device__ int apply(F f, int a, int b) { return f(a, b); }

__global__ void pointers_to_functions(const int* x, int* out) {
    Operation table[] = {plus, minus, &product};
    int (*chosen)(int, int) = I % 2 ? plus : minus;
    out[3 * I] = table[x[I] % 3](x[I], 5);
    out[3 * I + 1] = chosen(10, x[I]);
    out[3 * I + 2] = apply(product, x[I], 3);
}

enum Direction { NORTH, EAST = 4, SOUTH, WEST = EAST * 3 };
enum class Level : short { LOW = -1, HIGH = 7 };

__global__ void enumerations(const int* x, int* out) {
    Direction d = SOUTH;
    Level l = Level::HIGH;
    out[0] = d; out[1] = WEST; out[2] = d == 5; out[3] = (int)l + (int)Level::LOW; out[4] = l == Level::HIGH; out[5] = (Direction)x[4] == EAST; out[6] = sizeof(l);
    switch (d) { case NORTH: out[7] = 1; break; case SOUTH: out[7] = 2; break; default: out[7] = 3; }
    out[8] = d + 1.5f;
}

__global__ void __launch_bounds__(64, 2) lines(const int* __restrict__ x, int* out) {
    out[0] = \
        7;
    /* a comment, with "quotes" */ out[1] = 8; // and another
    char text[] = "a\tb" "\x41" "c";
    out[2] = text[1] + text[3];
    out[3] = text[5] == 0;
    unsigned char signs[] = "hi";
    out[4] = signs[1] * 10 + sizeof signs;
}

__global__ void texts(const int* x, int* out) {
    const char* text = x[1] ? "yes" : "no";
    out[0] = text[1];
}
