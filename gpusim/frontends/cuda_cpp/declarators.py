"""Which type does a declaration name? Specifiers: `const unsigned int`; declarators: `(*p)[4]`."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpuSimError, KernelTypeError, UnsupportedConstruct
from gpusim.frontends.cuda_cpp import type_names, types
from gpusim.frontends.cuda_cpp.functions import refused_names
from gpusim.frontends.cuda_cpp.scope import (
    Parameter,
    Pending,
    Placeholder,
    Scope,
    Template,
    TypeName,
)
from gpusim.frontends.cuda_cpp.types import (
    Array,
    Const,
    CType,
    FunctionType,
    Number,
    Pointer,
    Reference,
    Struct,
    bare,
)
from gpusim.frontends.cuda_cpp.values import NumberValue, Result, Value
from gpusim.ir.instructions import Constant
from gpusim.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

    from gpusim.frontends.cuda_cpp.text.parser import Tree

NAMES = (
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "operator_name",
    "template_function", "destructor_name", "operator_cast", "namespace_identifier",
)  # fmt: skip


@dataclass(frozen=True)
class Auto(types.CType):
    """`auto`: the type of the initializer."""

    size: int = 1
    alignment: int = 1


@dataclass(frozen=True)
class Declared:
    """What a declarator declares: a name and its type, and the parameter list where it is a function."""

    name: str
    type: CType
    node: Node
    function: Node | None = None


class Declarators:
    """Types as the text writes them, in the current `scope`."""

    tree: Tree
    scope: Scope

    def span(self, node: Node) -> Span:
        """Where a piece of syntax stands."""
        return self.tree.span(node)

    def wrong(self, message: str, node: Node | Span, hint: str = "") -> KernelTypeError:
        """The program is wrong here."""
        return KernelTypeError(message, node if isinstance(node, Span) else self.span(node), hint)

    def refused(self, what: str, node: Node | Span, hint: str = "") -> UnsupportedConstruct:
        """The program is right, but what stands here is not for kernels."""
        span = node if isinstance(node, Span) else self.span(node)
        return UnsupportedConstruct(f"{what} is not supported in a kernel", span, hint)

    def unknown_name(self, message: str, node: Node, hint: str = "") -> GpuSimError:
        """Nobody declared a name; if C++ or CUDA has it and kernels have not, that is said."""
        advice = refused_names.advice(self.text(node))
        if advice is None:
            return self.wrong(message, node, hint)
        return self.refused(f"`{self.text(node)}`", node, advice)

    def text(self, node: Node) -> str:
        """The text of a piece of syntax."""
        return self.tree.text(node)

    def constant(self, node: Node) -> Any:
        """The value of an expression that is known while compiling; see `Expressions`."""
        raise NotImplementedError

    def value(self, node: Node) -> Value:
        """The value of an expression; see `Expressions`."""
        raise NotImplementedError

    def evaluate(self, node: Node) -> Result:
        """An expression; see `Expressions`."""
        raise NotImplementedError

    def defined_struct(self, node: Node) -> CType:
        """The struct that a specifier defines or names; see `Structs`."""
        raise NotImplementedError

    def defined_enum(self, node: Node) -> CType:
        """The enum that a specifier defines or names; see `Structs`."""
        raise NotImplementedError

    def instance(self, template: Template, arguments: tuple[Any, ...], node: Node) -> CType:
        """The struct or alias that a template gives for arguments; see `Templates`."""
        raise NotImplementedError

    # specifiers -------------------------------------------------------------------------------------------

    def specified(self, node: Node) -> CType:
        """The type before the declarators of a declaration, with its `const`."""
        given = node.child_by_field_name("type")
        if given is None:
            raise self.wrong("a type is missing here", node, "declare what it is, for example `int`")
        type_ = self.named(given)
        constant = any(
            child.type == "type_qualifier" and self.text(child) in ("const", "constexpr")
            for child in node.children
        )
        return types.constant(type_) if constant else type_

    def named(self, node: Node) -> CType:
        """The type that a specifier names."""
        match node.type:
            case "primitive_type" | "sized_type_specifier":
                words = self.text(node).split()
                type_ = type_names.SPECIFIERS.get(" ".join(sorted(words))) or type_names.TYPEDEFS.get(
                    words[0]
                )
                if type_ is None:
                    if "double" in words:
                        raise self.refused("`long double`", node, "GPUs compute in double at most")
                    raise self.wrong(f"`{' '.join(words)}` is not a type", node)
                return type_
            case "struct_specifier" | "class_specifier" | "union_specifier":
                return self.defined_struct(node)
            case "enum_specifier":
                return self.defined_enum(node)
            case "placeholder_type_specifier" | "auto":
                return Auto()
            case "dependent_type":
                return self.named(node.named_children[0])
            case "type_descriptor":
                return self.described(node)
            case "decltype":
                inner = [child for child in node.named_children if child.type not in ("auto",)]
                return bare(self.evaluate(inner[0]).type or types.VOID)
        found = self.meaning(node)
        if isinstance(found, TypeName):
            return found.type
        if isinstance(found, Template):
            raise self.wrong(f"`{found.name}` is a template", node, f"give its arguments: {found.name}<…>")
        name = self.text(node)
        if found is not None:
            raise self.wrong(f"`{name}` is not a type", node)
        known = [*type_names.TYPEDEFS, *type_names.VECTORS, *self.scope.visible()]
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean `{close[0]}`?" if close else "declare it before it is used"
        raise self.unknown_name(f"unknown type `{name}`", node, hint)

    def meaning(self, node: Node) -> Any:
        """What a name, perhaps with namespaces or template arguments, stands for; None if nothing."""
        match node.type:
            case "nested_namespace_specifier":
                space = self.scope
                for part in self.text(node).replace(" ", "").split("::"):
                    inner = space.find(part) if space is self.scope else space.own(part)
                    space = inner if isinstance(inner, Scope) else Scope()
                return space
            case "qualified_identifier":
                return self._qualified(node)
            case "template_type" | "template_function":
                name = node.child_by_field_name("name")
                assert name is not None
                simple = name.type in ("identifier", "type_identifier")
                template = self.scope.find(self.text(name)) if simple else self.meaning(name)
                given = node.child_by_field_name("arguments")
                assert given is not None
                if isinstance(template, Template):
                    return TypeName(self.instance(template, self.template_arguments(given), node))
                return template
        word = self.text(node)
        found = self.scope.find(word)
        if found is None:
            type_ = type_names.named_type(word)
            return None if type_ is None else TypeName(type_)
        if isinstance(found, Template):  # inside of a template's instance, its name is the instance
            for scope in self.scope.outwards():
                if scope.struct is not None and scope.struct.origin and scope.struct.origin[0] is found:
                    return TypeName(scope.struct)
        return found

    def _qualified(self, node: Node) -> Any:
        inner, outer = node.child_by_field_name("name"), node.child_by_field_name("scope")
        assert inner is not None
        if outer is None:  # ::name
            scope = list(self.scope.outwards())[-1]
        else:
            found: Any = self.meaning(outer)
            name = self.text(outer)
            if isinstance(found, TypeName) and isinstance(found.type, Placeholder | Pending):
                return TypeName(Placeholder(""))  # what it is depends on a template argument
            if found is None and name in ("std", "cuda", "nvcuda"):
                return self._in_scope(Scope(), inner) or self.library(inner)
            inside = self.scope_of(found)
            if inside is None:
                raise self.unknown_name(f"`{name}` is neither a namespace nor a struct", node)
            scope = inside
        return self._in_scope(scope, inner)

    def library(self, node: Node) -> Any:
        """What `std::name` stands for; see `Names`."""
        raise NotImplementedError

    def scope_of(self, found: Any) -> Scope | None:
        """The names inside a namespace, struct or scoped enum."""
        if isinstance(found, Scope):
            return found
        if isinstance(found, TypeName):
            inner = bare(found.type)
            if isinstance(inner, Struct):
                return Scope(None, inner)
            if isinstance(inner, types.Enumeration):
                names = Scope()
                names.names.update(self.enumerators(inner))
                return names
        return None

    def enumerators(self, type_: types.Enumeration) -> dict[str, Any]:
        """The constants of an enum by name; see `Structs`."""
        raise NotImplementedError

    def _in_scope(self, scope: Scope, node: Node) -> Any:
        if node.type in ("qualified_identifier", "template_type", "template_function", "dependent_name"):
            around, self.scope = self.scope, _Joined(scope, self.scope)
            try:
                return self.meaning(node)
            finally:
                self.scope = around
        return scope.own(self.text(node))

    def template_arguments(self, node: Node) -> tuple[Any, ...]:
        """What stands between < and >: types, and numbers known while compiling."""
        return tuple(
            self.template_argument(child) for child in node.named_children if child.type != "comment"
        )

    def template_argument(self, node: Node) -> Any:
        """One of them: a CType, a number, or a function."""
        if node.type == "type_descriptor":
            inner = node.child_by_field_name("type")
            plain = len(node.named_children) == 1 and inner is not None
            found = self.meaning(inner) if plain and inner is not None and inner.type in NAMES else None
            if found is None or isinstance(found, TypeName):
                return self.described(node)
            if isinstance(found, Placeholder):
                return found
            if isinstance(found, NumberValue) and isinstance(found.operand, Constant):
                return found.operand.value
            assert inner is not None
            return self.argument_number(inner)
        return self.argument_number(node)

    def argument_number(self, node: Node) -> Any:
        """A number as a template argument, or that of a function; see `Calls`."""
        raise NotImplementedError

    def described(self, node: Node) -> CType:
        """The type that a type_descriptor stands for: `const float*`."""
        type_ = self.specified(node)
        declarator = node.child_by_field_name("declarator")
        return type_ if declarator is None else self.declared(declarator, type_).type

    # declarators ------------------------------------------------------------------------------------------

    def declared(self, node: Node, type_: CType) -> Declared:
        """What a declarator makes of a type."""
        inner = node.child_by_field_name("declarator")
        match node.type:
            case "pointer_declarator" | "abstract_pointer_declarator" | "pointer_type_declarator":
                if isinstance(type_, Reference):
                    raise self.wrong("a pointer to a reference does not exist", node)
                pointer: CType = Pointer(type_)
                if any(
                    child.type == "type_qualifier" and self.text(child) == "const" for child in node.children
                ):
                    pointer = Const(pointer)
                return self._declared_inside(inner, pointer, node)
            case "reference_declarator" | "abstract_reference_declarator":
                names = node.named_children
                return self._declared_inside(names[-1] if names else None, Reference(type_), node)
            case "array_declarator" | "abstract_array_declarator":
                size = node.child_by_field_name("size")
                length = None if size is None else self._length(size)
                if isinstance(type_, Array) and type_.length is None:
                    raise self.wrong("only the first length of an array may be left out", node)
                if isinstance(type_, types.Void) or isinstance(bare(type_), FunctionType):
                    raise self.wrong(f"an array of {type_} does not exist", node)
                return self._declared_inside(inner, Array(type_, length), node)
            case "function_declarator" | "abstract_function_declarator":
                parameters = node.child_by_field_name("parameters")
                assert parameters is not None
                trailing = next((c for c in node.named_children if c.type == "trailing_return_type"), None)
                if trailing is not None:
                    type_ = self.described(trailing.named_children[0])
                given = self.parameter_list(parameters)
                function = FunctionType(type_, tuple(parameter.type for parameter in given))
                found = self._declared_inside(inner, function, node)
                if found.type is function:
                    return Declared(found.name, found.type, found.node, node)
                return found
            case "parenthesized_declarator" | "abstract_parenthesized_declarator":
                return self._declared_inside(node.named_children[-1], type_, node)
            case "variadic_declarator":
                return self._declared_inside(
                    node.named_children[-1] if node.named_children else None, type_, node
                )
            case "init_declarator":
                return self._declared_inside(inner, type_, node)
        if node.type == "structured_binding_declarator":
            raise self.refused("a structured binding", node, "name the members one by one")
        return Declared(self.text(node), type_, node)

    def _declared_inside(self, inner: Node | None, type_: CType, node: Node) -> Declared:
        return Declared("", type_, node) if inner is None else self.declared(inner, type_)

    def _length(self, node: Node) -> Any:
        if node.type == "identifier":
            found = self.scope.find(self.text(node))
            if isinstance(found, Placeholder):
                return found
        length = self.constant(node)
        if isinstance(length, Placeholder):
            return length
        if not isinstance(length, int) or length < 1:
            raise self.wrong(
                f"an array cannot have {length} elements", node, "its length is a positive whole number"
            )
        return int(length)

    def parameter_list(self, node: Node) -> tuple[Parameter, ...]:
        """The parameters of a function; arrays and functions become pointers."""
        found = list[Parameter]()
        if any(child.type == "..." for child in node.children):
            raise self.refused("a variable argument list", node, "declare the parameters")
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type not in (
                "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration",
            ):  # fmt: skip
                raise self.refused("a variable argument list", child, "declare the parameters")
            type_ = self.specified(child)
            declarator = child.child_by_field_name("declarator")
            name, place = "", child
            if declarator is not None:
                declared = self.declared(declarator, type_)
                name, type_, place = declared.name, declared.type, declared.node
            if isinstance(type_, types.Void):
                if len(node.named_children) == 1 and not name:
                    break
                raise self.wrong("a parameter of type void", place)
            if isinstance(type_, Array):
                type_ = Pointer(type_.element)
            elif isinstance(type_, FunctionType):
                type_ = Pointer(type_)
            default = child.child_by_field_name("default_value")
            if name and any(parameter.name == name for parameter in found):
                raise self.wrong(f"two parameters are called `{name}`", place)
            if default is None and found and found[-1].default is not None:
                raise self.wrong(f"`{name}` needs a default, like the parameter before it", place)
            found.append(Parameter(name, type_, default))
        return tuple(found)


class _Joined(Scope):
    """Names are looked up in one scope, but template arguments where the reader stands."""

    def __init__(self, first: Scope, around: Scope) -> None:
        super().__init__(around)
        self.first = first

    def own(self, name: str, seen: tuple[Scope, ...] = ()) -> Any:
        return self.first.own(name, seen)


def number_type(type_: CType) -> Number | None:
    """The arithmetic type that an object of this type computes as, if it does."""
    inner = bare(type_)
    if isinstance(inner, types.Enumeration):
        return None if inner.scoped else inner.underlying
    return inner if isinstance(inner, Number) else None
