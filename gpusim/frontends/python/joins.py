"""What does a variable hold where ways through a kernel meet? What each of them brings, in one type.

Each assignment gives a name a value with a type of its own, as in Numba. Behind an `if`, behind a loop, and
at the head of a loop a name that is needed there becomes one value of those that come in; their types are
unified. So `x = 1` is an int64 up to where it meets `x = 0.5`. A name that is not needed may be anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import reduce

from gpusim.frontends import flow
from gpusim.frontends.python import types
from gpusim.frontends.python.liveness import assignments, stored
from gpusim.frontends.python.lowering import Lowering, Where
from gpusim.frontends.python.scope import Inner, Way
from gpusim.frontends.python.values import MaybeValue, Static, Typed, Value, shape_of
from gpusim.frontends.python.variables import (
    NUMBER_OR_NONE,
    RESULT,
    Origins,
    agree,
    alike,
    number_or_none,
    unassigned,
)
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.terminators import Return
from gpusim.ir.types import Scalar

Held = Sequence[tuple[Way, Value]]


def way(lowering: Lowering) -> Way:
    """The way from here on."""
    scope = lowering.scope
    return Way(lowering.builder.current, dict(scope.values), scope.certain, dict(scope.origins))


def leads_to(lowering: Lowering, label: int) -> None:
    """From here control goes on to what is placed further on."""
    if lowering.builder.reachable:
        lowering.scope.ways[label].append(way(lowering))


def meet(lowering: Lowering, ways: Sequence[Way], needed: Iterable[str], at: Where) -> None:
    """These ways end here; of the names that are needed, each is one value from here on."""
    scope = lowering.scope
    if not ways:
        lowering.builder.end(Return(lowering.span(at)))  # nobody comes here
        return
    values: dict[str, Value] = {}
    for name in dict.fromkeys(name for each in ways for name in each.values):
        held = [(each, each.values[name]) for each in ways if name in each.values]
        if all(alike(held[0][1], value) for _, value in held):
            values[name] = held[0][1]
        elif name in needed:
            values[name] = _one_of(lowering, name, held, at)
    scope.values, scope.certain = values, frozenset.intersection(*(each.certain for each in ways))
    scope.origins = {
        name: origin
        if all(origin == each.origins.get(name) for each in ways)
        else origin._replace(constant=None)
        for each in reversed(ways)
        for name, origin in each.origins.items()
    }


def _one_of(lowering: Lowering, name: str, held: Held, at: Where) -> Value:
    (first, value), *others = held
    if all(alike(value, other) for _, other in others):
        return value
    numbers = [other for _, other in held if isinstance(other, Register | Constant)]
    if len(numbers) == len(held):
        type_ = reduce(types.unify, [number.type for number in numbers])
        for each, other in held:
            _convert(lowering, each, name, other, type_, at)
        return lowering.scope.register(name, type_)
    tuples = [(each, other) for each, other in held if isinstance(other, tuple)]
    if isinstance(value, tuple) and all(shape_of(value) == shape_of(other) for _, other in held):
        parts = [
            _one_of(lowering, f"{name}.{position}", [(each, other[position]) for each, other in tuples], at)
            for position in range(len(value))
        ]
        return value.with_parts(parts) if isinstance(value, Typed) else tuple(parts)
    for each, other in others:
        _same(lowering, name, value, other, (first.origins.get(name), each.origins.get(name)), at)
    return value


def _same(lowering: Lowering, name: str, one: Value, other: Value, origins: Origins, at: Where) -> None:
    """Insist that two values are the same, part by part; or that the next pass can hold both alike."""
    if isinstance(one, tuple) and isinstance(other, tuple) and shape_of(one) == shape_of(other):
        for place, parts in enumerate(zip(one, other, strict=True)):
            _same(lowering, f"{name}.{place}", *parts, origins, at)
    elif not alike(one, other):
        agree(lowering, name, one, other, origins, at)


def _is_plain(value: Value) -> bool:
    """Is it made of numbers and of Python's objects only? The next pass can have it again."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, Register | Constant) or (
        isinstance(value, Static) and not isinstance(value.object, Inner)
    )


def _convert(lowering: Lowering, each: Way, name: str, value: Value, type_: Scalar, at: Where) -> Register:
    """At the end of a way, put a number into the register that its variable has for this type."""
    register, origin, builder = lowering.scope.register(name, type_), each.origins.get(name), lowering.builder
    assert isinstance(value, Register | Constant)
    if origin is not None and origin.constant is not None and isinstance(value, Register):
        number = lowering.convert(origin.constant, type_, at)
        assert isinstance(number, Constant)
        if value is not register:
            builder.also(origin.block, value, register, number)
        return register
    with builder.before_the_end_of(each.block):
        if each.only and isinstance(value, Register) and value is not register:
            value = builder.taken_back(value)
        lowering.move(value, register, at if origin is None else origin.span)
    return register


def result(lowering: Lowering, at: Where) -> Value:
    """What the function gives back that ends here: one value of those that it returns."""
    scope, maybe = lowering.scope, lowering.variables.maybe
    assert scope.exits.leave is not None
    ways = scope.ways.pop(scope.exits.leave, [])
    held = [(each, each.values[RESULT]) for each in ways if RESULT in each.values]
    if not held:
        return Static(None)
    key, nothing = (scope.path, RESULT), Static(None)
    if len(held) < len(ways) and key not in maybe and number_or_none(held[0][1], nothing):
        maybe.add(key)
        raise flow.Again  # which gives those that return nothing None
    return _one_of(lowering, RESULT, held, at)


