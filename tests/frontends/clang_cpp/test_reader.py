"""Clang reads what a reader writes; a node is traced to its line, a built-in function to its row."""

from typing import Any

import pytest
from clang.cindex import CursorKind

from gpusim import devices
from gpusim.frontends.clang_cpp import clang
from gpusim.frontends.clang_cpp.reader import Parsed, parse
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


def test_what_a_text_defines_stands_beside_what_cuda_has() -> None:
    own = "__device__ double atomicAdd(double* p, double x);\n__device__ float3 make_float3(float x);"
    use = "__device__ void f(double* p, int* q) { atomicAdd(p, 1.0); atomicAdd(q, 1); make_float3(1.0f); }"
    assert called(f"{own}\n{use}") == ["", "int atomicAdd(int*, int)", ""]
