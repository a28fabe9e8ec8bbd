"""What may a kernel in Python be made of? Each construct is tried in a tiny kernel when the page is built."""

from __future__ import annotations

import collections
import enum
import math
import re
import warnings
from typing import Any

import numpy as np

import gpusim
from course.conformance_python import execute, said
from course.listed import Lines
from gpusim import cuda
from gpusim.cuda.dispatcher import Kernel
from gpusim.errors import GpuSimError
from gpusim.frontends.python.lowering import RunsHereOnly
from gpusim.views.table import Table

BOTH, HERE, REFUSED = "as in Numba", "here only, with a warning", "refused"
IN_NUMBA = "refused here, taken by Numba"
PAIR = np.dtype([("a", np.int64), ("b", np.float64)])
PACKED = np.dtype([("a", np.int32), ("b", np.float64)])
Point = collections.namedtuple("Point", "x y")


class Colour(enum.IntEnum):
    """For a construct below."""

    RED = 1


@cuda.jit(device=True)
def squared(y: Any) -> Any:
    """For a construct below."""
    return y * y


@cuda.jit(device=True)
def maybe(y: Any) -> Any:
    """For a construct below."""
    return y if y > 1 else None


@cuda.jit(device=True)
def length(size: Any) -> Any:
    """For a construct below."""
    return cuda.local.array(size, np.float64).size


@cuda.jit(device=True)
def rest(a: Any) -> Any:
    """For a construct below."""
    return a[1:]


@cuda.jit(device=True)
def itself(a: Any) -> Any:
    """For a construct below."""
    return a


@cuda.jit(device=True)
def scaled(y: Any, *, by: Any) -> Any:
    """For a construct below."""
    return y * by


@cuda.jit(device=True)
def applied(function: Any, z: Any) -> Any:
    """For a construct below."""
    return function(z)


