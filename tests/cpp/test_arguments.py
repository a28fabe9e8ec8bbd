"""Which arguments does a C++ kernel take, and what is said of those that it does not?"""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

from gpusim import cuda
from gpusim.cpp.arguments import bound
from gpusim.cpp.layouts import fits
from gpusim.errors import KernelTypeError
from gpusim.frontends.cuda_cpp import types as c
from gpusim.frontends.cuda_cpp.types import VECTORS


def parameter(type_, name="x"):
    return SimpleNamespace(name=name, type=type_)


def passed(type_, value):
    """What the machine gets for one argument of this type."""
    (found,) = bound("kernel", [parameter(type_)], [value])
    return found


def struct(name, members, **layout):
    found = c.Struct(name)
    found.complete(members, **layout)
    return found


def refusal(type_, value):
    with pytest.raises(KernelTypeError) as error:
        bound("kernel", [parameter(c.INT, "n"), parameter(type_)], [1, value])
    return str(error.value)


def pointer_to(type_):
    return c.Pointer(c.Const(type_))


PARTICLE = struct("Particle", [("charge", c.CHAR), ("position", VECTORS["float3"]), ("next", c.INT)])
ALIGNED = np.dtype(
    [("charge", "i1"), ("position", [("x", "f4"), ("y", "f4"), ("z", "f4")]), ("next", "i4")], align=True
)


# numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [7, np.int8(7), np.uint64(7), True + 6, np.array(7), np.array([7])])
def test_an_int_takes_whole_numbers_of_python_and_numpy(value):
    found = passed(c.INT, value)
    assert (found, found.dtype) == (7, np.int32)


@pytest.mark.parametrize(
    ("type_", "low", "high"),
    [
        (c.BOOL, 0, 1),
        (c.SCHAR, -128, 127),
        (c.USHORT, 0, 65535),
        (c.INT, -(2**31), 2**31 - 1),
        (c.UINT, 0, 2**32 - 1),
        (c.LONGLONG, -(2**63), 2**63 - 1),
        (c.ULONG, 0, 2**64 - 1),
    ],
)
def test_integers_take_just_the_numbers_that_they_can_hold(type_, low, high):
    assert [int(passed(type_, value)) for value in (low, high)] == [low, high]
    for outside in (low - 1, high + 1):
        message = refusal(type_, outside)
        assert f"argument 2 of kernel, {type_} x, takes {low} to {high}, not {outside}" in message


def test_a_float_for_an_int_is_refused_though_it_be_whole():
    assert "argument 2 of kernel, int x, takes a whole number, not 3.5; round it" in refusal(c.INT, 3.5)
    assert refusal(c.INT, np.float32(3)).endswith("not 3.0; pass 3")
    assert "not inf" in refusal(c.INT, np.inf)


@pytest.mark.parametrize("value", [2.5, np.float64(2.5), np.float16(2.5)])
def test_a_float_takes_numbers_of_any_precision(value):
    found = passed(c.FLOAT, value)
    assert (found, found.dtype) == (2.5, np.float32)
    assert passed(c.DOUBLE, 3).dtype == np.float64


def test_a_float_that_would_become_infinite_is_refused():
    assert "float x, takes up to 3.4e+38, not 1e+300; declare the parameter as a double" in refusal(
        c.FLOAT, 1e300
    )
    assert "not a number of 401 digits" in refusal(c.DOUBLE, 10**400)
    assert np.isinf(passed(c.FLOAT, np.inf))
    assert np.isnan(passed(c.FLOAT, np.nan))


def test_an_array_for_a_number_is_refused():
    message = refusal(c.FLOAT, np.zeros(3))
    assert message.endswith(
        "float x, takes a number, not an array of 3 elements; pass an element, or declare the parameter as a "
        "pointer"
    )
    assert "takes a number, not None; are the arguments in the order" in refusal(c.INT, None)
    assert "not a str" in refusal(c.INT, "7")


# pointers ---------------------------------------------------------------------------------------------------


def test_a_pointer_takes_an_array_as_it_is():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert passed(pointer_to(c.FLOAT), x) is x


