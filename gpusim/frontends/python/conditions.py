"""How does a condition become predicates, selects and branches? `and`, `or`, `not`, `a if c else b`."""

from __future__ import annotations

import ast
from functools import partial

from gpusim.frontends import flow, fold
from gpusim.frontends.python import joins, types
from gpusim.frontends.python.decided import held, known, undecided
from gpusim.frontends.python.indices import ATTRIBUTES
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.operators import Kept, unchained
from gpusim.frontends.python.scope import Way
from gpusim.frontends.python.values import (
    GroupValue,
    Item,
    MaybeValue,
    Static,
    Value,
    View,
)
from gpusim.frontends.python.variables import CHOSEN
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED

PURE = (
    ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, Kept,
    ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
LEAVES = (ast.Name, ast.Constant, Kept)
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
    """Can it divide by zero in a way that ends the launch? Then it must not run where a guard decides."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
        return False
    if isinstance(node.right, LEAVES):
        divisor = lowering.value(node.right)
        if isinstance(divisor, Constant) and divisor.value:
            return False
    leaves = (part for part in ast.walk(node) if isinstance(part, LEAVES))
    whole = lowering.variables.sanitized and not _is_float(lowering, node)
    return whole or lowering.variables.debug or any(_is_complex(lowering.value(leaf)) for leaf in leaves)


def _is_float(lowering: Lowering, node: ast.AST) -> bool:
    """Is it certainly a float? So is what `/` gives, and what is computed of one."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, ast.Div) or _is_float(lowering, left) or _is_float(lowering, right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _is_float(lowering, operand)
    value = lowering.value(node) if isinstance(node, LEAVES) else None
    return isinstance(value, Register | Constant) and value.type.is_float


def _is_complex(value: Value) -> bool:
    """Is it a complex number, or a type of such?"""
    type_ = (
        value.type
        if isinstance(value, Register | Constant)
        else types.of_name(getattr(value, "object", None))
    )
    return type_ is not None and type_.is_complex


def _is_group(lowering: Lowering, node: ast.AST) -> bool:
    """No instruction chooses one of two groups: they take a branch. So does what may be None."""
    return isinstance(node, ast.Name) and isinstance(held(lowering, node.id), GroupValue | MaybeValue)


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
    return isinstance(owner, ast.Name) and isinstance(held(lowering, owner.id), Item | View)


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
        flag = _tested(lowering, node.test)
        one, other = (lowering.value(side) for side in sides)
        if isinstance(one, Register | Constant) and isinstance(other, Register | Constant):
            return lowering.select(flag, one, other, node, into)
        test = partial(flow.branch, lowering.site(node), flag)
    result = OneOf(lowering, node)
    options = [flow.Side(partial(result.put, side), lowering.span(node)) for side in sides]
    flow.choose(lowering.site(node), test, options)
    return result.value


def _tested(lowering: Lowering, node: ast.expr) -> Operand:
    """The truth of a condition: `not` turns the choice around, and makes no value."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return fold.negated(lowering.site(node), _tested(lowering, node.operand))
    return lowering.truth(lowering.value(node), node)


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
