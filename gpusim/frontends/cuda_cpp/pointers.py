"""What is arithmetic on pointers? Distances, comparisons, the next element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import number_type
from gpusim.frontends.cuda_cpp.types import BOOL, INT, LONG, FunctionType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    NULL,
    Address,
    NumberValue,
    PointerValue,
    RegisterPlace,
    StructPlace,
    Value,
)
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED, S64, Scalar
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node
from gpusim.frontends.cuda_cpp.conversions import Conversions

COMPARISONS = {
    "==": Opcode.EQ,
    "!=": Opcode.NE,
    "<": Opcode.LT,
    "<=": Opcode.LE,
    ">": Opcode.GT,
    ">=": Opcode.GE,
}


class Pointers(Conversions):
    """Operators on pointers."""

    def _pointers(self, sign: str, left: Value, right: Value, node: Node) -> Value:
        span = self.span(node)
        if sign in COMPARISONS:
            return self._compared_pointers(sign, left, right, node)
        if sign == "-" and isinstance(left, PointerValue) and isinstance(right, PointerValue):
            return self._distance(left, right, node)
        if sign == "+" and isinstance(right, PointerValue):
            left, right = right, left
        if sign in ("+", "-") and isinstance(left, PointerValue) and isinstance(right, NumberValue):
            kind = number_type(right.type)
            if kind is not None and kind.is_integer:
                negative = right.operand
                if sign == "-":
                    wide = self.cast(right.operand, S64, span)
                    negative = (
                        fold.constant(-wide.value, S64)
                        if isinstance(wide, Constant)
                        else self.builder.value(Opcode.NEG, S64, (wide,), span)
                    )
                return PointerValue(left.type, self.advanced(left, negative, node))
        raise self.wrong(f"`{sign}` does not take {left.type} and {right.type}", node)

    def computed(self, sign: str, scalar: Scalar, one: Operand, other: Operand, span: Span) -> Operand:
        """One operator in one type; see `Operators`."""
        raise NotImplementedError

    def compared(self, sign: str, one: Operand, other: Operand, span: Span) -> NumberValue:
        """A comparison; see `Operators`."""
        raise NotImplementedError

    def advanced(self, pointer: PointerValue, index: Operand, node: Node) -> Address:
        """The address of element `index` from a pointer."""
        address, target = pointer.address, pointer.type.target
        inner = bare(target)
        if isinstance(inner, FunctionType) or (isinstance(inner, Struct) and inner.fields is None):
            raise self.wrong(
                f"`{pointer.type}` cannot be indexed: it points to no object of a known size", node
            )
        if index.type is PRED:
            index = self.cast(index, INT.scalar, self.span(node))
        if isinstance(index, Constant):
            return address.moved(index.value * target.size)
        if isinstance(address.region, RegisterPlace | StructPlace):
            self.into_memory(address.region)
        return Address(address.region, (*address.terms, (index, target.size)), address.shift)

    def _distances(
        self, left: PointerValue, right: PointerValue, size: int, span: Span
    ) -> tuple[Operand, Operand] | None:
        """How far are two pointers from the start of one array? None where these are two."""
        one, other = left.address, right.address
        if one.region is None or one.region is not other.region:
            return None
        numbers = [self.scaled(address, size, span) for address in (one, other)]
        if numbers[0] is None or numbers[1] is None:
            return None
        return self.cast(numbers[0], S64, span), self.cast(numbers[1], S64, span)

    def _compared_pointers(self, sign: str, left: Value, right: Value, node: Node) -> Value:
        span = self.span(node)
        one, other = (self._as_pointer(side, node) for side in (left, right))
        null = one.address.is_null or other.address.is_null
        targets = [types.without_const(side.type.target) for side in (one, other)]
        if not null and targets[0] != targets[1] and types.VOID not in targets:
            raise self.wrong(f"`{sign}` does not take {left.type} and {right.type}", node, "cast one of them")
        for side, rest in ((one, other), (other, one)):
            held = isinstance(side.address.region, RegisterPlace | StructPlace)
            if rest.address.is_null and held and sign in ("==", "!="):
                return NumberValue(BOOL, Constant(sign == "!=", PRED))  # a variable is somewhere
        for size in (one.type.target.size, 1):
            distances = self._distances(one, other, size, span)
            if distances is not None:
                return self.compared(sign, *distances, span)
        first, second = (self.as_number(side.address, span) for side in (one, other))
        return self.compared(sign, first, second, span)

    def _as_pointer(self, value: Value, node: Node) -> PointerValue:
        if isinstance(value, PointerValue):
            return value
        if isinstance(value, NumberValue) and value.operand == Constant(0, value.operand.type):
            return PointerValue(types.NULLPTR, NULL)
        if isinstance(value, NumberValue) and isinstance(bare(value.type), Pointer):
            return PointerValue(types.NULLPTR, Address(None, ((value.operand, 1),)))
        raise self.wrong(f"a pointer is compared with a value of type {value.type}", node)

    def _distance(self, left: PointerValue, right: PointerValue, node: Node) -> Value:
        span, size = self.span(node), left.type.target.size
        if types.without_const(left.type) != types.without_const(right.type):
            raise self.wrong(f"`-` does not take {left.type} and {right.type}", node)
        distances = self._distances(left, right, size, span)
        if distances is not None:
            return NumberValue(LONG, self.computed("-", S64, *distances, span))
        one, other = (self.cast(self.as_number(side.address, span), S64, span) for side in (left, right))
        bytes_ = self.computed("-", S64, one, other, span)
        return NumberValue(LONG, self.computed("/", S64, bytes_, fold.constant(size, S64), span))