def test_a_pointer_takes_device_arrays_and_none():
    x = cuda.to_device(np.arange(4, dtype=np.float32))
    assert passed(pointer_to(c.FLOAT), x).tolist() == [0, 1, 2, 3]
    assert passed(pointer_to(c.FLOAT), None) is None
    assert passed(pointer_to(c.FLOAT), 0) is None


@pytest.mark.parametrize(
    ("dtype", "type_"),
    [
        ("f4", c.FLOAT),
        ("f2", c.HALF),
        ("i4", c.UINT),
        ("u4", c.INT),
        ("i8", c.LONGLONG),
        ("u8", c.LONG),
        ("?", c.BOOL),
        ("i1", c.BOOL),
        ("f8", c.VOID),
        ("f4", c.UCHAR),
        (ALIGNED, c.CHAR),
        ("f4", VECTORS["float4"]),
        ("f4", VECTORS["float3"]),
        ("c8", VECTORS["float2"]),
        ("c16", c.DOUBLE),
        ("u4", VECTORS["uint2"]),
        ([("r", "f4"), ("i", "f4")], VECTORS["float2"]),
        ([("x", "f4"), ("y", "f4"), ("z", "f4")], c.FLOAT),
        (ALIGNED, PARTICLE),
        ("u8", c.Pointer(c.FLOAT)),
        (("f4", (3,)), c.FLOAT),
        ("i4", c.Array(c.INT, 16)),
    ],
)
def test_an_array_fits_that_has_the_numbers_where_the_pointer_expects_them(dtype, type_):
    assert fits(np.zeros(2, dtype).dtype, type_)
    assert passed(pointer_to(type_), np.zeros((2, 4), dtype)) is not None


@pytest.mark.parametrize(
    ("dtype", "type_"),
    [
        ("f8", c.FLOAT),
        ("i4", c.FLOAT),
        ("f4", c.INT),
        ("i8", c.INT),
        (">f4", c.FLOAT),
        ("f8", VECTORS["float2"]),
        ("O", c.LONG),
        ("S4", c.INT),
        ([("charge", "i1"), ("position", "f4", 3), ("next", "i4")], PARTICLE),
    ],
)
def test_an_array_of_other_numbers_is_refused(dtype, type_):
    x = np.zeros(4, dtype)
    assert f"not of {x.dtype}" in refusal(pointer_to(type_), x)


def test_the_message_for_a_wrong_dtype_says_what_to_do():
    x = np.zeros(4)
    assert refusal(pointer_to(c.FLOAT), x) == (
        "argument 2 of kernel, const float *x, takes an array of float32, not of float64; "
        "pass x.astype(np.float32)"
    )
    assert refusal(c.Pointer(c.FLOAT), x).endswith(
        "float *x, takes an array of float32, not of float64; make it with dtype=np.float32: in a copy by "
        "astype() the kernel's results would be lost"
    )
    assert "takes an array of int32 or uint32, not of float64" in refusal(pointer_to(c.INT), x)
    assert "takes an array of uint8 or int8, not" not in refusal(pointer_to(VECTORS["float4"]), x)
    assert "align=True" in refusal(pointer_to(PARTICLE), x)


def test_a_number_or_list_for_a_pointer_is_refused():
    assert refusal(c.Pointer(c.INT), [1, 2]).endswith(
        "takes an array of int32 or uint32, not a list; pass np.array(…, np.int32), which the kernel can "
        "also write to"
    )
    assert "not the number 3.0; pass np.array([…], np.float32)" in refusal(c.Pointer(c.FLOAT), 3.0)
    assert 'not a bytes; pass np.frombuffer(b"…", np.uint8)' in refusal(pointer_to(c.CHAR), b"text")
    text = passed(pointer_to(c.CHAR), np.frombuffer(b"text", np.uint8))
    assert text.tobytes() == b"text"
    assert "and 1000 is no address in the device's memory" in refusal(c.Pointer(c.FLOAT), 1000)


def test_a_list_of_arrays_for_pointers_to_pointers_is_refused_with_the_way_out():
    rows = [cuda.to_device(np.zeros(3, np.float32))]
    message = refusal(c.Pointer(c.Pointer(c.FLOAT)), rows)
    assert "float **x, takes an array of addresses, not a list; pass np.array([row.device_ctypes" in message


