"""Which functions of Python, `math`, `cmath` and NumPy may a kernel call, and what are they lowered to?

Each is an `Intrinsic` like those of `cuda`: its family says how it is lowered. Most belong to "computed": an
opcode, and the rule for the type it computes in. Those that Numba's CUDA target lacks are not here.
"""

from __future__ import annotations

import ast
import cmath
import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from gpusim.frontends.python import types
from gpusim.frontends.python.builtins import intrinsics, rules
from gpusim.frontends.python.builtins.intrinsics import Intrinsic
from gpusim.frontends.python.builtins.reductions import REDUCTIONS
from gpusim.frontends.python.builtins.rules import Rule
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import PRED


def named(module: Any, names: str) -> dict[Any, Opcode]:
    """Functions whose opcodes are called as they are; NumPy's arcsin is ASIN."""
    return {getattr(module, name): Opcode[name.replace("arc", "a").upper()] for name in names.split()}


UNARY = named(
    math, "tan asin acos atan sinh cosh tanh asinh acosh atanh exp2 expm1 log1p erf erfc gamma lgamma"
)
# of a float16 too
HALF_UNARY = {**named(math, "sqrt exp log log2 log10 sin cos floor ceil trunc"), math.fabs: Opcode.ABS}
NOT_A_NUMBER = {np.isnan: Opcode.ISNAN}
TESTS = {math.isnan: Opcode.ISNAN, math.isinf: Opcode.ISINF, math.isfinite: Opcode.ISFINITE}
BINARY = named(math, "atan2 hypot")
FLOATING_BINARY = named(math, "copysign fmod remainder")
SCALING = {math.degrees: 180.0 / math.pi, math.radians: math.pi / 180.0}
COMPLEX = named(cmath, "sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh")
COMPLEX_TESTS = {cmath.isnan: Opcode.ISNAN, cmath.isinf: Opcode.ISINF, cmath.isfinite: Opcode.ISFINITE}
# NumPy's functions of numbers, those that numba.cuda registers
ELEMENT = named(np, "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh log log2 log10")
ELEMENT_BINARY = named(np, "arctan2 hypot")
ORDERED = {np.fmin: Opcode.MIN, np.fmax: Opcode.MAX, np.minimum: Opcode.MIN_NAN, np.maximum: Opcode.MAX_NAN}
ELEMENT_SCALING = {
    **dict.fromkeys((np.degrees, np.rad2deg), 180.0 / math.pi),
    **dict.fromkeys((np.radians, np.deg2rad), math.pi / 180.0),
}

BITWISE = {np.bitwise_and: Opcode.AND, np.bitwise_or: Opcode.OR, np.bitwise_xor: Opcode.XOR}
SHIFTS = {np.left_shift: Opcode.SHL, np.right_shift: Opcode.SHR}
LOGICAL = {np.logical_and: Opcode.AND, np.logical_or: Opcode.OR, np.logical_xor: Opcode.XOR}
# Python's operators as functions, and NumPy's functions that compare: the syntax that they stand for
SYNTAX_OF: dict[str, tuple[Any, Iterable[type[ast.AST]]]] = {
    "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift": (operator, types.BINARY),
    "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift": (operator, types.BINARY),
    "eq ne lt le gt ge": (operator, types.COMPARISONS),
    "equal not_equal less less_equal greater greater_equal": (np, types.COMPARISONS),
    "is_ is_not": (operator, (ast.Is, ast.IsNot)),
}
SYNTAX: dict[Any, type[ast.AST]] = {
    getattr(module, name): syntax
    for names, (module, kinds) in SYNTAX_OF.items()
    for name, syntax in zip(names.split(), kinds, strict=True)
}
SYNTAX_OF_ONE = {
    operator.neg: ast.USub,
    operator.pos: ast.UAdd,
    operator.invert: ast.Invert,
    operator.not_: ast.Not,
}


# what a kernel may ask of floats
OF_FLOATS = (
    "eps", "epsneg", "iexp", "machep", "max", "maxexp", "min", "minexp", "negep", "nexp", "nmant",
    "precision", "resolution", "tiny", "bits",
)  # fmt: skip
HOMES = {"numpy": "np", "_operator": "operator"}


