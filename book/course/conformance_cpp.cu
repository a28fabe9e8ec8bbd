// The constructs of CUDA C++ that book/cuda-cpp.md tries. `////` begins a part of the page, `///` an example.
// What stands above a line of `---` goes before the kernel; the rest are statements of the kernel
// tiny(int* n, float* v), in which t is the thread's number.

//// Types
/// integers of 8 to 64 bits
unsigned char c = 200 + t;
short s = -1;
long long wide = 1ll << 40;
/// `size_t`, `uint32_t` and their kin
uint8_t byte = t;
int64_t wide = byte;
size_t bytes = sizeof(wide);
/// `float`, `double`, `bool`
double d = v[t] * 0.5;
bool large = d > 1;
/// `__half`, `half2`
#include <cuda_fp16.h>
---
__half h = __float2half(v[t]);
v[t] = __half2float(h * h);
/// vector types
float4 f = make_float4(1, 2, 3, 4);
int2 pair = {t, 1};
v[t] = f.x + pair.y;
/// structs, nested, with methods
struct Point {
    float x, y;
    __device__ float sum() const { return x + y; }
};
struct Line { Point from, to; };
---
Line line = {{1, 2}, {3, 4}};
v[t] = line.to.sum();
/// alignment
struct __align__(16) Four { float a, b, c, d; };
---
n[t] = alignof(Four);
/// unions
union Bits { float f; unsigned u; };
---
Bits bits;
bits.f = v[t];
n[t] = bits.u >> 31;
/// enumerations
enum class Side { LEFT, RIGHT };
---
Side side = Side::RIGHT;
n[t] = side == Side::LEFT;
/// `typedef`, `using`, `auto`
using real = float;
---
typedef unsigned int word;
auto k = word(t);
real r = k;
/// arrays of several dimensions
int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
n[t] = a[t % 2][1];
/// bit-fields
struct Flags { unsigned on : 1; int level : 4; };
---
Flags flags = {1, -3};
n[t] = flags.level;
/// virtual methods
struct Shape { virtual __device__ int sides() { return 0; } };
struct Square : Shape { __device__ int sides() override { return 4; } };
---
Square square;
Shape& shape = square;
n[t] = shape.sides();

//// Pointers and memory
/// pointer arithmetic
int* p = n + t;
*p = 1;
n[t] = p - n;
/// wide accesses through a cast
if (t == 0) *(float4*)&v[4] = *(const float4*)v;
/// references
int& element = n[t];
element += 1;
/// `const`, `volatile`, `__restrict__`
const int* __restrict__ r = n;
volatile int* w = n;
w[t] = r[t];
/// `__shared__`
__shared__ int s[32];
s[t] = t;
__syncthreads();
n[t] = s[31 - t];
/// `extern __shared__`
extern __shared__ float dynamic[];
if (n[0] < 0) dynamic[t] = 1;
/// `__constant__` and `__device__` variables
__constant__ float scale = 2;
__device__ int hits;
---
v[t] *= scale;
atomicAdd(&hits, 1);
/// arrays of a thread
int mine[4];
for (int k = 0; k < 4; k++) mine[k] = k;
n[t] = mine[t % 4];
/// `static` variables of functions
static int calls;
atomicAdd(&calls, 1);
/// pointers to members
struct Pair { int first, second; };
---
int Pair::*which = t % 2 ? &Pair::first : &Pair::second;
Pair pair = {1, 2};
n[t] = pair.*which;
/// packed structs
struct __attribute__((packed)) Packet { char kind; int size; };
---
Packet packet = {'a', t};
n[t] = packet.size;
/// pointers into any memory
__shared__ int s[32];
int own = t;
int* p = t % 2 ? &s[t] : &own;
*p = 3;
/// `new`, `delete`, `malloc` and `free`, on the heap of the device
int* p = new int[4];
delete[] p;
free(malloc(16));
/// `memcpy`, `memset`
float x = 1;
memcpy(&n[t], &x, sizeof x);
/// textures and surfaces by objects
__device__ float at(cudaTextureObject_t picture, float x, float y) { return tex2D<float>(picture, x, y); }
---
if (n[t] < 0) v[t] = at(0, 1.5f, 2.5f);

//// Statements and expressions
/// `if`, `for`, `while`, `do`
for (int k = 0; k < t; k++)
    if (k > 3) break;
do n[t]++; while (n[t] < 3);
/// `switch`, with fall-through
switch (t % 3) {
    case 0: n[t] = 1;
    case 1: n[t] += 2; break;
    default: n[t] = 0;
}
/// `break`, `continue`, `return`
while (true) {
    if (t > 3) return;
    if (n[t]++ < 2) continue;
    break;
}
/// `&&`, `||`, `?:`, the comma
n[t] = (n[t] = 1, t && n[t] || t > 4 ? 2 : 3);
/// wrap-around and truncation
unsigned u = 0;
u -= 1;
n[t] = (u >> 31) + -7 / 2 + -7 % 2;
/// casts
n[t] = (int)v[t] + int(1.5f) + static_cast<int>(2.5f);
n[t] += *reinterpret_cast<int*>(&v[t]);
/// a loop over a range
int a[3] = {1, 2, 3};
for (int k : a) n[t] += k;
/// `printf`
if (t > 31) printf("%d threads\n", blockDim.x);
/// `assert`, `static_assert`
static_assert(sizeof(int) == 4);
assert(t < 32);
/// `goto`
again:
if (n[t]++ < 3) goto again;
/// inline assembly, by a small table
asm volatile("mov.u32 %0, %%laneid;" : "=r"(n[t]));
/// structured bindings
int pair[2] = {1, 2};
auto& [one, two] = pair;
n[t] = one + two;

