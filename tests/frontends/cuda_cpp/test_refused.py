"""What is refused, where, and with which advice? An @ in a program stands where the caret must point."""

from __future__ import annotations

import numpy as np
import pytest
from clang.cindex import CursorKind

import gpusim
from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, LaunchError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import tables

AROUND = """\
struct Point { float x, y; };
enum class Mode { FAST, SLOW };
__constant__ float table[4];
__device__ int helper(int a, int b) { return a + b; }
__device__ void nothing() {}
int host_only(int x) { return x; }
int host_variable = 1;
struct A { virtual __device__ int f() { return 1; } }; struct B : A {};
struct Owner { int v; Owner() = default; __host__ Owner(int) {} __host__ int host(int) { return 1; } };
__global__ void other(int* x) { x[0] = 1; }
__global__ void kernel(int* x, float* f, const int* c, int n)
{
    int i = threadIdx.x;
    Point p = {1, 2};
    STATEMENT
}
"""
KERNEL = "__global__ void kernel(int* x, float* f, const int* c, int n) { x[0] = 1; }\n"


def inside(text: str) -> str:
    return KERNEL.replace("x[0] = 1;", text)


# statement -> what the message says, the advice under the caret
SYNTAX = {
    "x[i] = 1@": ("expected `;` after `1`", ""),
    "__syncthreads()@": ("expected `;` after `)`", ""),
    "do x[i] = 1; while (i < 3)@": ("expected `;` after `)`", ""),
    "int y = 1@ int z = 2;": ("expected `;` after `1`", ""),
    "return@": ("expected `;` after `return`", ""),
    "x[i] = (1 + 2@;": ("expected `)` after `2`", ""),
    "x[i = 1@;": ("expected `]` after `1`", ""),
    "while (i < n@ x[i]++;": ("expected `,`, `)` or an operator after `n`", ""),
    "if (i < n) @{ x[i] = 1;": ("this `{` is never closed", "`}` is missing"),
    "x[i] = 1 +@;": ("expected an expression after `+`", ""),
    "x[i] = [@1];": ("expected variable name or `this` in lambda capture list", ""),
    "x[i] = (i < n ? 1@);": ("expected `:` after `1`", ""),
    "for (int k = 0; k < 3@) x[k] = 1;": (
        "expected `;` after `3`",
        "for (start; condition; step)",
    ),
    "for (int k = 0, k@ < 3, k++) x[k] = 1;": ("expected `;` after `k`", ""),
    "do x[i] = 1; while@ i < 3;": ("expected `(` after `while`", ""),
    "@else x[i] = 1;": ("`else` without an `if` before it", "guards one statement"),
    "@case 3: x[i] = 1;": ("`case` statement not in switch statement", ""),
    "@default: x[i] = 1;": ("`default` statement not in switch statement", ""),
    "x[i] = 3@x;": ("invalid suffix `x` on integer constant", ""),
    "x[i] = i <=@> n;": ("expected an expression after `<=`", ""),
    "assert(i, @2);": ("too many arguments provided to function-like macro invocation", ""),
    "int @2y = 1;": ("`2y` cannot be a name", ""),
    "float y = 1.@.5;": ("invalid suffix `.5` on floating constant", ""),
    "x[i] = @'ab": ("this ' is never closed", ""),
    'x[i] = @"a;': ('this " is never closed', ""),
    "@/* never closed": ("unterminated /* comment", ""),
    "@`x;": ("unexpected ```", ""),
}
TYPES = {
    # names
    "x[i] = @missing;": ("`missing` is not declared", "declare it"),
    "@missing(i);": ("`missing` is not declared", ""),
    "x[i] = @helpr(1, 2);": ("`helpr` is not declared", "did you mean `helper`?"),
    "for (int k = 0; k < 3; k++) x[k] = 1; x[0] = @k;": ("`k` is not declared", ""),
    "@undeclared_t y = 1;": ("unknown type `undeclared_t`", "declare it before it is used"),
    "int y = 1; int @y = 2;": ("redefinition of `y`", "line 15"),
    "float @i = 1;": ("redefinition of `i` with a different type: `float` vs `int`", "line 13"),
    "const int& r = @r;": ("`r` is used before it holds anything", "give it a value first"),
    "x[i] = @Owner().host(i);": ("`host` is a function of the host", "declare it `__device__ host(…)`"),
    "x[i] = @Owner(i).v;": ("`Owner` is a function of the host", "declare it `__device__ Owner(…)`"),
    "f[i] = @__bfloat162float(n);": ("`__bfloat162float` is not declared", "it is in <cuda_bf16.h>"),
    "x[i] = @host_variable;": ("`host_variable` is a variable of the host", "`__device__` or `__constant__`"),
    "x[i] = @Mode::NEITHER;": ("no member named `NEITHER` in `Mode`", "it has FAST, SLOW"),
    "using namespace @nowhere;": ("expected namespace name", ""),
    "x[i] = @nowhere::y;": ("`nowhere` is not declared", ""),
    # members
    "x[i] = @p.z;": ("no member named `z` in `Point`", "it has x, y"),
    "x[i] = @i.x;": ("member reference base type `int` is not a structure or union", ""),
    "x[i] = @p->x;": ("member reference type `Point` is not a pointer", "use `.`"),
    "@f.x = 1;": ("member reference base type `float *` is not a structure or union", "use `->`"),
    "x[i] = @threadIdx.w;": ("no member named `w` in `uint3`", "it has x, y, z"),
    # conversions
    "int y = @x;": (
        "cannot initialize a variable of type `int` with an lvalue of type `int *`",
        "dereference the pointer",
    ),
    "int* q = @i;": (
        "cannot initialize a variable of type `int *` with an lvalue of type `int`",
        "take its address with &",
    ),
    "int* q = @f;": (
        "cannot initialize a variable of type `int *` with an lvalue of type `float",
        "reinterpret_cast<int *>(…)",
    ),
    "int* q = @c;": (
        "cannot initialize a variable of type `int *` with an lvalue of type `const",
        "drop `const`",
    ),
    "int** q = @x;": ("cannot initialize a variable of type `int **` with an lvalue of type `int", ""),
    "float y = @p;": ("no viable conversion from `Point` to `float`", ""),
    "int y = @Mode::FAST;": (
        "cannot initialize a variable of type `int` with an rvalue of type `Mode`",
        "static_cast<int>(…)",
    ),
    "Mode m = @1;": (
        "cannot initialize a variable of type `Mode` with an rvalue of type `int`",
        "static_cast<Mode>(…)",
    ),
    "int y = @nullptr;": ("cannot initialize a variable of type `int` with an rvalue of type", ""),
    "@p = 1;": ("no viable overloaded `=`", ""),
    "x[i] = @nothing();": ("assigning to `int` from incompatible type `void`", ""),
    "x[i] = @x;": (
        "incompatible pointer to integer conversion assigning to `int` from `int *`",
        "dereference",
    ),
    'x[i] = @"text";': ("assigning to `int` from incompatible type `const char[5]`", ""),
    'char* s = "a"; @s[0] = 1;': ("the letters of a text cannot be changed", "char s[]"),
    "float* q = @static_cast<float*>(x);": ("static_cast from `int *` to `float *`", "reinterpret_cast"),
    "x[i] = @reinterpret_cast<int>(f[0]);": ("reinterpret_cast from `float` to `int`", "__float_as_int"),
    "x[i] = @(int)p;": ("cannot convert `Point` to `int` without a conversion operator", ""),
    "if (@p) x[i] = 1;": ("value of type `Point` is not contextually convertible to `bool`", ""),
    "while (@p) x[i] = 1;": ("value of type `Point` is not contextually convertible to `bool`", ""),
    # operators
    "x[i] = @p + p;": ("`+` does not take `Point` and `Point`", "define operator+"),
    "x[i] = @f[0] % 2;": ("`%` does not take `float` and `int`", "fmod"),
    "x[i] = @f[0] << 2;": ("`<<` does not take `float` and `int`", ""),
    "f[i] = @~f[0];": ("`~` does not take `float`", ""),
    "x[i] = @-x;": ("`-` does not take `int *`", ""),
    "x[i] = @x * f;": ("`*` does not take `int *` and `float *`", ""),
    "x[i] = @f - x;": ("`float *` and `int *` are not pointers to compatible types", ""),
    "x[i] = @x == f;": ("comparison of distinct pointer types (`int *` and `float *`)", "cast one of them"),
    "x[i] = i @? p : 1;": ("incompatible operand types (`Point` and `int`)", "cast one"),
    "x[i] = @*i;": ("indirection requires pointer operand (`int` invalid)", ""),
    "x[i] = @**x;": ("indirection requires pointer operand (`int` invalid)", ""),
    "int* q = &@5;": ("cannot take the address of an rvalue of type `int`", "store it in a variable"),
    "x[@f[0]] = 1;": ("array subscript is not an integer", "cast it"),
    "x[i] = @i[0];": ("subscripted value is not an array, pointer, or vector", ""),
    # what cannot be changed
    "const int k = 1; @k = 2;": ("cannot assign to variable `k` with const-qualified type `const int`", ""),
    "@c[i] = 1;": ("read-only variable is not assignable", ""),
    "@table[0] = 1;": ("`table` is `__constant__`: kernels only read it", "write it from the host"),
    "@threadIdx.x = 1;": ("cannot assign to variable `threadIdx` with const-qualified type `const", ""),
    "@i + 1 = 2;": ("expression is not assignable", ""),
    "@(i + 1)++;": ("expression is not assignable", ""),
    "int a[2], b[2]; @a = b;": ("array type `int[2]` is not assignable", "copy its elements in a loop"),
    "const int @k;": ("default initialization of an object of const type `const int`", ""),
    "int& @r;": ("declaration of reference variable `r` requires an initializer", ""),
    "int& r = @5;": (
        "non-const lvalue reference to type `int` cannot bind to a temporary of",
        "make the reference const",
    ),
    # calls
    "x[i] = @helper(1);": (
        "no matching function for call to `helper`",
        "it is int helper(int, int): requires 2 arguments, but 1 was provided",
    ),
    "x[i] = @helper(1, 2, 3);": ("no matching function for call to `helper`", ""),
    "x[i] = @helper(p, 2);": (
        "no matching function for call to `helper`",
        "`Point` to `int` for 1st argument",
    ),
    "x[i] = @i(1);": ("called object type `int` is not a function or function pointer", ""),
    "@other(x);": (
        "`other` is a kernel: it is launched, not called",
        "launch it with other<<<grid, block>>>(…), or make it",
    ),
    "x[i] = @host_only(1);": (
        "`host_only` is a function of the host",
        "declare it `__device__ host_only(…)`",
    ),
    "@__syncthreads(1);": ("no matching function for call to `__syncthreads`", "it is void __syncthreads()"),
    "@__syncwarp(1, 2);": ("no matching function for call to `__syncwarp`", ""),
    "x[i] = @__shfl_sync(i);": (
        "no matching function for call to `__shfl_sync`",
        "there is int __shfl_sync(",
    ),
    "@atomicAdd(x[i], 1);": ("no matching function for call to `atomicAdd`", "int atomicAdd(int *, int)"),
    "@atomicAdd(c, 1);": ("no matching function for call to `atomicAdd`", ""),
    "@atomicAnd(f, 1);": ("no matching function for call to `atomicAnd`", ""),
    "float4 v = @make_float4(1, 2);": ("no matching function for call to `make_float4`", ""),
    "Point q = {1, 2, @3};": ("excess elements in struct initializer", ""),
    "@return 1;": ("void function `kernel` should not return a value", "write the result through a pointer"),
    "@atomicAdd(&table[0], 1.0f);": ("is `__constant__`: kernels only read it", "write it from the host"),
    "int* q = @const_cast<int*>(f);": ("const_cast from `float *` to `int *`", "reinterpret_cast"),
    # printf and assert
    "@printf(i);": ("no matching function for call to `printf`", ""),
    '@printf("%d %d", i);': ("printf() has no argument for %d", "give one for each %"),
    "f[0] = @f[1] ^ 2;": ("`^` does not take `float` and `int`", "a square is x * x"),
    '@printf("%d", 1.5);': ("'%d' of double", "fractions with %f"),
    '@printf("%s", x);': ("'%s' of int *", "print numbers with %d"),
    '@printf("%q", i);': ("'%q' in a format", "a kernel prints with"),
    # arrays
    "int a[@n];": ("`n` is not known while compiling", "use constants, `constexpr` or a macro"),
    "int a[@-1];": ("`a` declared as an array with a negative size", ""),
    "int @a[];": ("definition of variable with array type needs an explicit size or an", ""),
    "int a[2] = {1, 2, @3};": ("excess elements in array initializer", ""),
    'char s[2] = @"long";': ("initializer-string for char array is too long, array size is 2 but", ""),
    "extern __shared__ float dyn@[4][];": ("array has incomplete element type `float[]`", ""),
    "__shared__ int s[@n];": ("`n` is not known while compiling", ""),
    "__shared__ int s[2] = @{1, 2};": (
        "initialization is not supported for __shared__ variables",
        "__syncthreads()",
    ),
    "@__constant__ int k = 1;": (
        "__constant__, __device__, and __managed__ are not allowed on non-static",
        "",
    ),
    # control flow
    "@break;": ("`break` statement not in loop or switch statement", ""),
    "@continue;": ("`continue` statement not in loop statement", ""),
    "switch (@f[0]) { case 1: break; }": (
        "statement requires expression of integer type (`float` invalid)",
        "",
    ),
    "switch (i) { case @n: break; }": ("`n` is not known while compiling", ""),
    "switch (i) { case 1: break; case @1: break; }": ("duplicate case value `1`", "line 15"),
    "for (int v @: x) n += v;": ("invalid range expression of type `int *`", ""),
    "switch (i) { @default: break; default: break; }": (
        "multiple default labels in one switch",
        "previous case defined here (line 15)",
    ),
    "int g(int a) @{ return a; }": ("function definition is not allowed here", "is a brace missing"),
}
UNSUPPORTED = {
    '@printf("%d", p);': ("'%d' of Point", "name a member"),
    "cudaStream_t s; @cudaStreamSynchronize(s);": (
        "`cudaStreamSynchronize` is not supported",
        "no thread waits for a stream",
    ),
    "@try { x[i] = 1; } catch (...) { }": ("`try` is not supported", "GPUs have no exceptions"),
    "@throw 1;": ("`throw` is not supported", "write a flag for the host"),
    "x[i] = @dynamic_cast<int>(i);": ("dynamic_cast is not supported", "use static_cast"),
    "B b; x[i] = @dynamic_cast<B*>((A*)&b) != 0;": ("`dynamic_cast` is not supported", "virtual method"),
    "x[i] = @typeid(x).hash_code();": ("`typeid` is not supported", "ask a virtual method"),
    "thread_local int @mine;": ("`thread_local` is not supported", "each thread has variables of its own"),
    "long double @y = 1;": ("`long double` is not supported", "`double` at most"),
    "x[i] = @1.5L;": ("`long double` is not supported", "`double` at most"),
    "__int128 @y = 1;": ("`__int128` is not supported", "two of 64 bits"),
    "unsigned __int128 @y = 1;": ("`unsigned __int128` is not supported", "__umul64hi"),
    "@co_await i;": ("`co_await` is not supported", "kernels do not suspend"),
    # names of the host, of other libraries and of CUDA's past: said by name
    "@std::vector<int> v;": ("`std::vector<int>`", "array"),
    '@std::string s = "a";': ("`std::string`", ""),
    "@std::sort(x, x + 3);": ("`std::sort`", ""),
    "@std::cout << i;": ("`std::cout`", "printf"),
    "x[i] = @rand();": ("`rand`", ""),
    "@cudaMallocManaged(&x, 4);": ("`cudaMallocManaged`", "host"),
    "x[i] = @__shfl(i, 0);": ("`__shfl`", "__shfl_sync"),
    "x[i] = @__ballot(i);": ("`__ballot`", "__ballot_sync"),
    "f[i] = @tex3D<float>(1, 2, 3, 4);": ("`tex3D<float>`", "tex2D<T>"),
    "@surf3Dwrite(1, 2, 3, 4, 5);": ("`surf3Dwrite`", "surf2Dread<T>"),
    "@curandState state;": ("`curandState`", "generator"),
    "@cudaLaunchConfig_t config;": ("`cudaLaunchConfig_t` is not supported", "child<<<grid, block"),
    "@cudaDeviceProp properties;": ("`cudaDeviceProp` is not supported", "cudaDeviceGetAttribute"),
    "@cublasHandle_t handle;": ("`cublasHandle_t` is not supported", "called by the host"),
    "@nvcuda::wmma::fragment<int, 16> a;": ("`nvcuda::wmma::fragment<int, 16>`", "tensor cores"),
    "typedef @cub::BlockReduce<int, 128> R;": ("`cub::BlockReduce<int, 128>`", "write the block's steps out"),
    "@thrust::sort(x, x + 4);": ("`thrust::sort`", "NumPy"),
    "__shared__ @cuda::barrier<cuda::thread_scope_block> b;": (
        "`cuda::barrier<cuda::thread_scope_block>`",
        "atomicAdd",
    ),
    "@cuda::atomic<int> a;": ("`cuda::atomic<int>`", "atomicAdd"),
    "@cuda::pipeline<2> p = cuda::make_pipeline();": ("`cuda::pipeline<2>`", ""),
    "auto b = @cooperative_groups::this_thread_block();": (
        "`cooperative_groups::this_thread_block`",
        "<cooperative_groups.h> has the block",
    ),
}
# whole texts
TEXTS = [
    (
        UnsupportedConstruct,
        "template <class T> struct Box { T v; template <class U> __device__ Box(const U& x) : v{x} {} };\n"
        + inside("struct L { int q; }; Box<L> @b[1] = {L{4}}; x[0] = b[0].v.q;"),
        "`Box<L>` here",
        "give the type a name outside of the function",
    ),
    (
        UnsupportedConstruct,
        "__device__ int target;\n__device__ int* first = @&target;\n" + inside("x[0] = *first; first = x;"),
        "an address as what a variable of the device holds at first",
        "write it in a kernel",
    ),
    (
        KernelTypeError,
        "@__globl__ void kernel(int* x) {}",
        "unknown type `__globl__`",
        "`__global__`?",
    ),
    (
        KernelSyntaxError,
        "__global__ @kernel(int* x) {}",
        "`kernel` has no return type",
        "write `void` for a function that returns nothing",
    ),
    (
        KernelSyntaxError,
        "__device__ @twice(int a) { return a; }\n" + inside("x[0] = twice(1);"),
        "`twice` has no return type",
        "",
    ),
    (
        KernelTypeError,
        "__global__ @int kernel(int* x) { return 1; }",
        "kernel function type `int (int *)` must have void return type",
        "write the result through a pointer",
    ),
    (KernelTypeError, "__global__ @voud kernel(int* x) {}", "unknown type `voud`", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x) @{ x[0] = 1;", "this `{` is never closed", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x)@\n    x[0] = 1;\n}", "expected `{` after `)`", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x@ float* f) { }", "after `x`", ""),
    (KernelSyntaxError, "struct A { int x@ };\n" + inside("A a; x[0] = a.x;"), "expected `;` after `x`", ""),
    (KernelSyntaxError, "struct A { int x; }@\n" + KERNEL, "expected `;` after `}`", ""),
    (KernelSyntaxError, KERNEL + "@}\n", "extraneous closing brace (`}`)", ""),
    (KernelSyntaxError, "@x = 1;\n", "a statement stands outside of every function", "too early?"),
    (KernelTypeError, KERNEL + KERNEL.replace("kernel", "@kernel"), "redefinition of `kernel`", "line 1"),
    (
        KernelTypeError,
        "struct A { int x; };\nstruct @A { int y; };\n" + inside("A a; x[0] = a.x;"),
        "redefinition of `A`",
        "line 1",
    ),
    (
        KernelTypeError,
        "__device__ int a = 1;\n__device__ float @a = 2;\n" + inside("x[0] = a;"),
        "redefinition of `a` with a different type: `float` vs `int`",
        "line 1",
    ),
    (
        KernelTypeError,
        "__device__ int twice(int a);\n" + inside("x[0] = @twice(3);"),
        "`twice` is declared, but has no body",
        "define it in this text",
    ),
    (
        KernelTypeError,
        "__device__ void quiet() { @return 1; }\n" + inside("quiet();"),
        "void function `quiet` should not return a value",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int loud() { @return; }\n" + inside("x[0] = loud();"),
        "non-void function `loud` should return a value",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int f1(int, float) { return 1; }\n__device__ int f1(float, int) { return 2; }\n"
        + inside("x[0] = @f1(1, 1);"),
        "call to `f1` is ambiguous",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int f1(int& p) { return p; }\n" + inside("x[0] = @f1(3);"),
        "no matching function for call to `f1`",
        "it is int f1(int &): expects an lvalue",
    ),
    (
        KernelTypeError,
        "template <typename T> __device__ T sum(T a, T b) { return a + b; }\n"
        + inside("x[0] = @sum(1, 2.0);"),
        "no matching function for call to `sum`",
        "it is T sum(T, T): deduced conflicting types",
    ),
    (
        KernelTypeError,
        "template <typename T> struct Box { T a; };\n" + inside("Box @box;"),
        "no viable constructor or deduction guide for deduction of template arguments of `Box`",
        "give its arguments: Box<…>",
    ),
    (
        KernelTypeError,
        "template <typename T> __device__ T inner(T a) { return @a.x; }\n" + inside("x[0] = inner(1);"),
        "member reference base type `int` is not a structure or union",
        "",
    ),
    (
        KernelTypeError,
        "template <typename T> __global__ void @kernel(T* x) {}",
        "kernel is a template",
        'name its arguments: "kernel<T>"',
    ),
    (
        KernelTypeError,
        "struct A { __device__ A(int) {} };\n" + inside("A @a;"),
        "no matching constructor for initialization of `A`",
        "it is A(int): requires 1 argument",
    ),
    (
        KernelTypeError,
        'static_assert(@sizeof(int) == 8, "int is short");\n' + KERNEL,
        "static assertion failed due to requirement `sizeof(int) == 8`: int is short",
        "",
    ),
    (
        KernelTypeError,
        "namespace a { __device__ int g() { return 1; } }\n" + inside("x[0] = @g();"),
        "`g` is not declared",
        "",
    ),
    (
        UnsupportedConstruct,
        "__global__ void kernel(int& @x) { x = 1; }",
        "the reference `x` as a parameter of a kernel",
        "pass a pointer",
    ),
    (
        UnsupportedConstruct,
        "@texture<float, 1> t;\n" + inside("f[0] = tex1Dfetch(t, 1);"),
        "`texture<float, 1>`",
        "cudaTextureObject_t",
    ),
    (
        UnsupportedConstruct,
        "__launch_bounds__(128, 2, 4) __global__ void @kernel(int* x) { x[0] = 1; }",
        "a cluster of thread blocks",
        "leave the third number out",
    ),
    (
        UnsupportedConstruct,
        "#include <vector>\nusing namespace std;\n" + inside("@vector<int> v(4);"),
        "`vector<int>` is not supported in a kernel",
        "array",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto tile = @cg::tiled_partition<24>(cg::this_thread_block());"),
        "a tile has 1, 2, 4, 8, … threads",
        "",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto tile = cg::@tiled_partition<4>(cg::coalesced_threads());"),
        "a block or a tile is cut into tiles",
        "",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto tile = cg::@tiled_partition<4>(cg::this_grid());"),
        "a block or a tile is cut into tiles",
        "",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
        + inside("x[0] = cg::@reduce(cg::this_thread_block(), 1, cg::plus<int>());"),
        "tiles within a warp and coalesced groups exchange values",
        "cut the block",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
        + inside("x[0] = cg::@inclusive_scan(cg::this_thread_block(), 1);"),
        "tiles within a warp and coalesced groups exchange values",
        "cut the block",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto g = cg::@binary_partition(cg::tiled_partition<64>(cg::this_thread_block()), n < 3);"),
        "tiles within a warp and coalesced groups exchange values",
        "cut the block",
    ),
    (
        KernelTypeError,
        "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto g = cg::@labeled_partition(cg::this_thread_block(), n);"),
        "tiles within a warp and coalesced groups exchange values",
        "cut the block",
    ),
    (
        KernelTypeError,
        '#include "mine.h"\n' + inside("x[0] = @mine(1);"),
        "`mine` is not declared",
        "mine.h was not found: name its folder with options=('-I…',), or paste",
    ),
    (
        KernelTypeError,
        "#define TWICE(a) (2 * b)\n" + inside("x[0] = @TWICE(3);"),
        "`b` is not declared",
        "",
    ),
    (
        KernelSyntaxError,
        "#define TWICE(a) (2 * (a)\n" + inside("x[0] = TWICE(3)@;"),
        "expected `)`",
        "in what the macro TWICE expands to",
    ),
    (
        KernelSyntaxError,
        "#define TWICE(a) (2 * (a))\n" + inside("x[0] = TWICE(3, @4);"),
        "too many arguments provided to function-like macro invocation",
        "line 1",
    ),
    (KernelSyntaxError, "#@if 1\n" + KERNEL, "unterminated conditional directive", ""),
    (KernelSyntaxError, KERNEL + "#@endif\n", "#endif without #if", ""),
    (KernelSyntaxError, '#@error "too old"\n' + KERNEL, '#error "too old"', ""),
]


