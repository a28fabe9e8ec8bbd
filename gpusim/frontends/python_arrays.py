"""What are `x.shape`, `m.T`, `x.reshape(2, 6)` and `x.view(np.int32)` in a kernel? Numbers, and views.

Only what Numba's CUDA target compiles: it does not allocate, so nothing here makes a copy.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import replace
from typing import Any

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_types
from gpusim.frontends.python_indices import ATTRIBUTES, METHODS, Indices
from gpusim.frontends.python_scope import Item, Method, Static, Value, View, whole
from gpusim.frontends.python_slices import ONE, Axis
from gpusim.ir.instructions import Constant, Operand
from gpusim.ir.types import S64


class Arrays(Indices):
    """Parts of arrays, and their attributes and methods."""

    def array_attribute(self, owner: View | Item, node: ast.Attribute) -> Value:
        """`x.shape`, `x.T`, `record.field` and the like."""
        span, name = self.scope.span(node), node.attr
        if isinstance(owner, View) and name in METHODS:
            return Static(Method(owner, name))
        if isinstance(owner, Item) or name not in ATTRIBUTES:
            return self.loaded(self._member(owner, name, node), node)
        match name:
            case "ndim":
                return Constant(owner.dimensions, S64)
            case "dtype":
                return Static(owner.array.element.dtype)
            case "itemsize":
                return Constant(owner.array.element.bytes, S64)
            case "strides":
                axes = self._axes(owner, span)[1]
                return tuple(axes[axis].stride for axis in owner.free)
            case "T":
                return self._transposed(owner, node)
        extents = tuple(self.extent(owner, axis, span) for axis in owner.free)
        if name == "shape":
            return extents
        total: Operand = Constant(owner.array.element.bytes, S64) if name == "nbytes" else ONE
        return functools.reduce(lambda one, other: self._product(one, other, node), extents, total)

    def method(self, called: Method, arguments: list[Value], node: ast.Call) -> Value:
        """`x.reshape(…)`, `x.transpose()`, `x.view(dtype)` or `x.fill(value)`."""
        view, span = called.view, self.scope.span(node)
        if called.name == "transpose":
            if arguments:
                raise self.unsupported(node, "transpose() reverses all axes", "transpose() with axes")
            return self._transposed(view, node)
        if called.name == "reshape":
            shape = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else arguments
            return self._reshaped(view, [self._whole_number(e, "an extent", node) for e in shape], node)
        if len(arguments) != 1:
            raise KernelTypeError(f"{called.name}() takes one argument", span)
        if called.name == "view":
            return self._seen_as(view, arguments[0], node)
        self.store(view, arguments[0], node)
        return Static(None)

    def store(self, view: View, value: Value, node: ast.AST) -> None:
        """Write to memory; statements are needed for that."""
        raise NotImplementedError

    def _transposed(self, view: View, node: ast.AST) -> View:
        if view.dimensions < 2:
            return view
        first, axes = self._axes(view, self.scope.span(node))
        given = [axis for axis in axes if axis.given is not None]
        free = [axes[axis] for axis in reversed(view.free)]
        layout = {"C": "F", "F": "C"}.get(view.layout, "A")
        return self._part(view, ast.unparse(node), first, given + free, layout)

    def _reshaped(self, view: View, shape: list[Operand], node: ast.AST) -> View:
        """Another shape of a C-contiguous array; one extent may be -1, what is left."""
        span = self.scope.span(node)
        if view.layout != "C":
            raise KernelTypeError("reshape() takes a C-contiguous array", span, "index it, or pass a copy")
        first, axes = self._axes(view, span)
        total: Operand = ONE
        for axis in view.free:
            total = self._product(total, axes[axis].extent, node)
        rest: Operand = ONE
        extents = [self.convert(extent, S64, span) for extent in shape]
        minus_one = Constant(-1, S64)
        for extent in extents:
            rest = rest if extent == minus_one else self._product(rest, extent, node)
        if extents.count(minus_one) > 1:
            raise KernelTypeError("reshape() with more than one -1", span)
        left = self.binary(ast.FloorDiv(), total, rest, node) if minus_one in extents else ONE
        extents = [left if extent == minus_one else extent for extent in extents]
        made = self._product(rest, left, node)
        if isinstance(total, Constant) and isinstance(made, Constant) and total.value != made.value:
            raise KernelTypeError(f"{total.value} elements cannot take a shape of {made.value}", span)
        strides: list[Operand] = []
        stride: Operand = Constant(view.array.element.bytes, S64)
        for extent in reversed(extents):
            strides.insert(0, stride)
            stride = self._product(stride, extent, node)
        given = [axis for axis in axes if axis.given is not None]
        free = [Axis(None, extent, stride) for extent, stride in zip(extents, strides, strict=True)]
        return self._part(view, ast.unparse(node), first, given + free, "C")

    def _seen_as(self, view: View, dtype: Value, node: ast.AST) -> View:
        """The same bytes as elements of another type; of another size only where they lie densely."""
        span = self.scope.span(node)
        element = python_types.element_named(dtype.object) if isinstance(dtype, Static) else None
        if element is None:
            raise KernelTypeError("the element type is not a number type", span, "use for example np.float32")
        old, new = view.array.element.bytes, element.bytes
        first, axes = self._axes(view, span)
        if old != new:
            if view.layout != "C" or not view.dimensions:
                raise KernelTypeError(
                    f"view() of {old}-byte elements as {new}-byte ones takes a C-contiguous array", span
                )
            last = view.free[-1]
            length = self._product(axes[last].extent, Constant(old, S64), node)
            if isinstance(length, Constant) and length.value % new:
                raise KernelTypeError(f"{length.value} bytes do not divide into {new}-byte elements", span)
            extent = self.binary(ast.FloorDiv(), length, Constant(new, S64), node)
            axes[last] = Axis(None, extent, Constant(new, S64))
        return self._part(view, ast.unparse(node), first, axes, view.layout, element)

    def constant_array(self, array: Any, name: str, node: ast.AST) -> View:
        """A NumPy array of the host as it is now, in constant memory."""
        found = python_types.array_of(array)
        if found is None:
            span = self.scope.span(node)
            raise KernelTypeError(f"an array of {array.dtype} is not for kernels", span, "use .astype(…)")
        return whole(self.builder.constant(name, found.element, array, found.layout))

    def renamed(self, view: View, name: str) -> View:
        """A view called by the variable that holds it, for messages."""
        return replace(view, array=replace(view.array, name=name))
