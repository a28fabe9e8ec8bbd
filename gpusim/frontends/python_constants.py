"""What is a number that the text of a kernel makes of numbers? `10**-3` is 0.001, as Python says.

What is written out, Python computes before any compiler sees it, in whole numbers of any length. A constant
with a type, such as a global variable, is computed in the type of the result and wraps around as the machine
would; a power that wraps around, or is cut down to a whole number, is no longer the power, and is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from gpusim.errors import KernelTypeError
from gpusim.ir.instructions import Constant, Opcode
from gpusim.ir.types import Scalar
from gpusim.source import Span

LONGEST_BITS = 4096  # of a whole number on the way to a result
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
RELATIONS: dict[Opcode, Callable[[Any, Any], bool]] = {
    Opcode.EQ: operator.eq,
    Opcode.NE: operator.ne,
    Opcode.LT: operator.lt,
    Opcode.LE: operator.le,
    Opcode.GT: operator.gt,
    Opcode.GE: operator.ge,
}


def written_out(node: ast.expr) -> Any:
    """The number that an expression of literals stands for, `2**64 - 1` for one; None for anything else.

    Raises `OverflowError` where a whole number on the way is longer than anybody means.
    """
    compute: Callable[..., Any]
    match node:
        case ast.Constant(value=bool() | int() | float() | complex() as value):
            return value
        case ast.UnaryOp() if type(node.op) in UNARY:
            compute, parts = UNARY[type(node.op)], [node.operand]
        case ast.BinOp() if type(node.op) in BINARY:
            compute, parts = BINARY[type(node.op)], [node.left, node.right]
        case _:
            return None
    numbers = [written_out(part) for part in parts]
    if None in numbers:
        return None
    if isinstance(node, ast.BinOp) and _bits(node.op, *numbers) > LONGEST_BITS:
        raise OverflowError
    try:
        return compute(*numbers)
    except (ArithmeticError, ValueError, TypeError):
        return None  # what Python refuses to compute is left to the machine


def power(one: Constant, other: Constant, type_: Scalar, span: Span) -> Constant:
    """`one ** other` of whole numbers in a type that must hold it: 3 ** -1 is no whole number."""
    base, exponent = int(one.value), int(other.value)
    if exponent < 0 and base not in (1, -1):
        why = f"is no whole number, and {type_} holds no other"
    else:
        fits = _bits(ast.Pow(), base, abs(exponent)) <= LONGEST_BITS
        result = base ** abs(exponent) if fits else None  # 1 and -1 are their own inverses
        if fits and wrapped(result, type_) == result:
            return Constant(result, type_)
        why = f"does not fit {type_}"
    raise KernelTypeError(f"{base} ** {exponent} {why}", span, "make one of them a float")


def wrapped(number: Any, type_: Scalar) -> Any:
    """A whole number as an integer type keeps it: its lowest bits. Other types keep a number as it is."""
    if not type_.is_integer:
        return number
    size = 1 << 8 * type_.bytes
    number %= size
    return number - size if type_.kind == "i" and number >= size // 2 else number


def _bits(op: ast.operator, one: Any, other: Any) -> int:
    """About how long is a power or a shift of whole numbers? Other results are not much longer than these."""
    if not (isinstance(one, int) and isinstance(other, int)) or other < 0:
        return 0
    if isinstance(op, ast.Pow):
        return 0 if one in (0, 1, -1) else one.bit_length() * other
    return one.bit_length() + other if isinstance(op, ast.LShift) else 0
