"""What does a variable hold? A number in a register; or an array, a tuple or an object, while compiling.

`bind` gives a name a value. A name that stands for an array, a tuple or a function does so for all threads;
where threads may hold different parts of one array, these are in registers, too.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from gpusim.frontends import flow
from gpusim.frontends.python import anywhere, types
from gpusim.frontends.python.indices import axes_of, view_of
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.scope import Scope
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    MaybeValue,
    Static,
    Typed,
    Value,
    View,
    is_object,
    is_tuple,
    shape_of,
)
from gpusim.ir.instructions import Constant, Operand, Register
from gpusim.ir.types import PRED, Scalar
from gpusim.source import Span

RESULT = "<result>"  # the variable that a device function returns in
CHOSEN = "<chosen"  # how the variable begins that holds what `a if c else b` is
NUMBER_OR_NONE = "number or None"
STORAGE = "<array>"  # an array before it is assigned to a variable, which gives it its name


def variable(lowering: Lowering, target: ast.expr) -> Register | None:
    """The register of a variable that already has one, so that results are computed in place."""
    value = lowering.scope.values.get(target.id) if isinstance(target, ast.Name) else None
    return value if isinstance(value, Register) else None


def declare(lowering: Lowering, name: str, type_: Scalar) -> Register:
    """The register of a variable, which is about to take a value of this type."""
    type_, scope = lowering.settle(name, type_), lowering.scope
    held = scope.values.get(name)
    if not isinstance(held, Register):
        prefix = f"{scope.source.name}." if scope.path else ""
        held = scope.values[name] = Register(prefix + name, type_)
    return held


def bind(lowering: Lowering, name: str, value: Value, span: Span) -> None:
    """Give a name a value."""
    values = lowering.scope.values
    value = _or_none(lowering, name, value)
    before = values.get(name)
    lowering.scope.certain |= {name}
    match value:
        case tuple():
            value = _common(lowering, name, value, before)
            _keep_meaning(lowering, name, before is None or shape_of(before) == shape_of(value), span)
            own = value if isinstance(value, GroupValue) else [copied(lowering, part, span) for part in value]
            for position, part in enumerate(own):
                bind(lowering, f"{name}.{position}", part, span)
            parts = tuple(values[f"{name}.{position}"] for position in range(len(value)))
            values[name] = value.with_parts(parts) if isinstance(value, Typed) else parts
        case Item(view):
            values[name] = Item(
                _held(lowering, name, view, before.view if isinstance(before, Item) else before, span)
            )
        case View():
            values[name] = _held(lowering, name, value, before, span)
        case Static(found) if types.of_constant(found) is None:
            _keep_meaning(lowering, name, before is None or before == value, span)
            values[name] = value
        case _:
            number = lowering.number(value, lowering.scope.tree)
            _keep_meaning(lowering, name, before is None or isinstance(before, Register | Constant), span)
            register, known = declare(lowering, name, number.type), lowering.literal(number)
            if number.type.is_complex and not register.type.is_complex:
                raise flow.Again  # which the next pass declares wide enough
            lowering.literals.pop(register, None)
            if isinstance(known, Constant) and name.partition(".")[0] in lowering.scope.literals:
                lowering.literals[register] = known
            if number is not register and not lowering.builder.retarget(number, register):
                lowering.move(number, register, span)


def number_or_none(*values: Value | None) -> bool:
    """Are these two not alike, each a number, None, or what is either for each thread?"""
    kinds = {
        (isinstance(value, Register | Constant), isinstance(value, MaybeValue), is_object(value, None))
        for value in values
    }
    return len(kinds) == 2 and all(map(any, kinds))


def give_nothing(lowering: Lowering, span: Span) -> None:
    """The result of threads that leave a function without one: None, where others get numbers or nothing."""
    nothing = Static(None)
    before = lowering.scope.values.get(RESULT, nothing)
    if before == nothing or number_or_none(before, nothing):
        bind(lowering, RESULT, nothing, span)


def earlier(lowering: Lowering, name: str) -> Value:
    """What an earlier round of a loop may have given a variable; the next pass settles what that is."""
    made: Value
    if (lowering.scope.path, name) in lowering.variables.maybe:
        made = MaybeValue([earlier(lowering, f"{name}.{position}") for position in range(2)], NUMBER_OR_NONE)
    else:
        made = Register(name, lowering.settle(name, PRED))
    lowering.scope.values[name] = made
    return made


def _or_none(lowering: Lowering, name: str, value: Value) -> Value:
    """A number, or None, as a variable holds it that is one for some threads, the other for others."""
    maybe, key, values = lowering.variables.maybe, (lowering.scope.path, name), lowering.scope.values
    before = values.get(name)
    if not isinstance(value, Register | Constant | MaybeValue) and not is_object(value, None):
        return value
    if key not in maybe:
        if not (number_or_none(before, value) and _for_some_threads(lowering, name)):
            return value
        maybe.add(key)
        lowering.variables.learned = True  # the next pass gives it both from its first value on
    if not isinstance(before, MaybeValue):
        values.pop(name, None)
    if isinstance(value, MaybeValue):
        return value
    there = not is_object(value, None)
    return MaybeValue((Constant(there, PRED), value if there else Constant(False, PRED)), NUMBER_OR_NONE)


def _common(lowering: Lowering, name: str, value: tuple[Any, ...], before: Value | None) -> tuple[Any, ...]:
    """A group as the variable holds it: where it is one kind or another, as what both are derived from."""
    if not isinstance(value, GroupValue):
        return value
    kinds, key = lowering.variables.kinds, (lowering.scope.path, name)
    kind = kinds.get(key, value.type)
    if isinstance(before, GroupValue) and before.type is not kind and _for_some_threads(lowering, name):
        both = [one for one in kind.__mro__[:-1] if issubclass(before.type, one) and one.PARTS]
        if both:
            kinds[key], lowering.variables.learned = both[0], True  # in the next pass from its first value on
            return before
    return GroupValue(value, kind)


def _held(lowering: Lowering, name: str, view: View, before: Value | None, span: Span) -> View:
    """How a variable holds an array: where threads may hold different parts of it, in registers."""
    moving, key = lowering.variables.moving, (lowering.scope.path, name)
    if key in lowering.variables.anywhere:
        view = anywhere.by_address(lowering, named(view, name), span)
    moves = before is not None and before != view and _for_some_threads(lowering, name)
    agrees = view.agrees(before)
    if moves and key not in moving and agrees:
        moving[key] = view.array.layout
        lowering.variables.learned = True  # the next pass gives it registers from its first value on
    elif moves and not agrees and anywhere.could_be(before, view):
        moving[key] = view.array.layout
        lowering.variables.anywhere.add(key)
        lowering.variables.learned = True
    elif key in moving and (before is None or agrees or not moves):
        if moving[key] not in (view.array.layout, "A"):
            moving[key], lowering.variables.learned = "A", True
        # with all its geometry, so that it can be now this view, now another
        view = view_of(lowering, view, name, *axes_of(lowering, view, span), moving[key])
        for position, part in enumerate([lowering.copied(part, span) for part in view.parts]):
            bind(lowering, f"{name}.{position}", part, span)
        view = view.with_parts(_number_in(lowering, f"{name}.{p}") for p in range(len(view.parts)))
    else:
        _keep_meaning(lowering, name, not moves, span)
        view = held_still(lowering, view, span)
    return named(view, name)


def keep_in_registers(lowering: Lowering, holder: Scope, name: str, value: Value) -> None:
    """Where some thread may read a variable to which it has given no array: in the next pass its array is in
    registers from its first value on, for initcheck to see which threads have none.
    """
    if isinstance(value, Item | View):
        moving, view = lowering.variables.moving, value.view if isinstance(value, Item) else value
        lowering.variables.learned |= (holder.path, name) not in moving
        moving.setdefault((holder.path, name), view.layout)
    for position, part in enumerate(value if is_tuple(value) else ()):
        keep_in_registers(lowering, holder, f"{name}.{position}", part)


def named(view: View, name: str) -> View:
    """The same under the name that messages call it by, unless it has one of its own."""
    if view.array.root is None and view.array.name != STORAGE:
        return view
    return replace(view, array=replace(view.array, name=name))


def _number_in(lowering: Lowering, name: str) -> Operand:
    held = lowering.scope.values[name]
    assert isinstance(held, Register | Constant)
    return held


def copied(lowering: Lowering, value: Value, span: Span) -> Value:
    """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""
    match value:
        case Item(view):
            return Item(held_still(lowering, view, span))
        case View():
            return held_still(lowering, value, span)
        case Register():
            return lowering.copied(value, span)
        case tuple():
            parts = tuple(copied(lowering, part, span) for part in value)
            return value.with_parts(parts) if isinstance(value, Typed) else parts
    return value


def held_still(lowering: Lowering, view: View, span: Span) -> View:
    """The same of the indices and of the geometry of a view."""
    return view.with_parts([lowering.copied(part, span) for part in view.parts])


def _for_some_threads(lowering: Lowering, name: str) -> bool:
    """May some threads skip the assignment that stands here? To a result, those that returned before."""
    return lowering.scope.exits.some_lanes_only or name.startswith(RESULT)


def _keep_meaning(lowering: Lowering, name: str, kept: bool, span: Span) -> None:
    if not kept and _for_some_threads(lowering, name):
        what = "what the function returns" if name.startswith(RESULT) else repr(name)
        what = "what is chosen" if name.startswith(CHOSEN) else what
        raise lowering.wrong(
            f"{what} would mean something else from here on, for some threads only",
            span,
            "give the new value its own name",
        )
