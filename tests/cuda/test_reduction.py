"""Does a reduction give what the host adds up?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim import cuda
from gpusim.errors import ArrayError


@cuda.reduce
def add(a, b):
    return a + b


@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 70_000])
def test_sums_of_every_size(count, machine):
    x = np.arange(count, dtype=np.int32)
    assert add(x) == x.sum(dtype=np.int32)
    assert add(cuda.to_device(x)) == x.sum(dtype=np.int32)


def test_another_function_a_part_and_a_start():
    largest = cuda.Reduce(lambda a, b: max(a, b))
    x = np.array([3.0, -1.0, 8.0, 9.0])
    assert largest(x) == 9
    assert largest(x, size=3) == 8
    assert largest(x, size=3, init=100) == 100
    assert largest(-x, init=-np.inf) == 1
    assert add(x, init=1) == 20
    assert add(x, size=0, init=7) == 7


def test_the_result_may_stay_on_the_device():
    result = cuda.device_array(1, np.int64)
    assert add(np.arange(10), res=result, stream=cuda.stream()) is None
    assert result[0] == 45


@pytest.mark.parametrize(("array", "size"), [(np.zeros((2, 2)), None), (np.zeros(4), 5)])
def test_only_part_of_one_dimension(array, size):
    with pytest.raises(ArrayError, match="a reduction takes up to 4 elements of an array of one dimension"):
        add(array, size)


def test_two_functions_in_one_line():
    """Each is found by the place of its code, though the text of both is the line."""
    largest, product = cuda.reduce(lambda a, b: max(a, b)), cuda.reduce(lambda a, b: a if b == 1 else a * b)
    x = np.array([3, 1, 8, 1])
    assert (largest(x), product(x, init=1)) == (8, 24)
