"""A text that is no C++ is refused where the mistake stands, in the words of a compiler."""

import pytest

from gpusim import devices
from gpusim.errors import KernelSyntaxError
from gpusim.frontends.cuda_cpp.text.parser import parse
from gpusim.source import Source

KERNEL = "__global__ void k(int* x) {"


def refusal(text: str) -> KernelSyntaxError:
    with pytest.raises(KernelSyntaxError) as caught:
        parse(Source("kernel", "kernel.cu", 1, tuple(text.split("\n"))), devices.get("H200"))
    return caught.value


def test_the_message_shows_the_line_and_a_caret_behind_the_last_word() -> None:
    assert str(refusal(f"{KERNEL}\n  int i = threadIdx.x\n  x[i] = 1;\n}}")) == (
        "kernel.cu:2: expected `;` after `x`\n"
        "    int i = threadIdx.x\n"
        "                       ^"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message", "line", "column"),
    [
        # a semicolon
        ("  int i = 0\n  x[i] = 1;\n}", "expected `;` after `0`", 2, 11),
        ("  int i = 0\n  if (i < 3) x[i] = 1;\n}", "expected `;` after `0`", 2, 11),
        ("  int i = 0\n  int j = 0\n  int l = 0;\n}", "expected `;` after `0`", 2, 11),
        ("  x[0] = 1\n}", "expected `;` after `1`", 2, 10),
        ("  x[0] = 1\n  return;\n}", "expected `;` after `1`", 2, 10),
        ("  x[0] = 1\n  for (int i = 0; i < 3; i++) x[i] = 1;\n}", "expected `;` after `1`", 2, 10),
        ("  __syncthreads()\n  x[1] = 2;\n}", "expected `;` after `)`", 2, 17),
        ("  int y = x[0]\n  (void)y;\n}", "expected `;` after `]`", 2, 14),
        ("  return\n}", "expected `;` after `return`", 2, 8),
        ("  do { x[0] = 1; } while (x[1])\n}", "expected `;` after `)`", 2, 31),
        ("  x[0] = 1 }", "expected `;` after `1`", 2, 10),
        ("  int i = 0:\n}", "expected `;`, not `:`", 2, 11),
        # brackets
        ("  for (int i = 0; i < 3; i++ {\n    x[i] = 1;\n  }\n}", "expected `)` after `++`", 2, 28),
        ("  if (x[0] > 3 {\n    x[0] = 1;\n  }\n}", "expected `)` after `3`", 2, 14),
        ("  x[0] = f(1, 2;\n}", "expected `)` after `2`", 2, 15),
        ("  x[0 = 1;\n}", "expected `]` after `1`", 2, 9),
        ("  x[0) = 1;\n}", "expected `]` after `0`", 2, 5),
        ("  __shared__ float s[4\n  x[0] = 1;\n}", "expected `]` after `4`", 2, 22),
        ("  float *p = (float*x;\n}", "expected `)` after `x`", 2, 21),
        ("  x0] = 1;\n}", "unexpected `]`: no `[` is open here", 2, 4),
        ("  x[0] = 1 + 2);\n}", "unexpected `)`: no `(` is open here", 2, 14),
        ("  if (x[0]) {\n    x[0] = 1;\n  }\n}\n}", "unexpected `}`: no `{` is open here", 6, 0),
        ("  if (x[0]) {\n    x[0] = 1;\n}", "this `{` is never closed", 2, 12),
        ("  x[0] = 1;", "this `{` is never closed", 1, 26),
        ("  int a[3] = {1, 2, 3;\n  x[0] = 1;\n}", "this `{` is never closed", 2, 13),
        # headers
        (
            "  for (int i = 0, i < 3, i++) {\n    x[i] = 1;\n  }\n}",
            "the header of a `for` has two `;`",
            2,
            28,
        ),
        ("  for (int i = 0; i < 3) x[i] = 1;\n}", "the header of a `for` has two `;`", 2, 23),
        ("  if x[0] > 3\n    x[0] = 1;\n}", "expected `(` after `if`", 2, 4),
        ("  while x[0] { x[0] = 1; }\n}", "expected `(` after `while`", 2, 7),
        ("  switch (x[0]) { case 1 x[0] = 1; }\n}", "expected `:` after `1`", 2, 24),
        ("  k<<<1, 2>>(x);\n}", "this `<<<` is never closed", 2, 3),
        ("  k<<<1, 2>>>;\n}", "expected `(` and the arguments of the kernel after `>>>`", 2, 13),
        # expressions
        ("  x[0] = 1 +;\n}", "expected an expression after `+`", 2, 12),
        ("  x[0] = f(1,, 2);\n}", "expected an expression after `,`", 2, 13),
        ("  x[0] = f(1 2);\n}", "expected `,` or an operator after `1`", 2, 12),
        ('  printf("%d" x[0]);\n}', 'expected `,` or an operator after `"%d"`', 2, 13),
        ("  x[0] = x[1] ? 2;\n}", "expected `:` and the other value after `2`", 2, 17),
        ("  x.[0] = 1;\n}", "expected a name after `.`", 2, 4),
        ("  int 3x = 1;\n}", "`3x` is neither a number nor a name", 2, 6),
        ("  float f = 1.0.0;\n}", "`1.0.0` is not a number", 2, 12),
        # words in the wrong place
        ("  else x[0] = 1;\n}", "`else` without an `if` before it", 2, 2),
        ("  if (x[0]) x[0] = 1; x[1] = 2; else x[0] = 3;\n}", "`else` without an `if` before it", 2, 32),
        ("  int for = 1;\n}", "`for` cannot be a name: the word belongs to C++", 2, 6),
        ("  case 1: x[0] = 1;\n}", "`case` outside a `switch`", 2, 2),
    ],
)
def test_in_a_kernel(body: str, message: str, line: int, column: int) -> None:
    error = refusal(f"{KERNEL}\n{body}")
    assert error.message == message
    assert (error.span.line, error.span.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("__global__ void k(int* x {\n  x[0] = 1;\n}", "expected `)` after `x`", 1, 24),
        ("__global__ void k(int* x; int n) {\n}", "expected `)` after `x`", 1, 24),
        ("__global__ void k(int* x int n) {\n}", "expected `,` after `x`", 1, 24),
        ("__global__ void k(int* x, ) {\n}", "expected an expression after `,`", 1, 25),
        ("__global__ void k(int* x)\n  x[0] = 1;\n}", "expected `{` after `)`", 1, 25),
        ("__global__ void (int* x) {\n}", "expected a name after `void`", 1, 15),
        ("__global__ k(int* x) {\n}", "`k` has no return type", 1, 11),
        ("_global_ void k(int* x) {\n}", "`_global_` means nothing here", 1, 0),
        ("struct P { float x; float y; }\n__global__ void k(int* x) { }", "expected `;` after `}`", 1, 30),
        ("struct P { float x float y; };", "expected `;` after `x`", 1, 18),
        ("template <typename T\n__global__ void k(T* x) { }", "expected `>` after `T`", 1, 20),
        ("__constant__ float c[4]\n__global__ void k(int* x) { }", "expected `;` after `]`", 1, 23),
        ("__device__ int n = 3\n__device__ int m;", "expected `;` after `3`", 1, 20),
        ("namespace a {\n__global__ void k(int* x) { }", "this `{` is never closed", 1, 12),
        ("x[0] = 1;", "a statement stands outside of every function", 1, 0),
        ("hello world", "expected `;` after `world`", 1, 11),
    ],
)
def test_outside_a_kernel(text: str, message: str, line: int, column: int) -> None:
    error = refusal(text)
    assert error.message == message
    assert (error.span.line, error.span.column) == (line, column)