//// Functions and templates
/// `__device__` functions
__device__ float square(float x) { return x * x; }
---
v[t] = square(v[t]);
/// overloads, default arguments
__device__ int f(int x, int y = 2) { return x * y; }
__device__ float f(float x) { return x; }
---
n[t] = f(3);
v[t] = f(1.5f);
/// templates of types and numbers
template <typename T, int K>
__device__ T times(T x) { return x * K; }
---
v[t] = times<float, 3>(v[t]);
/// templates of structs
template <int N> struct Row {
    int a[N];
    __device__ int last() { return a[N - 1]; }
};
---
Row<3> row = {{1, 2, 3}};
n[t] = row.last();
/// operators of structs
struct V { float x; };
__device__ V operator+(V a, V b) { return {a.x + b.x}; }
---
V sum = V{1} + V{2};
v[t] = sum.x;
/// `constexpr`, `if constexpr`
constexpr int square(int k) { return k * k; }
---
int a[square(2)];
if constexpr (square(2) == 4) a[0] = 1;
/// namespaces
namespace shapes { __device__ int sides() { return 4; } }
---
n[t] = shapes::sides();
/// pointers to functions
__device__ int one(int x) { return x + 1; }
---
int (*f)(int) = one;
n[t] = f(t);
/// `__launch_bounds__`
__global__ void __launch_bounds__(256, 2) other(int* n) {}
---
n[t] = 0;
/// `__forceinline__`, `__host__`
__host__ __device__ __forceinline__ int id(int x) { return x; }
---
n[t] = id(t);
/// lambdas
auto plus = [=](int x) { return x + t; };
n[t] = plus(1);
/// recursion
__device__ int f(int k) { return k < 2 ? k : f(k - 1) + f(k - 2); }
---
n[t] = f(t & 3);
/// variadic templates
template <typename... T> __device__ int sum(T... x) { return (x + ...); }
---
n[t] = sum(1, 2, 3);
/// launches in kernels, of templates too, and recursion
template <typename T> __global__ void child(T* x, int k) { if (k) child<<<1, 1>>>(x, k - 1); else *x += 1; }
---
child<<<1, 1>>>(v + t, 2);
if (cudaGetLastError() != cudaSuccess) n[t] = 1;
/// streams and events of a thread block
__global__ void child(float* x) { *x += 1; }
---
cudaStream_t s;
cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
child<<<1, 1, 0, s>>>(v + t);
child<<<1, 1, 0, cudaStreamTailLaunch>>>(v + t);
cudaStreamDestroy(s);

//// The preprocessor
/// `#define`, both kinds
#define N 4
#define AT(x, i) x[(i) % N]
---
AT(n, t) = N;
/// `#if`, `#ifdef`, `defined`
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define NEW 1
#endif
---
n[t] = NEW;
/// `#pragma unroll`
#pragma unroll
for (int k = 0; k < 4; k++) n[t] += k;
/// `#include` of headers of CUDA and of C
#include <stdint.h>
#include <math_constants.h>
---
v[t] = CUDART_PI_F;
/// asynchronous copies
#include <cooperative_groups/memcpy_async.h>
---
__shared__ float near[32];
auto block = cooperative_groups::this_thread_block();
cooperative_groups::memcpy_async(block, near, v, sizeof near);
cooperative_groups::wait(block);
v[t] = near[31 - t];

//// Refused
/// a wait for kernels that the thread has launched, since CUDA 12
cudaDeviceSynchronize();
/// inline assembly beyond a small table
asm("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0}, [%1];" : "=r"(n[t]) : "l"(n));
/// `throw`
throw 1;
/// `dynamic_cast`
struct Shape { virtual __device__ ~Shape() {} };
struct Disk : Shape {};
---
Disk disk;
Shape* shape = &disk;
n[t] = dynamic_cast<Disk*>(shape) != nullptr;
/// `__int128`
__int128 x = 1;
/// `long double`
long double x = 1;
/// random numbers of cuRAND
#include <curand_kernel.h>
---
curandState state;
/// tensor cores
#include <mma.h>
---
nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major> a;
/// textures of three dimensions
n[t] = tex3D<int>(0, 1, 2, 3);
/// what an unknown header declares
#include "my_types.h"
---
MyType x;

//// Wrong
/// a missing semicolon
n[t] = 1
/// an undeclared name
n[t] = left;
/// a type that does not fit
float* p = n;
/// a constant that is assigned
const int k = 1;
k = 2;
/// a missing brace
if (t > 0) { n[t] = 1;
/// a function that is not there
n[t] = __popcount(t);
