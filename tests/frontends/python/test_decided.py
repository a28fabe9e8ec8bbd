"""Which conditions are decided before types are known? Then one side gives no variable a type.

`s` is 2**60 + 1 where only one side counts, and a float64 where the other gives it 0.5 as well.
"""

from __future__ import annotations

import enum
import re
import textwrap

import numpy as np
import pytest

from gpusim import cuda
from tests.from_text import define


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


OUTSIDE = {
    "THREE": 3, "MINUS": -3, "PI": 3.14, "PAIR": (1, 2), "EMPTY": (), "OFF": False, "NONE": None,
    "SINGLE": np.float32(1), "TEXT": "a", "HIGH": Level.HIGH, "RED": Colour.RED, "DTYPE": np.dtype("f8"),
    "f64": np.float64, "Level": Level, "Colour": Colour,
}  # fmt: skip
CONDITIONS = [
    # a name from outside, what is written out, and one operation on two such
    "THREE", "not THREE", "THREE == 3", "THREE > 2", "not (THREE == 3)", "MINUS == -3", "PI > 3", "PAIR",
    "EMPTY", "NONE is None", "NONE", "NONE == 3", "SINGLE == 1", "TEXT == 'a'", "2 + 1 == 3", "-3", "(1, 2)",
    "HIGH == 2", "DTYPE == DTYPE", "f64 is f64", "math is math", "THREE + 1", "THREE - 3", "1 < THREE < 5",
    "1 < THREE < i + 9", "a.ndim == 1", "b.ndim == a.ndim", "THREE if OFF else 0", "1 if THREE == 3 else 0",
    "THREE and OFF", "OFF or THREE == 3", "OFF or math.pi", "nothing is None", "nothing is not None",
    # not more than one operation, no attribute, no item, no call
    "THREE + 1 == 4", "-THREE == -3", "-THREE", "not -THREE", "~THREE == -4", "math.pi > 3", "math.pi",
    "np.pi > 3", "PAIR[0] == 1", "len(PAIR) == 2", "PAIR == (1, 2)", "(1, i)", "THREE in (1, 3)",
    "bool(THREE)", "a.ndim + 1 == 2", "(THREE == 3) == True", "RED == Colour.RED", "Level.HIGH == 2",
    "Colour.RED == Colour.RED", "a is None", "a is not None", "i is None", "a == None", "nothing",
    "a.dtype is np.float64", "a.dtype is DTYPE", "a.dtype == b.dtype", "THREE == 3 and i < 9",
    "f64 is np.float64",
]  # fmt: skip
NAMED = [
    ("N = 3", "N == 3"), ("N = 3", "N + 1 == 4"), ("N = 3", "-N"), ("N = THREE", "N == 3"),
    ("N = a.ndim", "N == 1"),
    ("N = THREE + 1", "N == 4"), ("N = THREE + 1", "N"), ("N = THREE == 3", "N"), ("N = not OFF", "N"),
    ("N = a", "N is not None"), ("N = a", "N.ndim == 1"), ("N = a[1:]", "N.ndim == 1"),
    ("N = math.pi", "N > 3"),
    ("N = PAIR[0]", "N == 1"), ("N = (1, 2)", "N"), ("N, M = 3, 4", "N < M"), ("N, M = PAIR", "N < M"),
    ("N, M = i, 4", "M == 4"),
    ("N = int(3)", "N == 3"), ("N = 3\nN = N + 1", "N == 4"), ("N = 3\nN = 4", "N == 4"),
    ("N = OFF or 3", "N"),
    ("if THREE == 3:\n    N = 3\nelse:\n    N = 4", "N == 3"), ("for k in range(2):\n    N = 3", "N == 3"),
    ("N = 3 if THREE == 3 else 4", "N == 3"), ("N = 3\nif i > 5:\n    N = 3", "N == 3"),
    ("N = f64", "N is f64"),
    # an inner function is written out where it is called
    ("g = lambda y: y", "g(3)"), ("g = lambda y: y", "g(THREE)"), ("g = lambda y: y", "g(i)"),
    ("g = lambda y: y", "g(3) == 3"), ("g = lambda y: y", "g(3 + 1) == 4"), ("g = lambda y: y", "g(g(3))"),
    ("g = lambda y: y", "g(THREE + 1) == 4"), ("g = lambda y: y", "g(THREE + 1)"),
    ("g = lambda y: y", "not g(3)"), ("g = lambda y: y", "g(3) and THREE"), ("g = lambda y: y", "g(3) or i"),
    ("g = lambda y: y > 2", "g(3)"), ("g = lambda y: y > 2", "g(3) == True"),
    ("g = lambda y: y + 1", "g(3)"), ("g = lambda y: y + 1", "g(3) == 4"), ("g = lambda y: -y", "g(3)"),
    ("g = lambda y: not y", "g(3)"), ("g = lambda y: 1 < y < 5", "g(3)"), ("g = lambda: 3", "g()"),
    ("g = lambda y: y == 3 and y", "g(3)"), ("g = lambda y: y if y else 0", "g(3)"),
    ("g = lambda y=3: y", "g()"), ("g = lambda y: None", "g(i) is None"), ("g = lambda k: k.ndim", "g(a)"),
    ("N = 3\ng = lambda y: y == N", "g(3)"), ("g = lambda y: y[0]", "g((1, 2))"),
    ("def g(y):\n    'text'\n    k = y == 3\n    if k:\n        return 5\n    return 0", "g(3)"),
    ("def g(y):\n    if y == 4:\n        k = 1\n    else:\n        k = 7\n    return k", "g(3) == 7"),
    ("def g(y):\n    if i:\n        return 3\n    return 3", "g(3)"),
    ("def g(y):\n    y += 1\n    return y", "g(3)"), ("def g(y):\n    pass", "g(3) is None"),
    ("def g(y):\n    for k in range(2):\n        y = 1\n    return y", "g(3)"),
    ("g = lambda f, y: f(y)\nM = lambda y: y > 2", "g(M, 3)"),
    ("g = lambda y: (lambda z: z == y)(3)", "g(3)"),
    # under a name, or in one that it defines
    ("g = lambda y: y\nN = g(3)", "N"), ("g = lambda y: y\nN = g(3)", "not N"),
    ("g = lambda y: y\nN = g(3)", "N == 3"), ("g = lambda y: y\nN = g(THREE)", "N"),
    ("g = lambda y: y\nN = g(i)", "N"), ("g = lambda y: y\nN = g(3) + 1", "N"),
    ("g = lambda y: y\nN = g(3) + 1", "N == 4"), ("g = lambda y: y > 2\nN = g(3)", "N"),
    ("g = lambda y: y\nN = g(3)\nM = N", "M"), ("g = lambda y: y\nN = g(3)\nM = N", "M == 3"),
    ("g = lambda y: y\nN = g(g(3))", "N"), ("g = lambda y: y\nN = g(3)", "N + 1 == 4"),
    ("g = lambda y: y + 1\nN = g(3)", "N"), ("g = lambda y: y + 1\nN = g(3)", "N == 4"),
    ("g = lambda y: None\nN = g(3)", "N is None"), ("g = lambda y: y\nN = g(a)", "N.ndim == 1"),
    ("g = lambda y: y\nN = 3\nif i > 5:\n    N = g(3)", "N"), ("g = lambda y: y\nN = 4\nN = g(3)", "N == 3"),
    ("def g(y):\n    def M(z):\n        return z\n    return M(y)", "g(3)"),
    ("def g(y):\n    def M(z):\n        return z\n    return M(y)", "g(3) == 3"),
    ("def g(y):\n    def M(z):\n        return z == y\n    return M(3)", "g(3)"),
    ("def g(y):\n    M = lambda z: z\n    return M(y)", "g(3)"),
    ("def g(y):\n    def M(z=3):\n        return z\n    return M()", "g(3)"),
    ("def g(y):\n    def M(z):\n        return y\n    y = 4\n    return M(y)", "g(3) == 4"),
]  # fmt: skip


