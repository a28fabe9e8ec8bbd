"""What does `child[grid, block, stream, bytes](…)` mean in a kernel? A launch by each active thread.

Numba has none: it is CUDA C++'s `child<<<grid, block, bytes, stream>>>(…)`, with the order that a launch from
the host has in Numba.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gpusim.frontends import fold
from gpusim.frontends.python.arrays import insist
from gpusim.frontends.python.indices import axes_of
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.slices import ZERO, product, total
from gpusim.frontends.python.values import (
    Configured,
    GroupValue,
    Item,
    Static,
    Value,
    VectorValue,
    View,
    described,
    is_object,
)
from gpusim.ir.details import Launch
from gpusim.ir.instructions import Constant, Opcode, Operand, Place, Register
from gpusim.ir.types import S32, S64, U32, U64, Array, Record, Scalar, Space

FORM = "write child[grid, block](…), child[grid, block, stream](…) or child[grid, block, stream, bytes](…)"


def launch(lowering: Lowering, configured: Configured, arguments: Sequence[Value], node: ast.Call) -> Value:
    """Launch a kernel with these arguments."""
    kernel, given = configured.kernel, configured.configuration
    if not 2 <= len(given) <= 4:
        raise lowering.wrong(
            f"a launch of {kernel.__name__} with {len(given)} number(s) in brackets", node, FORM
        )
    operands = [*_extents(lowering, given[0], "grid", node), *_extents(lowering, given[1], "block", node)]
    operands.append(lowering.number_as(given[3], U64, node) if len(given) > 3 else Constant(0, U64))
    operands.append(_stream(lowering, given[2], node) if len(given) > 2 else Constant(0, U64))
    types = tuple(_type_of(lowering, argument, node) for argument in arguments)
    wanted, child = kernel.launched_with(types, lowering.span(node))
    for type_, argument in zip(wanted, arguments, strict=True):
        operands += _passed(lowering, type_, argument, node)
    span, detail = lowering.span(node), Launch(kernel.__name__, child)
    lowering.builder.value(Opcode.LAUNCH, S32, tuple(operands), span, detail=detail)
    return Static(None)


def _extents(lowering: Lowering, given: Value, what: str, node: ast.AST) -> list[Operand]:
    """A number or a tuple of up to three as x, y, z."""
    numbers = given if type(given) is tuple else (given,)
    if not 1 <= len(numbers) <= 3:
        raise lowering.wrong(f"the {what} of a launch has one to three extents, not {len(numbers)}", node)
    found = []
    for one in numbers:
        number = lowering.number(one, node)
        if not number.type.is_integer:
            raise lowering.wrong(f"the {what} of a launch is {number.type.dtype}", node, "use whole numbers")
        found.append(lowering.convert(number, U32, node))
    return [*found, *[Constant(1, U32)] * (3 - len(found))]


def _stream(lowering: Lowering, given: Value, node: ast.AST) -> Operand:
    if is_object(given, None):
        return Constant(0, U64)
    if isinstance(given, Static):
        hint = "create one in the kernel, with cudart.cudaStreamCreateWithFlags(cudart.cudaStreamNonBlocking)"
        raise lowering.wrong(f"{described(given)} is of the host, and no stream for kernels", node, hint)
    return lowering.number_as(given, U64, node)


def _type_of(lowering: Lowering, argument: Value, node: ast.AST) -> Any:
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
        return tuple(_type_of(lowering, part, node) for part in argument)
    raise lowering.wrong(
        f"{described(argument)} cannot be passed to a kernel", node, "pass numbers and arrays"
    )


def _passed(lowering: Lowering, type_: Any, argument: Value, node: ast.AST) -> list[Operand]:
    """What stands for an argument: itself, or where an array begins, its extents and its strides."""
    if type_ is None:
        return []
    if isinstance(type_, Scalar):
        return [lowering.number_as(argument, type_, node)]
    if isinstance(type_, tuple):
        assert isinstance(argument, tuple)
        pairs = zip(type_, argument, strict=True)
        return [operand for one, part in pairs for operand in _passed(lowering, one, part, node)]
    view = argument.view if isinstance(argument, Item) else argument
    assert isinstance(view, View)
    span = lowering.span(node)
    first, axes = axes_of(lowering, view, node)
    for axis in axes:
        if axis.given is not None:
            place = _in_range(lowering, lowering.convert(axis.given, S64, node), axis.extent, node)
            first = total(lowering, first, product(lowering, place, axis.stride, node), node)
    begin: Operand = lowering.builder.value(Opcode.ADDRESS, U64, (), span, place=Place(view.array.memory))
    if first != ZERO:
        begin = lowering.compute(Opcode.ADD, U64, (begin, lowering.convert(first, U64, node)), node)
    free = [axes[axis] for axis in view.free]
    lengths = [[axis.extent for axis in free], [axis.stride for axis in free]]
    return [begin, *(lowering.convert(number, S64, node) for numbers in lengths for number in numbers)]


def _in_range(lowering: Lowering, index: Operand, extent: Operand, node: ast.AST) -> Operand:
    """An index that counts from the beginning, which some element has."""
    site = lowering.site(node)
    below = fold.compared(site, Opcode.LT, index, ZERO)
    index = fold.select(site, below, total(lowering, index, extent, node), index, None)
    for opcode, bound in ((Opcode.GE, ZERO), (Opcode.LT, extent)):
        insist(
            lowering,
            fold.compared(site, opcode, index, bound),
            "no such part of the array",
            node,
            "IndexError",
        )
    return index
