"""Functions of whole arrays: the shapes, types and messages of `numba.vectorize(…, target="cuda")`."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ArrayError, KernelTypeError
from gpusim.runtime.device_array import DeviceNDArray

KINDS = ["int32(int32, int32)", "float32(float32, float32)", "float64(float64, float64)"]


@cuda.vectorize(KINDS)
def add(a, b):
    """The sum."""
    return a + b


@cuda.guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)")
def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@cuda.guvectorize(["void(float64[:], float64, float64[:], float64[:])"], "(n),()->(n),()")
def scaled(x, factor, out, total):
    total[0] = 0
    for i in range(x.shape[0]):
        out[i] = factor * x[i]
        total[0] += out[i]


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_the_version_of_the_elements_type_is_taken(dtype):
    x = np.arange(1000, dtype=dtype)
    assert add(x, x).dtype == dtype
    np.testing.assert_array_equal(add(x, x), x + x)
    assert (add.__name__, add.__doc__) == ("add", "The sum.")


def test_numbers_and_shapes_are_broadcast():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(add(x, 1), x + 1)
    np.testing.assert_array_equal(add(x[:, :1], x[0]), x[:, :1] + x[0])
    np.testing.assert_array_equal(add(x.T, x.T), x.T + x.T)
    assert add(1.5, 2.5) == [4.0]


def test_a_result_is_where_its_arguments_are():
    x = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    result = add(x, x[0])
    assert isinstance(result, DeviceNDArray)
    np.testing.assert_array_equal(result.copy_to_host(), [[0, 2, 4], [3, 5, 7]])
    host, device = np.zeros((2, 3), np.float32), cuda.device_array((2, 3), np.float32)
    assert add(x, x, out=host) is host
    assert add(x, x, out=device) is device
    np.testing.assert_array_equal(host, device.copy_to_host())


@pytest.mark.parametrize("size", [1, 2, 7, 100, 1025])
def test_a_reduction_is_numpys_and_leaves_its_array(size):
    x = np.arange(size, dtype=np.int32)
    on_device = cuda.to_device(x)
    assert add.reduce(on_device) == add.reduce(x) == x.sum()
    np.testing.assert_array_equal(on_device.copy_to_host(), x)


def test_each_element_is_a_thread():
    x = np.zeros(1000, np.float32)
    with gpusim.profile() as run:
        add(x, x)
    assert run.kernels[0].global_store_sectors == 125


def test_stacks_of_matrices():
    a = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
    b = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    np.testing.assert_array_equal(product(a, b), a @ b)
    np.testing.assert_array_equal(product(a, b[0]), a @ b[0])
    np.testing.assert_array_equal(product(a[0], b[0]), a[0] @ b[0])
    four = np.broadcast_to(a, (2, 3, 2, 4))
    np.testing.assert_array_equal(product(four, np.broadcast_to(b, (2, 3, 4, 5))), four @ b)
    into = np.zeros((3, 2, 5), np.float32)
    assert product(a, b, into) is into
    np.testing.assert_array_equal(into, a @ b)
    assert isinstance(product(cuda.to_device(a), b), DeviceNDArray)


def test_several_results():
    x = np.arange(6.0).reshape(2, 3)
    out, total = scaled(x, np.array([2.0]))
    np.testing.assert_array_equal(out, 2 * x)
    np.testing.assert_array_equal(total, [6, 24])


def test_what_does_not_fit_is_refused():
    x = np.zeros(3, np.float32)
    with pytest.raises(
        KernelTypeError, match=r"No matching version: add is made for .*, not for \(int16, float32\)"
    ):
        add(np.zeros(3, np.int16), x)
    with pytest.raises(KernelTypeError, match="the numbers fit 3 of its versions"):
        add(1 + 0j, np.float16(1))
    with pytest.raises(ArrayError, match=r"arrays of shapes \(3,\), \(2,\) do not fit"):
        add(x, x[:2])
    with pytest.raises(ArrayError, match=r"out has shape \(2,\) and float32; the result has \(3,\)"):
        add(x, x, out=x[:2])
    with pytest.raises(ArrayError, match="one dimension of one element or more"):
        add.reduce(x[:0])


def test_what_does_not_fit_a_signature_of_axes_is_refused():
    a = np.zeros((2, 3, 4), np.float32)
    for arguments, said in (
        ((a,), "accepts 2 positional arguments .* or 3 positional arguments .* Got 1 positional argument"),
        ((a, a), r"arg #2: shape\[1\] mismatch argument: n is 4"),
        ((a[0, 0], a), "arg #1: insufficient inner dimension"),
        ((a, np.zeros((3, 4, 5), np.float32)), r"arg #1: outer dimension mismatch: \(2,\) beside \(3,\)"),
        ((a, a[0].T, np.zeros(1, np.float32)), "output shape mismatch"),
        ((a.astype(np.complex64), a[0].T.astype(np.int8)), "no matching signature"),
    ):
        with pytest.raises((KernelTypeError, ArrayError), match=said):
            product(*arguments)
    with pytest.raises(ArrayError, match="both positional and keyword"):
        product(a, a[0].T, a, out=a)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda f: cuda.vectorize()(f), "needs signatures"),
        (lambda f: cuda.vectorize(f), "needs signatures"),
        (lambda f: cuda.vectorize(["(float32[:], float32)"])(f), "needs a signature such as"),
        (lambda f: cuda.vectorize(KINDS, target="parallel")(f), 'target="cuda"'),
        (lambda f: cuda.vectorize(KINDS, cache=True)(f), "caching is not supported"),
        (lambda f: cuda.vectorize(KINDS, fast=1)(f), "not supported: 'fast'"),
        (lambda f: cuda.guvectorize(["int32(int32[:])"], "(n)->(n)")(f), "cannot return values"),
        (lambda f: cuda.guvectorize(["(int32[:],)"], "(n)->(n)")(f), "takes 2 arguments"),
        (lambda f: cuda.guvectorize(["(int32[:], int32[:])"], "(n)->(k)")(f), "no argument has the axis k"),
        (lambda f: cuda.guvectorize(["(int32[:], int32[:])"], "n->n")(f), "names no axes"),
    ],
)
def test_wrong_declarations_are_refused(make, said):
    with pytest.raises(KernelTypeError, match=said):
        make(lambda a, b: a)


def test_numbas_own_names_take_the_target():
    text = (
        "import numpy as np\nfrom numba import cuda, vectorize\n"
        "@vectorize(['float32(float32)'], target='cuda')\ndef twice(x):\n    return x + x\n"
        "@vectorize(['float64(float64)'])\ndef thrice(x):\n    return 3 * x\n"
        "print(twice(np.ones(2, np.float32)), thrice(2.0), type(thrice).__name__)\n"
    )
    answer = subprocess.run([sys.executable, "-m", "gpusim", "-c", text], capture_output=True, text=True)
    assert answer.stdout == "[2. 2.] 6.0 DUFunc\n", answer.stderr


def test_a_result_has_the_type_of_what_the_function_returns():
    @cuda.vectorize(["(int16, int16)", "(float32, float32)", "float32(float64, float64)"])
    def kept(value, least):
        if abs(value) >= least:
            return value
        return 0.0

    @cuda.vectorize(["(int32, int32)"])
    def added(a, b):
        return a + b

    for dtype, result in ((np.int16, np.float64), (np.float32, np.float64), (np.float64, np.float32)):
        got = kept(np.arange(-2, 2).astype(dtype), dtype(2))
        assert (got.dtype, got.tolist()) == (result, [-2, 0, 0, 0])
    assert added(np.arange(2, dtype=np.int32), np.int32(1)).dtype == np.int64
