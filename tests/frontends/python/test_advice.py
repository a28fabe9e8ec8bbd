"""What does the message advise where a kernel uses something of NumPy, or of Python, that it cannot?"""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.errors import GpuSimError, OutOfBounds
from tests.from_text import define

KEEP = "make it a tuple or an np.array"
ADVICE = {
    "np.random.rand()": "use cuda.random.xoroshiro128p_uniform_float32(states, i)",
    "np.random.normal()": "use cuda.random.xoroshiro128p_normal_float32(states, i)",
    "np.abs(x[0])": "use abs(…)",
    "np.isinf(x[0])": "use math.isinf",
    "np.clip(x[0], 0, 1)": "use min(max(x, low), high)",
    "np.where(x[0] > 0, 1, 2)": "write `a if c else b`",
    "np.add(x[0], 1)": "write it with an operator: a + b, a ** b",
    "range(4)": "loop over it: `for i in range(…)`",
    "tuple(x)": "write its items out: (a, b)",
    "type(x[0])": "types are known before a kernel runs: ask an array for its .dtype",
    "LIST[0]": KEEP,
    "LIST": KEEP,
    "LIST.index(1)": KEEP,
    "len(LIST)": KEEP,
    "1 in LIST": KEEP,
    "WORDS['a']": KEEP,
    "TEXT[0]": KEEP,
}


def advised(statement):
    """The advice under the error of a kernel with this statement."""
    text = f"@cuda.jit\ndef kernel(x):\n    {statement}\n"
    with pytest.raises(GpuSimError) as caught:
        define(text, LIST=[1, 2], WORDS={"a": 1}, TEXT="text")[1, 1](np.zeros(3))
    return caught.value.hint


@pytest.mark.parametrize("expression", ADVICE)
def test_an_expression(expression):
    assert advised(f"x[0] = {expression}") == ADVICE[expression]


@pytest.mark.parametrize("statement", ["for v in LIST: x[0] = v", "y, z = LIST", "LIST[0] = 1"])
def test_a_list_of_python_in_a_statement(statement):
    assert advised(statement) == KEEP


OUTSIDE = {
    "i = cuda.grid(1)\n    x[i] = 0": "if i < x.size",
    "i = cuda.grid(1)\n    x[0] = x[i + 1]": "if index < x.size",
    "column, row = cuda.grid(2)\n    x[column] = table[row, column]": "if column < table.shape[1]",
    "tail = x[4:]\n    tail[cuda.grid(1)] = 1": "if index < tail.size",
}


@pytest.mark.parametrize("statements", OUTSIDE)
def test_the_guard_that_an_access_lacks_has_the_names_of_the_kernel(statements):
    text = f"@cuda.jit\ndef kernel(x, table):\n    {statements}\n"
    with pytest.raises(OutOfBounds) as caught:
        define(text)[1, 8](np.zeros(7), np.zeros((4, 5)))
    assert caught.value.hint == f"guard it, for example with `{OUTSIDE[statements]}`"
