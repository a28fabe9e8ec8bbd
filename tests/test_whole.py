"""Which numbers are whole?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.errors import ArrayError, LaunchError
from gpusim.whole import extents_of, is_whole, listed, whole


@pytest.mark.parametrize("value", [0, -3, 2**70, np.int8(3), np.uint64(3)])
def test_whole_numbers_of_python_and_of_numpy(value):
    assert is_whole(value)
    assert type(whole(value, "")) is int
    assert whole(value, "") == value


@pytest.mark.parametrize("value", [True, np.True_, 3.0, np.float64(3), "3", None, np.arange(3), [3]])
def test_nothing_else_is_one(value):
    assert not is_whole(value)
    with pytest.raises(LaunchError, match="a count is whole, not "):
        whole(value, "a count is whole")


def test_the_least_and_the_error():
    assert whole(1, "a count is positive", least=1) == 1
    with pytest.raises(ArrayError, match="a count is positive, not 0"):
        whole(0, "a count is positive", least=1, error=ArrayError)


def test_a_list_in_words():
    assert [listed(["a", "b", "c"][:count]) for count in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def test_extents_without_ones_at_the_end():
    shapes = [(1, 1, 1), (4, 1, 1), (4, 2, 1), (1, 1, 3)]
    assert [extents_of(shape) for shape in shapes] == ["1", "4", "4 × 2", "1 × 1 × 3"]
