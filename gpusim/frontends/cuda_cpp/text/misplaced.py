"""What does the grammar read although C++ does not? An `else` without an `if`, a statement outside functions.

tree-sitter's grammar is meant for editors: it takes a keyword for a name where that lets it go on, and lets
statements stand anywhere. `misplaced` looks for these in a tree without errors.
"""

from __future__ import annotations

from tree_sitter import Node

# Words of C++ that the grammar takes for names where it can do nothing else with them.
RESERVED = frozenset(
    (
        "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return",
        "goto", "struct", "class", "union", "enum", "typedef", "template", "typename", "namespace", "using",
        "new", "delete", "throw", "try", "catch", "sizeof", "static", "extern", "const", "volatile", "inline",
        "void", "bool", "char", "int", "float", "double",
    )
)  # fmt: skip
STATEMENTS = frozenset(
    (
        "expression_statement", "if_statement", "for_statement", "while_statement", "do_statement",
        "switch_statement", "return_statement",
    )
)  # fmt: skip
NAMES = ("identifier", "type_identifier", "field_identifier")
KINDS = (*NAMES, "case_statement")

Finding = tuple[Node, str, str]  # the node, the message, the hint


def misplaced(root: Node, found: dict[str, list[Node]]) -> Finding | None:
    """The first thing that C++ refuses though the grammar takes it; `found` are the nodes of the `KINDS`."""
    for kind in NAMES:
        for node in found[kind]:
            if (word := _word(node)) == "else":
                return (
                    node,
                    "`else` without an `if` before it",
                    "an `if` guards one statement, or those in { }",
                )
            if word in RESERVED:
                return node, f"`{word}` cannot be a name: the word belongs to C++", ""
    for node in found["case_statement"]:
        above = node.parent
        while above is not None and above.type not in ("switch_statement", "function_definition"):
            above = above.parent
        if above is None or above.type != "switch_statement":
            return node, f"`{node.children[0].type}` outside a `switch`", ""
    return _outside(root)


def _outside(block: Node) -> Finding | None:
    """What stands outside of every function, and cannot?"""
    for node in block.named_children:
        if node.type in STATEMENTS and node.named_children:
            return node, "a statement stands outside of every function", "does a `}` stand too early?"
        function = node.named_children[-1] if node.type == "template_declaration" else node
        if function.type == "function_definition" and function.child_by_field_name("type") is None:
            declarator = function.child_by_field_name("declarator")
            name = declarator.child_by_field_name("declarator") if declarator else None
            if name is not None and name.type == "identifier":
                kernel = any(child.type == "__global__" for child in function.children)
                hint = (
                    "a kernel returns void" if kernel else "write `void` for a function that returns nothing"
                )
                return name, f"`{_word(name)}` has no return type", hint
        body = node.child_by_field_name("body")
        if body is not None and body.type == "declaration_list" and (finding := _outside(body)):
            return finding
    return None


def _word(node: Node) -> str:
    return (node.text or b"").decode()