def refused(text: str, error: type[GpuSimError], message: str, hint: str) -> None:
    """The text is refused with that error, whose caret stands where the text has an @."""
    at = text.index("@")
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at) - 1
    text = text[:at] + text[at + 1 :]
    arguments = np.zeros(64, np.int32), np.zeros(64, np.float32), np.zeros(64, np.int32), 5
    module = gpusim.RawModule(code=text)
    with pytest.raises(GpuSimError) as raised:
        module.get_function("kernel")((1,), (32,), arguments)
    assert type(raised.value) is error
    assert message in raised.value.message
    assert hint in raised.value.hint
    assert raised.value.span is not None
    assert (raised.value.span.line, raised.value.span.column) == (line, column), str(raised.value)
    shown = str(raised.value).splitlines()
    assert f":{line}: " in shown[0]
    source = text.splitlines()[line - 1]
    assert shown[1] == "    " + source.strip()
    assert shown[2].index("^") == 4 + column - (len(source) - len(source.lstrip()))


@pytest.mark.parametrize("statement", SYNTAX)
def test_text_that_is_no_cpp(statement):
    refused(AROUND.replace("STATEMENT", statement), KernelSyntaxError, *SYNTAX[statement])


@pytest.mark.parametrize("statement", TYPES)
def test_what_a_compiler_refuses(statement):
    refused(AROUND.replace("STATEMENT", statement), KernelTypeError, *TYPES[statement])


