r"""Which names does a function have to itself? As Python's own compiler sees it.

>>> source = "def f(dir):\n    return dir + len(vars)"
>>> tree = ast.parse(source)
>>> own = own_names(source, tree)
>>> sorted({part.id for part in ast.walk(tree) if id(part) in own})
['dir']
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from typing import NamedTuple

from classroom.roots import SCOPES

COMPREHENSIONS = {
    ast.ListComp: "listcomp",
    ast.SetComp: "setcomp",
    ast.DictComp: "dictcomp",
    ast.GeneratorExp: "genexpr",
}


class Scope(NamedTuple):
    """`tables` list its names, more than one where one line has several of a kind; `own` are a function's;
    `around` are those of the functions that it is in; `of_class`: by which class Python spells its `__names`.
    """

    tables: list[symtable.SymbolTable]
    own: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    of_class: str = ""

    def has(self, name: str) -> bool:
        private = self.of_class and name.startswith("__") and not name.endswith("__")
        return (f"_{self.of_class.lstrip('_')}{name}" if private else name) in self.own

    def within(self, node: ast.AST) -> Scope:
        """Of the function, class or comprehension that is written here."""
        tables = [each for each in _children(self.tables) if _is_of(each, node)]
        if isinstance(node, ast.ClassDef):  # what a class binds is no name of its methods
            return Scope(tables, frozenset(), self.around, node.name)
        own = _own(tables, self.around)
        return Scope(tables, own, own, self.of_class)


def own_names(python: str, tree: ast.Module) -> frozenset[int]:
    """The `id` of each `ast.Name` that is a function's own: a parameter, or bound there and nowhere else.

    What a function imports is not its own: it is the module's.
    """
    try:
        table = symtable.symtable(python, "a cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(_names(tree, Scope([table])))


def _names(node: ast.AST, scope: Scope) -> Iterator[int]:
    if isinstance(node, ast.Name) and scope.has(node.id):
        yield id(node)
    outside, inside = _parts(node)
    for each in outside:
        yield from _names(each, scope)
    inner = scope.within(node) if inside else scope
    for each in inside:
        yield from _names(each, inner)


def _parts(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """What of it is in the scope around it, such as defaults and decorators, and what in one of its own."""
    parts = [*ast.iter_child_nodes(node)]
    if isinstance(node, (*SCOPES, ast.ClassDef)):
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        return [each for each in parts if each not in body], [*body]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        first = node.generators[0]  # where it begins is read outside
        rest = [each for each in parts if each is not first]
        return [first.iter], [*rest, first.target, *first.ifs]
    return parts, []


def _children(tables: list[symtable.SymbolTable]) -> Iterator[symtable.SymbolTable]:
    """The scopes that are written in these, past those that Python puts between, as for type parameters."""
    for table in tables:
        for each in table.get_children():
            if each.get_type() in ("function", "class"):
                yield each
            else:
                yield from _children([each])


def _is_of(table: symtable.SymbolTable, node: ast.AST) -> bool:
    kind = "lambda" if isinstance(node, ast.Lambda) else COMPREHENSIONS.get(type(node), "")
    name = table.get_name()
    return table.get_lineno() == getattr(node, "lineno", 0) and (
        kind in name if kind else name == getattr(node, "name", None)
    )


def _own(tables: list[symtable.SymbolTable], around: frozenset[str]) -> frozenset[str]:
    symbols = [each for table in tables for each in table.get_symbols()]
    owned = [
        not each.is_imported() and (each.is_local() or (each.is_free() and each.get_name() in around))
        for each in symbols
    ]
    others = {each.get_name() for each, own in zip(symbols, owned, strict=True) if not own}
    return frozenset(each.get_name() for each in symbols) - others
