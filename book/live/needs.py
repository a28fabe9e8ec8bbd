"""Which cells before it does a cell need? Those that give or change what it uses; all others may wait.

Read from the texts; nothing is run (statements.py). Where it is not sure, a cell counts as needed: a name
that is used may be changed there, also by another name for the same thing, and a setting holds for all that
follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import Any

from own import NONE, own
from statements import CHANCE, Parameter, Statement, read

SOLID = (int, float, str, bytes, type(None))


def is_solid(value: Any) -> bool:
    """Can nobody change what it holds? Numbers and texts, and what a profile measured."""
    if isinstance(value, tuple):
        return all(map(is_solid, value))
    return isinstance(value, SOLID) or type(value).__module__.startswith(("gpusim.profile", "gpusim.reports"))


def compiled(kernel: str) -> str:
    """What a launch leaves in a kernel: `attract.occupancy(256)` asks for it."""
    return f"{kernel}[…]"


@dataclass
class Effect:
    """What a statement of a page does. Each thing that a name means in turn has a number: `x#2`."""

    gives: set[str]
    changes: set[str]  # these, and what may be changed in place, by whichever name
    makes: set[str]  # what is not there before it
    wants: set[str]  # names, and how kernels were compiled of which it asks something


@dataclass
class Undoes:
    """What a run does to names that stand already."""

    gives: set[str]  # they mean another thing
    changes: set[str]  # what they mean may be changed in place, by whichever name
    anything: bool  # gives names that it does not say


class Page:
    """The cells of a page by their texts, and which of them need which."""

    def __init__(self, texts: Iterable[str]) -> None:
        texts = [*texts]
        self.own = reduce(or_, map(own, texts), NONE)
        self.cells = [read(text, self.own) for text in texts]
        statements = [each for cell in self.cells for each in cell]
        given = [(name, each.firm) for each in statements for name in each.gives]
        self.declared = declared = set[str]().union(*(each.declared for each in statements))
        changing = {name for name, firm in given if not firm} | declared
        self.firm = {name for name, firm in given if firm} - changing
        self.kernels = self.firm & set[str]().union(*(each.kernels for each in statements))
        functions = [each for each in statements if each.function and not each.takes_any]
        self.judged = self.firm & set[str]().union(*(each.gives for each in functions))
        self.judged -= set[str]().union(*(each.gives for each in statements if each.takes_any or each.holds))
        self.writes = set[Parameter]().union(*(each.writes for each in statements))
        self.holding = self.firm & set[str]().union(*(each.gives for each in statements if each.holds))
        self.once = self._once(statements)
        self.loose = ({name for name, _ in given} | declared | {CHANCE}) - self.firm
        self.changing = self.loose | self.holding
        self.behind = {name: set[str]() for name in self.firm | self.loose}
        self.asked = {name: set[str]() for name in self.behind}
        self.changed = {name: set[str]() for name in self.behind}
        self.changed[CHANCE] = {CHANCE}
        self.filled = {name: set[str]() for name in self.behind}
        for each in statements:
            for name in each.gives if each.firm else ():
                self.behind[name] |= each.uses - {name}
                self.asked[name] |= each.asks
                self.changed[name] |= self._touches(each)
                self.filled[name] |= each.fills if name not in self.kernels else set()
        self._carry(statements)
        self._count = Counter[str]()
        self.alike: dict[str, set[str]] = {}  # names that may mean the same thing, or parts of it
        self.effects = [[self._effect(each) for each in cell] for cell in self.cells]
        for effect in (each for cell in self.effects for each in cell):
            effect.changes |= effect.gives.union(*(self.alike.get(name, ()) for name in effect.changes))

    @staticmethod
    def _once(statements: list[Statement]) -> set[str]:
        """The names of what can be read only once, as `iter(x)`, and of functions that give such a thing."""
        found, known = set[str](), -1
        while known < len(found):
            known = len(found)
            for each in statements:
                if each.once or not found.isdisjoint(each.follows):
                    found |= each.gives
        return found

    def _carry(self, statements: list[Statement]) -> None:
        """What may be or hold a function, as after `g = f`, uses what that function does."""
        functions = {name for each in statements if each.function or each.holds for name in each.gives}
        nesting = {name for each in statements if each.nests for name in each.gives}
        found, known = functions | {CHANCE}, -1
        while known < len(found) + len(nesting):
            known = len(found) + len(nesting)
            for each in statements:
                kept, handed = each.kept & found | each.later, each.handed & found
                handed -= self.kernels  # what a call makes of a kernel is a measurement
                kept |= each.uses & nesting
                if each.function and kept | handed:
                    nesting |= each.gives
                if each.firm:
                    continue
                filled = each.fills.union(*(self.filled.get(name, ()) for name in each.uses))
                for names, carried in ((each.gives | filled, kept), (each.given | filled, handed)):
                    for name in names & self.loose - {CHANCE} if carried else ():
                        found.add(name)
                        self.behind[name] |= carried - {name}
                        self.changed[name] |= self._touches(each) & each.later

    def reached(self, names: set[str]) -> set[str]:
        """These, and what stands within the functions that they name."""
        found, waiting = set[str](), [*names]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.behind.get(name, ())
        return found

    def _touches(self, statement: Statement) -> set[str]:
        """What it may change in place, by the names in its own text."""
        passed = {
            name for kernel, name in statement.passes if kernel[0] not in self.judged or kernel in self.writes
        }
        return statement.touches | passed | statement.uses & self.once

    def _changes(self, statement: Statement) -> set[str]:
        """That, and what the functions change that it may call; to define one calls its decorators."""
        if statement.function:
            return self._changes(statement.makes) if statement.makes else set()
        reached = self.reached(statement.uses)
        touched = self._touches(statement).union(*(self.changed.get(name, ()) for name in reached))
        return touched & self.changing

    def _now(self, names: set[str]) -> set[str]:
        return {f"{name}#{self._count[name]}" if name in self.loose else name for name in names}

    def _effect(self, statement: Statement) -> Effect:
        """Of the next statement; names that it surely gives mean something new from there on."""
        reached = self.reached(statement.uses)
        asks = statement.asks.union(*(self.asked.get(name, ()) for name in reached - self.kernels))
        wants = self._now(reached) | {compiled(name) for name in asks & self.kernels}
        used, touched = self._now(reached & self.changing), self._changes(statement)
        changes = self._now(touched)
        self._count.update(statement.sure & self.loose)
        changes |= self._now(touched & statement.gives)  # as `with f() as x: x.append(1)`
        makes, gives = self._now(statement.sure), self._now(statement.gives)
        together = set[str]() if statement.firm else used | gives & self._now(self.loose)
        group = together.union(*(self.alike.get(name, ()) for name in together))
        self.alike.update(dict.fromkeys(group, group))
        launched = {compiled(name) for name in (reached & self.kernels) | statement.kernels}
        made = {compiled(name) for name in statement.kernels & statement.sure}
        return Effect(launched | gives, changes, makes | made, wants)

    def needs(self, at: int) -> list[int]:
        """The places of the cells that the one at a place needs, in order, and its own.

        `Page(["x = 1", "y = 2", "print(x)"]).needs(2)` is `[0, 2]`.
        """
        wanted, found = set[str](), list[int]()
        for place in range(at, -1, -1):
            effects = self.effects[place]
            lasts = any(each.sets or each.anything for each in self.cells[place])
            if place < at and not lasts and all(wanted.isdisjoint(each.changes) for each in effects):
                continue
            found.append(place)
            for effect in reversed(effects):
                wanted = (wanted - effect.makes) | effect.wants
        return found[::-1]

    @cached_property
    def lines(self) -> list[list[int]]:
        return [self.needs(place) for place in range(len(self.cells))]

    def uses(self, place: int) -> set[str]:
        """The names that a cell uses when it runs, by whichever function; to define one uses none."""
        own = (each.uses for each in self.cells[place] if not each.function)
        return self.reached(set[str]().union(*own))

    def kernels_of(self, at: int) -> Iterator[tuple[str, str, list[int]]]:
        """The kernels of a cell, how each is launched, and the places of the cells that run it."""
        for each in self.cells[at]:
            for name in each.kernels:
                places = range(at, len(self.cells))
                yield name, each.launch, [p for p in places if at in self.lines[p] and name in self.uses(p)]

    def undoes(self, at: int) -> Undoes:
        """What a run of a cell does to names that others, or it in an earlier run, have given."""
        gives, changes = set[str](), set[str]()
        for each in self.cells[at]:
            changed = self._changes(each)
            groups = (group for name, group in self.alike.items() if name.partition("#")[0] in changed)
            gives |= each.gives | changed & self.declared
            changes |= changed.union(name.partition("#")[0] for group in groups for name in group)
        return Undoes(gives, changes, any(each.anything for each in self.cells[at]))

    def is_undone(self, at: int, by: Undoes, solid: Callable[[str], bool]) -> bool:
        """May what a cell gives be another thing once one that does that has run?"""
        if any(each.anything for each in self.cells[at]):
            return bool(by.anything or by.gives or by.changes)
        given = set[str]().union(*(each.gives | self._changes(each) & {CHANCE} for each in self.cells[at]))
        changed = given & by.changes
        return by.anything or not given.isdisjoint(by.gives) or not all(map(solid, changed))


def given_by(*texts: str) -> set[str]:
    return {name for text in texts for each in read(text) for name in each.gives}
