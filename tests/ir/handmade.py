"""Control flow written down by hand: blocks that only jump."""

from __future__ import annotations

from gpusim.ir.control_flow import Block
from gpusim.ir.instructions import Register
from gpusim.ir.terminators import Barrier, Branch, Jump, Return
from gpusim.ir.types import PRED
from gpusim.source import Source, Span

SOURCE = Source("kernel", "kernel.py", 1, ("def kernel():", "    ..."))
SPAN = Span(SOURCE, 2, 4)
FLAG = Register("flag", PRED)


def goto(target):
    return Jump(target, SPAN)


def branch(then, otherwise):
    return Branch(FLAG, then, otherwise, SPAN)


def barrier(target):
    return Barrier(target, SPAN)


def leave(join=None):
    return Return(SPAN, join)


def blocks(*terminators):
    """Empty blocks with these ends."""
    return tuple(Block((), terminator) for terminator in terminators)
