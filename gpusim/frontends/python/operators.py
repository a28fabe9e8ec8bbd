"""What does `a + b`, `~a` or `a < b` compute, and in which type? Numba's rules; constants are folded.

Numbers are compared lane by lane, objects of Python and lengths of tuples while compiling.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

import numpy as np

from gpusim.errors import IntegerDividedByZero
from gpusim.frontends import flow, fold
from gpusim.frontends.python import constants, types
from gpusim.frontends.python.lowering import Into, Lowering
from gpusim.frontends.python.values import (
    IntMember,
    MaybeValue,
    MemberValue,
    Static,
    Value,
    View,
    is_object,
    is_tuple,
    to_keep,
    type_of,
)
from gpusim.ir.details import Callee
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.operations import OPERATORS
from gpusim.ir.types import F16, F32, PRED, S64, U64, Scalar

MULTIPLIED = 0x10000  # a greater exponent is no longer written out
# what who writes an operator between floats meant, perhaps
MEANT: dict[type[ast.operator], str] = {
    ast.BitAnd: "join conditions with `and`, or put brackets around each: & binds before <; for bits, ",
    ast.BitOr: "join conditions with `or`, or put brackets around each: | binds before <; for bits, ",
    ast.BitXor: "a power is written **; for bits, ",
}
DIVISIONS = (Opcode.DIV, Opcode.FLOOR_DIV, Opcode.FLOOR_MOD)
STRICT: dict[type[ast.cmpop], ast.cmpop] = {ast.LtE: ast.Lt(), ast.GtE: ast.Gt()}
# comparisons -> do they hold of what is not the same?
DIFFERENT: dict[type[ast.cmpop], bool] = {ast.Is: False, ast.Eq: False, ast.IsNot: True, ast.NotEq: True}


def two_sided(lowering: Lowering, node: ast.BinOp, into: Into) -> Value:
    """`left op right`, of numbers; `+` joins tuples, too."""
    known = constants.number(lowering, node) or constants.folded(lowering, node)
    if known is not None:
        return known
    left, right = lowering.value(node.left), lowering.value(node.right)
    if isinstance(node.op, ast.Add) and is_tuple(left) and is_tuple(right):
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
            MEANT.get(type(sign), "") + "convert with int(…)",
        )
    lowering.mark_members(one, other, node)
    if opcode is Opcode.POW and type_.is_float and other.type.is_integer:
        return _multiplied(lowering, lowering.convert(one, type_, node), other, node, into)
    if isinstance(one, Constant) and isinstance(other, Constant):
        folded = _folded(lowering, sign, one, other, type_, node)
        if folded is not None:
            return folded
    if opcode is Opcode.POW and not type_.is_complex and isinstance(other, Constant) and other.value == 2:
        opcode, other = Opcode.MUL, one
    operands = (lowering.convert(one, type_, node), lowering.convert(other, type_, node))
    if opcode in DIVISIONS:
        check_divisor(lowering, operands[1], node)
    return lowering.compute(opcode, type_, operands, node, into)


def _multiplied(lowering: Lowering, power: Operand, exponent: Operand, node: ast.AST, into: Into) -> Operand:
    """A float to a whole power, as Numba computes it: x**5 is x * ((x * x) * (x * x)), whatever 5 is."""
    type_, site = power.type, lowering.site(node)
    if not isinstance(exponent, Constant) or abs(exponent.value) > MULTIPLIED:
        wide = U64 if exponent.type is U64 else S64
        operands, into = (power, lowering.convert(exponent, wide, node)), fold.fitting(into, type_)
        return site.builder.value(Opcode.CALL, type_, operands, site.span, detail=Callee("powi"), into=into)
    one: Operand = Constant(1.0, type_)
    result = one
    for place, bit in enumerate(reversed(f"{abs(exponent.value):b}")):
        if place:
            power = fold.computed(site, Opcode.MUL, power, power)
        if bit == "1":
            result = power if result is one else fold.computed(site, Opcode.MUL, result, power)
    return result if exponent.value >= 0 else fold.computed(site, Opcode.DIV, one, result)


def check_divisor(lowering: Lowering, divisor: Operand, node: ast.AST) -> None:
    """Threads that would divide by zero end the launch: of complex numbers, all with `debug=True`, and of
    integers where the launch is sanitized.
    """
    asked, of = lowering.variables, divisor.type
    if isinstance(divisor, Constant) and divisor.value:
        return
    if not (of.is_complex or asked.debug or (asked.sanitized and of.is_integer)):
        return
    site, what = lowering.site(node), "complex division" if of.is_complex else "division"
    kind = ZeroDivisionError if of.is_complex or asked.debug else IntegerDividedByZero
    test = partial(flow.branch, site, fold.truth(site, divisor))
    flow.insisted(site, test, f"ZeroDivisionError: {what} by zero", kind)


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
    if isinstance(node.op, ast.Not):
        operand = lowering.value(node.operand)
        if isinstance(operand, IntMember):  # Numba negates its truth, which it does not ask for
            return Constant(not operand.value, PRED)
        if isinstance(operand, MaybeValue):
            operand = lowering.number(operand, node)
        if is_tuple(operand) and operand:
            lowering.here_only("`not` of a tuple as a value", node, "compare its length: len(…) == 0")
        truth = lowering.truth(operand, node.operand)
        return fold.negated(lowering.site(node), truth, into)
    return unary(lowering, type(node.op), lowering.scalar(node.operand), node, into)


def unary(
    lowering: Lowering, sign: type[ast.unaryop], value: Operand, node: ast.AST, into: Into = None
) -> Operand:
    """The same of a value."""
    if sign is ast.Not or (sign is ast.Invert and value.type is PRED):
        return fold.negated(lowering.site(node), lowering.truth(value, node), into)
    if sign is ast.Invert and not value.type.is_integer:
        raise lowering.wrong(f"~ does not take {value.type.dtype}", node, "convert with int(…)")
    if value.type is PRED:
        value = lowering.convert(value, S64, node)
    type_ = types.widened(value.type, value.type) if value.type.is_integer else value.type
    if isinstance(value, IntMember):
        value = Constant(value.value, value.type)
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
    (sign,), left = node.ops, lowering.value(node.left)
    among = isinstance(sign, ast.In | ast.NotIn)
    right = (lowering.items if among else lowering.value)(node.comparators[0])
    if isinstance(sign, ast.Eq | ast.NotEq) and isinstance(left, Static) and isinstance(right, Static):
        _mark_objects(lowering, sign, left.object, right.object, node)
    return related(lowering, sign, left, right, node)


def _mark_objects(lowering: Lowering, sign: ast.cmpop, left: Any, right: Any, node: ast.AST) -> None:
    """Numba compares texts, None, and whether two NumPy dtypes are the same."""
    if left is None or right is None or (isinstance(left, str) and isinstance(right, str)):
        return
    hint = "write `is`, or compare the .kind of a dtype"
    if isinstance(left, np.dtype) and isinstance(right, np.dtype):
        if isinstance(sign, ast.Eq):
            return
        hint = "write `not a == b`"
    elif isinstance(left, np.dtype) or isinstance(right, np.dtype):
        hint = "compare with a dtype that has a name outside the kernel: `FLOAT64 = np.dtype(np.float64)`"
    lowering.here_only(f"`{ast.unparse(node)}`", node, hint)


def related(lowering: Lowering, sign: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Operand:
    """One comparison of any two values: numbers lane by lane, Python objects while compiling."""
    opcode = types.COMPARISONS.get(type(sign))
    if type(sign) in DIFFERENT and (known := _of_objects(lowering, sign, left, right, node)) is not None:
        return known
    if isinstance(sign, ast.In | ast.NotIn) and is_tuple(right):
        site = lowering.site(node)
        found: Operand = Constant(False, PRED)
        if any(type_of(item) != type_of(right[0]) for item in right):
            lowering.here_only("`in` a tuple of several types", node, "convert its items to one type")
        for item in right:
            same = related(lowering, ast.Eq(), left, item, node)
            found = fold.joined(site, Opcode.OR, found, same)
        return found if isinstance(sign, ast.In) else fold.negated(site, found)
    if isinstance(sign, ast.In | ast.NotIn):
        hint = to_keep(right) or "compare element by element, in a loop"
        raise lowering.unsupported(node, hint, "`in` but for a tuple")
    if opcode is None:
        spelled = type(sign).__name__.replace("Not", "not ").lower().replace("isnot", "is not")
        raise lowering.unsupported(node, "compare numbers with == != < <= > >=", f"`{spelled}`")
    if is_tuple(left) and is_tuple(right):
        return _in_order(lowering, sign, left, right, node)
    return _of_numbers(lowering, opcode, lowering.number(left, node), lowering.number(right, node), node)


def _of_objects(
    lowering: Lowering, sign: ast.cmpop, left: Value, right: Value, node: ast.AST
) -> Operand | None:
    """Are two values the same, or not? None where numbers are asked: Python's `is` might say otherwise."""
    different, with_none = DIFFERENT[type(sign)], is_object(left, None) or is_object(right, None)
    if isinstance(left, MemberValue) and isinstance(right, MemberValue):
        if left.type is not right.type:
            if isinstance(sign, ast.Eq | ast.NotEq):
                lowering.here_only("members of two enumerations", node, "compare the .value of both")
            return Constant(different, PRED)
        return _of_numbers(lowering, Opcode.NE if different else Opcode.EQ, left[0], right[0], node)
    for one in (left, right):
        if isinstance(one, MaybeValue) and with_none:
            there: Operand = one[0]
            return there if different else fold.negated(lowering.site(node), there)
    if isinstance(left, Static) and isinstance(right, Static):
        same, alike = left == right, type(left.object) is type(right.object)
        if with_none or isinstance(sign, ast.Is | ast.IsNot):  # to NumPy a dtype is a type, and also None
            same = same and alike
        return Constant(same is not different, PRED)
    if with_none:
        return Constant(different, PRED)
    if not isinstance(sign, ast.Is | ast.IsNot) or not (isinstance(left, View) or isinstance(right, View)):
        return None
    if left == right or type_of(left) != type_of(right):
        return Constant((left == right) is not different, PRED)
    raise lowering.unsupported(node, "ask it on the host, and pass what it gives", "`is` of two arrays")


