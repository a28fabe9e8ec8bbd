"""CUDA C++ has the tree that C++ gives it, and every node knows its place in the reader's text."""

import pytest
from tree_sitter import Node

from gpusim import devices
from gpusim.frontends.cuda_cpp.text.parser import Tree, parse
from gpusim.source import Source

H200 = devices.get("H200")


def tree(text: str) -> Tree:
    return parse(Source("kernel", "kernel.cu", 1, tuple(text.split("\n"))), H200)


def walk(node: Node) -> list[Node]:
    return [node, *(inner for child in node.children for inner in walk(child))]


def first(parsed: Tree, kind: str) -> Node:
    return next(node for node in walk(parsed.root) if node.type == kind)


def kinds(text: str) -> set[str]:
    """The kinds of the nodes in a function's body."""
    body = first(tree(f"void f() {{ {text} }}"), "compound_statement")
    return {node.type for node in walk(body)}


@pytest.mark.parametrize(
    "declaration",
    [
        "__global__ void k(int n, const float* __restrict__ x, float y[]) {}",
        'extern "C" __global__ void k(int n) {}',
        'extern "C" { __global__ void k(int n) {} }',
        "__global__ void __launch_bounds__(256, 2) k(int n) {}",
        "__launch_bounds__(256) __global__ void k(int n) {}",
        "__global__ void __launch_bounds__(256) __maxnreg__(64) k() {}",
        "static __device__ __forceinline__ float f(const float& x, int n = 3) { return x; }",
        "__host__ __device__ constexpr int f(int n) { return n; }",
        "__device__ __constant__ float table[4][2] = {{1, 2}, {3}};",
        "__device__ __managed__ volatile unsigned int count = 0u;",
        "struct __align__(16) P { float x, y; int* data; int a[4]; };",
        "typedef struct __align__(8) { float x; } P;",
        "struct alignas(16) P { float x; __device__ P(float a) : x(a) {} };",
        "struct P { float x; __host__ __device__ float get() const { return x; } };",
        "struct P { __device__ P operator+(const P& o) const { return P(x + o.x); } float x; };",
        "union U { float f; int i; }; enum class Color : int { RED, GREEN = 4 };",
        "typedef float (*op_t)(float, float); using real = float; typedef unsigned char byte, *pbyte;",
        "namespace a::b { __device__ int f() { return 1; } } using namespace a; namespace c = a::b;",
        "template <typename T = float, int N = 4> struct S { T data[N]; };",
        "template <> __device__ int f<int>(int a) { return a; } template __global__ void k<float>(float*);",
        "template <typename... Ts> __device__ void f(Ts... a) {}",
        "template <int N> __device__ void f(float (&r)[N], float (*p)[8]) {}",
        "__device__ float (*table[2])(float) = {f, g};",
        "__attribute__((noinline)) __device__ void f() {} [[nodiscard]] __device__ int g() { return 1; }",
        "__global__ void k(const __grid_constant__ int n) {}",
        'static_assert(sizeof(int) == 4, "size");',
        "#pragma once\n;",
        "",
    ],
)
def test_declarations_parse(declaration: str) -> None:
    assert not tree(declaration).root.has_error


@pytest.mark.parametrize(
    "statement",
    [
        "__shared__ float s[32][33]; extern __shared__ float t[]; static __shared__ int n;",
        "extern __shared__ __align__(16) unsigned char s[];",
        "__align__(16) __shared__ float s[4]; __shared__ __align__(16) float t[4];",
        "volatile __shared__ int s[4]; __shared__ volatile int t[4];",
        "#pragma unroll\nfor (int i = 0, j = 1; i < n; i++, j--) { continue; }",
        "\n#pragma unroll 4\n  for (;;) break;",
        "do { i--; } while (i > 0); while (int t = g()) {}",
        "if (int j = f(i)) return; if constexpr (N > 2) return; else ;",
        "switch (i) { case 0: case 1 + 2: x = 1; break; case A::B: { int t = 1; } default: ; }",
        "goto out; out: return;",
        "k<<<grid, block>>>(x, n); k<<<1, 32, 0, s>>>(x); k<float, 4><<<dim3(1, 2), 32>>>(x);",
        "auto tile = cg::tiled_partition<32>(cg::this_thread_block());",
        'asm volatile("mov.u32 %0, %%laneid;" : "=r"(x) :: "memory"); printf("%d\\n" "x", i); assert(i < n);',
        "auto f = [=] __device__ __host__ (float x) -> float { return x; };",
        "P p = {.x = 1.0f}; P q{1.0f}; float4 v = {}; P s(1, 2); T t = T();",
        "typename T::type u; S<float, 4> w;",
        "*(double2*)&p[k] = make_double2(1, 2); ((float*)p)[i] = 3;",
        "(*((T*)p)).x = reinterpret_cast<int*>(q)[1]; const int* r = const_cast<int*>(q);",
        "for (int i = 0; __invariant(i >= 0), __invariant(i <= n), i < n; i++) ;",
        "double a = 0x1p3, b = 1'000.5, c = .5f, d = 1.f; char e = '\\n'; x = 0b101 + 017 + 5ull;",
    ],
)
def test_statements_parse(statement: str) -> None:
    assert not tree(f"void f() {{ {statement} }}").root.has_error


