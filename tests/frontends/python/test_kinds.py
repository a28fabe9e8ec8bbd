"""What of Python's own kinds of objects reaches a kernel? Members of an `Enum`, and namedtuples."""

from __future__ import annotations

from collections import namedtuple
from enum import Enum, Flag, IntEnum

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import GpuSimError
from tests.from_text import define


class Colour(Enum):
    RED = 1
    GREEN = "green"
    BLUE = (0, 0, 255)


class Wind(Enum):
    EAST = 1


class Weight(Enum):
    LIGHT = 2
    HEAVY = 70


class Access(Flag):
    READ = 1
    WRITE = 2


class Answer(IntEnum):
    LOST = 404
    BROKEN = 500


Point = namedtuple("Point", "x y")
Couple = namedtuple("Couple", "x y")
Line = namedtuple("Line", "begin end width")
OUTSIDE = {"Colour": Colour, "Wind": Wind, "Answer": Answer, "Point": Point}


def told(expression, *given):
    """What a thread makes of the arguments a, b and c."""
    names = ", ".join("abc"[: len(given)])
    out = np.zeros(1)
    text = f"@cuda.jit\ndef kernel({names}, out):\n    out[0] = {expression}\n"
    define(text, **OUTSIDE)[1, 1](*given, out)
    return out[0]


@pytest.mark.parametrize(
    "expression",
    [
        "a == b", "a != b", "a is b", "a is not b", "a == Colour.RED", "a in (Colour.BLUE, b)",
        "Colour['RED'] == a", "(a if c > 5 else b) is Colour.GREEN", "Answer['LOST'] + c", "a == Wind.EAST",
    ],
)  # fmt: skip
def test_members_are_compared_as_python_does(expression):
    for a in Colour:
        for b in Colour:
            for c in (4, Answer.BROKEN):
                assert told(expression, a, b, c) == eval(expression, OUTSIDE, {"a": a, "b": b, "c": c})


def test_whether_two_numbers_are_one_object_is_not_asked():
    """Members of two IntEnums may have one value, and are two objects."""
    with pytest.raises(GpuSimError, match="compare numbers with =="):
        told("a is b", Answer.LOST, 404)


def test_each_thread_has_its_own_member():
    @cuda.jit(device=True)
    def of(i):
        if i % 3 == 0:
            return Colour.RED
        return Colour.BLUE if i % 3 == 1 else Colour.GREEN

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        mine = of(i)
        if i > 5:
            mine = Colour.RED
        out[i] = mine == Colour.BLUE

    out = np.zeros(9)
    kernel[1, 9](out)
    assert out.tolist() == [0, 1, 0, 0, 1, 0, 0, 0, 0]


def test_each_thread_has_the_value_of_its_member():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        weight = Weight.HEAVY if i % 2 else Weight.LIGHT
        out[i] = weight.value

    out = np.zeros(4)
    kernel[1, 4](out)
    assert out.tolist() == [2, 70, 2, 70]
    assert told("Colour.BLUE.value[2] + Answer['LOST'].value + a", 5) == 255 + 404 + 5
    with pytest.raises(GpuSimError, match="values of Colour are of several types"):
        told("a.value", Colour.RED)


def test_nothing_but_numbers_may_be_none_for_some_threads():
    for chosen in ("Colour.RED if a > 2 else None", "None if a > 2 else out"):
        with pytest.raises(GpuSimError, match=r"what is chosen is .* is used where the two meet"):
            told(f"({chosen}) is None", 5)


@pytest.mark.parametrize("flags", [Access.READ, Access.READ | Access.WRITE])
def test_flags_are_no_arguments(flags):
    with pytest.raises(GpuSimError, match="kernels take NumPy and device arrays, numbers"):
        told("a == a", flags)


@pytest.mark.parametrize("expression", ["a", "a + 1", "a < a"])
def test_members_are_no_numbers(expression):
    with pytest.raises(GpuSimError, match="members of an Enum are compared only"):
        told(expression, Colour.RED)


