"""Which types does a signature name, and what becomes of the arguments?"""

from __future__ import annotations

import numba
import numpy as np
import pytest

from gpusim import cuda
from gpusim.cuda import signatures
from gpusim.errors import GpuSimError, KernelTypeError
from gpusim.ir.types import F32, F64, PRED, S8, S32, S64, U64, Array, Record


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("void(float32[:], int32)", (Array(F32, 1), S32)),
        ("void()", ()),
        ("(f4[:, :], i8, boolean)", (Array(F32, 2), S64, PRED)),
        ("float64[:,:,::1], float32[::1,:]", (Array(F64, 3, layout="C"), Array(F32, 2, layout="F"))),
        ("void(UniTuple(int64, 2), Tuple((int32, float32[:])))", ((S64, S64), (S32, Array(F32, 1)))),
        ("void(intp, uintp, char, float_, double, bool_)", (S64, U64, S8, F32, F64, PRED)),
    ],
)
def test_a_text_names_types(text, types):
    assert signatures.parse(text).args == types


@pytest.mark.parametrize(
    "given",
    [
        numba.void(numba.float32[:], numba.int32),
        (numba.float32[:], numba.int32),
        ("float32[:]", np.int32),
        "(float32[:], int32)",
    ],
    ids=str,
)
def test_type_objects_of_numba_and_numpy_will_do(given):
    assert signatures.parse(given).args == (Array(F32, 1), S32)


def test_tuples_of_numba_will_do():
    pair = numba.types.Tuple((numba.int64, numba.types.UniTuple(numba.float32, 2)))
    assert signatures.parse((pair,)).args == ((S64, (F32, F32)),)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("void(float32", "it cannot be read"),
        ("void(float33)", "no number type is called 'float33'"),
        ("void(float32[3])", "dimensions are written as : or ::1, not '3'"),
        ("void(float32[::2])", "dimensions are written as : or ::1, not '::2'"),
        ("void(float32[::-1])", "dimensions are written as : or ::1, not '::-1'"),
        ("void(float32\0)", "it cannot be read"),
        ("void(3)", "'3' is not a type"),
        (("float32", {}), r"\{\} is not a type that a kernel's argument can have"),
        ({}, r"\{\} is not a signature; write one as"),
    ],
)
def test_what_is_wrong_with_a_signature_is_said(given, message):
    with pytest.raises(KernelTypeError, match=message):
        signatures.parse(given)


def test_records_of_numba_and_numpy_will_do():
    pair = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
    wanted = (Array(Record(pair), 1), Array(Record(pair), 0, layout="C"))
    assert signatures.parse((numba.from_dtype(pair)[:], pair)).args == wanted


def test_a_kernel_with_a_signature_is_compiled_at_once():
    with pytest.raises(GpuSimError, match="the name 'undefined' is not defined"):

        @cuda.jit("void(float32[:])")
        def kernel(x):
            x[0] = undefined  # noqa: F821


def test_numbers_are_converted_to_the_signature():
    @cuda.jit("void(float32[:], float32, int8)")
    def kernel(x, a, n):
        x[0] = a
        x[1] = n

    x = np.zeros(2, np.float32)
    kernel[1, 1](x, 3, 300)
    assert x.tolist() == [3.0, 44.0]  # 300 - 256
    kernel[1, 1](x, np.float64(0.1), True)
    assert x.tolist() == [np.float32(0.1), 1.0]
    assert kernel.specialized
    assert kernel.get_regs_per_thread() > 0


@pytest.mark.parametrize("arguments", [(np.zeros(2), 1.0), (np.zeros((2, 2), np.float32), 1), (1, 1)])
def test_arrays_must_fit_the_signature(arguments):
    @cuda.jit("void(float32[:], int32)")
    def kernel(x, a):
        x[0] = a

    with pytest.raises(KernelTypeError, match=r"compiled for \(float32\[:\], int32\); .* does not fit"):
        kernel[1, 1](*arguments)


