"""`gpusim.pack_parameters`: each parameter's bytes, as g++ lays out a struct of the same members."""

from __future__ import annotations

import ctypes
import random
import shutil
import struct
import subprocess

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelTypeError
from tests.frontends.cuda_cpp.c_reference import COMPILER

VECTORS = {
    f"{name}{count}": (type_, count, size if count == 3 else min(size * count, 16))
    for name, type_, size in (("char", "signed char", 1), ("short", "short", 2), ("int", "int", 4),
                              ("float", "float", 4), ("longlong", "long long", 8), ("double", "double", 8))
    for count in (1, 2, 3, 4)
}  # fmt: skip
POINTERS = ("float*", "const int *", "void*", "double**")
NUMBERS = ("bool", "char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "float",
           "double", "long", "unsigned long", "long long", "unsigned long long")  # fmt: skip
TYPES = (*NUMBERS, *POINTERS, *VECTORS)
# -malign-double: a double is a multiple of 8 in device code, whatever the addresses
BITS = {64: ["-m64"], 32: ["-m32", "-malign-double"]}


def prologue(address_bits):
    """The vector types; those of longs depend on how long these are."""
    known = dict(VECTORS)
    for count in (1, 2, 3, 4):
        size = address_bits // 8
        known[f"long{count}"] = "long", count, size if count == 3 else min(size * count, 16)
    return "".join(
        f"struct alignas({alignment}) {name} {{ {type_} {', '.join('xyzw'[:count])}; }};\n"
        for name, (type_, count, alignment) in known.items()
    )


