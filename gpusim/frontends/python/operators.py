"""What does `a + b`, `~a` or `a < b` compute, and in which type? Numba's rules; constants are folded.

Numbers are compared lane by lane, objects of Python and lengths of tuples while compiling.
"""

from __future__ import annotations

import ast
from typing import Any

from gpusim.frontends import fold
from gpusim.frontends.python import constants, types
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.values import Static, Value
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.operations import OPERATORS
from gpusim.ir.types import F16, F32, PRED, S64, U64, Scalar

STRICT: dict[type[ast.cmpop], ast.cmpop] = {ast.LtE: ast.Lt(), ast.GtE: ast.Gt()}
MIRRORED = {Opcode.LT: Opcode.GT, Opcode.LE: Opcode.GE, Opcode.GT: Opcode.LT, Opcode.GE: Opcode.LE}


def two_sided(lowering: Lowering, node: ast.BinOp, into: Into) -> Value:
    """`left op right`, of numbers; `+` joins tuples, too."""
    known = constants.number(lowering, node)
    if known is not None:
        return known
    left, right = lowering.value(node.left), lowering.value(node.right)
    if isinstance(node.op, ast.Add) and type(left) is tuple and type(right) is tuple:
        return left + right
    return binary(lowering, node.op, left, right, node, into)


def binary(
    lowering: Lowering, sign: ast.operator, left: Value, right: Value, node: ast.AST, into: Into = None
) -> Operand:
    """`left op right` in the type that Numba computes it in."""
    if type(sign) not in types.BINARY:
        raise lowering.unsupported(node, "multiply elements in a loop", "`@`")
    opcode = types.BINARY[type(sign)]
    one, other = lowering.number(left, node), lowering.number(right, node)
    type_ = types.binary_result(opcode, one.type, other.type)
    if type_ is None:
        raise lowering.wrong(
            f"{opcode.mnemonic} does not take {one.type.dtype} and {other.type.dtype}",
            node,
            "convert with int(…)",
        )
    if isinstance(one, Constant) and isinstance(other, Constant):
        folded = _folded(lowering, sign, one, other, type_, node)
        if folded is not None:
            return folded
    if opcode is Opcode.POW and isinstance(other, Constant) and other.value == 2:
        opcode, other = Opcode.MUL, one
    operands = (lowering.convert(one, type_, node), lowering.convert(other, type_, node))
    return lowering.compute(opcode, type_, operands, node, into)


def _folded(
    lowering: Lowering, sign: ast.operator, one: Constant, other: Constant, type_: Scalar, node: ast.AST
) -> Constant | None:
    """The result of constants, wrapped around as the machine would; None to leave it to the machine."""
    if isinstance(sign, ast.Pow) and type_.is_integer:
        return constants.power(lowering, one, other, type_, node)
    left, right = fold.constant(one.value, type_), fold.constant(other.value, type_)
    try:
        result = OPERATORS[types.BINARY[type(sign)]](left.value, right.value)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    if isinstance(result, complex) and not type_.is_complex:
        return None  # Python's (-8.0) ** (1 / 3); the machine's is no number
    return fold.constant(result, type_)


def one_sided(lowering: Lowering, node: ast.UnaryOp, into: Into) -> Value:
    """`-x`, `+x` or `~x`: of an integer in its own type, widened afterwards, as Numba does it; `not x`."""
    known = constants.number(lowering, node)
    if known is not None:
        return known
    value, sign = lowering.scalar(node.operand), type(node.op)
    if sign is ast.Not or (sign is ast.Invert and value.type is PRED):
        return fold.negated(lowering.site(node), lowering.truth(value, node), into)
    if sign is ast.Invert and not value.type.is_integer:
        raise lowering.wrong(f"~ does not take {value.type.dtype}", node, "convert with int(…)")
    if value.type is PRED:
        value = lowering.convert(value, S64, node)
    type_ = types.widened(value.type, value.type) if value.type.is_integer else value.type
    if sign is ast.UAdd:
        return lowering.convert(value, F32 if type_ is F16 else type_, node)  # though - keeps float16
    if isinstance(value, Constant):
        made: Operand = fold.constant(OPERATORS[types.UNARY[sign]](value.value), value.type)
    else:
        made = lowering.compute(types.UNARY[sign], value.type, (value,), node, into)
    return lowering.convert(made, type_, node, into)


# comparisons ------------------------------------------------------------------------------------------------


