"""How are the parts of a node found? By the names that the grammar gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def child_of(node: Node, field: str) -> Node:
    """A part that the grammar says is always there."""
    found = node.child_by_field_name(field)
    assert found is not None, (node.type, field)
    return found


def inner_of(node: Node) -> Node:
    """What stands in the parentheses."""
    return next(child for child in node.named_children if child.type != "comment")


def entries(node: Node) -> list[Node]:
    """What stands between braces or parentheses, without comments."""
    return [child for child in node.named_children if child.type != "comment"]
