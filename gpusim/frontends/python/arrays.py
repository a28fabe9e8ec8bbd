"""What are `x.shape`, `m.T`, `x.reshape(2, 6)` and `x.view(np.int32)` in a kernel? Numbers, and views.

Only what Numba's CUDA target compiles: it does not allocate, so nothing here makes a copy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial

from gpusim.frontends import fold
from gpusim.frontends.python import types
from gpusim.frontends.python.assignments import store
from gpusim.frontends.python.builtins.reductions import OF_ARRAYS
from gpusim.frontends.python.checks import insist
from gpusim.frontends.python.indices import (
    ATTRIBUTES,
    METHODS,
    axes_of,
    extent,
    loaded,
    member,
    view_of,
    whole_number,
)
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.operators import binary
from gpusim.frontends.python.slices import ONE, ZERO, Axis, chosen, extreme, product, total
from gpusim.frontends.python.types import PART_OF
from gpusim.frontends.python.values import Flat, Item, Method, Static, Value, View
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import PRED, S64, Element, Scalar


def attribute(lowering: Lowering, owner: View | Item, node: ast.Attribute) -> Value:
    """`x.shape`, `x.T`, `record.field` and the like."""
    name = node.attr
    if isinstance(owner, View) and name in METHODS:
        return Static(Method(owner, name))
    if isinstance(owner, View) and owner.dimensions and isinstance(owner.array.element, Scalar):
        if name in OF_ARRAYS:
            return Static(partial(OF_ARRAYS[name], owner))
        if name == "flat":
            return Static(Flat(owner))
    if isinstance(owner, View) and name in ("real", "imag") and isinstance(owner.array.element, Scalar):
        return _part_of_numbers(lowering, owner, name, node)
    if isinstance(owner, Item) or name not in ATTRIBUTES:
        return loaded(lowering, member(lowering, owner, name, node), node)
    match name:
        case "ndim":
            return Constant(owner.dimensions, S64)
        case "dtype":
            return Static(owner.array.element.dtype)
        case "itemsize":
            return Constant(owner.array.element.bytes, S64)
        case "strides":
            axes = axes_of(lowering, owner, node)[1]
            return tuple(axes[axis].stride for axis in owner.free)
        case "T":
            return _transposed(lowering, owner, node)
    extents = tuple(extent(lowering, owner, axis, node) for axis in owner.free)
    if name == "shape":
        return extents
    size = Constant(owner.array.element.bytes, S64) if name == "nbytes" else ONE
    return _count(lowering, [size, *extents], node)


def method(lowering: Lowering, called: Method, arguments: list[Value], node: ast.Call) -> Value:
    """`x.reshape(…)`, `x.transpose()`, `x.view(dtype)` or `x.fill(value)`."""
    view = called.view
    if called.name == "transpose":
        if arguments:
            raise lowering.unsupported(node, "transpose() reverses all axes", "transpose() with axes")
        return _transposed(lowering, view, node)
    if called.name == "reshape":
        shape = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else arguments
        extents = [whole_number(lowering, length, "an extent", node) for length in shape]
        return _reshaped(lowering, view, extents, node)
    if len(arguments) != 1:
        raise lowering.wrong(f"{called.name}() takes one argument", node)
    if called.name == "view":
        return _seen_as(lowering, view, arguments[0], node)
    store(lowering, view, arguments[0], node)
    return Static(None)


def element_named(lowering: Lowering, dtype: Value, node: ast.AST) -> Element:
    """The type of elements that a kernel names."""
    element = types.element_named(dtype.object) if isinstance(dtype, Static) else None
    if element is None:
        raise lowering.wrong("the element type is not a number type", node, "use for example np.float32")
    return element


def _transposed(lowering: Lowering, view: View, node: ast.AST) -> View:
    if view.dimensions < 2:
        return view
    first, axes = axes_of(lowering, view, node)
    given = [axis for axis in axes if axis.given is not None]
    free = [axes[axis] for axis in reversed(view.free)]
    layout = {"C": "F", "F": "C"}.get(view.layout, "A")
    return view_of(lowering, view, ast.unparse(node), first, given + free, layout)


def _part_of_numbers(lowering: Lowering, view: View, name: str, node: ast.AST) -> View:
    """`z.real` and `z.imag` of an array, where they lie; of real numbers `z.real` is the array itself."""
    element = view.array.element
    assert isinstance(element, Scalar)
    if not element.is_complex:
        if name == "imag":
            raise lowering.unsupported(
                node, "real numbers have no such part in memory: it is 0", "`imag` of an array"
            )
        return view
    first, axes = axes_of(lowering, view, node)
    part = PART_OF[element]
    first = total(lowering, first, Constant(part.bytes if name == "imag" else 0, S64), node)
    return view_of(lowering, view, ast.unparse(node), first, axes, "A", part)


def _reshaped(lowering: Lowering, view: View, shape: list[Operand], node: ast.AST) -> View:
    """Another shape of a C-contiguous array; one extent may be -1, what is left."""
    if view.layout != "C":
        raise lowering.wrong("reshape() takes a C-contiguous array", node, "index it, or pass a copy")
    first, axes = axes_of(lowering, view, node)
    total = _count(lowering, [axes[axis].extent for axis in view.free], node)
    extents = _fitting(lowering, [lowering.convert(extent, S64, node) for extent in shape], total, node)
    strides: list[Operand] = []
    stride: Operand = Constant(view.array.element.bytes, S64)
    for length in reversed(extents):
        strides.insert(0, stride)
        stride = product(lowering, stride, length, node)
    given = [axis for axis in axes if axis.given is not None]
    free = [Axis(None, *axis) for axis in zip(extents, strides, strict=True)]
    return view_of(lowering, view, ast.unparse(node), first, given + free, "C")


def _fitting(lowering: Lowering, extents: list[Operand], count: Operand, node: ast.AST) -> list[Operand]:
    """Extents of `count` elements: a negative one is what is left, as in Numba.

    What only the run can tell ends the launch if it is wrong.
    """
    free = [fold.compared(lowering.site(node), Opcode.LT, extent, ZERO) for extent in extents]
    flags = [flag for flag in free if flag != Constant(False, PRED)]
    if len(flags) > 1:
        several: Operand = ZERO
        for flag in flags:
            several = total(lowering, several, lowering.convert(flag, S64, node), node)
        one_at_most = fold.compared(lowering.site(node), Opcode.LE, several, ONE)
        insist(lowering, one_at_most, "reshape() with more than one -1", node)
    if flags:
        given = [chosen(lowering, flag, ONE, e, node) for e, flag in zip(extents, free, strict=True)]
        width = extreme(lowering, Opcode.MAX, _count(lowering, given, node), ONE, node)
        left = count if width == ONE else binary(lowering, ast.FloorDiv(), count, width, node)
        extents = [chosen(lowering, flag, left, e, node) for e, flag in zip(extents, free, strict=True)]
    made = _count(lowering, extents, node)
    if made is not count:
        wrong = f"`{ast.unparse(node)}` takes another number of elements"
        if isinstance(count, Constant) and isinstance(made, Constant):
            wrong = f"{count} elements cannot take a shape of {made}"
        insist(lowering, fold.compared(lowering.site(node), Opcode.EQ, made, count), wrong, node)
    return extents


def _count(lowering: Lowering, extents: Iterable[Operand], node: ast.AST) -> Operand:
    """How many elements lie within these extents?"""
    count: Operand = ONE
    for length in extents:
        count = product(lowering, count, length, node)
    return count


def _seen_as(lowering: Lowering, view: View, dtype: Value, node: ast.AST) -> View:
    """The same bytes as elements of another type; of another size only where they lie densely."""
    element = element_named(lowering, dtype, node)
    old, new = view.array.element.bytes, element.bytes
    first, axes = axes_of(lowering, view, node)
    if old != new:
        if view.layout != "C" or not view.dimensions:
            raise lowering.wrong(
                f"view() of {old}-byte elements as {new}-byte ones takes a C-contiguous array", node
            )
        last = view.free[-1]
        length = product(lowering, axes[last].extent, Constant(old, S64), node)
        if isinstance(length, Constant) and length.value % new:
            raise lowering.wrong(f"{length.value} bytes do not divide into {new}-byte elements", node)
        size = binary(lowering, ast.FloorDiv(), length, Constant(new, S64), node)
        axes[last] = Axis(None, size, Constant(new, S64))
    return view_of(lowering, view, ast.unparse(node), first, axes, view.layout, element)
