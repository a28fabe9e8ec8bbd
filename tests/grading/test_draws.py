"""Are inputs the same for a student each time, others where a class is graded, and the same there again?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gpusim import grading
from gpusim.grading.draws import draw_from


@pytest.fixture(autouse=True)
def as_students_have_them() -> Iterator[None]:
    yield
    draw_from(0)


def numbers(seed: int) -> list[int]:
    return grading.random(seed).integers(0, 1000, 8).tolist()


def test_a_student_has_numpys_own_numbers() -> None:
    assert numbers(4) == np.random.default_rng(4).integers(0, 1000, 8).tolist()


def test_a_number_that_is_drawn_gives_others_and_the_same_again() -> None:
    students = numbers(4)
    draw_from(77)
    graded = numbers(4)
    draw_from(78)
    assert numbers(4) not in (students, graded)
    draw_from(77)
    assert numbers(4) == graded != numbers(5)
