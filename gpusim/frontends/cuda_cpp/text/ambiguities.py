"""Where does the grammar, which knows no names, read something else than C++ does?

`a < b && c > (d)` is a call of a template `a<…>` if `a` names one, and else two comparisons; `(T)-x` converts
if `T` names a type, and else subtracts. tree-sitter guesses. `insertions` finds the guesses that a text's own
declarations prove wrong, and says what to put into the text so that the next parse cannot err: parentheses
around `a`, `const ` before `T`. Nothing that is put in changes what the text means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

Insertions = set[tuple[int, str]]

_BASES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong")
BUILT_IN_TYPES = frozenset(
    [base + size for base in (*_BASES, "float", "double") for size in "1234"]
    + ["dim3", "uint", "ushort", "ulong", "uchar", "half", "half2", "__half", "__half2"]
    + ["nv_bfloat16", "nv_bfloat162", "__nv_bfloat16", "__nv_bfloat162"]
    + ["cudaError_t", "cudaStream_t", "cudaEvent_t", "clock_t", "FILE"]
)
BUILT_IN_TEMPLATES = (
    "static_cast",
    "const_cast",
    "reinterpret_cast",
    "dynamic_cast",
    "tiled_partition",
    "labeled_partition",
)

LIBRARIES = ("std", "cg", "cooperative_groups", "cuda", "nvcuda", "wmma", "thrust", "cub", "mc")
TYPE_DECLARATIONS = (
    "type_definition",
    "alias_declaration",
    "struct_specifier",
    "class_specifier",
    "union_specifier",
    "enum_specifier",
    "type_parameter_declaration",
    "optional_type_parameter_declaration",
    "variadic_type_parameter_declaration",
)
Nodes = dict[str, list[Node]]


def _word(node: Node) -> str:
    return (node.text or b"").decode()


class Names:
    """Which types and templates does a text declare, and where do they hold?"""

    def __init__(self, found: Nodes) -> None:
        self.types: dict[str, list[tuple[int, int]]] = {}
        for kind in TYPE_DECLARATIONS:
            for node in found[kind]:
                scope = _scope(node)
                for name in _declared(node):
                    self.types.setdefault(name, []).append((scope.start_byte, scope.end_byte))
        self.templates = {*BUILT_IN_TEMPLATES}
        for node in found["template_declaration"]:
            self.templates.update(_declared(node.named_children[-1]))

    def is_type(self, node: Node) -> bool:
        """Does this name mean a type where it stands?"""
        while node.type == "qualified_identifier":
            inner = node.child_by_field_name("name")
            if inner is None:
                return False
            node = inner
        if node.type == "template_function":
            node = node.children[0]
        word = _word(node)
        scopes = self.types.get(word, ())
        return word in BUILT_IN_TYPES or any(start <= node.start_byte < end for start, end in scopes)

    def is_type_argument(self, node: Node) -> bool:
        """Can this template argument be nothing but a type?"""
        if node.type != "type_descriptor":
            return False
        kind = node.child_by_field_name("type")
        return (
            node.named_child_count > 1 or kind is None or kind.type != "type_identifier" or self.is_type(kind)
        )


def _declared(node: Node) -> Iterator[str]:
    """The names that a declaration introduces."""
    declarators = node.children_by_field_name("declarator") or node.children_by_field_name("name")
    if not declarators and node.type.endswith(("parameter_declaration", "_declarator", "declaration")):
        declarators = node.named_children[-1:]
    if node.type in ("identifier", "type_identifier", "field_identifier"):
        yield _word(node)
    for declarator in declarators:
        yield from _declared(declarator)


def _scope(node: Node) -> Node:
    """The part of the text in which a type's name holds: its template, its block, or all."""
    if (
        node.parent is not None
        and node.parent.type == "template_declaration"
        and "parameter" not in node.type
    ):
        node = node.parent.parent or node.parent  # a template itself is known behind it too
    while node.parent is not None and node.type not in ("compound_statement", "template_declaration"):
        node = node.parent
    return node