def test_what_a_macro_brings_in_is_shown_where_it_is_used() -> None:
    error = refusal("#define N 4;\n__global__ void k(int* x) { x[N] = 1; }")
    assert (error.message, error.hint) == ("expected `]` after `4`", "in what the macro N expands to")
    assert (error.span.line, error.span.column) == (2, 30)


def test_a_bracket_of_another_line_is_named() -> None:
    error = refusal(f"{KERNEL}\n  x[0] = (1 +\n    2;\n}}")
    assert (error.message, error.hint) == ("expected `)` after `2`", "it closes the `(` of line 2")


def test_a_near_word_of_cuda_is_suggested() -> None:
    assert refusal("_global_ void k() {\n}").hint == "did you mean `__global__`?"


def test_who_returns_nothing_is_said_of_functions_and_of_kernels() -> None:
    assert refusal("__global__ k() {}").hint == "a kernel returns void"
    assert refusal("__device__ f() {}").hint == "write `void` for a function that returns nothing"


def test_the_caret_stands_below_its_place_where_the_line_holds_tabs() -> None:
    shown = str(refusal(f"{KERNEL}\n\tint\ti\t= 0\n}}")).split("\n")
    assert shown[1:] == ["    int\ti\t= 0", "       \t \t   ^"]


def test_columns_count_characters_of_the_readers_line() -> None:
    error = refusal(f'{KERNEL}\n\tprintf("größe") /* größe */\n}}')
    assert (error.message, error.span.line, error.span.column) == ("expected `;` after `)`", 2, 16)
