"""Where is a name still needed? Which names may be read from a place on, before they get another value.

Asked where ways through a function meet: behind an `if`, at a loop's head, behind a loop. What an inner
function uses may be read at any call, and counts as needed everywhere. Where constants decide, nobody comes
to the other side.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

Names = frozenset[str]
NONE: Names = frozenset()


class Needed(NamedTuple):
    """What is needed where `break` and `continue` lead to."""

    leave: Names = NONE
    again: Names = NONE


class Liveness:
    """The names that are needed `behind` each `if` and loop, and `at_head` of each loop."""

    def __init__(
        self, body: Sequence[ast.stmt], everywhere: Names, decided: Callable[[ast.expr], bool | None]
    ) -> None:
        self.behind: dict[ast.stmt, Names] = {}
        self.at_head: dict[ast.stmt, Names] = {}
        self.everywhere, self._decided = everywhere, decided
        self._before(body, NONE, Needed())

    def _before(self, statements: Sequence[ast.stmt], after: Names, exits: Needed) -> Names:
        after |= self.everywhere
        for statement in reversed(statements):
            after = self._before_one(statement, after, exits) | self.everywhere
        return after

    def _before_one(self, node: ast.stmt, after: Names, exits: Needed) -> Names:
        match node:
            case ast.If():
                self.behind[node] = after
                then, otherwise = (self._before(side, after, exits) for side in (node.body, node.orelse))
                truth = self._decided(node.test)
                return then | otherwise | read([node.test]) if truth is None else then if truth else otherwise
            case ast.While() | ast.For():
                return self._before_loop(node, after, exits)
            case ast.Break():
                return exits.leave
            case ast.Continue():
                return exits.again
            case ast.Return() | ast.Raise():
                return read([node])
            case ast.AugAssign(target=ast.Name(id=name)):
                return after | read([node.value]) | {name}
            case ast.Assign(targets=targets):
                return after - stored(targets) | read([node])
            case ast.AnnAssign(value=ast.expr() as value):
                return after - stored([node.target]) | read([node.target, value])
            case ast.AnnAssign():
                return after
            case ast.FunctionDef():
                return after - {node.name} | read(node.args.defaults)
        return after | read([node])

    def _before_loop(self, node: ast.While | ast.For, after: Names, exits: Needed) -> Names:
        self.behind[node] = after
        target, first = ([], [node.test]) if isinstance(node, ast.While) else ([node.target], [])
        head, known = self._before(node.orelse, after, exits) | read(first) | read(target), None
        if isinstance(node, ast.While) and self._decided(node.test):
            head = NONE  # only `break` ends it
        while head != known:
            known = head
            head |= self._before(node.body, known, Needed(after, known)) - stored(target)
        self.at_head[node] = head
        return head if isinstance(node, ast.While) else head | read([node.iter])


def read(nodes: Iterable[ast.AST]) -> Names:
    """The names that syntax reads."""
    return frozenset(name.id for name in names(nodes) if isinstance(name.ctx, ast.Load))


def stored(nodes: Iterable[ast.AST]) -> Names:
    """The names that syntax gives values."""
    return frozenset(name.id for name in stores(nodes))


def stores(nodes: Iterable[ast.AST], *of: str) -> list[ast.Name]:
    """The places where syntax gives names values, or those `of` some names."""
    return [
        each for each in names(nodes) if isinstance(each.ctx, ast.Store) and each.id in (of or (each.id,))
    ]


def names(nodes: Iterable[ast.AST]) -> Iterator[ast.Name]:
    """Where syntax says a name; not within a lambda, whose names are its own or needed everywhere."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            yield node
        waiting += node.args.defaults if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)
