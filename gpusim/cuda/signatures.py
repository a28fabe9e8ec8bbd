"""Which types does a signature name? `"void(float32[:], int32)"` takes one array and one number.

signature: void ( types )  or  ( types )  or  type, …
type:      name  |  name[:]  |  name[:, ::1]  |  UniTuple(type, n)  |  Tuple((type, …))

Names are Numba's and NumPy's: float32, f4, int64, intp, boolean. Numba's type objects will do, too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpusim.errors import KernelTypeError
from gpusim.frontends.python.types import of_name
from gpusim.ir.types import PRED, Array, Record, Scalar, element_of

ArgumentType = Any  # Scalar, Array, None, or a tuple of these
# Numba's names that NumPy does not have, or has for something else
NUMBA_NAMES = {
    "boolean": "bool",
    "bool_": "bool",
    "float_": "float32",
    "int_": "int64",
    "char": "int8",
    "uchar": "uint8",
    "size_t": "uint64",
    "ssize_t": "int64",
    "long_": "int64",
}
TUPLES = ("UniTuple", "Tuple")
KINDS = "biufc"


@dataclass(frozen=True)
class Signature:
    """The types of a kernel's arguments, and of a device function's result (None: whatever it is)."""

    args: tuple[ArgumentType, ...]
    result: Scalar | None = None

    def __str__(self) -> str:
        return f"({', '.join(type_name(type_) for type_ in self.args)})"

    def __repr__(self) -> str:
        return f"<{self}>"


def type_name(type_: ArgumentType) -> str:
    """A type as Numba spells it: `float32[:, :]`, or `float32[:, ::1]` in C's order."""
    if isinstance(type_, tuple):
        return f"Tuple(({', '.join(type_name(part) for part in type_)}))"
    if isinstance(type_, Array):
        return f"{type_name(type_.element)}{axes_of(type_.dimensions, type_.layout)}"
    if type_ is None:
        return "none"
    if type_ is PRED:
        return "boolean"
    return type_.dtype.name if isinstance(type_, Scalar) else str(type_)


def axes_of(dimensions: int, layout: str) -> str:
    """An array's axes as Numba spells them: `[:, ::1]` in C's order; none of a single record."""
    axes = [":"] * dimensions
    if axes and layout != "A":
        axes[-1 if layout == "C" else 0] = "::1"
    return f"[{', '.join(axes)}]" if axes else ""


def layout_of(dense: Sequence[bool]) -> str:
    """The layout of an array whose axes are dense, `::1`, or not."""
    return "C" if dense[-1] else "F" if dense[0] else "A"


def numba_type_of(argument: Any) -> Any:
    """Numba's type of an argument, where Numba is imported and knows one; else None."""
    typeof = getattr(sys.modules.get("numba"), "typeof", None)
    try:
        return typeof and typeof(argument)
    except ValueError:
        return None


def is_signature(given: object) -> bool:
    """Is this a signature, rather than a function to compile or a list of signatures?"""
    return isinstance(given, str | tuple | Signature) or (
        hasattr(given, "return_type") and hasattr(given, "args")
    )


def parse(given: Any) -> Signature:
    """Read a signature. Raises `KernelTypeError`, which says what is wrong with it."""
    if isinstance(given, Signature):
        return given
    if isinstance(given, str):
        return _Reader(given).signature()
    if isinstance(given, tuple):
        arguments, returned = given, None
    elif is_signature(given):
        arguments, returned = given.args, given.return_type
    else:
        raise KernelTypeError(f"{given!r} is not a signature", hint='write one as "void(float32[:], int32)"')
    found = [_Reader(item).type() if isinstance(item, str) else _of_object(item) for item in arguments]
    read = [Array(type_, 0, layout="C") if isinstance(type_, Record) else type_ for type_ in found]
    name = getattr(returned, "name", None)
    result = None if name in (None, "none", "void") else _of_object(returned)
    return Signature(tuple(read), result)


def _of_object(given: Any) -> ArgumentType:
    """The type that an object of Numba's or NumPy's stands for."""
    parts, dtype = getattr(given, "types", None), getattr(given, "dtype", None)
    if isinstance(parts, tuple | list):
        return tuple(_of_object(part) for part in parts)
    if hasattr(given, "ndim") and dtype is not None and not isinstance(given, type):
        return Array(_of_object(dtype), given.ndim, layout=getattr(given, "layout", "A"))
    record = dtype if isinstance(dtype, np.dtype) else given
    if isinstance(record, np.dtype) and record.fields is not None:
        found = element_of(record)
    else:
        found = of_name(given)
    if found is None:
        raise KernelTypeError(f"{given!r} is not a type that a kernel's argument can have")
    return found


