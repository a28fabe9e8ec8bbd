"""Does a kernel for Numba's CUDA target run here, and is what Numba refuses refused? Tiny kernels, in tables.

`x` is 0.5, 1.5, … and `n` is 3, 4, …, of 32 elements each; the kernel's one thread writes `x[0]`.
"""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import GpuSimError
from gpusim.frontends.python.lowering import RunsHereOnly
from tests.from_text import define

OUTSIDE = """
import collections, enum, operator
from gpusim.cuda import grid, shared, threadIdx, warpsize
THREADS = 32
PAIR = (4, 8)


@cuda.jit(device=True)
def length(size):
    return cuda.local.array(size, np.float64).size


@cuda.jit(device=True)
def apply(f, y):
    return f(y)


@cuda.jit(device=True)
def squared(y):
    return y * y


@cuda.jit(device=True)
def first(array):
    return array[0]


@cuda.jit(device=True)
def maybe(y):
    if y > 3:
        return y


class Colour(enum.IntEnum):
    RED = 1


class Setting:
    SIZE = 7


setting = Setting()


class Weight(enum.Enum):
    HEAVY = 7


class Unit(enum.Enum):
    GRAM = 7


class Size(enum.IntEnum):
    SMALL = 4


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2


class Mixed(enum.Enum):
    WHOLE = 1
    HALF = 0.5


FLOAT32 = np.finfo(np.float32)


@cuda.jit(device=True)
def area(shape):
    return cuda.shared.array(shape, np.float64).size
"""


def run(statements, outside=OUTSIDE):
    """What the statements leave in x[0]."""
    text = f"{outside}\n\ndef kernel(x, n):\n{textwrap.indent(statements, '    ')}\n"
    x, n = np.arange(32) + 0.5, np.arange(32, dtype=np.int64) + 3
    cuda.jit(define(text))[1, 1](x, n)
    return x[0]


SHAPES = {
    "N = 32\ns = cuda.shared.array(N, np.float64)\nx[0] = s.size": 32,
    "N, M = 4, 8\ns = cuda.shared.array((N, M), np.float64)\nx[0] = s.size + s.shape[1]": 40,
    "shape = (4, 8)\ns = cuda.local.array(shape, np.float64)\nx[0] = s.size": 32,
    "N = 4\nshape = (N, 8)\ns = cuda.local.array(shape, np.float64)\nx[0] = s.size": 32,
    "N = THREADS\nM = N\ns = cuda.local.array(M, np.float64)\nx[0] = s.size": 32,
    "N = 4\nN = 16\ns = cuda.local.array(N, np.float64)\nN = 5\nx[0] = s.size + N": 21,
    "if n[0] > 0:\n    N = 4 * 8\n    x[0] = cuda.local.array(N, np.float64).size": 32,
    "N = 0\ns = cuda.shared.array(N, np.float64)\nx[0] = s.size": 0,
    "N = 4\nx[0] = length(N) + length(THREADS)": 36,
    "x[0] = area(PAIR) + area((2, 3))": 38,
    "N = 3\nx[0] = area((N, 5))": 15,
    "A = 64\nx[0] = cuda.local.array(4, np.float64, A).size": 4,
    "D = 1\nx[0] = cuda.grid(D)": 0,
}


@pytest.mark.parametrize("statements", SHAPES)
def test_shapes_from_constants(statements):
    assert run(statements) == SHAPES[statements]


