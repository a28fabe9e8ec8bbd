"""What are product, quotient and power of complex numbers, to the last bit? By the steps that Numba takes.

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


def power(base: Any, exponent: Any) -> Any:
    """By distance and angle, a square as any other. To a power without real part, Numba makes 0 of a base
    without one, too.
    """
    a, b, c, d = np.real(base), np.imag(base), np.real(exponent), np.imag(exponent)
    distance, angle, turned = np.hypot(a, b), np.arctan2(b, a), d != 0
    length = np.power(distance, c) / np.where(turned, np.exp(angle * d), 1)
    phase = angle * c + np.where(turned, d * np.log(distance), 0)
    found = product(length, pair(np.cos(phase), np.sin(phase)))
    return np.where(exponent == 0, 1, np.where((a == 0) & (c == 0), 0, found)).astype(found.dtype)


COMPLEX = {Opcode.MUL: product, Opcode.DIV: quotient, Opcode.POW: power}