class Kept(ast.expr):
    """An expression that stands at two places and is evaluated at the first: b in `a < b < c`."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value
        self.result: Value | None = None


def kept(lowering: Lowering, node: Kept, _into: Into) -> Value:
    """What it was where it was first evaluated."""
    if node.result is None:
        node.result = lowering.value(node.value)
    return node.result


def unchained(node: ast.Compare) -> ast.BoolOp:
    """`a < b < c` as `a < b and b < c`, with b evaluated once."""
    *middle, last = node.comparators
    sides = [node.left, *(ast.copy_location(Kept(value), value) for value in middle), last]
    pairs = [
        ast.copy_location(ast.Compare(left=left, ops=[op], comparators=[right]), node)
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
    ]
    return ast.copy_location(ast.BoolOp(op=ast.And(), values=list[ast.expr](pairs)), node)


def comparison(lowering: Lowering, node: ast.Compare, _into: Into) -> Value:
    """`a < b`, or a chain of such."""
    if len(node.ops) > 1:
        return lowering.value(unchained(node))
    left, right = lowering.value(node.left), lowering.value(node.comparators[0])
    return _related(lowering, node.ops[0], left, right, node)


def _related(lowering: Lowering, sign: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Operand:
    """One comparison of any two values: numbers lane by lane, Python objects while compiling."""
    opcode = types.COMPARISONS.get(type(sign))
    objects = isinstance(left, Static) and isinstance(right, Static)
    if isinstance(sign, ast.Is | ast.IsNot) and (objects or Static(None) in (left, right)):
        return Constant((left == right) is isinstance(sign, ast.Is), PRED)
    if isinstance(sign, ast.In | ast.NotIn) and type(right) is tuple:
        site = lowering.site(node)
        found: Operand = Constant(False, PRED)
        for item in right:
            same = _related(lowering, ast.Eq(), left, item, node)
            found = fold.joined(site, Opcode.OR, found, same)
        return found if isinstance(sign, ast.In) else fold.negated(site, found)
    if isinstance(sign, ast.In | ast.NotIn):
        raise lowering.unsupported(node, "compare element by element, in a loop", "`in` but for a tuple")
    if opcode is None:
        spelled = type(sign).__name__.replace("Not", "not ").lower().replace("isnot", "is not")
        raise lowering.unsupported(node, "compare numbers with == != < <= > >=", f"`{spelled}`")
    if type(left) is tuple and type(right) is tuple:
        return _in_order(lowering, sign, left, right, node)
    if objects and opcode in (Opcode.EQ, Opcode.NE):
        return Constant((left == right) is (opcode is Opcode.EQ), PRED)
    return _of_numbers(lowering, opcode, lowering.number(left, node), lowering.number(right, node), node)


def _in_order(
    lowering: Lowering, sign: ast.cmpop, left: tuple[Any, ...], right: tuple[Any, ...], node: ast.Compare
) -> Operand:
    """Tuples compare by the first items that differ, or else by their lengths."""
    opcode, site = types.COMPARISONS[type(sign)], lowering.site(node)
    result: Operand = Constant(OPERATORS[opcode](len(left), len(right)), PRED)
    if opcode in (Opcode.EQ, Opcode.NE) and len(left) != len(right):
        return result
    for one, other in reversed(list(zip(left, right, strict=False))):
        if opcode is not Opcode.EQ:
            decided = _related(lowering, STRICT.get(type(sign), sign), one, other, node)
        if opcode is not Opcode.NE:
            same = _related(lowering, ast.Eq(), one, other, node)
            result = fold.joined(site, Opcode.AND, same, result)
        if opcode is not Opcode.EQ:
            result = fold.joined(site, Opcode.OR, decided, result)
    return result


def _of_numbers(lowering: Lowering, opcode: Opcode, left: Operand, right: Operand, node: ast.AST) -> Operand:
    """One comparison, in the type that holds both sides."""
    kinds = left.type, right.type
    if (left.type.is_complex or right.type.is_complex) and opcode not in (Opcode.EQ, Opcode.NE):
        raise lowering.wrong(
            f"{opcode.mnemonic} does not take {left.type.dtype} and {right.type.dtype}",
            node,
            "compare abs(…)",
        )
    if all(type_.is_integer for type_ in kinds) and left.type.kind != right.type.kind:
        left, right = (x if x.type is U64 else lowering.convert(x, S64, node) for x in (left, right))
        if U64 in (left.type, right.type):
            return _of_signs(lowering, opcode, left, right, node)
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        type_ = types.unify(left.type, right.type)
        left, right = lowering.convert(left, type_, node), lowering.convert(right, type_, node)
    return fold.compared(lowering.site(node), opcode, left, right)


def _of_signs(lowering: Lowering, opcode: Opcode, left: Operand, right: Operand, node: ast.AST) -> Operand:
    """s64 with u64, exactly: numbers of 2^63 and more, which look negative as s64, exceed every s64."""
    if left.type is U64:
        opcode, left, right = MIRRORED.get(opcode, opcode), right, left
    large = lowering.convert(right, S64, node)
    join = Opcode.AND if opcode in (Opcode.EQ, Opcode.GT, Opcode.GE) else Opcode.OR
    sign = Opcode.GE if join is Opcode.AND else Opcode.LT
    in_range = lowering.compute(sign, S64, (large, Constant(0, S64)), node, result=PRED)
    compared = lowering.compute(opcode, S64, (left, large), node, result=PRED)
    return lowering.compute(join, PRED, (in_range, compared), node)
