"""Which number types has C, and which does an operation on two of them give? `unsigned` + `long`: `long`.

Written from the C++ standard (conv.prom, expr.arith.conv), for Linux and so for CUDA on it: `int` has 32 bits
and `long` 64. The front-end under test has its own rules; these are here to judge them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CType:
    """A type as C spells it; `kind` is NumPy's letter, `rank` orders integers from `bool` to `long long`."""

    name: str
    letter: str  # names of its variables begin with it
    kind: str
    bits: int
    rank: int

    @property
    def word(self) -> str:
        """The name as one word, for names made of it."""
        return self.name.replace(" ", "_")

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type with the same bits."""
        return np.dtype(f"{self.kind}{self.bits // 8}")

    @property
    def is_float(self) -> bool:
        """`float` and `double`."""
        return self.kind == "f"


BOOL = CType("bool", "b", "b", 8, 0)
INT = CType("int", "i", "i", 32, 3)
UNSIGNED_LONG = CType("unsigned long", "ul", "u", 64, 4)
FLOAT = CType("float", "f", "f", 32, 6)
DOUBLE = CType("double", "d", "f", 64, 7)
CHAR = CType("char", "c", "i", 8, 1)
LONG_LONG = CType("long long", "ll", "i", 64, 5)
INTEGERS = (
    BOOL,
    CHAR,
    CType("signed char", "sc", "i", 8, 1),
    CType("unsigned char", "uc", "u", 8, 1),
    CType("short", "s", "i", 16, 2),
    CType("unsigned short", "us", "u", 16, 2),
    INT,
    CType("unsigned int", "u", "u", 32, 3),
    CType("long", "l", "i", 64, 4),
    UNSIGNED_LONG,
    LONG_LONG,
    CType("unsigned long long", "ull", "u", 64, 5),
)
TYPES = (*INTEGERS, FLOAT, DOUBLE)
BY_NAME = {type_.name: type_ for type_ in TYPES}


def promoted(type_: CType) -> CType:
    """What an integer becomes before anything is done with it: `int`, where it is narrower."""
    return INT if type_.rank < INT.rank else type_


def common(one: CType, other: CType) -> CType:
    """The type in which an operator works on two numbers (the usual arithmetic conversions)."""
    if one.is_float or other.is_float:
        return max(one, other, key=lambda type_: type_.rank)
    lower, higher = sorted((promoted(one), promoted(other)), key=lambda type_: (type_.rank, type_.kind))
    if lower.kind == higher.kind or higher.kind == "u" or higher.bits > lower.bits:
        return higher
    # as wide, of higher rank, but signed: `long long` cannot hold all of `unsigned long`
    return BY_NAME[f"unsigned {higher.name}"]
