"""Which cells before it does a cell need? Those that give or change what it uses; all others may wait.

Read from the texts; nothing is run. Where it is not sure, a cell counts as needed: a name that is used may be
changed there, also by another name for the same thing, and a setting holds for all that follows.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from session import CPP, without_magics

FIRM = (
    ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
)  # what these name is not changed by its use
SOLID = (int, float, str, bytes, type(None))
MARGIN = re.compile(r"^(?:def|class|import) +(\w+)|^(\w[\w, ]*?) *=(?!=)|\bas +(\w+)", re.MULTILINE)
SETS = re.compile(
    r"use$|seed|set|select|reset|defer|close|exec$|eval$|globals$|cuda[A-Z]"
)  # a call of these lasts


def is_solid(value: Any) -> bool:
    """Can nobody change what it holds? Numbers and texts, and what a profile measured."""
    if isinstance(value, tuple):
        return all(map(is_solid, value))
    return isinstance(value, SOLID) or type(value).__module__.startswith(("gpusim.profile", "gpusim.reports"))


@dataclass
class Statement:
    """What a statement at the top of a cell does to names."""

    uses: set[str]
    gives: set[str]
    surely: bool  # gives them whatever happens, and uses none of theirs
    firm: bool
    sets: bool  # something that no name holds
    asks: set[str] = field(default_factory=set)  # uses of names other than `name[…]`, a launch
    kernels: set[str] = field(default_factory=set)  # gives functions with a decorator
    declared: set[str] = field(default_factory=set)  # `global` in a function: a call may give them


@dataclass
class Text:
    """A cell's statements; `unread` if it cannot be parsed."""

    statements: list[Statement] = field(default_factory=list)
    unread: bool = False


class Names(ast.NodeVisitor):
    """The names that a piece of a text loads from outside of its functions, and those that it stores."""

    def __init__(self) -> None:
        self.loads, self.stores, self.asks = set[str](), set[str](), set[str]()

    def visit_Subscript(self, node: ast.Subscript) -> None:
        asks = {*self.asks}
        self.visit(node.value)
        if isinstance(node.value, ast.Name):
            self.asks = asks
        self.visit(node.slice)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.stores.add(node.id)
        if not isinstance(node.ctx, ast.Store):  # `del x` needs one
            self.loads.add(node.id)
        self.asks |= {node.id} & self.loads

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.loads.add(node.target.id)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.stores.add((node.asname or node.name).partition(".")[0])

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.stores.update(filter(None, [node.name]))
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.stores.update(filter(None, [node.rest]))
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.loads.update(node.names)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.stores.add(node.name)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.stores.add(node.name)
        inner = Names()
        for each in node.body:
            inner.visit(each)
        arguments = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        declared = {name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}
        self.loads |= (inner.loads - arguments - inner.stores) | declared
        self.asks |= inner.asks - arguments - inner.stores
        for part in (*node.decorator_list, node.args, *filter(None, [node.returns])):
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef


def names_of(node: ast.AST) -> Names:
    found = Names()
    found.visit(node)
    return found