# a name that may hold another number has none that is known
NO_SHAPES = {
    "N = 4\nN += 1\ns = cuda.local.array(N, np.float64)": "is not a positive constant",
    "N = 4\nfor i in range(2):\n    s = cuda.local.array(N, np.float64)\n    N = 5": "is not a positive",
    "N = 4\nif n[0] > 9:\n    N = 8\ns = cuda.local.array(N, np.float64)": "is not a positive constant",
    "for N in range(1, 3):\n    s = cuda.local.array(N, np.float64)": "is not a positive constant",
    "for N in (4, 8):\n    if n[0] > 2:\n        break\ns = cuda.local.array(N, np.float64)": "a positive",
}
# a number that is computed is none for Numba
COMPUTED = {
    "s = cuda.shared.array(3 * THREADS, np.float64)\ns[3 * THREADS - 1] = 5\nx[0] = s[3 * THREADS - 1]": 5,
    "s = cuda.shared.array((THREADS, THREADS + 1), np.float64)\nx[0] = s.shape[1]": 33,
    "N = THREADS + 1\ns = cuda.shared.array(N, np.float64)\nx[0] = s.size": 33,
    "s = cuda.shared.array(dtype=np.float64, shape=len(PAIR))\nx[0] = s.size": 2,
}


@pytest.mark.parametrize("statements", NO_SHAPES)
def test_shapes_that_numba_refuses(statements):
    with pytest.raises(GpuSimError) as caught:
        run(statements)
    assert NO_SHAPES[statements] in str(caught.value)


@pytest.mark.parametrize("statements", COMPUTED)
def test_shapes_that_run_here_and_not_under_numba_are_marked(statements):
    with pytest.warns(RunsHereOnly, match=r"runs here, not under Numba(?s:.*)SIZE here"):
        found = run(statements)
    assert found == COMPUTED[statements]


