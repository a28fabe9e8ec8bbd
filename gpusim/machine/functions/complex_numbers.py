"""What are the product and the quotient of complex numbers, to the last bit? By the steps that Numba takes.

NumPy divides by another formula, and multiplies with one rounding less where the host's processor can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.ir.instructions import Opcode
from gpusim.machine.functions.arithmetic import pair


def product(one: Any, other: Any) -> Any:
    """(a + bi)(c + di) is (ac - bd) + (ad + bc)i."""
    a, b, c, d = np.real(one), np.imag(one), np.real(other), np.imag(other)
    return pair(a * c - b * d, a * d + b * c)


def quotient(dividend: Any, divisor: Any) -> Any:
    """By the larger part of the divisor, as CPython does it. By zero, NaN: kernels raise before."""
    a, b, c, d = np.real(dividend), np.imag(dividend), np.real(divisor), np.imag(divisor)
    turned = abs(c) < abs(d)  # (a + bi) / (c + di) is (b - ai) / (d - ci)
    a, b, c, d = (
        np.where(turned, b, a),
        np.where(turned, -a, b),
        np.where(turned, d, c),
        np.where(turned, -c, d),
    )
    ratio = d / c
    denominator = c + d * ratio
    return pair((a + b * ratio) / denominator, (b - a * ratio) / denominator)


COMPLEX = {Opcode.MUL: product, Opcode.DIV: quotient}
