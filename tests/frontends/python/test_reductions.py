"""What are `x.sum()` and `np.argmax(x)` in a kernel? What Numba says, in the type that it says."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import KernelTypeError, UnsupportedConstruct
from tests.from_text import define

NAMES = ("sum", "prod", "mean", "var", "std", "all", "any", "argmin", "argmax")
DTYPES = ("?", "b", "i", "B", "Q", "f", "d", "F", "D")
NUMBERS = np.array([3, 1, 2, 4, 0, 2, 2, 2, 3, 1, 2, 2])  # of mean 2 and variance 1
LAYOUTS = {
    "one axis": NUMBERS * 1.0,
    "every other": (NUMBERS * 1.0)[::2],
    "rows": NUMBERS.reshape(3, 4) * 1.0,
    "columns": NUMBERS.reshape(3, 4).T * 1.0,
    "a part": NUMBERS.reshape(3, 4)[:, 1:] * 1.0,
}
WHOLE = dict.fromkeys("?bi", "q") | dict.fromkeys("BQ", "Q")
# the types that numba-cuda 0.30 says; others are those of the elements
TYPES = {
    **dict.fromkeys(("sum", "prod"), WHOLE),
    "mean": dict.fromkeys("?biBQf", "d") | {"F": "D"},
    **dict.fromkeys(("var", "std"), dict.fromkeys(DTYPES, "d")),
    **dict.fromkeys(("all", "any"), dict.fromkeys(DTYPES, "?")),
    **dict.fromkeys(("argmin", "argmax"), dict.fromkeys(DTYPES, "q")),
}


def reduced(expression, x):
    """What an expression is for one thread, in its own type."""
    kernel = cuda.jit(define(f"def kernel(out, x):\n    r = {expression}\n    out[0] = r\n", "kernel", np=np))
    compiled = kernel.compiled(np.zeros(1, "D"), x).instructions
    registers = {register.name: register.type for one in compiled if (register := one.destination)}
    out = np.zeros(1, registers["r"].dtype)
    kernel[1, 1](out, x)
    return out[0]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in NAMES for dtype in DTYPES if dtype not in "FD" or name[:3] != "arg"],
)
def test_a_reduction_is_what_numpy_says_in_numbas_type(name, dtype):
    x = NUMBERS.astype(dtype)
    ours = reduced(f"x.{name}()", x)
    assert ours.dtype == TYPES[name].get(dtype, dtype)
    assert ours == pytest.approx(getattr(np, name)(x))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_of_every_layout(name, layout):
    x = LAYOUTS[layout]
    assert reduced(f"np.{name}(x)", x) == pytest.approx(getattr(np, name)(x))


def test_a_sum_goes_through_memory_in_order():
    x = np.array([[1e16, 1], [-1e16, 1]])
    assert reduced("x.sum()", x) == 1  # 1e16 + 1 is 1e16
    assert reduced("x.sum()", x.T.copy("F")) == reduced("x.T.sum()", x) == 1
    assert reduced("x.sum()", np.asfortranarray(x)) == 2


@pytest.mark.parametrize("x", [np.array([np.nan, 1]), np.array([1, np.nan, 0]), np.array([2.0, 1, 1, 2])])
@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_the_first_of_several_and_the_first_nan(name, x):
    assert reduced(f"x.{name}()", x) == getattr(np, name)(x)


def test_sum_of_python_begins_with_a_whole_number():
    assert reduced("sum(x)", NUMBERS.astype("f")).dtype == "d"
    assert reduced("sum((1, 2, 3)) + sum(x)", NUMBERS) == 6 + 24


@cuda.jit
def through_flat(out, x):
    i = cuda.threadIdx.x
    out[i] = x.flat[i]
    x.flat[i] = i
    k = 0
    for each in x.flat:
        k += each
    out[i + x.size] = k


def test_flat_counts_with_the_last_index_fastest():
    x = np.arange(12).reshape(3, 4)[:, 1:]
    out = np.zeros(18)
    through_flat[1, 9](out, x)
    assert [*out[:9]] == [1, 2, 3, 5, 6, 7, 9, 10, 11]
    assert x.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert [*out[9:]] == [36] * 9


def refused(statement, error, said):
    kernel = cuda.jit(define(f"def kernel(x, n):\n    {statement}\n", "kernel", np=np))
    with pytest.raises(error, match=said):
        kernel[1, 1](np.ones(3), 2.0)


def test_what_is_no_array_is_refused():
    refused("x[0] = np.sum(n)", KernelTypeError, "takes an array of numbers")
    refused("x[0] = np.sum(x, 0)", KernelTypeError, r"use np\.sum\(array\)")
    refused("x[0] = x.sum(axis=0)", KernelTypeError, r"use np\.sum\(array\)")
    refused("x[0] = np.sum(x, x)", KernelTypeError, r"use np\.sum\(array\)")
    refused("x[0] = x.min()", UnsupportedConstruct, "write a loop over its elements")
    refused("x[0] = len(x.flat)", KernelTypeError, "takes one array or tuple")
    refused("x[0] = x.flat()", UnsupportedConstruct, "flat")
    refused("x[0] = x.flat[1:]", UnsupportedConstruct, "slice")


def test_an_empty_array_has_no_least_element():
    kernel = cuda.jit(define("def kernel(out, x):\n    out[0] = x.argmin()\n", "kernel"))
    with pytest.raises(ValueError, match="empty sequence"):
        kernel[1, 1](np.zeros(1), np.zeros(0))
