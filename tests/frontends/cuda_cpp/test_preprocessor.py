"""Macros expand as nvcc expands them, and every character remembers where the reader wrote it."""

import time

import pytest

from gpusim import devices
from gpusim.errors import GpuSimError, KernelSyntaxError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp.text.preprocessor import Expanded, expand
from gpusim.source import Source

H200 = devices.get("H200")


def source(text: str) -> Source:
    return Source("kernel", "kernel.cu", 1, tuple(text.split("\n")))


def expanded(text: str, device: str = "H200", **definitions: str) -> Expanded:
    return expand(source(text), devices.get(device), tuple(definitions.items()))


def words(text: str, **more: str) -> str:
    return " ".join(expanded(text, **more).text.split())


def place(text: str, word: str) -> tuple[int, int]:
    """Line and column in the reader's text at which a word of the expanded text stands."""
    result = expanded(text)
    span = result.before.span(result.places[result.text.index(word)])
    return span.line, span.column


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("#define N 4\nx[N]", "x[ 4 ]"),
        ("#define SQUARE(x) ((x) * (x))\nSQUARE(a + 1)", "(( a + 1 ) * ( a + 1 ))"),
        ("#define M -1\ny = -M;", "y = - -1 ;"),
        ("#define CAT(a, b) a##b\nCAT(ker, nel)", "kernel"),
        ("#define TEXT(x) #x\nTEXT(a  < b)", '"a < b"'),
        ('#define LOG(format, ...) printf(format, __VA_ARGS__)\nLOG("%d", i)', 'printf( "%d" , i )'),
        ("#define N 4\n#undef N\nN", "N"),
        ("#define A B\n#define B A\nA", "A"),
        ("#define LAUNCH(k) k<<<1, 32>>>()\nLAUNCH(f)", "f <<<1, 32>>>()"),
        ("#define F(x) x\nF\n(3)", "3"),
        ("#define F(x) x\nint F;", "int F;"),
        ("1'000 + 0x1p-3f", "1'000 + 0x1p-3f"),
        ("a = b /* c */ + d; // e \\\n f\ng", "a = b + d; g"),
        ('s = R"(a // b\n"c")";', 's = R"(a // b "c")";'),
        ("#define LOOP(i) for (int i = 0; \\\n i < 4; ++i)\nLOOP(j)", "for (int j = 0; j < 4; ++ j )"),
    ],
)
def test_macros(text: str, result: str) -> None:
    assert words(text) == result


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("__CUDA_ARCH__ >= 700 && defined(__CUDACC__)", True),
        ("__CUDA_ARCH__ == 900", True),
        ("defined UNKNOWN", False),
        ("UNKNOWN", False),
        ("true && !false", True),
        ("(1 << 4) / 3 == 5 ? 1 : 0", True),
        ("__cplusplus >= 201703L", True),
        ("'a' == 97", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    assert words(f"#if {condition}\nyes\n#else\nno\n#endif") == ("yes" if holds else "no")


def test_elif_takes_the_first_that_holds() -> None:
    assert words("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif") == "b"


def test_what_is_left_out_may_be_any_text() -> None:
    assert words("#if 0\ndon't \"look\n#error here\n#endif\nx") == "x"


def test_the_device_decides_the_architecture() -> None:
    assert words("__CUDA_ARCH__", device="P100") == "600"
    assert words("__CUDA_ARCH__", device="H200") == "900"


def test_the_wide_device_has_macas_macros_and_headers() -> None:
    assert words("#include <mc_runtime.h>\n#ifdef __MACA__\nmaca\n#endif", device="MetaX C500") == "maca"
    assert words("__MACA_ARCH__", device="MetaX C500") == "1000"
    assert words("__MACA_ARCH__") == "__MACA_ARCH__"
    with pytest.raises(UnsupportedConstruct, match=r"mc_runtime\.h"):
        expanded("#include <mc_runtime.h>")


def test_limits_stand_before_every_text() -> None:
    assert words("INT_MAX UINT_MAX FLT_MAX CHAR_BIT") == "2147483647 4294967295U 3.40282347e+38F 8"


def test_constants_of_math_constants_h_need_the_header() -> None:
    assert words("CUDART_PI_F") == "CUDART_PI_F"
    assert words("#include <math_constants.h>\nCUDART_PI_F") == "3.141592654f"


@pytest.mark.parametrize(
    "header",
    [
        "<cuda_runtime.h>", '"device_launch_parameters.h"', "<stdio.h>", "<cstdint>", "<iostream>",
        "<cuda_fp16.h>", "<cooperative_groups.h>", "<cooperative_groups/reduce.h>", '"helper_cuda.h"',
        "<thrust/sort.h>",
    ],
)  # fmt: skip
def test_known_headers_expand_to_nothing(header: str) -> None:
    assert words(f"#include {header}\nx") == "x"


def test_a_header_may_be_named_by_a_macro() -> None:
    assert words("#define HEADER <cmath>\n#include HEADER\nx") == "x"


def test_an_unknown_header_is_refused() -> None:
    with pytest.raises(UnsupportedConstruct) as refusal:
        expanded('int a;\n#include "mine.h"')
    assert str(refusal.value).startswith('kernel.cu:2: the header "mine.h" is not known\n')
    assert "paste what the kernel needs" in str(refusal.value)


def test_a_header_whose_functions_kernels_would_miss_is_refused() -> None:
    with pytest.raises(UnsupportedConstruct, match="pass random numbers in as an array"):
        expanded("#include <curand_kernel.h>")


def test_options_define() -> None:
    assert words("N + F(2)", **{"N": "4", "F(x)": "x*x"}) == "4 + 2 * 2"
    with pytest.raises(GpuSimError, match="-D4 defines no macro"):
        expanded("", **{"4": "1"})


def test_one_text_leaves_nothing_behind_for_the_next() -> None:
    expanded("#define INT_MAX 3\n#define N 4\n#undef FLT_MAX\n")
    assert words("INT_MAX N FLT_MAX") == "2147483647 N 3.40282347e+38F"


@pytest.mark.parametrize(
    "annotation",
    ["__requires(blockDim.x == 64)", "__ensures(n > 0)", "__invariant(i <= n)", "__assume(n > 0)"],
)
def test_annotations_of_verification_tools_do_nothing(annotation: str) -> None:
    assert words(f"{annotation};") == "((void)0) ;"


def test_spellings_of_compilers() -> None:
    assert words("struct __align__(16) P;") == "struct alignas( 16 ) P;"
    assert words("float* __restrict x") == "float* __restrict__ x"


def test_line_and_file() -> None:
    assert words("\n__LINE__ __FILE__\n#define WHERE __LINE__\n\nWHERE") == '2 "kernel.cu" 5'


# Places


def test_copied_characters_keep_their_place() -> None:
    assert place("#define N 4\n\tx[N] = y; /* é */ z", "y") == (2, 8)
    assert place("#define N 4\n\tx[N] = y; /* é */ z", "z") == (2, 19)
    assert place("/* a\n b */ x", "x") == (2, 6)
    assert place("a \\\n  x", "x") == (2, 2)


def test_a_macros_body_stands_where_the_macro_is_used() -> None:
    assert place("#define N 4\nx[N]", "4") == (2, 2)
    assert place("#define INNER 7\n#define OUTER (INNER + 1)\n  OUTER", "7") == (3, 2)


def test_a_macros_argument_stands_where_the_reader_wrote_it() -> None:
    assert place("#define TWICE(x) ((x) + (x))\nTWICE(abc)", "abc") == (2, 6)


def test_the_macro_of_a_character_is_known() -> None:
    result = expanded("#define N 4\nx[N]")
    assert result.macros[result.text.index("4")] == "N"
    assert result.macros[result.text.index("x")] is None


def test_carriage_returns_move_nothing() -> None:
    assert place("int a;\r\n  b;\r", "b") == (2, 2)


def test_lines_count_as_in_the_file() -> None:
    cell = Source("cell", "cell", 12, ("#error here",))
    with pytest.raises(KernelSyntaxError, match="cell:12: #error here"):
        expand(cell, H200)


@pytest.mark.parametrize("text", ["", "\n", "   ", "// only a comment", "x"])
def test_short_texts(text: str) -> None:
    assert words(text) == ("x" if text == "x" else "")


def test_pragmas_are_kept_beside_the_text() -> None:
    result = expanded("void f() {\n  #pragma unroll 4\n  for (;;) ;\n#pragma\n#pragma unroll\n}")
    assert [(pragma.text, pragma.span.line) for pragma in result.pragmas] == [("unroll 4", 2), ("unroll", 5)]
    assert "pragma" not in result.text


def test_a_warning_of_the_text_is_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"kernel\.cu:1: #warning old"):
        expanded("#warning old")


