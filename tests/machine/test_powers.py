"""What is a number to the power of one half? Not always its root."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.ir.instructions import Opcode
from gpusim.machine.functions.arithmetic import ARITHMETIC


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 4)])
def test_a_half_is_a_power_like_any_other(dtype, shape):
    """C: pow(-inf, 0.5) is inf and pow(-0.0, 0.5) is 0.0, where sqrt gives NaN and -0.0."""
    base = np.array([[-np.inf, -0.0, 4.0, 0.0]], dtype)
    powers = ARITHMETIC[Opcode.POW](base, np.full(shape, 0.5, dtype))
    assert powers.dtype == dtype
    assert powers.tolist() == [[np.inf, 0.0, 2.0, 0.0]]
    assert not np.signbit(powers).any()