def test_of_several_signatures_the_one_that_fits_best_is_taken():
    @cuda.jit(["void(float32[:], int32)", "void(float32[:], float64)", "void(float64[:], float64)"])
    def kernel(x, a):
        x[0] = a / 2

    x = np.zeros(1, np.float32)
    for value, signature in ((np.int32(3), 0), (1.5, 1), (np.float32(1.5), 1), (np.int8(1), None)):
        if signature is None:  # int8 goes into int32 and into float64 without loss
            with pytest.raises(KernelTypeError, match="fits 2 of them equally well"):
                kernel[1, 1](x, value)
            continue
        kernel[1, 1](x, value)
        assert x[0] == value / 2
        assert kernel.compiled(x, value) is kernel._prepare(kernel._declared[signature])
    assert len(kernel.signatures) == 3


def test_a_signature_may_ask_for_a_contiguous_array():
    @cuda.jit("void(float32[::1])")
    def kernel(x):
        x[0] = 1

    kernel[1, 1](np.zeros(4, np.float32))
    with pytest.raises(KernelTypeError, match=r"\(float32\[::1\]\); \(float32\[:\]\) does not fit"):
        kernel[1, 1](np.zeros(8, np.float32)[::2])


def test_a_device_function_converts_to_its_signature():
    @cuda.jit("int32(float32, float32[:])", device=True)
    def rounded_down(a, x):
        return a + x[0]

    @cuda.jit
    def kernel(out, x):
        out[0] = rounded_down(out[0], x)
        out[1] = rounded_down(16777217, x)

    out = np.array([2.75, 0.0])
    kernel[1, 1](out, np.array([0.5], np.float32))
    assert out.tolist() == [3.0, 16777216.0]  # 2^24 + 1 is no float32
    assert rounded_down(1.5, [2.0]) == 3.5, "on the host it is plain Python"
    with pytest.raises(KernelTypeError, match=r"the array 'x' is not global f32\[:\], as the signature asks"):
        kernel[1, 1](out, np.array([0.5]))


def test_a_device_function_takes_the_signature_that_fits_its_call():
    halved = cuda.jit(["int64(int64)", "float64(float64)"], device=True)(lambda a: a / 2)

    @cuda.jit
    def kernel(out):
        out[0], out[1] = halved(7), halved(7.0)

    out = np.zeros(2)
    kernel[1, 1](out)
    assert out.tolist() == [3, 3.5]


def test_a_kernel_has_no_result():
    with pytest.raises(KernelTypeError, match="a kernel returns nothing, not float32"):
        cuda.jit("float32(float32)")(lambda x: x)


def test_of_a_device_functions_signatures_the_first_that_fits_is_taken():
    """As in Numba, which refuses such a launch of a kernel."""

    @cuda.jit(["float64(float32, float64)", "float64(float64, float32)"], device=True)
    def added(a, b):
        return a + b

    @cuda.jit
    def kernel(x):
        x[0] = added(x[1], x[2])

    x = np.array([0, 1 + 2**-40, 2**-40])
    kernel[1, 1](x)
    assert x[0] == 1 + 2**-40  # a was cut down to a float32, b was not


def test_figures_are_found_by_numbas_types_too():
    @cuda.jit
    def kernel(x, n):
        x[0] = n

    kernel[1, 1](np.zeros(1, np.float32), 1)
    types = numba.void(numba.float32[::1], numba.int64).args
    assert kernel.get_regs_per_thread()[types] == kernel.overloads[types].regs_per_thread
    assert numba.typeof(cuda.to_device(np.zeros((2, 3), np.float32, order="F"))) == numba.float32[::1, :]


def test_types_of_cuda_spell_signatures():
    given = (cuda.float32[:], cuda.float64[:, ::1], cuda.int32)
    assert str(signatures.parse(given)) == "(float32[:], float64[:, ::1], int32)"
    assert str(signatures.parse(cuda.float64(cuda.float64, cuda.boolean)).result.dtype) == "float64"
