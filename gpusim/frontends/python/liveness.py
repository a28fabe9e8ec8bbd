"""Where is a name still needed? Which names may be read from a place on, before they get another value.

Asked where ways through a function meet: behind an `if`, at a loop's head, behind a loop. What an inner
function uses may be read at any call, and counts as needed everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Names = frozenset[str]
NONE: Names = frozenset()


class Needed(NamedTuple):
    """What is needed where `break` and `continue` lead to."""

    leave: Names = NONE
    again: Names = NONE


class Liveness:
    """The names that are needed `behind` each `if` and loop, and `at_head` of each loop."""

    def __init__(self, body: Sequence[ast.stmt], everywhere: Names) -> None:
        self.behind: dict[ast.stmt, Names] = {}
        self.at_head: dict[ast.stmt, Names] = {}
        self._everywhere = everywhere
        self._before(body, NONE, Needed())

    def _before(self, statements: Sequence[ast.stmt], after: Names, exits: Needed) -> Names:
        after |= self._everywhere
        for statement in reversed(statements):
            after = self._before_one(statement, after, exits) | self._everywhere
        return after

    def _before_one(self, node: ast.stmt, after: Names, exits: Needed) -> Names:
        match node:
            case ast.If():
                self.behind[node] = after
                sides = [self._before(side, after, exits) for side in (node.body, node.orelse)]
                return read([node.test]).union(*sides)
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
        while head != known:
            known = head
            head |= self._before(node.body, known, Needed(after, known)) - stored(target)
        self.at_head[node] = head
        return head if isinstance(node, ast.While) else head | read([node.iter])


def read(nodes: Iterable[ast.AST]) -> Names:
    """The names that syntax reads."""
    return frozenset(name.id for name in _names(nodes) if isinstance(name.ctx, ast.Load))


def stored(nodes: Iterable[ast.AST]) -> Names:
    """The names that syntax gives values."""
    return frozenset(name.id for name in _names(nodes) if isinstance(name.ctx, ast.Store))


def stores(nodes: Iterable[ast.AST], name: str) -> list[ast.Name]:
    """The places where syntax gives a name a value."""
    return [each for each in _names(nodes) if each.id == name and isinstance(each.ctx, ast.Store)]


def _names(nodes: Iterable[ast.AST]) -> Iterable[ast.Name]:
    return (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
