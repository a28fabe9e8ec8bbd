"""Does a cheat earn anything where a class is graded, if nobody looks?"""

from __future__ import annotations

import pytest

from tests.classroom.apart_cheats import CHEATS_APART, KERNELS_APART
from tests.classroom.small_lab import ANSWERS, instructors
from tests.labs.apart import Student, earned
from tests.labs.shell import Lab

RIGHT = {"double": "def double(x):\n    return x + x", "triple": ANSWERS["triple"]}


@pytest.fixture(scope="module")
def small() -> Student:
    """The small lab here, and the process that answers for a student."""
    lab = Lab(instructors(), {})
    lab.run()
    return Student(lab)


@pytest.mark.parametrize("cell", RIGHT)
def test_a_right_answer_gets_its_points(small: Student, cell: str) -> None:
    assert earned(small, cell, RIGHT[cell]) == (4, [])


@pytest.mark.parametrize("name", CHEATS_APART)
def test_a_function_that_cheats_gets_nothing(small: Student, name: str) -> None:
    assert earned(small, "double", CHEATS_APART[name])[0] == 0


@pytest.mark.parametrize("name", KERNELS_APART)
def test_a_kernel_that_cheats_gets_nothing(small: Student, name: str) -> None:
    assert earned(small, "triple", KERNELS_APART[name])[0] == 0
