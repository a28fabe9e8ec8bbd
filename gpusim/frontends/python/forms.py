"""What is one of several values? Those that ways bring to where they meet, or that rounds of a loop give.

A form says what of it is the same whichever it is, and which numbers are in registers: of a number its type,
of a tuple the forms of its parts, of an array that is now this part, now that one, that its geometry is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gpusim.frontends.python import anywhere, types
from gpusim.frontends.python.indices import axes_of, view_of
from gpusim.frontends.python.lowering import Lowering, Where
from gpusim.frontends.python.scope import Inner, Way
from gpusim.frontends.python.values import (
    Configured,
    Flat,
    GroupValue,
    Item,
    MaybeValue,
    Method,
    Static,
    Typed,
    Value,
    View,
    is_object,
    shape_of,
)
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import PRED, S64, Scalar, Space

Form = Any  # Scalar, Moving, Static, View, Item, a tuple of forms; None: whatever comes
NUMBER_OR_NONE = "number or None"


@dataclass(frozen=True)
class Moving:
    """Different parts of the array that `one` is of, or of several arrays: then it is known by its address.

    The layout is "A" where theirs differ, as in Numba.
    """

    one: View | None
    layout: str
    by_address: bool


class Unlike(Exception):
    """No variable holds both `forms`."""

    def __init__(self, *forms: Form) -> None:
        self.forms = forms


def alike(one: Value, other: Value) -> bool:
    """Do they mean the same? Of arrays, the same part of the same memory."""
    if isinstance(one, Item) and isinstance(other, Item):
        one, other = one.view, other.view
    if isinstance(one, View):
        return one.agrees(other) and isinstance(other, View) and one.parts == other.parts
    if isinstance(one, tuple) and isinstance(other, tuple):
        return shape_of(one) == shape_of(other) and all(map(alike, one, other))
    return one is other or one == other


def with_parts(whole: tuple[Any, ...], parts: Iterable[Any]) -> tuple[Any, ...]:
    """A tuple of the same kind."""
    return whole.with_parts(parts) if isinstance(whole, Typed) else tuple(parts)


def mapped(change: Callable[[Any], Form], form: Form) -> Form:
    """A form, or a value, with all that it is made of changed."""
    if isinstance(form, tuple):
        return with_parts(form, [mapped(change, part) for part in form])
    return Item(mapped(change, form.view)) if isinstance(form, Item) else change(form)


def form_of(value: Value) -> Form:
    """The form of one value."""
    return mapped(lambda part: part.type if isinstance(part, Register | Constant) else part, value)


def in_registers(form: Form) -> Form:
    """The same with arrays in registers, for initcheck to see which threads have none."""
    return mapped(lambda one: Moving(one, one.array.layout, False) if isinstance(one, View) else one, form)


def addressed(form: Form) -> Form:
    """The same with arrays known by their addresses, but for constant memory, which has none."""

    def change(part: Form) -> Form:
        if isinstance(part, Moving) and part.one and part.one.array.space is not Space.CONSTANT:
            indexed = tuple(index is not None for index in part.one.indices)
            return Moving(
                anywhere.anything_like(part.one.array.element, indexed, part.layout), part.layout, True
            )
        return part

    return mapped(change, in_registers(form))


def lasting(form: Form) -> Form:
    """What of a form another pass can use, which has arrays and functions of its own."""

    def change(part: Form) -> Form:
        match part:
            case Moving(View() as one) if one.array.memory is anywhere.MEMORY.array:
                return addressed(part)
            case Moving():
                return replace(part, one=None)
            case View() | Static(Inner() | Flat() | Method() | Configured() | partial()):
                return None
        return part

    return mapped(change, form)


def computed_in(form: Form) -> list[Scalar]:
    """The types that its numbers are computed in: whole ones in 64 bits."""
    numbers = [part for part in _parts(form) if isinstance(part, Scalar)]
    return [types.widened(one, one) if one.is_integer else one for one in numbers]


def is_complete(form: Form) -> bool:
    """Is it all of a value but for numbers in registers? Of an array, where it is known by its address."""
    return all(
        isinstance(part, Scalar | Static) or (isinstance(part, Moving) and part.one is not None)
        for part in _parts(lasting(form))
    )


def _parts(form: Form) -> list[Form]:
    if isinstance(form, Item):
        return _parts(form.view)
    return [each for part in form for each in _parts(part)] if isinstance(form, tuple) else [form]


def again(lowering: Lowering, form: Form, name: str) -> Value:
    """What an earlier pass left in registers, in those of this one."""
    if isinstance(form, tuple):
        return with_parts(form, [again(lowering, part, f"{name}.{place}") for place, part in enumerate(form)])
    if isinstance(form, Item):
        view = again(lowering, form.view, name)
        assert isinstance(view, View)
        return Item(view)
    if isinstance(form, Moving):
        assert form.one is not None
        parts = range(len(form.one.parts))
        registers = [lowering.scope.register(f"{name}.{place}", S64) for place in parts]
        return form.one.with_parts(registers).named(name)
    return lowering.scope.register(name, form) if isinstance(form, Scalar) else form


def wider(one: Form, other: Form) -> Form:
    """The form of what is the one or the other. Raises `Unlike`."""
    match one, other:
        case (None, form) | (form, None):
            return form
        case Scalar(), Scalar():
            return types.unify(one, other)
        case Item(view), Item(another):
            return Item(wider(view, another))
        case ((View() | Moving()), (View() | Moving())):
            return one if one == other else _moving(one, other)
        case GroupValue(), GroupValue() if len(one) == len(other) and (kind := _kind_of(one, other)):
            return GroupValue(map(wider, one, other), kind)
        case tuple(), tuple() if shape_of(one) == shape_of(other):
            return with_parts(one, map(wider, one, other))
    if one == other:
        return one
    if not all(isinstance(form, Scalar | MaybeValue) or is_object(form, None) for form in (one, other)):
        raise Unlike(one, other)
    return MaybeValue([PRED, wider(_number_in(one), _number_in(other))], NUMBER_OR_NONE)


def _number_in(form: Form) -> Form:
    """The type of the number that this may be; of None, none."""
    if isinstance(form, MaybeValue):
        return form[1]
    return form if isinstance(form, Scalar) else None


def _moving(*forms: View | Moving) -> Moving:
    one, other = (in_registers(form) for form in forms)
    agree = one.one is None or other.one is None or other.one.agrees(one.one)
    if not agree and not anywhere.could_be(one.one, other.one):
        raise Unlike(one.one, other.one)
    layout = one.layout if one.layout == other.layout else "A"
    return Moving(one.one or other.one, layout, one.by_address or other.by_address or not agree)


def _kind_of(one: GroupValue, other: GroupValue) -> Any:
    """What two kinds of groups are both derived from, if it is a group."""
    return next((kind for kind in one.type.__mro__[:-1] if issubclass(other.type, kind) and kind.PARTS), None)


def brought(lowering: Lowering, way: Way, form: Form, name: str, value: Any, at: Where) -> Any:
    """At the end of a way, put the numbers that a value is made of into the registers of its form."""
    match form:
        case Scalar():
            return _moved(lowering, way, form, name, value, at)
        case Item(view):
            return Item(brought(lowering, way, view, name, value.view, at))
        case Moving(_, layout, by_address):
            with lowering.builder.before_the_end_of(way.block):
                view = anywhere.by_address(lowering, value.named(name), at) if by_address else value
                view = view_of(lowering, view, name, *axes_of(lowering, view, at), layout)
            parts = [
                brought(lowering, way, S64, f"{name}.{place}", part, at)
                for place, part in enumerate(view.parts)
            ]
            return view.with_parts(parts).named(name)
        case tuple():
            if isinstance(form, MaybeValue) and not isinstance(value, MaybeValue):
                none = is_object(value, None)
                value = Constant(not none, PRED), Constant(False, PRED) if none else value
            parts = [
                brought(lowering, way, *part, at)
                for part in zip(form, [f"{name}.{place}" for place in range(len(form))], value, strict=True)
            ]
            return with_parts(form, parts)
    return value


def _moved(
    lowering: Lowering, way: Way, type_: Scalar, name: str, value: Register | Constant, at: Where
) -> Register:
    register, origin, builder = lowering.scope.register(name, type_), way.origins.get(name), lowering.builder
    if origin is not None and origin.constant is not None and isinstance(value, Register):
        number = lowering.convert(origin.constant, type_, at)
        assert isinstance(number, Constant)
        if value is not register:
            builder.also(origin.block, value, register, number)
        return register
    with builder.before_the_end_of(way.block):
        source = value
        if way.only and isinstance(value, Register) and value is not register:
            source = builder.taken_back(value)
        lowering.move(source, register, at if origin is None else origin.span)
    return register
