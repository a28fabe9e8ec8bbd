"""Clang reads what a reader writes; a node is traced to its line, a built-in function to its row."""

import time
from pathlib import Path
from typing import Any

import pytest
from clang.cindex import CursorKind

from gpusim import devices
from gpusim.errors import GpuSimError
from gpusim.frontends.cuda_cpp import clang
from gpusim.frontends.cuda_cpp.reader import Parsed, parse
from gpusim.source import CPP, Source

H200 = devices.get("H200")


def read(text: str, device: str = "H200", **definitions: str) -> Parsed:
    source = Source("kernel", "kernel.cu", 1, tuple(text.split("\n")), CPP)
    return parse(source, devices.get(device), tuple(definitions.items()))


def below(cursor: Any, kind: str) -> list[Any]:
    """All nodes of a kind, in the order of the text."""
    found = [cursor] if cursor.kind is getattr(CursorKind, kind) else []
    return found + [one for child in clang.children(cursor) for one in below(child, kind)]


def called(text: str) -> list[str]:
    """Which built-in functions does the last declaration call? An empty text for those that are none."""
    parsed = read(text)
    assert not parsed.diagnostics, [str(one) for one in parsed.diagnostics]
    return [
        str(parsed.builtin(call.referenced) or "").replace(" *", "*")
        for call in below(parsed.cursors[-1], "CALL_EXPR")
    ]


@pytest.mark.parametrize("device", ["H200", "P100", "MetaX C500"])
def test_the_header_is_right(device: str) -> None:
    assert not read("", device).diagnostics


@pytest.mark.parametrize(
    ("call", "chosen"),
    [
        ("sqrt(1)", "double sqrt(int)"),
        ("sqrtf(1)", "float sqrtf(float)"),
        ("std::max(1.0f, 2.0f)", "float max(float, float)"),
        ("__shfl_down_sync(~0u, 1.5f, 16)", "float __shfl_down_sync(unsigned int, float, unsigned int, int)"),
        ("make_float2(1, 2)", "float2 make_float2(float, float)"),
        ("__hmul(__float2half(1), 2)", "__half __hmul(__half, __half)"),
        ("atomicAdd(static_cast<float*>(nullptr), 1)", "float atomicAdd(float*, float)"),
    ],
)
def test_a_call_knows_its_built_in_function(call: str, chosen: str) -> None:
    assert called(f"__device__ auto f() {{ return {call}; }}")[0] == chosen


@pytest.mark.parametrize(
    "own",
    [
        "__device__ int min(int a, int b) { return a; }",
        "int min(int a, int b) { return a; }",
        "__host__ __device__ constexpr int min(int a, int b) { return a; }",
        "static __forceinline__ __device__ int min(int a, int b) { return a; }",
        "__device__ float min(int a, int b) { return a; }",
        'extern "C" __device__ int min(int a, int b) { return a; }',
    ],
)
def test_a_text_may_define_a_function_that_cuda_has(own: str) -> None:
    assert called(f"{own}\n__device__ __host__ int f() {{ return min(1, 2); }}") == [""]


@pytest.mark.parametrize(
    "own",
    [
        "__device__ float rsqrtf(float x) { return x; }",
        "inline __device__ float rsqrtf(float x) { return x; }",
        "__device__ __host__ double rsqrtf(double x) { return x; }",
        "__device__ float rsqrtf(float x);\n__device__ float rsqrtf(float x) { return x; }",
    ],
)
def test_a_text_may_define_a_function_that_is_alone_with_its_name(own: str) -> None:
    assert called(f"{own}\n__device__ void f(double x) {{ rsqrtf(x); }}") == [""]


@pytest.mark.parametrize(
    "own",
    [
        "typedef unsigned long long uint64_t; uint64_t x; using int64_t = long long; int64_t y;",
        "struct half { float h; }; __device__ float f(half a) { return a.h; }",
        "__constant__ float y0 = 1; __device__ float f() { return y0; }",
        "static __device__ float fmaxf(float a, float b) { return a; } float f() { return fmaxf(1, 2); }",
        'extern "C" __device__ float rsqrtf(float x) { return x; }',
        "__device__ int rsqrtf(float x) { return 1; } __device__ int* f(int* p) { return p + rsqrtf(1); }",
    ],
)
def test_a_text_may_have_names_of_the_header_as_its_own(own: str) -> None:
    assert not read(own).diagnostics


def test_built_in_functions_can_be_handed_on() -> None:
    text = "template <class F> __device__ float apply(F f, float x) { return f(x); }\n"
    use = "__device__ float f(bool b) { auto g = b ? sinf : __cosf; return apply(tanhf, 1) + g(2); }"
    assert not read(text + use).diagnostics