class _Reader:
    """Reads the text of a signature, which has the syntax of a Python expression."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.tree: ast.expr = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):  # a null byte is the latter, to some Pythons
            raise self._refusal("it cannot be read") from None

    def _refusal(self, why: str) -> KernelTypeError:
        return KernelTypeError(
            f"the signature {self.text!r} is not one: {why}", hint='write one as "void(float32[:], int32)"'
        )

    def signature(self) -> Signature:
        """A result with arguments, or just arguments."""
        result, arguments = None, [self.tree]
        match self.tree:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name not in TUPLES:
                result, arguments = None if name in ("void", "none") else self._number(name), args
            case ast.Tuple(elts=args):
                arguments = args
        return Signature(tuple(self._type(node) for node in arguments), result)

    def type(self) -> ArgumentType:
        """A single type."""
        return self._type(self.tree)

    def _type(self, node: ast.expr) -> ArgumentType:
        match node:
            case ast.Name(id=name):
                return self._number(name)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                axes = index.elts if isinstance(index, ast.Tuple) else [index]
                dense = [self._is_dense(axis) for axis in axes]
                return Array(self._number(name), len(axes), layout=layout_of(dense))
            case ast.Call(func=ast.Name(id="UniTuple"), args=[part, ast.Constant(value=int(count))]):
                return (self._type(part),) * count
            case ast.Call(func=ast.Name(id="Tuple"), args=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
                return tuple(self._type(part) for part in parts)
            case _:
                raise self._refusal(f"{ast.unparse(node)!r} is not a type")

    def _is_dense(self, axis: ast.expr) -> bool:
        """Is this axis written as ::1, rather than as a plain colon?"""
        if ast.unparse(axis) not in (":", "::1"):
            raise self._refusal(f"dimensions are written as : or ::1, not {ast.unparse(axis)!r}")
        return ast.unparse(axis) == "::1"

    def _number(self, name: str) -> Scalar:
        found = of_name(NUMBA_NAMES.get(name, name))
        if found is None:
            raise self._refusal(f"no number type is called {name!r}")
        return found


def choose(
    kernel: str, declared: Sequence[Signature], given: Sequence[ArgumentType], first: bool = False
) -> Signature:
    """The declared signature that these arguments fit best: exactly, else with numbers converted.

    Whole numbers become floating-point ones, never the other way; arrays must fit as they are. Where several
    fit equally well, Numba takes the `first` of a device function, and refuses those of a kernel.
    """
    costs = [(_cost(signature.args, tuple(given)), signature) for signature in declared]
    fitting = [(cost, signature) for cost, signature in costs if cost is not None]
    best = [signature for cost, signature in fitting if cost == min(cost for cost, _ in fitting)]
    shown = f"{kernel} is compiled for {' and '.join(map(str, declared))}"
    if not best:
        raise KernelTypeError(
            f"{shown}; {Signature(tuple(given))} does not fit",
            hint="convert the arguments, or leave types out",
        )
    if len(best) > 1 and not first:
        raise KernelTypeError(f"{shown}; {Signature(tuple(given))} fits {len(best)} of them equally well")
    return best[0]


def _cost(wanted: ArgumentType, given: ArgumentType) -> tuple[int, int] | None:
    """How many numbers must be (narrowed, widened); None where it does not fit."""
    if isinstance(wanted, tuple) and isinstance(given, tuple):
        parts = [_cost(one, other) for one, other in zip(wanted, given, strict=False)]
        if len(wanted) != len(given) or None in parts:
            return None
        return sum(part[0] for part in parts if part), sum(part[1] for part in parts if part)
    if wanted == given:
        return 0, 0
    if isinstance(given, Array) and wanted == replace(given, layout="A"):
        return 0, 1  # any layout will do
    if not isinstance(wanted, Scalar) or not isinstance(given, Scalar):
        return None
    if np.can_cast(given.dtype, wanted.dtype, "safe"):
        return 0, 1
    ranks = [KINDS.find(type_.dtype.kind) for type_ in (given, wanted)]
    return (1, 0) if ranks[0] <= ranks[1] or set(ranks) == {1, 2} else None
