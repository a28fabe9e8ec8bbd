"""What is wrong with a text is said where it stands, and only to those kernels that it concerns."""

import pytest

from gpusim import devices, errors
from gpusim.errors import GpuSimError, KernelSyntaxError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import diagnostics
from gpusim.frontends.cuda_cpp.reader import Parsed, parse
from gpusim.source import CPP, Source

KERNEL = "__global__ void kernel(int* x, float* f, int n) { int i = threadIdx.x; STATEMENT }"


def read(text: str) -> Parsed:
    return parse(Source("kernel", "kernel.cu", 1, tuple(text.split("\n")), CPP), devices.get("H200"))


def wrong(text: str, *names: str) -> GpuSimError | None:
    """What is wrong with the functions and types of these names."""
    parsed = read(text)
    return diagnostics.errors_within(parsed, [one for one in parsed.cursors if one.spelling in names])


def said(text: str) -> GpuSimError:
    """The mistake in a text whose place has an @."""
    at = text.index("@")
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at) - 1
    error = diagnostics.first_error(read(text[:at] + text[at + 1 :]))
    assert error is not None
    assert error.span is not None
    assert (error.span.line, error.span.column) == (line, column), str(error)
    return error


def test_the_message_shows_the_line_and_a_caret_behind_the_last_word() -> None:
    error = said("__global__ void k(int* x) {\n\tint i = threadIdx.x@\n\tx[i] = 1;\n}")
    assert str(error) == (
        "kernel.cu:2: expected `;` after `threadIdx.x`\n"
        "    int i = threadIdx.x\n"
        "                       ^"
    )  # fmt: skip