def _in_order(
    lowering: Lowering, sign: ast.cmpop, left: tuple[Any, ...], right: tuple[Any, ...], node: ast.AST
) -> Operand:
    """Tuples compare by the first items that differ, or else by their lengths."""
    opcode, site = types.COMPARISONS[type(sign)], lowering.site(node)
    result: Operand = Constant(OPERATORS[opcode](len(left), len(right)), PRED)
    if opcode in (Opcode.EQ, Opcode.NE) and len(left) != len(right):
        return result
    for one, other in reversed(list(zip(left, right, strict=False))):
        if opcode is not Opcode.EQ:
            decided = related(lowering, STRICT.get(type(sign), sign), one, other, node)
        if opcode is not Opcode.NE:
            same = related(lowering, ast.Eq(), one, other, node)
            result = fold.joined(site, Opcode.AND, same, result)
        if opcode is not Opcode.EQ:
            result = fold.joined(site, Opcode.OR, decided, result)
    return result


def _of_numbers(lowering: Lowering, opcode: Opcode, left: Operand, right: Operand, node: ast.AST) -> Operand:
    """One comparison, in the type that holds both sides: of int64 and uint64, in float64, as in Numba."""
    if (left.type.is_complex or right.type.is_complex) and opcode not in (Opcode.EQ, Opcode.NE):
        raise lowering.wrong(
            f"{opcode.mnemonic} does not take {left.type.dtype} and {right.type.dtype}",
            node,
            "compare abs(…)",
        )
    if not (isinstance(left, IntMember) and isinstance(right, IntMember) and left.kind is right.kind):
        lowering.mark_members(left, right, node)
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        type_ = types.unify(left.type, right.type)
        left, right = lowering.convert(left, type_, node), lowering.convert(right, type_, node)
    return fold.compared(lowering.site(node), opcode, left, right)
