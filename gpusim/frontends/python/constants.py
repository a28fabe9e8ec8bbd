"""What is a number that the text of a kernel makes of numbers? `10**-3` is 0.001, as Python says.

What is written out, Python computes before any compiler sees it, in whole numbers of any length. A constant
with a type, such as a global variable, is computed in the type of the result and wraps around as the machine
would; a power that wraps around, or is cut down to a whole number, is no longer the power, and is refused.
"""

from __future__ import annotations

import ast
import dis
import operator
from collections.abc import Callable
from typing import Any

from gpusim.frontends import fold
from gpusim.frontends.python import types
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.values import Static, Value
from gpusim.ir.instructions import Constant
from gpusim.ir.operations import OPERATORS
from gpusim.ir.types import Scalar

LONGEST_BITS = 4096  # of a whole number on the way to a result
LITERALS = ast.Constant, ast.Tuple, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.expr_context


def number(lowering: Lowering, node: ast.expr) -> Constant | None:
    """The number that an expression of literals stands for, `2**64 - 1` for one; None for anything else."""
    try:
        value = _written_out(node)
    except OverflowError:
        value = 1 << LONGEST_BITS
    type_ = types.of_constant(value)
    if type_ is None and value is not None:
        hint = "write a float, like 2.0**100"
        raise lowering.wrong(f"{ast.unparse(node)} does not fit 64 bits", node, hint)
    return None if type_ is None else Constant(value, type_)


def folded(lowering: Lowering, node: ast.BinOp) -> Value | None:
    """The text or tuple that Python makes of literals before any compiler sees them: `(1, 2) * 2`."""
    if not all(isinstance(part, LITERALS) for part in ast.walk(node)):
        return None
    code = compile(ast.Expression(node), "", "eval")
    folds = all(one.opname != "BINARY_OP" for one in dis.get_instructions(code))
    return _value(eval(code)) if folds else None


def _value(found: Any) -> Value:
    type_ = types.of_constant(found)
    if isinstance(found, tuple):
        return tuple(map(_value, found))
    return Static(found) if type_ is None else Constant(found, type_)


def is_literal(lowering: Lowering, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
    """Does Numba take this for a number that is known, as a shape must be? It folds what is written out only:
    `4 * 8`, and the name of such a number, but not `3 * THREADS`. Of names that were `seen` on the way here
    nothing new is to be learned.
    """
    scope = lowering.scope
    match node:
        case ast.Name(id=name) if name in seen:
            return True
        case ast.Name(id=name):
            holder, seen = scope.holder(name) or scope, seen | {name}
            given = [value for value in holder.given.get(name, {}).values() if value is not None]
            known = name not in holder.computed and all(is_literal(lowering, value, seen) for value in given)
            return scope.pinned or known
        case ast.Tuple(elts=items):
            return all(is_literal(lowering, item, seen) for item in items)
        case ast.Subscript(value=owner) | ast.Attribute(value=owner):
            return is_literal(lowering, owner, seen)
    return scope.pinned or isinstance(node, ast.Constant) or _written_out(node) is not None


def _written_out(node: ast.expr) -> Any:
    """Raises `OverflowError` where a whole number on the way is longer than anybody means."""
    compute: Callable[..., Any]
    match node:
        case ast.Constant(value=bool() | int() | float() | complex() as value):
            return value
        case ast.UnaryOp() if type(node.op) in types.UNARY:
            compute, parts = OPERATORS[types.UNARY[type(node.op)]], [node.operand]
        case ast.UnaryOp(op=ast.Not()):
            compute, parts = operator.not_, [node.operand]
        case ast.BinOp() if type(node.op) in types.BINARY:
            compute, parts = OPERATORS[types.BINARY[type(node.op)]], [node.left, node.right]
        case _:
            return None
    numbers = [_written_out(part) for part in parts]
    if None in numbers:
        return None
    if isinstance(node, ast.BinOp) and _bits(node.op, *numbers) > LONGEST_BITS:
        raise OverflowError
    try:
        return compute(*numbers)
    except (ArithmeticError, ValueError, TypeError):
        return None  # what Python refuses to compute is left to the machine


def power(lowering: Lowering, one: Constant, other: Constant, type_: Scalar, node: ast.AST) -> Constant:
    """`one ** other` of whole numbers in a type that must hold it: 3 ** -1 is no whole number."""
    base, exponent = int(one.value), int(other.value)
    if exponent < 0 and base not in (1, -1):
        why = f"is no whole number, and {type_.dtype} holds no other"
    else:
        fits = _bits(ast.Pow(), base, abs(exponent)) <= LONGEST_BITS
        result = base ** abs(exponent) if fits else None  # 1 and -1 are their own inverses
        if fits and fold.constant(result, type_).value == result:
            return Constant(result, type_)
        why = f"does not fit {type_.dtype}"
    raise lowering.wrong(f"{base} ** {exponent} {why}", node, "make one of them a float")


def _bits(op: ast.operator, one: Any, other: Any) -> int:
    """About how long is a power or a shift of whole numbers? Other results are not much longer than these."""
    if not (isinstance(one, int) and isinstance(other, int)) or other < 0:
        return 0
    if isinstance(op, ast.Pow):
        return 0 if one in (0, 1, -1) else one.bit_length() * other
    return one.bit_length() + other if isinstance(op, ast.LShift) else 0