class Rounds:
    """A loop, at whose head its rounds meet: with what comes in, and with what each round leaves."""

    def __init__(self, lowering: Lowering, node: ast.While | ast.For) -> None:
        """The loop begins here. Types that a round will bring to its head are known from the pass before."""
        self.lowering, self.node, scope = lowering, node, lowering.scope
        self.needed = sorted(scope.liveness.at_head[node])
        self.after: int | None = None
        self.ended: list[Way] = []
        here = way(lowering)
        for name in self.needed:
            if name in scope.values:
                scope.values[name] = self._as_at_head(here, name, scope.values[name])
            elif (known := self._from_a_round(name)) is not None:
                scope.values[name] = known
        changed = stored([node])
        scope.origins = {
            name: origin._replace(constant=None) if name.partition(".")[0] in changed else origin
            for name, origin in scope.origins.items()
        }
        self.head = way(lowering)

    def _head_of(self, name: str) -> str:
        """What the name at the loop's head is called, for its type; in each copy of literal_unroll anew."""
        return f"{name}@{self.node.lineno}:{self.node.col_offset}{self.lowering.scope.copies or ''}"

    def _from_a_round(self, name: str) -> Value | None:
        """What a round gives a name that has no value before the loop, as far as earlier passes know."""
        variables, path = self.lowering.variables, self.lowering.scope.path
        if (path, name) in variables.maybe:
            parts = [self._number(f"{name}.{position}") for position in range(2)]
            return None if None in parts else MaybeValue(parts, NUMBER_OR_NONE)
        known = variables.given.get((path, self._head_of(name)))
        return None if known is None else self._again(name, known)

    def _number(self, name: str) -> Register | None:
        known = self.lowering.variables.types.get((self.lowering.scope.path, self._head_of(name)))
        return None if known is None else self.lowering.scope.register(name, known)

    def _again(self, name: str, known: Value) -> Value | None:
        """A value of the pass before, in the registers of this one."""
        if isinstance(known, tuple):
            parts = [self._again(f"{name}.{place}", part) for place, part in enumerate(known)]
            return known.with_parts(parts) if isinstance(known, Typed) else tuple(parts)
        return known if isinstance(known, Static) else self._number(name)

    def _given(self, name: str, value: Value) -> None:
        """A round is the first to give a name a value: in the next pass it has it at the head."""
        variables, key = self.lowering.variables, (self.lowering.scope.path, self._head_of(name))
        if _is_plain(value) and key not in variables.given:
            variables.given[key] = value
            variables.learned = True
        elif not _is_plain(value) and len(assignments(self.node.body, name)) > 1:
            what = f"{name!r} has no value before this loop, and several within it"
            raise self.lowering.wrong(what, self.node, "assign to it before the loop")

    def _as_at_head(self, each: Way, name: str, value: Value) -> Value:
        """A value that comes to the head, in the type that the name has there."""
        if isinstance(value, Register | Constant):
            type_ = self.lowering.settle(self._head_of(name), value.type)
            if value.type is type_:
                return value
            return _convert(self.lowering, each, name, value, type_, self.node)
        if isinstance(value, tuple):
            parts = [self._as_at_head(each, f"{name}.{place}", part) for place, part in enumerate(value)]
            return value.with_parts(parts) if isinstance(value, Typed) else tuple(parts)
        return value

    def body(self) -> None:
        """A round."""
        self.lowering.body(self.node.body)
        self.end_round()

    def end_round(self) -> None:
        """What a round leaves goes to the head, from its end and from each `continue`."""
        lowering, scope = self.lowering, self.lowering.scope
        self.after, again = scope.exits.loops[-1]
        assert again is not None
        leads_to(lowering, again)
        ways = scope.ways.pop(again, [])
        for name in self.needed:
            if name not in self.head.values and (scope.path, name) in lowering.variables.guessed:
                self._check_guess(name, [each.values[name] for each in ways if name in each.origins])
            for each in ways:
                if name in each.values:
                    value = self._as_at_head(each, name, each.values[name])
                    if name not in self.head.values:
                        self._given(name, value)
                    held = self.head.values.setdefault(name, value)
                    origins = self.head.origins.get(name), each.origins.get(name)
                    _same(lowering, name, held, value, origins, self.node)

    def _check_guess(self, name: str, given: list[Value]) -> None:
        """What is read before a round gives it: does a round of this loop or of one around give a number?"""
        variables, key = self.lowering.variables, (self.lowering.scope.path, name)
        if any(isinstance(value, MaybeValue) for value in given):
            variables.maybe.add(key)
        within = len(self.lowering.scope.exits.loops) > 1
        if not (given or within) or not all(isinstance(one, Register | MaybeValue) for one in given):
            raise unassigned(self.lowering, name, variables.guessed[key])

    def otherwise(self, ends: bool = True) -> None:
        """The `else` of the loop, where its test `ends` it."""
        self.lowering.scope.follow(self.head)
        self.lowering.body(self.node.orelse)
        if ends and self.lowering.builder.reachable:
            self.ended.append(way(self.lowering))

    def close(self) -> None:
        """The loop ends here, where its `break`s lead to, too."""
        scope = self.lowering.scope
        ways = [*self.ended, *(scope.ways.pop(self.after, ()) if self.after is not None else ())]
        meet(self.lowering, ways, scope.liveness.behind[self.node], self.node)
        scope.certain = self.head.certain
