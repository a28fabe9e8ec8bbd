r"""Are predictions a student's own? They are, where their statements give the same without the simulator.

A table is what a cell for answers begins with: a dict whose every answer is None. It may be typed, or be
computed by a rule of one's own; so may a value that a function reads. Where a student's cells do more than
define and type, they run once more in a box without the simulator (alone.py), and the values after each cell
are compared. Equal ones need no run, whatever the cells do; others are looked at by a person.

>>> mine = "predicted = {}\nfor p in 'ab':\n    predicted[p] = 4"
>>> cells = [Cell("mine", mine, "own"), Cell("check", "predicted", "check")]
>>> asked = questions(cells, ["predicted = {'a': None}"], Names.of([mine], frozenset()))
>>> asked
{'mine': {'predicted': ''}}
>>> seen = {"mine": {"predicted": ("", "{'a': 4, 'b': 4}")}}
>>> found(asked, seen, seen)
[]
>>> found(asked, seen, {"mine": {}})
['cell `mine`: `predicted` is not what its statements give without the simulator']
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from classroom.carrying import Names, Value, carried
from classroom.names import BUILTIN, bound, needed, parsed, python_of

Values = Mapping[str, Mapping[str, Value]]  # by the id of a cell: what names hold after it
NOT_OWN = "not what its statements give without the simulator"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
UNREAD = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Cell:
    """A cell of code: a student's own, a check, or another of the course."""

    id: str
    source: str
    kind: Literal["own", "check", "course"]


def tables(starters: Iterable[str]) -> set[str]:
    """The names that these cells give a table to fill in.

    >>> sorted(tables(["predicted = {'a': {32: None}}  # masks", "n = {'a': 0}", "k = None"]))
    ['predicted']
    """
    found = set()
    for tree in filter(None, map(parsed, starters)):
        match tree.body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table)] if _is_empty(table):
                found.add(name)
    return found


def _is_empty(table: ast.Dict) -> bool:
    return all(
        _is_empty(each) if isinstance(each, ast.Dict) else ast.unparse(each) == "None"
        for each in table.values
    )


def functions(starters: Iterable[str]) -> set[str]:
    r"""The functions and kernels that these cells ask for, and the texts of kernels.

    >>> sorted(functions(["def sectors(first):\n    return 0", "k = 1", "rooms = '__global__ …'"]))
    ['rooms', 'sectors']
    """
    found = set()
    for each in (part for tree in filter(None, map(parsed, starters)) for part in tree.body):
        match each:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str())):
                found.add(name)
    return found


def questions(cells: Sequence[Cell], starters: Sequence[str], names: Names) -> dict[str, dict[str, str]]:
    """By cell: the values to compare, each with the function that reads it, "" for a table.

    What counts are a student's cells before the last check that may read a value. Where all of them only
    define and type, none can have asked a run.
    """
    own = [each for each in cells if each.kind == "own"]
    every = tables(starters)
    readers = dict.fromkeys(every, "") | _readers(own, functions(starters))
    elsewhere = set[str]().union(*(bound(each.source) for each in cells if each.kind != "own"))
    active = next(
        (n for n, each in enumerate(cells) if each in own and not _types(each, elsewhere, names)), None
    )
    asked, there = dict[str, dict[str, str]](), set[str]()
    checks = {name: _checks(cells, name if name in every else "") for name in readers}
    last = {name: max(found, default=0) for name, found in checks.items()}
    for n, cell in enumerate(cells):
        if cell.kind == "own":
            there |= _assigned(cell)
            counted = {
                name: reader
                for name, reader in sorted(readers.items())
                if name in there - names.kept
                and n < last[name]
                and active is not None
                and active < last[name]
            }
            asked |= {cell.id: counted} if counted else {}
    return asked


def found(asked: Mapping[str, Mapping[str, str]], seen: Values, without: Values, why: str = "") -> list[str]:
    """What to look at: values that became others than they are without the simulator.

    `seen`: as the student runs it; `why`: how the run without it ended, where that is no usual end.
    """
    said, before = list[str](), dict[str, tuple[Value | None, Value | None]]()
    for cell, names in asked.items():
        for name, reader in names.items():
            now = seen.get(cell, {}).get(name), without.get(cell, {}).get(name)
            if now != before.get(name, (None, None)) and not _are_same(*now):
                what = f"`{name}` is" if reader in ("", name) else f"`{reader}` reads `{name}`, which is"
                said.append(f"cell `{cell}`: {what} {NOT_OWN}{f' ({why})' if why else ''}")
            before[name] = now
    return said


def _are_same(one: Value | None, other: Value | None) -> bool:
    """As values: sets have no order."""
    if one is None or other is None or one[0] != other[0]:
        return one is other
    with suppress(*UNREAD):
        return one[1] == other[1] or bool(ast.literal_eval(one[1]) == ast.literal_eval(other[1]))
    return False


def _checks(cells: Sequence[Cell], name: str) -> list[int]:
    """Where are the checks that read this name themselves? All checks, where none does."""
    checks = [n for n, cell in enumerate(cells) if cell.kind == "check"]
    return [n for n in checks if name in needed(cells[n].source)] or checks


def _types(cell: Cell, elsewhere: Collection[str], names: Names) -> bool:
    """Does it only define, and compute what the text alone says?"""
    python = python_of(cell.source)
    if carried(cell.source, {}, names).source.strip("\n") != python.strip("\n"):
        return False
    tree = parsed(python)
    assigned = [each for each in tree.body if isinstance(each, ASSIGNMENTS)] if tree else []
    used = {
        part.id
        for each in assigned
        for part in ast.walk(each)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    return not any(each in elsewhere and not names.roots.root(each) for each in used)


def _assigned(cell: Cell) -> set[str]:
    """The names that it binds otherwise than by defining or importing."""
    tree = parsed(python_of(cell.source))
    made = [each for each in (tree.body if tree else ()) if not isinstance(each, (*DEFINITIONS, *IMPORTS))]
    return bound("\n".join(map(ast.unparse, made)))


def _readers(cells: Iterable[Cell], asked_for: Collection[str]) -> dict[str, str]:
    """The names that these functions have their answers from, each with a function that reads it."""
    statements = [each for cell in cells if (tree := parsed(python_of(cell.source))) for each in tree.body]
    uses = [(each, bound(ast.unparse(each)), _used(each)) for each in statements]
    readers, rest = {each: each for each in asked_for}, [*asked_for]
    while rest:
        name = rest.pop()
        for statement, binds, used in uses:
            if name in binds:
                reader = name if isinstance(statement, DEFINITIONS) else readers[name]
                rest += used - readers.keys()
                readers |= dict.fromkeys(used - readers.keys(), reader)
    return readers


def _used(statement: ast.stmt) -> set[str]:
    names = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
    return needed(ast.unparse(statement)) | names & BUILTIN  # who binds one of Python's own may read it
