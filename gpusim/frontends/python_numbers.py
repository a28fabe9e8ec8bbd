"""What does a function of numbers compute? One method a family of `Intrinsic`, found by its name.

A family takes the function that was called, its arguments and the call; most make one instruction in the type
that the function's own rule gives.
"""

from __future__ import annotations

import ast

from gpusim.errors import KernelTypeError
from gpusim.frontends.intrinsics import Intrinsic
from gpusim.frontends.python_conditions import Conditions
from gpusim.frontends.python_scope import Static, Value, VectorValue
from gpusim.frontends.python_types import COMPLEX_OF, PART_OF
from gpusim.ir.instructions import Constant, Kind, Opcode, Operand, Register
from gpusim.ir.types import F32, F64, PRED, S32, S64, Scalar
from gpusim.source import Span

MAX_PRINTED = 32


class Numbers(Conditions):
    """Expressions, and functions of numbers among them."""

    def computed_in(self, called: Intrinsic, numbers: list[Operand], node: ast.AST) -> Scalar:
        """The type that a function computes in, by its rule."""
        assert called.rule is not None
        type_ = called.rule(*(number.type for number in numbers))
        if type_ is None:
            given = " and ".join(str(number.type) for number in numbers)
            raise KernelTypeError(
                f"{called.home}{called.name}() does not take {given}",
                self.scope.span(node),
                "convert with int(…)" if not numbers[0].type.is_complex else "take .real, .imag or abs(…)",
            )
        return type_

    def _arguments(
        self, called: Intrinsic, arguments: list[Value], node: ast.Call
    ) -> tuple[Scalar, list[Operand], Span]:
        """The type that the function computes in, and its arguments in that type."""
        numbers, span = [self.number(argument, node) for argument in arguments], self.scope.span(node)
        type_ = self.computed_in(called, numbers, node)
        return type_, [self.convert(number, type_, span) for number in numbers], span

    def _computed(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, operands, span = self._arguments(called, arguments, node)
        opcode: Opcode = called.detail
        if called.result is PRED:
            return self.builder.value(opcode, type_, tuple(operands), span, result=PRED)
        value = self.builder.value(opcode, type_, tuple(operands), span)
        return self.convert(value, called.result or type_, span)

    def _scaled(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, (number,), span = self._arguments(called, arguments, node)
        return self.builder.value(Opcode.MUL, type_, (number, Constant(called.detail, type_)), span)

    def _extreme(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """The least or greatest of numbers or of one tuple; of each two, in the type that holds both."""
        items = arguments[0] if len(arguments) == 1 else tuple(arguments)
        if type(items) is not tuple or not items:
            raise KernelTypeError("wrong arguments", self.scope.span(node), f"use {called.usage}")
        numbers = [self.number(item, node) for item in items]
        span, result = self.scope.span(node), numbers[0]
        for number in numbers[1:]:
            type_ = self.computed_in(called, [result, number], node)
            operands = (self.convert(result, type_, span), self.convert(number, type_, span))
            result = self.builder.value(called.detail, type_, operands, span)
        return result

    def _absolute(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, (number,), span = self._arguments(called, arguments, node)
        if type_.is_complex:
            return self.builder.value(Opcode.HYPOT, PART_OF[type_], self.parts(number, span), span)
        return self.builder.value(Opcode.ABS, type_, (number,), span)

    def _power(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        return self.binary(ast.Pow(), arguments[0], arguments[1], node)

    def _divmod(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, operands, span = self._arguments(called, arguments, node)
        both = (Opcode.FLOOR_DIV, Opcode.FLOOR_MOD)
        return tuple(self.builder.value(opcode, type_, tuple(operands), span) for opcode in both)

    def _round(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """To an integer, or to a number of digits: then the result is floating-point."""
        number, span = self.number(arguments[0], node), self.scope.span(node)
        type_ = self.computed_in(called, [number], node)
        if arguments[1] == Static(None):
            if not number.type.is_float:
                return self.convert(number, S64, span)
            whole = self.builder.value(Opcode.RINT, type_, (self.convert(number, type_, span),), span)
            return self.convert(whole, S64, span)
        digits = self._integer(arguments[1], node)
        return self.builder.value(Opcode.ROUND_TO, type_, (self.convert(number, type_, span), digits), span)

    def _integer(self, value: Value, node: ast.Call) -> Operand:
        number = self.number(value, node)
        if not number.type.is_integer and number.type is not PRED:
            raise KernelTypeError(
                f"{number.type} where an integer is needed", self.scope.span(node), "convert with int(…)"
            )
        return self.convert(number, S32, self.scope.span(node))

    # taking floating point apart --------------------------------------------------------------------------

    def _frexp(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, (number,), span = self._arguments(called, arguments, node)
        mantissa = self.builder.value(Opcode.MANTISSA, type_, (number,), span)
        return mantissa, self.builder.value(Opcode.EXPONENT, S32, (number,), span)

    def _ldexp(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, (number,), span = self._arguments(called, arguments[:1], node)
        return self.builder.value(Opcode.SCALE, type_, (number, self._integer(arguments[1], node)), span)

    def _modf(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, (number,), span = self._arguments(called, arguments, node)
        both = (Opcode.FRACTION, Opcode.TRUNC)
        return tuple(self.builder.value(opcode, type_, (number,), span) for opcode in both)

    # complex numbers --------------------------------------------------------------------------------------

    def _paired(self, real: Operand, imaginary: Operand, span: Span) -> Operand:
        return self.builder.value(Opcode.COMPLEX, COMPLEX_OF[real.type], (real, imaginary), span)

    def _complex(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        span = self.scope.span(node)
        numbers = [self.number(argument, node) for argument in arguments if argument != Static(None)]
        part = F32 if all(number.type is F32 for number in numbers) else F64
        if len(numbers) == 1:
            return self.convert(numbers[0], COMPLEX_OF[part], span)
        real, imaginary = (self.convert(number, part, span) for number in numbers)
        return self._paired(real, imaginary, span)

    def _conjugate(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        number, span = self.number(arguments[0], node), self.scope.span(node)
        if not number.type.is_complex:
            return number
        real, imaginary = self.parts(number, span)
        negated = self.builder.value(Opcode.NEG, imaginary.type, (imaginary,), span)
        return self._paired(real, negated, span)

    def _phase(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        _, (number,), span = self._arguments(called, arguments, node)
        real, imaginary = self.parts(number, span)
        return self.builder.value(Opcode.ATAN2, real.type, (imaginary, real), span)

    def _polar(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        _, (number,), span = self._arguments(called, arguments, node)
        parts = self.parts(number, span)
        distance = self.builder.value(Opcode.HYPOT, parts[0].type, parts, span)
        return distance, self._phase(called, arguments, node)

    def _rect(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        type_, (distance, angle), span = self._arguments(called, arguments, node)

        def along(opcode: Opcode) -> Register:
            direction = self.builder.value(opcode, type_, (angle,), span)
            return self.builder.value(Opcode.MUL, type_, (distance, direction), span)

        return self._paired(along(Opcode.COS), along(Opcode.SIN), span)

    # others -----------------------------------------------------------------------------------------------

    def _selp(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        condition, one, other = (self.number(argument, node) for argument in arguments)
        return self.select(self.truth(condition, node), one, other, self.scope.span(node))

    def _typed(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """A function of libdevice, which has one signature."""
        (opcode, *types), span = called.detail, self.scope.span(node)
        numbers = [self.number(argument, node) for argument in arguments]
        operands = tuple(self.convert(n, type_, span) for n, type_ in zip(numbers, types, strict=True))
        assert called.result is not None
        if isinstance(opcode, Scalar):
            return self.convert(self.convert(operands[0], opcode, span), called.result, span)
        if opcode is Opcode.REINTERPRET:
            return self.builder.value(opcode, called.result, operands, span)
        found = PRED if opcode.kind is Kind.COMPARE else types[0]
        value = self.builder.value(opcode, types[0], operands, span, result=found)
        return self.convert(value, called.result, span)

    def _vector(self, called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """A vector of numbers and of other vectors' parts, in order."""
        (element, width), span = called.detail, self.scope.span(node)
        parts: list[Operand] = []
        for argument in arguments:
            if isinstance(argument, VectorValue) and argument.type.detail[0] is element:
                parts += argument
            else:
                parts.append(self.convert(self.number(argument, node), element, span))
        if len(parts) != width:
            raise KernelTypeError(
                f"cuda.{called.name}() of {len(parts)} number(s)",
                span,
                f"give it {width}, or vectors of them",
            )
        return VectorValue(parts, called)

    def _print(self, _called: Intrinsic, arguments: list[Value], node: ast.Call) -> Value:
        """`print(…)` as Numba does it on the device: through `vprintf`, floats with six decimals."""
        span, pieces, numbers = self.scope.span(node), list[str](), list[Operand]()
        if len(arguments) > MAX_PRINTED:
            raise KernelTypeError(f"print() of {len(arguments)} values", span, f"print {MAX_PRINTED} at most")
        for argument in arguments:
            if isinstance(argument, Static) and isinstance(argument.object, str):
                pieces.append(argument.object.replace("%", "%%"))
                continue
            number = self.number(argument, node)
            if not (number.type.is_integer or number.type.is_float):
                hint = "print its parts" if number.type.is_complex else "print int(…) of it"
                raise KernelTypeError(f"print() does not take {number.type}", span, hint)
            pieces.append("%d" if number.type.is_integer else "%f")
            numbers.append(number)
        self.builder.effect(Opcode.PRINT, PRED, tuple(numbers), span, " ".join(pieces) + "\n")
        return Static(None)
