"""Macros, conditions and includes do what they do for nvcc; places are those of the reader's text."""

import numpy as np
import pytest

import gpusim
from gpusim.errors import GpuSimError, KernelSyntaxError, OutOfBounds


def value(head: str, expression: str, device: str = "H200", **definitions: str) -> object:
    """What an expression is in a kernel behind some lines."""
    out = np.zeros(1, np.float64)
    options = tuple(f"-D{name}={text}" for name, text in definitions.items())
    with gpusim.use(device):
        code = f"{head}\n__global__ void k(double* out) {{\nout[0] = {expression};\n}}"
        gpusim.RawModule(code=code, options=options).get_function("k")((1,), (1,), (out,))
    return out[0]


def printed(head: str, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    gpusim.RawModule(code=f"{head}\n__global__ void k() {{ {text} }}").get_function("k")((1,), (1,), ())
    return capsys.readouterr().out


def wrong(text: str) -> GpuSimError:
    with pytest.raises(GpuSimError) as caught:
        gpusim.RawModule(code=text).compile()
    return caught.value


@pytest.mark.parametrize(
    ("head", "expression", "result"),
    [
        ("#define N 4", "N", 4),
        ("#define SQUARE(x) ((x) * (x))", "SQUARE(2 + 1)", 9),
        ("#define M -1", "- M", 1),
        ("#define CAT(a, b) a##b\n__device__ int kernel() { return 7; }", "CAT(ker, nel)()", 7),
        ("#define N 4\n#undef N\n#define N 5", "N", 5),
        ("#define A B\n#define B A\n__constant__ int A = 6;", "A + A", 12),
        ("#define F(x) x", "F\n(3)", 3),
        ("#define F(x) (x + 1)\n__constant__ int F = 2;", "F + F(1)", 4),
        ("", "1'000 + 0x1p-3f", 1000.125),
        ("", "1 /* 2 */ + 2; // 4 \\\n + 8", 3),
        ("#define SUM(x, ...) (x + first(__VA_ARGS__))\n"
         "__device__ int first(int a, int b) { return a; }", "SUM(1, 2, 3)", 3),
        ("#define LAST(i) (i \\\n + 1)", "LAST(4)", 5),
        ("#if 0\ndon't \"look\n#error here\n#endif", "1", 1),
        ("#if 0\n#define A 1\n#elif 1\n#define A 2\n#elif 1\n#define A 3\n#else\n#endif", "A", 2),
        ("#define HEADER <cmath>\n#include HEADER", "2", 2),
        ("#define LINE __LINE__\n", "__LINE__ * 100 + LINE", 404),
        ("_Pragma(\"once\")\n#pragma once", "5", 5),
    ],
)  # fmt: skip
def test_macros(head: str, expression: str, result: float) -> None:
    assert value(head, expression) == result


def test_texts_of_macros(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed("#define TEXT(x) #x", 'printf("%s", TEXT(a  < b));', capsys) == "a < b"
    log = "#define LOG(format, ...) printf(format, __VA_ARGS__)"
    assert printed(log, 'LOG("%d,", 3); LOG(R"(%d // b)", 4);', capsys) == "3,4 // b"


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
        ("INT_MAX == 2147483647 && CHAR_BIT == 8", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    assert value(f"#if {condition}\n#define A 1\n#else\n#define A 0\n#endif", "A") == holds


def test_the_device_decides_the_architecture() -> None:
    assert [value("", "__CUDA_ARCH__", name) for name in ("P100", "H200")] == [600, 900]
    assert value("#include <mc_runtime.h>\n#ifdef __MACA__\n#define A 1\n#endif", "A", "MetaX C500") == 1


def test_options_define() -> None:
    assert value("", "N + F(2)", **{"N": "4", "F(x)": "x*x"}) == 8
    with pytest.raises(GpuSimError, match="-D4 defines no macro"):
        value("", "1", **{"4": "1"})


def test_one_text_leaves_nothing_behind_for_the_next() -> None:
    assert value("#undef INT_MAX\n#define INT_MAX 3\n#undef FLT_MAX", "INT_MAX") == 3
    assert value("", "INT_MAX") == 2147483647


def test_constants_of_math_constants_h_need_the_header() -> None:
    assert value("#include <math_constants.h>", "CUDART_PI_F") == pytest.approx(np.pi)
    error = wrong("__global__ void k(float* x) { x[0] = CUDART_PI_F; }")
    assert (error.message, error.hint) == ("`CUDART_PI_F` is not declared", "it is in <math_constants.h>")


@pytest.mark.parametrize(
    "annotation",
    ["__requires(blockDim.x == 64)", "__ensures(n > 0)", "__invariant(i <= n)", "__assume(n > 0)"],
)
def test_annotations_of_verification_tools_do_nothing(annotation: str) -> None:
    gpusim.RawModule(code=f"__global__ void k(int n) {{ int i = 0; {annotation}; }}").compile()


def test_a_guard_lets_a_header_in_once(tmp_path) -> None:
    (tmp_path / "own.h").write_text("#ifndef OWN\n#define OWN\n__device__ int own() { return 3; }\n#endif\n")
    (tmp_path / "once.h").write_text('#pragma once\n#include "own.h"\nstruct Once { int x; };\n')
    file = tmp_path / "k.cu"
    names = ("own.h", "once.h", "own.h", "once.h")
    includes = "".join(f'#include "{name}"\n' for name in names)
    file.write_text(includes + "__global__ void k(int* x) { Once a = {own()}; x[0] = a.x; }")
    x = np.zeros(1, np.int32)
    gpusim.RawModule(path=file).get_function("k")((1,), (1,), (x,))
    assert x[0] == 3


# places ----------------------------------------------------------------------------------------------------

AT = [
    ("#define N missing\n\nNOTHING x[@N] = 1;", 3),
    ("#define N missing\n#define M (N + 1)\nx[0] = @M;", 3),
    ("#define TWICE(x) ((x) + (x))\nx[0] = TWICE(@missing);", 2),
    ("\n/* größer */ x[0] = @missing; // größer", 2),
    ("\n\tint\tähnlich = 1;\tähnlich =\t@missing;", 2),
    ("x[0] = 1 + \\\n  @missing;", 2),
    ("/* a\n b */ x[0] = @missing;", 2),
    ("int a;\r\n  @missing;\r", 2),
]


@pytest.mark.parametrize(("body", "line"), AT)
def test_a_place_is_that_of_the_readers_text(body: str, line: int) -> None:
    body = body.replace("NOTHING", "")
    column = body.split("\n")[line - 1].index("@")
    error = wrong(f"__global__ void k(int* x) {{\n{body.replace('@', '')}\n}}")
    assert error.message == "`missing` is not declared"
    assert (error.span.line, error.span.column) == (line + 1, column)


def test_names_and_comments_may_have_any_letters() -> None:
    body = "int größe = 3; /* ä */ for (int ü = 0; /* größe */ ü < größe; /* ß */ ++ü) x[ü] = /* ö */ ü;"
    more = 'if (x[0] /* ä */) x[1] = 9; /* äöü */ else x[3] = 7; printf("größe"); x[@größe + 1] = 1;'
    text = f"__global__ void k(int* x) {{ {body} {more} }}"
    x = np.zeros(4, np.int32)
    with pytest.raises(OutOfBounds) as caught:
        gpusim.RawModule(code=text.replace("@", "")).get_function("k")((1,), (1,), (x,))
    assert x.tolist() == [0, 1, 2, 7]
    assert caught.value.span.column == text.index("@") - len("x[")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("\n#error no such width", 2, 1, "#error no such width"),
        ("#if 1\nint x;", 1, 1, "unterminated conditional directive"),
        ("int x;\n  #endif", 2, 3, "#endif without #if"),
        ("#else", 1, 1, "#else without #if"),
        ("#elif 1", 1, 1, "#elif without #if"),
        ("#if\n#endif", 1, 3, "expected value in expression"),
        ("#if 3 +\n#endif", 1, 7, "expected value in expression"),
        ("#ifdef\n#endif", 1, 6, "macro name missing"),
        ("#define\n", 1, 7, "macro name missing"),
        ("#define 4 N\n", 1, 8, "macro name must be an identifier"),
        ("#define F(a\n", 1, 11, "expected comma in macro parameter list"),
        ("#defin N 4\n", 1, 1, "invalid preprocessing directive"),
        ("#include stdio.h\n", 1, 9, 'expected "FILENAME" or <FILENAME>'),
        ("#include\n", 1, 8, 'expected "FILENAME" or <FILENAME>'),
        ("a /* b", 1, 2, "unterminated /* comment"),
    ],
)
def test_a_line_that_is_wrong_stops_every_kernel(text: str, line: int, column: int, message: str) -> None:
    error = wrong(
        f"{text}\n__global__ void k() {{}}\n" if "/*" not in text else f"__global__ void k() {{}} \n{text}"
    )
    assert isinstance(error, KernelSyntaxError)
    assert error.message == message
    assert (error.span.line - ("/*" in text), error.span.column) == (line, column)


def test_lines_count_as_in_the_file() -> None:
    x = "#define F(a, b) a\n__global__ void k(int* x) {\n  x[0] = F(1);\n}"
    error = wrong(x)
    assert (error.message, error.hint) == (
        "too few arguments provided to function-like macro invocation",
        "macro `F` defined here (line 1)",
    )
    assert (error.span.line, error.span.column) == (3, 12)
