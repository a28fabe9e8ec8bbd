"""What do all parts of the front-end share? One `Lowering` a kernel, and tables of functions.

What a kind of syntax means is a function in a table, found by its class; what all of these functions do is a
method here: get a value, insist that it is a number, convert it, add an instruction, refuse with a place.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import flow, fold
from gpusim.frontends.python import types
from gpusim.frontends.python.builtins.taken import NUMBER
from gpusim.frontends.python.scope import Outside, Scope, Spot
from gpusim.frontends.python.values import (
    IntMember,
    MaybeValue,
    Static,
    Value,
    described,
    is_object,
    is_tuple,
    made_a_number,
)
from gpusim.frontends.site import Site
from gpusim.ir.builder import Builder
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.terminators import Return
from gpusim.ir.types import PRED, S64, Scalar
from gpusim.source import Span

Where = ast.AST | Span
Meanings = dict[str, Outside]  # types of arguments ->
Into = Register | None  # the register that a result is wanted in
Expression = Callable[["Lowering", Any, Into], Value]
Statement = Callable[["Lowering", Any], None]

# syntax that kernels do not have: how it is called, and what to do instead
REFUSED = {
    "AsyncFor": ("`async for`", ""),
    "AsyncFunctionDef": ("`async def`", ""),
    "Await": ("`await`", "kernels do not suspend"),
    "ClassDef": ("`class`", "define it outside the kernel"),
    "Delete": ("`del`", "leave it out: a name costs nothing"),
    "Dict": ("a dictionary", "use arrays"),
    "GeneratorExp": ("a generator expression", "write a loop"),
    "Global": ("an assignment to a global variable", "pass an array, and write to it"),
    "Import": ("`import`", "import at the top of the file"),
    "ImportFrom": ("`import`", "import at the top of the file"),
    "JoinedStr": ("an f-string", "format strings on the host; print(…) takes texts and numbers side by side"),
    "List": ("a list", "use a tuple, or cuda.local.array for storage"),
    "ListComp": ("a list comprehension", "write a loop"),
    "Match": ("`match`", "write `if` and `elif`"),
    "Nonlocal": ("an assignment to a variable around the kernel", "pass an array, and write to it"),
    "Raise": ("`raise` of this", ""),
    "Set": ("a set", "use arrays"),
    "Slice": ("a slice", ""),
    "Starred": ("`*`", "write the arguments out"),
    "Try": ("`try`", "test the condition before"),
    "With": ("`with`", "do it on the host, around the launch"),
    "Yield": ("`yield`", "kernels do not suspend"),
}


class RunsHereOnly(UserWarning):
    """Numba refuses on a real GPU what runs here; the message says where, and how to write it for both."""


class Language(NamedTuple):
    """What each kind of syntax means."""

    expressions: Mapping[type[ast.AST], Expression]
    statements: Mapping[type[ast.AST], Statement]


@dataclass
class Variables:
    """What is known of variables so far; where a pass `learned` more, there is another one.

    `forms`: what a name is where a pass knows too late what comes there: at the head of a loop, from all
    rounds. Names at the places of `guessed` were read without a value, in the hope that a round gives one. A
    `while` of `twice` is tested by values of other types before its first round than before others.
    The kernel is launched `cooperative`ly where that was asked for, or where its grid meets. With `debug`,
    divisors are checked; those of integers where the launch is `sanitized`. `overloads`: what names outside
    the kernel, and outside functions that it calls, mean for arguments of certain types; of this pass, and as
    it is kept with each function once the kernel is compiled.
    """

    forms: dict[Spot, Any] = field(default_factory=dict)
    guessed: set[Spot] = field(default_factory=set)
    twice: set[Spot] = field(default_factory=set)
    learned: bool = False
    cooperative: bool = False
    debug: bool = False
    sanitized: bool = False
    overloads: list[tuple[Meanings, str, Outside]] = field(default_factory=list)

    def overload(self, kept: Meanings, types: Any) -> Outside:
        """What is known of names outside a function for arguments of these types, for it to add to."""
        frozen = dict(kept.get(repr(types), {}))
        self.overloads.append((kept, repr(types), frozen))
        return frozen

    def keep(self) -> None:
        """The kernel is compiled: what names mean to it stays so."""
        for kept, given, frozen in self.overloads:
            kept.setdefault(given, {}).update(frozen)


@dataclass
class Lowering:
    """A kernel on its way through `builder`; `scope` is the function that is being lowered into it now.

    `of_warps`: through which arrays tiles of several warps exchange values of each type. `literals`: what
    variables hold that are given one number, for shapes.
    """

    builder: Builder
    scope: Scope
    variables: Variables
    language: Language
    warp_size: int = 32
    of_warps: dict[Scalar, ArrayOperand] = field(default_factory=dict)
    literals: dict[Register, Constant] = field(default_factory=dict)

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

    def here_only(self, what: str, at: Where, hint: str) -> None:
        """Warn of what Numba refuses: how to write it for both is the hint."""
        if not self.scope.pinned:
            message = self.span(at).describe(f"{what}: this runs here, not under Numba", hint)
            warnings.warn(message, RunsHereOnly, stacklevel=2)

    # syntax -----------------------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Lower statements in order, as far as control can come."""
        for statement in statements:
            if not self.builder.reachable:
                return
            lower = self.language.statements.get(type(statement))
            if lower is None:
                raise self.unsupported(statement)
            try:
                lower(self, statement)
            except flow.Unknown:
                self.builder.end(Return(self.span(statement)))

    def value(self, node: ast.expr, into: Into = None) -> Value:
        """The value of an expression. `into` is a register the result may be computed in directly."""
        lower = self.language.expressions.get(type(node))
        if lower is None:
            raise self.unsupported(node)
        return lower(self, node, into)

    def items(self, node: ast.expr) -> Value:
        """The items of a list that is looked through at once, as a tuple; the value of all else."""
        return tuple(map(self.value, node.elts)) if isinstance(node, ast.List) else self.value(node)

    def scalar(self, node: ast.expr) -> Operand:
        """The value of an expression that must be a number."""
        return self.number(self.value(node), node)

    # numbers ----------------------------------------------------------------------------------------------

    def number(self, value: Value, at: Where) -> Operand:
        """Insist that a value is a number."""
        if isinstance(value, Register | Constant):
            return value
        if isinstance(value, MaybeValue):
            site = self.site(at)
            flow.insisted(
                site,
                partial(flow.branch, site, value[0]),
                "TypeError: a number is needed, not None",
                TypeError,
            )
            return self.number(value[1], at)
        raise self.wrong(f"{described(value)} where a number is needed", at, made_a_number(value))

    def convert(self, value: Operand, type_: Scalar, at: Where, into: Into = None) -> Operand:
        """The number in another type, converted as a cast would."""
        if value.type.is_complex and not type_.is_complex:
            raise self.wrong(
                f"{value.type.dtype} where {type_.dtype} is needed", at, "take .real, .imag or abs(…) of it"
            )
        return fold.cast(self.site(at), value, type_, into)

    def mark_member(self, value: Value, at: Where, use: Scalar | str) -> None:
        """Of a member of an `IntEnum` Numba makes no float and no truth, of an `IntFlag` no number."""
        member = self.literal(value)
        if isinstance(member, IntMember) and (isinstance(use, str) or use.is_float or member.is_flag):
            what = use if isinstance(use, str) else f"a {use.dtype}" if use.is_float else "a number"
            self.here_only(f"a member of an enumeration as {what}", at, "take its .value")

    def mark_maybe(self, value: Value, at: Where, use: str) -> None:
        """Numba asks what may be None for a number in operators, stores, and functions that take one type."""
        if isinstance(value, MaybeValue):
            self.here_only(f"{described(value)} as {use}", at, NUMBER)

    def mark_members(self, one: Operand, other: Operand, at: Where) -> None:
        """Beside a member Numba takes whole numbers, and members of the same enumeration."""
        members = (self.literal(value) for value in (one, other))
        kinds = {member.kind for member in members if isinstance(member, IntMember)}
        if len(kinds) > 1:
            self.here_only("members of two enumerations", at, "take the .value of both")
            return
        for value, beside in ((one, other), (other, one)):
            self.mark_member(value, at, beside.type if beside.type.is_float else S64)

    def number_as(self, value: Value, type_: Scalar, at: Where) -> Operand:
        """The same of any value, which must be a number."""
        return self.convert(self.number(value, at), type_, at)

    def truth(self, value: Value, at: Where) -> Operand:
        """Is a number not zero, a tuple not empty? A predicate. Numba asks nothing else for its truth."""
        self.mark_maybe(value, at, "a condition")
        if isinstance(value, MaybeValue):
            return fold.joined(self.site(at), Opcode.AND, value[0], self.truth(value[1], at))
        if is_tuple(value) or is_object(value, None) or isinstance(getattr(value, "object", None), str):
            return Constant(bool(getattr(value, "object", value)), PRED)
        self.mark_member(value, at, "a condition")
        if isinstance(value, Static):
            what = f"{described(value)} where a truth value is needed"
            raise self.wrong(what, at, "compare it: Numba has no truth of a function, module or type")
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

    def literal(self, value: Value) -> Value:
        """The number itself where a variable holds no other: 32 after `N = 32`."""
        return self.literals.get(value, value) if isinstance(value, Register) else value

    def move(self, value: Operand, into: Register, at: Where) -> None:
        """Put a number into a register, converting it."""
        fold.move(self.site(at), self.convert(value, into.type, at, into), into)

    def copied(self, value: Operand, at: Where) -> Operand:
        """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""
        made = fold.copied(self.site(at), value)
        if isinstance(made, Register) and isinstance(known := self.literal(value), Constant):
            self.literals[made] = known
        return made
