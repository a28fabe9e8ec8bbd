"""What must hold when a kernel runs? What is known while compiling is refused at once."""

from __future__ import annotations

import ast
from functools import partial

from gpusim.errors import KernelIndexError, KernelTypeError, KernelValueError
from gpusim.frontends import flow, fold
from gpusim.frontends.python.lowering import Lowering
from gpusim.frontends.python.slices import ZERO, total
from gpusim.ir.instructions import Opcode, Operand, Register

# what a kernel raises when it runs -> our error where that is known before
KNOWN: dict[type[Exception], type[KernelTypeError]] = {
    IndexError: KernelIndexError,
    ValueError: KernelValueError,
}


def insist(
    lowering: Lowering, holds: Operand, wrong: str, node: ast.AST, error: type[Exception] = ValueError
) -> None:
    """A condition, broken now, or by some thread when it runs."""
    if isinstance(holds, Register):
        site = lowering.site(node)
        flow.insisted(site, partial(flow.branch, site, holds), f"{error.__name__}: {wrong}", error)
    elif not holds.value:
        raise KNOWN[error](wrong, lowering.span(node))


def in_range(lowering: Lowering, index: Operand, extent: Operand, wrong: str, node: ast.AST) -> Operand:
    """An index, an int64, that counts from the beginning, which some element has."""
    site = lowering.site(node)
    below = fold.compared(site, Opcode.LT, index, ZERO)
    index = fold.select(site, below, total(lowering, index, extent, node), index, None)
    for opcode, bound in ((Opcode.GE, ZERO), (Opcode.LT, extent)):
        insist(lowering, fold.compared(site, opcode, index, bound), wrong, node, IndexError)
    return index
