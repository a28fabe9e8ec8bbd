"""Is a construct of C++ in a kernel what it is to a C++ compiler? They are in `kernels/constructs.cpp`."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import gpusim
from tests.frontends.cuda_cpp.c_reference import Reference
from tests.frontends.cuda_cpp.launches import DIFFERENT, KERNELS
from tests.hunting import in_turn

ROWS = 64
PIECES = dict(
    re.findall(
        r"^// == (\w+)\n(.*?)(?=^// ==|\Z)",
        (KERNELS / "constructs.cpp").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
)
HEADERS = "cstddef cstdint cstring algorithm array initializer_list limits optional tuple type_traits utility"
WORDS = {
    "__constant__": "",
    "__noinline__": "",
    "__forceinline__": "",
    "__align__(bytes)": "__attribute__((aligned(bytes)))",
}
KERNEL = '\nextern "C" __global__ void kernel(int* out) { out[threadIdx.x] = test(threadIdx.x); }\n'


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    text = "".join(f"#include <{name}>\n" for name in HEADERS.split())
    text += "".join(f"#define {word} {meaning}\n" for word, meaning in WORDS.items())
    for name, piece in PIECES.items():
        run = f"for (int t = 0; t < rows; ++t) out[t] = {name}_::test(t);"
        text += f'namespace {name}_ {{\n{piece}\n}}\nextern "C" void {name}(int rows, int* out) {{ {run} }}\n'
    return Reference(text, tmp_path_factory.mktemp("constructs"))


@cache
def module(name):
    includes = "".join(f"#include <{header}>\n" for header in HEADERS.split())
    return gpusim.RawModule(code=includes + PIECES[name] + KERNEL)


@pytest.mark.parametrize("name", PIECES)
def test_a_construct_means_what_it_means_to_a_compiler(name, reference):
    expected, found = np.zeros(ROWS, np.int32), np.zeros(ROWS, np.int32)
    reference.call(name, ROWS, [expected])
    for device, model in in_turn(DIFFERENT, name):
        found[:] = -1
        with gpusim.use(device=device, scheduling=model):
            module(name).get_function("kernel")((1,), (ROWS,), (found,))
        np.testing.assert_array_equal(found, expected, err_msg=f"{device}, {model}")


def printed(statement, capsys):
    text = "__global__ void kernel(int* x) { int i = threadIdx.x; STATEMENT }".replace("STATEMENT", statement)
    gpusim.RawModule(code=text).get_function("kernel")((1,), (3,), (np.zeros(4, np.int32),))
    return capsys.readouterr().out


def test_a_text_that_is_chosen_at_run_time_is_printed(capsys):
    statement = """const char* names[] = {"even", "odd"};
        printf("%d %s|%5s|%-5.2s|\\n", i, names[i % 2], "x", names[0]);"""
    lines = [f"{i} {name}|    x|ev   |\n" for i, name in enumerate(("even", "odd", "even"))]
    assert printed(statement, capsys) == "".join(lines)
    statement = 'const char* s = i ? "more" : "none"; printf("%*s,", 6, s + 1);'
    assert printed(statement, capsys) == "   one,   ore,   ore,"


def test_a_pointer_to_no_text_is_printed_as_c_prints_it(capsys):
    assert printed('const char* s = i ? "more" : nullptr; printf("%s,", s);', capsys) == "(null),more,more,"


def test_letters_in_any_memory_are_printed(capsys):
    statement = r"""struct Named { int id; char name[16]; };
        char own[8] = "t0";
        __shared__ Named all[3];
        own[1] += i;
        strcpy(all[i].name, own);
        strcat(all[i].name, "!");
        printf("%s %5s|%.1s %s\n", own, all[i].name, own + 1, (const char*)x);"""
    assert printed(statement, capsys) == "".join(f"t{i}   t{i}!|{i} \n" for i in range(3))


def test_a_text_that_has_no_end_is_not_printed(capsys):
    with pytest.raises(gpusim.errors.GpuSimError, match="at most 255 letters"):
        printed('char s[300]; memset(s, 65, 300); printf("%s", s);', capsys)


def test_bits_are_copied_without_memory():
    text = "__global__ void kernel(float f, unsigned* x) { unsigned u; memcpy(&u, &f, sizeof u); *x = u; }"
    kernel = gpusim.RawModule(code=text).get_function("kernel")
    out = np.zeros(1, np.uint32)
    kernel((1,), (1,), (np.float32(1), out))
    assert out[0] == 0x3F800000
