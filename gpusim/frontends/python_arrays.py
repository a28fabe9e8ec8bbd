"""What does `x[2:10]`, `r[i].x` or `m.T` mean? Views of arrays, typed as Numba's CUDA target types them.

A view moves nothing: it is where its first byte lies, and an extent and a stride in bytes an axis, constants
where they are known. Whole arrays with some indices given need none of that.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gpusim.errors import KernelTypeError
from gpusim.frontends import python_types
from gpusim.frontends.python_expressions import Expressions, fits
from gpusim.frontends.python_scope import Geometry, Item, Method, Static, Value, View, whole
from gpusim.ir.instructions import ArrayOperand, Constant, Opcode, Operand, Register
from gpusim.ir.types import PRED, S64, Element, Record, Scalar, Space
from gpusim.source import Span

ZERO, ONE = Constant(0, S64), Constant(1, S64)
ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "T")
METHODS = ("reshape", "transpose", "view", "fill")
NOT_IN_A_KERNEL = {
    "ravel": "use x.reshape(x.size)",
    "flatten": "a kernel cannot allocate; use x.reshape(x.size)",
    "copy": "a kernel cannot allocate; copy into cuda.local.array in a loop",
    "astype": "a kernel cannot allocate; convert elements",
    "flat": "use x.reshape(x.size), or indices",
}


class Axis(NamedTuple):
    """One axis of a view: the index along it if that is given, its extent, its stride in bytes."""

    given: Operand | None
    extent: Operand
    stride: Operand


@dataclass(frozen=True)
class Cut:
    """`lower:upper:step`; None where nothing is written."""

    lower: Operand | None
    upper: Operand | None
    step: Operand | None

    @property
    def is_whole(self) -> bool:
        """`:` alone."""
        return self.lower is self.upper is self.step is None


REST = Cut(None, None, None)  # what an ellipsis stands for


class Arrays(Expressions):
    """Expressions, and views of arrays among them."""

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
        if isinstance(target, tuple):
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
        if not isinstance(target, View):
            raise KernelTypeError(f"{self._kind(target)} cannot be indexed", span, "is it an array?")
        items = self._index_items(index, target, node)
        layout = _kept_layout(target.layout, items, target.dimensions)
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
                first, axes[free[position]] = self._cut(first, axes[free[position]], item, node)
        return self._part(target, node, first, axes, layout)

    def _index_items(
        self, index: ast.expr | Value, target: View, node: ast.AST
    ) -> list[Operand | Cut | None]:
        """Numbers, slices, and None for a new axis; an ellipsis stands for as many `:` as are missing."""
        if isinstance(index, ast.Tuple):
            given = [self._index_item(item) for item in index.elts]
        else:
            value = self._index_item(index) if isinstance(index, ast.expr) else index
            given = list(value) if isinstance(value, tuple) else [value]
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

    def _cut(self, first: Operand, axis: Axis, cut: Cut, node: ast.AST) -> tuple[Operand, Axis]:
        """Slice one axis: where it begins then, and what is left of it. Bounds are clipped, as in Python."""
        span, extent = self.scope.span(node), axis.extent
        step = self.convert(cut.step, S64, span) if cut.step is not None else ONE
        if isinstance(step, Constant) and step.value == 0:
            raise KernelTypeError("a slice with step 0", span, "take a step of at least 1, or -1 to go back")
        forward, minus_one = self._compared(Opcode.GT, step, ZERO, span), Constant(-1, S64)
        low, high = self._chosen(forward, ZERO, minus_one, span), extent
        if not isinstance(forward, Constant) or not forward.value:
            high = self._chosen(forward, extent, self._sum(extent, minus_one, node), span)

        def clipped(bound: Operand | None, default: Operand) -> Operand:
            if bound is None:
                return default
            place = self.convert(bound, S64, span)
            from_end = isinstance(bound, Constant) and bound.value < 0
            if from_end or (isinstance(bound, Register) and bound.type.kind == "i"):
                below = self._compared(Opcode.LT, place, ZERO, span)
                place = self._chosen(below, self._sum(place, extent, node), place, span)
            if not (isinstance(place, Constant) and isinstance(low, Constant) and place.value >= low.value):
                place = self._extreme_of(Opcode.MAX, place, low, span)
            return place if from_end or place == low else self._extreme_of(Opcode.MIN, place, high, span)

        start = clipped(cut.lower, self._chosen(forward, low, high, span))
        stop = clipped(cut.upper, self._chosen(forward, high, low, span))
        one, other = self._chosen(forward, stop, start, span), self._chosen(forward, start, stop, span)
        length = extent
        if (one, other) != (high, low):
            length = self.binary(ast.Sub(), one, other, node) if other != ZERO else one
        length = self.steps_within(length, step, forward, node)
        if cut.lower is not None and cut.upper is not None and (one, other) != (stop, ZERO):
            length = self._extreme_of(Opcode.MAX, length, ZERO, span)
        first = self._sum(first, self._product(start, axis.stride, node), node)
        return first, Axis(None, length, self._product(axis.stride, step, node))

    def steps_within(self, distance: Operand, step: Operand, forward: Operand, node: ast.AST) -> Operand:
        """How many steps fit into a distance, begun ones counted: 5 within 10 for a step of 2, 4 for 3."""
        span, minus_one = self.scope.span(node), Constant(-1, S64)
        width = self._chosen(forward, step, self._product(step, minus_one, node), span)
        if width == ONE:
            return distance
        return self.binary(
            ast.FloorDiv(), self._sum(distance, self._sum(width, minus_one, node), node), width, node
        )

    # arithmetic on extents: constants are folded ------------------------------------------------------------

    def _sum(self, one: Operand, other: Operand, node: ast.AST) -> Operand:
        if one == ZERO or other == ZERO:
            return other if one == ZERO else one
        return self.binary(ast.Add(), one, other, node)

    def _product(self, one: Operand, other: Operand, node: ast.AST) -> Operand:
        if one == ONE or other == ONE:
            return other if one == ONE else one
        return ZERO if ZERO in (one, other) else self.binary(ast.Mult(), one, other, node)

    def _extreme_of(self, opcode: Opcode, one: Operand, other: Operand, span: Span) -> Operand:
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant((min if opcode is Opcode.MIN else max)(one.value, other.value), S64)
        return self.builder.value(opcode, S64, (one, other), span)

    def _compared(self, opcode: Opcode, one: Operand, other: Constant, span: Span) -> Operand:
        if isinstance(one, Constant):
            holds = one.value > other.value if opcode is Opcode.GT else one.value < other.value
            return Constant(holds, PRED)
        return self.builder.value(opcode, S64, (one, other), span, result=PRED)

    def _chosen(self, flag: Operand, one: Operand, other: Operand, span: Span) -> Operand:
        if isinstance(flag, Constant):
            return one if flag.value else other
        return self.select(flag, one, other, span)

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
        node: ast.AST,
        first: Operand,
        axes: Sequence[Axis],
        layout: str,
        element: Element | None = None,
    ) -> View:
        """A view of a view."""
        array = view.array
        element, name = element or array.element, ast.unparse(node)
        part = ArrayOperand(name, element, len(axes), array.space, layout=layout, root=array.memory)
        extents, strides = tuple(axis.extent for axis in axes), tuple(axis.stride for axis in axes)
        self.builder.hold(first, *extents, *strides)
        return View(part, tuple(axis.given for axis in axes), Geometry(first, extents, strides))

    def movable(self, view: View, node: ast.AST) -> View:
        """The same view with all its geometry, so that a variable can hold now this view, now another."""
        first, axes = self._axes(view, self.scope.span(node))
        return self._part(view, node, first, axes, view.array.layout)

    # attributes and methods -------------------------------------------------------------------------------

    def array_attribute(self, owner: View | Item, node: ast.Attribute) -> Value:
        """`x.shape`, `x.T`, `record.field` and the like."""
        span, name = self.scope.span(node), node.attr
        if isinstance(owner, View) and name in METHODS:
            return Static(Method(owner, name))
        if isinstance(owner, Item) or name not in ATTRIBUTES:
            return self.loaded(self._member(owner, name, node), node)
        extents = tuple(self.extent(owner, axis, span) for axis in owner.free)
        size: Operand = Constant(owner.array.element.bytes, S64)
        match name:
            case "shape":
                return extents
            case "ndim":
                return Constant(owner.dimensions, S64)
            case "dtype":
                return Static(owner.array.element.dtype)
            case "itemsize":
                return size
            case "strides":
                axes = self._axes(owner, span)[1]
                return tuple(axes[axis].stride for axis in owner.free)
            case "T":
                return self._transposed(owner, node)
        total = size if name == "nbytes" else ONE
        for extent in extents:
            total = self._product(total, extent, node)
        return total

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
        return self._part(view, node, self._sum(first, Constant(offset, S64), node), axes, layout, element)

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
        return self._part(view, node, first, given + free, layout)

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
        return self._part(view, node, first, given + free, "C")

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
        return self._part(view, node, first, axes, view.layout, element)

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


def _kept_layout(layout: str, items: Sequence[Operand | Cut | None], dimensions: int) -> str:
    """Numba's rule: whole numbers outside, and a slice without a step only innermost, stay contiguous."""
    outside_in = list(items)
    if layout == "F":
        outside_in += [Cut(None, None, None)] * (dimensions - len(items))
        outside_in.reverse()
    while outside_in and outside_in[-1] is REST:
        outside_in.pop()
    dense = all(isinstance(item, Register | Constant) for item in outside_in[:-1])
    if outside_in and isinstance(outside_in[-1], Cut):
        dense = dense and outside_in[-1].step is None
    return layout if dense and None not in outside_in else "A"
