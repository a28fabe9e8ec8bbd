"""How does an expression become instructions? One method a kind of syntax, found by its class name."""

from __future__ import annotations

import ast
import difflib
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from gpusim.errors import KernelTypeError, UnsupportedConstruct
from gpusim.frontends import intrinsics, python_constants, python_types
from gpusim.frontends.intrinsics import Intrinsic
from gpusim.frontends.python_scope import Item, Scope, Static, Value, VariableTypes, VectorValue, View
from gpusim.frontends.vectors import AXES
from gpusim.ir.builder import Builder
from gpusim.ir.conversion import converted
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import C128, F16, F32, F64, PRED, S64, Scalar
from gpusim.source import Span

CONJUGATE = Intrinsic("conjugate(z)", "conjugate", home="")
HINTS = {
    "List": "use a tuple, or cuda.local.array for storage",
    "ListComp": "write a loop",
    "GeneratorExp": "write a loop",
    "Dict": "use arrays",
    "Set": "use arrays",
    "Lambda": "define a device function with @cuda.jit(device=True)",
    "JoinedStr": "format strings on the host",
    "Starred": "write the arguments out",
    "Yield": "kernels do not suspend",
    "Await": "kernels do not suspend",
}


class Expressions:
    """Lowers expressions of the current `scope` through `builder`."""

    def __init__(self, builder: Builder, scope: Scope, types: VariableTypes) -> None:
        self.builder, self.scope, self.types = builder, scope, types
        self.retyped = False

    def settle(self, name: str, type_: Scalar) -> Scalar:
        """The type of a variable so far, widened by one more value. A widening asks for another pass."""
        key = (self.scope.path, name)
        before = self.types.get(key)
        self.types[key] = type_ if before is None else python_types.unify(before, type_)
        self.retyped |= before is not None and self.types[key] is not before
        return self.types[key]

    # values -----------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, into: Register | None = None) -> Value:
        """The value of an expression. `into` is a register the result may be computed in directly."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.unsupported(node)
        result: Value = method(node, into)
        return result

    def scalar(self, node: ast.expr, into: Register | None = None) -> Operand:
        """The value of an expression that must be a number."""
        return self.number(self.value(node, into), node)

    def number(self, value: Value, node: ast.AST) -> Operand:
        """Insist that a value is a number."""
        if isinstance(value, Register | Constant):
            return value
        raise KernelTypeError(
            f"{self._kind(value)} where a number is needed",
            self.scope.span(node),
            "index it, or pass a number",
        )

    def convert(self, value: Operand, type_: Scalar, span: Span, into: Register | None = None) -> Operand:
        """The value in another type, converted as a cast would."""
        if value.type is type_:
            return value
        if value.type.is_complex and not type_.is_complex:
            raise KernelTypeError(
                f"{value.type} where {type_} is needed", span, "take .real, .imag or abs(…) of it"
            )
        if isinstance(value, Constant):
            with np.errstate(all="ignore"):
                return Constant(converted(value.value, type_.dtype).item(), type_)
        return self.builder.value(Opcode.CONVERT, type_, (value,), span, into=fits(into, type_))

    def unsupported(self, node: ast.AST, hint: str = "", what: str = "") -> UnsupportedConstruct:
        """The refusal of a piece of syntax, pointing at it."""
        name = type(node).__name__
        return UnsupportedConstruct(
            f"{what or SPELLED.get(name, name)} is not supported in a kernel",
            self.scope.span(node),
            hint or HINTS.get(name, ""),
        )

    @staticmethod
    def _kind(value: Value) -> str:
        if isinstance(value, View):
            return f"the array {value.array.name!r}"
        if isinstance(value, Item):
            return f"a record of {value.view.array.name!r}"
        if isinstance(value, VectorValue):
            return f"a cuda.{value.type.name}"
        if isinstance(value, tuple):
            return "a tuple"
        if isinstance(value, Register):
            return "a number" if value.is_temporary else f"the number {value.name!r}"
        if isinstance(value, Constant):
            return f"the number {value.value}"
        return repr(getattr(value.object, "__name__", value.object))

    # names and constants ----------------------------------------------------------------------------------

    def _Constant(self, node: ast.Constant, _into: Register | None) -> Value:
        if isinstance(node.value, bool | int | float | complex):
            return self._literal(node, node.value)
        return Static(node.value)

    def _literal(self, node: ast.expr, number: complex | None) -> Constant:
        """A number that the text gives, with a type that holds it; None is a number longer than any."""
        type_ = python_types.of_constant(number)
        if type_ is None:
            span, hint = self.scope.span(node), "write a float, like 2.0**100"
            raise KernelTypeError(f"{ast.unparse(node)} does not fit 64 bits", span, hint)
        return Constant(number, type_)

    def _written_out(self, node: ast.expr) -> Constant | None:
        """What literals and operators alone make; None where there is more."""
        try:
            number = python_constants.written_out(node)
        except OverflowError:
            return self._literal(node, None)
        return None if number is None else self._literal(node, number)

    def _Name(self, node: ast.Name, _into: Register | None) -> Value:
        if node.id in self.scope.assigned:
            if node.id not in self.scope.values and self.scope.loops:
                # an earlier round of the loop may have given it one; its type settles in the next pass
                self.scope.values[node.id] = Register(node.id, self.settle(node.id, PRED))
            if node.id not in self.scope.values:
                raise KernelTypeError(
                    f"{node.id!r} is used before it has a value", self.scope.span(node), "assign to it first"
                )
            return self.scope.values[node.id]
        try:
            return self._from_outside(self.scope.free(node.id), node)
        except KeyError:
            raise KernelTypeError(
                f"the name {node.id!r} is not defined",
                self.scope.span(node),
                "is it misspelt or not imported?",
            ) from None

    def _from_outside(self, found: Any, node: ast.AST) -> Value:
        """A Python object as a kernel sees it: numbers and tuples are frozen, special registers read."""
        if isinstance(found, intrinsics.Special):
            return self.special(found.register, found.type, node)
        if isinstance(found, tuple):
            return tuple(self._from_outside(item, node) for item in found)
        if isinstance(found, np.ndarray):
            return self.constant_array(found, ast.unparse(node), node)
        type_ = python_types.of_constant(found)
        if type_ is None:
            return Static(found)
        if isinstance(found, Enum):
            found = found.value  # of an IntEnum
        return Constant(found.item() if isinstance(found, np.generic) else found, type_)

    def _Attribute(self, node: ast.Attribute, _into: Register | None) -> Value:
        value = self.value(node.value)
        if isinstance(value, View | Item):
            return self.array_attribute(value, node)
        if isinstance(value, VectorValue) and node.attr in AXES[: len(value)]:
            part: Value = value[AXES.index(node.attr)]
            return part
        if isinstance(value, Register | Constant) and node.attr in ("real", "imag", "conjugate"):
            if node.attr == "conjugate":
                return Static(partial(CONJUGATE, value))
            return self.parts(value, self.scope.span(node))[node.attr == "imag"]
        if isinstance(value, Static) and hasattr(value.object, node.attr):
            return self._from_outside(getattr(value.object, node.attr), node)
        raise UnsupportedConstruct(
            f"{ast.unparse(node.value)} has no {node.attr!r} in a kernel",
            self.scope.span(node),
            _suggestion(node.attr, getattr(value, "object", None)),
        )

    def parts(self, number: Operand, span: Span) -> tuple[Operand, Operand]:
        """The real and the imaginary part; of a real number, itself and 0."""
        if not number.type.is_complex:
            return number, self.convert(Constant(0, S64), number.type, span)
        type_ = python_types.PART_OF[number.type]
        if isinstance(number, Constant):
            return Constant(number.value.real, type_), Constant(number.value.imag, type_)
        return (
            self.builder.value(Opcode.REAL, type_, (number,), span),
            self.builder.value(Opcode.IMAG, type_, (number,), span),
        )

    def array_attribute(self, owner: View | Item, node: ast.Attribute) -> Value:
        """`x.shape` and the like; see `Arrays`."""
        raise NotImplementedError

    def constant_array(self, array: Any, name: str, node: ast.AST) -> View:
        """An array of the host, frozen; see `Arrays`."""
        raise NotImplementedError

    def _Tuple(self, node: ast.Tuple, _into: Register | None) -> Value:
        return tuple(self.value(item) for item in node.elts)

    def _copied(self, value: Operand, span: Span) -> Operand:
        """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""
        if isinstance(value, Register) and not value.is_temporary:
            return self.builder.value(Opcode.MOVE, value.type, (value,), span)
        return value

    # operators --------------------------------------------------------------------------------------------

    def _BinOp(self, node: ast.BinOp, into: Register | None) -> Value:
        number = self._written_out(node)
        if number is not None:
            return number
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Add) and type(left) is type(right) is tuple:
            return left + right
        return self.binary(node.op, left, right, node, into)

    def binary(
        self, operator_: ast.operator, left: Value, right: Value, node: ast.AST, into: Register | None = None
    ) -> Operand:
        """`left op right` in the type that Numba computes it in."""
        span = self.scope.span(node)
        if type(operator_) not in python_types.BINARY:
            raise self.unsupported(node, "multiply elements in a loop", "`@`")
        opcode = python_types.BINARY[type(operator_)]
        one, other = self.number(left, node), self.number(right, node)
        type_ = python_types.binary_result(opcode, one.type, other.type)
        if type_ is None:
            raise KernelTypeError(
                f"{opcode.mnemonic} does not take {one.type} and {other.type}", span, "convert with int(…)"
            )
        if isinstance(one, Constant) and isinstance(other, Constant):
            folded = self._folded(operator_, one, other, type_, span)
            if folded is not None:
                return folded
        if opcode is Opcode.POW and isinstance(other, Constant) and other.value == 2:
            opcode, other = Opcode.MUL, one
        operands = (self.convert(one, type_, span), self.convert(other, type_, span))
        return self.builder.value(opcode, type_, operands, span, into=fits(into, type_))

    def _folded(
        self, operator_: ast.operator, one: Constant, other: Constant, type_: Scalar, span: Span
    ) -> Constant | None:
        """The result of constants in `type_`, wrapped around as the machine would; None to leave it to it."""
        if isinstance(operator_, ast.Pow) and type_.is_integer:
            return python_constants.power(one, other, type_, span)
        left, right = self.convert(one, type_, span), self.convert(other, type_, span)
        assert isinstance(left, Constant)
        assert isinstance(right, Constant)
        try:
            result = python_constants.BINARY[type(operator_)](left.value, right.value)
        except (ZeroDivisionError, OverflowError, ValueError):
            return None
        if type_.is_integer and isinstance(result, int):
            return Constant(python_constants.wrapped(result, type_), type_)
        rounded = self.convert(Constant(result, C128 if type_.is_complex else F64), type_, span)
        return rounded if isinstance(rounded, Constant) else None

    def _UnaryOp(self, node: ast.UnaryOp, into: Register | None) -> Value:
        number = self._written_out(node)
        if number is not None:
            return number
        span, value = self.scope.span(node), self.scalar(node.operand)
        if isinstance(node.op, ast.Not):
            return self._opposite(self.truth(value, node), span, into)
        if isinstance(node.op, ast.Invert):
            if value.type is PRED:
                return self._opposite(value, span, into)
            if not value.type.is_integer:
                raise KernelTypeError(f"~ does not take {value.type}", span, "convert with int(…)")
        return self._signed_or_inverted(node.op, value, span, into)

    def _opposite(self, flag: Operand, span: Span, into: Register | None) -> Operand:
        if isinstance(flag, Constant):
            return Constant(not flag.value, PRED)
        return self.builder.value(Opcode.NOT, PRED, (flag,), span, into=fits(into, PRED))

    def _signed_or_inverted(
        self, operator_: ast.unaryop, value: Operand, span: Span, into: Register | None
    ) -> Operand:
        """`-x`, `+x` or `~x`: of an integer in its own type, widened afterwards, as Numba does it."""
        if value.type is PRED:
            value = self.convert(value, S64, span)
        type_ = python_types.widened(value.type, value.type) if value.type.is_integer else value.type
        if isinstance(operator_, ast.UAdd):
            return self.convert(value, F32 if type_ is F16 else type_, span)  # though - keeps float16
        if isinstance(value, Constant):
            result = python_constants.UNARY[type(operator_)](value.value)
            return Constant(python_constants.wrapped(result, value.type), type_)
        opcode = Opcode.NEG if isinstance(operator_, ast.USub) else Opcode.NOT
        made = self.builder.value(opcode, value.type, (value,), span, into=fits(into, value.type))
        return self.convert(made, type_, span, into)

    def truth(self, value: Operand, node: ast.AST) -> Operand:
        """Python's truth of a number: not equal to zero."""
        if value.type is PRED:
            return value
        if isinstance(value, Constant):
            return Constant(bool(value.value), PRED)
        zero = self.convert(Constant(0, S64), value.type, self.scope.span(node))
        return self.builder.value(Opcode.NE, value.type, (value, zero), self.scope.span(node), result=PRED)

    def select(
        self, flag: Operand, one: Operand, other: Operand, span: Span, into: Register | None = None
    ) -> Register:
        """One value where the flag holds, else the other, in the type that holds both."""
        type_ = python_types.unify(one.type, other.type)
        operands = (flag, self.convert(one, type_, span), self.convert(other, type_, span))
        return self.builder.value(Opcode.SELECT, type_, operands, span, into=fits(into, type_))

    def special(self, name: str, type_: Scalar, node: ast.AST) -> Register:
        """The value of a special register, by its PTX name."""
        return self.builder.value(Opcode.SPECIAL, type_, (), self.scope.span(node), name=name)

    def move(self, value: Operand, into: Register, span: Span) -> None:
        """Put a value into a register, converting it."""
        converted = self.convert(value, into.type, span, into)
        if converted is not into:
            self.builder.value(Opcode.MOVE, into.type, (converted,), span, into=into)

    def _item(self, target: tuple[Any, ...], node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            lower, upper, step = node.slice.lower, node.slice.upper, node.slice.step
            return target[self._limit(lower) : self._limit(upper) : self._limit(step)]
        index = self.value(node.slice)
        if not isinstance(index, Constant) or not index.type.is_integer:
            raise KernelTypeError(
                "a tuple is indexed by a constant", self.scope.span(node), "use an array for computed indices"
            )
        if not -len(target) <= index.value < len(target):
            raise KernelTypeError(f"index {index.value} of a tuple of {len(target)}", self.scope.span(node))
        item: Value = target[index.value]
        return item

    def _limit(self, node: ast.expr | None) -> int | None:
        if node is None:
            return None
        limit = self.value(node)
        if not isinstance(limit, Constant) or not limit.type.is_integer:
            raise KernelTypeError("a tuple is cut at constants", self.scope.span(node))
        return int(limit.value)


SPELLED = {
    "Try": "`try`",
    "With": "`with`",
    "Raise": "`raise` of this",
    "Lambda": "`lambda`",
    "ListComp": "a list comprehension",
    "GeneratorExp": "a generator expression",
    "List": "a list",
    "Dict": "a dictionary",
    "Set": "a set",
    "JoinedStr": "an f-string",
    "Slice": "a slice",
    "Global": "`global`",
    "Nonlocal": "`nonlocal`",
    "Import": "`import`",
    "ImportFrom": "`import`",
    "ClassDef": "`class`",
    "FunctionDef": "a nested function",
    "Delete": "`del`",
    "Yield": "`yield`",
    "Await": "`await`",
    "Match": "`match`",
    "AsyncFor": "`async for`",
    "AsyncFunctionDef": "`async def`",
    "Starred": "`*`",
}


def _suggestion(name: str, owner: object) -> str:
    """The nearest names that a module or namespace has, for a hint."""
    near = difflib.get_close_matches(name, [known for known in dir(owner) if not known.startswith("_")])
    return f"is it {' or '.join(near)}?" if near else ""


def fits(into: Register | None, type_: Scalar) -> Register | None:
    return into if into is not None and into.type is type_ else None