def insertions(found: Nodes) -> list[tuple[int, str]]:
    """What must be put into the text, at which bytes, so that it parses as C++ reads it?

    `found` are the tree's nodes of the `KINDS` that matter here.
    """
    names = Names(found)
    return [piece for kind, rule in RULES.items() for node in found[kind] for piece in rule(node, names)]


def _cast(parentheses: Node, names: Names) -> Insertions:
    """`(T)-x`, `(T)*p`, `(T)(x)`: a conversion, where T is a type."""
    name = parentheses.named_children[0] if parentheses.named_children else parentheses
    if name.type not in ("identifier", "qualified_identifier", "template_function"):
        return set()
    return {(name.start_byte, "const ")} if names.is_type(name) else set()


def _no_cast(cast: Node, names: Names) -> Insertions:
    """`(a) && b`: no conversion of a label's address, where `a` is no type."""
    kind, value = cast.child_by_field_name("type"), cast.child_by_field_name("value")
    if kind is None or value is None or value.children[:1] == [] or value.children[0].type not in "&*+-":
        return set()
    name = kind.child_by_field_name("type")
    if name is None or name.type != "type_identifier" or kind.named_child_count > 1 or names.is_type(name):
        return set()
    return {(name.start_byte, "("), (name.end_byte, ")")}


def _no_pointer(described: Node, names: Names) -> Insertions:
    """`(n * (m)) - 1`: no conversion to a pointer, where `n` is no type."""
    name, declarator = described.child_by_field_name("type"), described.child_by_field_name("declarator")
    if name is None or name.type != "type_identifier" or names.is_type(name) or declarator is None:
        return set()
    inner = declarator.child_by_field_name("declarator")
    if declarator.type != "abstract_pointer_declarator" or inner is None:
        return set()  # (T*)&x
    return {(name.start_byte, "("), (name.end_byte, ")")}


def _stepped(update: Node, names: Names) -> Insertions:
    """`-i++` steps `i`: what stands behind an operand binds tighter than what stands before it."""
    operand = update.children[0]
    if operand.type != "unary_expression":
        return set()
    while operand.type in ("unary_expression", "pointer_expression", "cast_expression"):
        operand = operand.named_children[-1]
    return {(operand.start_byte, "("), (update.end_byte, ")")}


