"""What does a variable hold? A number in a register; or an array, a tuple or an object, while compiling.

`bind` gives a name a value. A name that stands for an array, a tuple or a function does so for all threads;
where threads may hold different parts of one array, these are in registers, too.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from gpusim.frontends.python import types
from gpusim.frontends.python.indices import axes_of, view_of
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.values import GroupValue, Item, Static, Typed, Value, View, shape_of
from gpusim.ir.instructions import Constant, Operand, Register
from gpusim.ir.types import Scalar
from gpusim.source import Span

RESULT = "<result>"  # the variable that a device function returns in
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
    before = values.get(name)
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
            register = declare(lowering, name, number.type)
            if number is not register and not lowering.builder.retarget(number, register):
                lowering.move(number, register, span)


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
    moves = before is not None and before != view and _for_some_threads(lowering, name)
    if moves and key not in moving and view.agrees(before):
        moving[key] = view.array.layout
        lowering.variables.learned = True  # the next pass gives it registers from its first value on
    elif key in moving and (before is None or view.agrees(before)):
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
    if view.array.root is not None or view.array.name == STORAGE:
        view = replace(view, array=replace(view.array, name=name))  # for messages
    return view


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
        raise lowering.wrong(
            f"{what} would mean something else from here on, for some threads only",
            span,
            "give the new value its own name",
        )