def last(node: ast.expr) -> str:
    """Of `a.b.c` the last name, `c`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def sets(statement: ast.stmt) -> bool:
    """Does it change what no name holds: a setting, a seed, what the device knows? `with` takes that back.

    So do names that are not said, as those of `from math import *`: all that follows may use them.
    """
    nodes = [*ast.walk(statement)]
    headers = {item.context_expr for node in nodes if isinstance(node, ast.With) for item in node.items}
    calls = [node for node in nodes if isinstance(node, ast.Call) and node not in headers]
    stars = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
    return stars or any(SETS.match(last(call.func)) for call in calls)


@cache
def read(text: str) -> Text:
    if text.startswith(CPP):
        return Text()
    try:
        body = ast.parse(without_magics(text)).body
    except SyntaxError:  # it may be meant to give what stands at its margin
        gives = {
            name for names in MARGIN.findall(text) for each in names for name in re.findall(r"\w+", each)
        }
        lasts = any(map(SETS.match, re.findall(r"\.(\w+)\(", text)))
        return Text([Statement(set(), gives, surely=False, firm=False, sets=lasts)], unread=True)
    found = Text()
    for each in body:
        names = names_of(each)
        plain = isinstance(each, FIRM | ast.Assign | ast.AnnAssign)
        surely = plain and names.loads.isdisjoint(names.stores)
        parts = not isinstance(each, FIRM) and any(
            isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) for node in ast.walk(each)
        )
        found.statements.append(
            Statement(
                names.loads,
                names.stores,
                surely,
                isinstance(each, FIRM),
                parts or sets(each),
                names.asks,
                {each.name} if isinstance(each, ast.FunctionDef) and each.decorator_list else set(),
                {name for node in ast.walk(each) if isinstance(node, ast.Global) for name in node.names},
            )
        )
    return found


def compiled(kernel: str) -> str:
    """What a launch leaves in a kernel: `attract.occupancy(256)` asks for it."""
    return f"{kernel}[…]"


class Page:
    """The cells of a page by their texts, and which of them need which."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.cells = [read(text) for text in texts]
        statements = [each for cell in self.cells for each in cell.statements]
        given = [(name, each.firm) for each in statements for name in each.gives]
        declared = set[str]().union(*(each.declared for each in statements))
        changing = {name for name, firm in given if not firm} | declared
        self.firm = {name for name, firm in given if firm} - changing
        self.kernels = self.firm & set[str]().union(*(each.kernels for each in statements))
        self.behind = {name: set[str]() for name in self.firm}
        self.asked = {name: set[str]() for name in self.firm}
        for each in statements:
            for name in each.gives & self.firm:
                self.behind[name] |= each.uses - {name}
                self.asked[name] |= each.asks
        self.alike: dict[str, set[str]] = {}  # names that may mean the same thing, or parts of it
        self.loose = ({name for name, _ in given} | declared) - self.firm
        for each in statements:
            together = set[str]() if each.firm else (self.reached(each.uses) | each.gives) & self.loose
            group = together.union(*(self.alike.get(name, ()) for name in together))
            self.alike.update(dict.fromkeys(group, group))
        self.changes = [[self._changed(each) for each in cell.statements] for cell in self.cells]

    def reached(self, names: set[str]) -> set[str]:
        """These, and what stands within the functions that they name."""
        found, waiting = set[str](), [*names]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.behind.get(name, ())
        return found

    def _changed(self, statement: Statement) -> set[str]:
        """What may be another thing after it, by whichever name."""
        reached = self.reached(statement.uses)
        named = statement.gives | (reached & self.loose)
        launched = {compiled(name) for name in (reached & self.kernels) | statement.kernels}
        return launched.union(named, *(self.alike.get(name, ()) for name in named))

    def _wanted(self, statement: Statement) -> set[str]:
        """What it takes from before it: names, and how kernels were compiled of which it asks something."""
        reached = self.reached(statement.uses)
        asks = statement.asks.union(*(self.asked.get(name, ()) for name in reached - self.kernels))
        return reached | {compiled(name) for name in asks & self.kernels}

    def needs(self, at: int) -> list[int]:
        """The places of the cells that the one at a place needs, in order, and its own.

        `Page(["x = 1", "y = 2", "print(x)"]).needs(2)` is `[0, 2]`.
        """
        wanted, found = set[str](), list[int]()
        if self.cells[at].unread:
            return [at]  # it does not come far
        for place in range(at, -1, -1):
            cell, changes = self.cells[place], self.changes[place]
            sets = any(each.sets for each in cell.statements)
            if place < at and not sets and all(map(wanted.isdisjoint, changes)):
                continue
            found.append(place)
            for each in reversed(cell.statements):
                if each.surely:
                    wanted -= each.gives | {compiled(name) for name in each.kernels}
                wanted |= self._wanted(each)
        return found[::-1]

    def undone(self, place: int, text: str, solid: Callable[[str], bool]) -> bool:
        """May what a cell gives be another thing once a cell of that text has run?"""
        gives = set[str]().union(*(each.gives for each in self.cells[place].statements))
        for each in read(text).statements:
            touched = gives & self._changed(each)
            if each.sets or not touched.isdisjoint(each.gives) or not all(map(solid, touched)):
                return True
        return False


@dataclass
class Ran:
    """The cells that have run in a session, in order: number, text, and whether it came to its end."""

    cells: list[tuple[int, str, bool]] = field(default_factory=list)

    def plan(
        self, texts: Mapping[int, str], number: int, last: int, names: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Which of a page's cells are to run so that a cell shows what it shows on a page read from its top,
        and so that all up to `last` show what they then do? In order; and, of each cell, which it needs.
        `names`: what the names mean now.
        """
        numbers = sorted(texts)
        at, page = numbers.index(number), Page(texts[each] for each in numbers)
        lines = [page.needs(place) for place in range(len(numbers))]
        asked = {place for place in range(at, len(numbers)) if numbers[place] <= last and at in lines[place]}
        wanted = sorted(asked.union(*(lines[place] for place in asked)))
        new = (place for place in wanted if not self._holds(page, texts, numbers, place, names))
        again = asked.union(new)
        for place in wanted:
            if any(each in again for each in lines[place]):
                again.add(place)
        named = {numbers[place]: [numbers[each] for each in line] for place, line in enumerate(lines)}
        return {"due": [numbers[place] for place in sorted(again)], "lines": named}

    def _holds(
        self, page: Page, texts: Mapping[int, str], numbers: list[int], place: int, names: Mapping[str, Any]
    ) -> bool:
        """Did it run with its text, and does what it gave mean the same still?"""
        runs = [at for at, (number, *_) in enumerate(self.cells) if number == numbers[place]]
        if not runs or self.cells[runs[-1]] != (numbers[place], texts[numbers[place]], True):
            return False
        since = {text for number, text, _ in self.cells[runs[-1] + 1 :] if number != numbers[place]}
        return not any(page.undone(place, text, lambda name: is_solid(names.get(name))) for text in since)
