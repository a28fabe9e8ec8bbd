"""What does a name mean inside a kernel? Scopes, and the kinds of value an expression can have."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpusim import source as sources
from gpusim.errors import UnsupportedConstruct
from gpusim.ir.instructions import ArrayOperand, Constant, Register
from gpusim.ir.types import Scalar
from gpusim.source import Source, Span


@dataclass(frozen=True)
class View:
    """An array with its first indices given: `image[row]` of a two-dimensional image."""

    array: ArrayOperand
    indices: tuple[Register | Constant, ...] = ()

    @property
    def dimensions(self) -> int:
        """How many indices are still missing."""
        return self.array.dimensions - len(self.indices)


@dataclass(frozen=True)
class Static:
    """A Python object that exists only while compiling: a module, a function, a type."""

    object: Any


Value = Register | Constant | View | Static | tuple[Any, ...]


@dataclass
class Scope:
    """One function being lowered: the kernel, or a device function inlined at `caller`."""

    source: Source
    tree: ast.FunctionDef
    outer: dict[str, Any]
    assigned: frozenset[str]
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

    def free(self, name: str) -> Any:
        """A name from outside the function: closure, module globals, builtins. Raises `KeyError`."""
        return self.outer[name] if name in self.outer else vars(builtins)[name]


def open_scope(function: Callable[..., Any], caller: Span | None = None) -> Scope:
    """Parse a function and look up what its free names mean now, as Numba does when it compiles."""
    function = inspect.unwrap(function)
    source = sources.of_function(function)
    try:
        tree = ast.parse(source.text).body[0]
    except SyntaxError as error:
        raise UnsupportedConstruct(f"the source of {source.name!r} cannot be parsed: {error.msg}") from None
    if not isinstance(tree, ast.FunctionDef):
        raise UnsupportedConstruct(
            f"{source.name!r} is not a `def`", Span(source, source.first_line), "write the kernel with def"
        )
    closure = inspect.getclosurevars(function).nonlocals
    assigned = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    arguments = {argument.arg for argument in tree.args.args}
    return Scope(source, tree, {**function.__globals__, **closure}, frozenset(assigned | arguments), caller)


VariableKey = tuple[tuple[tuple[int, int], ...], str]
VariableTypes = dict[VariableKey, Scalar]
