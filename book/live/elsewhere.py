"""Which cells of a page do not run in a browser? Those of CUDA C++, and all that need a name of one.

C++ is read by libclang, which no browser has. Which names a cell defines and takes is read from its text;
nothing is run. A name of a module of the course needs C++ if its definition does.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from session import CPP, is_cpp, without_magics

COURSE = Path(__file__).resolve().parents[1]
READS_CPP = {"RawModule", "cuda_cpp"}  # whoever names one of these reads C++
QUALIFIED = r"(?:\s*(?:const|static|extern|volatile|unsigned|struct)\b)*"
DEFINED = re.compile(
    r"__global__(?:\s*__launch_bounds__\([^)]*\))?\s+void(?:\s*__launch_bounds__\([^)]*\))?\s+(\w+)\s*\("
    rf"|__(?:device|constant|managed)__{QUALIFIED}\s+[\w:<>]+[\s*]+(\w+)\s*[\[;={{]"
)


def of_cpp(text: str) -> set[str]:
    """What a cell of C++ defines: its kernels and variables, or the one name that it gives all of them."""
    first, _, program = text.lstrip().partition("\n")
    words = [word for word in first.removeprefix(CPP).split() if word.isidentifier()]
    return set(words[:1]) or {kernel or variable for kernel, variable in DEFINED.findall(program)}


def used(table: symtable.SymbolTable) -> Iterator[str]:
    """The names that a text takes from what was there before, also within its functions."""
    inside = table.get_type() != "module"
    yield from (
        name.get_name()
        for name in table.get_symbols()
        if name.is_referenced() and (not inside or name.is_global())
    )
    for child in table.get_children():
        yield from used(child)


def defined(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value, or a part of one: `x[0] = 1` defines x."""
    names = {
        symbol.get_name()
        for symbol in top(statement).get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }
    for each in ast.walk(statement):
        if (
            isinstance(each, ast.Subscript)
            and isinstance(each.ctx, ast.Store)
            and isinstance(each.value, ast.Name)
        ):
            names.add(each.value.id)
    return names


def top(statement: ast.stmt) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(statement), "statement", "exec")


class Names:
    """The names of a text, statement by statement: which lack, and which are modules of the course."""

    def __init__(self) -> None:
        self.lacking: set[str] = set()
        self.modules: dict[str, str] = {}

    def needs_cpp(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.ImportFrom) and self._imports(statement):
            return True
        for each in ast.walk(statement):
            if isinstance(each, ast.Attribute):
                module = self.modules.get(each.value.id, "") if isinstance(each.value, ast.Name) else ""
                if each.attr in READS_CPP or each.attr in of_module(module):
                    return True
        return not self.lacking.isdisjoint(used(top(statement)))

    def _imports(self, statement: ast.ImportFrom) -> bool:
        """Note the modules; whether a name that is imported needs C++."""
        source = statement.module or ""
        for name in statement.names:
            if source == "course":
                self.modules[name.asname or name.name] = name.name
        names = {name.name for name in statement.names}
        inside = of_module(source.removeprefix("course.")) if source.startswith("course.") else set()
        return not READS_CPP.isdisjoint([*source.split("."), *names]) or not names.isdisjoint(inside)


@cache
def of_module(name: str) -> frozenset[str]:
    """The names of a module of the course that need C++."""
    path = COURSE / "course" / f"{name.replace('.', '/')}.py"
    if not name or not path.is_file():
        return frozenset()
    body, names, before = ast.parse(path.read_text(encoding="utf-8")).body, Names(), -1
    while before != len(names.lacking):  # functions may call those that come later
        before = len(names.lacking)
        for statement in body:
            if names.needs_cpp(statement):
                names.lacking |= defined(statement)
    return frozenset(names.lacking)


def elsewhere(cells: Iterable[str]) -> list[bool]:
    """Of each cell of a page, in order: does it need C++, or a name that only such a cell defines?"""
    names, have, found = Names(), set[str](), []
    for text in cells:
        if is_cpp(text):
            names.lacking |= of_cpp(text) - have  # a kernel that Python defined stays
            found.append(True)
            continue
        own, needs = set[str](), False
        lacking = set(names.lacking)
        for statement in ast.parse(without_magics(text)).body:
            needs = names.needs_cpp(statement) or needs
            names.lacking -= (new := defined(statement))
            own |= new
        if needs:
            names.lacking = lacking | own
            have -= own
        else:
            have |= own
        found.append(needs)
    return found
