"""How many registers does a thread hold at once? Occupancy depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpusim.ir.control_flow import Block, live_after, read_by
from gpusim.ir.instructions import Register


def words(registers: Iterable[Register]) -> int:
    """32-bit registers needed: predicates have a file of their own, 64-bit values take two."""
    return sum((register.type.bits + 31) // 32 for register in registers if register.type.bits > 1)


def pressure(blocks: Sequence[Block], live_in: Sequence[frozenset[Register]]) -> int:
    """The largest number of 32-bit registers that are live at once. A compiler may do with fewer."""
    most = 0
    for index, block in enumerate(blocks):
        live = live_after(blocks, live_in, index)
        live |= read_by(block.terminator)
        most = max(most, words(live))
        for instruction in reversed(block.instructions):
            if instruction.destination is not None:
                live.discard(instruction.destination)
            live.update(instruction.reads)
            most = max(most, words(live))
    return most
