"""What does a name of a student's code stand for? For what imports bind it to, if nothing else binds it.

Two imports of one name may both be meant: `from math import *` and then `from numpy import *` bind `sqrt`.
Which of them holds depends on where it is read, so what is asked of a name is asked of every one.

>>> from classroom.names import parsed
>>> cells = [parsed(each) for each in ("import numpy as np", "from math import sqrt", "len = print")]
>>> roots = Roots(cells)
>>> [roots.full(ast.parse(each, mode="eval").body) for each in ("np.array", "sqrt", "max", "len", "np.ma")]
['numpy.array', 'math.sqrt', 'max', '', '']
>>> both = Roots(map(parsed, ("from math import sqrt", "from numpy import sqrt")))
>>> sqrt = ast.parse("sqrt", mode="eval").body
>>> both.full(sqrt), both.is_of(sqrt, {"math.sqrt", "numpy.sqrt"}), both.is_of(sqrt, {"math.sqrt"})
('', True, False)
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterable, Iterator, Set
from importlib import import_module

# Modules that a student's code may import from, by their whole names
MODULES = frozenset(
    (
        *("__future__", "bisect", "cmath", "collections", "collections.abc", "copy", "dataclasses"),
        *("decimal", "enum", "fractions", "functools", "heapq", "itertools", "math", "operator"),
        *("random", "statistics", "string", "time", "typing"),
        *("numpy", "numpy.linalg", "numpy.random", "numpy.typing", "pprint"),
        *("gpusim", "gpusim.cuda", "gpusim.cudart", "gpusim.devices"),
    )
)
# What reads a text as code or as an attribute's name, opens files, or is called later by NumPy itself
LEFT_OUT = frozenset(
    (
        *("operator.attrgetter", "operator.methodcaller", "string.Formatter", "typing.get_type_hints"),
        *("functools.update_wrapper", "functools.wraps", "functools.WRAPPER_ASSIGNMENTS"),
        *("functools.WRAPPER_UPDATES", "dataclasses.make_dataclass", "dataclasses.fields"),
        *("dataclasses.Field", "enum.Enum", "enum.EnumMeta", "enum.EnumType", "enum.Flag", "enum.IntEnum"),
        *("enum.IntFlag", "enum.ReprEnum", "enum.StrEnum", "enum.global_enum"),
        *("typing.ForwardRef", "numpy.load", "numpy.save", "numpy.savez", "numpy.savez_compressed"),
        *("numpy.fromfile", "numpy.memmap", "numpy.loadtxt", "numpy.savetxt", "numpy.genfromtxt"),
        *("numpy.fromregex", "numpy.DataSource", "numpy.set_printoptions", "numpy.printoptions"),
        *("numpy.set_string_function", "numpy.seterrcall", "numpy.errstate", "numpy.seterr"),
    )
)
# Python's own functions that only compute
COMPUTE = frozenset(
    (
        *("abs", "bool", "bytes", "dict", "divmod", "enumerate", "float", "frozenset", "int"),
        *("len", "list", "max", "min", "pow", "range", "reversed", "round", "set", "slice", "str"),
        *("sum", "tuple", "zip"),
    )
)
ABSENT = object()
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@functools.cache
def offers(module: str, name: str) -> bool:
    """Is this a public name of a module on the list? One of its own list, or else of its own package."""
    home, full = import_module(module), f"{module}.{name}"
    listed, value = getattr(home, "__all__", None), getattr(home, name, ABSENT)
    if name.startswith("_") or value is ABSENT or full in LEFT_OUT:
        return False
    package = (getattr(value, "__module__", None) or module).removeprefix("_").partition(".")[0]
    own = package == module.partition(".")[0] if listed is None else name in listed
    return full in MODULES or (own and not inspect.ismodule(value))


def is_listed(statement: ast.Import | ast.ImportFrom) -> bool:
    """Does it import nothing but public names of modules on the list?"""
    if isinstance(statement, ast.Import):
        return all(each.name in MODULES for each in statement.names)
    module = statement.module or ""
    known = module in MODULES and not statement.level
    return known and all(offers(module, each.name) for each in statement.names)


class Roots:
    """Names of a notebook that imports bind; and Python's own functions."""

    def __init__(self, cells: Iterable[ast.Module | None]) -> None:
        self._bound: dict[str, set[str]] = {}
        for cell in cells:
            for name, what in _bindings(cell) if cell else ():
                self._bound.setdefault(name, set()).add(what)

    def binds(self, name: str) -> bool:
        return name in self._bound

    def root(self, name: str) -> str:
        """The full name of what this name stands for; "" where it is not certain."""
        return _only(self._roots(name))

    def is_anothers(self, name: str) -> bool:
        """Does nothing but an import bind it, or is it a module whatever else binds it?"""
        found = self._bound.get(name, {""})
        return "" not in found or bool(found & MODULES)

    def full(self, expression: ast.expr) -> str:
        """`np.array` is numpy.array; "" for what is no public name of a module on the list."""
        return _only(self._every(expression))

    def is_of(self, expression: ast.expr, listed: Set[str]) -> bool:
        """Is it one of these, whichever import holds?"""
        return self._every(expression) <= listed

    def hidden(self, tree: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
        """Where is what a module does not offer taken from it, or a module put under another name?"""
        parts = [part for part in ast.walk(tree) if isinstance(part, ast.Name | ast.Attribute)]
        owners = {id(part.value) for part in parts if isinstance(part, ast.Attribute)}
        for part in parts:
            owner = id(part) in owners
            if isinstance(part, ast.Name):
                strange = any(
                    not (full in COMPUTE or _is_public(full) or (full in MODULES and owner))
                    for full in self._roots(part.id) - {""}
                )
            else:
                strange = any(
                    not offers(module, part.attr) or (f"{module}.{part.attr}" in MODULES and not owner)
                    for module in self._every(part.value) & MODULES
                )
            if strange and isinstance(part.ctx, ast.Load):
                yield part

    def _roots(self, name: str) -> Set[str]:
        """All that bind it, "" for what is no import."""
        return self._bound.get(name, {name if name in COMPUTE else ""})

    def _every(self, expression: ast.expr) -> Set[str]:
        """All full names that it may have, and "" if it may be anything else."""
        if isinstance(expression, ast.Name):
            return self._roots(expression.id)
        if isinstance(expression, ast.Attribute):
            name = expression.attr
            return {
                f"{module}.{name}" if module in MODULES and offers(module, name) else ""
                for module in self._every(expression.value)
            }
        return {""}


def _only(found: Set[str]) -> str:
    return next(iter(found)) if len(found) == 1 else ""


def _is_public(full: str) -> bool:
    module, _, name = full.rpartition(".")
    return full not in MODULES and module in MODULES and offers(module, name)


def outside(tree: ast.AST) -> Iterator[ast.AST]:
    """All parts of it but those in functions, whose names are their own."""
    for each in ast.iter_child_nodes(tree):
        yield each
        if not isinstance(each, SCOPES):
            yield from outside(each)


def _bindings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name, what an import binds it to, or "" if it is no import) for all that binds a name."""
    for each in outside(tree):
        match each:
            case ast.Import(names=names):
                for alias in names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    yield alias.asname or whole, whole
            case ast.ImportFrom(names=names, module=module):
                for alias in names:
                    yield alias.asname or alias.name, f"{module}.{alias.name}"
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name, ""
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name, ""
            case ast.MatchMapping(rest=str(name)):
                yield name, ""
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, ""
        if isinstance(each, SCOPES):  # a local name hides nothing outside; one that is global may
            for part in ast.walk(each):
                if isinstance(part, ast.Global):
                    yield from ((name, "") for name in part.names)