SYNTAX = [
    ("x[i] = 1@", "expected `;` after `1`", ""),
    ("return@", "expected `;` after `return`", ""),
    ("x[i] = (1 + 2@;", "expected `)` after `2`", ""),
    ("x[i = 1@;", "expected `]` after `1`", ""),
    ("x[i] = f(1@ 2);", "expected `,`, `)` or an operator after `1`", ""),
    ("x[i] = (1 +\n 2@;", "expected `)` after `2`", "it closes the `(` of line 1"),
    ("int j = x[0]@\n  (void)j;", "expected `;` after `]`", ""),
    ("if@ i < n x[i] = 1;", "expected `(` after `if`", ""),
    ("for@ i in range(10): x[i] = 1;", "expected `(` after `for`", "for (int i = 0; i < n; ++i)"),
    (
        "for (int k = 0; k < 3@) x[k] = 1;",
        "expected `;` after `3`",
        "for (start; condition; step)",
    ),
    ("for (int k = 0, k@ < 3, k++) x[k] = 1;", "expected `;` after `k`", ""),
    ("x[i] = 1 +@;", "expected an expression after `+`", ""),
    ("x[i] = i ? 2@;", "expected `:` after `2`", ""),
    ("switch (i) { case 1@ x[0] = 1; }", "expected `:` after `1`", ""),
    ("@else x[i] = 1;", "`else` without an `if` before it", "an `if` guards one statement"),
    ("int @2y = 1;", "`2y` cannot be a name", ""),
    ("int @for = 1;", "`for` cannot be a name", ""),
    ("float y = 10@f;", "invalid digit `f` in decimal constant", "1.0f"),
    ("float4 v = {1, 2@ 3, 4};", "expected `,`, `}` or an operator after `2`", ""),
    ("float y = 1.@.5;", "invalid suffix `.5` on floating constant", ""),
    ("x[i] = @'ab", "this ' is never closed", ""),
    ("@case 3: x[i] = 1;", "`case` statement not in switch statement", ""),
    ("x[i] = 1 + 2@);", "extraneous `)` before `;`", ""),
    ("kernel@<<<1, 2>>(x);", "this `<<<` is never closed", ""),
]
TYPES = [
    ("x[i] = @missing;", "`missing` is not declared", "declare it"),
    ("x[i] = @kernl(1, 2);", "`kernl` is not declared", "did you mean `kernel`?"),
    ("@__syncthread();", "`__syncthread` is not declared", "did you mean `__syncthreads`?"),
    ("@undeclared_t y = 1;", "unknown type `undeclared_t`", "declare it before it is used"),
    ("bool b = @True;", "`True` is not declared", "C++ writes `true`"),
    ("@print(i);", "`print` is not declared", "printf"),
    ("x[i] = i @** 2;", "`**` is no operator of C++", "pow(x, y)"),
    ("f[i] = f[0] @** 2.5;", "`**` is no operator of C++", "pow(x, y)"),
    ("x[i] = @**x;", "indirection requires pointer operand (`int` invalid)", ""),
    ("int j = @threadIdx;", "no viable conversion from `const uint3` to `int`", "threadIdx.x"),
    ("@x[threadIdx] = 1;", "no viable overloaded operator[] for type `int *`", "threadIdx.x"),
    ("x[i] = @threadIdx.w;", "no member named `w` in `uint3`", "it has x, y, z"),
    ("int y = 1; int @y = 2;", "redefinition of `y`", "line 1"),
    (
        "int y = @x;",
        "cannot initialize a variable of type `int` with an lvalue of type `int *`",
        "dereference the pointer",
    ),
    (
        "int* q = @f;",
        "cannot initialize a variable of type `int *` with an lvalue of type `float",
        "reinterpret_cast<int *>(…)",
    ),
    (
        "x[i] = @x;",
        "incompatible pointer to integer conversion assigning to `int` from `int *`",
        "dereference",
    ),
    ("x[i] = @f[0] % 2;", "`%` does not take `float` and `int`", "fmod"),
    ("x[i] = @f[0] << 2;", "`<<` does not take `float` and `int`", ""),
    ("const int k = 1; @k = 2;", "cannot assign to variable `k` with const-qualified type `const int`", ""),
    ("@__syncthreads(1);", "no matching function for call to `__syncthreads`", "it is void __syncthreads()"),
    ("@atomicAdd(x[i], 1);", "no matching function for call to `atomicAdd`", "int atomicAdd(int *, int)"),
    (
        "@kernel(x, f, n);",
        "`kernel` is a kernel: it is launched, not called",
        "launch it with kernel<<<grid, block>>>(…), or make it",
    ),
    ("@return 1;", "void function `kernel` should not return a value", "write the result through a pointer"),
    ("__shared__ int s[@n];", "`n` is not known while compiling", "use constants, `constexpr` or a macro"),
    (
        "__shared__ int s[2] = @{1, 2};",
        "initialization is not supported for __shared__ variables",
        "__syncthreads()",
    ),
    ("@break;", "`break` statement not in loop or switch statement", ""),
]
REFUSED = [
    ("@std::vector<int> v;", "`std::vector<int>` is not supported in a kernel", "array"),
    ("@std::cout << i;", "`std::cout` is not supported in a kernel", "printf"),
    ("x[i] = @rand();", "`rand` is not supported in a kernel", "generator"),
    ("@exit(1);", "`exit` is not supported in a kernel", "__trap"),
    (
        "f[i] = @texCubemap<float>(1, 2, 3, 4);",
        "`texCubemap<float>` is not supported in a kernel",
        "textures",
    ),
    ("@curandState state;", "`curandState` is not supported in a kernel", ""),
    (
        "auto b = @cooperative_groups::this_grid();",
        "`cooperative_groups::this_grid`",
        "has the block, the grid",
    ),
    ("@throw 1;", "`throw` is not supported in a kernel", "write a flag for the host"),
]
TEXTS = [
    (KernelTypeError, "@__globl__ void k() {}", "unknown type `__globl__`", "`__global__`?"),
    (
        KernelSyntaxError,
        "__global__ @k(int* x) {}",
        "`k` has no return type",
        "write `void` for a function that returns nothing",
    ),
    (KernelSyntaxError, "__device__ @f(int a) { return a; }", "`f` has no return type", "write `void`"),
    (KernelSyntaxError, "@x = 1;", "a statement stands outside of every function", "too early?"),
    (
        KernelTypeError,
        "__global__ @int k() { return 1; }",
        "kernel function type `int ()` must have void return type",
        "write the result through a pointer",
    ),
    (KernelSyntaxError, "__global__ void k() @{ int x;", "this `{` is never closed", "`}` is missing"),
    (
        KernelSyntaxError,
        "__global__ void k(int* x) {\n  if (x[0]) @{\n    x[0] = 1;\n}\n",
        "this `{` is never closed",
        "",
    ),
    (KernelSyntaxError, "__global__ void k(int* x)@\n  x[0] = 1;\n}", "expected `{` after `)`", ""),
    (
        KernelSyntaxError,
        "__global__ void k(int* x@ float* y) {}",
        "expected `,`, `)` or an operator after `x`",
        "",
    ),
    (
        KernelSyntaxError,
        "__global__ void k(int* x, @* y) {}",
        "a type specifier is required for all declarations",
        "",
    ),
    (KernelSyntaxError, "__constant__ int c[4]@\n__global__ void k() {}", "expected `;` after `]`", ""),
    (KernelSyntaxError, "struct A { int x; }@ // a\n\n__global__ void k() {}", "expected `;` after `}`", ""),
    (KernelSyntaxError, "__global__ void k() {}\n@}", "extraneous closing brace (`}`)", ""),
    (KernelSyntaxError, "#@if 1\n", "unterminated conditional directive", ""),
    (KernelSyntaxError, '#@error "too old"\n', '#error "too old"', ""),
    (
        KernelSyntaxError,
        "#define M (2 * (3)\n__device__ int f() { return M@; }",
        "expected `)` after `M`",
        "in what the macro M expands to",
    ),
    (
        KernelTypeError,
        "#define M (2 * b)\n__device__ int f() { return @M; }",
        "`b` is not declared",
        "",
    ),
    (
        KernelTypeError,
        "__device__ int f(int& p);\n__device__ int g() { return @f(3); }",
        "no matching function for call to `f`",
        "it is int f(int &): expects an lvalue for 1st argument",
    ),
    (
        KernelTypeError,
        "template <typename T> __device__ T f(T a) { return @a.x; }\n__device__ int g() { return f(1); }",
        "member reference base type `int` is not a structure or union",
        "",
    ),
]
STATEMENTS = [
    *((KernelSyntaxError, *row) for row in SYNTAX),
    *((KernelTypeError, *row) for row in TYPES),
    *((UnsupportedConstruct, *row) for row in REFUSED),
]


