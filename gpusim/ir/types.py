"""What can a register hold? Numbers of a fixed width, named as in PTX; and the kinds of memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number of fixed width. `kind` is NumPy's letter: b (predicate), i, u, f, c (complex), V (bits)."""

    name: str
    kind: str
    bits: int

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type with the same values."""
        return np.dtype(f"{self.kind}{max(self.bits // 8, 1)}")

    @property
    def bytes(self) -> int:
        """Size in memory; a predicate is stored as one byte."""
        return max(self.bits // 8, 1)

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers, not for predicates."""
        return self.kind in "iu"

    @property
    def is_float(self) -> bool:
        """True for floating-point types."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """True for pairs of floating-point numbers."""
        return self.kind == "c"

    def __str__(self) -> str:
        return self.name


PRED = Scalar("pred", "b", 1)
S8, S16, S32, S64 = (Scalar(f"s{bits}", "i", bits) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (Scalar(f"u{bits}", "u", bits) for bits in (8, 16, 32, 64))
F16, F32, F64 = (Scalar(f"f{bits}", "f", bits) for bits in (16, 32, 64))
C64, C128 = (Scalar(f"c{bits}", "c", bits) for bits in (64, 128))
B16, B32, B64, B128 = (Scalar(f"b{bits}", "V", bits) for bits in (16, 32, 64, 128))  # moved as one, as in PTX

SCALARS = (PRED, S8, S16, S32, S64, U8, U16, U32, U64, F16, F32, F64, C64, C128)
BY_DTYPE = {scalar.dtype: scalar for scalar in SCALARS}


class Space(Enum):
    """Where an array lives, and so who sees it: the grid, one block, or one thread."""

    GLOBAL = "global"
    CONSTANT = "const"
    SHARED = "shared"
    LOCAL = "local"
    GENERIC = "generic"  # wherever the address lies


# where generic addresses see the block's own shared memory, and the thread's own local memory
WINDOWS = {Space.SHARED: 0x7E00_0000_0000, Space.LOCAL: 0x7D00_0000_0000}


@dataclass(frozen=True)
class Record:
    """A struct in memory, laid out as its NumPy `dtype` says: three floats x, y, z take 12 bytes."""

    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """Size in memory, padding included."""
        return self.dtype.itemsize

    @property
    def names(self) -> tuple[str, ...]:
        """The fields, in order."""
        return self.dtype.names or ()

    def field(self, name: str) -> tuple[Element, int, tuple[int, ...]]:
        """The type of a field, its first byte, and its shape where the field is itself an array."""
        assert self.dtype.fields is not None
        inner, offset = self.dtype.fields[name][:2]
        element = element_of(inner.base)
        assert element is not None
        return element, offset, inner.shape

    def __str__(self) -> str:
        return "{" + ", ".join(f"{name}: {self.field(name)[0]}" for name in self.names) + "}"


Element = Scalar | Record


def element_of(dtype: np.dtype[Any]) -> Element | None:
    """What an array of this NumPy type holds; None where a kernel has no such type."""
    if dtype.fields is None:
        return BY_DTYPE.get(dtype)
    known = all(element_of(inner[0].base) is not None for inner in dtype.fields.values())
    return Record(dtype) if known else None


@dataclass(frozen=True)
class Array:
    """The type of an array in global memory: element, dimensions. Shapes and addresses come with a launch.

    `layout` is Numba's: "C" or "F" where the elements lie densely in that order, else "A".
    """

    element: Element
    dimensions: int
    layout: str = "A"

    def __str__(self) -> str:
        return f"global {self.element}[{', '.join(':' * self.dimensions)}]"
