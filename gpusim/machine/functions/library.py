"""Which functions does a `CALL` know by name? Those that are more than an opcode; all work on arrays.

The tables stand in rooms of their own, which are opened when a kernel calls one: of real numbers, of the bits
of a word, and of operations that round toward one side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.ir.conversion import converted


def function(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """The function of that name, with results of a NumPy type."""
    from gpusim.machine.functions import real as real_functions
    from gpusim.machine.functions import rounding
    from gpusim.machine.functions import word as word_functions

    operation, _, mode = name.partition(".")
    if mode in rounding.TOWARD:
        return rounding.directed(operation, mode, dtype)
    known = real_functions.FUNCTIONS.get(name) or word_functions.function(name)
    assert known is not None, f"no function {name}"
    return lambda *operands: converted(known(*operands), dtype)