HERE_ONLY = {
    "n[0] /= 2\nx[0] = n[0]": (1, "`/=` of whole numbers in an array of int64"),
    "x[0] = length(2 * THREADS)": (64, "shape"),
    "size = THREADS - 2\nx[0] = length(size)": (30, "shape"),
    "x[0] = cuda.syncthreads_count(x[1] > 1)": (1, r"cuda.syncthreads_count\(\) of bool"),
    "x[0] = cuda.syncthreads_or(x[1])": (1, r"cuda.syncthreads_or\(\) of float64"),
    "x[0] = cuda.shared.array(4, np.int32, alignment=2 * THREADS).size": (4, "alignment"),
    "cuda.atomic.block.add(x, 0, 1.0)": (1.5, "cuda.atomic.block is ours"),
    "x[0] = threadIdx.x": (0, "'threadIdx' without its module"),
    "x[0] = warpsize": (32, "'warpsize' without its module"),
    "x[0] = shared.array(4, np.int32).size": (4, "'shared' without its module"),
    "k = n[0]\nx[0] = apply(lambda y: y + k, 2)": (5, "a function that uses 'k' from around it"),
    "x[0] = Colour.RED": (1, "a member of an enumeration as a float64"),
    "x[0] = Colour.RED * 2.5": (2.5, "a member of an enumeration as a float64"),
    "x[0] = int(Colour.RED)": (1, "a member of an enumeration"),
    "if Colour.RED:\n    x[0] = 5": (5, "a member of an enumeration as a condition"),
    "x[0] = np.float32(Colour.RED)": (1, "a member of an enumeration as a float32"),
    "k = Colour.RED\nx[0] = k": (1, "a member of an enumeration as a float64"),
    "x[0] = Colour.RED > x[1]": (0, "a member of an enumeration as a float64"),
    "x[0] = min(Colour.RED, 5)": (1, r"a member of an enumeration as an argument of min\(\)"),
    "x[0] = round(Colour.RED)": (1, r"a member of an enumeration as an argument of round\(\)"),
    "n[0] = Colour.RED + Size.SMALL\nx[0] = n[0]": (5, "members of two enumerations"),
    "x[0] = Weight.HEAVY == Unit.GRAM": (0, "members of two enumerations"),
    "n[0] = Right.READ | Right.WRITE\nx[0] = n[0]": (3, "a member of an enumeration as a number"),
    "x[0] = Mixed.WHOLE.value": (1, "Mixed, whose values are of several types"),
    "x[0] = x.dtype == np.float64": (1, "`x.dtype == np.float64`"),
    "x[0] = n.dtype != x.dtype": (1, "`n.dtype != x.dtype`"),
    "x[0] = x.dtype.itemsize": (8, "`x.dtype.itemsize`, an attribute"),
    "x[0] = FLOAT32.max > 1": (1, "`FLOAT32.max`, an attribute"),
    "x[Colour.RED - 1] = x[Colour.RED]": (1.5, "a member of an enumeration as an index"),
    "x[0] = (4, 5)[Colour.RED]": (5, "a member of an enumeration as an index"),
    "s = cuda.local.array((2, Colour.RED), np.int8)\nx[0] = s.size": (2, "an enumeration in a shape"),
    "x[0] = x[n[0] > 1]": (1.5, "a bool as an index"),
    "x[0] = cuda.local.array(3, float).itemsize": (8, "elements of Python's float"),
    "x[0] = cuda.shared.array(3, dtype=int).itemsize": (8, "elements of Python's int"),
    "x[0] = cuda.local.array(3, bool).itemsize": (1, "elements of Python's bool"),
    "x[0] = cuda.shfl_sync(-1, np.uint32(7), 0)": (7, r"cuda.shfl_sync\(\) of uint32"),
    "x[0] = cuda.shfl_xor_sync(-1, x[1] > 1, 0)": (1, r"cuda.shfl_xor_sync\(\) of bool"),
    "x[0] = Setting.SIZE": (7, "`Setting.SIZE`, an attribute of a class or an object"),
    "x[0] = setting.SIZE + 1": (8, "`setting.SIZE`, an attribute of a class or an object"),
    "a = maybe(n[1])\nif a:\n    x[0] = 5": (5, "a number or None as a condition"),
    "a = maybe(n[1])\nx[0] = 1 if a else 2": (1, "a number or None as a condition"),
    "a = maybe(n[1])\nwhile a:\n    x[0] = 7\n    break": (7, "a number or None as a condition"),
    "a = maybe(n[1])\nx[0] = a and 3": (3, "a number or None as a condition"),
    "a = maybe(n[1])\nx[0] = a or 3": (4, "a number or None as a condition"),
    "a = maybe(n[1])\nx[0] = bool(a)": (1, "a number or None as a condition"),
    "a = maybe(n[1])\nx[0] = x[a]": (4.5, "a number or None as an index"),
    "a = maybe(n[1])\nx[a - 4] = 1\nx[a] = 2": (1, "a number or None as an index"),
    "a = maybe(n[1])\nx[0] = float(a)": (4, r"a number or None as an argument of float\(\)"),
    "a = maybe(n[1])\nx[0] = np.float32(a)": (4, r"an argument of np.float32\(\)"),
    "a = maybe(n[1])\nx[0] = complex(a).real": (4, r"complex\(\) of a number or None"),
    "a = maybe(n[1])\nx[0] = 1\nprint(a)": (1, r"print\(\) of a number or None"),
    "a = maybe(n[1])\nx[0] = max((a, 2))": (4, "a number or None as an item of a tuple"),
    "x[0] = cuda.all_sync(1, x[0])": (1, r"cuda.all_sync\(\) of float64"),
    "x[0] = cuda.ballot_sync(1, maybe(n[1]))": (1, r"cuda.ballot_sync\(\) of a number or None"),
    "x[0] = n[0] in (1, 2, 3.0)": (1, "`in` a tuple of several types"),
    "y = not PAIR\nx[0] = y": (0, "`not` of a tuple as a value"),
    "y = not x.shape\nx[0] = y": (0, "`not` of a tuple as a value"),
    "x[0] = float(n[0] > 1)": (1, r"float\(\) of a bool"),
    "x[0] = complex(n[0] > 1, 2).real": (1, r"complex\(\) of bool"),
    "x[0] = max(1, True)": (1, r"max\(\) of a bool and other numbers"),
    "x[0] = min((n[0] > 1, 2.5))": (1, r"min\(\) of a bool and other numbers"),
    "cuda.atomic.add(x, (0,), 1.0)": (1.5, "a tuple of one index for an atomic"),
    "cuda.syncwarp(mask=1)\nx[0] = 1": (1, r"cuda.syncwarp\(\) with keywords"),
    "x[0] = math.sqrt(x=4)": (2, r"math.sqrt\(\) with keywords"),
    "x[0] = cuda.ffs(np.int8(4))": (3, r"cuda.ffs\(\) of int8"),
}


