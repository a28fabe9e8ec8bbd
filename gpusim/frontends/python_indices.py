"""What does `x[2:10]`, `r[i].x` or `m.T` mean? Views of arrays, typed as Numba's CUDA target types them.

A view moves nothing: it is where its first byte lies, and an extent and a stride in bytes an axis, constants
where they are known. Whole arrays with some indices given need none of that.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from gpusim.errors import KernelTypeError
from gpusim.frontends.python_expressions import fits
from gpusim.frontends.python_scope import Geometry, Item, Static, Value, VectorValue, View
from gpusim.frontends.python_slices import ONE, REST, ZERO, Axis, Cut, Slices, kept_layout
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED, S64, Element, Record, Scalar, Space
from gpusim.source import Span

ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "T")
METHODS = ("reshape", "transpose", "view", "fill")
NOT_IN_A_KERNEL = {
    "ravel": "use x.reshape(x.size)",
    "flatten": "a kernel cannot allocate; use x.reshape(x.size)",
    "copy": "a kernel cannot allocate; copy into cuda.local.array in a loop",
    "astype": "a kernel cannot allocate; convert elements",
    "flat": "use x.reshape(x.size), or indices",
}


class Indices(Slices):
    """Expressions, and parts of arrays among them."""

    # elements ---------------------------------------------------------------------------------------------

    def loaded(self, view: View, node: ast.AST, into: Register | None = None, name: str = "") -> Value:
        """What an expression that names a view is: an array while indices are missing, else an element."""
        if view.dimensions:
            return view
        element, span = view.array.element, self.scope.span(node)
        if isinstance(element, Record):
            return Item(view)
        into = fits(into, element)
        return self.builder.value(
            Opcode.LOAD, element, view.operands, span, into=into, array=view.array, name=name
        )

    def element(self, view: View, node: ast.AST) -> Scalar:
        """Insist that a view is one number in memory."""
        if view.dimensions:
            raise KernelTypeError(f"{view.dimensions} more index(es) needed", self.scope.span(node))
        if isinstance(view.array.element, Record):
            raise KernelTypeError(
                f"{self._kind(Item(view))} where a number is needed", self.scope.span(node), "name a field"
            )
        return view.array.element

    def place(self, target: ast.expr) -> View:
        """The array, or the part of one, that an assignment writes to."""
        if isinstance(target, ast.Subscript):
            return self.view(self.value(target.value), target.slice, target)
        if isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, View | Item) and target.attr not in ATTRIBUTES:
                return self._member(owner, target.attr, target)
        what = f"an assignment to `{ast.unparse(target)}`"
        raise self.unsupported(target, "assign to names and to elements of arrays", what)

    def check_writable(self, view: View, node: ast.AST) -> None:
        """Constants are frozen when the kernel is compiled."""
        if view.array.space is Space.CONSTANT:
            raise KernelTypeError(
                f"{view.array.name!r} is constant: it was frozen when the kernel was compiled",
                self.scope.span(node),
                "pass the array as an argument to write to it",
            )

    # indices ----------------------------------------------------------------------------------------------

    def _Subscript(self, node: ast.Subscript, into: Register | None) -> Value:
        target = self.value(node.value)
        if isinstance(target, tuple) and not isinstance(target, VectorValue):
            return self._item(target, node)
        return self.loaded(self.view(target, node.slice, node), node, into)

    def view(self, target: Value, index: ast.expr | Value, node: ast.AST) -> View:
        """A part of an array: with more of its indices given, sliced, or a field of its records."""
        span = self.scope.span(node)
        owner = target.view if isinstance(target, Item) else target
        if isinstance(owner, View) and isinstance(owner.array.element, Record):
            name = index.value if isinstance(index, ast.Constant) else getattr(index, "object", None)
            if isinstance(name, str):
                return self._member(owner, name, node)
        if isinstance(target, Item) and isinstance(index, ast.Tuple) and not index.elts:
            return target.view
        if not isinstance(target, View):
            raise KernelTypeError(f"{self._kind(target)} cannot be indexed", span, "is it an array?")
        items = self._index_items(index, target, node)
        layout = kept_layout(target.layout, items, target.dimensions)
        if not any(item is None or (isinstance(item, Cut) and not item.is_whole) for item in items):
            given = list(target.indices)
            for axis, item in zip(target.free, items, strict=False):
                given[axis] = None if isinstance(item, Cut) else item
            view = View(target.array, tuple(given), target.geometry)
            if view.layout == layout or not view.dimensions:
                return view
        first, axes = self._axes(target, span)
        free = list(target.free)
        for position, item in enumerate(items):
            if item is None:
                place = free[position] if position < len(free) else len(axes)
                axes.insert(place, Axis(None, ONE, ZERO))
                free[position:] = [place, *(axis + 1 for axis in free[position:])]
            elif not isinstance(item, Cut):
                axes[free[position]] = axes[free[position]]._replace(given=item)
            elif not item.is_whole:
                first, axes[free[position]] = self.cut(first, axes[free[position]], item, node)
        return self._part(target, ast.unparse(node), first, axes, layout)

    def _index_items(
        self, index: ast.expr | Value, target: View, node: ast.AST
    ) -> list[Operand | Cut | None]:
        """Numbers, slices, and None for a new axis; an ellipsis stands for as many `:` as are missing."""
        if isinstance(index, ast.Tuple):
            given = [self._index_item(item) for item in index.elts]
        else:
            value = self._index_item(index) if isinstance(index, ast.expr) else index
            given = list(value) if isinstance(value, tuple) else [value]
        if sum(isinstance(item, Static) and item.object is ... for item in given) > 1:
            raise KernelTypeError("an index with more than one `...`", self.scope.span(node))
        new_axes = sum(isinstance(item, Static) and item.object is None for item in given)
        items: list[Operand | Cut | None] = []
        for item in given:
            if isinstance(item, Static) and item.object is ...:
                items += [REST] * (target.dimensions - len(given) + new_axes + 1)
            elif isinstance(item, Static) and item.object is None:
                items.append(None)
            else:
                items.append(item if isinstance(item, Cut) else self._whole_number(item, "an index", node))
        count = len(items) - new_axes
        if count > target.dimensions:
            raise KernelTypeError(
                f"{count} indices into {target.array.name!r}, which has {target.dimensions} dimension(s)",
                self.scope.span(node),
            )
        return items

    def _index_item(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node)
        bounds = [
            None if bound is None else self._whole_number(self.value(bound), "a slice's bound", bound)
            for bound in (node.lower, node.upper, node.step)
        ]
        return Cut(*bounds)

    def _whole_number(self, value: Value, what: str, node: ast.AST) -> Operand:
        number, span = self.number(value, node), self.scope.span(node)
        if number.type is PRED:
            return self.convert(number, S64, span)
        if not number.type.is_integer:
            raise KernelTypeError(
                f"{what} of type {number.type}", span, "use // for whole division, or int(…)"
            )
        return number

    # the shape of a view ----------------------------------------------------------------------------------

    def extent(self, view: View, axis: int, span: Span) -> Operand:
        """The length of a view along an axis of its array: known, or read where the launch gives it."""
        if view.geometry is not None:
            return view.geometry.extents[axis]
        if view.array.shape:
            return Constant(view.array.shape[axis], S64)
        return self.builder.value(Opcode.EXTENT, S64, (), span, array=view.array, axis=axis)

    def _axes(self, view: View, span: Span) -> tuple[Operand, list[Axis]]:
        """Where a view begins, and all its axes with extents and strides."""
        geometry, array = view.geometry, view.array
        if geometry is not None:
            parts = zip(view.indices, geometry.extents, geometry.strides, strict=True)
            return geometry.first, [Axis(*part) for part in parts]
        return ZERO, [
            Axis(index, self.extent(view, axis, span), self._stride(array, axis, span))
            for axis, index in enumerate(view.indices)
        ]

    def _stride(self, array: ArrayOperand, axis: int, span: Span) -> Operand:
        dense = {"C": array.dimensions - 1, "F": 0}
        if array.data is not None:
            return Constant(array.data.strides[axis], S64)
        if array.shape:
            return Constant(math.prod(array.shape[axis + 1 :]) * array.element.bytes, S64)
        if dense.get(array.layout) == axis:
            return Constant(array.element.bytes, S64)
        return self.builder.value(Opcode.STRIDE, S64, (), span, array=array, axis=axis)

    def _part(
        self,
        view: View,
        name: str,
        first: Operand,
        axes: Sequence[Axis],
        layout: str,
        element: Element | None = None,
    ) -> View:
        """A view of a view."""
        array, element = view.array, element or view.array.element
        part = ArrayOperand(name, element, len(axes), array.space, layout=layout, root=array.memory)
        extents, strides = tuple(axis.extent for axis in axes), tuple(axis.stride for axis in axes)
        self.builder.hold(first, *extents, *strides)
        return View(part, tuple(axis.given for axis in axes), Geometry(first, extents, strides))

    def movable(self, view: View, name: str, layout: str, span: Span) -> View:
        """The same view with all its geometry, so that a variable can hold now this view, now another."""
        first, axes = self._axes(view, span)
        return self._part(view, name, first, axes, layout)

    def _member(self, owner: View | Item, name: str, node: ast.AST) -> View:
        """A field of a record, or of every record of an array."""
        span, view = self.scope.span(node), owner.view if isinstance(owner, Item) else owner
        record = view.array.element
        if not isinstance(record, Record):
            known = ", ".join((*ATTRIBUTES, *METHODS))
            hint = NOT_IN_A_KERNEL.get(name, f"it has {known}")
            raise self.unsupported(node, hint, f"{name!r} of the array {view.array.name!r}")
        if name not in record.names:
            known = ", ".join(record.names)
            raise KernelTypeError(
                f"{self._kind(owner)} has no field {name!r}", span, f"its fields are {known}"
            )
        element, offset, shape = record.field(name)
        if isinstance(element, Scalar) and offset % element.bytes:
            raise KernelTypeError(
                f"field {name!r} begins at byte {offset} of its record, and {element} needs a multiple of "
                f"{element.bytes}",
                span,
                "build the dtype with align=True",
            )
        first, axes = self._axes(view, span)
        strides = [math.prod(shape[axis + 1 :]) * element.bytes for axis in range(len(shape))]
        axes += [Axis(None, Constant(e, S64), Constant(s, S64)) for e, s in zip(shape, strides, strict=True)]
        layout = "A" if view.dimensions else "C"
        return self._part(
            view, ast.unparse(node), self._sum(first, Constant(offset, S64), node), axes, layout, element
        )
