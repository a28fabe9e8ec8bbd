"""What does a kernel hand to the device runtime? Numbers, and of an array where it lies in global memory."""

from __future__ import annotations

import ast
from typing import Any

from gpusim.frontends.python.checks import in_range
from gpusim.frontends.python.indices import axes_of
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.slices import ZERO, product, total
from gpusim.frontends.python.values import GroupValue, Item, Value, VectorValue, View, described, is_object
from gpusim.ir.instructions import Constant, Opcode, Operand, Place, Register
from gpusim.ir.types import S64, U64, Array, Record, Scalar, Space


def type_of(lowering: Lowering, argument: Value, node: ast.AST) -> Any:
    """The type that the child is compiled for."""
    if is_object(argument, None):
        return None
    if isinstance(argument, Register | Constant):
        return argument.type
    view = argument.view if isinstance(argument, Item) else argument
    if isinstance(view, View):
        space = view.array.memory.space
        if space is not Space.GLOBAL:
            whose = {Space.SHARED: "its block", Space.LOCAL: "its thread"}.get(space, "its kernel")
            what = f"{described(argument)} is {space.value} memory, which only {whose} sees"
            raise lowering.wrong(what, node, "copy it to an array in global memory, and pass that")
        element = view.array.element
        return Array(
            element,
            view.dimensions,
            "C" if isinstance(element, Record) and not view.dimensions else view.layout,
        )
    if isinstance(argument, tuple) and not isinstance(argument, VectorValue | GroupValue):
        return tuple(type_of(lowering, part, node) for part in argument)
    raise lowering.wrong(
        f"{described(argument)} cannot be passed to a kernel", node, "pass numbers and arrays"
    )


def passed(lowering: Lowering, type_: Any, argument: Value, node: ast.AST) -> list[Operand]:
    """What stands for an argument: itself, or where an array begins, its extents and its strides."""
    if type_ is None:
        return []
    if isinstance(type_, Scalar):
        return [lowering.number_as(argument, type_, node)]
    if isinstance(type_, tuple):
        assert isinstance(argument, tuple)
        pairs = zip(type_, argument, strict=True)
        return [operand for one, part in pairs for operand in passed(lowering, one, part, node)]
    view = argument.view if isinstance(argument, Item) else argument
    assert isinstance(view, View)
    span = lowering.span(node)
    first, axes = axes_of(lowering, view, node)
    for axis in axes:
        if axis.given is not None:
            place = in_range(
                lowering,
                lowering.convert(axis.given, S64, node),
                axis.extent,
                "no such part of the array",
                node,
            )
            first = total(lowering, first, product(lowering, place, axis.stride, node), node)
    begin: Operand = lowering.builder.value(Opcode.ADDRESS, U64, (), span, place=Place(view.array.memory))
    if first != ZERO:
        begin = lowering.compute(Opcode.ADD, U64, (begin, lowering.convert(first, U64, node)), node)
    free = [axes[axis] for axis in view.free]
    lengths = [[axis.extent for axis in free], [axis.stride for axis in free]]
    return [begin, *(lowering.convert(number, S64, node) for numbers in lengths for number in numbers)]
