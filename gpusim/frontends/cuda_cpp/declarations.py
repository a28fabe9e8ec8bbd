"""What does a text declare outside of functions? Functions, variables of the device, types, namespaces.

Code for the host is not compiled: its functions and variables are known by name only, so that a kernel that
uses one can be told so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.errors import GpuSimError
from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.layout import leaves, scalar_of
from gpusim.frontends.cuda_cpp.scope import (
    Broken,
    DynamicShared,
    Function,
    HostVariable,
    Overloads,
    Scope,
    Symbol,
    Template,
)
from gpusim.frontends.cuda_cpp.statements import Statements
from gpusim.frontends.cuda_cpp.syntax import child_of, entries
from gpusim.frontends.cuda_cpp.types import Array, CType, FunctionType, Struct, bare, is_const
from gpusim.frontends.cuda_cpp.values import NumberValue, PointerValue, StructValue, TextValue, Value
from gpusim.ir.instructions import Constant
from gpusim.ir.types import Space

if TYPE_CHECKING:
    from tree_sitter import Node

DEVICE = {"__device__", "__global__", "constexpr", "consteval"}
TYPES = (
    "struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "type_definition",
    "alias_declaration",
)  # fmt: skip
VARIABLES = {"__device__": Space.GLOBAL, "__managed__": Space.GLOBAL, "__constant__": Space.CONSTANT}


class Declarations(Statements):
    """Reads a whole text, once."""

    def read_all(self, node: Node) -> None:
        """Declare everything that stands in a file or namespace."""
        for child in node.named_children:
            method = getattr(self, f"_top_{child.type}", None)
            if method is not None:
                method(child)
            elif child.type in TYPES:
                self._type(child)
            elif child.type.endswith("_statement"):
                if child.named_children:
                    hint = "is a brace too many before it?"
                    raise self.wrong("a statement outside of a function", child, hint)
            else:
                self.statement(child)

    def _type(self, node: Node) -> None:
        try:
            self.statement(node)
        except GpuSimError as error:
            if not self.unit.has_host_code:
                raise
            for name_node in [node.child_by_field_name("name"), *node.children_by_field_name("declarator")]:
                if name_node is not None:
                    self.scope.names[self.text(name_node)] = Broken(error)

    def _top_namespace_definition(self, node: Node) -> None:
        name_node, body = node.child_by_field_name("name"), child_of(node, "body")
        around = self.scope
        names = [] if name_node is None else self.text(name_node).replace(" ", "").split("::")
        for name in names:
            inner = self.scope.names.get(name)
            if not isinstance(inner, Scope):
                inner = self.scope.names[name] = Scope(self.scope)
                inner.title = f"{self.scope.title}{name}::"
            self.scope = inner
        self.read_all(body)
        self.scope = around

    def _top_linkage_specification(self, node: Node) -> None:
        body = child_of(node, "body")
        if body.type == "declaration_list":
            self.read_all(body)
        else:
            self.read_all(node)

    def _top_string_literal(self, _node: Node) -> None:
        """The "C" of `extern "C"`."""

    def _top_template_instantiation(self, _node: Node) -> None:
        """`template __global__ void k<float>(float*);` makes nothing here: each launch names its instance."""

    def _top_import_declaration(self, node: Node) -> None:
        raise self.refused("`import`", node)

    # functions --------------------------------------------------------------------------------------------

    def _top_function_definition(self, node: Node) -> None:
        self._declare_function(node)

    def _declare_function(self, node: Node) -> None:
        words = self.qualifiers(node)
        name = self._name_of(node)
        if not words & DEVICE and "::" not in name:
            if name == "main":
                self.unit.has_main = True
            source = self.unit.source
            host = Function(name, node, self.scope, source, types.VOID, (), words)
            self.scope.names.setdefault(name, Overloads(name))
            found = self.scope.names[name]
            if isinstance(found, Overloads):
                found.functions.append(host)
            return
        made = self.function(node, self.scope)
        if made is None:
            raise self.wrong("neither a function nor a variable is declared here", node)
        function, declared = made
        if declared.node.type == "qualified_identifier":
            self._define_method(function, declared.node)
            return
        if {"__global__", "__device__"} <= words or {"__global__", "__host__"} <= words:
            raise self.wrong(f"the kernel `{function.name}` cannot also be a function to call", node)
        if function.is_kernel and not isinstance(function.result, types.Void):
            raise self.wrong(
                f"the kernel `{function.name}` returns `{function.result}`", node, "kernels return void"
            )
        if declared.node.type == "template_function":
            self._specialise(function, declared.node, node)
            return
        self._add(function.name.replace("operator ", "operator"), function, node)

    def _name_of(self, node: Node) -> str:
        """The name that a declaration declares, by its syntax alone."""
        inner = node.child_by_field_name("declarator")
        while inner is not None and inner.child_by_field_name("declarator") is not None:
            inner = inner.child_by_field_name("declarator")
        while inner is not None and inner.type in ("reference_declarator", "parenthesized_declarator"):
            inner = inner.named_children[-1]
            while inner.child_by_field_name("declarator") is not None:
                inner = inner.child_by_field_name("declarator") or inner
        return "" if inner is None else self.text(inner)

    def _add(self, name: str, function: Function | Template, node: Node) -> None:
        found = self.scope.names.setdefault(name, Overloads(name))
        if not isinstance(found, Overloads):
            raise self.wrong(f"`{name}` is declared twice, and not as a function before", node)
        if isinstance(function, Function):
            types_ = [types.without_const(parameter.type) for parameter in function.parameters]
            for index, known in enumerate(found.functions):
                if not isinstance(known, Function) or [
                    types.without_const(parameter.type) for parameter in known.parameters
                ] != types_ or not known.on_device:  # fmt: skip
                    continue
                if known.body is not None and function.body is not None:
                    raise self.wrong(
                        f"`{name}` is defined twice", node, "rename one, or change its parameters"
                    )
                if known.body is None:
                    function.parameters = tuple(
                        new if new.default is not None else type(new)(new.name, new.type, old.default)
                        for new, old in zip(function.parameters, known.parameters, strict=True)
                    )
                    found.functions[index] = function
                return
            if function.is_kernel:
                self.unit.kernel_names.append(self.scope.title + name)
        found.functions.append(function)

    def _define_method(self, function: Function, name: Node) -> None:
        """`float P::length() const { … }`."""
        outer, inner = child_of(name, "scope"), child_of(name, "name")
        struct = bare(self.named(outer))
        found = (
            struct.members.get(self.text(inner).replace("operator ", "operator"))
            if isinstance(struct, Struct)
            else None
        )
        if isinstance(struct, Struct) and self.text(inner) == struct.name:
            found = struct.members.get("(constructor)")
        for known in found.functions if isinstance(found, Overloads) else []:
            if isinstance(known, Function) and len(known.parameters) == len(function.parameters):
                known.body, known.node, known.source = function.body, function.node, function.source
                known.initializers = function.initializers
                known.parameters = tuple(
                    type(new)(new.name, new.type, old.default)
                    for new, old in zip(function.parameters, known.parameters, strict=True)
                )
                return
        raise self.wrong(f"`{self.text(name)}` is not declared in its struct", name)

    def _specialise(self, function: Function, name: Node, node: Node) -> None:
        """`template <> __device__ float f<float>(float x)`."""
        short = self.text(child_of(name, "name"))
        found = self.scope.names.get(short)
        for template in found.functions if isinstance(found, Overloads) else []:
            if isinstance(template, Template):
                template.specialisations.append(((), child_of(name, "arguments"), node, self.scope))
                return
        raise self.wrong(f"there is no template `{short}` to specialise", name)

    def _top_template_declaration(self, node: Node) -> None:
        listed = next(c for c in node.named_children if c.type == "template_parameter_list")
        inner = node.named_children[-1]
        if inner.type == "declaration" and inner.child_by_field_name("declarator") is None:
            inner = child_of(inner, "type")
        parameters = self.template_parameters(listed)
        if inner.type in ("struct_specifier", "class_specifier", "union_specifier"):
            self._struct_template(inner, parameters)
        elif inner.type == "alias_declaration":
            name = self.text(child_of(inner, "name"))
            self.scope.names[name] = Template(name, inner, parameters, self.scope)
        elif not parameters:
            self._declare_function(inner)
        elif inner.type in ("function_definition", "declaration"):
            self._function_template(inner, parameters)
        else:
            raise self.refused(f"a template of `{self.text(inner)[:30]}`", inner)

    def _struct_template(self, node: Node, parameters: Any) -> None:
        name_node = child_of(node, "name")
        if name_node.type == "template_type":
            known = self.scope.find(self.text(child_of(name_node, "name")))
            if not isinstance(known, Template):
                raise self.wrong(f"there is no template `{self.text(name_node)}` to specialise", name_node)
            known.specialisations.append((parameters, child_of(name_node, "arguments"), node, self.scope))
            return
        name, known = self.text(name_node), self.scope.names.get(self.text(name_node))
        if isinstance(known, Template):
            if node.child_by_field_name("body") is not None:
                known.node, known.parameters = node, _with_defaults(parameters, known.parameters)
            return
        self.scope.names[name] = Template(name, node, parameters, self.scope)

    def _function_template(self, node: Node, parameters: Any) -> None:
        name = self._name_of(node)
        if "::" in name:
            raise self.refused(
                "a method of a template defined outside of it", node, "define it inside the struct"
            )
        if node.type == "declaration" and not any(
            child.type.endswith("declarator") for child in node.named_children
        ):
            raise self.refused("a variable template", node, "use a constexpr function template")
        template = Template(name, node, parameters, self.scope)
        found = self.scope.names.setdefault(name, Overloads(name))
        if not isinstance(found, Overloads):
            raise self.wrong(f"`{name}` is declared twice, and not as a function before", node)
        for index, known in enumerate(found.functions):
            same = isinstance(known, Template) and len(known.parameters) == len(parameters)
            if same and isinstance(known, Template) and known.node.child_by_field_name("body") is None:
                template.parameters = _with_defaults(parameters, known.parameters)
                found.functions[index] = template
                return
        found.functions.append(template)
        if "__global__" in self.qualifiers(node):
            self.unit.kernel_names.append(self.scope.title + name)

    # variables --------------------------------------------------------------------------------------------

    def _top_declaration(self, node: Node) -> None:
        words = self.qualifiers(node)
        declarators = node.children_by_field_name("declarator")
        if any(self._is_function(declarator) for declarator in declarators):
            self._declare_function(node)
            return
        if "__shared__" in words:
            if "extern" not in words:
                raise self.wrong("`__shared__` variables stand inside of functions", node)
            self._extern_shared(node)
            return
        if words & VARIABLES.keys():
            for declarator in declarators:
                self._device_variable(declarator, node, words)
            return
        for declarator in declarators:
            self._host_variable(declarator, node, words)

    def _is_function(self, node: Node | None) -> bool:
        while node is not None and node.type in (
            "pointer_declarator",
            "reference_declarator",
            "init_declarator",
        ):
            if node.type == "init_declarator":
                return False
            node = node.child_by_field_name("declarator") or node.named_children[-1]
        if node is None or node.type != "function_declarator":
            return False
        inner = node.child_by_field_name("declarator")
        return inner is not None and inner.type != "parenthesized_declarator"

    def _extern_shared(self, node: Node) -> None:
        for declarator in node.children_by_field_name("declarator"):
            declared = self.declared(declarator, self.specified(node))
            self.scope.names[declared.name] = DynamicShared(declared.name, declared.type)

    def _device_variable(self, declarator: Node, node: Node, words: frozenset[str]) -> None:
        declared = self.declared(declarator, self.specified(node))
        type_, name = declared.type, declared.name
        value = declarator.child_by_field_name("value")
        if isinstance(type_, FunctionType):
            raise self.wrong(f"`{name}` is declared as a function", declarator)
        if isinstance(type_, Array) and type_.length is None:
            if value is None:
                raise self.wrong(f"`{name}` has no length", declared.node)
            type_ = self.complete_array(type_, value)
        known = self.scope.names.get(name)
        if known is not None and not (isinstance(known, Symbol) and "extern" in words):
            raise self.wrong(f"`{name}` is declared twice", declared.node)
        struct = bare(type_)
        if isinstance(struct, Struct) and struct.fields is None:
            raise self.wrong(f"`{struct.name}` is declared, but not defined", declared.node)
        initial = None if value is None else self.initial_bytes(type_, value)
        space = Space.CONSTANT if "__constant__" in words else Space.GLOBAL
        symbol = Symbol(name, type_, space, initial, "__managed__" in words)
        if initial is not None and "constexpr" in words and not isinstance(type_, Array):
            self.scope.names[name] = self.known_value(type_, value)  # type: ignore[arg-type]
            return
        self.scope.names[name] = symbol
        self.unit.symbols[self.scope.title + name] = symbol
        symbol.name = self.scope.title + name

    def _host_variable(self, declarator: Node, node: Node, words: frozenset[str]) -> None:
        """A constant of the host may be used by kernels, if its value is known while compiling."""
        value = declarator.child_by_field_name("value")
        name = (
            self._name_of(node)
            if len(node.children_by_field_name("declarator")) == 1
            else self._plain(declarator)
        )
        try:
            declared = self.declared(declarator, self.specified(node))
            name = declared.name
            if value is not None and is_const(declared.type):
                if isinstance(declared.type, Array):
                    self._constant_table(declared.type, name, value, words)
                    return
                known = self.known_value(declared.type, value)
                if known is not None:
                    self.scope.names[name] = known
                    return
        except GpuSimError:
            if "constexpr" in words or not self.unit.has_host_code:
                raise
        self.scope.names[name] = HostVariable(name)

    def known_value(self, type_: CType, node: Node) -> Value | None:
        """The value of an initializer that is known while compiling."""
        scalar = scalar_of(type_)
        if scalar is not None and node.type not in ("initializer_list", "argument_list"):
            number = self.known_number(node)
            return None if number is None else NumberValue(bare(type_), fold.constant(number, scalar))
        value = self._first_value(type_, node)
        return value if _is_known(value) else None

    def _plain(self, declarator: Node) -> str:
        inner = declarator
        while (further := inner.child_by_field_name("declarator")) is not None:
            inner = further
        return self.text(inner)

    def _constant_table(self, type_: Array, name: str, value: Node, words: frozenset[str]) -> None:
        """`constexpr int table[] = {…}` is in constant memory where kernels index it."""
        full = self.complete_array(type_, value)
        if "constexpr" not in words:
            self.scope.names[name] = HostVariable(name)
            return
        symbol = Symbol(name, full, Space.CONSTANT, self.initial_bytes(full, value))
        self.scope.names[name] = self.unit.symbols[name] = symbol

    # initial values ---------------------------------------------------------------------------------------

    def initial_bytes(self, type_: CType, node: Node) -> bytes:
        """What a variable of the device holds before anybody writes to it."""
        data = bytearray(type_.size)
        self._put(data, 0, type_, node)
        return bytes(data)

    def _put(self, data: bytearray, offset: int, type_: CType, node: Node) -> None:
        inner = bare(type_)
        if isinstance(inner, Array):
            if "string" in node.type:
                text = self.value(node)
                assert isinstance(text, TextValue)
                letters = text.text.encode("latin-1")[: inner.length]
                data[offset : offset + len(letters)] = letters
                return
            items = entries(node)
            if len(items) > (inner.length or 0):
                raise self.wrong(f"{len(items)} values for {inner.length} elements", items[inner.length or 0])
            for position, item in enumerate(items):
                self._put(data, offset + position * inner.element.size, inner.element, item)
            return
        if isinstance(inner, Struct) and node.type == "initializer_list" and not self.has_constructor(inner):
            for member, item in zip(inner.fields or (), entries(node), strict=False):
                self._put(data, offset + member.offset, member.type, item)
            return
        value = self.known_value(inner, node) or self._first_value(inner, node)
        parts = value.leaves if isinstance(value, StructValue) else (value,)
        for leaf, part in zip(leaves(inner), parts, strict=True):
            raw = self._raw(part, leaf.type, node)
            data[offset + leaf.offset : offset + leaf.offset + len(raw)] = raw

    def _raw(self, value: Value, type_: CType, node: Node) -> bytes:
        if isinstance(value, PointerValue) and value.address.is_null:
            return bytes(8)
        scalar = scalar_of(type_)
        if isinstance(value, NumberValue) and isinstance(value.operand, Constant) and scalar is not None:
            return np.asarray(value.operand.value).astype(scalar.dtype).tobytes()
        hint = "set it from the host" if isinstance(value, PointerValue) else "use constants"
        raise self.wrong(f"`{self.text(node)}` is not known while compiling", node, hint)


def _with_defaults(new: Any, old: Any) -> Any:
    return tuple(
        one if one.default is not None else type(one)(one.name, one.type, other.default, one.variadic)
        for one, other in zip(new, old, strict=True)
    )


def _is_known(value: Value) -> bool:
    parts = value.leaves if isinstance(value, StructValue) else (value,)
    return all(isinstance(part, NumberValue) and isinstance(part.operand, Constant) for part in parts)
