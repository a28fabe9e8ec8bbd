"""What does a function compute in? Rules from the types of its arguments to one type, or None to refuse them.

Numba lists the types that a function takes, and picks by the arguments that it is given. Checked against
numba 0.68's resolver in tests/frontends.
"""

from __future__ import annotations

from collections.abc import Callable

from gpusim.frontends.python.types import COMPLEX_OF, unify, widened
from gpusim.ir.types import F16, F32, F64, PRED, S8, S16, S32, U8, U16, U32, U64, Scalar

Rule = Callable[..., Scalar | None]


def floating(*types: Scalar) -> Scalar | None:
    """float32 where that holds every argument, else float64."""
    result = F32
    for type_ in types:
        if type_.is_complex:
            return None
        result = F64 if type_ is U16 else unify(result, type_)
    return result


def real(*types: Scalar) -> Scalar | None:
    """The same, but float64 where no argument is floating-point."""
    return floating(*types) if any(not _whole(type_) for type_ in types) else F64


def half_or_real(*types: Scalar) -> Scalar | None:
    """The same, but float16 where all are."""
    return F16 if all(type_ is F16 for type_ in types) else real(*types)


def double(*types: Scalar) -> Scalar | None:
    """float64, unless the argument is a float32."""
    return floating(*types) if types == (F32,) else F64 if floating(*types) else None


def beside_single(*types: Scalar) -> Scalar | None:
    """float64, unless one is a float32 that the other fits."""
    return floating(*types) if F32 in types else F64 if floating(*types) else None


def base_and_power(base: Scalar, power: Scalar) -> Scalar | None:
    """math.pow(x, n) with a narrow n is computed in the type of x."""
    narrow = power in (PRED, S8, S16, S32, U8) or (base, power) == (F32, U16)
    return floating(base) if narrow else floating(base, power)


def complex_number(number: Scalar) -> Scalar | None:
    """A complex number of the width that `floating` gives."""
    if number.is_complex:
        return number
    part = floating(number)
    return COMPLEX_OF[part] if part else None


def element(*types: Scalar) -> Scalar | None:
    """NumPy's own rule for its functions in floating point, except that there are none of float16."""
    result = F32
    for type_ in types:
        result = unify(result, type_)
    return result


def elements(*types: Scalar) -> Scalar | None:
    """The same for two numbers: beside a floating-point one, an integer's width does not count."""
    inexact = [type_ for type_ in types if not _whole(type_)]
    return element(*(inexact or types))


def real_elements(*types: Scalar) -> Scalar | None:
    """The same, without complex numbers."""
    return None if any(type_.is_complex for type_ in types) else elements(*types)


def ordered(*types: Scalar) -> Scalar | None:
    """The same, but integers stay integers."""
    return common(*types) if all(map(_whole, types)) else elements(*types)


def real_element(number: Scalar) -> Scalar | None:
    """The same, without complex numbers."""
    return None if number.is_complex else element(number)


def halves(*types: Scalar) -> Scalar | None:
    """float16, whatever is given."""
    return None if any(type_.is_complex for type_ in types) else F16


def common(*types: Scalar) -> Scalar | None:
    """The type that holds all arguments."""
    result = types[0]
    for type_ in types[1:]:
        result = unify(result, type_)
    return result


def bitwise(*types: Scalar) -> Scalar | None:
    """The integer type that holds all arguments."""
    type_ = common(*types)
    return type_ if type_ is not None and _whole(type_) else None


def shifted(*types: Scalar) -> Scalar | None:
    """The same; of booleans, int8."""
    type_ = bitwise(*types)
    return S8 if type_ is PRED else type_


def comparable(*types: Scalar) -> Scalar | None:
    """The same, for numbers that have an order and whose least and greatest Numba knows."""
    known = not any(type_.is_complex for type_ in types) and not {F16, PRED} <= {*types}
    return common(*types) if known else None


def quotient(left: Scalar, right: Scalar) -> Scalar | None:
    """What divmod() computes in."""
    if left.is_complex or right.is_complex:
        return None
    if left.is_float or right.is_float:
        return floating(left, right)
    type_ = unify(left, right)
    return type_ if type_.is_float else widened(type_, type_)


def magnitude(number: Scalar) -> Scalar | None:
    """What abs() computes in."""
    return S8 if number is PRED else number


def whole(number: Scalar) -> Scalar | None:
    """Any integer."""
    return number if number.is_integer else None


def unsigned(number: Scalar) -> Scalar | None:
    """The unsigned integer of 32 or 64 bits."""
    return (U64 if number is U64 else U32) if number.is_integer else None


def _whole(type_: Scalar) -> bool:
    return type_.is_integer or type_ is PRED
