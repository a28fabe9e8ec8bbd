"""What does each opcode compute? One NumPy function a row, on arrays (n, L), (n, 1) or scalars.

Lanes that are off compute too; what they get is never written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.ir.instructions import Opcode


def integer_power(base: Any, exponent: Any) -> Any:
    """Base ** exponent in the integers; a negative exponent gives 0, except for 1 and -1."""
    power = np.power(base, np.maximum(exponent, 0))
    return np.where(exponent < 0, np.where(np.abs(base) == 1, np.where(exponent % 2 == 0, 1, base), 0), power)


def power(base: Any, exponent: Any) -> Any:
    """Base ** exponent in the operands' type."""
    return (integer_power if np.asarray(base).dtype.kind in "iu" else np.power)(base, exponent)


ARITHMETIC: dict[Opcode, Callable[..., Any]] = {
    Opcode.ADD: np.add,
    Opcode.SUB: np.subtract,
    Opcode.MUL: np.multiply,
    Opcode.DIV: np.divide,
    Opcode.FLOOR_DIV: np.floor_divide,
    Opcode.FLOOR_MOD: np.remainder,
    Opcode.POW: power,
    Opcode.MIN: np.fmin,
    Opcode.MAX: np.fmax,
    Opcode.AND: np.bitwise_and,
    Opcode.OR: np.bitwise_or,
    Opcode.XOR: np.bitwise_xor,
    Opcode.SHL: np.left_shift,
    Opcode.SHR: np.right_shift,
    Opcode.ATAN2: np.arctan2,
    Opcode.NEG: np.negative,
    Opcode.NOT: np.invert,
    Opcode.ABS: np.abs,
    Opcode.SQRT: np.sqrt,
    Opcode.EXP: np.exp,
    Opcode.LOG: np.log,
    Opcode.SIN: np.sin,
    Opcode.COS: np.cos,
    Opcode.TAN: np.tan,
    Opcode.TANH: np.tanh,
    Opcode.FLOOR: np.floor,
    Opcode.CEIL: np.ceil,
    Opcode.EQ: np.equal,
    Opcode.NE: np.not_equal,
    Opcode.LT: np.less,
    Opcode.LE: np.less_equal,
    Opcode.GT: np.greater,
    Opcode.GE: np.greater_equal,
    Opcode.SELECT: np.where,
}
