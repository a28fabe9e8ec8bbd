"""What does `x[i]`, `x[2:10]` or `r[i].x` mean? Views of arrays, typed as Numba's CUDA target types them.

A view moves nothing: it is where its first byte lies, and an extent and a stride in bytes an axis, constants
where they are known. Whole arrays with some indices given need none of that.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from enum import EnumMeta
from inspect import isfunction
from typing import Any

from gpusim.frontends import fold
from gpusim.frontends.fold import fitting
from gpusim.frontends.python.checks import in_range, insist
from gpusim.frontends.python.lowering import Into, Lowering, Where
from gpusim.frontends.python.slices import ONE, REST, ZERO, Axis, Cut, kept_layout, sliced, total
from gpusim.frontends.python.values import (
    Configured,
    Flat,
    IntMember,
    Item,
    Static,
    Typed,
    Value,
    View,
    described,
    is_object,
    is_tuple,
    known_integer,
    made_a_number,
    to_keep,
    type_of,
)
from gpusim.ir import details
from gpusim.ir.details import CacheOperator
from gpusim.ir.instructions import ArrayOperand, Constant, Geometry, Opcode, Operand, Place, Register
from gpusim.ir.types import PRED, S64, Element, Record, Scalar

ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "T")
METHODS = ("reshape", "transpose", "view", "fill")
NOT_IN_A_KERNEL = {
    "ravel": "use x.reshape(x.size)",
    "flatten": "a kernel cannot allocate; use x.reshape(x.size)",
    "copy": "a kernel cannot allocate; copy into cuda.local.array in a loop",
    "astype": "a kernel cannot allocate; convert elements",
    **dict.fromkeys(("min", "max", "dot", "ptp", "cumsum"), "write a loop over its elements"),
}


# elements ---------------------------------------------------------------------------------------------------


def loaded(
    lowering: Lowering, view: View, node: ast.AST, into: Into = None, cache: CacheOperator | None = None
) -> Value:
    """What an expression that names a view is: an array while indices are missing, else an element."""
    if view.dimensions:
        return view
    element = view.array.element
    if isinstance(element, Record):
        return Item(view)
    span, into = lowering.span(node), fitting(into, element)
    return lowering.builder.value(Opcode.LOAD, element, (), span, into=into, place=view.place, detail=cache)


def element_of(lowering: Lowering, view: View, node: ast.AST) -> Scalar:
    """Insist that a view is one number in memory."""
    if view.dimensions:
        raise lowering.wrong(f"{view.dimensions} more index(es) needed", node)
    if isinstance(view.array.element, Record):
        raise lowering.wrong(f"{described(Item(view))} where a number is needed", node, "name a field")
    return view.array.element


def place(lowering: Lowering, target: ast.expr) -> tuple[View, bool]:
    """The array, or the part of one, that an assignment writes to; is it a field of one record?"""
    if isinstance(target, ast.Subscript):
        owner = lowering.value(target.value)
        return part(lowering, owner, target.slice, target), isinstance(owner, Item)
    if isinstance(target, ast.Attribute):
        owner = lowering.value(target.value)
        if isinstance(owner, View | Item) and target.attr not in ATTRIBUTES:
            return member(lowering, owner, target.attr, target), isinstance(owner, Item)
    what = f"an assignment to `{ast.unparse(target)}`"
    raise lowering.unsupported(target, "assign to names and to elements of arrays", what)


def subscript(lowering: Lowering, node: ast.Subscript, into: Into) -> Value:
    """`x[…]`: a part of an array, or of a tuple."""
    target = lowering.value(node.value)
    if is_tuple(target):
        return _of_tuple(lowering, target, node)
    if (
        isinstance(target, Static)
        and isinstance(target.object, EnumMeta)
        and isinstance(node.slice, ast.Constant)
    ):
        named = ast.Attribute(node.value, str(node.slice.value), ast.Load())
        return lowering.value(ast.copy_location(named, node))
    if isinstance(target, Static) and hasattr(target.object, "launched_with"):
        given = lowering.value(node.slice)
        return Static(Configured(target.object, given if type(given) is tuple else (given,)))
    return loaded(lowering, part(lowering, target, node.slice, node), node, into)


def _of_tuple(lowering: Lowering, target: tuple[Any, ...], node: ast.Subscript) -> Value:
    if isinstance(node.slice, ast.Slice):
        cut = [_limit(lowering, bound) for bound in (node.slice.lower, node.slice.upper, node.slice.step)]
        if cut[2] == 0:
            raise lowering.wrong("a slice with step 0", node, "take a step of at least 1")
        return target[slice(*cut)]
    given = lowering.value(node.slice)
    _mark_index(lowering, given, node)
    index = known_integer(given)
    if index is None:
        return one_of(lowering, target, lowering.number(given, node), node)
    within = Constant(-len(target) <= index < len(target), PRED)
    insist(lowering, within, f"index {index} of a tuple of {len(target)}", node, IndexError)
    item: Value = target[index]
    return item


def one_of(lowering: Lowering, target: tuple[Any, ...], index: Operand, node: ast.AST) -> Value:
    """An item at an index that each thread has: numbers, or tuples of these, of one type, as in Numba."""
    type_ = type_of(target[0]) if target else None
    alike = _is_of_numbers(type_) and all(type_of(item) == type_ for item in target)
    if not alike or not index.type.is_integer:
        hint = "use an array for computed indices"
        what = "arrays" if all(isinstance(item, View) for item in target) else "several types"
        raise lowering.wrong(f"a tuple of {what} is indexed by a constant", node, hint)
    site, wrong = lowering.site(node), "tuple index out of range"
    index = in_range(lowering, lowering.convert(index, S64, node), Constant(len(target), S64), wrong, node)
    here = [fold.compared(site, Opcode.EQ, index, Constant(at, S64)) for at in range(1, len(target))]

    def chosen(items: tuple[Any, ...]) -> Value:
        found, *others = items
        if isinstance(found, tuple):
            parts = [chosen(each) for each in zip(*items, strict=True)]
            return found.with_parts(parts) if isinstance(found, Typed) else tuple(parts)
        for flag, number in zip(here, others, strict=True):
            found = fold.select(site, flag, number, found, None)
        return found  # type: ignore[no-any-return]

    return chosen(target)


def _is_of_numbers(type_: Any) -> bool:
    return all(map(_is_of_numbers, type_)) if isinstance(type_, tuple) else isinstance(type_, Scalar)


def _limit(lowering: Lowering, node: ast.expr | None) -> int | None:
    if node is None:
        return None
    limit = known_integer(lowering.value(node))
    if limit is None:
        raise lowering.wrong("a tuple is cut at constants", node)
    return limit


# parts ------------------------------------------------------------------------------------------------------


def part(lowering: Lowering, target: Value, index: ast.expr | Value, node: ast.AST) -> View:
    """A part of an array: with more of its indices given, sliced, or a field of its records."""
    owner = target.view if isinstance(target, Item) else target
    if isinstance(owner, View) and isinstance(owner.array.element, Record):
        field = lowering.value(index) if isinstance(index, ast.Name | ast.Constant) else index
        name = getattr(field, "object", None)
        if isinstance(name, str):
            return member(lowering, owner, name, node)
    if isinstance(target, Item) and isinstance(index, ast.Tuple) and not index.elts:
        return target.view
    if isinstance(target, Static) and isinstance(target.object, Flat):
        at = lowering.value(index) if isinstance(index, ast.expr) else index
        number = whole_number(lowering, at, "an index", node)
        return numbered(lowering, target.object.view, number, node)
    if not isinstance(target, View):
        found = getattr(target, "object", None)
        if hasattr(found, "launch_attributes"):
            hint = "it is CUDA C++: launch it from the host, or from a kernel of its own text"
            raise lowering.wrong(f"{described(target)} cannot be launched from Python's kernels", node, hint)
        hint = "if it is a kernel, write @cuda.jit above it" if isfunction(found) else to_keep(target)
        if hasattr(found, "x"):
            hint = made_a_number(target)
        if isinstance(target, Item):
            hint = f"name a field: {', '.join(target.view.array.element.names)}"  # type: ignore[union-attr]
        raise lowering.wrong(f"{described(target)} cannot be indexed", node, hint or "is it an array?")
    items = _items(lowering, index, target, node)
    layout = kept_layout(target.layout, items, target.dimensions)
    if not any(item is None or (isinstance(item, Cut) and not item.is_whole) for item in items):
        given = list(target.indices)
        for axis, item in zip(target.free, items, strict=False):
            given[axis] = None if isinstance(item, Cut) else item
        view = View(target.array, tuple(given), target.geometry)
        if view.layout == layout or not view.dimensions:
            return view
    first, axes = axes_of(lowering, target, node)
    free = list(target.free)
    for position, item in enumerate(items):
        if item is None:
            place = free[position] if position < len(free) else len(axes)
            axes.insert(place, Axis(None, ONE, ZERO))
            free[position:] = [place, *(axis + 1 for axis in free[position:])]
        elif not isinstance(item, Cut):
            axes[free[position]] = axes[free[position]]._replace(given=item)
        elif not item.is_whole:
            first, axes[free[position]] = sliced(lowering, first, axes[free[position]], item, node)
    return view_of(lowering, target, ast.unparse(node), first, axes, layout)


def numbered(lowering: Lowering, view: View, number: Operand, node: ast.AST) -> View:
    """The element that comes as this number, the last index running fastest."""
    site, indices = lowering.site(node), list[Operand]()
    for axis in reversed(view.free[1:]):
        length, number = extent(lowering, view, axis, node), lowering.convert(number, S64, node)
        indices.insert(0, fold.computed(site, Opcode.FLOOR_MOD, number, length))
        number = fold.computed(site, Opcode.FLOOR_DIV, number, length)
    return part(lowering, view, (number, *indices), node)


def _items(
    lowering: Lowering, index: ast.expr | Value, target: View, node: ast.AST
) -> list[Operand | Cut | None]:
    """Numbers, slices, and None for a new axis; an ellipsis stands for as many `:` as are missing."""
    if isinstance(index, ast.Tuple):
        given = [_item(lowering, item) for item in index.elts]
    else:
        value = _item(lowering, index) if isinstance(index, ast.expr) else index
        given = list(value) if is_tuple(value) else [value]
    if sum(is_object(item, ...) for item in given) > 1:
        raise lowering.wrong("an index with more than one `...`", node)
    new_axes = sum(is_object(item, None) for item in given)
    items: list[Operand | Cut | None] = []
    for item in given:
        if is_object(item, ...):
            items += [REST] * (target.dimensions - len(given) + new_axes + 1)
        elif is_object(item, None):
            items.append(None)
        else:
            if isinstance(index, ast.expr):  # those of atomics may be these
                _mark_index(lowering, item, node)
                lowering.mark_maybe(item, node, "an index")
            items.append(item if isinstance(item, Cut) else whole_number(lowering, item, "an index", node))
    count = len(items) - new_axes
    if count > target.dimensions:
        what = f"{count} indices into {target.array.name!r}, which has {target.dimensions} dimension(s)"
        at_once = "unpack the tuple, and index with one of its numbers"
        hint = "index it fewer times" if isinstance(index, ast.Tuple) else at_once
        raise lowering.wrong(what, node, hint)
    return items


def _mark_index(lowering: Lowering, index: Any, node: ast.AST) -> None:
    """Numba takes whole numbers only."""
    if isinstance(index, IntMember):
        lowering.here_only("a member of an enumeration as an index", node, "take its .value")
    elif isinstance(index, Register | Constant) and index.type is PRED:
        lowering.here_only("a bool as an index", node, "convert it: int(…)")


def _item(lowering: Lowering, node: ast.expr) -> Any:
    if not isinstance(node, ast.Slice):
        return lowering.value(node)
    return Cut(
        *(
            None if bound is None else whole_number(lowering, lowering.value(bound), "a slice's bound", bound)
            for bound in (node.lower, node.upper, node.step)
        )
    )


def whole_number(lowering: Lowering, value: Value, what: str, node: ast.AST) -> Operand:
    """Insist that an index is an integer."""
    if isinstance(value, View) and value.dimensions:
        why = "write a loop over the indices: a kernel here takes them one by one"
        raise lowering.wrong(f"{described(value)} as {what}", node, why)
    number = lowering.number(value, node)
    if number.type is PRED:
        return lowering.convert(number, S64, node)
    if not number.type.is_integer:
        raise lowering.wrong(
            f"{what} of type {number.type.dtype}", node, "use // for whole division, or int(…)"
        )
    return number


def member(lowering: Lowering, owner: View | Item, name: str, node: ast.AST) -> View:
    """A field of a record, or of every record of an array."""
    view = owner.view if isinstance(owner, Item) else owner
    record = view.array.element
    if not isinstance(record, Record):
        known = ", ".join((*ATTRIBUTES, *METHODS))
        hint = NOT_IN_A_KERNEL.get(name, f"it has {known}")
        raise lowering.unsupported(node, hint, f"{name!r} of the array {view.array.name!r}")
    if name not in record.names:
        known = ", ".join(record.names)
        raise lowering.wrong(f"{described(owner)} has no field {name!r}", node, f"its fields are {known}")
    element, offset, shape = record.field(name)
    if isinstance(element, Scalar) and offset % element.bytes:
        raise lowering.wrong(
            f"field {name!r} begins at byte {offset} of its record, and {element} needs a multiple of "
            f"{element.bytes}",
            node,
            "build the dtype with align=True",
        )
    first, axes = axes_of(lowering, view, node)
    strides = [math.prod(shape[axis + 1 :]) * element.bytes for axis in range(len(shape))]
    axes += [Axis(None, Constant(e, S64), Constant(s, S64)) for e, s in zip(shape, strides, strict=True)]
    layout, first = "A" if view.dimensions else "C", total(lowering, first, Constant(offset, S64), node)
    return view_of(lowering, view, ast.unparse(node), first, axes, layout, element)


# the shape of a view ----------------------------------------------------------------------------------------


def extent(lowering: Lowering, view: View, axis: int, at: Where) -> Operand:
    """The length of a view along an axis of its array: known, or read where the launch gives it."""
    if view.geometry is not None:
        return view.geometry.extents[axis]
    if view.array.shape:
        return Constant(view.array.shape[axis], S64)
    return _asked(lowering, Opcode.EXTENT, view.array, axis, at)


def axes_of(lowering: Lowering, view: View, at: Where) -> tuple[Operand, list[Axis]]:
    """Where a view begins, and all its axes with extents and strides."""
    geometry = view.geometry
    if geometry is not None:
        parts = zip(view.indices, geometry.extents, geometry.strides_bytes, strict=True)
        return geometry.first_byte, [Axis(*part) for part in parts]
    return ZERO, [
        Axis(index, extent(lowering, view, axis, at), _stride(lowering, view.array, axis, at))
        for axis, index in enumerate(view.indices)
    ]


def _stride(lowering: Lowering, array: ArrayOperand, axis: int, at: Where) -> Operand:
    dense = {"C": array.dimensions - 1, "F": 0}
    if array.data is not None:
        return Constant(array.data.strides[axis], S64)
    if array.shape:
        return Constant(math.prod(array.shape[axis + 1 :]) * array.element.bytes, S64)
    if dense.get(array.layout) == axis:
        return Constant(array.element.bytes, S64)
    return _asked(lowering, Opcode.STRIDE, array, axis, at)


def _asked(lowering: Lowering, opcode: Opcode, array: ArrayOperand, axis: int, at: Where) -> Operand:
    """What the launch says of an array, along one of its axes."""
    span, detail = lowering.span(at), details.Axis(axis)
    return lowering.builder.value(opcode, S64, (), span, place=Place(array), detail=detail)


def view_of(
    lowering: Lowering,
    view: View,
    name: str,
    first: Operand,
    axes: Sequence[Axis],
    layout: str,
    element: Element | None = None,
) -> View:
    """A view of a view."""
    array = view.array
    seen = ArrayOperand(
        name, element or array.element, len(axes), array.space, layout=layout, root=array.memory
    )
    extents, strides = tuple(axis.extent for axis in axes), tuple(axis.stride for axis in axes)
    lowering.builder.hold(first, *extents, *strides)
    return View(seen, tuple(axis.given for axis in axes), Geometry(first, strides, extents))
