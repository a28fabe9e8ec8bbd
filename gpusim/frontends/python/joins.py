"""What does a variable hold where ways through a kernel meet? What each of them brings, in one form.

Each assignment gives a name a value with a type of its own, as in Numba. Behind an `if`, behind a loop, and
at the head of a loop a name that is needed there becomes one value of those that come in; their types are
unified. So `x = 1` is an int64 up to where it meets `x = 0.5`. A name that is not needed may be anything.

A way puts the number that it brings into the register that the name has for the type of all. A constant is
put there where its variable got it, converted while compiling (`Builder.also`): until the way ends the
variable has no other value. Elsewhere it is put there at the way's end; what it was moved from is taken,
where the move serves no other way (`Builder.taken_back`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from gpusim.frontends.python.forms import (
    Form,
    Unlike,
    addressed,
    again,
    alike,
    brought,
    computed_in,
    form_of,
    in_registers,
    is_complete,
    lasting,
    wider,
)
from gpusim.frontends.python.liveness import read, stored, stores
from gpusim.frontends.python.lowering import Lowering, Where
from gpusim.frontends.python.scope import Spot, Way
from gpusim.frontends.python.values import MaybeValue, Static, Value
from gpusim.frontends.python.variables import CHOSEN, RESULT, meets_another
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.terminators import Return
from gpusim.ir.types import Scalar

Held = Sequence[tuple[Way, Value]]


def here(lowering: Lowering) -> Way:
    """The way from here on."""
    scope = lowering.scope
    return Way(lowering.builder.current, dict(scope.values), dict(scope.origins))


def leads_to(lowering: Lowering, label: int) -> None:
    """From here control goes on to what is placed further on."""
    if lowering.builder.reachable:
        lowering.scope.ways[label].append(here(lowering))


def meet(lowering: Lowering, ways: Sequence[Way], needed: Iterable[str], at: Where) -> None:
    """These ways end here; of the names that are needed, each is one value from here on."""
    scope = lowering.scope
    if not ways:
        lowering.builder.end(Return(lowering.span(at)))  # nobody comes here
        return
    values: dict[str, Value] = {}
    for name in dict.fromkeys(name for each in ways for name in each.values):
        held = [(each, each.values[name]) for each in ways if name in each.values]
        if name in needed:
            values[name] = joined(lowering, name, held, at, always=len(held) == len(ways))
        elif all(alike(held[0][1], value) for _, value in held):
            values[name] = held[0][1]
    scope.values = values
    scope.origins = {
        name: origin
        if all(origin == each.origins.get(name) for each in ways)
        else origin._replace(constant=None)
        for each in reversed(ways)
        for name, origin in each.origins.items()
    }


def joined(lowering: Lowering, name: str, held: Held, at: Where, always: bool = True) -> Value:
    """The one value of those that ways bring; who comes another way has none, unless it is `always` given."""
    if always and all(alike(held[0][1], value) for _, value in held):
        return held[0][1]
    form = _form(lowering, name, held, at)
    if not always:
        form = in_registers(form)
    if name.startswith(CHOSEN) and isinstance(form, Scalar):  # no variable
        lowering.scope.registers[name, form] = lowering.builder.temporary(form)
    values: list[Value] = [brought(lowering, each, form, name, value, at) for each, value in held]
    return values[0]


def _form(lowering: Lowering, name: str, held: Held, at: Where) -> Form:
    (first, value), *others = held
    form = form_of(value)
    for each, value in others:
        form = _wider(lowering, name, (form, form_of(value)), (first, each), at)
    return form


def _wider(lowering: Lowering, name: str, forms: tuple[Form, Form], ways: tuple[Way, Way], at: Where) -> Form:
    try:
        return wider(*forms)
    except Unlike as unlike:
        origins = ways[0].origins.get(name), ways[1].origins.get(name)
        raise meets_another(lowering, name, unlike, origins, at) from None


def result(lowering: Lowering, at: Where) -> Value:
    """What the function gives back that ends here: one value of those that it returns."""
    scope, nothing = lowering.scope, Static(None)
    assert scope.exits.leave is not None
    ways = scope.ways.pop(scope.exits.leave, [])
    held = [(each, each.values[RESULT]) for each in ways if RESULT in each.values]
    if all(isinstance(value, Register | Constant | MaybeValue | Static) for _, value in held):
        held = [(each, each.values.get(RESULT, nothing)) for each in ways]
    return joined(lowering, RESULT, held, at) if held else nothing


def spot_of(lowering: Lowering, place: ast.stmt | ast.expr, name: str = "") -> Spot:
    """A name at a place, or the place."""
    return Spot(lowering.scope.path, lowering.scope.copies, (place.lineno, place.col_offset), name)


class Rounds:
    """A loop, at whose head its rounds meet: with what comes in, and with what each round leaves."""

    def __init__(self, lowering: Lowering, node: ast.While | ast.For, head: ast.stmt | ast.expr) -> None:
        """The loop begins here. What a round will bring to its head is known from the pass before."""
        self.lowering, self.node, scope = lowering, node, lowering.scope
        self.place = head
        self.needed = sorted(scope.liveness.at_head[node])
        self.after: int | None = None
        self.ended: list[Way] = []
        way = here(lowering)
        for name in self.needed:
            form = lowering.variables.forms.get(self._spot(name))
            if name not in scope.values and is_complete(form):
                scope.values[name] = again(lowering, form, name)
            elif name in scope.values and form is not None:
                value = scope.values[name]
                form = _wider(lowering, name, (form, form_of(value)), (way, way), node)
                scope.values[name] = self._brought(way, form, name, value)
        changed = stored([node])
        scope.origins = {
            name: origin._replace(constant=None) if name.partition(".")[0] in changed else origin
            for name, origin in scope.origins.items()
        }
        self.head, self.given = here(lowering), frozenset(scope.values)

    def _spot(self, name: str = "") -> Spot:
        return spot_of(self.lowering, self.place, name)

    def _brought(self, each: Way, form: Form, name: str, value: Value) -> Value:
        """A value that comes to the head, in the form that the name has there."""
        variables, spot = self.lowering.variables, self._spot()
        tested = isinstance(self.node, ast.While) and name in read([self.node.test])
        if tested and spot not in variables.twice and computed_in(form) != computed_in(form_of(value)):
            variables.twice.add(spot)
            variables.learned = True
        held: Value = brought(self.lowering, each, form, name, value, self.node)
        return held

    def body(self) -> None:
        """A round."""
        self.lowering.body(self.node.body)
        self.end_round()

    def end_round(self) -> None:
        """A round ends here; some have ended at a `continue`."""
        self.after, again = self.lowering.scope.exits.loops[-1]
        assert again is not None
        leads_to(self.lowering, again)
        self.meet(self.lowering.scope.ways.pop(again, []))

    def meet(self, ways: Sequence[Way]) -> None:
        """These ways go to the head."""
        for name in self.needed:
            for each in ways:
                if name in each.values:
                    self._meet(each, name, each.values[name])

    def _meet(self, each: Way, name: str, value: Value) -> None:
        lowering, variables, form = self.lowering, self.lowering.variables, form_of(value)
        several = len(stores(self.node.body, name)) > 1
        if name not in self.given:  # threads that come here first have none
            form = addressed(form) if several else in_registers(form)
        if name not in self.given and several and not is_complete(form):
            what = f"{name!r} has no value before this loop, and several within it"
            raise lowering.wrong(what, self.node, "assign to it before the loop")
        known, held = variables.forms.get(self._spot(name)), self.head.values.get(name)
        if held is not None and alike(held, value):
            return
        forms = None if held is None else form_of(held), form
        form = wider(known, _wider(lowering, name, forms, (self.head, each), self.node))
        if known is not None and lasting(form) == known:
            value = self._brought(each, form, name, value)
        elif lasting(form) != known:
            variables.forms[self._spot(name)] = lasting(form)
            variables.learned = True
        self.head.values.setdefault(name, value)

    def otherwise(self, ends: bool = True) -> None:
        """The `else` of the loop, where its test `ends` it."""
        self.lowering.scope.follow(self.head)
        self.lowering.body(self.node.orelse)
        if ends and self.lowering.builder.reachable:
            self.ended.append(here(self.lowering))

    def close(self) -> None:
        """The loop ends here, where its `break`s lead to, too."""
        scope = self.lowering.scope
        ways = [*self.ended, *(scope.ways.pop(self.after, ()) if self.after is not None else ())]
        meet(self.lowering, ways, scope.liveness.behind[self.node], self.node)
