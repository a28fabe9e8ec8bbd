"""Which names may a function's body change? A parameter that nobody changes stands for its argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpusim.frontends.cuda_cpp.scope import Function, Overloads, Template
from gpusim.frontends.cuda_cpp.syntax import child_of, entries
from gpusim.frontends.cuda_cpp.types import Array, Reference, Struct, bare, is_const

if TYPE_CHECKING:
    from tree_sitter import Node

Text = Callable[["Node"], str]


def assigned_names(function: Function, text: Text) -> frozenset[str]:
    """Names that an assignment, ++, &, a reference or a method may change; rather one too many."""
    found: set[str] = set()
    assert function.body is not None
    waiting = [function.body]
    while waiting:
        node = waiting.pop()
        found.update(
            name for target in _targets(node, function, text) if (name := _base(target, function, text))
        )
        waiting += node.named_children
    return frozenset(found)


def _targets(node: Node, function: Function, text: Text) -> list[Node]:
    """What a piece of syntax may change."""
    match node.type:
        case "assignment_expression":
            return [child_of(node, "left")]
        case "update_expression":
            return [child_of(node, "argument")]
        case "pointer_expression" if node.children[0].type == "&":
            return [child_of(node, "argument")]
        case "init_declarator" if child_of(node, "declarator").type == "reference_declarator":
            return [child_of(node, "value")]
        case "call_expression":
            called = child_of(node, "function")
            methods = [called] if called.type == "field_expression" else []
            if _takes_references(called, function, text):
                return methods + entries(child_of(node, "arguments"))
            return methods
    return []


def _takes_references(called: Node, function: Function, text: Text) -> bool:
    name = text(called).partition("<")[0]
    if "::" in name and not name.startswith(("std::", "cuda::")):
        return True  # a function of a namespace or a struct, which may
    known = function.scope.find(name.rpartition("::")[2])
    if not isinstance(known, Overloads):
        return known is not None
    for one in known.functions:
        if isinstance(one, Template):
            # a reference is written with `&`, unless a name of a type in a scope stands for one
            heads = [one.node, *(node for _, *nodes, _ in one.specialisations for node in nodes)]
            texts = [text(head).partition("{")[0] for head in heads]
            if any(sign in part for sign in ("&", "::") for part in (*texts, text(called))):
                return True
            continue
        if any(isinstance(p.type, Reference) and not is_const(p.type.target) for p in one.parameters):
            return True
    return False


def _base(node: Node | None, function: Function, text: Text) -> str | None:
    """`p` of `p.x`, of `(p)`; what an index or -> reaches is elsewhere, but for arrays that are members."""
    while node is not None:
        match node.type:
            case "identifier" | "this":
                return text(node)
            case "field_expression" if text(child_of(node, "operator")) != "->":
                node = child_of(node, "argument")
            case "parenthesized_expression":
                node = entries(node)[0]
            case "subscript_expression":
                node = child_of(node, "argument")
                if node.type != "field_expression" or _is_pointer(node, function, text):
                    return None
            case _:
                return None
    return None


def _is_pointer(member: Node, function: Function, text: Text) -> bool:
    """Is `p.data` of a parameter p known to be no array in it?"""
    owner, name = text(child_of(member, "argument")), text(child_of(member, "field"))
    for parameter in function.parameters:
        struct = bare(parameter.type)
        if parameter.name == owner and isinstance(struct, Struct):
            field = struct.field(name)
            return field is not None and not isinstance(bare(field.type), Array | Struct)
    return False
