"""What does a variable hold? A number in a register; or an array, a tuple or an object, while compiling.

`bind` gives a name a value. What it holds where ways meet is in `joins`.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from gpusim.errors import KernelTypeError
from gpusim.frontends import flow
from gpusim.frontends.python import types
from gpusim.frontends.python.forms import Form, Moving, Unlike, mapped, with_parts
from gpusim.frontends.python.liveness import stores
from gpusim.frontends.python.lowering import Lowering, Where
from gpusim.frontends.python.scope import Origin, Spot
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    Static,
    Value,
    View,
    described,
    is_tuple,
)
from gpusim.ir.instructions import Constant, Register
from gpusim.ir.types import Scalar
from gpusim.source import Span

RESULT = "<result>"  # the variable that a device function returns in
CHOSEN = "<chosen>"  # the one that holds what `a if c else b` is


def variable(lowering: Lowering, target: ast.expr) -> Register | None:
    """The register that a variable had last, so that results are computed in place."""
    if not isinstance(target, ast.Name):
        return None
    registers = reversed(lowering.scope.registers.items())
    return next((register for (name, _), register in registers if name == target.id), None)


def bind(lowering: Lowering, name: str, value: Value, span: Span) -> None:
    """Give a name a value."""
    scope, values, builder = lowering.scope, lowering.scope.values, lowering.builder
    scope.origins[name] = origin = Origin(span, builder.current, None)
    match value:
        case tuple():
            own = value if isinstance(value, GroupValue) else [as_now(lowering, part, span) for part in value]
            names = [f"{name}.{position}" for position in range(len(value))]
            for part in zip(names, own, strict=True):
                bind(lowering, *part, span)
            values[name] = with_parts(value, [values[part] for part in names])
        case Item(view):
            values[name] = Item(held_still(lowering, view, span).named(name))
        case View():
            values[name] = held_still(lowering, value, span).named(name)
        case Static(found) if types.of_constant(found) is None:
            values[name] = value
        case _:
            number = lowering.number(value, scope.tree)
            values[name] = register = scope.register(name, number.type)
            known = lowering.literal(number)
            lowering.literals.pop(register, None)
            if isinstance(known, Constant) and name.partition(".")[0] in scope.literals:
                lowering.literals[register] = known
            if isinstance(number, Constant):
                scope.origins[name] = origin._replace(constant=number)
            if number is not register and not builder.retarget(number, register):
                lowering.move(number, register, span)


def unassigned(lowering: Lowering, node: ast.Name) -> NoReturn:
    """A variable is read that has no value on the way here. If it is given one above, as Numba asks, it may
    have it from an earlier round of a loop, as a later pass knows.
    """
    scope, variables = lowering.scope, lowering.variables
    place = node.lineno, node.col_offset
    above = any((one.lineno, one.col_offset) < place for one in stores(scope.tree.body, node.id))
    spot = Spot(scope.path, scope.copies, place, node.id)
    if scope.exits.loops and above and spot not in variables.guessed:
        variables.guessed.add(spot)
        variables.learned = True
        raise flow.Unknown
    raise lowering.wrong(f"{node.id!r} is used before it has a value", node, "assign to it first")


def meets_another(
    lowering: Lowering, name: str, unlike: Unlike, origins: tuple[Origin | None, Origin | None], at: Where
) -> KernelTypeError:
    """The refusal of two values where ways meet."""
    both = zip(unlike.forms, origins, strict=True)
    (one, first), (other, last) = sorted(both, key=lambda each: each[1].span.line if each[1] else 0)
    where = f"from line {first.span.line}" if first else "otherwise"
    what = {RESULT: "what the function returns", CHOSEN: "what is chosen"}
    called = what.get(name.partition(".")[0], repr(name.partition(".")[0]))
    return lowering.wrong(
        f"{called} is {_called(other)} here and {_called(one)} {where}, and is used where the two meet",
        last.span if last else at,
        "give the new value its own name",
    )


def _called(form: Form) -> str:
    if is_tuple(form):
        return f"a tuple of {len(form)}"
    if isinstance(form, Moving):
        return "an array"
    return "a number" if isinstance(form, Scalar) else described(form)


def as_now(lowering: Lowering, value: Value, span: Span) -> Value:
    """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""

    def now(part: Value) -> Value:
        if isinstance(part, View):
            return held_still(lowering, part, span)
        return lowering.copied(part, span) if isinstance(part, Register) else part

    held: Value = mapped(now, value)
    return held


def held_still(lowering: Lowering, view: View, span: Span) -> View:
    """The same of the indices and of the geometry of a view."""
    return view.with_parts([lowering.copied(part, span) for part in view.parts])
