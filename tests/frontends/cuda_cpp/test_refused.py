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
    "while (i < n x[i]++@;": ("expected `)` after `++`", ""),
    "if (i < n) @{ x[i] = 1;": ("this `{` is never closed", "`}` is missing"),
    "x[i] = 1 +@;": ("expected an expression after `+`", ""),
    "x[i] =@ [1];": ("expected an expression after `=`", ""),
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
    "i + 1 @= 2;": ("unexpected `=`", ""),
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
    "int y = 1; int @y = 2;": ("`y` is declared twice in this block", "choose another name"),
    "float @i = 1;": ("`i` is declared twice in this block", ""),
    "x[i] = @host_variable;": ("`host_variable` is a variable of the host", "`__device__` or `__constant__`"),
    "x[i] = @Mode::NEITHER;": ("`Mode::NEITHER` is not declared", ""),
    "using namespace @nowhere;": ("`nowhere` is not declared", ""),
    "x[i] = @nowhere::y;": ("`nowhere` is neither a namespace nor a struct", ""),
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
    'char* s = @"a"; x[i] = s[0];': ("cannot initialize `char *`", "drop `const`"),
    "float* q = @static_cast<float*>(x);": ("static_cast from `int *` to `float *`", "reinterpret_cast"),
    "x[i] = @reinterpret_cast<int>(f[0]);": ("reinterpret_cast from `float` to `int`", "__float_as_int"),
    "x[i] = @(int)p;": ("`Point` does not convert to `int`", ""),
    "if (@p) x[i] = 1;": ("`Point` does not convert to `bool`", ""),
    "while (@p) x[i] = 1;": ("`Point` does not convert to `bool`", ""),
    # operators
    "x[i] = @p + p;": ("`+` is not defined for `Point` and `Point`", "define operator+"),
    "x[i] = @f[0] % 2;": ("`%` takes integers, not float and int", "fmod"),
    "x[i] = @f[0] << 2;": ("`<<` takes integers, not float and int", ""),
    "f[i] = @~f[0];": ("`~` does not take float", ""),
    "x[i] = @-x;": ("`-` does not take int *", ""),
    "x[i] = @x * f;": ("`*` does not take int * and float *", ""),
    "x[i] = @f - x;": ("`-` does not take float * and int *", ""),
    "x[i] = @x == f;": ("`==` does not take int * and float *", "cast one of them"),
    "x[i] = @i ? p : 1;": ("`? :` has `Point` on one side", "cast one"),
    "x[i] = @*i;": ("`*` takes a pointer, not `int`", ""),
    "x[i] = @**x;": ("`*` takes a pointer, not `int`", ""),
    "int* q = @&5;": ("`5` is a value: it has no address", "store it in a variable"),
    "x[@f[0]] = 1;": ("an index is an integer, not `float`", ""),
    "x[i] = @i[0];": ("`int` is neither array nor pointer: it cannot be indexed", ""),
    # what cannot be changed
    "const int k = 1; @k = 2;": ("`k` is const", ""),
    "@c[i] = 1;": ("`c[i]` is const: it cannot be assigned to", ""),
    "@table[0] = 1;": ("`table` is `__constant__`: kernels only read it", "write it from the host"),
    "@threadIdx.x = 1;": ("`threadIdx.x` is a value: it cannot be assigned to", ""),
    "@(i + 1)++;": ("`(i + 1)` is a value: it cannot be changed", ""),
    "int a[2], b[2]; @a = b;": ("the array `a` cannot be assigned to", "copy its elements in a loop"),
    "const int @k;": ("the constant `k` has no value", ""),
    "int& @r;": ("the reference `r` refers to nothing", "give it an object"),
    "int& r = @5;": ("`5` cannot be referred to as `int&`", "make the reference const"),
    # calls
    "x[i] = @helper(1);": ("`helper` does not take (int)", "it is int helper(int, int)"),
    "x[i] = @helper(1, 2, 3);": ("`helper` does not take (int, int, int)", ""),
    "x[i] = @helper(p, 2);": ("`helper` does not take (Point, int)", ""),
    "x[i] = @i(1);": ("`i` is not a function", ""),
    "@other(x);": ("`other` is a kernel: it is launched, not called", "make it `__device__`"),
    "x[i] = @host_only(1);": ("`host_only` is a function of the host", "`__device__`"),
    "@__syncthreads(1);": ("`__syncthreads` does not take (int)", "it is void __syncthreads()"),
    "@__syncwarp(1, 2);": ("`__syncwarp` does not take (int, int)", ""),
    "x[i] = @__shfl_sync(i);": ("`__shfl_sync` does not take (int)", "there is int __shfl_sync("),
    "@atomicAdd(x[i], 1);": ("`atomicAdd` does not take (int, int)", "int atomicAdd(int *, int)"),
    "@atomicAdd(c, 1);": ("`atomicAdd` does not take (const int *, int)", ""),
    "@atomicAnd(f, 1);": ("`atomicAnd` does not take (float *, int)", ""),
    "float4 v = @make_float4(1, 2);": ("`make_float4` does not take (int, int)", ""),
    "Point q = {1, 2, @3};": ("3 values for the 2 members of `Point`", ""),
    "@return 1;": ("a kernel returns nothing", "write the result through a pointer"),
    "@atomicAdd(&table[0], 1.0f);": ("is `__constant__`: kernels only read it", "write it from the host"),
    "int* q = @const_cast<int*>(f);": ("const_cast from `float *` to `int *`", "reinterpret_cast"),
    # printf and assert
    "@printf(i);": ("`printf` does not take (int)", ""),
    '@printf("%d %d", i);': ("printf() has no argument for %d", "give one for each %"),
    '@printf("%d", 1.5);': ("'%d' of double", "fractions with %f"),
    '@printf("%q", i);': ("'%q' in a format", "a kernel prints with"),
    "@assert(i, 2);": ("assert takes one condition", ""),
    # arrays
    "int a[@n];": ("`n` is not known while compiling", "use constants, `constexpr` or a macro"),
    "int a[@-1];": ("an array cannot have -1 elements", "a positive whole number"),
    "int @a[];": ("`a` has no length", "give it one"),
    "int a[2] = {1, 2, @3};": ("3 values for 2 elements", ""),
    'char s[2] = @"long";': ("the text does not fit into 2 characters", "it takes 5"),
    "extern __shared__ float @dyn[4][];": ("only the first length of an array may be left out", ""),
    "__shared__ int s[@n];": ("`n` is not known while compiling", ""),
    "__shared__ int s[2] = @{1, 2};": ("`__shared__ s` cannot have an initial value", "__syncthreads()"),
    "@__constant__ int k = 1;": ("`__constant__` variables stand outside of functions", ""),
    # control flow
    "@break;": ("`break` outside of a loop or switch", ""),
    "@continue;": ("`continue` outside of a loop", ""),
    "switch (@f[0]) { case 1: break; }": ("`switch` takes an integer, not `float`", ""),
    "switch (i) { case @n: break; }": ("`n` is not known while compiling", ""),
    "switch (i) { case 1: break; @case 1: break; }": ("`case 1` stands here twice", ""),
    "@for (int v : x) n += v;": ("`int *` has no length to loop over", ""),
    "switch (i) { default: break; @default: break; }": ("a second `default`", "a switch has one"),
    "@int g(int a) { return a; }": ("a function is defined inside another one", "is a brace missing"),
}
UNSUPPORTED = {
    "@goto end; end: x[i] = 1;": ("`goto` is not supported", "write a loop"),
    "@again: x[i] = 1;": ("a label is not supported", "write a loop"),
    "auto g = @[](int a) { return a; };": ("a lambda is not supported", "`__device__` function"),
    "@try { x[i] = 1; } catch (...) { }": ("`try` is not supported", "GPUs have no exceptions"),
    "@throw 1;": ("`throw` is not supported", "write a flag for the host"),
    "x[i] = @dynamic_cast<int>(i);": ("dynamic_cast is not supported", "no virtual classes"),
    '@asm("membar.gl;");': ("inline assembly is not supported", "use an intrinsic"),
    '@asm volatile("mov.u32 %0, %laneid;" : "=r"(i));': ("inline assembly is not supported", ""),
    "@thread_local int mine;": ("`thread_local` is not supported", "as they are"),
    "@static int count = 0;": ("a `static` variable is not supported", "declare it `__device__`"),
    "@other<<<1, 32>>>(x);": ("a launch inside a kernel", "launch it from the host"),
    '@printf("%s", x);': ("%s of a text that is known at run time only", "%c"),
    "@long double y = 1;": ("`long double` is not supported", "double at most"),
    "x[i] = @3x;": ("a user-defined literal is not supported", "a suffix of C++"),
    "x[i] = @i <=> n;": ("`<=>` is not supported", "compare with <"),
    "@co_await i;": ("`co_await` is not supported", "kernels do not suspend"),
    # names of the host, of other libraries and of CUDA's past: said by name
    "@std::vector<int> v;": ("`std::vector<int>`", "array"),
    '@std::string s = "a";': ("`std::string`", ""),
    "@std::sort(x, x + 3);": ("`std::sort`", ""),
    "@std::cout << i;": ("`std::cout`", "printf"),
    "x[i] = @rand();": ("`rand`", ""),
    "@cudaMalloc(&x, 4);": ("`cudaMalloc`", "host"),
    'x[i] = @strlen("a");': ("`strlen`", ""),
    "x[i] = @__shfl(i, 0);": ("`__shfl`", "__shfl_sync"),
    "x[i] = @__ballot(i);": ("`__ballot`", "__ballot_sync"),
    "x[i] = @clock64();": ("`clock64`", "gpusim.profile"),
    "f[i] = @tex2D(1, 2, 3);": ("`tex2D`", ""),
    "@curandState state;": ("`curandState`", ""),
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
        "__device__ @twice(int a) { return a; }\n" + KERNEL,
        "`twice` has no return type",
        "",
    ),
    (KernelTypeError, "@__global__ int kernel(int* x) { return 1; }", "returns `int`", "kernels return void"),
    (KernelTypeError, "__global__ @voud kernel(int* x) {}", "unknown type `voud`", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x) @{ x[0] = 1;", "this `{` is never closed", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x)@\n    x[0] = 1;\n}", "expected `{` after `)`", ""),
    (KernelSyntaxError, "__global__ void kernel(int* x@ float* f) { }", "after `x`", ""),
    (KernelSyntaxError, "struct A { int x@ };\n" + KERNEL, "expected `;` after `x`", ""),
    (KernelSyntaxError, "struct A { int x; }@\n" + KERNEL, "expected `;` after `}`", ""),
    (KernelSyntaxError, KERNEL + "@}\n", "unexpected `}`: no `{` is open here", ""),
    (KernelSyntaxError, "@x = 1;\n" + KERNEL, "a statement stands outside of every function", "too early?"),
    (KernelTypeError, KERNEL + "@" + KERNEL, "`kernel` is defined twice", ""),
    (KernelTypeError, "struct A { int x; };\n@struct A { int y; };\n" + KERNEL, "`A` is defined twice", ""),
    (
        KernelTypeError,
        "__device__ int a = 1;\n__device__ float @a = 2;\n" + KERNEL,
        "`a` is declared twice",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int twice(int a);\n" + inside("x[0] = @twice(3);"),
        "`twice` is declared, but has no body",
        "define it in this text",
    ),
    (
        UnsupportedConstruct,
        "__device__ int fib(int n) { return n < 2 ? n : @fib(n - 1) + fib(n - 2); }\n"
        + inside("x[0] = fib(3);"),
        "`fib`, which calls itself,",
        "write it as a loop",
    ),
    (
        UnsupportedConstruct,
        "__device__ int odd(int n);\n__device__ int even(int n) { return n ? odd(n - 1) : 1; }\n"
        "__device__ int odd(int n) { return n ? @even(n - 1) : 0; }\n" + inside("x[0] = even(3);"),
        "`even`, which calls itself,",
        "write it as a loop",
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
        "a value of type `int` is to be returned",
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
        "`f1` does not take (int)",
        "it is int f1(int &)",
    ),
    (
        KernelTypeError,
        "template <typename T> __device__ T sum(T a, T b) { return a + b; }\n"
        + inside("x[0] = @sum(1, 2.0);"),
        "`sum` does not take (int, double)",
        "the template sum",
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
        "template <typename T> @__global__ void kernel(T* x) {}",
        "kernel is a template",
        'name its arguments: "kernel<T>"',
    ),
    (
        KernelTypeError,
        "struct A { __device__ A(int) {} };\n" + inside("@A a;"),
        "`A` does not take ()",
        "A(int)",
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
        KernelTypeError,
        "@__shared__ int s;\n" + KERNEL,
        "`__shared__` variables stand inside of functions",
        "",
    ),
    (
        UnsupportedConstruct,
        "@__global__ void kernel(int& x) { x = 1; }",
        "the reference `x` as a parameter of a kernel",
        "pass a pointer",
    ),
    (UnsupportedConstruct, "@texture<float, 1> t;\n" + KERNEL, "`texture", "array"),
    (
        UnsupportedConstruct,
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        + inside("auto b = @cg::this_thread_block();"),
        "`cg::this_thread_block`",
        "cooperative groups are not simulated yet",
    ),
    (UnsupportedConstruct, '#include @"mine.h"\n' + KERNEL, 'the header "mine.h" is not known', "paste"),
    (UnsupportedConstruct, "#include @<cub/cub.cuh>\n" + KERNEL, "the header <cub/cub.cuh> is not known", ""),
    (
        KernelTypeError,
        "#define TWICE(a) (2 * b)\n" + inside("x[0] = @TWICE(3);"),
        "`b` is not declared",
        "",
    ),
    (
        KernelSyntaxError,
        "#define TWICE(a) (2 * (a)\n" + inside("x[0] = @TWICE(3);"),
        "expected `)`",
        "in what the macro TWICE expands to",
    ),
    (
        KernelSyntaxError,
        "#define TWICE(a) (2 * (a))\n" + inside("x[0] = @TWICE(3, 4);"),
        "macro TWICE takes 1 arguments, not 2",
        "",
    ),
    (KernelSyntaxError, "@#if 1\n" + KERNEL, "#if 1 is never closed", ""),
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