@pytest.mark.parametrize(
    ("kind", "text", "message", "hint"),
    [*((kind, KERNEL.replace("STATEMENT", text), *row) for kind, text, *row in STATEMENTS), *TEXTS],
)
def test_what_is_said(kind: type[GpuSimError], text: str, message: str, hint: str) -> None:
    error = said(text)
    assert type(error) is kind
    assert message in error.message
    assert hint in error.hint


def test_all_words_of_python_have_an_answer() -> None:
    from gpusim.frontends.cuda_cpp.messages import PYTHON

    for word, hint in PYTHON.items():
        error = diagnostics.first_error(read(KERNEL.replace("STATEMENT", f"{word}(1);")))
        assert error is not None
        assert hint in (error.hint, "C++ writes the type of the result in place of `def`"), str(error)


HOST = """
#include <vector>
#include "images.h"
BENCHMARK_MAIN();
struct Picture { std::vector<int> pixels; cv::Mat image; };
Status check(Picture p) { return p.image.ok() && missing(p) ? Status::OK : throw std::runtime_error("no"); }
int main(int argc, char** argv) {
    cudaMalloc(&p, 4 * n); kernel<<<1, 32>>>(p); std::cout << "done" << std::endl;
}
"""


@pytest.mark.parametrize("text", [HOST + KERNEL, KERNEL + HOST])
def test_host_code_stops_no_kernel(text: str) -> None:
    text = text.replace("STATEMENT", "x[i] = 1;")
    assert wrong(text, "kernel") is None
    parsed = read(text)
    assert "kernel" in [cursor.spelling for cursor in parsed.cursors]
    assert diagnostics.first_error(parsed) is not None


