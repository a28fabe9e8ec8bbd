"""Which type does an expression have in Numba's dialect? Numba's own rules, as tables.

int32 + int32 is int64, as in Numba: integers are computed in at least the width of a pointer. Mixing a 32-bit
integer with a float32 gives float64. Checked against numba 0.68's resolver in tests/frontends.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gpusim.ir.instructions import Opcode
from gpusim.ir.types import (
    BY_DTYPE,
    C64,
    C128,
    F16,
    F32,
    F64,
    PRED,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    Array,
    Element,
    Scalar,
    element_of,
)

BINARY = {
    ast.Add: Opcode.ADD,
    ast.Sub: Opcode.SUB,
    ast.Mult: Opcode.MUL,
    ast.Div: Opcode.DIV,
    ast.FloorDiv: Opcode.FLOOR_DIV,
    ast.Mod: Opcode.FLOOR_MOD,
    ast.Pow: Opcode.POW,
    ast.BitAnd: Opcode.AND,
    ast.BitOr: Opcode.OR,
    ast.BitXor: Opcode.XOR,
    ast.LShift: Opcode.SHL,
    ast.RShift: Opcode.SHR,
}
UNARY = {ast.USub: Opcode.NEG, ast.UAdd: Opcode.MOVE, ast.Invert: Opcode.NOT}
COMPARISONS = {
    ast.Eq: Opcode.EQ,
    ast.NotEq: Opcode.NE,
    ast.Lt: Opcode.LT,
    ast.LtE: Opcode.LE,
    ast.Gt: Opcode.GT,
    ast.GtE: Opcode.GE,
}
BITWISE = {Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.SHL, Opcode.SHR}
WHOLE = {Opcode.FLOOR_DIV, Opcode.FLOOR_MOD}
IN_HALVES = {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV}
COMPLEX_OF = {F32: C64, F64: C128}
PART_OF = {C64: F32, C128: F64}
# what lanes exchange; Numba would make a float64 of a uint64, and lose its low bits
SHUFFLED = {
    **dict.fromkeys((PRED, S8, S16, S32, U8, U16), S32),
    **{type_: type_ for type_ in (S64, U64, F32, F64)},
    U32: S64,
    F16: F32,
}


def unify(one: Scalar, other: Scalar) -> Scalar:
    """The type of a variable that takes values of both types: int32 and float32 give float64."""
    return BY_DTYPE[np.promote_types(one.dtype, other.dtype)]


def widened(one: Scalar, other: Scalar) -> Scalar:
    """The integer type two integers are computed in: 64 bits, signed if either is."""
    return U64 if one.kind == other.kind == "u" else S64


def binary_result(opcode: Opcode, left: Scalar, right: Scalar) -> Scalar | None:
    """The type `left opcode right` is computed in; None where the operator does not take such types."""
    if F16 in (left, right):
        if opcode in IN_HALVES and {left, right} <= {F16, S8, PRED}:
            return F16
        left, right = (F32 if type_ is F16 else type_ for type_ in (left, right))
    if left.is_complex or right.is_complex:
        if opcode in BITWISE or opcode in WHOLE:
            return None
        return C128 if {left, right} == {U16, C64} else unify(left, right)
    floats = left.is_float or right.is_float
    if opcode in BITWISE:
        if floats:
            return None
        if opcode in (Opcode.SHL, Opcode.SHR):
            return widened(left, left)
        return PRED if left is right is PRED else widened(left, right)
    if opcode is Opcode.POW and left.is_float and not right.is_float:
        return left
    if {left, right} == {U16, F32}:
        return F64  # though int16 and float32 give float32
    if floats:
        return unify(left, right)
    return F64 if opcode is Opcode.DIV else widened(left, right)


def of_constant(value: Any) -> Scalar | None:
    """The type of a number that the kernel names: Python's int is int64, its float is float64."""
    if isinstance(value, bool | np.bool_):
        return PRED
    if isinstance(value, np.generic):
        return BY_DTYPE.get(value.dtype)
    if isinstance(value, int):
        return S64 if -(2**63) <= value < 2**63 else U64 if 0 <= value < 2**64 else None
    return F64 if isinstance(value, float) else C128 if isinstance(value, complex) else None


def of_name(value: Any) -> Scalar | None:
    """The type that `np.float32`, `"float32"`, `float` or Numba's `float32` names; None for anything else."""
    name = getattr(value, "name", value)
    if not isinstance(name, str | type | np.dtype):
        return None
    try:
        return BY_DTYPE.get(np.dtype(np.int64 if name is int else name))  # a browser's int has 32 bits
    except TypeError:
        return None


def element_named(value: Any) -> Element | None:
    """The same, and records: a structured NumPy dtype, or what `numba.from_dtype` makes of one."""
    dtype = value if isinstance(value, np.dtype) else getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.fields is not None:
        return element_of(dtype)
    return of_name(value)


def array_of(array: np.ndarray[Any, Any]) -> Array | None:
    """The type of a NumPy array; None where its elements are nothing that a kernel knows."""
    element = element_of(array.dtype)
    flags = array.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return None if element is None else Array(element, array.ndim, layout=layout)
