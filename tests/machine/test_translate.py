"""What does a kernel become? Python functions of NumPy calls, one a basic block."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.machine.translate import Form, translate
from tests.from_text import define


def compiled(text, *arguments):
    return define(f"@cuda.jit\ndef kernel({text}").compiled(*arguments)


@pytest.mark.parametrize("cut_at_memory", [False, True])
def test_parameters_are_constant_for_one_grid_and_not_for_several(cut_at_memory):
    function = compiled("x, n, m):\n    m += n\n    x[cuda.grid(1)] = m\n", np.zeros(4), 3, 4)
    one, several = (translate(function, Form(True, cut_at_memory, several)) for several in (False, True))
    n = [parameter for parameter in function.parameters if parameter.name == "n"]
    assert list(one.constant) == n  # m is written to
    assert not several.constant
    assert set(n) <= set(several.stored)


def test_a_function_has_its_text():
    function = compiled("x):\n    i = cuda.grid(1)\n    x[i] = x[i] // 2\n", np.zeros(4, np.int64))
    (block,) = translate(function, Form(True)).functions
    assert block.__doc__.startswith("def block_0(R, A, S, step):\n    rows = step.rows\n")
    assert "A[0].store(" in block.__doc__
