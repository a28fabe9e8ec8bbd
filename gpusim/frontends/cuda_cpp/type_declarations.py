"""What do `typedef`, `using`, `struct` and `static_assert` declare?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.literals import unescaped
from gpusim.frontends.cuda_cpp.scope import Scope, TypeName
from gpusim.frontends.cuda_cpp.syntax import child_of
from gpusim.frontends.cuda_cpp.types import Struct, bare

if TYPE_CHECKING:
    from tree_sitter import Node
from gpusim.frontends.cuda_cpp.variables import Variables


class TypeDeclarations(Variables):
    """Declarations of types and names."""

    def statement(self, node: Node) -> None:
        """Lower one statement; see `Statements`."""
        raise NotImplementedError

    def declare_type(self, node: Node) -> None:
        """`typedef`, `using name = type`, `using namespace`, `using a::b`."""
        self.statement(node)

    def _type_definition(self, node: Node) -> None:
        type_ = self.specified(node)
        for declarator in node.children_by_field_name("declarator"):
            declared = self.declared(declarator, type_)
            inner = bare(declared.type)
            if isinstance(inner, Struct | types.Enumeration) and inner.name == "(unnamed)":
                if isinstance(inner, Struct):
                    inner.name = declared.name
                else:
                    object.__setattr__(inner, "name", declared.name)
            self.scope.names[declared.name] = TypeName(declared.type)

    def _alias_declaration(self, node: Node) -> None:
        self.scope.names[self.text(child_of(node, "name"))] = TypeName(self.described(child_of(node, "type")))

    def _using_declaration(self, node: Node) -> None:
        name = next(child for child in node.named_children if child.type != "comment")
        if self.text(name).split("::")[0].strip() in ("std", "cooperative_groups", "nvcuda"):
            return
        found = self.meaning(name)
        if isinstance(found, Scope):
            self.scope.used.append(found)
        elif found is None:
            raise self.wrong(f"`{self.text(name)}` is not declared", name)
        else:
            self.scope.names[self.text(name).rpartition("::")[2]] = found

    def _namespace_alias_definition(self, node: Node) -> None:
        name, target = child_of(node, "name"), node.named_children[-1]
        found = self.meaning(target)
        if isinstance(found, Scope):
            self.scope.names[self.text(name)] = found
        elif self.text(target) not in ("cooperative_groups", "std"):
            raise self.wrong(f"`{self.text(target)}` is not a namespace", target)

    def _struct_specifier(self, node: Node) -> None:
        self.named(node)

    _class_specifier = _union_specifier = _enum_specifier = _struct_specifier

    def _static_assert_declaration(self, node: Node) -> None:
        self.check_static_assert(node)

    def check_static_assert(self, node: Node) -> None:
        """`static_assert(condition, "why")`."""
        condition, message = child_of(node, "condition"), node.child_by_field_name("message")
        if not self.constant(condition):
            why = f": {unescaped(self.text(message))}" if message is not None else ""
            raise self.wrong(f"static_assert does not hold{why}", condition)

    def _function_definition(self, node: Node) -> None:
        raise self.wrong("a function is defined inside another one", node, "is a brace missing before it?")

    def _template_declaration(self, node: Node) -> None:
        raise self.wrong("a template is declared inside a function", node, "move it out")
