"""What does `struct`, `union` or `enum` define? Members at their places, methods, constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.scope import Function, Overloads, Scope, Template, TypeName
from gpusim.frontends.cuda_cpp.templates import Templates
from gpusim.frontends.cuda_cpp.types import INT, CType, Enumeration, Number, Pointer, Reference, Struct, bare
from gpusim.frontends.cuda_cpp.values import NumberValue

if TYPE_CHECKING:
    from tree_sitter import Node

CONSTRUCTOR = "(constructor)"
DEFAULTED = "(default constructor)"  # `P() = default;` beside other constructors


class Structs(Templates):
    """Types that the text defines."""

    def defined_struct(self, node: Node) -> CType:
        """The struct that a specifier names, and defines if it has a body."""
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        name = "" if name_node is None else self.text(name_node)
        if name_node is not None and name_node.type == "template_type":
            return self.named(name_node)
        if body is None:
            found = self.scope.find(name)
            if isinstance(found, TypeName):
                return found.type
            if isinstance(found, Template):
                raise self.wrong(f"`{name}` is a template", node, f"give its arguments: {name}<…>")
            declared = Struct(name, node.type == "union_specifier")
            self.scope.names[name] = TypeName(declared)
            return declared
        known = self.scope.names.get(name)
        struct = known.type if isinstance(known, TypeName) and isinstance(known.type, Struct) else None
        if struct is not None and struct.fields is not None:
            raise self.wrong(f"`{name}` is defined twice", node)
        if struct is None:
            struct = Struct(name or "(unnamed)", node.type == "union_specifier")
            if name:
                self.scope.names[name] = TypeName(struct)
        self.fill_struct(struct, node)
        return struct

    def fill_struct(self, struct: Struct, node: Node) -> None:
        """Read the members of a struct."""
        body = node.child_by_field_name("body")
        if body is None:
            return
        alignment = 1
        for child in node.named_children:
            if child.type == "alignas_qualifier":
                alignment, struct.wide = max(alignment, self.constant(child.named_children[0])), True
            elif child.type == "attribute_specifier":
                alignment = max(alignment, self.attribute_alignment(child))
                struct.wide |= alignment > 1
            elif child.type == "base_class_clause":
                struct.bases = [
                    self._base(base) for base in child.named_children if base.type != "access_specifier"
                ]
            elif child.type == "virtual_specifier" and self.text(child) != "final":
                raise self.refused("a virtual class", child)
        inside = Scope(self.scope, struct)
        around, self.scope = self.scope, inside
        members: list[tuple[str, CType]] = []
        methods: list[Node] = []
        try:
            for child in body.named_children:
                self._member(struct, child, members, methods, inside)
        finally:
            self.scope = around
        struct.complete(members, alignment)
        self._read_methods(struct, methods, inside)

    def attribute_alignment(self, node: Node) -> int:
        """16 of `__attribute__((aligned(16)))`; 1 where the attribute says nothing of alignment."""
        for inner in node.named_children[0].named_children:
            name, given = inner.child_by_field_name("function"), inner.child_by_field_name("arguments")
            if inner.type == "call_expression" and name is not None and given is not None:
                if self.text(name).strip("_") == "aligned":
                    return int(self.constant(given.named_children[0]))
            elif self.text(inner).strip("_") == "packed":
                raise self.refused("a packed struct", node, "order its members by size, and no gap is left")
        return 1

    def _base(self, node: Node) -> Struct:
        base = bare(self.named(node))
        if not isinstance(base, Struct) or base.fields is None:
            raise self.wrong(f"`{self.text(node)}` is no defined struct", node)
        return base

    def _member(
        self, struct: Struct, node: Node, members: list[tuple[str, CType]], methods: list[Node], inside: Scope
    ) -> None:
        match node.type:
            case "comment" | "access_specifier" | "empty_statement":
                return
            case "field_declaration":
                self._fields(struct, node, members, methods)
            case "function_definition" | "declaration":
                methods.append(node)
            case "type_definition" | "alias_declaration" | "using_declaration":
                self.declare_type(node)
                struct.members.update(inside.names)
            case "template_declaration":
                self._method_template(struct, node, inside)
            case "static_assert_declaration":
                self.check_static_assert(node)
            case "friend_declaration":
                if any(child.type == "function_definition" for child in node.named_children):
                    raise self.refused(
                        "a friend function defined in the struct", node, "define it behind the struct"
                    )
            case _:
                raise self.refused(f"`{self.text(node)[:30]}` in a struct", node)

    def declare_type(self, node: Node) -> None:
        """`typedef` or `using`; see `Statements`."""
        raise NotImplementedError

    def check_static_assert(self, node: Node) -> None:
        """`static_assert`; see `Statements`."""
        raise NotImplementedError

    def _fields(
        self, struct: Struct, node: Node, members: list[tuple[str, CType]], methods: list[Node]
    ) -> None:
        if any(child.type == "bitfield_clause" for child in node.named_children):
            raise self.refused("a bit-field", node, "shift and mask an integer")
        words = self.qualifiers(node)
        if "virtual" in words:
            raise self.refused("a virtual method", node, "use a template, or a switch")
        type_ = self.specified(node)
        struct.members.update(self.scope.names)  # `struct Inner { … } inner;` names a type, too
        alignment = [c for c in node.named_children if c.type == "type_qualifier" and c.named_children]
        if alignment and alignment[0].named_children[0].type == "alignas_qualifier":
            raise self.refused("`alignas` on a member", node, "put it on the struct")
        declarators = node.children_by_field_name("declarator")
        default = node.child_by_field_name("default_value")
        if not declarators:
            inner = bare(type_)
            if isinstance(inner, Struct) and inner.name == "(unnamed)":
                members.append(("", type_))
            return
        for declarator in declarators:
            declared = self.declared(declarator, type_)
            if declared.function is not None:
                methods.append(node)
                return
            if isinstance(declared.type, Reference):
                raise self.refused("a member that is a reference", declarator, "make it a pointer")
            if "static" in words or "constexpr" in words:
                if default is None:
                    raise self.refused("a static member without a value", declarator, "make it constexpr")
                value = self.initial(declared.type, default)
                struct.members[declared.name] = self.scope.names[declared.name] = value
                continue
            if any(name == declared.name for name, _ in members):
                raise self.wrong(f"`{declared.name}` is a member twice", declarator)
            inner = bare(declared.type)
            if isinstance(inner, Struct) and inner.fields is None:
                raise self.wrong(
                    f"`{inner.name}` is not complete here", declarator, "a pointer to it would be possible"
                )
            members.append((declared.name, declared.type))
            if default is not None:
                struct.defaults[declared.name] = default

    def _method_template(self, struct: Struct, node: Node, inside: Scope) -> None:
        parameters = next(c for c in node.named_children if c.type == "template_parameter_list")
        inner = node.named_children[-1]
        declarator = inner.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator") or declarator.named_children[-1]
        assert declarator is not None
        name_node = declarator.child_by_field_name("declarator")
        assert name_node is not None
        name = self.text(name_node).replace("operator ", "operator")
        if inner.child_by_field_name("type") is None:
            name = CONSTRUCTOR
        template = Template(name, inner, self.template_parameters(parameters), inside)
        overloads = struct.members.setdefault(name, Overloads(name))
        overloads.functions.append(template)

    def _read_methods(self, struct: Struct, methods: list[Node], inside: Scope) -> None:
        """Methods may name members that stand behind them."""
        short = struct.name.partition("<")[0]
        for node in methods:
            words = self.qualifiers(node)
            kinds = {child.type for child in node.named_children}
            if "virtual" in words or "virtual" in kinds:
                raise self.refused("a virtual method", node, "use a template, or a switch")
            if kinds & {"default_method_clause", "delete_method_clause"}:
                text = "".join(self.text(node).split())
                if text.partition("=")[0].endswith(f"{short}()") and "default" in text and "~" not in text:
                    struct.members[DEFAULTED] = True
                continue
            declarator = node.child_by_field_name("declarator")
            cast = _find(declarator, "operator_cast")
            if cast is not None:
                self._conversion(struct, node, cast, inside)
                continue
            made = self.function(node, inside, struct)
            if made is None:
                raise self.refused(f"`{self.text(node)[:30]}` in a struct", node)
            method, name = made[0], made[0].name.replace("operator ", "operator")
            if name.startswith("~"):
                if method.body is not None and method.body.named_children:
                    raise self.refused("a destructor", node, "objects of kernels need no clean-up")
                continue
            if node.child_by_field_name("type") is None and name == short:
                name = CONSTRUCTOR
            overloads = struct.members.setdefault(name, Overloads(name))
            overloads.functions.append(method)

    def _conversion(self, struct: Struct, node: Node, cast: Node, inside: Scope) -> None:
        """`operator bool() const { … }`, `operator T*()`."""
        around, self.scope = self.scope, inside
        type_, declarator = self.specified(cast), cast.child_by_field_name("declarator")
        self.scope = around
        while declarator is not None and declarator.type == "abstract_pointer_declarator":
            type_, declarator = Pointer(type_), declarator.child_by_field_name("declarator")
        body = node.child_by_field_name("body")
        source = self.excerpt(node, f"operator {type_}")
        method = Function(
            f"operator {type_}", node, inside, source, type_, (), self.qualifiers(node), body, struct
        )
        struct.members.setdefault("(conversions)", []).append(method)

    # enums ------------------------------------------------------------------------------------------------

    def defined_enum(self, node: Node) -> CType:
        """The enum that a specifier names, and defines if it has a body."""
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        name = "" if name_node is None else self.text(name_node)
        if body is None:
            found = self.scope.find(name)
            if isinstance(found, TypeName):
                return found.type
        base = node.child_by_field_name("base")
        scoped = any(child.type in ("class", "struct") for child in node.children)
        underlying = bare(self.named(base)) if base is not None else None
        counted, values = 0, dict[str, int]()
        inside = Scope(self.scope)
        around, self.scope = self.scope, inside
        for child in [] if body is None else body.named_children:
            if child.type != "enumerator":
                continue
            label, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            assert label is not None
            if self.text(label) in values:
                raise self.wrong(f"`{self.text(label)}` stands in the enum twice", label)
            counted = counted if value is None else int(self.constant(value))
            values[self.text(label)] = counted
            inside.names[self.text(label)] = NumberValue(INT, fold.constant(counted, INT.scalar))
            counted += 1
        self.scope = around
        if not isinstance(underlying, Number):
            fits = all(-(2**31) <= value < 2**31 for value in values.values())
            unsigned = all(0 <= value < 2**32 for value in values.values())
            underlying = INT if fits or scoped else types.UINT if unsigned else types.LONG
        made = Enumeration(name or "(unnamed)", underlying, scoped)
        constants = {
            label: NumberValue(made, fold.constant(value, underlying.scalar))
            for label, value in values.items()
        }
        self.unit.enumerators[made] = constants
        if name:
            self.scope.names[name] = TypeName(made)
        if not scoped:
            self.scope.names.update(constants)
        return made

    def enumerators(self, type_: Enumeration) -> dict[str, Any]:
        """The constants of an enum by name."""
        found: dict[str, Any] = self.unit.enumerators[type_]
        return found


def _find(node: Node | None, kind: str) -> Node | None:
    while node is not None and node.type != kind:
        node = node.child_by_field_name("declarator")
    return node
