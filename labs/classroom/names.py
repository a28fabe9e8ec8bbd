r"""Which names does a cell bind, and which does it need from elsewhere? As Python's own compiler sees it.

>>> source = "def f():\n    return g(x)\ny = f()"
>>> sorted(bound(source)), sorted(needed(source))
(['f', 'y'], ['g', 'x'])
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import symtable
from collections.abc import Iterable, Iterator
from importlib import import_module

from IPython.core.inputtransformer2 import TransformerManager

from classroom.roots import MODULES, offers

BUILTIN = frozenset(vars(builtins))
SHELLS = frozenset(("get_ipython", "display", "In", "Out"))  # a notebook has them
# The first line of a cell whose others run all the same
AROUND = re.compile(r"\A\s*%%(?:time|capture|prun)\b.*")
OTHER = re.compile(r"\A\s*(%%\w+)")
STAR = re.compile(r"\bimport[\s\\]*\*")


@functools.lru_cache(maxsize=1000)
def python_of(source: str) -> str:
    r"""The cell as Python: what `%`, `!` and `import *` stand for is spelled out, each in its own line.

    >>> python_of("%%time\nn = 1"), python_of("from functools import *")[:44]
    ('pass\nn = 1\n', 'from functools import cache, cached_property')
    """
    try:
        return _with_names(TransformerManager().transform_cell(AROUND.sub("pass", source)))
    except (SyntaxError, RuntimeError):  # IPython gives up after so many magics
        return source


def magic_over(source: str) -> str:
    r"""The first line of a cell whose others are no Python of this kernel; "" where there is none.

    >>> magic_over("%%bash\nls"), magic_over("%%time\nn = 1")
    ('%%bash', '')
    """
    found = None if AROUND.match(source) else OTHER.match(source)
    return found[1] if found else ""


def _with_names(python: str) -> str:
    """What `from math import *` binds, by name."""
    tree = parsed(python) if STAR.search(python) else None
    if tree is None:
        return python
    lines = python.encode().splitlines(keepends=True)  # at the ends of lines that `ast` counts, and no others
    stars = [
        (each.names[0], each.module)
        for each in ast.walk(tree)
        if isinstance(each, ast.ImportFrom) and each.names[0].name == "*" and each.module in MODULES
    ]
    for star, module in sorted(stars, key=lambda each: each[0].col_offset, reverse=True):
        offered = ", ".join(name for name in dir(import_module(module)) if offers(module, name))
        line, at = lines[star.lineno - 1], star.col_offset
        before = line[:at].removesuffix(b" ") + b" "  # `import*` is Python as well
        lines[star.lineno - 1] = before + offered.encode() + line[at + 1 :]
    return b"".join(lines).decode()


def is_read_as_written(python: str) -> bool:
    """Does a kernel run this very text? It takes a prompt off each line of what begins with one.

    >>> is_read_as_written("x = 1"), is_read_as_written(">>> x = 1")
    (True, False)
    """
    return python_of(python).strip("\n") == python.strip("\n")


def parsed(source: str) -> ast.Module | None:
    """None where the cell is no Python: its kernel will not run a line of it."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def without_texts(tree: ast.Module) -> ast.Module:
    r"""Without docstrings and other values that stand for themselves.

    >>> ast.unparse(without_texts(ast.parse("'How?'\nn = 1")))
    'n = 1'
    """
    for each in ast.walk(tree):
        if isinstance(each, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            each.body = [part for part in each.body if not is_text(part)]
    return tree


def is_text(node: ast.AST) -> bool:
    """A docstring, or another value that nothing uses."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def bound(source: str) -> set[str]:
    """The names that the cell's own lines bind, functions and imports among them."""
    table = _table(source)
    return _bound(table) if table else set()


def defined(source: str) -> set[str]:
    """Those that stand for what stays as it is: functions, classes, modules and CONSTANTS."""
    tree = parsed(source)
    found = set()
    for each in tree.body if tree else ():
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(each.name)
        elif isinstance(each, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name.partition(".")[0]) for alias in each.names)
    return found | {name for name in bound(source) if name.isupper() and len(name) > 1}


def is_pythons(name: str) -> bool:
    """Is it Python's own or the notebook's? What checks call by it is no student's, wherever it is bound."""
    return name in BUILTIN or name in SHELLS or name.startswith("__")


def held(locked: Iterable[str]) -> frozenset[str]:
    r"""The names of these cells that stay theirs: what they define, and what one binds and another reads.

    >>> sorted(held(["def f():\n    return 1\nn = 4\nk = 2", "n + f()"]))
    ['f', 'n']
    """
    cells = [*locked]
    every = set[str]().union(*map(bound, cells))
    read = set[str]().union(*(needed(each) - bound(each) for each in cells))
    return frozenset(every & read).union(*map(defined, cells))


def needed(source: str) -> set[str]:
    """The names that the cell, or a function of it, looks up among the notebook's."""
    table = _table(source)
    if table is None:
        return set()
    found = {each.get_name() for each in table.get_symbols() if each.is_referenced()} - _bound(table)
    for inner in _inside(table):
        found |= {
            each.get_name() for each in inner.get_symbols() if each.is_global() and each.is_referenced()
        }
    return found - BUILTIN


def _table(source: str) -> symtable.SymbolTable | None:
    try:
        return symtable.symtable(source, "a cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound(table: symtable.SymbolTable) -> set[str]:
    return {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}


def _inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for inner in table.get_children():
        yield inner
        yield from _inside(inner)