def test_one_kernel_does_not_stop_another() -> None:
    text = "__global__ void bad() { missing(); }\n__global__ void good() {}\n__global__ void worse() { int }"
    assert wrong(text, "good") is None
    assert [type(wrong(text, name)) for name in ("bad", "worse")] == [KernelTypeError, KernelSyntaxError]


def test_what_a_kernel_uses_counts() -> None:
    text = "struct P { missing_t x; };\n__device__ int f() { return y; }\n__global__ void k(P p) { f(); }"
    for names in (("k", "P", "f"), ("k",)):
        found = wrong(text, *names)
        assert found is not None
        assert found.message == "unknown type `missing_t`"
    assert wrong(text.replace("P p", ""), "k") is None


def test_an_error_in_a_template_counts_where_the_template_is_used() -> None:
    text = "template <class T> __device__ T f(T a) { return a.x; }\n__global__ void k() { f(1); }"
    assert wrong(text, "f") is not None


def test_an_error_in_our_header_is_shown_where_it_was_asked_for() -> None:
    found = wrong("struct P {};\n__global__ void k(P p) { std::max(p, p); }", "k")
    assert found is not None
    assert str(found).split("\n")[1].strip() == "__global__ void k(P p) { std::max(p, p); }"


def test_a_kernel_that_ended_too_early_is_told_of() -> None:
    text = "__global__ void k(int* x) {\n  if (x[0]) {\n  }\n  }\n  x[1] = 2;\n}\n__global__ void other() {}"
    found = wrong(text, "k")
    assert found is not None
    assert found.message == "extraneous closing brace (`}`)"
    assert wrong(text, "other") is None


def test_a_missing_header_is_named_where_its_names_are() -> None:
    found = wrong('#include "mine.h"\n__global__ void k() { mine(); }', "k")
    assert found is not None
    assert found.message == "`mine` is not declared"
    assert found.hint.startswith("mine.h was not found: name its folder with options=('-I…',)")
    assert wrong('#include "mine.h"\n__global__ void k() {}', "k") is None


def test_a_condition_on_a_header_that_is_missing_stops_no_kernel() -> None:
    text = '#include "cub/version.h"\n#if HAS_SORT()\nint sort();\n#endif\n__global__ void k() {}'
    assert wrong(text, "k") is None


def test_conditions_that_do_not_hold_stop_every_kernel() -> None:
    text = 'static_assert(sizeof(int) == 8, "int is short");\n__global__ void k() {}'
    found = wrong(text, "k")
    assert isinstance(found, errors.KernelTypeError)
    assert found.message == "static assertion failed due to requirement `sizeof(int) == 8`: int is short"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("__global__ void k(@thrust::device_ptr<int> p) { p[0] = 1; }", "`thrust::device_ptr<int>`", "NumPy"),
        ("__global__ void k(const int* x) { @x[0] = 1; }", "read-only", "`const` where it is declared"),
        ("__global__ void k(int* x) { x[0] = @blockIdx * blockDim; }", "`*` does not take", "threadIdx.x"),
        ("__global__ void k(int* x, size_t n) { x[0] = @min(x[1], n); }", "ambiguous", "cast"),
        ("__global__ void k() { @cudaGraphicsResource* r; }", "cudaGraphicsResource", "graphics"),
        ("__global__ void k(__half* h) { *h = @CUDART_ONE_FP16; }", "CUDART_ONE_FP16", "<cuda_fp16.h>"),
    ],
)
def test_mistakes_of_those_who_begin(text: str, message: str, hint: str) -> None:
    error = said(text)
    assert message in error.message
    assert hint in error.hint
