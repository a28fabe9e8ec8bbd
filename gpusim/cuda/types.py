"""What are `cuda.float32` and `cuda.types`? Types of Numba: they convert numbers, and make signatures.

>>> from gpusim import cuda
>>> cuda.void(cuda.float32[:, ::1], cuda.intp)
void(float32[:, ::1], int64)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpusim.cuda.signatures import NUMBA_NAMES, axes_of, layout_of

NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
# Numba's other names for them: those that signatures in a text know, too, and those that are NumPy's as well
ALIASES = NUMBA_NAMES | {
    "b1": "bool",
    "bool": "bool",
    "short": "int16",
    "intc": "int32",
    "intp": "int64",
    "longlong": "int64",
    "byte": "uint8",
    "ushort": "uint16",
    "uintc": "uint32",
    **dict.fromkeys(("uintp", "uint", "ulong", "ulonglong"), "uint64"),
    "double": "float64",
}


class Element:
    """The type of what an array can hold."""

    def __getitem__(self, axes: Any) -> ArrayOf:
        parts = axes if isinstance(axes, tuple) else (axes,)
        return ArrayOf(self, len(parts), layout_of([part.step == 1 for part in parts]))


@dataclass(frozen=True)
class RecordOf(Element):
    """A record's type."""

    dtype: np.dtype[Any]


@dataclass(frozen=True)
class Number(Element):
    """A type of numbers. It converts a number; called with types, it is the result of a signature."""

    name: str

    def __repr__(self) -> str:
        return self.name

    @property
    def bitwidth(self) -> int:
        """How many bits a number has."""
        return np.dtype(self.name).itemsize * 8

    def __call__(self, *given: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], int | float | complex | np.generic):
            return np.dtype(self.name).type(given[0])
        return SignatureOf(self, given)


@dataclass(frozen=True)
class ArrayOf:
    """An array's type. layout: "C", "F" or "A" for any."""

    dtype: Element
    ndim: int
    layout: str

    def __repr__(self) -> str:
        return f"{self.dtype}{axes_of(self.ndim, self.layout)}"


@dataclass(frozen=True)
class TupleOf:
    """A tuple's type."""

    types: tuple[Any, ...]


@dataclass(frozen=True)
class SignatureOf:
    """What a function takes and returns."""

    return_type: Any
    args: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.return_type}({', '.join(map(repr, self.args))})"


def from_dtype(dtype: Any) -> Element:
    """The type of numbers or records that NumPy calls so."""
    given = np.dtype(dtype)
    return RecordOf(given) if given.fields else Number(given.name)


def as_dtype(type_: Any) -> np.dtype[Any]:
    """What NumPy calls a type of numbers or records."""
    return type_.dtype if isinstance(type_, RecordOf) else np.dtype(type_.name)


def tuple_of(types: Any) -> TupleOf:
    """The type of a tuple whose items are of these types."""
    return TupleOf(tuple(types))


def uniform(type_: Any, count: int) -> TupleOf:
    """The type of a tuple of so many items of one type."""
    return TupleOf((type_,) * count)


_NUMBERS = {name: Number(name) for name in NUMBERS}
# name under `numba` -> the type
NAMES: dict[str, Any] = {
    **_NUMBERS,
    **{np.dtype(name).str[1:]: number for name, number in _NUMBERS.items()},  # f4 and so on
    **{alias: Number(name) for alias, name in ALIASES.items()},
    "void": Number("void"),
    "none": Number("void"),
}
# the same under `cuda`, where Numba has no float16
OF_CUDA = {name: type_ for name, type_ in NAMES.items() if name not in ("float16", "f2", "float_")}
vars().update(NAMES, Array=ArrayOf, Tuple=tuple_of, UniTuple=uniform)
