"""What do `x.sum()`, `np.mean(x)` and `sum(items)` do in a kernel? Each thread goes through all elements.

They are Numba's own loops, written in its dialect and compiled into the kernel.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gpusim.frontends.python.builtins.intrinsics import Intrinsic, literal_unroll
from gpusim.frontends.python.types import widened
from gpusim.ir.instructions import Constant
from gpusim.ir.types import F64, PRED, S64, Scalar

Number = Any
unrolled: Any = literal_unroll


def written(function: Callable[..., Any]) -> Any:
    """A function that is written in the dialect of kernels."""
    return Intrinsic(
        f"{function.__name__}({', '.join(inspect.signature(function).parameters)})", "written", function
    )


def _in_order(call: Any) -> tuple[Any, ...]:
    (array,) = call.arguments
    return transposed if array.layout == "F" else itself, array


in_order: Any = Intrinsic("in_order(array)", "chosen", _in_order)  # elements follow each other as in memory


@written
def transposed(array: Number) -> Number:
    return array.T


@written
def itself(array: Number) -> Number:
    return array


@written
def total(array: Number, start: Number) -> Number:
    for each in in_order(array).flat:
        start += each
    return start


@written
def product(array: Number, start: Number) -> Number:
    for each in in_order(array).flat:
        start *= each
    return start


@written
def average(array: Number, start: Number) -> Number:
    return total(array, start) / array.size


@written
def variance(array: Number, start: Number) -> Number:
    middle = average(array, start)
    found = 0
    for each in in_order(array).flat:
        off = each - middle
        found += (off * off.conjugate()).real
    return found / array.size


@written
def deviation(array: Number, start: Number) -> Number:
    return variance(array, start) ** 0.5


@written
def decided(array: Number, by: Number) -> Number:
    for each in in_order(array).flat:
        if bool(each) == by:
            return by
    return not by


def first_beyond(sign: str) -> Any:
    """Where the least or greatest element is, the first of several; a NaN is beyond all."""

    @written
    def where(array: Number, found: Number) -> Number:
        if array.size == 0:
            raise ValueError("attempt to get argmin or argmax of an empty sequence")
        for position, each in enumerate(array.flat):
            if position == 0:
                best = each
            if each != each:
                return position
            if (each < best) if sign == "<" else (each > best):
                best = each
                found = position
        return found

    return where


@written
def summed(items: Number, start: Number) -> Number:
    for each in items:
        start += each
    return start


@written
def summed_tuple(items: Number, start: Number) -> Number:
    for each in unrolled(items):
        start += each
    return start


def sum_of(call: Any) -> tuple[Any, ...]:
    """Items of a tuple may differ in type."""
    return (summed_tuple if isinstance(call.arguments[0], tuple) else summed), *call.arguments


# tables -----------------------------------------------------------------------------------------------------


def whole(element: Scalar) -> Scalar:
    """Whole numbers are summed in 64 bits."""
    return element if element.is_float or element.is_complex else widened(element, element)


def inexact(element: Scalar) -> Scalar:
    """Those of whole numbers are float64."""
    return element if element.is_float or element.is_complex else F64


# name -> the loop, what it starts with, and in which type that is of elements of a type
ROWS: dict[str, tuple[Any, int, Callable[[Scalar], Scalar]]] = {
    "sum": (total, 0, whole), "prod": (product, 1, lambda element: element), "mean": (average, 0, inexact),
    "var": (variance, 0, inexact), "std": (deviation, 0, inexact),
    "all": (decided, False, lambda _: PRED), "any": (decided, True, lambda _: PRED),
    "argmin": (first_beyond("<"), 0, lambda _: S64), "argmax": (first_beyond(">"), 0, lambda _: S64),
}  # fmt: skip


def reduction(name: str) -> Intrinsic:
    """`np.NAME(array)`, and `array.NAME()`."""
    loop, start, type_of = ROWS[name]

    def chosen(call: Any) -> tuple[Any, ...]:
        (array,) = call.arguments
        element = getattr(getattr(array, "array", None), "element", None)
        if not isinstance(element, Scalar) or not array.dimensions:
            raise call.wrong(f"np.{name}() takes an array of numbers", "of a number it is that number")
        return loop, array, Constant(start, type_of(element))

    return Intrinsic(f"np.{name}(array)", "chosen", chosen, home="")


OF_ARRAYS = {name: reduction(name) for name in ROWS}
REDUCTIONS: dict[Any, Intrinsic] = {getattr(np, name): made for name, made in OF_ARRAYS.items()}
REDUCTIONS[builtins.sum] = Intrinsic("sum(items, start=0)", "chosen", sum_of, home="")
