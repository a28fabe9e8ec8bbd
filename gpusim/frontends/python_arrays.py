"""What are `x.shape`, `m.T`, `x.reshape(2, 6)` and `x.view(np.int32)` in a kernel? Numbers, and views.

Only what Numba's CUDA target compiles: it does not allocate, so nothing here makes a copy.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_types
from gpusim.frontends.python_indices import ATTRIBUTES, METHODS, Indices
from gpusim.frontends.python_scope import Item, Method, Static, Value, View, whole
from gpusim.frontends.python_slices import ONE, ZERO, Axis
from gpusim.ir.instructions import Constant, Opcode, Operand, Return
from gpusim.ir.types import PRED, S64
from gpusim.source import Span


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
        size = Constant(owner.array.element.bytes, S64) if name == "nbytes" else ONE
        return self._count([size, *extents], node)

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
        total = self._count([axes[axis].extent for axis in view.free], node)
        extents = self._fitting([self.convert(extent, S64, span) for extent in shape], total, node)
        strides: list[Operand] = []
        stride: Operand = Constant(view.array.element.bytes, S64)
        for extent in reversed(extents):
            strides.insert(0, stride)
            stride = self._product(stride, extent, node)
        given = [axis for axis in axes if axis.given is not None]
        free = [Axis(None, extent, stride) for extent, stride in zip(extents, strides, strict=True)]
        return self._part(view, ast.unparse(node), first, given + free, "C")

    def _fitting(self, extents: list[Operand], total: Operand, node: ast.AST) -> list[Operand]:
        """Extents of `total` elements: a negative one is what is left, as in Numba.

        What only the run can tell ends the launch if it is wrong.
        """
        span = self.scope.span(node)
        free = [self._compared(Opcode.LT, extent, ZERO, span) for extent in extents]
        flags = [flag for flag in free if flag != Constant(False, PRED)]
        if len(flags) > 1:
            count: Operand = ZERO
            for flag in flags:
                count = self._sum(count, self.convert(flag, S64, span), node)
            self._insist(self._compared(Opcode.LE, count, ONE, span), "reshape() with more than one -1", node)
        if flags:
            given = [self._chosen(flag, ONE, e, span) for e, flag in zip(extents, free, strict=True)]
            width = self._extreme_of(Opcode.MAX, self._count(given, node), ONE, span)
            left = total if width == ONE else self.binary(ast.FloorDiv(), total, width, node)
            extents = [self._chosen(flag, left, e, span) for e, flag in zip(extents, free, strict=True)]
        made = self._count(extents, node)
        if made is not total:
            wrong = f"`{ast.unparse(node)}` takes another number of elements"
            if isinstance(total, Constant) and isinstance(made, Constant):
                wrong = f"{total} elements cannot take a shape of {made}"
            self._insist(self._compared(Opcode.EQ, made, total, span), wrong, node)
        return extents

    def _count(self, extents: Sequence[Operand], node: ast.AST) -> Operand:
        """How many elements lie within these extents?"""
        count: Operand = ONE
        for extent in extents:
            count = self._product(count, extent, node)
        return count

    def _insist(self, holds: Operand, wrong: str, node: ast.AST) -> None:
        """A condition of the array methods: broken now, or by some thread when it runs."""
        span = self.scope.span(node)
        if isinstance(holds, Constant):
            if not holds.value:
                raise KernelTypeError(wrong, span)
            return
        passes, fails = self.builder.label(), self.builder.label()
        self.builder.branch(holds, passes, fails, span)
        self.builder.place(fails, span)
        self.trap(f"ValueError: {wrong}", passes, span)

    def trap(self, text: str, passes: int, span: Span) -> None:
        """Threads that come here end the launch; code goes on at `passes`, for the others."""
        self.builder.effect(Opcode.TRAP, PRED, (), span, text)
        self.builder.end(Return(span, passes))
        self.builder.place(passes, span)

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
