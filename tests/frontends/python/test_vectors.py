"""Are CUDA's vector types made, read and passed on as in Numba?"""

from __future__ import annotations

import numba.cuda.stubs
import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import GpuSimError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.python.builtins.vectors import VECTORS
from tests.from_text import define


def test_numba_and_we_have_the_same_vector_types():
    names = {alias: stub.__name__ for stub in numba.cuda.stubs._vector_type_stubs for alias in stub.aliases}
    names |= {stub.__name__: stub.__name__ for stub in numba.cuda.stubs._vector_type_stubs}
    assert {name: VECTORS[name].name for name in VECTORS} == names
    assert all(getattr(cuda, name) is VECTORS[name] for name in names)


def test_parts_are_read_by_name(machine):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        v = cuda.float4(x[i], 2, x[i] * 3, -1)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = v.x, v.y, v.z, v.w

    out = np.zeros((40, 4))
    kernel[2, 20](np.arange(40), out)
    assert out.tolist() == [[i, 2, 3 * i, -1] for i in range(40)]


def test_a_vector_is_made_of_vectors_and_numbers():
    @cuda.jit
    def kernel(out):
        pair = cuda.int32x2(1, 2)
        triple = cuda.int3(pair, 3)
        four = cuda.int32x4(cuda.int32x1(0), triple)
        out[0], out[1], out[2], out[3] = four.x, four.y, four.z, four.w

    out = np.zeros(4)
    kernel[1, 1](out)
    assert out.tolist() == [0, 1, 2, 3]


def test_parts_have_the_type_of_the_vector():
    @cuda.jit
    def kernel(x, out):
        v = cuda.uint8x2(x[0], x[1])
        w = cuda.float32x2(x[2], 0.1)
        out[0], out[1], out[2], out[3] = v.x, v.y, w.x, w.y

    out = np.zeros(4)
    kernel[1, 1](np.array([256, -1, 2**24 + 1]), out)
    assert out.tolist() == [0, 255, 2.0**24, float(np.float32(0.1))]


@cuda.jit(device=True)
def cross(a, b):
    return cuda.double3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


def test_device_functions_take_and_return_them(machine):
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        v = cross(cuda.double3(a[i, 0], a[i, 1], a[i, 2]), cuda.double3(b[i, 0], b[i, 1], b[i, 2]))
        if i % 2 == 0:
            v = cuda.double3(v.x, v.y, -v.z)
        out[i, 0], out[i, 1], out[i, 2] = v.x, v.y, v.z

    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 40, 3))
    out = np.zeros((40, 3))
    kernel[1, 40](a, b, out)
    expected = np.cross(a, b)
    expected[::2, 2] *= -1
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("v = cuda.float4(1, 2)", r"cuda.float32x4\(\) of 2 number\(s\)"),
        ("v = cuda.float2(cuda.int2(1, 2))", "a cuda.int32x2 where a number is needed"),
        ("x[0] = cuda.float2(1, 2)", "an assignment of a cuda.float32x2 to a part"),
        ("x[0] = cuda.float2(1, 2).z", "has no 'z'"),
        ("x[0] = cuda.float2(1, 2)[0]", "a cuda.float32x2 cannot be indexed"),
        ("a, b = cuda.float2(1, 2)", "2 names need a tuple of 2 values"),
        ("v = cuda.float2(1, 2) + cuda.float2(1, 2)", "a cuda.float32x2 where a number is needed"),
        ("x[0] = len(cuda.float2(1, 2))", r"len\(\) takes one array or tuple"),
        ("v = cuda.float2(1, 2)\n    v.x = 3", "an assignment to `v.x`"),
        (
            "v = cuda.float2(1, 2)\n    if x[0] > 0:\n        v = (1, 2)\n    x[0] = v.x",
            "'v' is a tuple of 2 here and a cuda.float32x2 from line 3",
        ),
        ("v = cuda.shared.array(4, cuda.float4)", "the element type is not a number type"),
    ],
)
def test_what_numba_does_not_do_is_refused(statement, message):
    with pytest.raises(GpuSimError, match=message) as caught:
        define(f"@cuda.jit\ndef kernel(x):\n    {statement}\n")[1, 1](np.zeros(2))
    assert isinstance(caught.value, KernelTypeError | UnsupportedConstruct)


def test_on_the_host_there_are_none():
    with pytest.raises(GpuSimError, match="runs inside a kernel only"):
        cuda.float4(1, 2, 3, 4)
