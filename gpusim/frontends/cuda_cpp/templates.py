"""What does a template become? Its parameters are deduced, and the text is read again with them bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpusim.frontends import fold
from gpusim.frontends.cuda_cpp import types
from gpusim.frontends.cuda_cpp.declarators import Declared
from gpusim.frontends.cuda_cpp.initializers import Initializers
from gpusim.frontends.cuda_cpp.layout import scalar_of
from gpusim.frontends.cuda_cpp.scope import (
    CONST_METHOD,
    Function,
    Parameter,
    Pending,
    Placeholder,
    Scope,
    Template,
    TemplateParameter,
    TypeName,
)
from gpusim.frontends.cuda_cpp.types import (
    Array,
    Const,
    CType,
    FunctionType,
    Pointer,
    Reference,
    Struct,
    bare,
)
from gpusim.frontends.cuda_cpp.values import NumberValue
from gpusim.source import CPP, Source

if TYPE_CHECKING:
    from tree_sitter import Node

QUALIFIERS = (
    "__global__", "__device__", "__host__", "constexpr", "static", "inline", "virtual", "explicit", "friend",
    "extern", "const", "thread_local", "__forceinline__", "__noinline__", "consteval",
)  # fmt: skip


class Templates(Initializers):
    """Functions as declared, and templates with their arguments."""

    # functions --------------------------------------------------------------------------------------------

    def function(
        self, node: Node, scope: Scope, owner: Struct | None = None
    ) -> tuple[Function, Declared] | None:
        """The function that a definition or declaration declares, read in `scope`; None if it is none."""
        declarator = node.child_by_field_name("declarator")
        if declarator is None:
            return None
        around, self.scope = self.scope, scope
        try:
            type_ = types.VOID if node.child_by_field_name("type") is None else self.specified(node)
            declared = self.declared(declarator, type_)
            if declared.function is None or not isinstance(declared.type, FunctionType):
                return None
            parameters = declared.function.child_by_field_name("parameters")
            assert parameters is not None
            given = self.parameter_list(parameters)
        finally:
            self.scope = around
        source = self.excerpt(node, declared.name)
        body = node.child_by_field_name("body")
        initializers = next((c for c in node.named_children if c.type == "field_initializer_list"), None)
        words = self.qualifiers(node)
        if any(self.text(child) == "const" for child in declared.function.children):
            words |= {CONST_METHOD}
        function = Function(
            declared.name, node, scope, source, declared.type.result, given, words, body, owner,
            initializers,
        )  # fmt: skip
        return function, declared

    def excerpt(self, node: Node, name: str) -> Source:
        """The lines of a function, as a source of its own; `template <…>` is one of them."""
        whole = self.unit.source
        if node.parent is not None and node.parent.type == "template_declaration":
            node = node.parent
        first, last = self.tree.span(node).line, self.tree.end(node).line
        lines = whole.lines[first - whole.first_line : last - whole.first_line + 1]
        return Source(name, whole.filename, first, lines, CPP)

    def qualifiers(self, node: Node) -> frozenset[str]:
        """The words before a declaration that are no types."""
        words = {
            self.text(child)
            for child in node.children
            if not child.is_named or child.type in ("type_qualifier", "storage_class_specifier", "virtual")
        }
        return frozenset(word for word in words if word in QUALIFIERS or word.startswith("__"))

    # arguments --------------------------------------------------------------------------------------------

    def template_parameters(self, node: Node) -> tuple[TemplateParameter, ...]:
        """What `template <…>` declares."""
        found = []
        for child in node.named_children:
            variadic = child.type.startswith("variadic")
            if variadic or child.type == "template_template_parameter_declaration":
                raise self.refused("a variadic template", child, "write the parameters out")
            if "type_parameter" in child.type:
                name = child.child_by_field_name("name") or next(
                    (c for c in child.named_children if c.type == "type_identifier"), None
                )
                default = child.child_by_field_name("default_type")
                found.append(TemplateParameter("" if name is None else self.text(name), None, default))
            elif child.type in ("parameter_declaration", "optional_parameter_declaration"):
                declarator = child.child_by_field_name("declarator")
                inner = declarator
                while inner is not None and inner.named_children and inner.type != "identifier":
                    inner = inner.child_by_field_name("declarator") or inner.named_children[-1]
                name_text = "" if inner is None else self.text(inner)
                found.append(TemplateParameter(name_text, child, child.child_by_field_name("default_value")))
        return tuple(found)

    def bind(self, scope: Scope, parameter: TemplateParameter, argument: Any, node: Node) -> None:
        """Let a template parameter stand for an argument."""
        if isinstance(argument, Placeholder | Pending) and parameter.type is not None:
            scope.names[parameter.name] = argument
        elif parameter.type is None:
            if not isinstance(argument, CType):
                raise self.wrong(f"`{parameter.name}` is a type, and {argument} is none", node)
            scope.names[parameter.name] = TypeName(argument)
        elif isinstance(argument, CType):
            raise self.wrong(f"`{parameter.name}` is a number, and `{argument}` is a type", node)
        else:
            around, self.scope = self.scope, scope
            type_ = self.specified(parameter.type)
            declarator = parameter.type.child_by_field_name("declarator")
            if declarator is not None:
                type_ = self.declared(declarator, type_).type
            self.scope = around
            scalar = scalar_of(type_)
            assert scalar is not None
            scope.names[parameter.name] = NumberValue(bare(type_), fold.constant(argument, scalar))

    def complete(
        self, parameters: Sequence[TemplateParameter], known: dict[str, Any], scope: Scope, node: Node
    ) -> tuple[Any, ...] | None:
        """All arguments, the missing ones from their defaults; None where one is not known."""
        inner = Scope(scope)
        arguments = []
        for parameter in parameters:
            argument = known.get(parameter.name)
            if argument is None and parameter.default is not None:
                around, self.scope = self.scope, inner
                try:
                    is_type = parameter.type is None
                    default = parameter.default
                    argument = (
                        (
                            self.described(default)
                            if default.type == "type_descriptor"
                            else self.named(default)
                        )
                        if is_type
                        else self.constant(default)
                    )
                finally:
                    self.scope = around
            if argument is None:
                return None
            self.bind(inner, parameter, argument, node)
            arguments.append(argument)
        return tuple(arguments)

    # function templates -----------------------------------------------------------------------------------

    def deduced(
        self, template: Template, given: tuple[Any, ...] | None, actual: Sequence[CType | None], node: Node
    ) -> Function | None:
        """The function that a template gives for arguments of these types; None if it does not fit."""
        parameters = template.parameters
        if given is not None and len(given) > len(parameters):
            return None
        known = {
            parameter.name: argument for parameter, argument in zip(parameters, given or (), strict=False)
        }
        wanted = self._pattern(template, known, node)
        if wanted is None:
            return None
        required = sum(parameter.default is None for parameter in wanted)
        if not required <= len(actual) <= len(wanted):
            return None
        for parameter_, type_ in zip(wanted, actual, strict=False):
            if type_ is not None and not self.unified(parameter_.type, type_, known):
                return None
        arguments = self.complete(parameters, known, template.scope, node)
        return None if arguments is None else self.function_instance(template, arguments, node)

    def _pattern(self, template: Template, known: dict[str, Any], node: Node) -> tuple[Parameter, ...] | None:
        """The parameters of a function template, with placeholders for what is not known."""
        scope = Scope(template.scope)
        for parameter in template.parameters:
            argument = known.get(parameter.name, Placeholder(parameter.name))
            self.bind(scope, parameter, argument, node)
        pattern = self.function(template.node, scope)
        return None if pattern is None else pattern[0].parameters

    def more_special(self, one: Template, other: Template, node: Node) -> bool:
        """Would `other` take all that `one` takes, and not the other way round? C++17 [temp.func.order]."""
        patterns = [self._pattern(template, {}, node) or () for template in (one, other)]
        ours, theirs = ([parameter.type for parameter in pattern] for pattern in patterns)

        def takes(wanted: list[CType], given: list[CType]) -> bool:
            known: dict[str, Any] = {}
            pairs = zip(wanted, given, strict=False)
            return all(self.unified(pattern, bare(type_), known) for pattern, type_ in pairs)

        if takes(theirs, ours) and takes(ours, theirs):  # const T* is more special than T*
            more, less = (" ".join(map(str, kinds)).split().count("const") for kinds in (ours, theirs))
            return more > less
        return takes(theirs, ours)

    def function_instance(
        self, template: Template, arguments: tuple[Any, ...], node: Node
    ) -> Function | None:
        """The function of a template for these arguments."""
        if arguments in template.instances:
            found: Function = template.instances[arguments]
            return found
        text, owner = template.node, getattr(template.scope, "struct", None)
        for _, written, special, scope in template.specialisations:
            around, self.scope = self.scope, scope
            same = self.template_arguments(written) == arguments
            self.scope = around
            if same:
                made = self.function(special, scope, owner)
                assert made is not None
                template.instances[arguments] = replace_name(made[0], template.name, arguments)
                return template.instances[arguments]  # type: ignore[no-any-return]
        scope = Scope(template.scope)
        for parameter, argument in zip(template.parameters, arguments, strict=True):
            self.bind(scope, parameter, argument, node)
        made = self.function(text, scope, owner)
        if made is None:
            return None
        template.instances[arguments] = replace_name(made[0], template.name, arguments)
        return template.instances[arguments]  # type: ignore[no-any-return]

    def unified(self, pattern: CType, actual: CType, known: dict[str, Any], deep: bool = False) -> bool:
        """Does a type fit the pattern? Template parameters in it are noted in `known`."""
        if isinstance(pattern, Reference):
            target = pattern.target
            if isinstance(target, Const):
                return self.unified(target.type, bare(actual), known, True)
            return self.unified(target, actual, known, True)
        if isinstance(pattern, Const):
            return self.unified(
                pattern.type, actual.type if isinstance(actual, Const) else actual, known, deep
            )
        if isinstance(pattern, Placeholder):
            if not deep:
                actual = bare(actual)
                actual = Pointer(actual.element) if isinstance(actual, Array) else actual
            return _noted(known, pattern.name, actual)
        if isinstance(pattern, Pointer):
            actual = bare(actual)
            if isinstance(actual, Array):
                actual = Pointer(actual.element)
            return isinstance(actual, Pointer) and self.unified(pattern.target, actual.target, known, True)
        if isinstance(pattern, Array):
            actual = bare(actual)
            if not isinstance(actual, Array):
                return False
            length = pattern.length
            if isinstance(length, Placeholder) and not _noted(known, length.name, actual.length):
                return False
            return self.unified(pattern.element, actual.element, known, True)
        if isinstance(pattern, FunctionType):
            actual = bare(actual)
            if not isinstance(actual, FunctionType) or len(actual.parameters) != len(pattern.parameters):
                return False
            pairs = zip(
                (pattern.result, *pattern.parameters), (actual.result, *actual.parameters), strict=True
            )
            return all(self.unified(one, other, known, True) for one, other in pairs)
        if isinstance(pattern, Pending):
            struct = bare(actual)
            if not isinstance(struct, Struct) or struct.origin is None:
                return False
            template, arguments = struct.origin
            return template is pattern.template and self.matched(pattern.arguments, arguments, known)
        return True  # no parameter in it: whether it converts is seen later

    def matched(self, patterns: Sequence[Any], arguments: Sequence[Any], known: dict[str, Any]) -> bool:
        """Do template arguments fit patterns of them?"""
        if len(patterns) != len(arguments):
            return False
        for pattern, argument in zip(patterns, arguments, strict=True):
            if isinstance(pattern, Placeholder):
                if not _noted(known, pattern.name, argument):
                    return False
            elif isinstance(pattern, CType):
                if not isinstance(argument, CType) or not self.unified(pattern, argument, known, True):
                    return False
                if not _has_placeholder(pattern) and pattern != argument:
                    return False
            elif pattern != argument:
                return False
        return True

    # struct templates -------------------------------------------------------------------------------------

    def instance(self, template: Template, arguments: tuple[Any, ...], node: Node) -> CType:
        """The struct, or the type of an alias, that a template gives for arguments."""
        if any(_has_placeholder(argument) for argument in arguments if isinstance(argument, CType)):
            return Pending(template, arguments)
        parameters = template.parameters
        if len(arguments) > len(parameters):
            raise self.wrong(
                f"`{template.name}` takes {len(parameters)} template argument(s), not {len(arguments)}", node
            )
        known = {p.name: argument for p, argument in zip(parameters, arguments, strict=False)}
        complete = self.complete(parameters, known, template.scope, node)
        if complete is None:
            raise self.wrong(
                f"`{template.name}` takes {len(parameters)} template argument(s), not {len(arguments)}", node
            )
        if complete in template.instances:
            found: CType = template.instances[complete]
            return found
        names, text, scope = (
            dict(zip((p.name for p in parameters), complete, strict=True)),
            template.node,
            None,
        )
        used = parameters
        for special_parameters, written, special, around in template.specialisations:
            bound: dict[str, Any] = {}
            trial = Scope(around)
            for parameter in special_parameters:
                self.bind(trial, parameter, Placeholder(parameter.name), node)
            outside, self.scope = self.scope, trial
            patterns = self.template_arguments(written)
            self.scope = outside
            if self.matched(patterns, complete, bound):
                names, text, used = bound, special, special_parameters
        scope = Scope(template.scope)
        for parameter in used:
            self.bind(scope, parameter, names[parameter.name], node)
        around_, self.scope = self.scope, scope
        try:
            if text.type == "alias_declaration":
                inner = text.child_by_field_name("type")
                assert inner is not None
                template.instances[complete] = self.described(inner)
            else:
                shown = argument_text(complete)
                struct = Struct(f"{template.name}<{shown}>", origin=(template, complete))
                struct.is_union = text.type == "union_specifier"
                template.instances[complete] = struct
                self.fill_struct(struct, text)
        finally:
            self.scope = around_
        result: CType = template.instances[complete]
        return result

    def fill_struct(self, struct: Struct, node: Node) -> None:
        """Read the members; see `Structs`."""
        raise NotImplementedError


def argument_text(arguments: tuple[Any, ...]) -> str:
    """Template arguments as C++ writes them: `float, 4, true`."""
    return ", ".join(str(a).lower() if isinstance(a, bool) else str(a) for a in arguments)


def replace_name(function: Function, name: str, arguments: tuple[Any, ...]) -> Function:
    """An instance of a template, by its full name."""
    shown = argument_text(arguments)
    return replace(function, name=f"{name}<{shown}>", arguments=arguments)


def _noted(known: dict[str, Any], name: str, argument: Any) -> bool:
    if known.get(name) is None:
        known[name] = argument
        return True
    return bool(known[name] == argument) or not isinstance(argument, CType)


def _has_placeholder(type_: CType) -> bool:
    match type_:
        case Placeholder() | Pending():
            return True
        case Const(inner) | Pointer(inner) | Reference(inner):
            return _has_placeholder(inner)
        case Array(element, length):
            return isinstance(length, Placeholder) or _has_placeholder(element)
        case FunctionType(result, parameters):
            return any(map(_has_placeholder, (result, *parameters)))
    return False
