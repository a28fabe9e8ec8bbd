"""Which functions of Python, `math`, `cmath` and NumPy may a kernel call, and what are they lowered to?

Each is an `Intrinsic` like those of `cuda`: its family says how it is lowered. Most belong to "computed": an
opcode, and the rule for the type it computes in. Those that Numba's CUDA target lacks are not here.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from gpusim.frontends import function_types as rules
from gpusim.frontends.function_types import Rule
from gpusim.frontends.intrinsics import Intrinsic
from gpusim.ir.instructions import Opcode
from gpusim.ir.types import PRED

UNARY = {
    math.tan: Opcode.TAN,
    math.asin: Opcode.ASIN,
    math.acos: Opcode.ACOS,
    math.atan: Opcode.ATAN,
    math.sinh: Opcode.SINH,
    math.cosh: Opcode.COSH,
    math.tanh: Opcode.TANH,
    math.asinh: Opcode.ASINH,
    math.acosh: Opcode.ACOSH,
    math.atanh: Opcode.ATANH,
    math.expm1: Opcode.EXPM1,
    math.log1p: Opcode.LOG1P,
    math.erf: Opcode.ERF,
    math.erfc: Opcode.ERFC,
    math.gamma: Opcode.GAMMA,
    math.lgamma: Opcode.LGAMMA,
}
# of a float16 too
HALF_UNARY = {
    math.sqrt: Opcode.SQRT,
    math.exp: Opcode.EXP,
    math.log: Opcode.LOG,
    math.log2: Opcode.LOG2,
    math.log10: Opcode.LOG10,
    math.sin: Opcode.SIN,
    math.cos: Opcode.COS,
    math.fabs: Opcode.ABS,
    math.floor: Opcode.FLOOR,
    math.ceil: Opcode.CEIL,
    math.trunc: Opcode.TRUNC,
}
TESTS = {math.isnan: Opcode.ISNAN, math.isinf: Opcode.ISINF, math.isfinite: Opcode.ISFINITE}
BINARY = {math.atan2: Opcode.ATAN2, math.hypot: Opcode.HYPOT}
FLOATING_BINARY = {
    math.copysign: Opcode.COPYSIGN,
    math.fmod: Opcode.FMOD,
    math.remainder: Opcode.REMAINDER,
}
SCALING = {math.degrees: 180.0 / math.pi, math.radians: math.pi / 180.0}
COMPLEX = {
    cmath.sqrt: Opcode.SQRT,
    cmath.exp: Opcode.EXP,
    cmath.log: Opcode.LOG,
    cmath.log10: Opcode.LOG10,
    cmath.sin: Opcode.SIN,
    cmath.cos: Opcode.COS,
    cmath.tan: Opcode.TAN,
    cmath.asin: Opcode.ASIN,
    cmath.acos: Opcode.ACOS,
    cmath.atan: Opcode.ATAN,
    cmath.sinh: Opcode.SINH,
    cmath.cosh: Opcode.COSH,
    cmath.tanh: Opcode.TANH,
    cmath.asinh: Opcode.ASINH,
    cmath.acosh: Opcode.ACOSH,
    cmath.atanh: Opcode.ATANH,
}
COMPLEX_TESTS = {cmath.isnan: Opcode.ISNAN, cmath.isinf: Opcode.ISINF, cmath.isfinite: Opcode.ISFINITE}
# NumPy's functions of numbers, those that numba.cuda registers
ELEMENT = {
    np.sin: Opcode.SIN,
    np.cos: Opcode.COS,
    np.tan: Opcode.TAN,
    np.arcsin: Opcode.ASIN,
    np.arccos: Opcode.ACOS,
    np.arctan: Opcode.ATAN,
    np.sinh: Opcode.SINH,
    np.cosh: Opcode.COSH,
    np.tanh: Opcode.TANH,
    np.arcsinh: Opcode.ASINH,
    np.arccosh: Opcode.ACOSH,
    np.arctanh: Opcode.ATANH,
    np.log: Opcode.LOG,
    np.log2: Opcode.LOG2,
    np.log10: Opcode.LOG10,
}
ELEMENT_BINARY = {np.arctan2: Opcode.ATAN2, np.hypot: Opcode.HYPOT}
ORDERED = {
    np.fmin: Opcode.MIN,
    np.fmax: Opcode.MAX,
    np.minimum: Opcode.MIN_NAN,
    np.maximum: Opcode.MAX_NAN,
}
ELEMENT_SCALING = {
    np.degrees: 180.0 / math.pi,
    np.rad2deg: 180.0 / math.pi,
    np.radians: math.pi / 180.0,
    np.deg2rad: math.pi / 180.0,
}


def _name(function: Any) -> str:
    module = getattr(function, "__module__", None) or "np"
    name: str = function.__name__
    return name if module == "builtins" else f"{module}.{name}"


def computed(rule: Rule, functions: dict[Any, Opcode], parameters: str = "x", **also: Any) -> Any:
    """Functions that are one instruction each, computed in the type that `rule` gives."""
    return {
        function: Intrinsic(
            f"{_name(function)}({parameters})", "computed", opcode, rule=rule, home="", **also
        )
        for function, opcode in functions.items()
    }


def scaled(rule: Rule, factors: dict[Any, float]) -> dict[Any, Intrinsic]:
    """Functions that multiply by a constant."""
    return {f: Intrinsic(f"{_name(f)}(x)", "scaled", k, rule=rule, home="") for f, k in factors.items()}


def special(function: Any, parameters: str, family: str, rule: Rule | None = None, detail: Any = None) -> Any:
    """A function that is lowered in a way of its own."""
    return {function: Intrinsic(f"{_name(function)}({parameters})", family, detail, rule=rule, home="")}


FUNCTIONS: dict[Any, Intrinsic] = {
    **computed(rules.real, UNARY),
    **computed(rules.half_or_real, HALF_UNARY),
    **computed(rules.real, TESTS, result=PRED),
    **computed(rules.real, BINARY, "x, y"),
    **computed(rules.floating, FLOATING_BINARY, "x, y"),
    **computed(rules.base_and_power, {math.pow: Opcode.POW}, "x, y"),
    **computed(rules.complex_number, COMPLEX, "z"),
    **computed(rules.complex_number, COMPLEX_TESTS, "z", result=PRED),
    **computed(rules.element, ELEMENT),
    **computed(rules.real_elements, ELEMENT_BINARY, "x, y"),
    **computed(rules.ordered, ORDERED, "x, y"),
    **scaled(rules.real, SCALING),
    **scaled(rules.real_element, ELEMENT_SCALING),
    **special(math.frexp, "x", "frexp", rules.floating),
    **special(math.ldexp, "x, exponent", "ldexp", rules.floating),
    **special(math.modf, "x", "modf", rules.double),
    **special(cmath.phase, "z", "phase", rules.complex_number),
    **special(cmath.polar, "z", "polar", rules.complex_number),
    **special(cmath.rect, "r, phi", "rect", rules.floating),
    **special(abs, "x", "absolute", rules.magnitude),
    **special(min, "*numbers", "extreme", rules.comparable, Opcode.MIN),
    **special(max, "*numbers", "extreme", rules.comparable, Opcode.MAX),
    **special(pow, "base, exponent", "power"),
    **special(divmod, "a, b", "divmod", rules.quotient),
    **special(round, "x, ndigits=None", "round", rules.floating),
    **special(complex, "real, imag=None", "complex"),
    **special(len, "a", "length"),
    **special(print, "*values", "print"),
}
