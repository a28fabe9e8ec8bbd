"""What do `(T)x`, `static_cast<T>(x)`, `T{…}`, `sizeof` and `offsetof` give?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import number_type
from gpusim.frontends.cuda_cpp.scope import (
    TypeName,
)
from gpusim.frontends.cuda_cpp.syntax import child_of, inner_of
from gpusim.frontends.cuda_cpp.types import CHAR, ULONG, Array, CType, Pointer, Reference, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    NumberValue,
    Place,
    PointerValue,
    Result,
    TextValue,
    Value,
)
from gpusim.ir.instructions import Constant

if TYPE_CHECKING:
    from tree_sitter import Node
from gpusim.frontends.cuda_cpp.names import Names


class Casts(Names):
    """Casts, and what is asked of types."""

    def _cast_expression(self, node: Node) -> Result:
        return self.cast_to(self.described(child_of(node, "type")), child_of(node, "value"), node)

    def cast_to(self, type_: CType, operand: Node, node: Node) -> Result:
        """`(T)operand`: a conversion, or the same address as another pointer."""
        if isinstance(type_, Reference):
            place = self.place(operand, "seen as another type")
            pointer = self.address_of(place, node)
            return self.pointee(PointerValue(Pointer(type_.target), pointer.address), node)
        value = self.pointed(self.value(operand))
        inner = bare(type_)
        if isinstance(inner, Pointer) and isinstance(value, NumberValue):
            wide = number_type(value.type)
            function = isinstance(bare(value.type), Pointer)
            if not function and (wide is None or not wide.is_integer):
                raise self.wrong(f"`{value.type}` cannot be cast to `{inner}`", node)
        return self.converted(value, inner, node, explicit=True)

    def named_cast(self, kind: str, type_: CType, operand: Node, node: Node) -> Result:
        """`static_cast<T>(x)` and its relatives, each with its own rules."""
        if kind == "reinterpret_cast" and not isinstance(type_, Reference):
            value, inner = self.value(operand), bare(type_)
            pointers = [isinstance(bare(side), Pointer) for side in (value.type or types.VOID, inner)]
            if not any(pointers):
                hint = "use static_cast, or __float_as_int and its relatives for the bits"
                raise self.wrong(f"reinterpret_cast from `{value.type}` to `{inner}`", node, hint)
        if kind == "const_cast" and not types.same_apart_from_const(bare(self.type_of(operand)), bare(type_)):
            hint = "it changes `const` only; use reinterpret_cast"
            raise self.wrong(f"const_cast from `{self.type_of(operand)}` to `{type_}`", node, hint)
        if kind == "static_cast" and isinstance(bare(type_), Pointer):
            value = self.value(operand)
            target = bare(type_)
            if isinstance(value, PointerValue) and isinstance(target, Pointer):
                pair = [types.without_const(value.type.target), types.without_const(target.target)]
                related = types.VOID in pair or pair[0] == pair[1]
                if not related and not any(isinstance(side, Struct) for side in pair):
                    hint = f"use reinterpret_cast<{target}>(…)"
                    raise self.wrong(f"static_cast from `{value.type}` to `{target}`", node, hint)
        return self.cast_to(type_, operand, node)

    def place(self, node: Node, doing: str) -> Place:
        """Insist that an expression names an object; see `Expressions`."""
        raise NotImplementedError

    def listed(self, type_: CType, node: Node) -> Value:
        """What `{…}` makes of a type; see `Initializers`."""
        raise NotImplementedError

    def _compound_literal_expression(self, node: Node) -> Result:
        given = child_of(node, "type")
        type_ = self.described(given) if given.type == "type_descriptor" else self.named(given)
        return self.listed(type_, child_of(node, "value"))

    def _sizeof_expression(self, node: Node) -> Result:
        return self._measured(node, "size")

    def _alignof_expression(self, node: Node) -> Result:
        return self._measured(node, "alignment")

    def _measured(self, node: Node, what: str) -> Result:
        given = node.child_by_field_name("type")
        if given is not None:
            type_ = self.described(given)
        else:
            inner = child_of(node, "value")
            while inner.type == "parenthesized_expression":
                inner = inner_of(inner)
            type_ = self._type_in_parentheses(inner) or self.type_of(inner)
        struct = bare(type_)
        if isinstance(struct, Struct) and struct.fields is None:
            raise self.wrong(f"`{struct.name}` is declared, but not defined", node)
        return NumberValue(ULONG, Constant(getattr(struct, what), ULONG.scalar))

    def _type_in_parentheses(self, node: Node) -> CType | None:
        """The type in `sizeof(T)` or `sizeof(T[5])`, which look like an object and its element."""
        if node.type in ("identifier", "qualified_identifier", "template_function"):
            found = self.meaning(node)
            return found.type if isinstance(found, TypeName) else None
        if node.type == "subscript_expression":
            inner = self._type_in_parentheses(child_of(node, "argument"))
            return inner and Array(inner, self.constant(child_of(node, "indices").named_children[0]))
        if node.type in ("string_literal", "concatenated_string"):
            text = self.value(node)
            assert isinstance(text, TextValue)
            return Array(types.constant(CHAR), len(text.text) + 1)
        return None

    def _offsetof_expression(self, node: Node) -> Result:
        struct = bare(self.described(child_of(node, "type")))
        name = self.text(child_of(node, "member"))
        field = struct.field(name) if isinstance(struct, Struct) else None
        if field is None:
            raise self.wrong(f"`{struct}` has no member `{name}`", node)
        return NumberValue(ULONG, Constant(field.offset, ULONG.scalar))

    def type_of(self, node: Node) -> CType:
        """The type of an expression that is not evaluated."""
        around, self.builder = self.builder, type(self.builder)(self.builder.name, self.builder.source)
        try:
            result = self.evaluate(node)
        finally:
            self.builder = around
        return result.type or types.VOID