def tried(parameters, start):
    """A function that tries every case twice, with either number on either side, and writes `out`."""
    sides, body = (("2**60 + 1", "0.5"), ("0.5", "2**60 + 1")), [start]
    for case, (before, condition) in enumerate([("", condition) for condition in CONDITIONS] + NAMED):
        for side, (then, otherwise) in enumerate(sides):
            place, lines = (
                2 * case + side,
                re.sub(r"\b[NMg]\b", rf"\g<0>{case}_{side}", f"{before}\nif {condition}:"),
            )
            body += [lines, f"    s{place} = {then}", "else:", f"    s{place} = {otherwise}"]
            body.append(f"out[{place}] = s{place} % 1000")
    text = textwrap.indent("\n".join(body), "    ")
    return define(f"def kernel({parameters}):\n{text}\n", **OUTSIDE)


def test_what_is_decided_is_decided_as_in_numba():
    numba = pytest.importorskip("numba")
    count = 2 * len(CONDITIONS + NAMED)
    theirs, ours, a, b = np.zeros(count), np.zeros(count), np.ones(3), np.ones(3, np.int32)
    numba.njit(tried("a, b, nothing, i, out", ""))(a, b, None, 0, theirs)
    cuda.jit(tried("a, b, nothing, out", "i = cuda.grid(1)"))[1, 1](a, b, None, ours)
    cases = [case for case in [*CONDITIONS, *NAMED] for _ in range(2)]
    assert [*zip(cases, ours.tolist(), strict=True)] == [*zip(cases, theirs.tolist(), strict=True)]