# construct -> statements of a kernel of four threads, in which `x` and `y` are arrays of four float64
CONSTRUCTS = {
    "a function under `@cuda.jit`, called": "x[t] = squared(y[t])",
    "a function within a kernel": "def more(z, by=2):\n    return z + by\nx[t] = more(y[t])",
    "`lambda`": "double = lambda z: 2 * z\nx[t] = double(y[t])",
    "a name that means now this array, now that one": "a = x\nif t % 2:\n    a = y\na[t] = 1",
    "a function that uses what changes": "k = 1\nmore = lambda z: z + k\nk = 2\nx[t] = more(y[t])",
    "one of two tuples": "p = (x, 1) if t % 2 else (y, 2.5)\nx[t] = p[0][t] + p[1]",
    "the truth of a tuple": "if x.shape:\n    x[t] = 1",
    "a tuple indexed by each thread": "x[t] = (1.0, 2.0, 4.0, 8.0)[t]",
    "a named tuple": "p = Point(t, y[t])\nx[t] = p.x + p.y",
    "a member of an enumeration": "x[t] = Colour.RED.value",
    "a shape from a constant of the kernel": "N = 4\ns = cuda.shared.array(N, np.float64)",
    "a sum of an array": "x[t] = y.sum()",
    "an array as one row": "x[t] = y.flat[t]",
    "a tuple of literals, repeated": "x[t] = ((1, 2) * 2)[t]",
    "`is` of an array and itself": "x[t] = x is x",
    "a number from a text": 'x[t] = float("nan")',
    "`global` for what is read": "global TILE\nx[t] = TILE",
    "a tuple of tuples, indexed by each thread": "x[t] = ((1, 2), (3, 4), (5, 6), (7, 8))[t][1]",
    "a function that gives back the array that it got": "x[t] = itself(y)[t]",
    "a loop over a list that is written there": "for k in [1, 2]:\n    x[t] += k",
    "`in` a list that is written there": "x[t] = t in [1, 2]",
    "a sum of several types": "x[t] = sum((t, 2.5))",
    "the limits of a type": "x[t] = np.finfo(np.float32).eps + np.iinfo(np.int32).max",
    "the greater of two `float16`": "h = np.float16(t)\nx[t] = max(h, np.float16(2))",
    "a loop over several types": "for each in literal_unroll((1, 2.5)):\n    x[t] += each",
    "a shape that the kernel computes": "s = cuda.shared.array((TILE, TILE + 1), np.float64)",
    "a computed number for a device function that allocates": "x[t] = length(2 * TILE)",
    "an alignment that is computed": "s = cuda.shared.array(4, np.float64, alignment=2 * TILE)",
    "a `bool` for a barrier that counts": "x[t] = cuda.syncthreads_count(y[t] > 1)",
    "the truth of what may be `None`": "a = maybe(t)\nif a:\n    x[t] = a",
    "a `float` for a vote": "x[t] = cuda.ballot_sync(15, y[t])",
    "`in` a tuple of several types": "x[t] = t in (1, 2, 3.0)",
    "`not` of a tuple, as a value": "empty = not x.shape\nx[t] = empty",
    "a `bool` made a `float`": "x[t] = float(y[t] > 1)",
    "an argument by its name": "x[t] = math.sqrt(x=y[t])",
    "a special register without its module": "x[t] = threadIdx.x",
    "an atomic within the block": "cuda.atomic.block.add(x, 0, 1.0)",
    "a member of an `IntEnum` as a float": "x[t] = Colour.RED",
    "a `bool` as an index": "x[y[t] > 1] = 1",
    "Python's `float` as a type of elements": "s = cuda.local.array(4, float)",
    "a shuffle of a `uint32`": "x[t] = cuda.shfl_sync(15, np.uint32(t), 0)",
    "a shuffle of a `uint64`": "x[t] = cuda.shfl_sync(15, np.uint64(t), 0)",
    "a function that gives back another array": "x[t] = rest(y)[0]",
    "a parameter behind `*`": "x[t] = scaled(y[t], by=2)",
    "`literal_unroll` behind its module": "for each in cuda.literal_unroll((1, 2.5)):\n    x[t] += each",
    "an atomic on a record": "r = cuda.shared.array(4, PAIR)\nr['a'][t] = 0\ncuda.atomic.add(r[t], 'a', 1)",
    "a function that uses a number from around it, handed over": "x[t] = applied(lambda z: z + t, y[t])",
    "`/=` of whole numbers of 64 bits in an array": "s = cuda.local.array(4, np.int64)\ns[t] = 8\ns[t] /= 2",
    "`:=` within an expression": "if (k := t) > 1:\n    x[t] = k",
    "a function that calls itself": "def f(z):\n    return f(z - 1)\nx[t] = f(t)",
    "a function that uses what gets a value below it": "f = lambda: k\nk = 1\nx[t] = f()",
    "the truth of a function": "if squared:\n    x[t] = 1",
    "a loop over two functions": "for f in (squared, length):\n    x[t] = 1",
    "a loop over arrays of two layouts": "for a in (x, y[::2]):\n    a[t] = 1",
    "a tuple of arrays indexed by each thread": "x[t] = (x, y)[t % 2][t]",
    "a range of a float": "for k in range(2.0):\n    x[k] = 1",
    "a range with a name": "r = range(4)",
    "a length of a range": "x[t] = len(range(4))",
    "an iterator with a name": "i = iter(y)\nx[t] = next(i)",
    "a slice with a name": "s = slice(1, 3)\nx[t] = y[s][0]",
    "an iterator of NumPy's": "for each in np.nditer(y):\n    x[t] = each.item()",
    "the greatest of an array": "x[t] = max(y)",
    "a length of a text": 'x[t] = len("text")',
    "`is` of two arrays": "x[t] = x is y",
    "`is` of numbers": "x[t] = t is t",
    "an assignment of an array to a part of another": "x[:] = y",
    "a list": "a = [1, 2, 3]",
    "a dictionary": "a = {1: 2}",
    "a text that is put together": "a = f'{t}'",
    "`try`": "try:\n    x[t] = 1\nexcept ValueError:\n    pass",
    "`with`": "with y:\n    pass",
    "`yield`": "yield t",
    "a field that is not aligned": "r = cuda.shared.array(4, PACKED)\nr[t].b = 1",
    "`in` a range": "x[t] = t in range(3)",
    "`match`": "match t:\n    case 1:\n        x[t] = 1",
    "`isinstance`": "x[t] = isinstance(t, int)",
    "`hasattr`": "x[t] = hasattr(y, 'size')",
    "a type of a number, called": "x[t] = type(y[t])(1)",
    "one of two texts": "a = 'one' if t else 'two'",
    "a dtype from a text": "a = np.dtype('float64')",
    "indices of NumPy's": "for k in np.ndindex(4):\n    x[t] = 1",
    "elements with indices of NumPy's": "for k, each in np.ndenumerate(y):\n    x[t] = each",
    "an assignment by an array of indices": "s = cuda.local.array(1, np.int64)\ns[0] = 1\nx[s] = 5",
    "names in brackets": "[a, b] = 1, 2",
    "an assignment to a global variable": "global TILE\nTILE = 5",
    "a class": "class A:\n    pass",
}