def test_an_array_with_gaps_is_refused_with_the_way_out():
    message = refusal(pointer_to(c.FLOAT), np.zeros((4, 4), np.float32)[:, 1])
    assert "takes an array in one piece, row after row; this one has shape (4,) and strides (16,)" in message
    assert message.endswith("pass np.ascontiguousarray(x)")


def test_columns_first_is_refused_unless_said():
    x = np.zeros((3, 4), np.float32)
    assert refusal(pointer_to(c.FLOAT), x.T).endswith('or its memory as it lies: x.ravel("K")')
    assert passed(pointer_to(c.FLOAT), x.T.ravel("K")).base is x


def test_an_address_that_a_kernel_left_is_a_pointer_again():
    x = cuda.to_device(np.arange(4, dtype=np.float32))
    found = passed(c.Pointer(c.FLOAT), np.uint64(x.gpu_data.address + 8))
    assert found[:8].view(np.float32).tolist() == [2, 3]


# structs ----------------------------------------------------------------------------------------------------

FIT = struct("Fit", [("w", c.Array(c.FLOAT, 2)), ("n", c.INT), ("data", c.Pointer(c.DOUBLE))])


@pytest.mark.parametrize(
    "make",
    [
        lambda data: {"w": [1, 2], "n": 3, "data": data},
        lambda data: ([1, 2], 3, data),
        lambda data: namedtuple("Fit", "w n data")(np.array([1, 2]), 3, data),
    ],
)
def test_a_struct_is_passed_by_its_members(make):
    data = np.zeros(5)
    one, two, n, pointer = bound("kernel", [parameter(FIT)], [make(data)])
    assert (one, two, n) == (1, 2, 3)
    assert (one.dtype, n.dtype) == (np.float32, np.int32)
    assert pointer is data


def test_a_struct_is_passed_as_a_record():
    record = np.array((5, (1, 2, 3), 7), ALIGNED)
    for value in (record, record[()], record.reshape(1)):
        assert [int(leaf) for leaf in bound("kernel", [parameter(PARTICLE)], [value])] == [5, 1, 2, 3, 7]


def test_a_vector_is_passed_as_a_tuple_an_array_or_a_complex_number():
    vector = [parameter(VECTORS["float2"])]
    for value in ((1, 2), [1, 2], np.array([1, 2]), 1 + 2j, np.complex64(1 + 2j), {"y": 2, "x": 1}):
        assert [float(leaf) for leaf in bound("kernel", vector, [value])] == [1, 2]


def test_a_wrong_member_is_named():
    assert "argument 2 of kernel, int x.n, takes a whole number, not 1.5" in refusal(FIT, ([1, 2], 1.5, None))
    assert "float x.w[1], takes a number, not a str" in refusal(FIT, ([1, "2"], 1, None))
    assert "Fit x, has the members w, n, data; give 'data', too, it has no 'm'" in refusal(
        FIT, {"w": [1, 2], "n": 1, "m": 1}
    )
    assert "Fit x, takes 3 members, not 2; pass (w, n, data)" in refusal(FIT, ([1, 2], 1))
    assert "x.w, takes 2 elements, not 3" in refusal(FIT, ([1, 2, 3], 1, None))
    assert "Fit x, takes a Fit, not the number 3; pass its members: (w, n, data)" in refusal(FIT, 3)
    packed = np.zeros((), [("charge", "i1"), ("position", "f4", 3), ("next", "i4")])
    assert "takes a record laid out as" in refusal(PARTICLE, packed)


# how many ---------------------------------------------------------------------------------------------------


def test_missing_arguments_are_named():
    saxpy = [parameter(c.INT, "n"), parameter(c.FLOAT, "a"), parameter(c.Pointer(c.FLOAT), "y")]
    with pytest.raises(KernelTypeError) as error:
        bound("saxpy", saxpy, [3])
    assert str(error.value) == "saxpy(int n, float a, float *y) takes 3 arguments, not 1; pass a and y, too"
    with pytest.raises(KernelTypeError, match="takes 3 arguments, not 4; leave out the last"):
        bound("saxpy", saxpy, [3, 2.0, None, None])
