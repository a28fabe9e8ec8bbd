"""What does a variable hold? A number in a register; or an array, a tuple or an object, while compiling.

`bind` gives a name a value. A name that stands for an array, a tuple or a function does so for all threads;
where threads may hold different parts of one array, these are in registers, too.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, NoReturn

from gpusim.errors import KernelTypeError
from gpusim.frontends import flow
from gpusim.frontends.python import anywhere, types
from gpusim.frontends.python.indices import axes_of, view_of
from gpusim.frontends.python.lowering import Lowering, Where
from gpusim.frontends.python.scope import Origin, Scope
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    MaybeValue,
    Static,
    Typed,
    Value,
    View,
    described,
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
Origins = tuple[Origin | None, Origin | None]
STORAGE = "<array>"  # an array before it is assigned to a variable, which gives it its name


def variable(lowering: Lowering, target: ast.expr) -> Register | None:
    """The register that a variable had last, so that results are computed in place."""
    if not isinstance(target, ast.Name):
        return None
    registers = reversed(lowering.scope.registers.items())
    return next((register for (name, _), register in registers if name == target.id), None)


def declare(lowering: Lowering, name: str, type_: Scalar) -> Register:
    """The register of a variable, which is about to take a value of this type."""
    register = lowering.scope.register(
        name, lowering.settle(name, type_) if _is_one(lowering, name) else type_
    )
    lowering.scope.values[name] = register
    return register


def _is_one(lowering: Lowering, name: str) -> bool:
    """Has the variable one type over all its values? What an expression gives a value where it branches."""
    return name.startswith(CHOSEN) or name.partition(".")[0] in lowering.scope.within


def bind(lowering: Lowering, name: str, value: Value, span: Span) -> None:
    """Give a name a value."""
    scope, values, builder = lowering.scope, lowering.scope.values, lowering.builder
    value = _or_none(lowering, name, value)
    before = values.get(name)
    scope.certain |= {name}
    scope.origins[name] = origin = Origin(span, builder.current, None)
    match value:
        case tuple():
            if isinstance(value, GroupValue):
                value = GroupValue(value, lowering.variables.kinds.get((scope.path, name), value.type))
            own = value if isinstance(value, GroupValue) else [copied(lowering, part, span) for part in value]
            for position, part in enumerate(own):
                bind(lowering, f"{name}.{position}", part, span)
            parts = tuple(values[f"{name}.{position}"] for position in range(len(value)))
            values[name] = value.with_parts(parts) if isinstance(value, Typed) else parts
        case Item(view):
            values[name] = Item(_held(lowering, name, view, span))
        case View():
            values[name] = _held(lowering, name, value, span)
        case Static(found) if types.of_constant(found) is None:
            values[name] = value
        case _:
            number = lowering.number(value, scope.tree)
            register, known = declare(lowering, name, number.type), lowering.literal(number)
            if number.type.is_complex and not register.type.is_complex:
                raise flow.Again  # which the next pass declares wide enough
            lowering.literals.pop(register, None)
            if isinstance(known, Constant) and name.partition(".")[0] in scope.literals:
                lowering.literals[register] = known
            if isinstance(number, Constant):
                scope.origins[name] = origin._replace(constant=number)
            if number is not register and not builder.retarget(number, register):
                lowering.move(number, register, span)
    if before is not None and _is_one(lowering, name) and not alike(before, values[name]):
        agree(lowering, name, before, values[name], (None, origin), span)


def number_or_none(*values: Value | None) -> bool:
    """Are these two not alike, each a number, None, or what is either for each thread?"""
    kinds = {
        (isinstance(value, Register | Constant), isinstance(value, MaybeValue), is_object(value, None))
        for value in values
    }
    return len(kinds) == 2 and all(map(any, kinds))


def give_nothing(lowering: Lowering, span: Span) -> None:
    """The result of threads that leave a function without one: None, where others get numbers or nothing."""
    if (lowering.scope.path, RESULT) in lowering.variables.maybe:
        bind(lowering, RESULT, Static(None), span)


def guess(lowering: Lowering, node: ast.Name) -> None:
    """A variable without a value is read: the next pass knows what an earlier round of a loop gives it."""
    scope, variables = lowering.scope, lowering.variables
    if not scope.exits.loops or node.id not in scope.assigned:
        raise unassigned(lowering, node.id, lowering.span(node))
    variables.guessed[scope.path, node.id] = lowering.span(node)
    variables.learned = True
    scope.values[node.id] = scope.register(node.id, PRED)


def unassigned(lowering: Lowering, name: str, span: Span) -> KernelTypeError:
    """The refusal of a variable that no way there gives a value."""
    return lowering.wrong(f"{name!r} is used before it has a value", span, "assign to it first")


def alike(one: Value, other: Value) -> bool:
    """Do they mean the same? Of arrays, the same part of the same memory."""
    if isinstance(one, Item) and isinstance(other, Item):
        one, other = one.view, other.view
    if isinstance(one, View):
        return one.agrees(other) and isinstance(other, View) and one.parts == other.parts
    if isinstance(one, tuple) and isinstance(other, tuple):
        return shape_of(one) == shape_of(other) and all(map(alike, one, other))
    return one is other or one == other


def agree(lowering: Lowering, name: str, one: Value, other: Value, origins: Origins, at: Where) -> NoReturn:
    """A variable is both, for different threads or in turn. If it can be, the next pass holds both alike."""
    variables, key = lowering.variables, (lowering.scope.path, name)
    if isinstance(one, Item) and isinstance(other, Item):
        one, other = one.view, other.view
    if number_or_none(one, other) and key not in variables.maybe:
        variables.maybe.add(key)
    elif isinstance(one, GroupValue) and isinstance(other, GroupValue) and (both := _kind_of(one, other)):
        variables.kinds[key] = both
    elif isinstance(other, View) and other.agrees(one) and key not in variables.moving:
        variables.moving[key] = other.array.layout
    elif isinstance(other, View) and anywhere.could_be(one, other) and key not in variables.anywhere:
        variables.moving[key] = other.array.layout
        variables.anywhere.add(key)
    elif not variables.learned:
        raise _meets_another(lowering, name, [*zip((one, other), origins, strict=True)], at)
    raise flow.Again


def _meets_another(
    lowering: Lowering, name: str, both: list[tuple[Value, Origin | None]], at: Where
) -> KernelTypeError:
    what = "what the function returns" if name.startswith(RESULT) else repr(name.partition(".")[0])
    what = "what is chosen" if name.startswith(CHOSEN) else what
    (one, first), (other, last) = sorted(both, key=lambda each: each[1].span.line if each[1] else 0)
    where = f"from line {first.span.line}" if first else "otherwise"
    return lowering.wrong(
        f"{what} is {_called(other)} here and {_called(one)} {where}, and is used where the two meet",
        last.span if last else at,
        "give the new value its own name",
    )


def _kind_of(one: GroupValue, other: GroupValue) -> Any:
    """What two kinds of groups are both derived from, if it is a group."""
    kinds = [kind for kind in one.type.__mro__[:-1] if issubclass(other.type, kind) and kind.PARTS]
    return kinds[0] if kinds and one.type is not other.type else None


def _called(value: Value) -> str:
    if is_tuple(value):
        return f"a tuple of {len(value)}"
    return "a number" if isinstance(value, Register | Constant) else described(value)


def _or_none(lowering: Lowering, name: str, value: Value) -> Value:
    """A number, or None, as a variable holds it that is one for some threads, the other for others."""
    number = isinstance(value, Register | Constant)
    if (lowering.scope.path, name) not in lowering.variables.maybe or not (number or is_object(value, None)):
        return value
    return MaybeValue((Constant(number, PRED), value if number else Constant(False, PRED)), NUMBER_OR_NONE)


def _held(lowering: Lowering, name: str, view: View, span: Span) -> View:
    """How a variable holds an array: where threads may hold different parts of it, in registers."""
    moving, key = lowering.variables.moving, (lowering.scope.path, name)
    if key in lowering.variables.anywhere:
        view = anywhere.by_address(lowering, named(view, name), span)
    if key not in moving:
        return named(held_still(lowering, view, span), name)
    if moving[key] not in (view.array.layout, "A"):
        moving[key], lowering.variables.learned = "A", True
    # with all its geometry, so that it can be now this view, now another
    view = view_of(lowering, view, name, *axes_of(lowering, view, span), moving[key])
    for position, part in enumerate([lowering.copied(part, span) for part in view.parts]):
        bind(lowering, f"{name}.{position}", part, span)
    return named(view.with_parts(_number_in(lowering, f"{name}.{p}") for p in range(len(view.parts))), name)


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