# What is refused, with line and column


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("\n#error no such width", 2, 1, "#error no such width"),
        ("#if 1\nx", 1, 0, "#if 1 is never closed: #endif is missing"),
        ("x\n  #endif", 2, 3, "#endif without #if"),
        ("#else", 1, 1, "#else without #if"),
        ("#elif 1", 1, 1, "#elif without #if"),
        ("#if\n#endif", 1, 1, "#if has no condition"),
        ("#if 3 +\n#endif", 1, 4, "the condition `3 +` has no integer value"),
        ("#ifdef\n#endif", 1, 1, "a macro's name is wanted behind #ifdef"),
        ("#define\n", 1, 1, "a macro's name is wanted behind #define"),
        ("#define 4 N\n", 1, 1, "a macro's name is wanted behind #define"),
        ("#defin N 4\n", 1, 1, "#defin is no directive"),
        ("#include stdio.h\n", 1, 9, "a header is wanted"),
        ("#include\n", 1, 0, "a header is wanted"),
        ("#define F(a, b) a\nx = F(1);", 2, 4, "macro F takes 2 arguments, not 1"),
        ("#define F(a) a\nx = F(1;\n", 2, 5, "the arguments of this macro are never closed"),
        ("a /* b", 1, 2, "this comment is never closed"),
        ('printf("a);\n', 1, 7, 'this " is never closed'),
        ("char c = 'a;\n", 1, 9, "this ' is never closed"),
        ("x = “a”;", 1, 4, "the character “ (U+201C) has no meaning in C++"),
    ],
)
def test_refused(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(KernelSyntaxError) as refusal:
        expanded(text)
    span = refusal.value.span
    assert message in refusal.value.message
    assert (span.line, span.column) == (line, column)


def test_fifty_lines_take_milliseconds() -> None:
    text = "#define N 4\n#define AT(i, j) x[(i) * N + (j)]\n" + "AT(i, j) = y[i] + INT_MAX; // sum\n" * 50
    expanded(text)
    best = min(_seconds(text) for _ in range(5))
    assert best < 0.1  # about 8 ms on an idle machine


def _seconds(text: str) -> float:
    start = time.perf_counter()
    expanded(text)
    return time.perf_counter() - start