@pytest.mark.parametrize("statements", HERE_ONLY)
def test_what_numba_refuses_and_runs_here_is_marked(statements):
    """Asked of numba-cuda 0.30 on an H200."""
    expected, what = HERE_ONLY[statements]
    with pytest.warns(RunsHereOnly, match=f"{what}(?s:.*)runs here, not under Numba"):
        assert run(statements) == expected


BOTH = {
    "x[0] = length(THREADS) + length(16)": 48,
    "shared = cuda.shared\nx[0] = shared.array(4, np.int32).size + grid(1)": 4,
    "size = 16\nx[0] = length(size) + area(PAIR)": 48,
    "size = 2\nn[size - 2] = x[1] + size\nx[0] = length(size)": 2,
    "x[0] = cuda.syncthreads_count(np.int32(x[1] > 1)) + cuda.syncthreads_or(n[0])": 2,
    "x[0] = cuda.shared.array(4, np.int32, alignment=THREADS).size": 4,
    "x[0] = cuda.shared.array(4, np.int32, alignment=2 * 8).size": 4,
    "k = 5\nx[0] = apply(lambda y: y + k + THREADS, 2)": 39,
    "x[0] = math.sqrt(Colour.RED)": 1,
    "x[0] = (k := 2)\n(k := k + 1)\nx[0] += k": 5,
    "k = Colour.RED\nx[0] = k.value": 1,
    "x[0] = Colour.RED / 2 + +Colour.RED + (not Colour.RED)": 1.5,
    "x[0] = (Right.READ == Right.WRITE) + (x.dtype.kind == 'f') + (x.dtype == n.dtype)": 1,
    "x[0] = (x.dtype is np.float64) + (x.dtype == None) + (x.dtype.type is np.float64)": 1,
    "x[0] = (x == None) + (n[0] != None)": 1,
    "n[0] = Colour.RED\nx[0] = x[Colour.RED.value] + n[0] + (Colour.RED + 1)": 4.5,
    "cuda.atomic.add(x, Colour.RED, 1)\nx[0] = x[1:][Colour.RED - 1]": 2.5,
    "x[0] = cuda.local.array(3, x.dtype).itemsize + cuda.local.array(3, 'int8').itemsize": 9,
    "x[0] = cuda.local.array(3, cuda.float32).itemsize + cuda.int32(2.7) + cuda.boolean(5)": 7,
    "x[0] = cuda.shfl_sync(-1, np.int32(7), 0) + cuda.shfl_xor_sync(-1, x[1], 0)": 8.5,
    "a = maybe(n[1])\nx[+a] = a + 1\nx[0] = x[4] + (not a) + (a in (4, 5)) + abs(a) + int(a)": 14,
    "a = maybe(n[1])\nx[0] = (1, 2, 3, 4, 5)[a] + x[a:][0] + math.sqrt(a) + min(a, 2)": 13.5,
    "x[0] = cuda.ballot_sync(1, x[0] > 0) + cuda.any_sync(1, n[0]) + (n[0] in (3, 4))": 3,
    "x[0] = 5 if not PAIR else 6\nif not x.shape:\n    x[0] = 1\nx[0] += 1 if not x.shape else 2": 8,
    "x[0] = np.float64(n[0] > 1) + min(n[0] > 1, n[0] > 2) + max((n[0] > 1, n[0] > 5))": 3,
    "cuda.atomic.add(x, 0, 1.0)\nx[(0,)] += cuda.ffs(np.int32(4)) + cuda.syncthreads_and(predicate=1)": 5.5,
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("statements", BOTH)
def test_what_runs_in_both_is_not_marked(statements):
    assert run(statements) == BOTH[statements]


WITHIN = {
    "def more(y, by=2):\n    return y + by\nx[0] = more(x[1]) + more(1, 1)": 5.5,
    "m = n[0]\ndef below(y):\n    if y < m:\n        return 1\n    return 0\nx[0] = below(2) + below(3)": 1,
    "double = lambda y: 2 * y\nx[0] = double(double(x[1])) + (lambda y: -y)(1)": 5,
    "def outer(y):\n    def inner(z):\n        return z * y\n    return inner(3)\nx[0] = outer(4)": 12,
    "def twice(f, y):\n    return f(f(y))\nx[0] = twice(lambda y: y + 1, 5)": 7,
    "x[0] = apply(lambda y: y - 1, n[0])": 2,
    "def put(k, value):\n    i = k\n    x[i] = value\nput(0, 3)": 3,
    "for i in range(3):\n    def plus(y):\n        return y + i\n    x[i] = plus(10)\nx[0] += x[2]": 22,
    "THREADS = 5\ndef g():\n    TEMPORARY = THREADS + 1\n    return TEMPORARY\nx[0] = g()": 6,
    "x[0] = (1.0, 2.0, 3.0)[n[0] - 2]": 2,
    "t = (x[1], x[2])\nx[0] = t[n[0] - 5] + t[-1]": 4,
    "x[0] = Colour.RED.value + Weight.HEAVY.value": 8,
}


@pytest.mark.parametrize("statements", WITHIN)
def test_inner_functions_indices_of_tuples_and_values_of_enums(statements):
    """All of these numba-cuda 0.30 compiles for an H200."""
    assert run(statements) == WITHIN[statements]


WITHOUT_SURPRISES = {
    "a, b = 0, 1\nfor k in range(5):\n    a, b = b, a + b\nx[0] = squared(a)": 25,
    "x, n = n, x\nn[0] = squared(x[0])": 9,
    "a = x[1:]\na = a[1:]\nx[0] = first(a)": 2.5,
    "for k in range(3):\n    h = lambda: k\nx[0] = h()": 2,
    "w = 2\nf = lambda v, d=w: v + d\nw = 9\nx[0] = f(1)": 3,
    "def g(v):\n    return lambda z: z + v\nw = 5\na = g(w)\nw = w + 100\nx[0] = a(0)": 5,
    "def f():\n    if n.ndim == 2:\n        return n[0, 0]\n    return n[0]\nx[0] = f()": 3,
    "p = (1, 2)\nf = lambda: 1 if p else 0\nx[0] = f()": 1,
    "a = x if cuda.atomic.add(n, 0, 1) < 2 else x[1:]\nx[0] = n[0] + a[0]": 5.5,
    "k = 1\ndef g(y):\n    return y + k\nk = 2\nx[0] = g(1)": 3,
    "k = 0\ndef g():\n    return k\nfor i in range(3):\n    k += i\n    x[i] = g()\nx[0] = x[1] + x[2]": 4,
    "if n[0] > 1:\n    k = 1\nelse:\n    k = 2\nx[0] = (lambda: k)()": 1,
    "a = x\nf = lambda: a[0]\na = x[2:]\nx[0] = f()": 2.5,
    "x[0] = (5 if PAIR else 6) + (1 if n.shape else 2) + (not ())": 7,
    "x[0] = 0\nif ():\n    x[0] = 1\nwhile ():\n    pass": 0,
    "t = (x, n) if n[0] > 1 else (x[1:], n)\nx[0] = t[0][1] + t[1][0]": 4.5,
    "t = (1, 2.5) if n[0] > 9 else (3, 4)\nx[0] = t[0] + t[1]": 7,
    "y = x[1:]\nt = (x, y)\nif n[0] > 1:\n    t = (y, x)\na = t[0] if n[1] > 1 else y\nx[0] = a[0]": 1.5,
    "f = squared if n[0] > 1 else squared\nx[0] = f(3)": 9,
    "w = Weight.HEAVY if n[0] > 1 else Weight.HEAVY\nx[0] = w.value": 7,
    "x[0] = 0\nfor f in (squared, squared):\n    x[0] += f(2)": 8,
    "x[0] = np.int64(2**62) < np.uint64(2**62 + 1)": 1,  # both are written out
    "y = np.uint64(n[0] + 2**62)\nx[0] = (n[0] + 2**62 - 1 < y) + (n[0] + 2**62 + 1 == y)": 1,  # as float64
    "x[1] = -1.5\nx[0] = x[1] ** 5": -7.59375,
    "n[1] = 0\nn[1] **= -n[0]\nx[0] = n[1] == -(2**63)": 1,
}


@pytest.mark.parametrize("statements", WITHOUT_SURPRISES)
def test_names_mean_what_they_mean_to_python(statements):
    assert run(statements) == WITHOUT_SURPRISES[statements]


NOT_WITHIN = {
    "f = lambda a, *p: a\nx[0] = f(1)": "`\\*` of an inner function",
    "def g(y):\n    return y\nx[0] = g(*(1,))": "positional",
    "def g(y):\n    return g(y - 1)\nx[0] = g(1)": "calls itself",
    "def g(y):\n    return y + k\nk = 2\nx[0] = g(1)": "that uses 'k' before it has a value",
    "for i in range(2):\n    g = lambda: k\n    k = i": "that uses 'k' before it has a value",
    "def g(y):\n    return y\nx[0] = g(y=1)": "positional",
    "def g(*y):\n    return y[0]\nx[0] = g(1)": "inner function",
    "def g(y, z):\n    return y\nx[0] = g(1)": r"g\(y, z\) called with 1 argument",
    "def g(y):\n    return y\nx[0] = g": "a number is needed",
    "x[0] = (1, 2.5)[n[0] - 3]": "a tuple of several types is indexed by a constant",
    "x[0] = (1.0, 2.0)[n[0]]": "tuple index out of range",
    "x[0] = (x, x[1:])[n[0] - 2][1]": "a tuple of arrays is indexed by a constant",
    "if squared:\n    x[0] = 1": "'squared' where a truth value is needed",
    "x[0] = 1 if np.float32 else 2": "'float32' where a truth value is needed",
    "while not math:\n    pass": "'math' where a truth value is needed",
    "for f in (squared, first):\n    pass": "a loop over a tuple of different types",
    "for a in (x, x[::2]):\n    pass": "a loop over a tuple of different types",
    "for a in (x, n):\n    pass": "a loop over a tuple of different types",
    "f = squared if n[0] > 1 else first": "what is chosen is 'first' here and 'squared' otherwise",
    "t = (x, n) if n[0] > 1 else (n, x)": "what is chosen is the array 'n' here and the array 'x'",
    "if n[0] < 1:\n    a = x\na[0] = 3": "index 0 of 'a', whose length is 0",
}


@pytest.mark.parametrize("statements", NOT_WITHIN)
def test_what_inner_functions_and_tuples_do_not_do(statements):
    with pytest.raises(GpuSimError, match=NOT_WITHIN[statements]):
        run(statements)


def test_functions_under_njit_are_device_functions():
    numba = pytest.importorskip("numba")
    tripled = numba.njit(define("def tripled(y):\n    return 3 * y\n", "tripled"))

    @cuda.jit
    def kernel(x):
        x[0] = tripled(x[1])

    x = np.array([0.0, 2.0])
    kernel[1, 1](x)
    assert x[0] == 6


FUNCTIONS = {
    "x[0] = 0\nfor k in [n[0], n[1]]:\n    x[0] += k": 7,
    "x[0] = 0\nfor a in [x, x]:\n    x[0] += a[1]": 3,
    "x[0] = (n[0] in [1, 3]) + (n[0] not in []) + (n[0] in [n[1]])": 2,
    "x[0] = sum((n[0], 2.5, True)) + sum((1, 2), 4) + sum((1,), start=n[0])": 17.5,
    "x[0] = sum(x)": 512,
    "x[0] = np.iinfo(np.int32).max + np.iinfo(n.dtype).bits": 2**31 - 1 + 64,
    "f = np.finfo(np.float32)\nx[0] = f.eps * f.nmant + np.finfo(x[0]).precision": 2**-23 * 23 + 15,
    "h = np.float16(n[0])\nx[0] = max(h, np.float16(2)) + min(h, 2.5) + max(h, 4, h)": 9.5,
    "h = np.float16(math.nan)\nx[0] = max(np.float16(2), h)": 2,
    "x[0] = operator.add(n[0], 2) + operator.isub(7, 2)": 10,
    "x[0] = operator.truediv(n[0], 2)": 1.5,
    "x[0] = operator.neg(n[0]) + operator.invert(n[0]) + operator.not_(n[0])": -7,
    "x[0] = operator.lt(n[0], 4) + operator.contains((1, 3), n[0])": 2,
    "x[0] = operator.getitem(x, 1)\noperator.setitem(x, 1, 2.0)": 1.5,
    "x[0] = operator.is_(n, None) + operator.is_not(None, 0)": 1,
    "x[0] = np.equal(n[0], 3) + np.less(n[0], 3.5) + np.greater_equal(n[0], 4)": 2,
    "x[0] = np.logical_and(n[0], 0) + np.logical_or(n[0], 0) + np.logical_xor(n[0], 5.0)": 1,
    "x[0] = np.bitwise_and(n[0], 6) + np.bitwise_or(n[0], 4) + np.bitwise_xor(n[0], 1)": 11,
    "x[0] = np.left_shift(n[0], 2) + np.right_shift(n[0], 1) + np.invert(n[0])": 9,
    "x[0] = np.invert(np.uint8(1)) + np.bitwise_not(n[0]) + np.logical_not(n[0])": 250,
    "np.sin(x, x)\nx[0] = x[31] - math.sin(31.5)": 0,
    "np.less(x, 2.0, n)\nx[0] = n[0] + n[1] + n[2] + n[31]": 2,
    "m = x.reshape(4, 8)\nnp.sin(m, m)\nx[0] = x[8] - math.sin(8.5)": 0,
    "np.logical_and(n, x[:32], n)\nx[0] = n[31]": 1,
    "x[0] = n[0].item() + x[1].item()": 4.5,
    "x[0] = math.nextafter(x[0], 9) > 0.5 and math.nextafter(x[0], 9) < 0.5000000001": 1,
    'x[0] = float("2.5") + (float("nan") != float("nan"))': 3.5,
    "x[0] = ((1, 2) * 2)[3] + (2 * (3,))[1] + len((1,) + (2, 3) * 2)": 10,
    "global THREADS\nx[0] = THREADS": 32,
    "m = n\nx[0] = (n is m) + 2 * (n is x) + 4 * (n is not x) + 8 * (n is not n) + 16 * (x is n[0])": 5,
    "x[0] = x[0].view(np.int64) >> 52": 1022,  # the exponent of 0.5
    "x[0] = np.float32(1).view(np.uint32)": 0x3F800000,
}


@pytest.mark.parametrize("statements", FUNCTIONS)
def test_functions(statements):
    assert run(statements) == FUNCTIONS[statements]


CALLS = """
from gpusim.cuda import literal_unroll
import collections

MIXED = (7, 2.5, 3)
SIDES = ((-1, 0), (1, 0), (0, 1), (0, -1))
Point = collections.namedtuple("Point", "a b", defaults=(9,))
P = Point(3, 4.5)


@cuda.jit
def added(v, w):
    return v + w


@cuda.jit
def stored(v, i):
    v[i] = 7


@cuda.jit(["float64(float64)", "int64(int64)"], device=True)
def halved(v):
    return v / 2


@cuda.jit(device=True)
def doubled(p):
    return Point(2 * p.a, 2 * p.b)
"""
CALLED = {
    "x[0] = added(n[0], 2)": 5,
    "stored(x, 0)": 7,
    "x[0] = halved(3.0) + halved(3)": 2.5,
    "x[0] = P.a + P.b + P[0] + len(P)": 12.5,
    "p = Point(1)\na, b = p\nx[0] = p.a + 2 * p.b + b": 28,
    "p = Point(b=n, a=x)\nx[0] = p.a[1] + p.b[0]": 4.5,
    "p = doubled(P)\nx[0] = p.b + (p == Point(6, 9.0))": 10,
    "dx, dy = SIDES[n[0]]\nx[0] = 10 * dx + dy": -1,
    "x[0] = SIDES[n[0] - 4][n[0] - 2]": -1,
    "p = ((1, Point(2, 3)), (4, Point(5, 6)))[n[0] - 2]\nx[0] = p[1].b": 6,
    "x[0] = 0\nfor v in literal_unroll(MIXED):\n    x[0] += v // 2": 5,
    "x[0] = 0\nfor v in literal_unroll((1, 2.5)):\n    v += 1\n    x[0] += v": 5.5,
    "for v in literal_unroll((1, 2.5)):\n    pass\nx[0] = v": 2.5,
    "x[0] = 0\nfor v in literal_unroll((x, n)):\n    x[0] += v[1]": 5.5,
    "x[0] = 0\nfor v in literal_unroll((4, 8)):\n    x[0] += cuda.local.array(v, np.float64).size": 12,
    "x[0] = 0\nfor v in literal_unroll((1, 2.5)):\n    if v > 2:\n        break\n    x[0] += v": 1,
    "x[0] = 0\nfor i in range(len(literal_unroll(MIXED))):\n    x[0] += i": 3,
}


@pytest.mark.parametrize("statements", CALLED)
def test_calls_and_values(statements):
    assert run(statements, CALLS) == CALLED[statements]


REFUSED = {
    "y = cuda.selp(n[0] > 1, 1, 2.0)": "cuda.selp() does not take int64 and float64",
    "y = cuda.selp(n[0] > 1, np.float16(1), np.float16(2))": "does not take float16",
    "np.sin(x, x[:4])": "np.sin() of arrays of different shapes",
    "np.sin(x.reshape(4, 8), x)": "of different dimensions",
    "y = np.bitwise_and(x[0], 1)": "does not take float64 and int64",
    "y = np.iinfo(np.float32)": "finfo is of floats",
    "for k in [1, 2.5]:\n    pass": "a loop over a list of different types",
    "for k in []:\n    pass": "a list is not supported",
    "y = np.left_shift(n[0], np.uint64(1))": "does not take int64 and uint64",
    "for v in (1, 2.5):\n    pass": "write literal_unroll(…) of numba.cuda around it",
    "y = ((1, 2), (3, 4.0))[n[0]]": "a tuple of several types is indexed by a constant",
    "y = x[0].view(np.int32)": "take a type of as many bytes",
    "y = P.c": "has no 'c' in a kernel",
    "y = Point(1, 2, 3)": "called with 3 argument(s)",
    "y = halved(1j)": "does not fit",
}


@pytest.mark.parametrize("statements", REFUSED)
def test_refused(statements):
    with pytest.raises(GpuSimError) as caught:
        run(statements, CALLS)
    assert REFUSED[statements] in str(caught.value)
