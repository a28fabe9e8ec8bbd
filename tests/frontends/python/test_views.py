"""What does a slice, a transposed or a reshaped array hold in a kernel? What NumPy says; and where it is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba.core import types
from numba.core.typing.arraydecl import get_array_index_type

import gpusim
from gpusim import cuda
from gpusim.errors import KernelRaised, KernelTypeError, OutOfBounds
from gpusim.events import MemoryAccess
from tests.from_text import define
from tests.observing import EveryGrid

# Every statement runs once as a kernel of one thread and once as plain Python with NumPy.

READS = [
    "x[2:10][3]",
    "x[2:][0]",
    "x[:3][2]",
    "x[::2][4]",
    "x[1::3][2]",
    "x[::-1][0]",
    "x[8:2:-2][1]",
    "x[-3:][0]",
    "x[-3:-1][1]",
    "x[:-9][2]",
    "x[2:10][2:5][1]",
    "x[2:10][-1]",
    "x[5:5].size",
    "x[9:2].size",
    "x[100:].size",
    "x[-100:2].size",
    "x[:100].size",
    "x[2:11:3].size",
    "x[::-1][3:1:-1][0]",
    "x[:2:-1].size",
    "x[-1:-100:-5].size",
    "x[i:j][1]",
    "x[i:j].size",
    "x[j:i].size",
    "x[i - 20 : j].size",
    "x[-i:].size",
    "x[i:j:i].size",
    "x[j:i:-i].size",
    "x[::i - 6].size",
    "x[::i - 6][1]",
    "len(x[3:7])",
    "x[3:7].shape[0]",
    "x[::3].strides[0]",
    "x[::-1].strides[0]",
    "x.strides[0]",
    "x[3:7].nbytes",
    "x[3:7].itemsize",
    "x[3:7].ndim",
    "m[:, 2][1]",
    "m[1, 1:][2]",
    "m[1][1:][2]",
    "m[1:, ::2][1, 1]",
    "m[1:][1, 3]",
    "m[i - 3 : , j - 7 :][0, 1]",
    "m[..., 1][2]",
    "m[1, ...][2]",
    "m[...][1, 2]",
    "m[:, np.newaxis, 1][2, 0]",
    "m[np.newaxis][0, 1, 2]",
    "m[1, None, 1:][0, 2]",
    "m[1:, None].ndim",
    "m[:, None, 1:3].shape[1]",
    "m.T[3, 1]",
    "m.T[1:][2, 1]",
    "m.T[1][2]",
    "m.T.shape[0]",
    "m.transpose()[3, 1]",
    "m.T.T[1, 3]",
    "m.strides[0]",
    "m.T.strides[0]",
    "m[:, 1].strides[0]",
    "m[1].strides[0]",
    "m.size",
    "m.nbytes",
    "m[:, 1:3].size",
    "m.reshape(12)[7]",
    "m.reshape(2, 6)[1, 2]",
    "m.reshape((4, 3))[2, 1]",
    "m.reshape(-1)[7]",
    "m.reshape((2, -1))[1, 2]",
    "m.reshape(2, i - 2, -1)[1, 1, 2]",
    "m[1].reshape(2, 2)[1, 0]",
    "m[1:].reshape(8)[6]",
    "x[2:8].reshape(2, 3)[1, 1]",
    "x.view(np.int16)[3]",
    "x.view(np.uint8)[13]",
    "x.view(np.int64)[2]",
    "x[4:8].view(np.float64).size",
    "m.view(np.int8)[1, 9]",
    "m.view(np.int64)[1, 1]",
    "m.T.view(np.uint32)[1, 2]",
    "c[1, :, 2][1]",
    "c[:, 1][1, 2]",
    "c[1, ..., 2][1]",
    "c[:, :, 1:][1, 2, 0]",
    "c.T[3, 2, 1]",
    "c.T[3][2, 1]",
    "c[1].T[3, 2]",
    "c[1, 1:, ::2].size",
    "c.strides[1]",
    "f[1, 2]",
    "f[1:, 2][1]",
    "f.T[2, 1]",
    "f.T.reshape(12)[5]",
    "f.strides[0]",
    "f.strides[1]",
    "s[2]",
    "s[1:][1]",
    "s[::-1][0]",
    "s.strides[0]",
    "b[0]",
    "b[2:][0]",
    "b.strides[0]",
    "z[()]",
    "z.size",
    "z.ndim",
    "e.size",
    "e[3:].size",
    "x[p[0]:p[1]][0]",
    "m[p[0], p[1]]",
    "m[q]",
    "m[q[0]:, q[1]][0]",
    "(x, s)[1][2]",
    "x[np.int32(2)]",
    "x[2,]",
    "i in (1, 4)",
    "i not in (1, 4)",
    "i in (1, j) and j in (1, 2, 9)",
    "3 in (1, 3)",
    "3 not in (1, 2)",
    "i in ()",
    "x[2] in (x[1] + 1, 5)",
    "tail(x, 3)[1]",
    "tail(m.T, i - 2)[0, 1]",
    "row_sum(tail(x, i))",
    "either_end(x, i > 3)[1]",
    "either_end(x, i > 30)[1]",
    "row_sum(m[1])",
    "row_sum(m[:, 1])",
    "row_sum(m.T[2])",
    "row_sum(x[i:j])",
    "corner(m[1:, 1:])",
]


def arrays():
    base = np.arange(24, dtype=np.int32)
    return {
        "x": np.arange(100, 112, dtype=np.int32),
        "m": np.arange(12, dtype=np.int32).reshape(3, 4) * 10,
        "c": np.arange(24, dtype=np.int16).reshape(2, 3, 4) * 7,
        "f": np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)),
        "s": base[1::3],
        "b": base[::-2],
        "z": np.array(5.5),
        "e": np.zeros(0, np.float32),
        "p": np.array([1, 3]),
        "i": 4,
        "j": 9,
    }


@cuda.jit(device=True)
def row_sum(row):
    total = 0
    for k in range(row.size):
        total += row[k] * (k + 1)
    return total


@cuda.jit(device=True)
def tail(array, start):
    return array[start:]


@cuda.jit(device=True)
def either_end(array, first):
    if first:
        return array[:3]
    return array[-3:]


@cuda.jit(device=True)
def corner(block):
    return block[0, 0] + 1000 * block[-1, -1]


def results(text, launch):
    """What the statements leave in every array, the last of them `out`."""
    given, out = arrays(), np.zeros(4)
    header = f"@cuda.jit(device=True)\ndef kernel({', '.join(given)}, out):\n    q = (1, 2)\n"
    body = "".join(f"    {line}\n" for line in text.splitlines())
    launch(
        define(header + body, row_sum=row_sum, corner=corner, tail=tail, either_end=either_end),
        *given.values(),
        out,
    )
    return [*given.values(), out]


def agree(text):
    """One thread of a kernel, in the usual order and in an adversary's, does what plain Python does."""

    def launch(function, *arguments):
        cuda.jit(function.device_function)[1, 1](*arguments)

    expected = results(text, lambda function, *arguments: function(*arguments))
    for seed in (None, 5):
        with gpusim.use(schedule=seed):
            for ours, theirs in zip(results(text, launch), expected, strict=True):
                assert np.array_equal(ours, theirs), text


