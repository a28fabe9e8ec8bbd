"""What happens at a call? The best overload is found, and its body lowered in place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gpusim.frontends import flow
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import NAMES
from gpusim.frontends.cuda_cpp.expressions import CASTS
from gpusim.frontends.cuda_cpp.functions.prototypes import Builtin
from gpusim.frontends.cuda_cpp.objects import Objects
from gpusim.frontends.cuda_cpp.scope import Function, Placeholder, Template, TypeName
from gpusim.frontends.cuda_cpp.syntax import child_of, entries, inner_of
from gpusim.frontends.cuda_cpp.types import VOID, CType, FunctionType, Pointer, Reference, Struct, bare
from gpusim.frontends.cuda_cpp.values import (
    FunctionValue,
    NumberValue,
    Result,
    StructValue,
    Value,
    VoidValue,
    function_type,
    is_place,
)
from gpusim.ir.instructions import Constant, Jump, Opcode, Return
from gpusim.ir.types import PRED, U64

if TYPE_CHECKING:
    from tree_sitter import Node

Candidate = Function | Builtin


class Calls(Objects):
    """Calls of functions, methods, constructors, operators and intrinsics."""

    def _call_expression(self, node: Node) -> Result:
        function = child_of(node, "function")
        if any(child.type == "kernel_call_syntax" for child in node.named_children):
            hint = "launch it from the host; kernels that launch kernels are not simulated yet"
            raise self.refused("a launch inside a kernel, `<<<…>>>`,", node, hint)
        arguments = entries(child_of(node, "arguments"))
        while function.type == "parenthesized_expression":
            function = inner_of(function)
        if function.type == "template_function" and self.text(child_of(function, "name")) in CASTS:
            return self._named_cast(function, arguments, node)
        if function.type == "dynamic_cast" or self.text(function).startswith("dynamic_cast"):
            raise self.refused("dynamic_cast", node, "there are no virtual classes in kernels")
        named = self._named_type(function)
        if named is not None:
            return self._functional_cast(named, arguments, node)
        if self.text(function) == "assert":
            return self._assert(arguments, node)
        called = self.evaluate(function)
        results = [self._argument(argument) for argument in arguments]
        if isinstance(called, FunctionValue):
            return self.call(called, results, node)
        value = self.read(called, self.span(node))
        if isinstance(value, StructValue):
            return self._object_called(called, results, node)
        if isinstance(value, NumberValue) and isinstance(bare(value.type), Pointer):
            return self._call_pointer(value, results, node)
        raise self.wrong(f"`{self.text(function)}` is not a function", node)

    def _argument(self, node: Node) -> Result:
        if node.type == "initializer_list":
            raise self.refused("`{…}` as an argument", node, "name its type: T{…}")
        return self.evaluate(node)

    def _named_cast(self, function: Node, arguments: list[Node], node: Node) -> Result:
        kind, given = self.text(child_of(function, "name")), child_of(function, "arguments")
        described = [child for child in given.named_children if child.type == "type_descriptor"]
        if len(described) != 1 or not arguments:
            raise self.wrong(f"{kind} takes one type and one value: {kind}<T>(x)", node)
        for ignored in arguments[:-1]:
            self.discard(ignored)
        return self.named_cast(kind, self.described(described[0]), arguments[-1], node)

    def _named_type(self, node: Node) -> CType | None:
        """The type, where what is called is one: `float(x)`."""
        if node.type in ("primitive_type", "sized_type_specifier", "template_type"):
            return self.named(node)
        if node.type == "template_function" and not isinstance(
            self.scope.find(self.text(child_of(node, "name"))), Template
        ):
            return None
        found = self.meaning(node) if node.type in NAMES else None
        return found.type if isinstance(found, TypeName) else None

    def _functional_cast(self, type_: CType, arguments: list[Node], node: Node) -> Result:
        inner = bare(type_)
        if isinstance(inner, Struct):
            return self.constructed(inner, [self.value(argument) for argument in arguments], node)
        if not arguments:
            return VoidValue(inner) if isinstance(inner, types.Void) else self.zero(inner)
        if len(arguments) > 1:
            raise self.wrong(f"`{type_}` takes one value", node)
        return self.cast_to(type_, arguments[0], node)

    def _assert(self, arguments: list[Node], node: Node) -> Value:
        """Threads for which the condition does not hold end the launch with an error."""
        if len(arguments) != 1:
            raise self.wrong("assert takes one condition", node)
        span = self.span(node)
        text = f"Assertion `{self.text(arguments[0])}` failed"
        flow.insisted(self.site(span), partial(self.condition, arguments[0]), text)
        return VoidValue(VOID)

    # overloads --------------------------------------------------------------------------------------------

    # bodies -----------------------------------------------------------------------------------------------

    # objects ----------------------------------------------------------------------------------------------

    # operators --------------------------------------------------------------------------------------------

    # pointers to functions --------------------------------------------------------------------------------

    def decayed(self, value: Value, node: Node, wanted: CType | None = None) -> Value:
        """A function as a pointer to it: its number, counted from 1."""
        if not isinstance(value, FunctionValue):
            return value
        candidates = list[Function]()
        for candidate in value.overloads:
            found: Any = candidate
            if isinstance(candidate, Template):
                found = None
                if value.arguments is not None:
                    found = self.deduced(candidate, value.arguments, [], node) or self.function_instance(
                        candidate, value.arguments, node
                    )
            if isinstance(found, Function) and (wanted is None or function_type(found) == wanted):
                candidates.append(found)
        if len(candidates) != 1 or candidates[0].owner is not None:
            hint = "only a function of this text can be pointed to"
            raise self.wrong(f"`{value.name}` does not name one function", node, hint)
        function = self.unit.definition(candidates[0])
        self._check_callable(function, node)
        pointer = Pointer(function_type(function))
        return NumberValue(pointer, Constant(self.unit.number_of(function), U64))

    def argument_number(self, node: Node) -> Any:
        """A number as a template argument, or that of a function."""
        kind = {"type_identifier": self._identifier}.get(node.type, self.evaluate)
        if node.type in ("type_identifier", *NAMES):
            result = kind(node)
            if isinstance(result, FunctionValue):
                result = self.decayed(result, node)
            if isinstance(result, NumberValue) and isinstance(result.operand, Constant):
                return result.operand.value
            hint = "template arguments are constants, or types"
            raise self.wrong(f"`{self.text(node)}` is not known while compiling", node, hint)
        return Placeholder(self.text(node)) if self._depends(node) else self.constant(node)

    def _depends(self, node: Node) -> bool:
        """Does a value wait for a template argument, as that of `N + M` or `sizeof(T)`?"""
        if node.type in ("identifier", "type_identifier"):
            found = self.scope.find(self.text(node))
            return isinstance(found.type if isinstance(found, TypeName) else found, Placeholder)
        return any(self._depends(child) for child in node.named_children)

    def _call_pointer(self, pointer: NumberValue, results: Sequence[Result], node: Node) -> Result:
        """Where the function is known its body stands here, else one body for each that it may be."""
        type_ = bare(pointer.type)
        assert isinstance(type_, Pointer)
        target = bare(type_.target)
        assert isinstance(target, FunctionType)
        table, span = self.unit.functions, self.span(node)
        if isinstance(pointer.operand, Constant):
            number = pointer.operand.value
            if not 1 <= number <= len(table):
                raise self.wrong("a pointer to no function is called", node)
            return self._call_known(table[number - 1], results, node)
        self.builder.hold(pointer.operand)
        candidates = [(number, f) for number, f in enumerate(table, 1) if function_type(f) == target]
        if not candidates:
            raise self.wrong(f"no function of type `{target}` was assigned to the pointer", node)
        self.unit.dispatched = True
        results = [
            result if isinstance(type_, Reference) or not is_place(result) else self.read(result, span)
            for result, type_ in zip(results, target.parameters, strict=False)
        ]
        place, join = None, self.builder.label()
        if not isinstance(bare(target.result), types.Void):
            place = self.variable("called", bare(target.result), (self.frame.path, node.start_byte, "called"))
        for number, function in candidates:
            here, following = self.builder.label(), self.builder.label()
            wanted = Constant(number, U64)
            same = self.builder.value(Opcode.EQ, U64, (pointer.operand, wanted), span, result=PRED)
            self.builder.branch(same, here, following, span)
            self.builder.place(here, span)
            value = self.read(self._call_known(function, results, node), span)
            if place is not None:
                self.write(place, self.converted(value, place.type, node), span)
            self.builder.end(Jump(join, span))
            self.builder.place(following, span)
        flow.trapped(self.site(span), "a pointer to no function was called")
        self.builder.end(Return(span, join))
        self.builder.place(join, span)
        return VoidValue(VOID) if place is None else self.read(place, span)

    def _call_known(self, function: Function, results: Sequence[Result], node: Node) -> Result:
        return self.call(FunctionValue(function.name, (function,)), results, node)
