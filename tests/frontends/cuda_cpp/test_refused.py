"""What is refused, where, and with which advice? An @ in a program stands where the caret must point."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, LaunchError, UnsupportedConstruct

AROUND = """\
struct Point { float x, y; };
enum class Mode { FAST, SLOW };
__constant__ float table[4];
__device__ int helper(int a, int b) { return a + b; }
__device__ void nothing() {}
int host_only(int x) { return x; }
int host_variable = 1;
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
    "x[i] = [@1];": ("`[` begins a lambda here: `1` names no variable", ""),
    "x[i] = (i < n ? 1@);": ("expected `:` and the other value after `1`", ""),
    "for (int k = 0; k < 3@) x[k] = 1;": (
        "the header of a `for` has two `;`",
        "for (start; condition; step)",
    ),
    "for (int k = 0, k < 3, k++@) x[k] = 1;": ("the header of a `for` has two `;`", ""),
    "do x[i] = 1; while@ i < 3;": ("expected `(` after `while`", ""),
    "@else x[i] = 1;": ("`else` without an `if` before it", "guards one statement"),
    "@case 3: x[i] = 1;": ("`case` outside a `switch`", ""),
    "@default: x[i] = 1;": ("`default` outside a `switch`", ""),
    "x[i] = @3x;": ("`3x` is not a number", ""),
    "x[i] = i @<=> n;": ("`<=>` is not supported", "compare with <"),
    "@assert(i, 2);": ("too many arguments for the macro `assert`", ""),
    "int @2y = 1;": ("`2y` is neither a number nor a name", ""),
    "float y = @1..5;": ("`1..5` is not a number", ""),
    "x[i] = @'ab": ("this ' is never closed", "a second ' is missing"),
    'x[i] = @"a;': ('this " is never closed', 'a second " is missing'),
    "@/* never closed": ("this comment is never closed", "`*/` is missing"),
    "@`x;": ("unexpected ```", ""),
}
TYPES = {
    # names
    "x[i] = @missing;": ("`missing` is not declared", "declare it"),
    "@missing(i);": ("`missing` is not declared", ""),
    "x[i] = @helpr(1, 2);": ("`helpr` is not declared", "did you mean `helper`?"),
    "for (int k = 0; k < 3; k++) x[k] = 1; x[0] = @k;": ("`k` is not declared", ""),
    "@undeclared_t y = 1;": ("unknown type `undeclared_t`", "declare it before it is used"),
    "int y = 1; int @y = 2;": ("`y` is declared twice", "line 13"),
    "float @i = 1;": ("`i` is declared twice", "line 11"),
    "x[i] = @host_variable;": ("`host_variable` is a variable of the host", "`__device__` or `__constant__`"),
    "x[i] = @Mode::NEITHER;": ("`Mode` has no member `NEITHER`", "it has FAST, SLOW"),
    "using namespace @nowhere;": ("`nowhere` is no namespace", ""),
    "x[i] = @nowhere::y;": ("`nowhere` is not declared", ""),
    # members
    "x[i] = @p.z;": ("`Point` has no member `z`", "it has x, y"),
    "x[i] = @i.x;": ("`int` has no members", ""),
    "x[i] = @p->x;": ("`->` takes a pointer, not `Point`", "use `.`"),
    "@f.x = 1;": ("`.` takes an object, not the pointer `float *`", "use `->`"),
    "x[i] = @threadIdx.w;": ("`uint3` has no member `w`", "it has x, y, z"),
    # conversions
    "int y = @x;": ("a value of type `int *` cannot initialize `int`", "dereference the pointer"),
    "int* q = @i;": ("a value of type `int` cannot initialize `int *`", "take its address with &"),
    "int* q = @f;": ("a value of type `float *` cannot initialize `int *`", "reinterpret_cast<int *>(…)"),
    "int* q = @c;": ("a value of type `const int *` cannot initialize `int *`", "drop `const`"),
    "int** q = @x;": ("a value of type `int *` cannot initialize `int **`", ""),
    "float y = @p;": ("a value of type `Point` cannot initialize `float`", ""),
    "int y = @Mode::FAST;": ("a value of type `Mode` cannot initialize `int`", "static_cast<int>(…)"),
    "Mode m = @1;": ("a value of type `int` cannot initialize `Mode`", "static_cast<Mode>(…)"),
    "int y = @nullptr;": ("cannot initialize `int`", ""),
    "@p = 1;": ("a value of type `int` cannot be assigned to `Point`", ""),
    "@x[i] = nothing();": ("a value of type `void` cannot be assigned to `int`", ""),
    "@x[i] = x;": ("a value of type `int *` cannot be assigned to `int`", "dereference"),
    '@x[i] = "text";': ("cannot be assigned to `int`", ""),
    'char* s = "a"; @s[0] = 1;': ("the letters of a text cannot be changed", "char s[]"),
    "float* q = @static_cast<float*>(x);": ("static_cast from `int *` to `float *`", "reinterpret_cast"),
    "x[i] = @reinterpret_cast<int>(f[0]);": ("reinterpret_cast from `float` to `int`", "__float_as_int"),
    "x[i] = @(int)p;": ("`Point` does not convert to `int`", ""),
    "if (@p) x[i] = 1;": ("`Point` does not convert to `bool`", ""),
    "while (@p) x[i] = 1;": ("`Point` does not convert to `bool`", ""),
    # operators
    "x[i] = @p + p;": ("`+` is not defined for `Point` and `Point`", "define operator+"),
    "x[i] = @f[0] % 2;": ("`%` takes integers, not `float` and `int`", "fmod"),
    "x[i] = @f[0] << 2;": ("`<<` takes integers, not `float` and `int`", ""),
    "f[i] = @~f[0];": ("`~` does not take `float`", ""),
    "x[i] = @-x;": ("`-` does not take `int *`", ""),
    "x[i] = @x * f;": ("`*` does not take `int *` and `float *`", ""),
    "x[i] = @f - x;": ("`-` does not take `float *` and `int *`", ""),
    "x[i] = @x == f;": ("`==` does not take `int *` and `float *`", "cast one of them"),
    "x[i] = i @? p : 1;": ("`? :` has `Point` on one side", "cast one"),
    "x[i] = @*i;": ("`*` takes a pointer, not `int`", ""),
    "x[i] = @**x;": ("`*` takes a pointer, not `int`", ""),
    "int* q = &@5;": ("`5` is a value: it has no address", "store it in a variable"),
    "x[@f[0]] = 1;": ("an index is an integer: `f[0]` is none", "cast it"),
    "x[i] = @i[0];": ("`i` is neither array nor pointer: it cannot be indexed", ""),
    # what cannot be changed
    "const int k = 1; @k = 2;": ("`k` is const", ""),
    "@c[i] = 1;": ("`c[i]` is const: it cannot be assigned to", ""),
    "@table[0] = 1;": ("`table` is `__constant__`: kernels only read it", "write it from the host"),
    "@threadIdx.x = 1;": ("`threadIdx.x` is const: it cannot be assigned to", ""),
    "@i + 1 = 2;": ("`i + 1` is a value: it cannot be changed", ""),
    "@(i + 1)++;": ("`(i + 1)` is a value: it cannot be changed", ""),
    "int a[2], b[2]; @a = b;": ("the array `a` cannot be assigned to", "copy its elements in a loop"),
    "const int @k;": ("the constant `k` has no value", ""),
    "int& @r;": ("the reference `r` refers to nothing", "give it an object"),
    "int& r = @5;": ("`5` cannot be referred to as `int&`", "make the reference const"),
    # calls
    "x[i] = @helper(1);": (
        "`helper` does not take these arguments",
        "it is int helper(int, int): requires 2 arguments, but 1 was provided",
    ),
    "x[i] = @helper(1, 2, 3);": ("`helper` does not take these arguments", ""),
    "x[i] = @helper(p, 2);": ("`helper` does not take these arguments", "`Point` to `int` for 1st argument"),
    "x[i] = @i(1);": ("`i` is not a function", ""),
    "@other(x);": ("`other` is a kernel: it is launched, not called", "make it `__device__`"),
    "x[i] = @host_only(1);": (
        "`host_only` is a function of the host",
        "declare it `__device__ host_only(…)`",
    ),
    "@__syncthreads(1);": ("`__syncthreads` does not take these arguments", "it is void __syncthreads()"),
    "@__syncwarp(1, 2);": ("`__syncwarp` does not take these arguments", ""),
    "x[i] = @__shfl_sync(i);": ("`__shfl_sync` does not take these arguments", "there is int __shfl_sync("),
    "@atomicAdd(x[i], 1);": ("`atomicAdd` does not take these arguments", "int atomicAdd(int *, int)"),
    "@atomicAdd(c, 1);": ("`atomicAdd` does not take these arguments", ""),
    "@atomicAnd(f, 1);": ("`atomicAnd` does not take these arguments", ""),
    "float4 v = @make_float4(1, 2);": ("`make_float4` does not take these arguments", ""),
    "Point q = {1, 2, @3};": ("more values than the struct has places", ""),
    "@return 1;": ("`kernel` returns nothing", "write the result through a pointer"),
    "@atomicAdd(&table[0], 1.0f);": ("is `__constant__`: kernels only read it", "write it from the host"),
    "int* q = @const_cast<int*>(f);": ("const_cast from `float *` to `int *`", "reinterpret_cast"),
    # printf and assert
    "@printf(i);": ("`printf` does not take these arguments", ""),
    '@printf("%d %d", i);': ("printf() has no argument for %d", "give one for each %"),
    '@printf("%d", 1.5);': ("'%d' of double", "fractions with %f"),
    '@printf("%s", x);': ("'%s' of int *", "print numbers with %d"),
    '@printf("%q", i);': ("'%q' in a format", "a kernel prints with"),
    # arrays
    "int a[@n];": ("`n` is not known while compiling", "use constants, `constexpr` or a macro"),
    "int a[@-1];": ("an array has a positive number of elements", ""),
    "int @a[];": ("`a` has no length", "give it one"),
    "int a[2] = {1, 2, @3};": ("more values than the array has places", ""),
    'char s[2] = @"long";': ("the text does not fit into 2 characters", "it takes 5"),
    "extern __shared__ float dyn@[4][];": ("only the first length of an array may be left out", ""),
    "__shared__ int s[@n];": ("`n` is not known while compiling", ""),
    "__shared__ int s[2] = @{1, 2};": (
        "a `__shared__` variable cannot have an initial value",
        "__syncthreads()",
    ),
    "@__constant__ int k = 1;": ("`__constant__` variables stand outside of functions", ""),
    # control flow
    "@break;": ("`break` outside of a loop or switch", ""),
    "@continue;": ("`continue` outside of a loop", ""),
    "switch (@f[0]) { case 1: break; }": ("`switch` takes an integer, not `float`", ""),
    "switch (i) { case @n: break; }": ("`n` is not known while compiling", ""),
    "switch (i) { case 1: break; case @1: break; }": ("`case 1` stands here twice", "line 13"),
    "@for (int v : x) n += v;": ("`int *` has no length to loop over", ""),
    "switch (i) { default: break; @default: break; }": ("a second `default`", "a switch has one"),
    "@int g(int a) { return a; }": ("a function is defined inside another one", "is a brace missing"),
}
UNSUPPORTED = {
    "@try { x[i] = 1; } catch (...) { }": ("`try` is not supported", "GPUs have no exceptions"),
    "@throw 1;": ("`throw` is not supported", "write a flag for the host"),
    "x[i] = @dynamic_cast<int>(i);": ("dynamic_cast is not supported", "use static_cast"),
    "thread_local int @mine;": ("`thread_local` is not supported", "each thread has variables of its own"),
    "static int @count = 0;": ("a `static` variable is not supported", "declare it `__device__`"),
    "@other<<<1, 32>>>(x);": ("a launch is not supported", "launch it from the host"),
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
    "@cudaMalloc(&x, 4);": ("`cudaMalloc`", "host"),
    "x[i] = @__shfl(i, 0);": ("`__shfl`", "__shfl_sync"),
    "x[i] = @__ballot(i);": ("`__ballot`", "__ballot_sync"),
    "f[i] = @tex2D(1, 2, 3);": ("`tex2D`", ""),
    "@surf2Dwrite(1, 2, 3, 4);": ("`surf2Dwrite`", "surfaces are not simulated"),
    "@curandState state;": ("`curandState`", "generator"),
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
        "__syncthreads()",
    ),
}
# whole texts
TEXTS = [
    (
        KernelSyntaxError,
        "@__globl__ void kernel(int* x) {}",
        "`__globl__` means nothing here",
        "`__global__`?",
    ),
    (KernelSyntaxError, "__global__ @kernel(int* x) {}", "`kernel` has no return type", "returns void"),
    (
        KernelSyntaxError,
        "__device__ @twice(int a) { return a; }\n" + inside("x[0] = twice(1);"),
        "`twice` has no return type",
        "",
    ),
    (KernelTypeError, "__global__ @int kernel(int* x) { return 1; }", "returns `int`", "kernels return void"),
    (KernelTypeError, "__global__ @voud kernel(int* x) {}", "unknown type `voud`", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x) @{ x[0] = 1;", "this `{` is never closed", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x)@\n    x[0] = 1;\n}", "expected `{` after `)`", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x@ float* f) { }", "after `x`", ""),
    (KernelSyntaxError, "struct A { int x@ };\n" + inside("A a; x[0] = a.x;"), "expected `;` after `x`", ""),
    (KernelSyntaxError, "struct A { int x; }@\n" + KERNEL, "expected `;` after `}`", ""),
    (KernelSyntaxError, KERNEL + "@}\n", "unexpected `}`: no `{` is open here", ""),
    (KernelSyntaxError, "@x = 1;\n", "a statement stands outside of every function", "too early?"),
    (KernelTypeError, KERNEL + KERNEL.replace("kernel", "@kernel"), "`kernel` is declared twice", "line 1"),
    (
        KernelTypeError,
        "struct A { int x; };\nstruct @A { int y; };\n" + inside("A a; x[0] = a.x;"),
        "`A` is declared twice",
        "line 1",
    ),
    (
        KernelTypeError,
        "__device__ int a = 1;\n__device__ float @a = 2;\n" + inside("x[0] = a;"),
        "`a` is declared twice",
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
        "`quiet` returns nothing",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int loud() { @return; }\n" + inside("x[0] = loud();"),
        "`loud` returns a value: say which",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int f1(int, float) { return 1; }\n__device__ int f1(float, int) { return 2; }\n"
        + inside("x[0] = @f1(1, 1);"),
        "the call of `f1` is ambiguous",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int f1(int& p) { return p; }\n" + inside("x[0] = @f1(3);"),
        "`f1` does not take these arguments",
        "it is int f1(int &): expects an lvalue",
    ),
    (
        KernelTypeError,
        "template <typename T> __device__ T sum(T a, T b) { return a + b; }\n"
        + inside("x[0] = @sum(1, 2.0);"),
        "`sum` does not take these arguments",
        "it is T sum(T, T): deduced conflicting types",
    ),
    (
        KernelTypeError,
        "template <typename T> struct Box { T a; };\n" + inside("@Box box;"),
        "`Box` is a template",
        "give its arguments: Box<…>",
    ),
    (
        KernelTypeError,
        "template <typename T> __device__ T inner(T a) { return @a.x; }\n" + inside("x[0] = inner(1);"),
        "`int` has no members",
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
        "`A` is not made of these values",
        "it is A(int): requires 1 argument",
    ),
    (
        KernelTypeError,
        'static_assert(@sizeof(int) == 8, "int is short");\n' + KERNEL,
        "static_assert does not hold: int is short",
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
        "array",
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
        UnsupportedConstruct,
        "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
        + inside("@thread_block block = this_thread_block();"),
        "`thread_block` is not supported in a kernel",
        "cooperative groups are not simulated yet",
    ),
    (
        UnsupportedConstruct,
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto b = @cg::this_thread_block();"),
        "`cg::this_thread_block`",
        "cooperative groups are not simulated yet",
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
        "#define TWICE(a) (2 * (a))\n" + inside("x[0] = @TWICE(3, 4);"),
        "too many arguments for the macro `TWICE`",
        "line 1",
    ),
    (KernelSyntaxError, "#@if 1\n" + KERNEL, "this `#if` is never closed", "`#endif` is missing"),
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
    with pytest.raises(GpuSimError, match=r"wrong\.cu:13: "):
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