def accepted_by_a_compiler(text, address_bits, folder):
    if COMPILER is None or "g++" not in COMPILER or shutil.which("g++") is None:
        pytest.skip("it takes g++")
    source = folder / f"layout{address_bits}.cpp"
    source.write_text(prologue(address_bits) + text)
    flags = ["-std=c++17", "-w", "-fsyntax-only", *BITS[address_bits]]
    done = subprocess.run([COMPILER, *flags, str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]


def value_of(type_):
    count = VECTORS.get(type_, (0, int(type_[-1]) if type_[-1].isdigit() else 0))[1]
    return (1,) * count if count else 1


def claims(name, types, found):
    """A struct of these members, and what is claimed of it."""
    members = "".join(f"{type_} p{place}; " for place, type_ in enumerate(types))
    told = [f"struct {name} {{ {members}}};"]
    for place, (type_, one) in enumerate(zip(types, found.parameters, strict=True)):
        told.append(f"static_assert(__builtin_offsetof({name}, p{place}) == {one.offset});")
        told.append(f"static_assert(sizeof({type_}) == {one.size} && alignof({type_}) == {one.alignment});")
    whole = -(-found.size // found.alignment) * found.alignment
    told.append(f"static_assert(sizeof({name}) == {whole} && alignof({name}) == {found.alignment});")
    return told


@pytest.mark.parametrize("address_bits", BITS)
def test_three_thousand_lists_lie_as_gcc_lays_out_a_struct(address_bits, tmp_path):
    drawn, told = random.Random(16), []
    for number in range(3000):
        types = drawn.choices((*TYPES, "long1", "long2", "long3", "long4"), k=drawn.randint(1, 12))
        found = gpusim.pack_parameters(types, *map(value_of, types), address_bits=address_bits)
        told += claims(f"List{number}", types, found)
    accepted_by_a_compiler("\n".join(told), address_bits, tmp_path)


def structs(drawn, count):
    """Structs of numbers, pointers, arrays and earlier structs, and a value for each."""
    made, texts = {}, []
    for number in range(count):
        members, values = [], []
        for place in range(drawn.randint(1, 5)):
            type_ = drawn.choice((*TYPES, *made))
            value = made.get(type_) or value_of(type_)
            length = drawn.choice((0, 0, 0, 1, 3))
            members.append(f"{type_} m{place}" + f"[{length}]" * bool(length))
            values.append([value] * length if length else value)
        aligned = drawn.choice(("", "", "alignas(16) "))
        texts.append(f"struct {aligned}S{number} {{ {'; '.join(members)}; }};")
        made[f"S{number}"] = tuple(values)
    return "\n".join(texts) + "\n", made


def test_structs_lie_as_gcc_lays_them_out(tmp_path):
    drawn = random.Random(17)
    text, made = structs(drawn, 40)
    lists = [drawn.choices((*made, "char", "int*", "double"), k=drawn.randint(1, 5)) for _ in range(60)]
    named = (", ".join(f"{type_} p{place}" for place, type_ in enumerate(types)) for types in lists)
    kernels = (f"__global__ void k{number}({one}) {{}}\n" for number, one in enumerate(named))
    module = gpusim.RawModule(code=text + "".join(kernels))
    for address_bits in BITS:
        told = [text]
        for number, types in enumerate(lists):
            values = [made.get(type_, 1) for type_ in types]
            kernel = module.get_function(f"k{number}")
            found = gpusim.pack_parameters(kernel, *values, address_bits=address_bits)
            told += claims(f"List{number}", types, found)
        accepted_by_a_compiler("\n".join(told), address_bits, tmp_path)


# by hand ----------------------------------------------------------------------------------------------------


def octets(found):
    return "".join(".." if one is None else f"{one:02x}" for one in found.octets)


def test_every_byte_of_a_small_buffer():
    found = gpusim.pack_parameters(["char", "int*", "short", "float"], 65, 0x7F0012345678, -2, 1.5)
    assert octets(found) == "41" + ".." * 7 + "78563412007f0000" + "feff" + "...." + "0000c03f"
    assert (found.size, found.padding, found.alignment, found.base_alignment) == (24, 9, 8, 64)
    narrow = gpusim.pack_parameters(["char", "int*", "short", "float"], 65, 0x1000, -2, 1.5, address_bits=32)
    assert octets(narrow) == "41" + ".." * 3 + "00100000" + "feff" + "...." + "0000c03f"
    assert [one.offset for one in narrow.parameters] == [0, 4, 8, 12]


def test_the_order_is_the_kernels_even_where_another_had_less_padding():
    sizes = [gpusim.pack_parameters(types, 1, 1, 1, 1).size for types in
             (["char", "double", "char", "double"], ["double", "double", "char", "char"])]  # fmt: skip
    assert sizes == [32, 18]


def test_a_struct_of_three_floats_is_aligned_to_its_member_not_to_its_size():
    assert gpusim.pack_parameters(["float", "float3"], 1, (1, 2, 3))["p1"].offset == 4


def test_the_bytes_are_those_that_ctypes_makes():
    class Same(ctypes.Structure):
        _fields_ = [
            ("a", ctypes.c_bool),
            ("b", ctypes.c_double),
            ("c", ctypes.c_uint16),
            ("d", ctypes.c_int64),
        ]

    found = gpusim.pack_parameters(
        ["bool a", "double b", "unsigned short c", "long d"], True, -0.1, 65535, -5
    )
    whole = bytes(one or 0 for one in found.octets)
    assert whole == bytes(Same(True, -0.1, 65535, -5))


KERNEL = r"""
struct Box { int* data; short k; char tag[3]; };
union Either { double d; int i[2]; };
struct Bits { unsigned low : 3, high : 5; };
struct Beside { int* p; int a : 24; unsigned b : 20; };
extern "C" __global__ void child(char c, Box box, double d) { box.data[0] = c + box.k + (int)d + box.tag[2]; }
extern "C" __global__ void either(char c, Either e) {}
extern "C" __global__ void bits(Bits b) {}
extern "C" __global__ void beside(Beside b) {}
extern "C" __global__ void parent(const unsigned char* bytes, int size) {
    char* b = (char*)cudaGetParameterBuffer(8, size);
    for (int i = 0; i < size; ++i) b[i] = bytes[i];
    cudaLaunchDevice((void*)child, b, 1, 1, 0, 0);
}
"""


def kernel(name):
    return gpusim.RawModule(code=KERNEL).get_function(name)


def test_a_kernel_launched_from_the_packed_bytes_gets_the_values():
    x = cuda.to_device(np.zeros(1, np.int32))
    found = gpusim.pack_parameters(kernel("child"), 1, (x, 20, (0, 0, 5)), 300.0)
    assert [(one.name, one.offset) for one in found.parameters] == [("c", 0), ("box", 8), ("d", 24)]
    assert [(one.name, one.offset) for one in found["box"].numbers] == [
        (".data", 8), (".k", 16), (".tag[0]", 18), (".tag[1]", 19), (".tag[2]", 20),
    ]  # fmt: skip
    kernel("parent")[1, 1](np.array([one or 0 for one in found.octets], np.uint8), found.size)
    assert x.copy_to_host()[0] == 326


def test_unions_and_bit_fields():
    found = gpusim.pack_parameters(kernel("either"), 1, [2.0])
    assert (found["e"].offset, bytes(found["e"].octets)) == (8, struct.pack("<d", 2.0))
    assert gpusim.pack_parameters(kernel("bits"), [0b10101010])["b"].octets == (0b10101010, 0, 0, 0)
    with pytest.raises(KernelTypeError, match="Beside b has bit-fields or a base beside pointers"):
        gpusim.pack_parameters(kernel("beside"), (0, 1), address_bits=32)


@cuda.jit
def of_python(x, pair, flag, z, nothing):
    x[0, 0] = pair[0]


def test_a_kernel_in_python_takes_what_numba_passes():
    x = cuda.to_device(np.zeros((4, 2), np.int32))
    found = gpusim.pack_parameters(of_python, x, (7, 1.5), True, np.complex64(1 + 2j), None)
    told = [(one.name, one.type, one.offset, one.numbers[0].value) for one in found.parameters]
    assert told == [
        ("x.meminfo", "void *", 0, "0x0"),
        ("x.parent", "void *", 8, "0x0"),
        ("x.nitems", "long", 16, "8"),
        ("x.itemsize", "long", 24, "4"),
        ("x.data", "void *", 32, hex(x.device_ctypes_pointer.value)),
        ("x.shape[0]", "long", 40, "4"),
        ("x.shape[1]", "long", 48, "2"),
        ("x.strides[0]", "long", 56, "8"),
        ("x.strides[1]", "long", 64, "4"),
        ("pair[0]", "int64", 72, "7"),
        ("pair[1]", "float64", 80, "1.5"),
        ("flag", "boolean", 88, "1"),
        ("z.real", "float32", 92, "1.0"),
        ("z.imag", "float32", 96, "2.0"),
    ]


# what is wrong ----------------------------------------------------------------------------------------------

WRONG = {
    "int8_t of 300": (
        ["int", "signed char c"],
        (1, 300),
        "argument 2 of a kernel, signed char c, takes -128",
    ),
    "a float for an int": (["int n"], (1.5,), "int n, takes a whole number"),
    "an array of the host": (["int* x"], (np.zeros(2),), r"int \*x, takes an address"),
    "too few": (["int a", "int b"], (1,), "takes 2 arguments, not 1.*pass b, too"),
    "too many": (["int a"], (1, 2), "takes 1 argument, not 2"),
    "no type": (["int", "integer n"], (1, 2), "parameter 2: 'integer n' names no type"),
    "no kernel": (len, (), "is no kernel and no list of types"),
    "an address of 64 bits": (
        ["int* x"],
        (1 << 40,),
        "takes 0 to 18446744073709551615|takes 0 to 4294967295",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_names_the_parameter(case):
    kernel, values, message = WRONG[case]
    with pytest.raises(KernelTypeError, match=f"(?s){message}"):
        gpusim.pack_parameters(kernel, *values, address_bits=32 if "64" in case else 64)


def test_other_widths_and_python_arrays_without_an_address():
    with pytest.raises(KernelTypeError, match="32 or 64 bits, not 16"):
        gpusim.pack_parameters(["int"], 1, address_bits=16)
    with pytest.raises(KernelTypeError, match="x has no address yet"):
        gpusim.pack_parameters(of_python, np.zeros((2, 2)), (1, 1.0), True, 1j, None)
    with pytest.raises(KernelTypeError, match=r"of_python\(x, pair, flag, z, nothing\) takes 5"):
        gpusim.pack_parameters(of_python, 1)


def test_four_kilobytes_under_cdp1():
    text = 'struct B { char c[N]; }; extern "C" __global__ void f(B b, int n) {}'
    for size, fits in ((4092, True), (4093, False)):
        kernel = gpusim.RawKernel(text, "f", options=(f"-DN={size}",))
        values = [[0] * size], 1
        assert gpusim.pack_parameters(kernel, *values, cdp=2).most_bytes == 32764
        if fits:
            assert gpusim.pack_parameters(kernel, *values, cdp=1).size == 4096
        else:
            with pytest.raises(
                KernelTypeError, match="int n of f ends at byte 4,100; a parameter buffer has 4,096"
            ):
                gpusim.pack_parameters(kernel, *values, cdp=1)


# for the packer that a reader pushes ------------------------------------------------------------------------


def whole(layout):
    """The bytes of a parameter, None between members."""
    found = [None] * layout.size
    for one in layout.members:
        for number in range(one.count):
            octets = bytes.fromhex(one.octets[number if len(one.octets) > 1 else 0])
            found[one.offset + number * one.size : one.offset + (number + 1) * one.size] = octets
    return found


def test_what_the_packer_has_are_the_bytes_of_pack_parameters():
    x = cuda.to_device(np.zeros(1, np.int32))
    values = 1, (x, 20, (3, 4, 5)), 300.0
    found = gpusim.explore_parameters(kernel("child"), *values)
    packed = gpusim.pack_parameters(kernel("child"), *values)
    for one, other in zip(found.parameters, packed.parameters, strict=True):
        assert [each or 0 for each in whole(one.type.wide)] == list(other.octets)
    box = found.parameters[1].type
    assert box.label == "Box { int *data; short k; char tag[3]; }"
    assert [(one.name, one.offset, one.count, one.values) for one in box.wide.members] == [
        (".data", 0, 1, (f"{x.device_ctypes_pointer.value:#x}",)), (".k", 8, 1, ("20",)),
        (".tag", 10, 3, ("3", "4", "5")),
    ]  # fmt: skip
    assert box.narrow.members[0].values == ("0x12345678",)  # the address has no room: an example
    assert [one.offset for one in box.narrow.members] == [0, 4, 6]


@pytest.mark.parametrize("kernel_name", ["either", "bits"])
def test_examples_stand_in_for_values(kernel_name):
    made = gpusim.explore_parameters(kernel(kernel_name))
    assert made.title == f"The parameters of {kernel_name}"
    for one in made.parameters:
        assert set(whole(one.type.wide)) - {None, 0}


def test_a_kernel_in_python_in_the_packer():
    @cuda.jit
    def scale(x, factor, n):
        x[0] *= factor

    x = cuda.to_device(np.ones(3))
    found = gpusim.explore_parameters(scale, x, 2.0, 3)
    packed = gpusim.pack_parameters(scale, x, 2.0, 3)
    assert [one.name for one in found.parameters] == [one.name for one in packed.parameters]


@pytest.mark.parametrize(
    ("given", "how", "told"),
    [
        (([],), {}, "a kernel has no parameters to pack"),
        ((["int n", "int m"], 1), {}, r"a kernel\(int n, int m\) takes 2 arguments, not 1"),
        ((["int n"],), {"address_bits": 16}, "addresses have 32 or 64 bits, not 16"),
        ((7,), {}, "7 is no kernel and no list of types"),
        ((["int n", "int m"], 2, 2.5), {}, "argument 2 of a kernel, int m, takes a whole number"),
    ],
)
def test_what_cannot_be_packed_is_refused(given, how, told):
    with pytest.raises(KernelTypeError, match=told):
        gpusim.explore_parameters(*given, **how)


# how it looks -----------------------------------------------------------------------------------------------


def test_text_and_html():
    found = gpusim.pack_parameters(["char c", "double d", "int* x"], 1, 2.0, None, cdp=1)
    assert str(found).splitlines() == [
        "a kernel, 64-bit addresses: 24 bytes of at most 4,096 under CDP1, 7 of them padding",
        "parameter  type    first byte  bytes  alignment  padding before  value",
        "c          char             0      1          1               0  1",
        "d          double           8      8          8               7  2.0",
        "x          int *           16      8          8               0  0x0",
        "",
        "    0  01 .. .. .. .. .. .. .. 00 00 00 00 00 00 00 40",
        "   16  00 00 00 00 00 00 00 00",
    ]
    assert "<td" in found._repr_html_()
    assert "01 .. .." in found._repr_html_()


def test_a_kernel_without_parameters():
    found = gpusim.pack_parameters([])
    assert (found.size, found.alignment, found.octets) == (0, 1, ())
    assert "0 bytes" in str(found)


def test_the_widest_alignment_comes_first_not_the_largest_part():
    told = gpusim.explore_parameters(["float3 v", "double d"]).says[-1]
    assert told.endswith("In the order d, v it would be 20, without padding.")
