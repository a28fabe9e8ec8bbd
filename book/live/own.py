"""Which names does a page give itself, and which does it import? No list of known calls knows its own.

Read from its text; nothing is run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from session import UNREADABLE, is_cpp, without_magics


@dataclass(frozen=True)
class Own:
    """What a page gives itself: names, attributes, and which modules' names it imports."""

    names: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    imports: frozenset[tuple[str, str]] = frozenset()  # ("np", "numpy")

    def __or__(self, other: Own) -> Own:
        return Own(self.names | other.names, self.attributes | other.attributes, self.imports | other.imports)

    def mark(self, tree: ast.Module) -> None:
        """Say of each name whether the page gives it, and what one that it imports means."""
        imports = dict(self.imports)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                vars(node).update(own=node.id in self.names, means=imports.get(node.id, ""))
            elif isinstance(node, ast.Attribute):
                vars(node).update(own=node.attr in self.attributes, means=meant(node, imports))


NONE = Own()


def meant(node: ast.expr, imports: dict[str, str]) -> str:
    """`np.random.rand` is `numpy.random.rand`, if `np` was imported as that."""
    if isinstance(node, ast.Attribute):
        of = meant(node.value, imports)
        return of and f"{of}.{node.attr}"
    return imports.get(node.id, "") if isinstance(node, ast.Name) else ""


def stored(node: ast.AST) -> list[str]:
    """The name that it gives, if it is no import."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    return [node.id] if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else []


def imported(node: ast.AST) -> list[tuple[str, str]]:
    """Names that an import gives, and what they mean: `import numpy as np` gives ("np", "numpy")."""
    if isinstance(node, ast.ImportFrom):
        return [(each.asname or each.name, f"{node.module}.{each.name}") for each in node.names]
    names = node.names if isinstance(node, ast.Import) else []
    roots = [(each.name.partition(".")[0], each) for each in names]
    return [(each.asname or root, each.name if each.asname else root) for root, each in roots]


@cache
def own(text: str) -> Own:
    """What a cell gives that no import gives, at any depth, and what it imports."""
    nodes = [*ast.walk(parsed(text))]
    names = {name for node in nodes for name in stored(node)}
    names |= {each.arg for each in nodes if isinstance(each, ast.arg)}
    attributes = {
        each.attr for each in nodes if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load)
    }
    within = (part for each in nodes if isinstance(each, ast.ClassDef) for part in ast.walk(each))
    attributes |= {name for part in within for name in stored(part)}
    imports = {pair for node in nodes for pair in imported(node)}
    return Own(frozenset(names), frozenset(attributes), frozenset(imports))


def parsed(text: str) -> ast.Module:
    """The tree of a cell; of one that no Python reads an empty one."""
    try:
        return ast.parse("" if is_cpp(text) else without_magics(text))
    except UNREADABLE:
        return ast.Module([], [])


def dotted(node: ast.expr) -> str:
    """`a.b.c` as a text; no name, as in `f().c`, or one that the page gives, is a question mark."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{'?' if is_own(node) else node.attr}"
    return node.id if isinstance(node, ast.Name) and not is_own(node) else "?"


def is_own(node: ast.expr) -> bool:
    return getattr(node, "own", False)