# of what is refused here, what numba-cuda 0.30 compiles
TAKEN_BY_NUMBA = {
    "`:=` within an expression", "a tuple of arrays indexed by each thread", "a range of a float",
    "a range with a name", "a length of a range", "an iterator with a name", "a slice with a name",
    "an iterator of NumPy's", "the greatest of an array", "a length of a text", "`is` of two arrays",
    "`is` of numbers", "`in` a range", "`match`", "`isinstance`", "`hasattr`", "a type of a number, called",
    "one of two texts", "a dtype from a text", "indices of NumPy's", "elements with indices of NumPy's",
    "names in brackets", "an assignment by an array of indices",
}  # fmt: skip


def names() -> dict[str, Any]:
    """What such a kernel finds outside."""
    return {
        "cuda": cuda, "np": np, "TILE": 4, "Point": Point, "Colour": Colour, "squared": squared,
        "length": length, "applied": applied, "rest": rest, "itself": itself, "scaled": scaled,
        "PAIR": PAIR, "PACKED": PACKED,
        "literal_unroll": cuda.literal_unroll, "maybe": maybe, "threadIdx": cuda.threadIdx, "math": math,
    }  # fmt: skip


def tried(statements: str) -> tuple[str, str]:
    """How do these statements of a kernel end, and what is said of it?"""
    outside = names()
    body = "\n".join(f"    {line}" for line in statements.splitlines())
    execute(f"def tiny(x, y):\n    t = cuda.threadIdx.x\n{body}\n", outside)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            Kernel(outside["tiny"])[1, 4](np.zeros(4), np.ones(4))
    except GpuSimError as error:
        return REFUSED, said(error)
    marked = [str(one.message) for one in told if one.category is RunsHereOnly]
    if not marked:
        return BOTH, ""
    said_of_it = re.search(r":\d+: (.*): this runs here, not under Numba$", marked[0], re.MULTILINE)
    hint = re.search(r"\^ (.*)$", marked[0], re.MULTILINE)
    return HERE, f"{said_of_it[1]}; {hint[1]}" if said_of_it and hint else marked[0]


def table() -> Table:
    """A row for each construct: how it is written, how it ends here, and what is said."""
    rows = []
    for name, statements in CONSTRUCTS.items():
        end, why = tried(statements)
        rows.append((name, Lines(statements), IN_NUMBA if name in TAKEN_BY_NUMBA else end, why))
    rows.sort(key=lambda row: (BOTH, HERE, IN_NUMBA, REFUSED).index(row[2]))
    return gpusim.table(
        rows, ("construct", "in a kernel", "here", "what is said"), "What a kernel is made of."
    )
