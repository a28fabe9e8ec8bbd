r"""Are predictions a student's own? A table that is filled in with what the simulator says is none.

A table is what a cell for answers begins with: a dict whose every answer is None. It may be typed, or be
computed by a rule of one's own. What is made with a run, a kernel or a file is looked at by a person, and so
is a function that answers with what such a run has left.

>>> cells = [
...     Cell("setup", "import gpusim", own=False),
...     Cell("mine", "with gpusim.profile() as run:\n    pass\npredicted = {'a': run.atomics}", own=True),
... ]
>>> names = Names.of([each.source for each in cells], frozenset())
>>> told_by_runs(cells, names, {"mine": {"predicted": "{'a': 4}"}})
['cell `mine`, line 3: `predicted` is filled in with `run`, which may have it from a run']
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from classroom.audit import REACH
from classroom.carrying import CALLED, Names
from classroom.names import bound, needed, parsed, python_of
from classroom.roots import MODULES

TOLD = "cell `{cell}`, line {line}: `{table}` is filled in with `{what}`, which may have it from a run"
UNNAMED = "cell `{cell}`: `{table}` changes there, where nothing that may change it names it"
BETWEEN = "cell `{cell}`, line {line}: `{what}` may ask a run before `{table}` is written again"
ENDED = "cell `{cell}` writes `{table}` beside what asks a run, and ended in an error"
READS = "cell `{cell}`, line {line}: `{function}` reads `{what}`, which may have it from a run"
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SHOWS = frozenset(("print", "display"))
COMPUTING = {each.partition(".")[0] for each in MODULES} - {"gpusim"}


@dataclass(frozen=True)
class Cell:
    """A cell of code; `own`: a student wrote it."""

    id: str
    source: str
    own: bool


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
    r"""The functions and kernels that these cells ask for.

    >>> functions(["def sectors(first):\n    return 0", "k = 1"])
    {'sectors'}
    """
    trees = filter(None, map(parsed, starters))
    return {each.name for tree in trees for each in tree.body if isinstance(each, DEFINITIONS)}


def read_from_runs(cells: Sequence[Cell], names: Names, asked_for: Iterable[str]) -> list[str]:
    """Which functions, of those asked for and those that they use, answer with what a run has left?"""
    known = _known(cells, names)
    asks = _asking(known, set())
    others = {
        name for cell, each in known if isinstance(each.node, IMPORTS) or not cell.own for name in each.bound
    }
    made = {name for _, each in known if isinstance(each.node, DEFINITIONS) for name in each.bound}
    left = set[str]()
    for cell, each in known:
        if cell.own and each.asked(asks):
            left |= (each.written | (set() if isinstance(each.node, DEFINITIONS) else each.bound)) - others
    said, reached, rest = list[str](), set[str](), {*asked_for}
    while rest - reached:
        reached |= rest
        for cell, each in known:
            if cell.own and isinstance(each.node, DEFINITIONS) and each.node.name in rest:
                rest = rest | ({*each.uses} & made)
                if what := next((name for name in each.uses if name in left), ""):
                    line, function = each.node.lineno, each.node.name
                    said.append(READS.format(cell=cell.id, line=line, function=function, what=what))
    return list(dict.fromkeys(said))


def _known(cells: Sequence[Cell], names: Names) -> list[tuple[Cell, _Statement]]:
    return [
        (each, _statement(part, names))
        for each in cells
        if (tree := parsed(python_of(each.source)))
        for part in tree.body
    ]


def told_by_runs(
    cells: Sequence[Cell],
    names: Names,
    filled: Mapping[str, Mapping[str, str]],
    ended: Collection[str] = (),
) -> list[str]:
    """What to look at. `filled`: by the id of a cell, the tables that are others after it, as literals;
    `ended`: the cells that ended in an error.
    """
    known = _known(cells, names)
    every = {table for given in filled.values() for table in given}
    asks = _asking(known, every)
    said, so_far = list[str](), list[_Statement]()
    for cell in cells:
        own = [statement for each, statement in known if each is cell]
        so_far += own if cell.own else []
        before = len(said)
        for table, value in filled.get(cell.id, {}).items():
            if _is_typed(own, table, value):
                continue
            also = _aliases(so_far, table)
            naming = [each for each in own if also & each.mentioned]
            said += [
                TOLD.format(cell=cell.id, line=each.node.lineno, table=table, what=what)
                for each in naming
                if (what := each.asked(asks))
            ]
            if not any(also & each.changed for each in naming):
                said.append(UNNAMED.format(cell=cell.id, table=table))
        for table in sorted(every) if cell.own and len(said) == before else ():
            said += _searched(cell, own, _aliases(so_far, table), table, asks, ended)
    return said


def _searched(
    cell: Cell,
    statements: Sequence[_Statement],
    also: set[str],
    table: str,
    asks: set[str],
    ended: Collection[str],
) -> list[str]:
    """Is a table tried out? What ends a cell at the right value decides what stands in the table."""
    writes = [
        n for n, each in enumerate(statements) if table in each.bound or also & (each.written | each.given)
    ]
    asking = [n for n, each in enumerate(statements) if each.asked(asks)]
    if not writes:
        return []
    if between := [n for n in asking if writes[0] < n < writes[-1]]:
        each = statements[between[0]]
        line, what = each.node.lineno, each.asked(asks)
        return [BETWEEN.format(cell=cell.id, line=line, table=table, what=what)]
    return [ENDED.format(cell=cell.id, table=table)] if asking and cell.id in ended else []


@dataclass(frozen=True)
class _Statement:
    """The names that it binds, mentions, may write into, and has from elsewhere, but for devices' figures."""

    node: ast.stmt
    bound: set[str]
    mentioned: set[str]
    written: set[str]
    uses: tuple[str, ...]
    given: set[str]  # to what it calls
    foreign: str  # a module that it imports and that does not only compute

    @property
    def changed(self) -> set[str]:
        """What it may change. What has another name there may change by that name."""
        return self.bound | self.written | self.given | (self.mentioned if self.bound else set())

    def asked(self, asks: set[str]) -> str:
        """What in it may know what a run says? "" for nothing."""
        found = [each for each in self.uses if each in asks or each in REACH]
        return self.foreign or next(iter(sorted(found, key=self.bound.__contains__)), "")


