"""What does a declaration inside a function make? Registers, local and shared memory, aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.access import has_array
from gpusim.frontends.cuda_cpp.calls import Calls
from gpusim.frontends.cuda_cpp.declarators import Auto, Declared
from gpusim.frontends.cuda_cpp.structs import DEFAULTED
from gpusim.frontends.cuda_cpp.syntax import entries
from gpusim.frontends.cuda_cpp.types import (
    Array,
    CType,
    FunctionType,
    Pointer,
    Reference,
    Struct,
    bare,
    is_const,
)
from gpusim.frontends.cuda_cpp.values import (
    Address,
    FunctionValue,
    MemoryPlace,
    NumberValue,
    Place,
    PointerValue,
    Result,
    StructValue,
    Value,
    is_place,
)
from gpusim.ir.types import Space
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node


class Variables(Calls):
    """Declarations of variables."""

    def _declaration(self, node: Node) -> None:
        words, type_ = self.qualifiers(node), self.specified(node)
        declarators = node.children_by_field_name("declarator")
        for declarator in declarators:
            self._declare_one(declarator, type_, node, declarator, words)

    def _declare_one(
        self, declarator: Node, type_: CType, node: Node, place: Node, words: frozenset[str] = frozenset()
    ) -> Result:
        """Declare one variable, with its initial value."""
        value = (declarator if declarator.type == "init_declarator" else node).child_by_field_name("value")
        if declarator.type != "init_declarator" and node.type != "declaration":
            value = None
        declared = self.declared(declarator, type_)
        name, span = declared.name, self.span(declared.node)
        self.at = span
        if isinstance(declared.type, FunctionType):
            if declared.function is not None:
                what = f"`{name}` declared as a function here"
                raise self.refused(what, declared.node, "write `{}` for an object")
            raise self.wrong(
                f"`{name}` is declared as a function here",
                place,
                "functions are declared outside of functions",
            )
        if name in self.scope.names:
            raise self.wrong(
                f"`{name}` is declared twice in this block", declared.node, "choose another name"
            )
        result: Result
        if "__shared__" in words:
            result = self._shared(declared, value, words, node)
        elif outside := words & {"__constant__", "__device__", "__managed__"}:
            raise self.wrong(f"`{min(outside)}` variables stand outside of functions", node)
        elif "thread_local" in words:
            raise self.refused("`thread_local`", node, "variables of a kernel belong to a thread as they are")
        elif "static" in words and not is_const(declared.type):
            raise self.refused(
                "a `static` variable", node, "declare it `__device__`, outside of the function"
            )
        elif "extern" in words:
            raise self.wrong("`extern` variables of a function are `extern __shared__`", node)
        else:
            result = self._local(declared, value, node)
        self.scope.names[name] = result
        return result

    def _shared(self, declared: Declared, value: Node | None, words: frozenset[str], node: Node) -> Result:
        type_ = declared.type
        if isinstance(bare(type_), types.Void):
            raise self.wrong(f"`{declared.name}` cannot be void", declared.node)
        if value is not None:
            raise self.wrong(
                f"`__shared__ {declared.name}` cannot have an initial value",
                value,
                "assign to it, then __syncthreads()",
            )
        alignment = self._alignment(node)
        if isinstance(type_, Array) and type_.length is None:
            if "extern" not in words:
                raise self.wrong(
                    f"`{declared.name}` has no length",
                    declared.node,
                    "give it one, or make it `extern __shared__`",
                )
            return MemoryPlace(type_, Address(self.dynamic_shared(declared.name, type_)))
        struct = bare(type_)
        while isinstance(struct, Array):
            struct = bare(struct.element)
        if isinstance(struct, Struct) and self.has_constructor(struct):
            hint = "give it no constructor; assign to its members"
            raise self.refused(f"a shared `{struct.name}`, which has a constructor,", declared.node, hint)
        return MemoryPlace(type_, Address(self.storage(declared.name, type_, Space.SHARED, alignment)))

    def _alignment(self, node: Node) -> int:
        for child in node.named_children:
            inner = (
                child.named_children[0] if child.type == "type_qualifier" and child.named_children else child
            )
            if inner.type == "alignas_qualifier":
                return int(self.constant(inner.named_children[0]))
        return 1

    def _local(self, declared: Declared, value: Node | None, node: Node) -> Result:
        type_, name, span = declared.type, declared.name, self.span(declared.node)
        key = self.frame.path, declared.node.start_byte
        inner = bare(type_)
        if isinstance(inner, types.Void):
            raise self.wrong(f"`{name}` cannot be void", declared.node)
        if isinstance(type_, Reference):
            return self._reference(declared, type_, value)
        if isinstance(inner, Auto):
            return self._auto(declared, value, node)
        if isinstance(inner, Array):
            return self._array(declared, inner, value)
        if value is None:
            if is_const(type_) and not isinstance(inner, Struct):
                raise self.wrong(f"the constant `{name}` has no value", declared.node)
            place = self.variable(name, type_, key)
            self.default(place, node)
            return place
        if is_const(type_) and not isinstance(inner, Struct):
            return self._constant(declared, value, span)
        if isinstance(inner, Struct) and (has_array(inner) or self.has_constructor(inner)):
            place = self.variable(name, type_, key)
            self.initialize(place, value)
            return place
        first = self._first_value(type_, value)
        self.at = span
        place = self.variable(name, type_, key)
        self.write(place, first, span)
        return place

    def begins(self, type_: CType) -> bool:
        """Does an object that is given no value get one, from a constructor or with its members?"""
        inner = bare(type_)
        if isinstance(inner, Array):
            return self.begins(inner.element)
        if not isinstance(inner, Struct):
            return False
        parts = (*inner.bases, *(member.type for member in inner.fields or ()))
        own = self.has_constructor(inner) or inner.defaults or inner.name == "dim3"
        return bool(own) or any(self.begins(part) for part in parts)

    def default(self, place: Place, node: Node) -> None:
        """Start an object that is given no value; numbers in it that nobody names hold nothing yet."""
        inner = bare(place.type)
        if not self.begins(inner):
            return
        if isinstance(inner, Array):
            assert isinstance(place, MemoryPlace)
            for position in range(inner.length or 0):
                address = place.address.moved(position * inner.element.size)
                self.default(MemoryPlace(inner.element, address), node)
            return
        assert isinstance(inner, Struct)
        if self.has_constructor(inner) and DEFAULTED not in inner.members:
            self.construct(place, [], node)
        elif inner.name == "dim3":
            self.write(place, self.constructed(inner, [], node), self.at)
        else:
            self.start_members(inner, place, {}, node)

    def _first_value(self, type_: CType, node: Node) -> Value:
        if node.type == "argument_list":
            values = [self.value(item) for item in entries(node)]
            inner = bare(type_)
            if isinstance(inner, Struct):
                return self.constructed(inner, values, node)
            if len(values) != 1:
                raise self.wrong(f"{len(values)} values for one `{type_}`", node)
            return self._initial_value(values[0], type_, node)
        if node.type == "initializer_list":
            return self.listed(type_, node)
        return self._initial_value(self.value(node), type_, node)

    def _initial_value(self, value: Value, type_: CType, node: Node) -> Value:
        if isinstance(value, FunctionValue):
            wanted = bare(type_)
            return self.decayed(value, node, bare(wanted.target) if isinstance(wanted, Pointer) else None)
        return self.converted(value, type_, node, what="initialize")

    def initialize(self, place: Place, node: Node) -> None:
        """Give an object its first value."""
        inner, span = bare(place.type), self.span(node)
        if isinstance(inner, Struct) and self.has_constructor(inner):
            braced = node.type in ("argument_list", "initializer_list")
            values: list[Result] = (
                [self.evaluate(item) for item in entries(node)] if braced else [self.evaluate(node)]
            )
            given = bare(values[0].type or types.VOID) if len(values) == 1 else None
            if given is inner or (isinstance(given, Struct) and inner in given.bases):
                self.write(place, self.converted(self.read(values[0], span), inner, node), span)
            elif not values and DEFAULTED in inner.members:
                self.write(place, self.constructed(inner, [], node), span)
            else:
                self.construct(place, values, node)
        elif isinstance(place, MemoryPlace) and (isinstance(inner, Array) or has_array(inner)):
            if isinstance(inner, Array) or node.type == "initializer_list":
                self.fill(place, node)
            else:
                self.write(place, self.converted(self.value(node), place.type, node), span)
        else:
            self.write(place, self._first_value(place.type, node), span)

    def _constant(self, declared: Declared, node: Node, span: Span) -> Result:
        """A variable that never changes is its value."""
        value = self._first_value(declared.type, node)
        self.at = span
        if isinstance(value, NumberValue):
            operand = self.copied(value.operand)
            self.builder.hold(operand)
            return NumberValue(value.type, operand)
        if isinstance(value, PointerValue):
            address = self.frozen(value.address)
            self.builder.hold(*(operand for operand, _ in address.terms))
            return PointerValue(value.type, address)
        return value

    def _reference(self, declared: Declared, type_: Reference, value: Node | None) -> Result:
        if value is None:
            raise self.wrong(
                f"the reference `{declared.name}` refers to nothing", declared.node, "give it an object"
            )
        result = self.evaluate(value)
        target = type_.target
        if isinstance(bare(target), Auto):
            target = (
                types.constant(result.type or types.VOID) if is_const(target) else result.type or types.VOID
            )
        if is_place(result):
            given, wanted = bare(result.type or types.VOID), bare(target)
            inherited = isinstance(given, Struct) and wanted in given.bases
            if (given == wanted or inherited) and (
                is_const(target) or not is_const(result.type or types.VOID)
            ):
                return self._referred(result, target)  # type: ignore[arg-type]
        if not is_const(target):
            choice = value.type == "conditional_expression"
            hint = "choose with a pointer, or an if" if choice else "make the reference const"
            raise self.wrong(f"`{self.text(value)}` cannot be referred to as `{target}&`", value, hint)
        converted = self.converted(self.read(result, self.at), target, value)
        if isinstance(converted, StructValue):
            return self._materialized(converted, declared.name, self.frame)
        return (
            NumberValue(converted.type or types.VOID, self.copied(converted.operand))
            if isinstance(converted, NumberValue)
            else converted
        )

    def _auto(self, declared: Declared, value: Node | None, node: Node) -> Result:
        if value is None:
            raise self.wrong(f"`auto {declared.name}` has no value to take its type from", declared.node)
        if value.type == "lambda_expression":
            return self.evaluate(value)
        first = self.pointed(self.value(value if value.type != "argument_list" else entries(value)[0]))
        if isinstance(first, FunctionValue):
            first = self.decayed(first, node)
        span = self.span(declared.node)
        self.at = span
        type_ = bare(first.type or types.VOID)
        if isinstance(type_, types.Void):
            raise self.wrong(f"`{declared.name}` would be void", declared.node)
        place = self.variable(
            declared.name,
            types.constant(type_) if is_const(declared.type) else type_,
            (self.frame.path, declared.node.start_byte),
        )
        self.write(place, first, span)
        return place

    def _array(self, declared: Declared, type_: Array, value: Node | None) -> Result:
        full: CType = declared.type
        if type_.length is None:
            if value is None:
                raise self.wrong(
                    f"`{declared.name}` has no length", declared.node, "give it one, or initial values"
                )
            full = self.complete_array(type_, value)
        place = MemoryPlace(full, Address(self.storage(declared.name, full, Space.LOCAL)))
        if value is not None:
            self.fill(place, value)
        else:
            self.default(place, declared.node)
        return place
