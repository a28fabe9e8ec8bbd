"""What does `child[grid, block, stream, bytes](…)` mean in a kernel? A launch by each active thread.

Numba has none: it is CUDA C++'s `child<<<grid, block, bytes, stream>>>(…)`, with the order that a launch from
the host has in Numba.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.passing import passed, type_of
from gpusim.frontends.python.values import Configured, Static, Value, described, is_object
from gpusim.ir.details import Launch
from gpusim.ir.instructions import Constant, Opcode, Operand
from gpusim.ir.types import S32, U32, U64

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
    types = tuple(type_of(lowering, argument, node) for argument in arguments)
    wanted, child = kernel.launched_with(types, lowering.span(node))
    for type_, argument in zip(wanted, arguments, strict=True):
        operands += passed(lowering, type_, argument, node)
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