def _statement(node: ast.stmt, names: Names) -> _Statement:
    source = ast.unparse(node)
    outer = needed(source) | REACH if isinstance(node, DEFINITIONS) else None

    def from_outside(found: Iterable[str]) -> Iterator[str]:
        return (each for each in found if outer is None or each in outer)

    return _Statement(
        node,
        bound(source),
        {*from_outside(part.id for part in ast.walk(node) if isinstance(part, ast.Name))},
        {*from_outside(_written(node))},
        (*from_outside(_used(node, names)),),
        {*from_outside(_given(node, names))},
        next((each for each in _imported(node) if each.partition(".")[0] not in COMPUTING), ""),
    )


def _used(node: ast.AST, names: Names) -> Iterator[str]:
    if isinstance(node, ast.Attribute | ast.Name) and names.roots.full(node) in CALLED:
        return
    if isinstance(node, ast.Name):
        yield node.id
    for each in ast.iter_child_nodes(node):
        yield from _used(each, names)


def _written(statement: ast.stmt) -> Iterator[str]:
    """Where items or attributes are set, what has a method called, and what a launch gets."""
    for part in ast.walk(statement):
        targets: list[ast.expr] = []
        match part:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                targets = [part]
            case ast.Call(func=ast.Subscript(), args=args):
                targets = args
            case ast.Call(func=ast.Attribute() as method):
                targets = [method]
        for target in targets:
            while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
                target = target.value
            if isinstance(target, ast.Name):
                yield target.id


def _given(statement: ast.stmt, names: Names) -> Iterator[str]:
    """What calls get that may change it: nothing that only computes or shows."""
    for call in ast.walk(statement):
        if isinstance(call, ast.Call) and not _only_looks(call.func, names):
            for part in (*call.args, *(each.value for each in call.keywords)):
                yield from (each.id for each in ast.walk(part) if isinstance(each, ast.Name))


def _only_looks(function: ast.expr, names: Names) -> bool:
    shows = isinstance(function, ast.Name) and function.id in SHOWS and not names.roots.binds(function.id)
    return shows or names.roots.full(function) in CALLED


def _imported(statement: ast.stmt) -> Iterator[str]:
    for part in ast.walk(statement):
        match part:
            case ast.Import(names=given):
                yield from (each.name for each in given)
            case ast.ImportFrom(module=module):
                yield module or "."


def _is_typed(statements: Iterable[_Statement], table: str, value: str) -> bool:
    """Does the text alone say what the table holds in the end?"""
    last: ast.expr | None = None
    for each in statements:
        match each.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=given) if name == table:
                last = given
    with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return last is not None and bool(ast.literal_eval(last) == ast.literal_eval(value))
    return False


def _aliases(statements: Sequence[_Statement], table: str) -> set[str]:
    """The names by which these statements may write into the table: a function that names it is one."""
    found, before = {table}, set[str]()
    while found != before:
        before = set(found)
        for each in statements:
            if found & each.mentioned:
                found |= each.bound
    return found


def _asking(known: Sequence[tuple[Cell, _Statement]], filled: set[str]) -> set[str]:
    """The names, of all but the tables, that may hold what a run says: so may those that no cell binds."""
    every = {name for _, each in known for name in each.bound}
    modules = {name for _, each in known if isinstance(each.node, ast.Import) for name in each.bound}
    found = {name for _, each in known for name in needed(ast.unparse(each.node))} - every
    before: set[str] | None = None
    while found != before:
        before = set(found)
        for cell, each in known:
            if each.asked(found):
                found |= each.bound - filled
                found |= each.written - modules - filled if cell.own else set()
    return found
