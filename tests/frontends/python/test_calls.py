"""Which names and arguments does a called function see? Closures, defaults, functions as values, None."""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import KernelTypeError, UnsupportedConstruct
from tests.from_text import define


class Mode(Enum):
    """An enumeration whose members are objects, not numbers."""

    ADD = "add"
    SCALE = "scale"


@cuda.jit(device=True)
def scaled(v, factor=2, *, offset=0):
    return v * factor + offset


@cuda.jit(device=True)
def with_optional(v, weights=None):
    if weights is None:
        return v
    return v * weights[0]


@cuda.jit(device=True)
def truth_of_optional(v, weights=None):
    result = 0
    if not weights and v > 1:
        result = 1
    if weights is not None and weights and weights[0] > 1:
        result += 10
    if weights is None or (weights[0] > 4 and v == 2):
        result += 100
    return result + (1000 if weights is not None and weights[1] else 2000)


@cuda.jit(device=True)
def total(*numbers):
    result = 0
    for number in numbers:
        result += number
    return result


@cuda.jit(device=True)
def square(v):
    return v * v


@cuda.jit(device=True)
def negated(v):
    return -v


@cuda.jit(device=True)
def twice(function, v):
    return function(function(v))


@cuda.jit(device=True)
def by_mode(v, mode):
    return v + 10 if mode is Mode.ADD else v * 10


def computed(text, **names):
    """out[i] of a kernel with this expression of v = 0, 1, 2, 3, and an array w of 5s."""
    kernel = define(
        "@cuda.jit\ndef kernel(w, out):\n    v = cuda.grid(1)\n    out[v] = " + text + "\n",
        **{**globals(), **names},
    )
    out = np.zeros(4, np.int64)
    kernel[1, 4](np.full(4, 5, np.int64), out)
    return out.tolist()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("scaled(v)", [0, 2, 4, 6]),
        ("scaled(v, 3)", [0, 3, 6, 9]),
        ("scaled(v, offset=1)", [1, 3, 5, 7]),
        ("scaled(factor=v, v=v, offset=v)", [0, 2, 6, 12]),
        ("with_optional(v)", [0, 1, 2, 3]),
        ("with_optional(v, w)", [0, 5, 10, 15]),
        ("with_optional(v, weights=None)", [0, 1, 2, 3]),
        ("truth_of_optional(v)", [2100, 2100, 2101, 2101]),
        ("truth_of_optional(v, (5, 0))", [2010, 2010, 2110, 2010]),
        ("truth_of_optional(v, (1, 7))", [1000, 1000, 1000, 1000]),
        ("total()", [0, 0, 0, 0]),
        ("total(v, 1, w[0])", [6, 7, 8, 9]),
        ("total(*(v, v), 1)", [1, 3, 5, 7]),
        ("twice(square, v)", [0, 1, 16, 81]),
        ("twice(negated, v) + twice(scaled, v)", [0, 5, 10, 15]),
        ("by_mode(v, Mode.ADD) + by_mode(v, Mode.SCALE)", [10, 21, 32, 43]),
        ("(square if LIMIT > 3 else negated)(v)", [0, 1, 4, 9]),
    ],
)
def test_arguments_find_their_parameters(machine, call, expected):
    assert computed(call, LIMIT=4) == expected


def test_a_kernel_may_take_none():
    @cuda.jit
    def kernel(x, mask):
        i = cuda.grid(1)
        if mask is None or mask[i]:
            x[i] += 1

    x = np.zeros(3)
    kernel[1, 3](x, None)
    kernel[1, 3](x, np.array([True, False, True]))
    assert x.tolist() == [2, 1, 2]


# What the enclosing function was given is a constant of the kernel.


def make(cuda, size, function, dtype):
    @cuda.jit
    def reverse(x):
        tile = cuda.shared.array(size, dtype)
        i = cuda.threadIdx.x
        tile[i] = function(x[i])
        cuda.syncthreads()
        x[i] = tile[size - 1 - i]

    return reverse


@pytest.mark.parametrize("module", [cuda, gpusim.cuda])
def test_a_kernel_sees_the_arguments_of_the_function_around_it(machine, module):
    x = np.arange(8)
    make(module, 8, square, np.int64)[1, 8](x)
    assert x.tolist() == [i * i for i in reversed(range(8))]
    y = np.arange(4)
    make(module, 4, negated, np.float32)[1, 4](y)
    assert y.tolist() == [-3, -2, -1, 0]


def test_device_functions_of_one_text_may_call_each_other():
    def plus(function, n):
        @cuda.jit(device=True)
        def inner(v):
            return function(v) + n

        return inner

    assert computed("chain(v)", chain=plus(plus(plus(square, 1), 10), 100)) == [111, 112, 115, 120]


@cuda.jit(device=True)
def even(v):
    return odd(v - 1) if v else 1


@cuda.jit(device=True)
def odd(v):
    return even(v - 1) if v else 0


def test_functions_that_call_each_other_for_ever_are_refused():
    with pytest.raises(KernelTypeError, match=r"even\(\) calls itself"):
        computed("even(v)")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("scaled()", KernelTypeError, r"scaled\(v, factor=2, \*, offset=0\) called with 0 argument\(s\)"),
        ("scaled(v, 1, 2)", KernelTypeError, r"called with 3 argument\(s\)"),
        ("scaled(v, speed=1)", KernelTypeError, r"called with 2 argument\(s\)"),
        ("with_optional(v, v)", KernelTypeError, "cannot be indexed"),
        ("total(*w)", UnsupportedConstruct, r"`\*` is not supported"),
        ("scaled(None)", KernelTypeError, "None where a number is needed"),
        ("by_mode(v, Mode.DIVIDE)", UnsupportedConstruct, "Mode has no 'DIVIDE'"),
        ("min(v)", KernelTypeError, r"use min\(\*numbers\)"),
        ("max()", KernelTypeError, "wrong arguments"),
        ("math.sqrt()", KernelTypeError, "wrong arguments"),
        ("math.sqrt(v, v)", KernelTypeError, r"use math.sqrt\(x\)"),
        ("math.comb(v, 2)", UnsupportedConstruct, r"math.comb\(\) is not supported"),
        ("cuda.libdevice.powif(v, 2)", UnsupportedConstruct, "cuda.libdevice has no 'powif'"),
        ("cuda.fp16.hpow(v, v)", UnsupportedConstruct, "cuda.fp16 has no 'hpow'"),
    ],
)
def test_calls_that_do_not_fit_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        computed(call, math=math)


def test_one_device_function_for_arrays_of_any_rank(machine):
    @cuda.jit(device=True)
    def first(array):
        if array.ndim == 2:
            return array[0, 0]
        return array[0]

    @cuda.jit
    def kernel(x, y, out):
        out[0], out[1] = first(x), first(y)

    out = np.zeros(2)
    kernel[1, 1](np.full(3, 4.0), np.full((2, 2), 9.0), out)
    assert out.tolist() == [4, 9]


def test_a_branch_that_no_thread_decides_is_not_compiled():
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if LEVEL > 2 and i >= 0:
            x[i] = 1
        elif not VERBOSE:
            x[i] = 2
        else:
            x[i] = undefined  # noqa: F821

    x = np.zeros(2)
    kernel[1, 2](x)
    assert x.tolist() == [2, 2]
    assert "bra" not in kernel.inspect_ir()


LEVEL, VERBOSE = 1, False
