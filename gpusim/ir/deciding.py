"""What can decide where a kernel goes, and whether it ends? In `while i < n: j += 1`, i and n; never j.

Branch conditions and what lanes exchange decide; so do the places of accesses, for one outside its array ends
the launch; and whatever these are computed from. A value that was loaded comes from memory, which then
decides too, with all that is stored there. Two arrays of one space may be the same memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpusim.ir.control_flow import Block, read_by, registers_in
from gpusim.ir.instructions import Register
from gpusim.ir.types import Space

ADDRESSED = frozenset({Space.GLOBAL, Space.SHARED, Space.LOCAL})  # where a generic address may lead


def deciding(blocks: Sequence[Block]) -> tuple[frozenset[Register], frozenset[Space]]:
    """The registers and the kinds of memory on whose contents any branch, exchange or place depends."""
    registers, spaces = set[Register](), set[Space]()
    for block in blocks:
        registers |= read_by(block.terminator)
        for instruction in block.instructions:
            if instruction.place is not None:
                registers.update(registers_in(instruction.place.operands))
    size = -1
    while size != (size := len(registers) + len(spaces)):
        for block in blocks:
            for instruction in block.instructions:
                opcode, array, reached = instruction.opcode, instruction.array, frozenset[Space]()
                if opcode.accesses_memory and array is not None:
                    reached = ADDRESSED if array.space is Space.GENERIC else frozenset({array.space})
                wanted = instruction.destination in registers
                if wanted:
                    spaces |= reached
                if wanted or (opcode.writes_memory and spaces & reached):
                    registers.update(instruction.reads)
    return frozenset(registers), frozenset(spaces)