def test_a_text_may_declare_what_cuda_has() -> None:
    again = 'extern "C" __device__ int printf(const char* format, ...);\n__device__ float sinf(float);'
    assert called(f'{again}\n__device__ void f() {{ printf("a"); sinf(1); }}') == [
        "int printf(const char*, ...)",
        "float sinf(float)",
    ]


def test_functions_made_of_templates_are_no_declarations_of_the_text() -> None:
    text = (
        "namespace n { template <class T> void f(T) {} struct A { void g(); }; }\nvoid n::A::g() { f(1); }\n"
    )
    boxes = "template <class T> struct Box { T x; void h() {} };\nvoid k() { Box<int> b; b.h(); n::f(2); }"
    assert [cursor.spelling for cursor in read(text + boxes).cursors] == ["n", "g", "Box", "k"]


def test_what_a_text_defines_stands_beside_what_cuda_has() -> None:
    own = "double atomicAdd(double* p, double x) { return x; }\nfloat3 make_float3(float x);"
    use = "__device__ void f(double* p, int* q) { atomicAdd(p, 1.0); atomicAdd(q, 1); make_float3(1.0f); }"
    assert called(f"{own}\n{use}") == ["", "int atomicAdd(int*, int)", ""]


def spans(parsed: Parsed, kind: str) -> list[tuple[str, int, int, str]]:
    """Where nodes of a kind are: file, line, column, the reader's text from there."""
    found = [parsed.span(node) for cursor in parsed.cursors for node in below(cursor, kind)]
    return [
        (span.where.partition(":")[0], span.line, span.column, span.text[span.column :]) for span in found
    ]


def test_places_are_those_of_the_readers_text_though_it_was_indented() -> None:
    source = Source("cell", "cell", 5, ("    __global__ void k(int* x) {", "        x[0] = 7;", "    }"), CPP)
    assert spans(parse(source, H200), "INTEGER_LITERAL") == [
        ("cell", 6, 10, "0] = 7;"),
        ("cell", 6, 15, "7;"),
    ]


def test_a_macro_is_where_it_is_used_and_its_arguments_where_they_were_written() -> None:
    parsed = read("#define TWICE(x) ((x) + 2)\n\n__device__ int f() { return TWICE(3); }")
    assert [(line, text) for _, line, _, text in spans(parsed, "INTEGER_LITERAL")] == [
        (3, "3); }"),
        (3, "TWICE(3); }"),
    ]


def test_what_lies_in_our_header_is_seen_where_it_is_called() -> None:
    parsed = read("__device__ __half2 f(__half2 a) {\n return a + a; }")
    call = below(parsed.cursors[0], "CALL_EXPR")[0]
    inner = below(call.referenced, "CALL_EXPR")[0]
    caller = parsed.span(call)
    assert parsed.span(inner, caller) is caller
    made_of = {str(parsed.builtin(one.referenced)) for one in below(inner.referenced, "CALL_EXPR")}
    assert "__half __hadd(__half, __half)" in made_of


def test_files_that_a_text_includes_show_their_own_lines(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "beside.h").write_text("\n__device__ int beside() { return 1; }\n")
    (tmp_path / "own" / "limits.h").write_text("__device__ int far() { return 2; }\n")
    text = '#include "beside.h"\n#include <limits.h>\n__device__ int here() { return INT_MAX; }'
    source = Source("k", str(tmp_path / "k.cu"), 1, tuple(text.split("\n")), CPP)
    parsed = parse(source, H200, folders=(str(tmp_path / "own"),))
    assert [cursor.spelling for cursor in parsed.cursors] == ["beside", "far", "here"]
    assert spans(parsed, "INTEGER_LITERAL") == [
        ("beside.h", 2, 33, "1; }"),
        ("limits.h", 1, 30, "2; }"),
        ("k.cu", 3, 31, "INT_MAX; }"),
    ]
    assert not parsed.diagnostics


def test_a_toolkits_own_headers_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "cuda_runtime.h").write_text("#error read by nvcc only")
    source = Source("k", "k.cu", 1, ("#include <cuda_runtime.h>",), CPP)
    assert not parse(source, H200, folders=(str(tmp_path),)).diagnostics


def test_headers_that_nobody_has_are_remembered() -> None:
    names = ("<cuda_runtime.h>", '"device_launch_parameters.h"', "<iostream>", "<thrust/sort.h>", '"mine.h"')
    parsed = read("\n".join(f"#include {name}" for name in names) + "\n__global__ void k() {}")
    assert parsed.missing == ("mine.h",)
    assert not parsed.diagnostics
    assert [cursor.spelling for cursor in parsed.cursors] == ["k"]


