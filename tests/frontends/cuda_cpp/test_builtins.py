"""Which functions can a kernel call without declaring them, and what is said about the others?"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys
import time

import numpy as np
import pytest

import gpusim
from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp.functions import prototypes
from gpusim.frontends.cuda_cpp.functions.families import FAMILIES
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.machine.printing import formatter

DEVICES = {32: "H200", 64: "MetaX C500"}


def run(body: str, *, device: str = "H200", threads: int = 1) -> np.ndarray:
    """Run one block of a kernel with an array of integers."""
    x = np.zeros(2048, np.int32)
    with gpusim.use(device):
        module = gpusim.RawModule(code=f'extern "C" __global__ void k(int* x)\n{{\n{body}\n}}')
        module.get_function("k")((1,), (threads,), (x,))
    return x


# the tables -----------------------------------------------------------------------------------------------


def caller(builtin: Builtin, number: int) -> str:
    """A kernel that calls it with parameters of the kernel."""
    names = [f"a{place}" for place in range(len(builtin.parameters))]
    given = [f"{type_} {name}" for type_, name in zip(builtin.parameters, names, strict=True)]
    if builtin.name == "printf":
        given, names = [], ['"%d\\n"', "3"]
    if builtin.name in ("nan", "nanf"):
        given, names = [], ['""']
    return f"__global__ void k{number}({', '.join(given)}) {{ {builtin.name}({', '.join(names)}); }}"


@pytest.mark.parametrize("lanes", DEVICES)
def test_every_function_compiles(lanes):
    names = dict.fromkeys(row.name for table in prototypes.OFFERED for row in prototypes.table(table))
    functions = [one for name in names for one in prototypes.find(name, lanes)]
    reals = [one for one in functions if one.family == "real" and len(one.parameters) > 1]
    functions = [one for one in functions if one not in reals] + reals[::7]  # they are alike
    text = "\n".join(caller(builtin, number) for number, builtin in enumerate(functions))
    with gpusim.use(DEVICES[lanes]):
        module = gpusim.RawModule(code=text)
        for number in range(len(functions)):
            module.get_function(f"k{number}")


def test_every_family_is_lowered_and_none_is_unused():
    used = {row.family for table in prototypes.TABLES for row in prototypes.table(table)}
    assert used - {prototypes.IN_CPP, "assert", "memcpy", "memset"} == set(FAMILIES)


def test_masks_have_a_bit_a_lane():
    assert [str(one) for lanes in DEVICES for one in prototypes.find("__activemask", lanes)] == [
        "unsigned int __activemask()",
        "unsigned long long __activemask()",
    ]


def test_overloads_are_those_of_the_header():
    assert [str(one) for one in prototypes.find("atomicAdd", 32)][:3] == [
        "int atomicAdd(int *, int)",
        "unsigned int atomicAdd(unsigned int *, unsigned int)",
        "unsigned long long atomicAdd(unsigned long long *, unsigned long long)",
    ]
    pow_ = {one.parameters: str(one.result) for one in prototypes.find("pow", 32)}
    assert len(pow_) == 64
    assert sum(result == "float" for result in pow_.values()) == 1


def test_finding_a_function_is_quick():
    prototypes.find("sinf", 32)
    start = time.perf_counter()
    for _ in range(1000):
        prototypes.find("sinf", 32)
    assert time.perf_counter() - start < 0.05


# what is refused ------------------------------------------------------------------------------------------


# which are declared as CUDA has them, since a text may well define its own
ARGUMENTS = {
    "alloca": "4", "norm": "1, (double*)x", "normf": "1, (float*)x", "rnorm": "1, (double*)x",
    "rnormf": "1, (float*)x",
}  # fmt: skip


@pytest.mark.parametrize("name", prototypes.REFUSED)
def test_what_cuda_has_and_the_simulator_has_not_is_refused_where_it_is_called(name):
    with pytest.raises(UnsupportedConstruct, match=rf"`{name}` is not supported") as caught:
        run(f"{name}({ARGUMENTS.get(name, 'x[0], 1')});")
    assert prototypes.REFUSED[name] in str(caught.value)
    assert ":3: " in str(caught.value)


def test_legacy_shuffles_name_their_successor():
    with pytest.raises(UnsupportedConstruct, match=r"__shfl_down_sync\(mask, …\)"):
        run("x[0] = __shfl_down(x[0], 1);")


def test_a_family_of_names_is_refused():
    with pytest.raises(UnsupportedConstruct, match="with NumPy"):
        run("curand_init(1, 2, 3, x);")


@pytest.mark.parametrize(
    ("device", "body", "message"),
    [
        ("P100", "x[0] = __reduce_add_sync(~0u, x[0]);", "8.0"),
        ("P100", "__half h; atomicAdd(&h, h);", "compute capability 7.0"),
        ("G80", "double d = 0; atomicAdd(&d, 1.0);", "compute capability 6.0"),
        ("V100", "float4 f = make_float4(0, 0, 0, 0); atomicAdd(&f, f);", "compute capability 9.0"),
        ("H200", "__syncwave();", "use __syncwarp"),
    ],
)
def test_what_a_device_lacks_is_refused(device, body, message):
    with pytest.raises(UnsupportedConstruct, match=message):
        run(body, device=device)


def test_a_width_is_a_power_of_two():
    with pytest.raises(KernelTypeError, match="a shuffle of width 12"):
        run("x[0] = __shfl_sync(~0u, 1, 0, 12);")


# shuffles with a width, by CUDA's rules -------------------------------------------------------------------

SOURCES = {
    "__shfl_sync": lambda lane, n, w: lane - lane % w + n % w,
    "__shfl_up_sync": lambda lane, n, w: lane - n if lane - n >= lane - lane % w else lane,
    "__shfl_down_sync": lambda lane, n, w: lane + n if lane + n < lane - lane % w + w else lane,
    "__shfl_xor_sync": lambda lane, n, w: lane ^ n if lane ^ n < lane - lane % w + w else lane,
}


@pytest.mark.parametrize("lanes", DEVICES)
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("name", SOURCES)
def test_a_width_cuts_the_warp_into_segments(name, constant, lanes):
    cases = [(width, number) for width in (1, 2, 8, 16, lanes) for number in (0, 1, 3, 9, 20)]
    full, lines = "~0u" if lanes == 32 else "~0ull", ["const int i = threadIdx.x, zero = x[0];"]
    for row, (width, number) in enumerate(cases):
        given = width if constant else f"{width} + zero"
        lines.append(f"x[{row * lanes} + i] = {name}({full}, i, {number}, {given});")
    x = run("\n".join(lines), device=DEVICES[lanes], threads=lanes)
    for found, (width, number) in zip(x[: len(cases) * lanes].reshape(-1, lanes), cases, strict=True):
        expected = [SOURCES[name](lane, number, width) for lane in range(lanes)]
        assert found.tolist() == expected, (width, number)


def test_a_width_that_is_the_warp_costs_nothing():
    def listed(call: str) -> str:
        code = f'extern "C" __global__ void k(int* x) {{ x[0] = {call}; }}'
        return str(gpusim.RawModule(code=code).get_function("k").inspect_ir())

    assert "laneid" not in listed("__shfl_sync(~0u, x[0], 3, 32)")
    assert "laneid" in listed("__shfl_sync(~0u, x[0], 3, 16)")


# printf ---------------------------------------------------------------------------------------------------

INTEGERS = [0, 1, -1, 7, 255, -255, 123456, 2**31 - 1, -(2**31)]
REALS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e-7, 123456789.0, 1e20, -2.5e-300, float("inf"), float("-inf"), 0.999996]
FLAGS = ["", "-", "0", "+", " ", "#", "+0", "-+", "0#", " 0", "-#"]
SIZES = ["", "1", "9", ".0", ".3", "9.4", "12."]


@functools.cache
def c_library() -> ctypes.CDLL:
    """The C library that Python runs on."""
    return ctypes.CDLL(ctypes.util.find_library("c"))


def written_by_c(form: str, value: object) -> str:
    """What the C library writes."""
    buffer = ctypes.create_string_buffer(600)
    c_library().snprintf(buffer, 600, form.encode(), value)
    return buffer.value.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="compares with glibc")
@pytest.mark.parametrize("kind", "diuxXofFeEgGaA")
def test_a_conversion_writes_what_c_writes(kind):
    whole = kind in "diuxXo"
    for flags in FLAGS:
        for size in SIZES:
            form = f"<%{flags}{size}{kind}>"
            for value in INTEGERS if whole else REALS:
                given = value & 0xFFFFFFFF if kind in "uxXo" else value
                typed = ctypes.c_int(value) if whole else ctypes.c_double(value)
                assert formatter(form)((given,)) == written_by_c(form, typed), (form, value)


def test_arguments_are_converted_as_the_format_says(capsys):
    run(
        "signed char c = -1; unsigned long long big = 1ull << 63;\n"
        'printf("%u %x %hhu %lld %llu %c|%5s|%-4s|%%", -1, c, c, -5ll, big, 65, "ab", "c");\n'
        'printf(" %.2f %*d %*d| %p\\n", 1.5f, 4, 7, -4, 8, (void*)0);'
    )
    assert capsys.readouterr().out == (
        "4294967295 ffffffff 255 -5 9223372036854775808 A|   ab|c   |% 1.50    7 8   | (nil)\n"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('printf("%d", 1.5)', "'%d' of double"),
        ('printf("%f", 1)', "'%f' of int"),
        ('printf("%d")', "no argument for %d"),
        ('printf("%y", 1)', "'%y' in a format"),
        ('printf("%s", x)', "'%s' of int"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(call, message):
    with pytest.raises((KernelTypeError, UnsupportedConstruct), match=message):
        run(f"{call};")


def test_printf_returns_how_many_arguments_it_printed(capsys):
    assert run('x[0] = printf("%d %d\\n", 1, 2);')[0] == 2
    assert capsys.readouterr().out == "1 2\n"


# others ---------------------------------------------------------------------------------------------------


def test_two_results_go_where_pointers_point():
    x = run(
        "float s, c; sincosf(0.5f, &s, &c); x[0] = (s * s + c * c) * 1000 + 0.5f;\n"
        "int e; x[1] = frexp(12.0, &e) * 100; x[2] = e;\n"
        "double whole; x[3] = modf(-2.75, &whole) * 100; x[4] = whole;\n"
        "int q; x[5] = remquo(7.0, 2.0, &q); x[6] = q;"
    )
    assert x[:7].tolist() == [1000, 75, 4, -75, -2, -1, 4]


def test_a_vector_is_added_element_by_element():
    x = run("float2* f = (float2*)x; float2 old = atomicAdd(f, make_float2(1.5f, 2)); x[2] = old.x;")
    assert x[:2].view(np.float32).tolist() == [1.5, 2.0]


def test_a_pointer_knows_its_space():
    x = run(
        "__shared__ int s[4]; s[0] = 1; x[0] = __isShared(s); x[1] = __isGlobal(s); x[2] = __isGlobal(x);"
    )
    assert x[:3].tolist() == [1, 0, 1]


def test_two_halves_are_shuffled_as_one_word():
    x = run(
        "int i = threadIdx.x; half2 h = __floats2half2_rn(i, -2 * i);\n"
        "h = __shfl_down_sync(~0u, h, 1, 8); x[2 * i] = __low2float(h); x[2 * i + 1] = __high2float(h);",
        threads=32,
    )
    source = [lane + 1 if lane % 8 != 7 else lane for lane in range(32)]
    assert x[:64].tolist() == [part for lane in source for part in (lane, -2 * lane)]


def test_vectors_are_loaded_and_stored_with_a_cache_operator():
    x = run(
        "x[3] = 7; int4 v = __ldcg((int4*)x); __stcs((int2*)&x[4], make_int2(v.w, 8));\n"
        "x[6] = __ldg((const float2*)&x[8]).x == 0;"
    )
    assert x[3:7].tolist() == [7, 7, 8, 1]


def test_dot_products_take_vectors_or_words():
    x = run(
        "char4 a = make_char4(1, -2, 3, 4), b = make_char4(10, 10, 10, -1); x[0] = __dp4a(a, b, 100);\n"
        "x[1] = __dp4a(0x0403fe01, (int)0xff0a0a0a, 100); x[2] = __dp2a_hi(make_short2(300, -1), b, 0);"
    )
    assert x[:3].tolist() == [116, 116, 3001]


def test_all_lanes_agree_or_not():
    x = run(
        "int i = threadIdx.x, same;\n"
        "x[i] = __match_all_sync(~0u, i / 32, &same) == ~0u && same;\n"
        "x[32 + i] = __match_all_sync(~0u, i, &same) == 0 && !same;\n"
        "x[64 + i] = __match_any_sync(~0u, i % 2);",
        threads=32,
    )
    assert x[:64].all()
    assert x[64:66].tolist() == [0x55555555, np.int32(np.uint32(0xAAAAAAAA))]


def test_the_bits_of_a_half_are_a_struct_too():
    text = """#include <cuda_fp16.h>
    __device__ __half lowest() { __half_raw raw; raw.x = 0xfbff; return __half(raw); }
    __global__ void kernel(__half* h, unsigned short* bits) {
        h[0] = lowest();
        h[1] = CUDART_ONE_FP16;
        bits[0] = static_cast<__half_raw>(h[2]).x;
    }"""
    h, bits = np.array([0, 0, 1.5], np.float16), np.zeros(1, np.uint16)
    gpusim.RawModule(code=text).get_function("kernel")((1,), (1,), (h, bits))
    assert h.tolist() == [-65504, 1, 1.5]
    assert bits[0] == h[2:].view(np.uint16)[0]