def _name(function: Any) -> str:
    module = getattr(function, "__module__", None) or "np"
    name: str = function.__name__
    return name if module == "builtins" else f"{HOMES.get(module, module)}.{name}"


def computed(rule: Rule, functions: dict[Any, Opcode], parameters: str = "x", **also: Any) -> Any:
    """Functions that are one instruction each, computed in the type that `rule` gives."""
    opcodes = {_name(function): opcode for function, opcode in functions.items()}
    made = intrinsics.computed(rule, opcodes, parameters, home="", **also)
    return dict(zip(functions, made, strict=True))


def scaled(rule: Rule, factors: dict[Any, float]) -> dict[Any, Intrinsic]:
    """Functions that multiply by a constant."""
    return {f: Intrinsic(f"{_name(f)}(x)", "scaled", k, rule=rule, home="") for f, k in factors.items()}


def special(function: Any, parameters: str, family: str, rule: Rule | None = None, detail: Any = None) -> Any:
    """A function that is lowered in a way of its own."""
    return {function: Intrinsic(f"{_name(function)}({parameters})", family, detail, rule=rule, home="")}


FUNCTIONS: dict[Any, Intrinsic] = {
    **REDUCTIONS,
    **computed(rules.real, UNARY),
    **computed(rules.half_or_real, HALF_UNARY),
    **computed(rules.real, TESTS | NOT_A_NUMBER, result=PRED),
    **computed(rules.real, BINARY, "x, y"),
    **computed(rules.floating, FLOATING_BINARY, "x, y"),
    **computed(rules.base_and_power, {math.pow: Opcode.POW}, "x, y"),
    **computed(rules.complex_number, COMPLEX, "z"),
    **computed(rules.complex_number, COMPLEX_TESTS, "z", result=PRED),
    **computed(rules.element, ELEMENT),
    **computed(rules.real_elements, ELEMENT_BINARY, "x, y"),
    **computed(rules.ordered, ORDERED, "x, y"),
    **computed(rules.bitwise, BITWISE, "x, y"),
    **computed(rules.shifted, SHIFTS, "x, y"),
    **computed(rules.bitwise, {np.invert: Opcode.NOT}),
    **{f: Intrinsic(f"{_name(f)}(x, y)", "logical", opcode, home="") for f, opcode in LOGICAL.items()},
    **{f: Intrinsic(f"{_name(f)}(a, b)", "operator", syntax, home="") for f, syntax in SYNTAX.items()},
    **{f: Intrinsic(f"{_name(f)}(a)", "operator", syntax, home="") for f, syntax in SYNTAX_OF_ONE.items()},
    **special(np.logical_not, "x", "operator", detail=ast.Not),
    **special(operator.contains, "items, item", "contains"),
    **special(operator.getitem, "array, index", "getitem"),
    **special(operator.setitem, "array, index, value", "setitem"),
    **scaled(rules.real, SCALING),
    **scaled(rules.real_element, ELEMENT_SCALING),
    **special(math.frexp, "x", "several", rules.floating, (Opcode.MANTISSA, Opcode.EXPONENT)),
    **special(math.ldexp, "x, exponent", "ldexp", rules.floating),
    **special(math.modf, "x", "several", rules.double, (Opcode.FRACTION, Opcode.TRUNC)),
    **special(math.nextafter, "x, y", "named", rules.beside_single, "nextafter"),
    **special(cmath.phase, "z", "phase", rules.complex_number),
    **special(cmath.polar, "z", "polar", rules.complex_number),
    **special(cmath.rect, "r, phi", "rect", rules.floating),
    **special(np.iinfo, "type", "limits", detail=("min", "max", "bits")),
    **special(np.finfo, "type", "limits", detail=OF_FLOATS),
    **special(abs, "x", "absolute", rules.magnitude),
    **special(min, "*numbers", "extreme", rules.comparable, Opcode.MIN),
    **special(max, "*numbers", "extreme", rules.comparable, Opcode.MAX),
    **special(pow, "base, exponent", "power"),
    **special(divmod, "a, b", "several", rules.quotient, (Opcode.FLOOR_DIV, Opcode.FLOOR_MOD)),
    **special(round, "x, ndigits=None", "round", rules.floating),
    **special(complex, "real, imag=None", "complex"),
    **special(len, "a", "length"),
    **special(print, "*values", "print"),
}
