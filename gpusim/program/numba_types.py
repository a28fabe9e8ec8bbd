"""What is `numba.float32` where Numba is not installed? A name, which makes types of arrays, and signatures.

>>> NAMES["void"](NAMES["float32"][:, ::1], NAMES["intp"])
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
        if len(given) == 1 and not isinstance(given[0], Number | ArrayOf | TupleOf):
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


_NUMBERS = {name: Number(name) for name in NUMBERS}
NAMES: dict[str, Any] = {
    **_NUMBERS,
    **{np.dtype(name).str[1:]: number for name, number in _NUMBERS.items()},  # f4 and so on
    **{alias: Number(name) for alias, name in ALIASES.items()},
    "void": Number("void"),
    "none": Number("void"),
    "from_dtype": from_dtype,
}
TYPES: dict[str, Any] = {
    **NAMES,
    "Array": ArrayOf,
    "Tuple": lambda types: TupleOf(tuple(types)),
    "UniTuple": lambda type_, count: TupleOf((type_,) * count),
}
