"""What does a text in quotes hold? Several side by side are one."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim

CODE = r"""
__global__ void texts(int* out) {
    char joined[] = "a\tb" "\x41" "c\"";
    for (int i = 0; i < sizeof joined; i++) out[i] = joined[i];
    printf("one " "and " "another\n");
}
"""


def test_texts_side_by_side_are_one(capsys):
    out = np.full(8, -1, np.int32)
    gpusim.RawKernel(CODE, "texts")((1,), (1,), (out,))
    assert out.tolist() == [*b'a\tbAc"', 0, -1]
    assert capsys.readouterr().out == "one and another\n"


def test_a_text_of_the_module_has_its_letters_and_a_zero():
    code = '__constant__ char digits[] = "0123456789abcdef";\n' + (
        "__global__ void hexadecimal(const int* x, char* out, int* size) {\n"
        "    out[threadIdx.x] = digits[x[0] >> 4 * (7 - threadIdx.x) & 15];\n"
        "    *size = sizeof digits;\n}"
    )
    out, size = np.zeros(8, np.int8), np.zeros(1, np.int32)
    gpusim.RawKernel(code, "hexadecimal")((1,), (8,), (np.array([0x1234ABCD], np.int32), out, size))
    assert out.tobytes() == b"1234abcd"
    assert size[0] == 17


@pytest.mark.parametrize(
    ("statements", "letter"),
    [
        ('const char* t = "yes"; c = t[1];', "e"),
        ('const char* t = n ? "yes" : "no"; c = t[1];', "e"),
        ('const char* t; t = "no"; t++; c = *t;', "o"),
        ('c = "0123456789"[n];', "3"),
        ('c = *"first";', "f"),
        ('c = *("abc" + n - 1);', "c"),
        ('auto t = "abc"; c = t[1];', "b"),
        ('c = 3["abcd"];', "d"),
        ('const char* const names[] = {"ab", "cd"}; c = names[n > 2][0];', "c"),
    ],
)
def test_a_text_is_an_array_wherever_it_stands(statements, letter):
    code = f"__global__ void k(int n, char* out) {{ char c; {statements} *out = c; }}"
    out = np.zeros(1, np.int8)
    gpusim.RawKernel(code, "k")((1,), (1,), (3, out))
    assert chr(out[0]) == letter


def test_a_function_steps_through_a_text_that_it_is_given():
    code = """
__device__ int length(const char* p) { int n = 0; while (*p++) n++; return n; }
__global__ void lengths(int* out) { out[threadIdx.x] = length("abc") + length(""); }
"""
    out = np.zeros(2, np.int32)
    gpusim.RawKernel(code, "lengths")((1,), (2,), (out,))
    assert out.tolist() == [3, 3]
