"""What can an expression of a kernel be? A number, a view of an array, a record, a tuple, a Python object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, Flag
from functools import partial
from types import SimpleNamespace
from typing import Any, Self, TypeGuard

from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Operand, Place, Register
from gpusim.ir.types import Array

STORAGE = "<array>"  # an array before it is assigned to a variable, which gives it its name


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

    def named(self, name: str) -> View:
        """The same under the name that messages call it by, unless it has one of its own."""
        if self.array.root is None and self.array.name != STORAGE:
            return self
        return replace(self, array=replace(self.array, name=name))

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
class Flat:
    """`x.flat`: the elements one after the other, the last index running fastest."""

    view: View
    __name__ = "flat"


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


@dataclass(frozen=True)
class IntMember(Constant):
    """A member of an `IntEnum`, its `kind`: a whole number, of which Numba makes no float, and no truth."""

    kind: type[Enum]

    @property
    def is_flag(self) -> bool:
        """Is it one of an `IntFlag`? Numba compares such members, as those of an `Enum`."""
        return issubclass(self.kind, Flag)


class Typed(tuple[Any, ...]):
    """Values that are one of a `type`, which says what they are together; or their types, likewise."""

    type: Any

    def __new__(cls, parts: Iterable[Any], type: Any) -> Self:
        """The parts in order."""
        made = super().__new__(cls, parts)
        made.type = type
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Typed) and other.type == self.type and super().__eq__(other)

    __ne__ = object.__ne__

    def __hash__(self) -> int:
        return hash((self.type, *self))

    def with_parts(self, parts: Iterable[Any]) -> Self:
        """The same of other parts."""
        return type(self)(parts, self.type)


class VectorValue(Typed):
    """`cuda.float32x4(…)`: numbers of one type, `.x`, `.y`, `.z` and `.w`; `type` makes such vectors."""


class GroupValue(Typed):
    """`cuda.cg.this_thread_block()`: numbers that methods of its `type`, a `Group`, read by their names."""


class NamedValue(Typed):
    """A tuple whose items have names, too: those of its `type`, which `collections.namedtuple` made."""


class MemberValue(Typed):
    """A member of an `Enum`, by its number among the members of its `type`."""


class MaybeValue(Typed):
    """What is a number for some threads, and None for others: is it one, and which? Numba's Optional."""


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
        case MemberValue():
            return f"a member of {value.type.__name__}"
        case MaybeValue():
            return "a number or None"
        case tuple():
            return "a tuple"
        case Register():
            return "a number" if value.is_temporary else f"the number {value.name!r}"
        case Constant():
            return f"the number {value.value}"
        case Static(SimpleNamespace()):
            return "a namespace" if not hasattr(value.object, "x") else "a group of numbers .x, .y and .z"
        case Static(Intrinsic(home=home, name=name)):
            return f"the function {home}{name}"
        case Static(partial(func=Intrinsic(name=name))):
            return f"the method {name.rpartition('.')[2]!r}"
    return repr(getattr(value.object, "__name__", value.object))


def made_a_number(value: Value) -> str:
    """What to do with a value where a number is needed."""
    match value:
        case GroupValue():
            return "ask its methods"
        case Static(SimpleNamespace(x=_)):
            return "take one of its numbers: .x, .y or .z"
        case MemberValue():
            return "members of an Enum are compared only; those of an IntEnum are numbers"
        case Static(None):
            return "write a number; a call that returns nothing gives None, too"
        case Static(str()):
            return "a kernel computes with numbers; print(…) takes texts beside them"
        case tuple() if not isinstance(value, Typed):
            return "unpack it, or take one of its items: [0]"
    return to_call(value) or to_keep(value) or "index it, or pass a number"


def to_keep(value: Value | None) -> str:
    """What to do with a list, a dictionary or a text of Python in place of an array; "" for all else."""
    found = getattr(value, "object", None)
    return "make it a tuple or an np.array" if isinstance(found, list | dict | set | str | bytes) else ""


def to_call(value: Value | None) -> str:
    """What to do with a function for kernels, or a method, that is named and not called; "" for all else."""
    match value:
        case Static(Intrinsic(name=name)) | Static(partial(func=Intrinsic(name=name))):
            return f"call it: {name.rpartition('.')[2]}()"
    return ""


def type_of(value: Value) -> Any:
    """What Numba takes for the type of a value: of a function it is the function itself."""
    match value:
        case Register() | Constant():
            return value.type
        case View():
            return Array(value.array.element, value.dimensions, value.layout)
        case Item():
            return value.view.array.element
        case Typed():
            return Typed(map(type_of, value), value.type)
        case tuple():
            return tuple(map(type_of, value))
        case Static(object=str()):
            return str
    return getattr(value, "object", value)


def known_integer(value: Value) -> int | None:
    """The whole number that is known when the kernel is compiled, if this is one."""
    return int(value.value) if isinstance(value, Constant) and value.type.is_integer else None


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Is it a tuple of Python, with or without names for its items?"""
    return type(value) in (tuple, NamedValue)


def is_unrolling(called: object) -> bool:
    """Is it Numba's `literal_unroll`?"""
    module, name = getattr(called, "__module__", None), getattr(called, "__name__", "")
    return name == "literal_unroll" and (module or "").startswith("numba")


def is_object(value: Any, known: object) -> bool:
    """Is it this one object of Python, such as None or `...`?"""
    return isinstance(value, Static) and value.object is known


def shape_of(value: Value | None) -> tuple[Any, int] | None:
    """What kind of tuple, and of how many parts? None for anything else."""
    kind = value.type if isinstance(value, Typed) else None
    return (kind, len(value)) if isinstance(value, tuple) else None