def test_asserts_can_be_taken_away() -> None:
    use = "#include <cassert>\n__device__ void f(int i) { assert(i < 3); }"
    assert called(use) == ["void __assert_that(bool, const char*)"]
    assert called(f"#define NDEBUG\n{use}") == []
    plain = read("__device__ void f(int i) { assert(i < 3); }", NDEBUG="1")
    assert not below(plain.cursors[0], "CALL_EXPR")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("__CUDA_ARCH__ == 900 && defined(__CUDACC__)", True),
        ("defined UNKNOWN", False),
        ("__cplusplus >= 201703L && __GNUC__ >= 9", True),
        ("INT_MAX == 2147483647 && CHAR_BIT == 8", True),
        ("N == 4 && F(2) == 4", True),
    ],
)
def test_macros_that_are_there(condition: str, holds: bool) -> None:
    parsed = read(f"#if {condition}\nint yes;\n#else\nint no;\n#endif", **{"N": "4", "F(x)": "x*x"})
    assert parsed.cursors[0].spelling == ("yes" if holds else "no")


def test_the_device_decides_the_architecture() -> None:
    text = "#ifdef __MACA__\nint maca;\n#endif\nint a = __CUDA_ARCH__;"
    assert [clang.constant(read(text, device).cursors[-1]) for device in ("P100", "H200")] == [600, 900]
    assert read(text, "MetaX C500").cursors[0].spelling == "maca"
    assert read("unsigned long long m = __activemask();", "MetaX C500").diagnostics == []


def test_no_macro_without_a_name() -> None:
    with pytest.raises(GpuSimError, match="-D4 defines no macro"):
        read("", **{"4": "1"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("const unsigned long long x = ~0ull;", 2**64 - 1),
        ("const int x = -3;", -3),
        ("const double x = 1.5;", 1.5),
        ("const float x = INFINITY;", float("inf")),
        ("constexpr int x = std::numeric_limits<short>::max();", 32767),
        ("constexpr bool x = std::is_same_v<std::decay_t<const int&>, int>;", 1),
        ("constexpr size_t x = std::array<float, 3>::size() + sizeof(float4);", 19),
        ("enum class Kind { A = 5, B }; constexpr int x = static_cast<int>(Kind::B);", 6),
        ("extern int x;", None),
    ],
)
def test_constants(text: str, value: float | None) -> None:
    parsed = read(text)
    assert not parsed.diagnostics
    assert clang.constant(parsed.cursors[-1]) == value


def test_texts_keep_each_of_their_bytes() -> None:
    parsed = read('const char* x = "a\\0b\\x80\\n" "\\"";')
    assert clang.letters(below(parsed.cursors[0], "STRING_LITERAL")[0]) == b'a\0b\x80\n"'


def test_operators_are_known_by_their_signs() -> None:
    parsed = read("void f(int a, int b) { a <<= b; a++; --b; a = -a ^ b; }")
    kinds = ("COMPOUND_ASSIGNMENT_OPERATOR", "UNARY_OPERATOR", "BINARY_OPERATOR")
    assert [[clang.sign(one) for one in below(parsed.cursors[0], kind)] for kind in kinds] == [
        ["<<="],
        ["p++", "--p", "-"],
        ["=", "^"],
    ]


def test_attributes_and_bounds() -> None:
    text = "template <int N> __global__ void __launch_bounds__(N * 32, 2) k() {}\nauto* chosen = &k<4>;\n"
    parsed = read(f"{text}__device__ __managed__ int m; __constant__ int c[4]; __host__ void h();")
    chosen = below(parsed.cursors[1], "DECL_REF_EXPR")[0].referenced
    assert clang.attributes(chosen) == {"__global__"}
    assert clang.launch_bounds(chosen) == ("4 * 32", "2")
    assert [clang.attributes(cursor) for cursor in parsed.cursors[2:]] == [
        {"__device__", "managed"},
        {"__constant__"},
        {"__host__"},
    ]


def test_a_later_text_is_read_quickly() -> None:
    text = "__global__ void k(float* x) { x[threadIdx.x] = sqrtf(x[threadIdx.x]); }\n"
    read(text)
    begin = time.process_time()
    for number in range(10):
        read(text + f"// {number}")
    assert time.process_time() - begin < 0.3  # 3 ms each when nothing else runs


def test_bfloat16_is_ordinary_code() -> None:
    use = "__device__ float f(__nv_bfloat16 a, float x) { a += __float2bfloat16(x); return a; }"
    assert not read(f"#include <cuda_bf16.h>\n{use}").diagnostics
    assert read(use).diagnostics