@pytest.mark.parametrize("statement", UNSUPPORTED)
def test_what_kernels_cannot_do(statement):
    refused(AROUND.replace("STATEMENT", statement), UnsupportedConstruct, *UNSUPPORTED[statement])


@pytest.mark.parametrize(("error", "text", "message", "hint"), TEXTS)
def test_whole_texts(error, text, message, hint):
    refused(text, error, message, hint)


@pytest.mark.parametrize("statement", ["x[i] = missing;", "x[i] = 1", "throw 1;"])
def test_a_file_is_named(tmp_path, statement):
    file = tmp_path / "wrong.cu"
    file.write_text(AROUND.replace("STATEMENT", statement))
    with pytest.raises(GpuSimError, match=r"wrong\.cu:15: "):
        gpusim.RawModule(path=str(file)).get_function("kernel")((1,), (1,), (None, None, None, 0))


@pytest.mark.parametrize(
    ("floats", "shared_mem", "message"),
    [
        (20000, 0, "kernel declares 80000 bytes of shared memory"),
        (1000, 1 << 18, "kernel declares 4000 bytes of shared memory, and the launch adds 262144"),
    ],
)
def test_more_shared_memory_than_a_block_can_have(floats, shared_mem, message):
    kernel = gpusim.RawModule(code=inside(f"__shared__ float s[{floats}]; s[n] = 1;")).get_function("kernel")
    with gpusim.use("H200"), pytest.raises(LaunchError, match=message):
        kernel((1,), (1,), (None, None, None, 0), shared_mem=shared_mem)


def test_a_gap_is_said_with_the_expression_alone(monkeypatch):
    def gap(_low, _cursor):
        raise AssertionError

    monkeypatch.setitem(tables.EXPRESSIONS, CursorKind.FLOATING_LITERAL, gap)
    text = KERNEL.replace("x[0] = 1;", "f[0] = 1 + sinf(2.5f);")
    with pytest.raises(UnsupportedConstruct, match=r"`2.5f` is not supported in a kernel"):
        gpusim.RawModule(code=text).get_function("kernel").compile()
