"""Which type becomes which? Implicit conversions, their ranks, and the errors where C++ has none."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.errors import KernelTypeError
from gpusim.frontends.cuda_cpp import layout, types
from gpusim.frontends.cuda_cpp.declarators import Auto, number_type
from gpusim.frontends.cuda_cpp.types import (
    BOOL,
    INT,
    CType,
    Enumeration,
    FunctionType,
    Number,
    Pointer,
    Struct,
    bare,
)
from gpusim.frontends.cuda_cpp.values import (
    NULL,
    Address,
    FunctionValue,
    NumberValue,
    PointerValue,
    StructValue,
    TextValue,
    Value,
    VoidValue,
)
from gpusim.ir.instructions import ArrayOperand, Constant, Operand
from gpusim.ir.types import S8, U64
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node
from gpusim.frontends.cuda_cpp.access import Access

EXACT, PROMOTION, CONVERSION, USER = range(4)  # ranks of implicit conversions, C++17 [over.ics.rank]


class Conversions(Access):
    """Conversions of values."""

    def rank(self, value: Value, type_: CType) -> int | None:
        """How good is the implicit conversion to a type? None where there is none."""
        wanted = bare(type_)
        if isinstance(value, FunctionValue):
            is_function = isinstance(wanted, Pointer) and isinstance(bare(wanted.target), FunctionType)
            return EXACT if is_function else None
        given = bare(value.type or types.VOID)
        if given == wanted:
            return EXACT
        if isinstance(wanted, Pointer):
            if isinstance(value, StructValue):
                return USER if self.conversion(value, wanted) else None
            return self._pointer_rank(value, wanted)
        if isinstance(value, PointerValue):
            return CONVERSION if wanted is BOOL else None
        if isinstance(value, NumberValue) and isinstance(wanted, Number):
            kind = number_type(given)
            if kind is None:
                return None
            promoted = types.promoted(kind) == wanted or (kind.name, wanted.name) == ("float", "double")
            return PROMOTION if promoted else CONVERSION
        if isinstance(wanted, Struct):
            if isinstance(given, Struct):
                place_as_shape = (given.name, wanted.name) == ("uint3", "dim3")
                return CONVERSION if wanted in given.bases or place_as_shape else None
            return USER if self.constructible(wanted, [value]) else None
        if isinstance(value, StructValue) and self.conversion(value, wanted):
            return USER
        return None

    def constructible(self, struct: Struct, values: list[Value]) -> bool:
        """Is there a constructor for these values? See `Calls`."""
        raise NotImplementedError

    def constructed(self, struct: Struct, values: list[Value], node: Node) -> Value:
        """A new object; see `Calls`."""
        raise NotImplementedError

    def conversion(self, value: StructValue, type_: CType) -> Any:
        """The conversion operator of a struct for a type, if it has one; see `Calls`."""
        raise NotImplementedError

    def convert_object(self, value: StructValue, type_: CType, node: Node) -> Value:
        """Call that operator; see `Calls`."""
        raise NotImplementedError

    @staticmethod
    def _pointer_rank(value: Value, wanted: Pointer) -> int | None:
        if isinstance(value, NumberValue):
            if isinstance(bare(value.type), Pointer):
                return EXACT if types.same_apart_from_const(bare(value.type), wanted) else None
            null = value.operand == Constant(0, value.operand.type) and value.type is INT
            return CONVERSION if null else None
        if not isinstance(value, PointerValue):
            return None
        if value.address.is_null and value.type == types.NULLPTR:
            return CONVERSION
        source, target = value.type.target, wanted.target
        if types.is_const(source) and not types.is_const(target):
            return None
        if bare(source) == bare(target):
            return EXACT if types.is_const(source) == types.is_const(target) else PROMOTION
        if isinstance(bare(target), types.Void):
            return CONVERSION
        derived = bare(source)
        if isinstance(derived, Struct) and bare(target) in derived.bases:
            return CONVERSION
        adds_const = types.same_apart_from_const(source, target)
        return PROMOTION if adds_const else None

    def truth(self, value: Value, node: Node) -> Operand:
        """A condition; see `Operators`."""
        raise NotImplementedError

    def pointed(self, value: Value) -> Value:
        """A text as a pointer to its first character, in constant memory; other values as they are."""
        if not isinstance(value, TextValue):
            return value
        address = Address(self.texts_region, (), self.unit.text_offset(value.text))
        return PointerValue(Pointer(types.constant(types.CHAR)), address)

    @cached_property
    def texts_region(self) -> ArrayOperand:
        """All texts of the unit that are more than a format of printf."""
        letters = np.frombuffer(bytes(self.unit.texts), np.int8)
        return replace(self.builder.constant("texts", S8, letters, "C"), pointer=True)

    def decayed(self, value: Value, node: Node) -> Value:
        """A function as a pointer to it; see `Calls`."""
        raise NotImplementedError

    def converted(
        self, value: Value, type_: CType, node: Node, *, explicit: bool = False, what: str = "initialize"
    ) -> Value:
        """An implicit conversion, or that of a cast; an error where C++ has none."""
        wanted, span = bare(type_), self.span(node)
        if isinstance(value, FunctionValue):
            value = self.decayed(value, node)
        value = self.pointed(value)
        given = bare(value.type or types.VOID)
        if isinstance(wanted, Auto) or given == wanted:
            return value
        if not explicit and self.rank(value, type_) is None:
            raise self._no_conversion(value, type_, node, what)
        match wanted:
            case Number() | Enumeration():
                if isinstance(value, StructValue):
                    return self.convert_object(value, wanted, node)
                if isinstance(value, PointerValue) and wanted is not BOOL:
                    if wanted.size < types.POINTER_BYTES:
                        raise self.wrong(f"a pointer does not fit into {wanted}", node, "cast it to size_t")
                    return NumberValue(
                        wanted, self.cast(self.as_number(value.address, span), wanted.scalar, span)
                    )
                if isinstance(value, PointerValue):
                    return NumberValue(BOOL, self.truth(value, node))
                if isinstance(value, NumberValue):
                    return NumberValue(wanted, self.cast(value.operand, wanted.scalar, span))
            case Pointer():
                if isinstance(value, PointerValue):
                    return PointerValue(wanted, value.address)
                if isinstance(value, NumberValue):
                    return self._to_pointer(value, wanted, span)
                if isinstance(value, StructValue):
                    return self.convert_object(value, wanted, node)
            case types.Void():
                return VoidValue(wanted)
            case Struct():
                if isinstance(value, StructValue) and wanted in value.type.bases:
                    count = len(list(layout.leaves(wanted)))
                    return StructValue(wanted, value.leaves[:count])
                return self.constructed(wanted, [value], node)
        raise self._no_conversion(value, type_, node, what)

    def _to_pointer(self, value: NumberValue, wanted: Pointer, span: Span) -> Value:
        if isinstance(bare(wanted.target), FunctionType):
            return NumberValue(wanted, self.cast(value.operand, U64, span))
        if isinstance(value.operand, Constant) and value.operand.value == 0:
            return PointerValue(wanted, NULL)
        return PointerValue(wanted, Address(None, ((self.cast(value.operand, U64, span), 1),)))

    def _no_conversion(self, value: Value, type_: CType, node: Node, what: str) -> KernelTypeError:
        given, wanted = bare(value.type or types.VOID), bare(type_)
        hint = ""
        if isinstance(value, PointerValue) and value.address.is_null:
            hint = "it is for pointers; write 0"
        elif isinstance(given, Pointer) and isinstance(bare(given.target), FunctionType):
            hint = "call the function: name(…)"
        elif isinstance(given, Pointer) and isinstance(wanted, Pointer):
            lost = types.is_const(given.target) and not types.is_const(wanted.target)
            hint = "that would drop `const`" if lost else f"cast it: reinterpret_cast<{wanted}>(…)"
        elif isinstance(given, Pointer):
            hint = "dereference the pointer with * or an index"
        elif isinstance(wanted, Pointer):
            hint = "take its address with &"
        elif isinstance(given, Enumeration) or isinstance(wanted, Enumeration):
            hint = f"cast it: static_cast<{wanted}>(…)"
        shown = "void" if isinstance(value, VoidValue) else value.type
        return self.wrong(f"a value of type `{shown}` cannot {what} `{wanted}`", node, hint)
