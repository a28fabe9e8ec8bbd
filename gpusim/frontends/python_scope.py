"""What does a name mean inside a kernel? Scopes, and the kinds of value an expression can have."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from gpusim import source as sources
from gpusim.errors import UnsupportedConstruct
from gpusim.frontends.intrinsics import Intrinsic
from gpusim.ir.instructions import ArrayOperand, Constant, Operand, Register
from gpusim.ir.types import Scalar
from gpusim.source import Source, Span


@dataclass(frozen=True)
class Geometry:
    """Where a part of an array lies: its first byte, all extents, all strides in bytes."""

    first: Operand
    extents: tuple[Operand, ...]
    strides: tuple[Operand, ...]


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
        place = self.geometry
        outside = (place.first, *place.extents, *place.strides) if place else ()
        return (*(index for index in self.indices if index is not None), *outside)

    def with_parts(self, parts: Iterable[Operand]) -> View:
        """The same view with other operands."""
        following = iter(parts)
        indices = tuple(None if index is None else next(following) for index in self.indices)
        if self.geometry is None:
            return View(self.array, indices)
        first, *rest = following
        count = len(self.indices)
        return View(self.array, indices, Geometry(first, tuple(rest[:count]), tuple(rest[count:])))

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Where an instruction finds the one element that is left."""
        assert not self.dimensions
        return self.parts

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


class VectorValue(tuple[Any, ...]):
    """`cuda.float32x4(…)`: numbers of one type, read as `.x`, `.y`, `.z` and `.w`."""

    type: Intrinsic

    def __new__(cls, parts: Iterable[Any], type: Intrinsic) -> VectorValue:
        """`type` is the function that makes such a vector."""
        vector = super().__new__(cls, parts)
        vector.type = type
        return vector


Value = Register | Constant | View | Item | Static | tuple[Any, ...]


@dataclass
class Scope:
    """One function being lowered: the kernel, or a device function inlined at `caller`.

    `calls` are the functions on the way here, itself the last.
    """

    source: Source
    tree: ast.FunctionDef
    outer: dict[str, Any]
    assigned: frozenset[str]
    parameters: tuple[str, ...]
    calls: tuple[Any, ...]
    caller: Span | None = None
    values: dict[str, Value] = field(default_factory=dict)
    leave: int | None = None
    joins: list[int] = field(default_factory=list)
    loops: list[tuple[int, int]] = field(default_factory=list)

    def span(self, node: ast.AST) -> Span:
        """Where a piece of syntax stands in the reader's file."""
        line = self.source.first_line + getattr(node, "lineno", 1) - 1
        return Span(self.source, line, getattr(node, "col_offset", 0) + self.source.indent, self.caller)

    @property
    def path(self) -> tuple[tuple[int, int], ...]:
        """The call sites on the way here; they tell apart two inlined copies of one function."""
        path, caller = [], self.caller
        while caller is not None:
            path.append((caller.line, caller.column))
            caller = caller.caller
        return tuple(path)

    def knows(self, name: str) -> bool:
        """Is there such a name outside the function?"""
        return name in self.outer or name in vars(builtins)

    def free(self, name: str) -> Any:
        """A name from outside the function: closure, module globals, builtins. Raises `KeyError`."""
        return self.outer[name] if name in self.outer else vars(builtins)[name]


def open_scope(
    function: Callable[..., Any], caller: Span | None = None, calls: tuple[Any, ...] = ()
) -> Scope:
    """Parse a function and look up what its free names mean now, as Numba does when it compiles."""
    function = inspect.unwrap(function)
    source = sources.of_function(function)
    try:
        tree = ast.parse(source.text).body[0]
    except SyntaxError as error:
        raise UnsupportedConstruct(f"the source of {source.name!r} cannot be parsed: {error.msg}") from None
    if not isinstance(tree, ast.FunctionDef):
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        if len(lambdas) != 1:
            raise UnsupportedConstruct(
                f"{source.name!r} is not a `def`",
                Span(source, source.first_line),
                "write the kernel with def",
            )
        tree = _as_def(lambdas[0])
    closure = inspect.getclosurevars(function).nonlocals
    assigned = frozenset(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    parameters = tuple(inspect.signature(function).parameters)
    outer = {**function.__globals__, **closure}
    return Scope(source, tree, outer, assigned.union(parameters), parameters, (*calls, function), caller)


def _as_def(function: ast.Lambda) -> ast.FunctionDef:
    """`lambda a, b: a + b` as a function that returns its value."""
    result = ast.copy_location(ast.Return(function.body), function.body)
    return ast.copy_location(ast.FunctionDef("<lambda>", function.args, [result], []), function)


VariableKey = tuple[tuple[tuple[int, int], ...], str]
VariableTypes = dict[VariableKey, Scalar]
