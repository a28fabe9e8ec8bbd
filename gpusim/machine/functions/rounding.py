"""How does `__fadd_rz` round? Exactly: the nearest number, moved on where it lies on the wrong side."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from gpusim.ir.instructions import Opcode
from gpusim.machine.functions.arithmetic import ARITHMETIC

# mode -> where a number moves whose exact value is below, above: one step that way, if any
TOWARD: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "rd": lambda near: (-np.inf, near),
    "ru": lambda near: (near, np.inf),
    "rz": lambda near: (np.where(near > 0, 0, near), np.where(near < 0, 0, near)),
}
NEAREST: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rcp": ARITHMETIC[Opcode.RCP],
    "sqrt": np.sqrt,
    "fma": ARITHMETIC[Opcode.FMA],
}
# the same with the sign of a zero that rounding down gives: 3 - 3 is -0 then
DOWNWARD: dict[str, Callable[..., Any]] = {
    "add": lambda one, other: -(-one - other),
    "sub": lambda one, other: -(other - one),
    "fma": lambda one, other, addend: -NEAREST["fma"](-one, other, -addend),
}
# exact value - near, or a number of the same sign
EXCESS: dict[str, Callable[..., Fraction]] = {
    "add": lambda near, one, other: one + other - near,
    "sub": lambda near, one, other: one - other - near,
    "mul": lambda near, one, other: one * other - near,
    "div": lambda near, one, other: one / other - near,
    "rcp": lambda near, number: 1 / number - near,
    "sqrt": lambda near, number: number - near * near,
    "fma": lambda near, one, other, addend: one * other + addend - near,
    "convert": lambda near, number: number - near,
}


def directed(operation: str, mode: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """An operation that rounds down (rd), up (ru) or toward zero (rz)."""
    excess = EXCESS[operation]

    def side(near: Any, *numbers: Any) -> int:
        if math.isnan(near) or not all(map(math.isfinite, numbers)):
            return 0
        if math.isinf(near):  # it overflowed, unless it was divided by zero
            divided = operation in ("div", "rcp") and numbers[-1] == 0
            return 0 if divided else -1 if near > 0 else 1
        exact = excess(Fraction(near), *map(Fraction, numbers))
        return (exact > 0) - (exact < 0)

    sides = np.frompyfunc(side, len(_parameters(operation)) + 1, 1)

    def rounded(*numbers: Any) -> Any:
        nearest = NEAREST.get(operation, np.asarray)
        if mode == "rd":
            nearest = DOWNWARD.get(operation, nearest)
        near = np.asarray(nearest(*numbers)).astype(dtype)
        plain = [np.asarray(number).astype(object) for number in numbers]
        which = np.asarray(sides(near.astype(object), *plain)).astype(np.int8)
        below, above = (np.asarray(target).astype(dtype) for target in TOWARD[mode](near))
        moved = np.where(which < 0, np.nextafter(near, below), near)
        return np.where(which > 0, np.nextafter(near, above), moved).astype(dtype)[()]

    return rounded


def _parameters(operation: str) -> tuple[str, ...]:
    code = EXCESS[operation].__code__
    return code.co_varnames[1 : code.co_argcount]