def test_the_items_of_a_namedtuple_have_their_names():
    line = Line(Point(1, 2.5), Point(np.arange(3.0), cuda.to_device(np.ones(2))), 7)
    assert told("a.begin.y + a.end.x[2] + a.end.y[0] * a.width + a[0][0]", line) == 2.5 + 2 + 7 + 1
    assert told("a == Point(1, 2.5)", line.begin) == 1
    x, y, width = cuda.In(line), cuda.Out(Point(np.zeros(2), 3)), 5
    kernel = define("@cuda.jit\ndef kernel(a, b, c):\n    b.x[0] = a.width + b.y + c\n")
    kernel[1, 1](x, y, width)
    assert y.value.x[0] == 15


def test_a_kernel_is_compiled_for_each_kind():
    kernel = define("@cuda.jit\ndef kernel(a, out):\n    out[0] = a[0] + len(a)\n")
    out = np.zeros(1)
    for given in (Point(1, 2), Couple(1, 2), (1, 2), Point(1, 2)):
        kernel[1, 1](given, out)
    assert len(kernel.signatures) == 3


# numbers that may be None -----------------------------------------------------------------------------------

MAYBE = """
def third(i):
    if i % 3 == 0:
        return None
    return 10 * i


def late(i):
    if i > 2:
        return i * 0.5
    else:
        return None


def some(i):
    if i == 4:
        return
    if i > 2:
        return i


def kernel(out, i):
    {}
"""
TRIED = [
    "b = third(i)\n    if b is not None and b > 10:\n        out[i] = b",
    "b = late(i)\n    out[i] = 7 if b is None or b == 2 else b * 2",
    "x = None\n    if i == 2:\n        x = 1.5\n    if x == None:\n        x = third(i)\n"
    "    if x != None:\n        out[i] = x / 2",
    "x = 5\n    if i < 3:\n        x = None\n    elif i < 5:\n        x = 0\n    out[i] = 1 if x else 2",
    "y = i if i > 4 else None\n    if not y:\n        out[i] = 3",
    "y = None if i > 4 else third(i)\n    z = y\n    if z is None:\n        out[i] = 4",
    "s = 0\n    for k in range(i):\n        b = third(k)\n        if b is not None:\n            s += b\n"
    "    out[i] = s",
    "b = third(i)\n    if b and b < 8 * i:\n        out[i] = 0\n    elif b:\n        out[b // 10] = b",
    "b = third(i)\n    out[i] = (b or 5) + (third(i + 1) or i)",
    "b = third(i) and 7\n    out[i] = -1 if b is None else b",
    "out[i] = 1 if (i > 3 and None) is None else 2",
    "b = some(i)\n    out[i] = 7 if b is None else b",
    "for k in range(4):\n        if k == 0:\n            b = third(i)\n            continue\n"
    "        out[i] += 1 if b is None else b\n        b = third(k + i)",
]


@pytest.mark.parametrize("statements", TRIED)
def test_a_number_may_be_none(statements):
    """Numba's Optional: threads differ in whether there is one."""
    text, python, out, expected = MAYBE.format(statements), {}, np.zeros(8), np.zeros(8)
    exec(text, python)
    for i in range(8):
        python["kernel"](expected, i)
    device = {name: cuda.jit(python[name], device=True) for name in ("third", "late", "some")}
    body = text[text.index("def kernel") :].replace("(out, i):", "(out):\n    i = cuda.grid(1)")
    define(f"@cuda.jit\n{body}", **device)[1, 8](out)
    assert out.tolist() == expected.tolist()


def test_none_is_told_where_a_number_is_needed():
    @cuda.jit(device=True)
    def third(i):
        if i % 3 == 0:
            return None
        return 10 * i

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        out[i] = third(i + 1) + 1

    out = np.zeros(3)
    kernel[1, 2](out)
    assert out.tolist() == [11, 21, 0]
    with pytest.raises(TypeError, match=r"thread \(2, 0, 0\) .* a number is needed, not None"):
        kernel[1, 3](out)