@pytest.mark.parametrize("expression", READS)
def test_an_expression_of_views_is_what_numpy_says(expression):
    agree(f"out[0] = {expression}")


BOUNDS = (None, -7, -5, -2, -1, 0, 1, 3, 5, 6, 9)
HEADER = "@cuda.jit\ndef kernel(x, out):\n"
STEPS = (None, 1, 2, 3, 9, -1, -2, -3, -9)
SLICES = [(lower, upper, step) for lower in BOUNDS for upper in BOUNDS for step in STEPS]


@pytest.mark.parametrize("length", [0, 1, 5])
def test_slices_by_bounds_of_the_run_are_pythons(length):
    @cuda.jit
    def kernel(x, bounds, out):
        i = cuda.grid(1)
        if i < out.shape[0]:
            lower, upper, step = bounds[i, 0], bounds[i, 1], bounds[i, 2]
            y = x[lower:upper:step]
            out[i, 0] = y.size
            if y.size:
                out[i, 1] = y[0]
                out[i, 2] = y[-1]
            y = x[lower:upper]
            out[i, 3] = y.size
            out[i, 4] = x[lower:].size
            out[i, 5] = x[:upper:step].size

    x = np.arange(1, length + 1)
    given = [cut for cut in SLICES if None not in cut]
    out = np.zeros((len(given), 6), np.int64)
    kernel[len(given) // 64 + 1, 64](x, np.array(given), out)
    for (lower, upper, step), found in zip(given, out.tolist(), strict=True):
        y = x[lower:upper:step]
        ends = [y[0], y[-1]] if y.size else [0, 0]
        sizes = [x[lower:upper].size, x[lower:].size, x[:upper:step].size]
        assert found == [y.size, *ends, *sizes], (lower, upper, step)


@pytest.mark.parametrize("where", ["x", "cuda.local.array(5, np.int64)"])
def test_slices_by_constants_are_pythons(where):
    given = SLICES[::7]
    spelled = [":".join("" if bound is None else str(bound) for bound in cut) for cut in given]
    lines = [f"    out[{k}, 0] = y[{cut}].size\n" for k, cut in enumerate(spelled)]
    lines += [
        f"    out[{k}, 1] = y[{cut}][-1]\n" for k, cut in enumerate(spelled) if range(5)[slice(*given[k])]
    ]
    kernel = define(HEADER + f"    y = {where}\n    for k in range(5):\n        y[k] = k\n" + "".join(lines))
    out = np.zeros((len(given), 2), np.int64)
    kernel[1, 1](np.arange(5), out)
    for cut, (size, last) in zip(given, out.tolist(), strict=True):
        expected = range(5)[slice(*cut)]
        assert (size, last) == (len(expected), expected[-1] if expected else 0), cut


@pytest.mark.parametrize(
    "statements",
    [
        "x[2:5] = 7",
        "x[:] = 1",
        "x[...] = i",
        "x[::2] = j",
        "x[::-3] = j",
        "m[1] = 5",
        "m[:, 1] = 5",
        "m[1:, ::2] = i",
        "m.T[1] = 3",
        "c[1] = 9",
        "c[:, 1, 1:] = 9",
        "f[1:] = 2.5",
        "f.T[0, 1:] = 2.5",
        "s[1:3] = -1",
        "b[:] = 0",
        "z[...] = 2",
        "z[()] = 2",
        "e[:] = 1",
        "x.fill(3)",
        "m[1].fill(8)",
        "m[:, 2].fill(8)",
        "x[2:4] = 2.9",
        "x[1:3][1] = 5",
        "x[1:][::2][1] += 5",
        "m.T[2, 1] *= 3",
        "m.reshape(12)[5] = 1",
        "x.view(np.int16)[3] = 1",
        "x.view(np.uint8)[1:4] = 255",
        "x[4:8].view(np.int64)[1] = 2**40 + 3",
        "y = x[3:]\ny[0] = 1\ny[-1] = 2",
        "y = m.T\ny[0, 2] = 1\nz[()] = y[1, 1]",
        "row = m[1]\nm[1, 2] = 77\nout[0] = row[2]",
        "t = (x[2:5], m[:, 1])\nt[0][1] = t[1][2]",
        "k = 1\ny = x[k:]\nk = 5\nout[0] = y[0]",
        "k = 1\ny = m[k]\nk = 2\nout[0] = y[0]",
        "a, d = m.shape\nout[0] = a * 100 + d",
        "out[0] = m.shape[-1]\nout[1] = len(m.shape)",
    ],
)
def test_writing_through_views_writes_to_the_array(statements):
    agree(statements)


@pytest.mark.parametrize(
    "statements",
    [
        "for v in x:\n    out[0] = out[0] * 1.5 + v",
        "for v in x[2:9:3]:\n    out[0] = out[0] * 1.5 + v",
        "for row in m:\n    out[0] = out[0] * 1.5 + row[1]",
        "for row in m:\n    for v in row[::-1]:\n        out[0] = out[0] * 1.5 + v",
        "for v in e:\n    out[0] = 1\nelse:\n    out[1] = 2",
        "for v in x:\n    if v == 104:\n        break\n    out[0] += v\nelse:\n    out[1] = 2\nout[2] = v",
        "for v in x:\n    if v % 2 == 0:\n        continue\n    out[0] += v",
        "for v in (3, 1, i):\n    out[0] = out[0] * 10 + v",
        "for v in (3, 1, i):\n    if v == 1:\n        continue\n    out[0] += 2 * v\nelse:\n    out[1] = 1",
        "for v in (3, 1, i):\n    if v == 1:\n        break\n    out[0] += 2 * v\nelse:\n    out[1] = 1",
        "for a in (x, x[3:], m[1]):\n    out[0] = out[0] * 1.5 + a[2]",
        "if i > 2:\n    for a in (s, s[1:]):\n        out[0] = out[0] * 1.5 + a[2]",
        "for v in m.shape:\n    out[0] = out[0] * 10 + v",
        "for k, v in enumerate(x):\n    out[0] += k * v",
        "for k, v in enumerate(x[::2], 5):\n    out[0] += k * v",
        "for k, v in enumerate((7, 8), i):\n    out[0] += k * v",
        "for k, v in enumerate(range(3, 11, 4)):\n    out[0] += (k + 1) * v",
        "for v, w in zip(x, s):\n    out[0] += v * w",
        "for v, w, k in zip(x, s[1:], range(9, 0, -4)):\n    out[0] += v * w + k * k",
        "for k, (v, w) in enumerate(zip(x, b)):\n    out[0] += k * v * w",
        "for v, w in zip((1, 2, 3), (10, 20)):\n    out[0] += v * w",
        "for row, w in zip(m, x):\n    for v in row:\n        out[0] = out[0] * 1.5 + v * w",
        "for a in range(3):\n    for v in x[a:]:\n        out[a] += v",
        "for v in x:\n    v += 1\n    out[0] += v\nout[1] = v",
        "k = 2\nfor v in x[:k]:\n    k = 5\n    out[0] += v",
        "for p[0], x[2] in zip(s, b):\n    out[0] += p[0] * x[2]",
    ],
)
def test_a_loop_goes_through_arrays_tuples_enumerate_and_zip(statements):
    agree(statements)


# A variable may hold now this part of an array, now that one.


@pytest.mark.parametrize(
    "statements",
    [
        "if i > 3:\n    y = x[1:]\nelse:\n    y = x[:3]\nout[0] = y[0] + y.size",
        "if i > 30:\n    y = x[1:]\nelse:\n    y = x[:3]\nout[0] = y[0] + y.size",
        "y = x\nwhile len(y) > 1:\n    out[0] += y[0]\n    y = y[2:]\nout[1] = len(y)",
        "y = m[0]\nfor k in range(1, 3):\n    out[k] = y[1]\n    y = m[k]\nout[0] = y[3]",
        "for k in (0, 2):\n    y = m[k]\n    j += y[1]\nfor k in (0, 3):\n    y = m.T[k]\n    out[k] += y[2]",
        "y = x[2:4]\nif i > 3:\n    y = x[::-1]\nout[0] = y[1]\nout[1] = y.strides[0]",
        "y = x[:i]\nn = len(y)\nn += 1\nout[0] = y[-1] + n",
        "y = x[:i]\nt = y.shape\nn = t[0]\nn += 1\nout[0] = len(y) + n",
        "y = x\ny = x[::2]\nout[0] = y[1]",
        "y = x\ny = m\nout[0] = y[1, 1]",
        "a = x[:6]\nd = x[6:]\nfor k in range(3):\n    a, d = d, a\nout[0] = a[0]\nout[1] = d[0]",
    ],
)
def test_a_variable_may_hold_different_parts_of_an_array(statements):
    agree(statements)


def test_lanes_may_hold_different_parts(machine):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        y = x[:i]
        if i % 3 == 0:
            y = x[i:]
        total = 0
        for k in range(y.size):
            total += y[k]
        out[i] = total

    x, out = np.arange(1, 101), np.zeros(100, np.int64)
    kernel[2, 50](x, out)
    assert out.tolist() == [x[i:].sum() if i % 3 == 0 else x[:i].sum() for i in range(100)]


BOTH = """
@cuda.jit
def kernel(x, y, out):
    i = cuda.grid(1)
    s, r = cuda.shared.array(4, np.float64), cuda.local.array(4, np.float64)
    s[i] = 10 + i
    for k in range(4):
        r[k] = 20 + k
    cuda.syncthreads()
    {}
"""
# statements -> what four threads leave in out, where x is 1, 2, 3, 4 and y is 5, 6, 7, 8
HELD = {
    "a = x\nif i % 2:\n    a = y\nout[i] = a[i]": (1, 6, 3, 8),
    "a = x if i % 2 else y\nout[i] = a[-1]": (8, 4, 8, 4),
    "a = s if i < 2 else r\nout[i] = a[i] + a.size": (14, 15, 26, 27),
    "for k in range(3):\n    x, y = y, x\nout[i] = 10 * x[i] + y[i]": (51, 62, 73, 84),
    "a, b = x, y\nfor k in range(i):\n    a, b = b, a\nout[i] = a[0]": (1, 5, 1, 5),
    "a = x[1:]\nif i % 2:\n    a = y[::2]\nout[i] = a[1] + 10 * a.size": (33, 27, 33, 27),
    "a = x[1:]\nif i == 1:\n    a = x[2:]\na = y\nif i == 1:\n    a = y[1:]\nout[i] = a[0]": (5, 6, 5, 5),
    "a = y\nb = x\na, b = b, a\nif i % 2:\n    if i == 3:\n        a = b\n    b = a\nout[i] = b[0]": (
        5,
        1,
        5,
        5,
    ),
    "a = x\nif i:\n    a = out\ncuda.atomic.add(a, 0, 1)\ncuda.syncthreads()\nout[1] = x[0]": (3, 2, 0, 0),
}


@pytest.mark.parametrize("statements", HELD)
def test_a_variable_holds_now_this_array_now_that_one(statements, machine):
    """As numba-cuda 0.30 compiles them."""
    x, y, out = np.arange(1.0, 5), np.arange(5.0, 9), np.zeros(4)
    kernel = define(BOTH.format(statements.replace("\n", "\n    ")))
    with gpusim.sanitize("memcheck") as report:
        kernel[1, 4](x, y, out)
    assert tuple(out) == HELD[statements]
    assert report.clean


def test_a_device_function_returns_this_array_or_that_one(machine):
    text = (
        "@cuda.jit(device=True)\ndef larger(x, z):\n    if x[0] > z[0]:\n        return x\n    return z\n\n\n"
        "@cuda.jit\ndef kernel(x, z):\n    larger(x, z)[1] = 5\n"
    )
    x, z = np.zeros(4), np.ones(4)
    define(text)[1, 1](x, z)
    assert (x[1], z[1]) == (0, 5)


def test_an_index_beyond_such_an_array_is_found():
    kernel = define(BOTH.format("a = x\n    if i:\n        a = y\n    out[0] = a[i + 4]"))
    freed = cuda.device_array(96)  # its place is where the arrays lie during the launch
    freed.gpu_data.free()
    with pytest.raises(OutOfBounds):
        kernel[1, 4](np.zeros(4), np.zeros(4), np.zeros(4))


def test_a_variable_does_not_hold_arrays_of_two_types_or_a_constant():
    for other in ("cuda.shared.array(4, np.int32)", "TABLE", "x.reshape(2, 2)"):
        kernel = define(
            BOTH.format(f"a = x\n    if i:\n        a = {other}\n    a[0] = 1"), TABLE=np.zeros(4)
        )
        with pytest.raises(
            KernelTypeError, match=r"'a' is the array '\w+' here and the array 'x' from line 10"
        ):
            kernel[1, 4](np.zeros(4), np.zeros(4), np.zeros(4))
    third = define(
        BOTH.format("a = x\n    if i:\n        a = y\n    if i > 1:\n        a = T\n    a[0] = 1"),
        T=np.zeros(4),
    )
    with pytest.raises(KernelTypeError, match="'a' is the array 'T' here"):
        third[1, 4](np.zeros(4), np.zeros(4), np.zeros(4))


def test_heat_flows_between_two_buffers_that_change_places():
    """The example of Numba's documentation, as it stands there."""

    @cuda.jit
    def solve_heat_equation(buf_0, buf_1, timesteps, k):
        i = cuda.grid(1)
        if i >= len(buf_0):
            return
        grid = cuda.cg.this_grid()
        for step in range(timesteps):
            if (step % 2) == 0:
                data = buf_0
                next_data = buf_1
            else:
                data = buf_1
                next_data = buf_0
            curr_temp = data[i]
            if i == 0:
                next_temp = curr_temp + k * (data[i + 1] - (2 * curr_temp))
            elif i == len(data) - 1:
                next_temp = curr_temp + k * (data[i - 1] - (2 * curr_temp))
            else:
                next_temp = curr_temp + k * (data[i - 1] - (2 * curr_temp) + data[i + 1])
            next_data[i] = next_temp
            grid.sync()

    before = np.zeros(101)
    before[50] = 100
    one, other = cuda.to_device(before), cuda.to_device(np.zeros(101))
    solve_heat_equation.forall(101)(one, other, 40, 0.25)
    expected = before
    for _ in range(40):
        sides = np.pad(expected, 1)
        expected = expected + 0.25 * (sides[:-2] - 2 * expected + sides[2:])
    np.testing.assert_allclose(one.copy_to_host(), expected)


def test_an_array_of_the_device_may_be_named_from_outside():
    TABLE = cuda.to_device(np.arange(6.0).reshape(2, 3).T)

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        out[i] = TABLE[i, 1] + 10 * TABLE.shape[0]
        if i == 0:
            TABLE[2, 0] = 8

    out = np.zeros(3)
    kernel[1, 3](out)
    assert out.tolist() == [33, 34, 35]
    assert TABLE.copy_to_host()[2, 0] == 8


def test_an_array_by_its_address_ends_where_its_view_ends():
    """Element 5 of x[2:6] lies within x; of an array that is named, its index is as wrong."""
    TABLE = cuda.to_device(np.arange(8))[2:6]

    @cuda.jit
    def one_of_two(x, y, k, out):
        a = x[2:6]
        if k > 9:
            a = y
        out[0] = a[k] + TABLE[-1]

    @cuda.jit
    def from_outside(k, out):
        out[0] = TABLE[k]

    x, out = np.arange(8), np.zeros(1)
    one_of_two[1, 1](x, x, -1, out)
    assert out[0] == 10
    for launch, name in (
        (lambda: one_of_two[1, 1](x, x, 4, out), "a"),
        (lambda: from_outside[1, 1](5, out), "TABLE"),
    ):
        with pytest.raises(OutOfBounds, match=rf"uses index \d of '{name}', whose length is 4"):
            launch()


PIECES = {"1": types.intp, "1:": types.slice2_type, "::2": types.slice3_type, "...": types.ellipsis}
INDICES = [index for count in (1, 2, 3) for index in itertools.product(PIECES, repeat=count)]


def compiles(statement, *arguments):
    try:
        define(f"@cuda.jit\ndef kernel(m):\n    {statement}\n").compiled(*arguments)
    except KernelTypeError as error:
        if "takes a C-contiguous array" not in error.message:
            raise
        return False
    return True


@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_a_view_is_contiguous_where_numba_says_so(layout):
    m = np.zeros((4, 4, 4), np.float32)
    m = {"C": m, "F": np.asfortranarray(m), "A": m[:, ::2]}[layout]
    differing = {}
    for index in INDICES:
        pieces = [PIECES[piece] for piece in index]
        kind = types.Tuple(pieces) if len(pieces) > 1 else pieces[0]
        if index.count("...") > 1 or index == ("1", "1", "1"):
            continue
        theirs = get_array_index_type(types.Array(types.float32, 3, layout), kind).result
        if isinstance(theirs, types.Array):
            spelled = f"m[{', '.join(index)}]"
            ours = "C" if compiles(f"v = {spelled}.reshape(-1)", m) else "A"
            ours = "F" if ours == "A" and compiles(f"v = {spelled}.T.reshape(-1)", m) else ours
            if ours != (theirs.layout if theirs.ndim > 1 else theirs.layout.replace("F", "C")):
                differing[spelled] = ours, theirs
    assert differing == {}


# Where it lies.


class Accesses(EveryGrid):
    """Notes the addresses of lane 0, and what was accessed."""

    wants = frozenset({MemoryAccess})

    def __init__(self):
        self.seen = []

    def observe(self, event):
        self.seen.append((event.kind, event.width, int(event.addresses[0, 0]), event.space.value))


def accesses(kernel, *arguments, block=1, shared_bytes=0):
    observer = Accesses()
    with gpusim.runtime.settings.during(gpusim.runtime.settings.changed(observer=observer)):
        kernel[1, block, 0, shared_bytes](*arguments)
    return observer.seen


def test_a_view_has_the_addresses_of_its_elements():
    @cuda.jit
    def kernel(x, m):
        x[10::2][3] = 1
        m.T[2, 1] = 1
        m.view(np.int8)[1, 5] = 1

    seen = accesses(kernel, np.zeros(20), np.zeros((3, 4), np.float32))
    m_address = 0x7F00_0000_0000 + 256
    assert seen == [
        ("store", 8, 0x7F00_0000_0000 + 8 * 16, "global"),
        ("store", 4, m_address + 4 * (1 * 4 + 2), "global"),
        ("store", 1, m_address + 16 + 5, "global"),
    ]


def test_every_second_float_of_a_view_touches_every_second_sector():
    @cuda.jit
    def kernel(x):
        even = x[::2]
        even[cuda.grid(1)] = 1

    with gpusim.profile() as run:
        kernel[1, 32](np.zeros(64, np.float32))
    assert run.sectors_per_request == 8


def test_an_index_outside_a_view_names_the_view():
    @cuda.jit
    def kernel(x):
        y = x[2:10]
        y[cuda.grid(1)] = 1

    x = np.zeros(100)
    with pytest.raises(OutOfBounds, match="uses index 8 of 'y', whose length is 8") as caught:
        kernel[1, 9](x)
    assert (caught.value.thread, caught.value.array) == ((8, 0, 0), "y")
    assert caught.value.span.source.line(caught.value.span.line).strip() == "y[cuda.grid(1)] = 1"


RESHAPED = [
    (3, 4),
    (4, -1),
    (-1, 6),
    (-2, 3),
    (12, 1),
    (1, -1),
    (5, 4),
    (5, -1),
    (3, 5),
    (-1, -1),
    (0, -1),
    (0, 4),
]


@pytest.mark.parametrize("size", [12, 0])
@pytest.mark.parametrize("shape", RESHAPED, ids=str)
@pytest.mark.parametrize("text", ["x.reshape(a, b)", f"x.reshape(a, {'{b}'})", "s.reshape((a, b))"])
def test_a_shape_known_at_run_time_is_what_numpy_says_or_refused(text, shape, size):
    """-1 is what is left; a shape of another number of elements ends the launch, as NumPy refuses it."""
    a, b = shape
    statements = (
        f"    y = {text.format(b=b)}\n    out[0], out[1], out[2] = y.shape[0], y.shape[1], y[-1, -1]\n"
    )
    header = "@cuda.jit\ndef kernel(x, a, b, out):\n    s = cuda.shared.array(12, np.float64)\n"
    kernel = define(f"{header}    for i in range(12):\n        s[i] = i\n{statements}")
    x, out = np.arange(float(size)), np.zeros(3)
    elements = 12 if "s." in text else size
    wanted = [] if 0 in (elements, a, b) else [-1]
    try:
        expected = np.arange(float(elements)).reshape(-1 if a < 0 else a, b)
    except ValueError:
        if (shape, elements) == ((0, -1), 0):
            return  # what is left of nothing: Numba says none, NumPy refuses to say
        with pytest.raises((KernelRaised, KernelTypeError), match="reshape") as caught:
            kernel[1, 1](x, a, b, out)
        assert "y = " in str(caught.value)
        return
    if not wanted:
        return
    kernel[1, 1](x, a, b, out)
    assert out.tolist() == [*expected.shape, expected[-1, -1]]


def test_a_shape_that_does_not_fit_names_the_thread_and_the_line():
    @cuda.jit
    def kernel(x, rows):
        x.reshape(rows[cuda.grid(1)], 4)[2, 3] = 1

    x = np.zeros(12)
    kernel[1, 2](x, np.array([3, -1]))
    assert x.tolist() == [0] * 11 + [1]
    with pytest.raises(KernelRaised, match=r"ValueError: `x\.reshape.*` takes another number") as caught:
        kernel[1, 2](x, np.array([3, 2]))
    assert caught.value.thread == (1, 0, 0)
    with pytest.raises(KernelRaised, match="another number of elements"):
        kernel[1, 2](np.zeros(10), np.array([3, 3]))


def test_a_shape_that_must_fit_costs_no_check():
    @cuda.jit
    def kernel(x):
        x.reshape(-1)[0] = 1

    assert "trap" not in kernel.inspect_ir(np.zeros((3, 4)))


def test_views_of_shared_and_local_arrays(machine):
    @cuda.jit
    def kernel(out):
        tile = cuda.shared.array((4, 8), np.int32)
        own = cuda.local.array(6, np.int32)
        t = cuda.threadIdx.x
        row = tile[t // 8]
        row[t % 8] = t
        pair = own[2:4]
        pair[0] = t
        pair[1] = 2 * t
        cuda.syncthreads()
        column = tile.T[7 - t // 4]
        out[cuda.grid(1)] = column[t % 4] * 1000 + own[2] + own[3]

    out = np.zeros(64, np.int64)
    kernel[2, 32](out)
    expected = [(t % 4 * 8 + 7 - t // 4) * 1000 + 3 * t for t in range(32)]
    assert out.tolist() == expected * 2
