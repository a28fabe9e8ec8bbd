"""What does a front-end know of numbers already? Constants are folded; all else becomes an instruction.

In both languages, so that `2 * 3` costs nothing and a condition that is known takes no branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.frontends.site import Site
from gpusim.ir.conversion import converted
from gpusim.ir.instructions import Constant, Opcode, Operand, Register
from gpusim.ir.operations import COMPUTE, OPERATORS
from gpusim.ir.types import PRED, Scalar


def constant(number: Any, type_: Scalar) -> Constant:
    """A constant of this type, wrapped around or rounded as a cast does it: 300 as int8 is 44."""
    if type_ is PRED:
        return Constant(bool(number), PRED)
    if isinstance(number, int) and type_.is_integer:
        number &= (1 << type_.bits) - 1
        return Constant(
            number - (1 << type_.bits) if type_.kind == "i" and number >> (type_.bits - 1) else number, type_
        )
    with np.errstate(all="ignore"):
        return Constant(converted(number, type_.dtype).item(), type_)


def fitting(into: Register | None, type_: Scalar) -> Register | None:
    """The register that a result is wanted in, if it can take it."""
    return into if into is not None and into.type is type_ else None


def cast(site: Site, operand: Operand, type_: Scalar, into: Register | None = None) -> Operand:
    """The number in another type."""
    if operand.type is type_:
        return operand
    if isinstance(operand, Constant):
        return constant(operand.value, type_)
    return site.builder.value(Opcode.CONVERT, type_, (operand,), site.span, into=fitting(into, type_))


def computed(site: Site, opcode: Opcode, one: Operand, *others: Operand) -> Operand:
    """One operation in the type of its operands; constants are folded as the machine would compute them."""
    by_zero = opcode in (Opcode.DIV_TRUNC, Opcode.MOD_TRUNC) and others[0] == Constant(0, one.type)
    known = [operand.value for operand in (one, *others) if isinstance(operand, Constant)]
    if len(known) == 1 + len(others) and not by_zero:
        with np.errstate(all="ignore"):
            return constant(COMPUTE[opcode](*map(one.type.dtype.type, known)), one.type)
    return site.builder.value(opcode, one.type, (one, *others), site.span)


def truth(site: Site, number: Operand) -> Operand:
    """Is a number not zero? A predicate."""
    if number.type is PRED:
        return number
    return compared(site, Opcode.NE, number, constant(0, number.type))


def compared(site: Site, opcode: Opcode, one: Operand, other: Operand) -> Operand:
    """A predicate from two numbers of one type; two constants may be of any."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        return Constant(bool(OPERATORS[opcode](one.value, other.value)), PRED)
    return site.builder.value(opcode, one.type, (one, other), site.span, result=PRED)


def joined(site: Site, opcode: Opcode, one: Operand, other: Operand) -> Operand:
    """`one and other`, or `one or other`, of two predicates: a known one decides, or says nothing."""
    for flag, rest in ((one, other), (other, one)):
        if isinstance(flag, Constant):
            return flag if flag.value is (opcode is Opcode.OR) else rest
    return site.builder.value(opcode, PRED, (one, other), site.span)


def negated(site: Site, flag: Operand, into: Register | None = None) -> Operand:
    """`not flag`."""
    if isinstance(flag, Constant):
        return Constant(not flag.value, PRED)
    return site.builder.value(Opcode.NOT, PRED, (flag,), site.span, into=fitting(into, PRED))


def select(site: Site, flag: Operand, one: Operand, other: Operand, into: Register | None = None) -> Operand:
    """One number where the flag holds, else the other; both are of one type."""
    if isinstance(flag, Constant):
        return one if flag.value else other
    into = fitting(into, one.type)
    return site.builder.value(Opcode.SELECT, one.type, (flag, one, other), site.span, into=into)


def copied(site: Site, operand: Operand) -> Operand:
    """A value that later assignments to the variable it came from do not change: `a, b = b, a`."""
    if isinstance(operand, Register) and not operand.is_temporary:
        return site.builder.value(Opcode.MOVE, operand.type, (operand,), site.span)
    return operand


def move(site: Site, operand: Operand, into: Register) -> None:
    """Put a number of the register's own type into it."""
    if operand is not into:
        site.builder.value(Opcode.MOVE, into.type, (operand,), site.span, into=into)
