"""What does an operator of C++ compute? Promotions, pointer arithmetic, comparisons, implicit conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import number_type
from gpusim.frontends.cuda_cpp.pointers import COMPARISONS, Pointers
from gpusim.frontends.cuda_cpp.types import BOOL, Enumeration, bare
from gpusim.frontends.cuda_cpp.values import (
    NULL,
    FunctionValue,
    NumberValue,
    PointerValue,
    StructValue,
    TextValue,
    Value,
    VoidValue,
)
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.operations import OPERATORS
from gpusim.ir.types import PRED, Scalar
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

ARITHMETIC = {
    "+": Opcode.ADD,
    "-": Opcode.SUB,
    "*": Opcode.MUL,
    "/": Opcode.DIV,
    "%": Opcode.MOD_TRUNC,
    "&": Opcode.AND,
    "|": Opcode.OR,
    "^": Opcode.XOR,
    "<<": Opcode.SHL,
    ">>": Opcode.SHR,
}
WHOLE = ("%", "&", "|", "^", "<<", ">>")
# what `and`, `bitor` and so on stand for
SPELLED = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
}


class Operators(Pointers):
    """Operators on values."""

    # binary -----------------------------------------------------------------------------------------------

    def binary(self, sign: str, left: Value, right: Value, node: Node) -> Value:
        """`left sign right`, but for && and ||, which may leave the right side out."""
        sign = SPELLED.get(sign, sign)
        if isinstance(left, StructValue) or isinstance(right, StructValue):
            return self.overloaded(sign, [left, right], node)
        if isinstance(left, FunctionValue) or isinstance(right, FunctionValue):
            left, right = (self.decayed(side, node) for side in (left, right))
        left, right = self.pointed(left), self.pointed(right)
        if isinstance(left, PointerValue) or isinstance(right, PointerValue):
            return self._pointers(sign, left, right, node)
        one, other = self.arithmetic(left, sign, node), self.arithmetic(right, sign, node)
        span = self.span(node)
        if sign in ("<<", ">>"):
            return self._shift(sign, one, other, node)
        left_kind, right_kind = number_type(one.type), number_type(other.type)
        if left_kind is None or right_kind is None:
            if sign in COMPARISONS and one.type is other.type:
                return self.compared(sign, one.operand, other.operand, span)
            raise self.wrong(
                f"`{sign}` does not take {one.type} and {other.type}", node, "cast with static_cast<int>(…)"
            )
        type_ = types.common(left_kind, right_kind)
        if sign in WHOLE and not type_.is_integer:
            hint = "use fmod(…)" if sign == "%" else "cast to an integer first"
            raise self.wrong(f"`{sign}` takes integers, not {one.type} and {other.type}", node, hint)
        first, second = (self.cast(side.operand, type_.scalar, span) for side in (one, other))
        if sign in COMPARISONS:
            return self.compared(sign, first, second, span)
        return NumberValue(type_, self.computed(sign, type_.scalar, first, second, span))

    def arithmetic(self, value: Value, sign: str, node: Node) -> NumberValue:
        """Insist that a value is a number."""
        if isinstance(value, NumberValue):
            return value
        what = "nothing (a function of type void)" if isinstance(value, VoidValue) else f"{value.type}"
        raise self.wrong(f"`{sign}` does not take {what}", node)

    def computed(self, sign: str, scalar: Scalar, one: Operand, other: Operand, span: Span) -> Operand:
        """One operator in one type; constants are folded."""
        if isinstance(one, Constant) and isinstance(other, Constant):
            known = folded(sign, one.value, other.value, scalar)
            if known is not None:
                return known
        opcode = Opcode.DIV_TRUNC if sign == "/" and scalar.is_integer else ARITHMETIC[sign]
        if sign == "%" and scalar.is_float:
            opcode = Opcode.FMOD
        return self.builder.value(opcode, scalar, (one, other), span)

    def compared(self, sign: str, one: Operand, other: Operand, span: Span) -> NumberValue:
        """A comparison of two numbers of one type."""
        return NumberValue(BOOL, fold.compared(self.site(span), COMPARISONS[sign], one, other))

    def _shift(self, sign: str, left: NumberValue, right: NumberValue, node: Node) -> NumberValue:
        """The result has the type of the left side alone."""
        kinds = number_type(left.type), number_type(right.type)
        if kinds[0] is None or kinds[1] is None or not (kinds[0].is_integer and kinds[1].is_integer):
            raise self.wrong(f"`{sign}` takes integers, not {left.type} and {right.type}", node)
        type_, span = types.promoted(kinds[0]), self.span(node)
        one = self.cast(left.operand, type_.scalar, span)
        # a distance that is negative or too far leaves 0, or the sign: what PTX says, and NumPy does
        other = self.cast(right.operand, type_.scalar, span)
        if isinstance(one, Constant) and isinstance(other, Constant) and other.value >= 0:
            distance = min(other.value, type_.scalar.bits)
            number = one.value << distance if sign == "<<" else one.value >> distance
            return NumberValue(type_, fold.constant(number, type_.scalar))
        return NumberValue(type_, self.builder.value(ARITHMETIC[sign], type_.scalar, (one, other), span))

    def overloaded(self, sign: str, operands: list[Value], node: Node) -> Value:
        """An operator that the program defines for a struct; see `Calls`."""
        raise NotImplementedError

    # pointers ---------------------------------------------------------------------------------------------

    # unary ------------------------------------------------------------------------------------------------

    def unary(self, sign: str, value: Value, node: Node) -> Value:
        """`-x`, `+x`, `~x` or `!x`."""
        sign, span = SPELLED.get(sign, sign), self.span(node)
        if isinstance(value, StructValue):
            return self.overloaded(sign, [value], node)
        if sign == "!":
            return NumberValue(BOOL, fold.negated(self.site(span), self.truth(value, node)))
        if sign == "+" and isinstance(value, PointerValue):
            return value
        number = self.arithmetic(value, sign, node)
        kind = number_type(number.type)
        if kind is None or (sign == "~" and not kind.is_integer):
            raise self.wrong(f"`{sign}` does not take {number.type}", node)
        type_ = types.promoted(kind)
        operand = self.cast(number.operand, type_.scalar, span)
        if sign == "+":
            return NumberValue(type_, operand)
        if isinstance(operand, Constant):
            result = -operand.value if sign == "-" else ~operand.value
            return NumberValue(type_, fold.constant(result, type_.scalar))
        opcode = Opcode.NEG if sign == "-" else Opcode.NOT
        return NumberValue(type_, self.builder.value(opcode, type_.scalar, (operand,), span))

    def truth(self, value: Value, node: Node) -> Operand:
        """A condition: not zero, not null."""
        span = self.span(node)
        if isinstance(value, TextValue):
            return Constant(True, PRED)
        if isinstance(value, PointerValue):
            null = PointerValue(types.NULLPTR, NULL)
            compared = self._compared_pointers("!=", value, null, node)
            assert isinstance(compared, NumberValue)
            return compared.operand
        if isinstance(value, StructValue):
            value = self.converted(value, BOOL, node, explicit=True)
        if not isinstance(value, NumberValue):
            raise self.wrong(f"a value of type {value.type} is not a condition", node)
        if number_type(value.type) is None and isinstance(bare(value.type), Enumeration):
            raise self.wrong(
                f"`{value.type}` is not a condition", node, "compare it with one of its constants"
            )
        return self.cast(value.operand, PRED, span)

    def select(self, flag: Operand, one: Operand, other: Operand, span: Span) -> Operand:
        """One value where the flag holds, else the other."""
        return fold.select(self.site(span), flag, one, other)


def folded(sign: str, one: Any, other: Any, scalar: Scalar) -> Constant | None:
    """The result of constants, wrapped around or rounded; None to leave it to the machine."""
    if scalar.is_float:
        kind = scalar.dtype.type
        with np.errstate(all="ignore"):
            pair = kind(one), kind(other)
            if sign == "/":
                return Constant(np.divide(*pair).item(), scalar)
            known = OPERATORS.get(ARITHMETIC[sign])
            return Constant(known(*pair).item(), scalar) if known else None
    if sign in ("/", "%"):
        if other == 0:
            return None
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return fold.constant(quotient if sign == "/" else one - quotient * other, scalar)
    return fold.constant(OPERATORS[ARITHMETIC[sign]](int(one), int(other)), scalar)