# What the grammar cannot know: which names are types, and which are templates


@pytest.mark.parametrize("operator", ["-", "*", "&", "+"])
def test_a_type_in_parentheses_converts(operator: str) -> None:
    for declared in ("typedef float T;", "using T = float;", "struct T { float x; };", "enum T { A };"):
        parsed = tree(f"{declared} void f() {{ y = 2 + (T){operator}x; }}")
        assert parsed.text(first(parsed, "cast_expression")).endswith(f"{operator}x")


def test_a_conversion_binds_tighter_than_a_product() -> None:
    parsed = tree("template <typename T> __global__ void k() { y = (T)*x * z; }")
    product = first(parsed, "binary_expression")
    assert [child.type for child in product.children] == ["cast_expression", "*", "identifier"]


def test_a_variable_in_parentheses_does_not_convert() -> None:
    for operator in ("-", "*", "&", "+", "&&"):
        parsed = tree(f"void f(int a) {{ y = 2 + (a) {operator} x; }}")
        assert "cast_expression" not in {node.type for node in walk(parsed.root)}


@pytest.mark.parametrize(
    "value", ["~(a) & x", "+(a) + x", "b - (a) - f / l", "b + (a) && (c) + d", "b * (a) & c", "b + (a) - 1"]
)
def test_a_variable_behind_an_operator_does_not_convert(value: str) -> None:
    assert "cast_expression" not in kinds(f"y = {value};")


@pytest.mark.parametrize("value", ["(n * (m)) & 31", "(n * (m)) - 1", "(n * (m)) * k", "2 + sizeof(n * (m))"])
def test_a_product_in_parentheses_is_no_pointer_type(value: str) -> None:
    assert not kinds(f"y = {value};") & {"cast_expression", "type_descriptor"}


def test_a_step_behind_an_operand_binds_tighter_than_a_sign_before_it() -> None:
    for value in ("-i++", "!i--", "~i++", "- -i++", "-*p++", "-a[i]++", "!(int)i++"):
        parsed = tree(f"void f() {{ y = {value}; }}")
        update = first(parsed, "update_expression")
        assert update.children[0].type in ("identifier", "subscript_expression"), value


def test_a_choice_may_end_in_an_assignment() -> None:
    for statement in ("x = c ? a : m = v;", "c ? a : m = v;", "y = (c ? a : m += v);"):
        parsed = tree(f"void f() {{ {statement} }}")
        other = first(parsed, "conditional_expression").child_by_field_name("alternative")
        assert other is not None
        assert parsed.text(other).strip("()") in ("m = v", "m += v")


@pytest.mark.parametrize(
    "value",
    ["(m = 1, m + 2)", "y * (m += 1, m)", "(*p = 3, a = 2, x)", "(char)(m = 1, m)", "g((m = 1, m), 2)"],
)
def test_a_comma_may_stand_behind_an_assignment(value: str) -> None:
    assert "comma_expression" in kinds(f"x = {value};")


@pytest.mark.parametrize(
    "value", ["(unsigned(x) & 3)", "(long(a) + 1)", "g(unsigned(x))", "[](unsigned(*p)[4]) {}"]
)
def test_integer_types_of_one_word_convert_like_functions(value: str) -> None:
    assert not tree(f"void f() {{ y = {value}; }}").root.has_error


def test_a_type_holds_in_its_template_only() -> None:
    parsed = tree("template <typename T> void f() { x = (T)-1; }\nvoid g(int T) { x = (T)-1; }")
    casts = [parsed.span(node).line for node in walk(parsed.root) if node.type == "cast_expression"]
    assert casts == [1]


def test_a_class_template_is_a_type_behind_its_template() -> None:
    parsed = tree("template <typename T> struct S { T x; };\nvoid g() { y = (S<int>)*p; }")
    assert parsed.span(first(parsed, "cast_expression")).line == 2


def test_sizeof_a_type_and_of_a_variable() -> None:
    parsed = tree("struct P { int a; }; void f(int x) { n = sizeof(P) + sizeof(x) + sizeof(float4); }")
    fields = [
        "type" if node.child_by_field_name("type") else "value"
        for node in walk(parsed.root)
        if node.type == "sizeof_expression" and node.is_named
    ]
    assert fields == ["type", "value", "type"]


