"""What do all parts of the front-end share? One `Lowering` a kernel, and tables of functions.

What a kind of syntax means is a function in a table, found by its class; what all of these functions do is a
method here: get a value, insist that it is a number, convert it, add an instruction, refuse with a place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import fold
from gpusim.frontends.python import types
from gpusim.frontends.python.scope import Path, Scope
from gpusim.frontends.python.values import Value, described, made_a_number
from gpusim.frontends.site import Site
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import Scalar
from gpusim.source import Span

Where = ast.AST | Span
Into = Register | None  # the register that a result is wanted in
VariableKey = tuple[Path, str]
Expression = Callable[["Lowering", Any, Into], Value]
Statement = Callable[["Lowering", Any], None]

# syntax that kernels do not have: how it is called, and what to do instead
REFUSED = {
    "AsyncFor": ("`async for`", ""),
    "AsyncFunctionDef": ("`async def`", ""),
    "Await": ("`await`", "kernels do not suspend"),
    "ClassDef": ("`class`", ""),
    "Delete": ("`del`", ""),
    "Dict": ("a dictionary", "use arrays"),
    "FunctionDef": ("a nested function", ""),
    "GeneratorExp": ("a generator expression", "write a loop"),
    "Global": ("`global`", ""),
    "Import": ("`import`", ""),
    "ImportFrom": ("`import`", ""),
    "JoinedStr": ("an f-string", "format strings on the host"),
    "Lambda": ("`lambda`", "define a device function with @cuda.jit(device=True)"),
    "List": ("a list", "use a tuple, or cuda.local.array for storage"),
    "ListComp": ("a list comprehension", "write a loop"),
    "Match": ("`match`", ""),
    "Nonlocal": ("`nonlocal`", ""),
    "Raise": ("`raise` of this", ""),
    "Set": ("a set", "use arrays"),
    "Slice": ("a slice", ""),
    "Starred": ("`*`", "write the arguments out"),
    "Try": ("`try`", ""),
    "With": ("`with`", ""),
    "Yield": ("`yield`", "kernels do not suspend"),
}


class Language(NamedTuple):
    """What each kind of syntax means."""

    expressions: Mapping[type[ast.AST], Expression]
    statements: Mapping[type[ast.AST], Statement]


@dataclass
class Variables:
    """What is known of variables so far; where a pass `learned` more, there is another one.

    A variable has one type: that of all its values together. Those that hold different parts of an array at
    different times are `moving`, with the layout of these parts ("A" where they differ, as in Numba). Those
    that hold groups of different `kinds` hold them as what these are derived from. The kernel is launched
    `cooperative`ly where that was asked for, or where its grid meets.
    """

    types: dict[VariableKey, Scalar] = field(default_factory=dict)
    moving: dict[VariableKey, str] = field(default_factory=dict)
    kinds: dict[VariableKey, Any] = field(default_factory=dict)
    learned: bool = False
    cooperative: bool = False


@dataclass
class Lowering:
    """A kernel on its way through `builder`; `scope` is the function that is being lowered into it now.

    `of_warps`: through which arrays tiles of several warps exchange values of each type.
    """

    builder: Builder
    scope: Scope
    variables: Variables
    language: Language
    warp_size: int = 32
    of_warps: dict[Scalar, ArrayOperand] = field(default_factory=dict)

    # places -----------------------------------------------------------------------------------------------

    def span(self, at: Where) -> Span:
        """Where a piece of syntax stands in the reader's file."""
        return at if isinstance(at, Span) else self.scope.span(at)

    def site(self, at: Where) -> Site:
        """Where instructions that come from there go, and lanes that leave."""
        return Site(self.builder, self.span(at), self.scope.exits)

    def wrong(self, message: str, at: Where, hint: str = "") -> KernelTypeError:
        """Something that does not fit together, pointing at it."""
        return KernelTypeError(message, self.span(at), hint)

    def unsupported(self, node: ast.AST, hint: str = "", what: str = "") -> UnsupportedConstruct:
        """The refusal of a piece of syntax, pointing at it."""
        spelled, way_out = REFUSED.get(type(node).__name__, (type(node).__name__, ""))
        message = f"{what or spelled} is not supported in a kernel"
        return UnsupportedConstruct(message, self.span(node), hint or way_out)

    # syntax -----------------------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Lower statements in order, as far as control can come."""
        for statement in statements:
            if not self.builder.reachable:
                return
            lower = self.language.statements.get(type(statement))
            if lower is None:
                raise self.unsupported(statement)
            lower(self, statement)

    def value(self, node: ast.expr, into: Into = None) -> Value:
        """The value of an expression. `into` is a register the result may be computed in directly."""
        lower = self.language.expressions.get(type(node))
        if lower is None:
            raise self.unsupported(node)
        return lower(self, node, into)

    def scalar(self, node: ast.expr) -> Operand:
        """The value of an expression that must be a number."""
        return self.number(self.value(node), node)

    # numbers ----------------------------------------------------------------------------------------------

    def number(self, value: Value, at: Where) -> Operand:
        """Insist that a value is a number."""
        if isinstance(value, Register | Constant):
            return value
        raise self.wrong(f"{described(value)} where a number is needed", at, made_a_number(value))

    def convert(self, value: Operand, type_: Scalar, at: Where, into: Into = None) -> Operand:
        """The number in another type, converted as a cast would."""
        if value.type.is_complex and not type_.is_complex:
            raise self.wrong(
                f"{value.type.dtype} where {type_.dtype} is needed", at, "take .real, .imag or abs(…) of it"
            )
        return fold.cast(self.site(at), value, type_, into)

    def number_as(self, value: Value, type_: Scalar, at: Where) -> Operand:
        """The same of any value, which must be a number."""
        return self.convert(self.number(value, at), type_, at)

    def truth(self, value: Value, at: Where) -> Operand:
        """Is a number not zero? A predicate."""
        return fold.truth(self.site(at), self.number(value, at))

    def compute(
        self,
        opcode: Opcode,
        type_: Scalar,
        operands: tuple[Operand, ...],
        at: Where,
        into: Into = None,
        result: Scalar | None = None,
    ) -> Register:
        """Add an instruction on numbers of one type; its result, of the type `result` if that is another."""
        into = fold.fitting(into, result or type_)
        return self.builder.value(opcode, type_, operands, self.span(at), into=into, result=result)

    def select(self, flag: Operand, one: Operand, other: Operand, at: Where, into: Into = None) -> Operand:
        """One number where the flag holds, else the other, in the type that holds both."""
        type_ = types.unify(one.type, other.type)
        one, other = self.convert(one, type_, at), self.convert(other, type_, at)
        return fold.select(self.site(at), flag, one, other, into)

    # variables --------------------------------------------------------------------------------------------

    def settle(self, name: str, type_: Scalar) -> Scalar:
        """The type of a variable so far, widened by one more value. A widening asks for another pass."""
        known, key = self.variables.types, (self.scope.path, name)
        before = known.get(key)
        known[key] = type_ if before is None else types.unify(before, type_)
        self.variables.learned |= before is not None and known[key] is not before
        return known[key]

    def move(self, value: Operand, into: Register, at: Where) -> None:
        """Put a number into a register, converting it."""
        fold.move(self.site(at), self.convert(value, into.type, at, into), into)

    def copied(self, value: Operand, at: Where) -> Operand:
        """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""
        return fold.copied(self.site(at), value)
