"""How are objects made, and what do operators of a struct do?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpusim.frontends.cuda_cpp import layout, type_names, types
from gpusim.frontends.cuda_cpp.scope import Function, Overloads, Scope, Template
from gpusim.frontends.cuda_cpp.structs import CONSTRUCTOR, DEFAULTED
from gpusim.frontends.cuda_cpp.types import INT, VOID, CType, Pointer, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    FunctionValue,
    NumberValue,
    Place,
    Result,
    StructValue,
    Value,
    is_place,
)
from gpusim.ir.instructions import Constant
from gpusim.ir.types import S32

if TYPE_CHECKING:
    from tree_sitter import Node
from gpusim.frontends.cuda_cpp.inlining import Inlining
from gpusim.frontends.cuda_cpp.overloads import _type


class Objects(Inlining):
    """Constructors, operators and conversions that the text defines."""

    def constructible(self, struct: Struct, values: list[Value]) -> bool:
        """Is there a constructor for these values that may be called implicitly?"""
        if struct.name in ("dim3", "uint3"):
            return len(values) == 1 and isinstance(values[0], NumberValue | StructValue) and (
                values[0].type in (type_names.VECTORS["dim3"], type_names.VECTORS["uint3"], INT, types.UINT)
            )  # fmt: skip
        overloads = struct.members.get(CONSTRUCTOR)
        if overloads is None:
            return False
        fitting = [
            one for one in overloads.functions
            if isinstance(one, Function) and "explicit" not in one.qualifiers
            and self._ranks(one, values, values) is not None
        ]  # fmt: skip
        return bool(fitting)

    def constructed(self, struct: Struct, values: list[Value], node: Node) -> Value:
        """A new object from values in parentheses."""
        if struct.fields is None:
            raise self.wrong(f"`{struct.name}` is declared, but not defined", node)
        if len(values) == 1 and bare(values[0].type or VOID) is struct:
            return values[0]
        if len(values) == 1 and isinstance(values[0], StructValue) and struct in values[0].type.bases:
            return StructValue(struct, values[0].leaves[: len(list(layout.leaves(struct)))])
        if self.has_constructor(struct) and (values or DEFAULTED not in struct.members):
            place = self.variable(struct.name, struct, (self.frame.path, node.start_byte, "new"))
            self.construct(place, values, node)
            return self.read(place, self.span(node))
        members = struct.fields
        vectors = (type_names.VECTORS["dim3"], type_names.VECTORS["uint3"])
        if struct in vectors and len(values) == 1 and values[0].type in vectors:
            assert isinstance(values[0], StructValue)
            return StructValue(struct, values[0].leaves)
        if len(values) > len(members):
            raise self.wrong(f"`{struct.name}` has {len(members)} members, not {len(values)}", node)
        if values and struct.vector_of is not None and struct.name != "dim3":
            hint = f"use make_{struct.name}(…) or {struct.name}{{…}}"
            raise self.wrong(f"`{struct.name}` has no constructor", node, hint)
        if not values and struct.name != "dim3":
            return self.aggregate(struct, [], self.unit.tree.root)
        given = [
            self.converted(value, member.type, node) for value, member in zip(values, members, strict=False)
        ]
        rest = members[len(given) :]
        one = NumberValue(types.UINT, Constant(1, types.UINT.scalar))
        given += [one if struct.name == "dim3" else self.empty(member.type, node) for member in rest]
        parts = [part.leaves if isinstance(part, StructValue) else (part,) for part in given]
        return StructValue(struct, tuple(leaf for group in parts for leaf in group))  # type: ignore[misc]

    def _operator(
        self, sign: str, operands: Sequence[Result], node: Node
    ) -> tuple[FunctionValue, list[Result]]:
        """The functions that define an operator for these operands, and what they are called with."""
        name, first = f"operator{sign}", operands[0]
        struct = bare(first.type or VOID)
        if isinstance(struct, Struct):
            own = Scope(None, struct).own(name)
            if isinstance(own, Overloads):
                if not is_place(first):
                    assert isinstance(first, StructValue)
                    first = self.temporary_object(first)
                value = FunctionValue(name, tuple(own.functions), first)  # type: ignore[arg-type]
                if any(self._fits(one, operands[1:], node) for one in own.functions):
                    return value, list(operands[1:])
        free = self.scope.find(name)
        if isinstance(free, Overloads):
            return FunctionValue(name, tuple(free.functions)), list(operands)
        return FunctionValue(name, ()), list(operands)

    def _fits(self, candidate: Function | Template, results: Sequence[Result], node: Node) -> bool:
        values = [self._shadow(result) for result in results]
        found: Any = candidate
        if isinstance(candidate, Template):
            found = self.deduced(
                candidate, None, [_type(v, r) for v, r in zip(values, results, strict=True)], node
            )
        return found is not None and self._ranks(found, values, results) is not None

    def overloaded(self, sign: str, operands: list[Value], node: Node) -> Value:
        """An operator that the program defines for a struct."""
        called, given = self._operator(sign, operands, node)
        if not called.overloads:
            shown = " and ".join(f"`{operand.type}`" for operand in operands)
            converted = self._converted_operands(sign, operands, node)
            if converted is not None:
                return converted
            raise self.wrong(
                f"`{sign}` is not defined for {shown}",
                node,
                f"define operator{sign}, or write its members out",
            )
        return self.read(self.call(called, given, node), self.span(node))

    def _converted_operands(self, sign: str, operands: list[Value], node: Node) -> Value | None:
        """`object + 1` of a struct that converts to a number."""
        found = list[Value]()
        for operand in operands:
            if isinstance(operand, StructValue):
                methods = operand.type.members.get("(conversions)")
                if not methods or len(methods) > 1:
                    return None
                found.append(self.convert_object(operand, methods[0].result, node))
            else:
                found.append(operand)
        return (
            self.unary(sign, found[0], node)
            if len(found) == 1
            else self.binary(sign, found[0], found[1], node)
        )

    def overloaded_place(self, sign: str, owner: Result, arguments: list[Node], node: Node) -> Result:
        """`owner[…]`, `*owner`, `++owner`, `owner << other` of a struct."""
        results: list[Result] = [owner, *(self.evaluate(argument) for argument in arguments)]
        if sign in ("++", "--") and node.children[0].type not in ("++", "--"):
            results.append(NumberValue(INT, Constant(0, S32)))  # how C++ tells x++ from ++x
        called, given = self._operator(sign, results, node)
        if not called.overloads and node.type == "binary_expression":
            return self.overloaded(sign, [self.read(result, self.span(node)) for result in results], node)
        if not called.overloads:
            raise self.wrong(f"`{owner.type}` has no operator{sign}", node)
        return self.call(called, given, node)

    def _object_called(self, owner: Result, results: Sequence[Result], node: Node) -> Result:
        called, given = self._operator("()", [owner, *results], node)
        if not called.overloads:
            raise self.wrong(f"`{owner.type}` is an object: it cannot be called", node)
        return self.call(called, given, node)

    def has_operator(self, sign: str, place: Place, value: Value) -> bool:
        """Does the program define this assignment?"""
        if sign != "=":
            return True
        struct = bare(place.type)
        assert isinstance(struct, Struct)
        return "operator=" in struct.members

    def call_operator(self, sign: str, place: Place, value: Value, node: Node) -> Result:
        """Call an assignment that the program defines."""
        called, given = self._operator(sign, [place, value], node)
        if not called.overloads:
            raise self.wrong(f"`{sign}` is not defined for `{place.type}`", node, f"define operator{sign}")
        return self.call(called, given, node)

    def conversion(self, value: StructValue, type_: CType) -> Any:
        """The conversion operator of a struct for a type, if it has one."""
        methods = value.type.members.get("(conversions)", [])
        exact = [method for method in methods if bare(method.result) == type_]
        others = [] if isinstance(type_, Struct | Pointer) else methods
        return (exact or others or [None])[0]

    def convert_object(self, value: StructValue, type_: CType, node: Node) -> Value:
        """Call that operator."""
        method = self.conversion(value, type_)
        if method is None:
            raise self.wrong(f"`{value.type}` does not convert to `{type_}`", node)
        found = self.inline(method, [], self.temporary_object(value), node)
        return self.converted(self.read(found, self.span(node)), type_, node, explicit=True)
