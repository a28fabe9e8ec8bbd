"""Does a cheat earn anything where a class is graded, if nobody looks?"""

from __future__ import annotations

import pytest

from tests.classroom.apart_cheats import CHEATS_APART, KERNELS_APART
from tests.classroom.small_lab import ANSWERS, instructors
from tests.labs.apart import Student, earned
from tests.labs.shell import Lab

RIGHT = {
    "double": "def double(x):\n    return x + x",
    "triple": ANSWERS["triple"],
    "double: a namedtuple": """
from collections import namedtuple

Pair = namedtuple("Pair", "a b")


def double(x):
    pair = Pair(x, 0)._replace(b=x)
    return pair.a + pair.b
""",
    "double: a NamedTuple": """
from typing import NamedTuple


class Pair(NamedTuple):
    a: int
    b: int = 0


def double(x):
    return sum(Pair(a=x, b=x)._asdict().values())
""",
    "double: a partial": """
import functools
import operator

double = functools.partial(operator.mul, 2)
""",
    "double: a partial of its own": """
from functools import partial


def times(n, x):
    return n * x


double = partial(times, 2)
""",
    "double: defaultdict and Counter": """
from collections import Counter, defaultdict

both = defaultdict(list)
many = Counter("xx")


def double(x):
    both["x"].append(x)
    return many["x"] * both["x"][-1]
""",
    "predictions: a defaultdict": """
from collections import defaultdict

predicted = defaultdict(dict)
for name, value in zip("xy", (3, 4)):
    predicted["a"][name] = value
""",
}


@pytest.fixture(scope="module")
def small() -> Student:
    """The small lab here, and the process that answers for a student."""
    lab = Lab(instructors(), {})
    lab.run()
    return Student(lab)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_gets_its_points(small: Student, name: str) -> None:
    assert earned(small, name.partition(":")[0], RIGHT[name]) == (4, [])


@pytest.mark.parametrize("name", CHEATS_APART)
def test_a_function_that_cheats_gets_nothing(small: Student, name: str) -> None:
    assert earned(small, "double", CHEATS_APART[name])[0] == 0


@pytest.mark.parametrize("name", KERNELS_APART)
def test_a_kernel_that_cheats_gets_nothing(small: Student, name: str) -> None:
    assert earned(small, "triple", KERNELS_APART[name])[0] == 0
