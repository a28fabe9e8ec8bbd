"""What can an expression of a kernel be? A number, a view of an array, a record, a tuple, a Python object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Self

from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Operand, Place, Register


@dataclass(frozen=True)
class View:
    """An array with some of its indices given, None for the others: `image[row]` is (row, None).

    A part of an array, such as a slice, has its geometry.
    """

    array: ArrayOperand
    indices: tuple[Operand | None, ...]
    geometry: Geometry | None = None

    @property
    def free(self) -> tuple[int, ...]:
        """The axes along which an index is missing."""
        return tuple(axis for axis, index in enumerate(self.indices) if index is None)

    @property
    def dimensions(self) -> int:
        """How many indices are still missing."""
        return len(self.free)

    @property
    def layout(self) -> str:
        """Numba's: "C" or "F" where the elements lie densely in that order, else "A"."""
        given = [index is not None for index in self.indices]
        if self.array.layout == "F":
            given.reverse()
        kept = self.array.layout if given == sorted(given, reverse=True) else "A"
        return "C" if kept == "F" and self.dimensions == 1 else kept

    @property
    def parts(self) -> tuple[Operand, ...]:
        """All operands of the view: indices that are given, then the geometry."""
        outside = self.geometry.operands if self.geometry is not None else ()
        return (*(index for index in self.indices if index is not None), *outside)

    def with_parts(self, parts: Iterable[Operand]) -> View:
        """The same view with other operands."""
        following = iter(parts)
        indices = tuple(None if index is None else next(following) for index in self.indices)
        if self.geometry is None:
            return View(self.array, indices)
        first, *rest = following
        count = len(self.indices)
        return View(self.array, indices, Geometry(first, tuple(rest[count:]), tuple(rest[:count])))

    @property
    def place(self) -> Place:
        """Where an instruction finds the one element that is left."""
        indices = tuple(index for index in self.indices if index is not None)
        assert len(indices) == len(self.indices)
        return Place(self.array, indices, self.geometry)

    def agrees(self, other: object) -> bool:
        """Can one variable hold both views? Then they are of one array, with the same axes to index."""
        return (
            isinstance(other, View)
            and self.array.memory is other.array.memory
            and self.array.element == other.array.element
            and [index is None for index in self.indices] == [index is None for index in other.indices]
        )


def whole(array: ArrayOperand) -> View:
    """An array with no index given."""
    return View(array, (None,) * array.dimensions)


@dataclass(frozen=True)
class Item:
    """One record of an array, by reference: its fields are read and written in place."""

    view: View


@dataclass(frozen=True)
class Method:
    """`x.reshape` before it is called."""

    view: View
    name: str

    @property
    def __name__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Static:
    """A Python object that exists only while compiling: a module, a function, a type."""

    object: Any


@dataclass(frozen=True)
class Configured:
    """`child[grid, block]` before it is called: a kernel, and what stands in brackets."""

    kernel: Any
    configuration: tuple[Any, ...]

    @property
    def __name__(self) -> str:
        return f"a launch of {self.kernel.__name__}"


class Typed(tuple[Any, ...]):
    """Values that are one of a `type`, which says what they are together."""

    type: Any

    def __new__(cls, parts: Iterable[Any], type: Any) -> Self:
        """The parts in order."""
        made = super().__new__(cls, parts)
        made.type = type
        return made

    def with_parts(self, parts: Iterable[Any]) -> Self:
        """The same of other parts."""
        return type(self)(parts, self.type)


class VectorValue(Typed):
    """`cuda.float32x4(…)`: numbers of one type, `.x`, `.y`, `.z` and `.w`; `type` makes such vectors."""


class GroupValue(Typed):
    """`cuda.cg.this_thread_block()`: numbers that methods of its `type`, a `Group`, read by their names."""


Value = Register | Constant | View | Item | Static | tuple[Any, ...]


def described(value: Value) -> str:
    """What a value is, for messages."""
    match value:
        case View():
            return f"the array {value.array.name!r}"
        case Item():
            return f"a record of {value.view.array.name!r}"
        case VectorValue():
            return f"a cuda.{value.type.name}"
        case GroupValue():
            return f"a {value.type.__name__}"
        case tuple():
            return "a tuple"
        case Register():
            return "a number" if value.is_temporary else f"the number {value.name!r}"
        case Constant():
            return f"the number {value.value}"
        case Static(SimpleNamespace()):
            return "a namespace"
        case Static(Intrinsic(home=home, name=name)):
            return f"the function {home}{name}"
        case Static(partial(func=Intrinsic(name=name))):
            return f"the method {name.rpartition('.')[2]!r}"
    return repr(getattr(value.object, "__name__", value.object))


def made_a_number(value: Value) -> str:
    """What to do with a value where a number is needed."""
    return (
        "ask its methods" if isinstance(value, GroupValue) else to_call(value) or "index it, or pass a number"
    )


def to_call(value: Value | None) -> str:
    """What to do with a function for kernels, or a method, that is named and not called; "" for all else."""
    match value:
        case Static(Intrinsic(name=name)) | Static(partial(func=Intrinsic(name=name))):
            return f"call it: {name.rpartition('.')[2]}()"
    return ""


def known_integer(value: Value) -> int | None:
    """The whole number that is known when the kernel is compiled, if this is one."""
    return int(value.value) if isinstance(value, Constant) and value.type.is_integer else None


def is_object(value: Any, known: object) -> bool:
    """Is it this one object of Python, such as None or `...`?"""
    return isinstance(value, Static) and value.object is known


def shape_of(value: Value | None) -> tuple[Any, int] | None:
    """What kind of tuple, and of how many parts? None for anything else."""
    kind = value.type if isinstance(value, Typed) else None
    return (kind, len(value)) if isinstance(value, tuple) else None
