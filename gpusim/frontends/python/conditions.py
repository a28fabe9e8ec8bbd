"""How does a condition become predicates, selects and branches? `and`, `or`, `not`, `a if c else b`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from gpusim.frontends import flow, fold
from gpusim.frontends.python import joins
from gpusim.frontends.python.constants import number
from gpusim.frontends.python.indices import ATTRIBUTES
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.operators import Kept, unchained
from gpusim.frontends.python.scope import Scope, Way
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    MaybeValue,
    Static,
    Value,
    View,
    is_object,
)
from gpusim.frontends.python.variables import CHOSEN
from gpusim.ir.details import SpecialRegister
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED

PURE = (
    ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, Kept,
    ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
ARITHMETIC = (abs, min, max)


def only_computes(lowering: Lowering, node: ast.expr) -> bool:
    """Does evaluating it read no array, and call nothing but conversions, `abs`, `min` and `max`?"""
    if isinstance(node, ast.Constant) and node.value is None:
        return False  # it is chosen by a branch
    return not any(_is_group(lowering, part) for part in ast.walk(node)) and all(
        (isinstance(part, PURE) and not _reads_field(lowering, part) and not _may_trap(lowering, part))
        or _is_arithmetic(lowering, part)
        for part in ast.walk(node)
    )


def _may_trap(lowering: Lowering, node: ast.AST) -> bool:
    """With debug=True a division by zero ends the launch: it must not run where a guard decides."""
    return lowering.variables.debug and isinstance(node, ast.Div | ast.FloorDiv | ast.Mod)


def _is_group(lowering: Lowering, node: ast.AST) -> bool:
    """No instruction chooses one of two groups: they take a branch. So does what may be None."""
    return isinstance(node, ast.Name) and isinstance(_held(lowering, node.id), GroupValue | MaybeValue)


def _is_arithmetic(lowering: Lowering, node: ast.AST) -> bool:
    """`np.float32(0)`, `min(a, b)`."""
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    if not all(isinstance(part, ast.Name | ast.Attribute | ast.expr_context) for part in ast.walk(node.func)):
        return False
    called = lowering.value(node.func)
    return isinstance(called, Static) and (isinstance(called.object, type) or called.object in ARITHMETIC)


def _reads_field(lowering: Lowering, node: ast.AST) -> bool:
    """`record.x` reads memory; `array.shape` and `math.pi` do not."""
    if not isinstance(node, ast.Attribute) or node.attr in ATTRIBUTES:
        return False
    owner = node.value
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and isinstance(_held(lowering, owner.id), Item | View)


def _held(lowering: Lowering, name: str) -> Value | None:
    holder = lowering.scope.holder(name)
    return holder.values.get(name) if holder else None


def condition(lowering: Lowering, node: ast.expr, then: int, otherwise: int) -> None:
    """Branch on an expression, with one branch for each part that must not always run."""
    site, truth = lowering.site(node), known(lowering, node)
    if truth is not None:
        flow.branch(site, Constant(truth, PRED), then, otherwise)
        return
    match node:
        case ast.BoolOp(op=op):
            operands = undecided(lowering, node)
            parts = [
                run[0] if len(run) == 1 else ast.copy_location(ast.BoolOp(op=op, values=run), run[0])
                for run in flow.runs(operands, partial(only_computes, lowering))
            ]
            if len(operands) == 1 or len(parts) > 1:
                tests = [partial(condition, lowering, part) for part in parts]
                flow.short_circuit(site, isinstance(op, ast.And), tests, then, otherwise)
                return
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            condition(lowering, operand, otherwise, then)
            return
        case ast.Compare() if len(node.ops) > 1:
            condition(lowering, unchained(node), then, otherwise)
            return
    flow.branch(site, lowering.truth(lowering.value(node), node), then, otherwise)


def logical(lowering: Lowering, node: ast.BoolOp, _into: Into) -> Value:
    """`a or b` is a where a is true, else b."""
    parts = undecided(lowering, node)
    if len(parts) < len(node.values):
        rest = ast.copy_location(ast.BoolOp(op=node.op, values=parts), node)
        return lowering.value(parts[0] if len(parts) == 1 else rest)
    if all(only_computes(lowering, part) for part in parts[1:]):
        parts[0] = ast.copy_location(Kept(parts[0]), parts[0])
        if isinstance(lowering.value(parts[0]), Register | Constant):
            return _selected(lowering, ast.copy_location(ast.BoolOp(op=node.op, values=parts), node))
    result = OneOf(lowering, node)
    puts = [partial(result.put, part) for part in parts]
    conjunction = isinstance(node.op, ast.And)
    flow.in_turn(lowering.site(node), conjunction, puts, lambda: lowering.truth(result.last, node))
    return result.value


def _selected(lowering: Lowering, node: ast.BoolOp) -> Operand:
    result = lowering.scalar(node.values[0])
    opcode = Opcode.OR if isinstance(node.op, ast.Or) else Opcode.AND
    for part in node.values[1:]:
        value = lowering.scalar(part)
        if result.type is value.type is PRED:
            result = fold.joined(lowering.site(node), opcode, result, value)
            continue
        sides = (result, value) if opcode is Opcode.OR else (value, result)
        result = lowering.select(lowering.truth(result, node), *sides, node)
    return result


def choice(lowering: Lowering, node: ast.IfExp, into: Into) -> Value:
    """`a if c else b`: a select where both sides are plain arithmetic, else a branch."""
    truth, sides = known(lowering, node.test), (node.body, node.orelse)
    if truth is not None:
        return lowering.value(sides[not truth], into)
    test = partial(condition, lowering, node.test)
    if all(only_computes(lowering, side) for side in sides):
        flag = lowering.truth(lowering.value(node.test), node)
        one, other = (lowering.value(side) for side in sides)
        if isinstance(one, Register | Constant) and isinstance(other, Register | Constant):
            return lowering.select(flag, one, other, node, into)
        test = partial(flow.branch, lowering.site(node), flag)
    result = OneOf(lowering, node)
    options = [flow.Side(partial(result.put, side), lowering.span(node)) for side in sides]
    flow.choose(lowering.site(node), test, options)
    return result.value


class OneOf:
    """One of several values: of a number, in the type that holds them all."""

    def __init__(self, lowering: Lowering, node: ast.expr) -> None:
        self.lowering, self.node = lowering, node
        self.held: list[tuple[Way, Value]] = []

    def put(self, side: ast.expr) -> None:
        """Evaluate a side."""
        value = self.lowering.value(side)
        self.held.append((Way(self.lowering.builder.current, {}, {}, only=False), value))

    @property
    def last(self) -> Value:
        """What the side was that was put last."""
        return self.held[-1][1]

    @property
    def value(self) -> Value:
        """What came of the sides that were put."""
        lowering, node = self.lowering, self.node
        value = joins.joined(lowering, f"{CHOSEN}.{node.lineno}:{node.col_offset}", self.held, node)
        return value.named(f"({ast.unparse(node)})") if isinstance(value, View) else value


# what Numba decides before it knows types: then there is no branch, and nobody asks about the other side ------


def known(lowering: Lowering, node: ast.expr) -> bool | None:
    """The truth of a condition that Numba decides at once; else None, and both sides have a say in types.

    It knows what `_is_named` says, and one operation on two such: `N == 3`, `N + 1`, not `N + 1 == 4`.
    """
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = known(lowering, operand)
            return None if inner is None else not inner
        case ast.BoolOp():
            rest = undecided(lowering, node)
            return known(lowering, rest[0]) if len(rest) == 1 else None
        case ast.IfExp(test=test, body=body, orelse=orelse):
            truth = known(lowering, test)
            return None if truth is None else known(lowering, body if truth else orelse)
        case ast.Tuple(elts=items) if all(isinstance(item, ast.Constant) for item in items):
            return bool(items)  # Python has dropped the branch
    if not _is_decided(lowering, node):
        return None
    holders = list(_around(lowering.scope))
    before = [holder.values for holder in holders]
    for holder in holders:
        holder.values = {name: _constant(lowering, holder, name) for name in holder.values}
    value = lowering.value(node)
    for holder, values in zip(holders, before, strict=True):
        holder.values = values
    truth = lowering.truth(value, node) if isinstance(value, Constant | Static | tuple) else None
    return bool(truth.value) if isinstance(truth, Constant) else None


def undecided(lowering: Lowering, node: ast.BoolOp) -> list[ast.expr]:
    """The parts of `and` or `or` that matter: what is known to be neutral says nothing, what is known to
    decide is the last.
    """
    parts: list[ast.expr] = []
    for part in node.values[:-1]:
        truth = known(lowering, part)
        if truth is None:
            parts.append(part)
        elif truth is isinstance(node.op, ast.Or):
            return [*parts, part]
    return [*parts, node.values[-1]]


def _is_decided(lowering: Lowering, node: ast.expr) -> bool:
    """Is it a named value, or an operation on two? Then evaluating it makes no instruction."""
    match node:
        case ast.Name(id=name) if _is_none(lowering, node) and not lowering.scope.pinned:
            return name not in lowering.scope.parameters
        case ast.Name(id=name) if (holder := lowering.scope.holder(name)) and not holder.pinned:
            given = holder.definition(name)
            return _is_named(lowering, node) or (given is not None and _is_decided(lowering, given))
        case ast.Compare(left=left, ops=ops, comparators=others):
            numbers = not any(isinstance(op, ast.In | ast.NotIn) for op in ops)
            return numbers and all(_is_named(lowering, part) for part in (left, *others))
        case ast.BinOp(left=left, right=right):
            return _is_named(lowering, left) and _is_named(lowering, right)
    return _is_named(lowering, node)


def _is_named(lowering: Lowering, node: ast.expr) -> bool:
    """Is it written out, a name from outside, a parameter's `ndim`, a parameter that is None; or a name for
    one of these? In what we have written for kernels ourselves, all that is known.
    """
    scope = lowering.scope
    match node:
        case ast.Constant():
            return True
        case Kept(value=value) | ast.NamedExpr(value=value):
            return _is_named(lowering, value)
        case ast.Name(id=name) if holder := scope.holder(name):
            given = holder.definition(name)
            if not isinstance(_constant(lowering, holder, name), Constant | Static | tuple):
                return False
            if given is None:
                inner = holder.enclosing is not None and name not in holder.computed
                return holder.pinned or _is_none(lowering, node) or (inner and name in holder.parameters)
            return holder.pinned or _is_named(lowering, given)
        case ast.Name(id=name):
            return scope.knows(name) and not isinstance(scope.free(name), SpecialRegister)
        case ast.Attribute(value=ast.Name() as owner, attr="ndim"):
            return isinstance(_held(lowering, owner.id), View) and _is_parameter(lowering, owner)
        case ast.Attribute(value=owner, attr=attribute) if scope.pinned and _is_named(lowering, owner):
            value = lowering.value(owner)
            found = getattr(value.object, attribute, None) if isinstance(value, Static) else None
            return found is not None and not isinstance(found, SpecialRegister)
        case ast.BoolOp() | ast.IfExp() as choice if (truth := known(lowering, choice)) is not None:
            return truth is not None
        case ast.Compare() | ast.UnaryOp() | ast.BinOp() if scope.pinned:
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            return all(_is_named(lowering, part) for part in parts)
    return number(lowering, node) is not None


def _constant(lowering: Lowering, holder: Scope, name: str) -> Value | None:
    """What a variable holds: the number itself, where its register holds no other."""
    value, origin = lowering.literal(holder.values.get(name)), holder.origins.get(name)
    return origin.constant if isinstance(value, Register) and origin and origin.constant else value


def _around(scope: Scope | None) -> Iterator[Scope]:
    """A function, and those that enclose it."""
    while scope is not None:
        yield scope
        scope = scope.enclosing


def _is_none(lowering: Lowering, node: ast.Name) -> bool:
    return is_object(_held(lowering, node.id), None)


def _is_parameter(lowering: Lowering, node: ast.Name) -> bool:
    """Is it one, or another name for one?"""
    holder = lowering.scope.holder(node.id)
    given = holder.definition(node.id) if holder else None
    if given is None:
        return holder is not None and node.id in holder.parameters
    return isinstance(given, ast.Name) and _is_parameter(lowering, given)
