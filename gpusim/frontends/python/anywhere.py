"""Which array does a variable mean that holds now this one, now that one? One by its address.

`data, other = other, data` swaps two buffers, as a compiler does with pointers. Such a variable keeps the
address of the first element, extents and strides in registers; an access goes to an address anywhere.
So does one to an array of the device that a kernel names from outside, whose address is known.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cache
from typing import Any

from gpusim.frontends.python.indices import axes_of, view_of
from gpusim.frontends.python.lowering import Lowering, Where
from gpusim.frontends.python.slices import ZERO, Axis, total
from gpusim.frontends.python.values import Value, View, whole
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Opcode, Place
from gpusim.ir.types import S64, U8, U64, Element, Space, element_of

MEMORY = whole(ArrayOperand("*", U8, 1, Space.GENERIC, pointer=True))


def by_address(lowering: Lowering, view: View, at: Where) -> View:
    """The same array, or part of one, known by its address."""
    if view.array.space is Space.GENERIC:
        return view
    first, axes = axes_of(lowering, view, at)
    span = lowering.span(at)
    begin = lowering.builder.value(Opcode.ADDRESS, U64, (), span, place=Place(view.array.memory))
    node = lowering.scope.tree
    address = total(lowering, lowering.convert(begin, S64, at), first, node)
    array = view.array
    return view_of(lowering, MEMORY, array.name, address, axes, array.layout, array.element)


@cache
def anything_like(element: Element, indexed: tuple[bool, ...], layout: str) -> View:
    """An array with these elements and axes, of which an address is all that is known; it has none yet."""
    seen = ArrayOperand("*", element, len(indexed), Space.GENERIC, layout=layout, root=MEMORY.array)
    unknown = (ZERO,) * len(indexed)
    return View(seen, tuple(ZERO if given else None for given in indexed), Geometry(ZERO, unknown, unknown))


def of_the_device(lowering: Lowering, array: Any, node: ast.AST) -> View | None:
    """An array in device memory, by the address that it has now; None for what a kernel cannot take."""
    element = element_of(array.dtype)
    if element is None:
        return None
    known = zip(array.shape, array.strides, strict=True)
    axes = [Axis(None, Constant(extent, S64), Constant(stride, S64)) for extent, stride in known]
    address = Constant(array.device_ctypes_pointer.value, S64)
    layout = "C" if array.is_c_contiguous() else "F" if array.is_f_contiguous() else "A"
    view = view_of(lowering, MEMORY, ast.unparse(node), address, axes, layout, element)
    return replace(view, array=replace(view.array, data=array))  # which keeps it


def could_be(one: Value | None, other: View) -> bool:
    """May one variable hold both arrays, each by its address?"""
    return (
        isinstance(one, View)
        and one.array.element == other.array.element
        and [index is None for index in one.indices] == [index is None for index in other.indices]
        and Space.CONSTANT not in (one.array.space, other.array.space)
    )