def _comparison(call: Node, names: Names) -> Insertions:
    """`a < b && c > (d)`: two comparisons, where `a` is no template."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None or _word(call.children[0]) in names.templates:
        return set()
    whole = call
    if call.type == "template_type" and (call.parent is None or call.parent.type != "parameter_declaration"):
        return set()
    if call.type == "template_method":
        while whole.parent is not None and whole.type != "field_expression":
            if whole.type == "dependent_name":  # x.template f<…>
                return set()
            whole = whole.parent
    while whole.parent is not None and whole.parent.type == "qualified_identifier":
        whole = whole.parent
        scope = whole.child_by_field_name("scope")
        if scope is not None and _word(scope) in LIBRARIES:
            return set()
    last = call
    while last.next_sibling is None and last.parent is not None and last.parent.type.endswith("_expression"):
        last = last.parent
    # a < b >> (c), d - a < b >> (c), a < b >= c: behind a template's name stands its call
    compares = last.next_sibling is not None and last.next_sibling.type in (">", "=")
    if not compares and any(map(names.is_type_argument, arguments.named_children)):
        return set()
    return {(whole.start_byte, "("), (call.children[0].end_byte, ")")}


def _declaration(statement: Node, names: Names) -> Insertions:
    """`float (*p)[4] = a;` declares `p`: it calls nothing."""
    node: Node | None = statement.children[0]
    while node is not None and node.type in ("assignment_expression", "subscript_expression"):
        node = node.child_by_field_name("left") or node.child_by_field_name("argument")
    if node is not None and _compared_template(node) in names.templates:  # m::Poly<3> q = …;
        return {(statement.start_byte, "register ")}
    if node is None or node.type != "call_expression":
        return set()
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if (
        function is None
        or arguments is None
        or [a.type for a in arguments.named_children] != ["pointer_expression"]
    ):
        return set()
    is_type = function.type == "primitive_type" or (function.type == "identifier" and names.is_type(function))
    return {(statement.start_byte, "register ")} if is_type else set()


def _compared_template(node: Node) -> str:
    """The name in front of a statement `name < … > other`, which compares nothing if it names a template."""
    for sign in (">", "<"):
        if node.type != "binary_expression" or node.children[1].type != sign:
            return ""
        node = node.children[0]
    return _word(node).rpartition("::")[2]


def _chosen(assignment: Node, names: Names) -> Insertions:
    """`c ? a : m = v` assigns to `m`: the assignment is the last part of the choice."""
    left = assignment.child_by_field_name("left")
    other = (
        left.child_by_field_name("alternative") if left and left.type == "conditional_expression" else None
    )
    return {(other.start_byte, "("), (assignment.end_byte, ")")} if other else set()


def _initializer(declaration: Node, names: Names) -> Insertions:
    """`int j(i);` in a function starts a variable from `i`: it declares no function."""
    above = declaration.parent
    if above is None or above.type not in ("compound_statement", "case_statement", "for_statement"):
        return set()
    found: Insertions = set()
    for declarator in declaration.children_by_field_name("declarator"):
        parameters = declarator.child_by_field_name("parameters")
        if parameters is None or declarator.type != "function_declarator":
            continue
        kinds = [parameter.child_by_field_name("type") for parameter in parameters.named_children]
        if any(kind and kind.type == "type_identifier" and not names.is_type(kind) for kind in kinds):
            for value in parameters.named_children:  # as C++ has it: all are types, or all are values
                found |= {(value.start_byte, "("), (value.end_byte, ")")}
    return found


RULES: dict[str, Callable[[Node, Names], Insertions]] = {
    "parenthesized_expression": _cast,
    "cast_expression": _no_cast,
    "type_descriptor": _no_pointer,
    "update_expression": _stepped,
    "template_function": _comparison,
    "template_method": _comparison,
    "template_type": _comparison,
    "expression_statement": _declaration,
    "declaration": _initializer,
    "assignment_expression": _chosen,
}
KINDS = (*RULES, *TYPE_DECLARATIONS, "template_declaration")

ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
INTEGER_WORDS = frozenset(["unsigned", "signed", "long", "short"])
BEFORE_VALUE = frozenset(["return", "case", "else", "sizeof"])


def rewordings(words: Sequence[tuple[str, int]]) -> Insertions:
    """What may let the grammar read a text that it did not: words and their offsets, not yet a tree.

    It takes no comma behind an assignment, as in `(m = 1, m + 2)`, and no `(unsigned(x) & 3)`.
    """
    found: Insertions = set()
    groups: list[
        tuple[bool, int, bool]
    ] = []  # is it no call? where the part behind the last comma begins; an `=`?
    for index, (word, start) in enumerate(words):
        before = words[index - 1][0] if index else ""
        behind = [following for following, _ in words[index + 1 : index + 3]]
        if word in ("(", "[", "{"):
            named = (before[-1:].isalnum() or before[-1:] in ("_", "]")) and before not in BEFORE_VALUE
            groups.append((word == "(" and not named, start + 1, False))
        elif word in (")", "]", "}") and groups:
            groups.pop()
        elif groups and word in ASSIGNMENTS:
            groups[-1] = (*groups[-1][:2], True)
        elif groups and word == ",":
            group, begin, assigns = groups[-1]
            if group and assigns:
                found |= {(begin, "("), (start, ")")}
            groups[-1] = (group, start + 1, False)
        elif (
            word in INTEGER_WORDS
            and before == "("
            and behind[:1] == ["("]
            and behind[1] not in ("*", "&", ")")
        ):
            found |= {(start, "static_cast<"), (start + len(word), ">")}
    return found