@pytest.mark.parametrize(
    "condition",
    [
        "a < b && c > (d)",
        "a < b + 1 || c > (d)",
        "r < size && c < size && r > (0)",
        "p.x < n && y > (z)",
        "q->x < n && y > (z)",
        "threadIdx.x < n && y > (z)",
        "Limits::low < n && y > (z)",
        "g(a < b, c > (d))",
        "g(a < b, c > d)",
        "a < (b) && c > (d)",
        "a < b >> (c & 31)",
        "d - a < b >> (c)",
        "a < b >= c",
        "a < b > -(c)",
        "d * -a < b >> (c)",
    ],
)
def test_two_comparisons_are_no_template(condition: str) -> None:
    for text in (f"if ({condition}) ;", f"bool ok = {condition};", f"return {condition};"):
        assert not kinds(text) & {"template_function", "template_method", "template_type", "cast_expression"}


@pytest.mark.parametrize(
    "call",
    [
        "f<a & b>(c)",
        "f<N, M>(c)",
        "f<int>(c)",
        "f<4>(c)",
        "g<int, N>(c)",
        "static_cast<T>(c)",
        "std::get<A, B>(c)",
    ],
)
def test_a_template_is_no_comparison(call: str) -> None:
    parsed = tree(f"template <int N, int M = 2> void f(int c) {{}}\nvoid h() {{ x = {call}; }}")
    assert "template_function" in {node.type for node in walk(parsed.root)}


@pytest.mark.parametrize(
    "start",
    ["int j(i);", "dim3 grid(i, j);", "P z(x[threadIdx.x]);", "int j(a * b), k(a & b);", "P z(x[i], y[i]);"],
)
def test_a_variable_started_in_parentheses_is_no_function(start: str) -> None:
    assert "function_declarator" not in kinds(start)


def test_a_function_declared_in_a_function_is_one() -> None:
    assert "function_declarator" in kinds("struct P { int a; }; int g(float); int h(P, float4);")


def test_pointers_and_references_to_arrays_are_declared() -> None:
    assert "call_expression" not in kinds("float (*p)[4] = a; float (&r)[4] = a; int (*q)[2][3];")


# Places


def place(parsed: Tree, word: str) -> tuple[int, int]:
    node = next(node for node in walk(parsed.root) if not node.children and parsed.text(node) == word)
    span = parsed.span(node)
    return span.line, span.column


def test_a_node_knows_its_line_and_column() -> None:
    parsed = tree("__global__ void k(int* x)\n{\n\tx[0] = 17;\n}")
    assert place(parsed, "17") == (3, 8)
    assert parsed.end(first(parsed, "number_literal")).column == 3


def test_columns_count_characters() -> None:
    text = '/* größer */ void f() { printf("größe", x); }'
    parsed = tree(text)
    assert place(parsed, "x") == (1, text.index("x"))
    assert parsed.text(first(parsed, "string_literal")) == '"größe"'


def test_what_was_put_in_moves_nothing() -> None:
    text = "struct T { int a; }; void f() { y = (T)-x; if (a < b && c > (d)) z = 1; }"
    parsed = tree(text)
    assert place(parsed, "x") == (1, text.index("x"))
    assert place(parsed, "a") == (1, text.index("a;"))
    assert place(parsed, "z") == (1, text.index("z"))


def test_a_macros_nodes_stand_where_it_is_used() -> None:
    parsed = tree("#define N (2 + 3)\nvoid f() { x[N] = a; }")
    assert place(parsed, "3") == (2, 13)
    assert parsed.macro(first(parsed, "parenthesized_expression")) == "N"
    assert parsed.macro(first(parsed, "subscript_expression")) is None


def test_an_empty_text_has_an_empty_tree() -> None:
    parsed = tree("")
    assert parsed.root.named_children == []
    assert (parsed.span(parsed.root).line, parsed.macro(parsed.root)) == (1, None)


def test_pragmas_come_with_the_tree() -> None:
    parsed = tree("void f() {\n#pragma unroll 2\nfor (;;) ;\n}")
    assert [(pragma.text, pragma.span.line) for pragma in parsed.pragmas] == [("unroll 2", 2)]


def test_host_code_parses() -> None:
    parsed = tree(
        "#include <iostream>\n#include <vector>\n"
        "int main(int argc, char** argv) {\n"
        "  std::vector<float> v(1 << 20, 1.0f);\n"
        "  for (auto& x : v) x = 1;\n"
        "  cudaMalloc((void**)&d, n * sizeof(float));\n"
        "  k<<<(n + 255) / 256, 256>>>(d, n);\n"
        '  std::cout << "done: " << v[0] << std::endl;\n'
        "  delete[] p; float* q = new float[n];\n"
        "  return EXIT_SUCCESS;\n}"
    )
    assert not parsed.root.has_error
